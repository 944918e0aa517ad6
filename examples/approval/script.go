package main

import (
	"strings"

	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// script plays the model where there is no key.
func script(s *play.Scene) *modeltest.Turn {
	switch told := strings.Join(s.Told, " "); {
	case s.Turn == 0:
		return modeltest.Call("put_up_notice", noticeIn{"Dear readers, the library is closed on Monday."})
	case strings.HasPrefix(told, "It is up"):
		return modeltest.Say("The notice is up.")
	default:
		return modeltest.Say("The notice is not up: " + told)
	}
}
