package main

import (
	"encoding/json"
	"strings"

	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// script plays the model where there is no key: it pays all bills in one response.
func script(s *play.Scene) *modeltest.Turn {
	switch s.Turn {
	case 0:
		return modeltest.Call("open_bills", struct{}{})
	case 1:
		var bills []bill
		if err := json.Unmarshal([]byte(s.Told[0]), &bills); err != nil {
			return modeltest.Say("I cannot read the bills: " + err.Error())
		}
		turn := modeltest.Say("I pay them one by one.")
		for _, b := range bills {
			turn.Call("pay", b)
		}
		return turn
	}
	return modeltest.Say(strings.Join(s.Told, ", ") + ".")
}
