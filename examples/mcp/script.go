package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/toolbox/mcp"
)

var (
	quoted = regexp.MustCompile(`"([^"]+)"`)
	reader = regexp.MustCompile(`I am (\w+)`)

	findBook = mcp.ToolName(serverName, "find_book")
	lendBook = mcp.ToolName(serverName, "lend_book")
)

// script plays the model where there is no key. It knows the library, and of another
// server it can only name the tools.
func script(s *play.Scene) *modeltest.Turn {
	if !slices.Contains(s.Tools, findBook) {
		return modeltest.Say("I see the tools " + strings.Join(s.Tools, ", ") + ". It takes a real model to use them.")
	}
	switch s.Turn {
	case 0:
		turn := modeltest.Say("I look for them.")
		for _, m := range quoted.FindAllStringSubmatch(s.Prompt, -1) {
			turn.Call(findBook, findIn{m[1]})
		}
		return turn
	case 1:
		who := reader.FindStringSubmatch(s.Prompt)
		if who == nil {
			return modeltest.Say("Who are you?")
		}
		turn := new(modeltest.Turn)
		for _, told := range s.Told {
			var b book
			if json.Unmarshal([]byte(told), &b) != nil {
				turn.Say(told + ".")
				continue
			}
			turn.Call(lendBook, lendIn{b.ID, who[1]})
		}
		return turn
	}
	var said []string
	for _, told := range s.Told {
		var l lent
		if json.Unmarshal([]byte(told), &l) == nil {
			told = l.Title + " is lent to " + l.Reader
		}
		said = append(said, told)
	}
	return modeltest.Say(strings.Join(said, "; ") + ".")
}
