package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

var (
	address = regexp.MustCompile(`\S+@\S+\w`)
	number  = regexp.MustCompile(`\b\d{4}\b`)
)

// script plays the model where there is no key. It refunds what was lost or broken,
// as far as the message names it.
func script(s *play.Scene) *modeltest.Turn {
	switch s.Turn {
	case 0:
		return modeltest.Call("get_customer", customerIn{address.FindString(s.Prompt)})
	case 1:
		var c customer
		if json.Unmarshal([]byte(s.Told[0]), &c) != nil {
			return modeltest.Say("I do not find you: " + s.Told[0])
		}
		var named []string
		for _, id := range number.FindAllString(s.Prompt, -1) {
			if slices.Contains(c.Orders, id) {
				named = append(named, id)
			}
		}
		if named == nil {
			return modeltest.Say("Which order is it?")
		}
		turn := modeltest.Say("Let me look.")
		for _, id := range named {
			turn.Call("lookup_order", orderIn{id})
		}
		return turn
	case 2:
		said := "I have looked."
		var refunds []refundIn
		for _, told := range s.Told {
			// This is the order as the model reads it: the hook has written the dates.
			var o struct {
				order
				CreatedAt string `json:"created_at"`
			}
			if json.Unmarshal([]byte(told), &o) != nil {
				continue
			}
			said += fmt.Sprintf(" The %s of %s was %s.", o.Item, o.CreatedAt, o.Status)
			for _, problem := range []string{"lost", "broken"} {
				if strings.Contains(o.Status, problem) {
					refunds = append(refunds, refundIn{o.ID, o.Total, problem})
				}
			}
		}
		turn := modeltest.Say(said)
		for _, r := range refunds {
			turn.Call("refund", r)
		}
		return turn
	}
	return modeltest.Say(strings.Join(s.Told, " "))
}
