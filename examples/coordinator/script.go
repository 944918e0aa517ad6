package main

import (
	"slices"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// The time that the scripted model takes for a turn of each agent.
const (
	historianTurn = 100 * time.Millisecond
	inspectorTurn = 150 * time.Millisecond
	auditorTurn   = 80 * time.Millisecond
)

// errandIn is the input of the tool Agent.
type errandIn struct {
	Agent  string `json:"agent"`
	Prompt string `json:"prompt"`
}

// script plays the model of the coordinator and of its agents where there is no key.
// It tells them apart by their tools.
func script(s *play.Scene) *modeltest.Turn {
	switch {
	case slices.Contains(s.Tools, quarry.AgentToolName):
		return coordinates(s)
	case slices.Contains(s.Tools, "read_archive"):
		if s.Turn == 0 {
			return modeltest.Call("read_archive", struct{}{}).After(historianTurn)
		}
		return modeltest.Say("Of the town's archive: " + s.Told[0]).After(historianTurn)
	case slices.Contains(s.Tools, "read_sensor"):
		if s.Turn == 0 {
			return modeltest.Call("read_sensor", sensorIn{"bearings"}).Call("read_sensor", sensorIn{"deck"}).After(inspectorTurn)
		}
		return modeltest.Say("Bearings: " + s.Told[0] + ". Deck: " + s.Told[1] + ".").After(inspectorTurn)
	}
	mark := ""
	if s.Turn > 0 {
		_, mark, _ = strings.Cut(s.Told[0], "The next page: ")
	}
	return modeltest.Call("read_ledger", ledgerIn{mark}).After(auditorTurn)
}

// coordinates sends all three, and then reports what they came to.
func coordinates(s *play.Scene) *modeltest.Turn {
	if s.Turn == 0 {
		return modeltest.Say("I ask all three.").
			Call(quarry.AgentToolName, errandIn{"historian", "When was the bridge of the town built and repaired? One sentence."}).
			Call(quarry.AgentToolName, errandIn{"inspector", "How are the bearings and the deck of the bridge? One sentence."}).
			Call(quarry.AgentToolName, errandIn{"auditor", "What was spent on the bridge so far? One sentence."})
	}
	report := []string{"The bridge:"}
	for _, told := range s.Told {
		found, _, _ := strings.Cut(told, "[Quarry:") // what follows is for asking it more
		if strings.Contains(found, "did not come to its end") {
			found = "Missing: " + found
		}
		report = append(report, "- "+found)
	}
	return modeltest.Say(strings.Join(report, "\n"))
}
