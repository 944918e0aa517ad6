// Package play gives the examples their model: Claude where there is a key, and
// otherwise a scripted one, so that each runs without a key and without a network.
package play

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// defaultClaude is the model that a key alone chooses.
const defaultClaude = "claude-sonnet-4-5"

// Script is what the scripted model says in one turn of a conversation. It sees what
// a real model sees, and nothing else, and answers to what the tools have returned.
type Script func(s *Scene) *modeltest.Turn

// Scene is where a conversation stands.
type Scene struct {
	// Turn is how often the model has spoken.
	Turn int
	// Prompt is the text of the first message.
	Prompt string
	// Told are the texts of the last message: the results of the calls, in order.
	Told []string
	// Tools are the names of the tools.
	Tools []string
}

// Model returns Claude where ANTHROPIC_API_KEY is set, of the name that QUARRY_MODEL
// has behind "anthropic/", and otherwise the scripted model, which it tells w.
func Model(w io.Writer, script Script) (model.Model, error) {
	if os.Getenv("ANTHROPIC_API_KEY") != "" {
		name, ok := strings.CutPrefix(os.Getenv("QUARRY_MODEL"), anthropic.Provider+"/")
		if !ok {
			name = defaultClaude
		}
		return anthropic.New(anthropic.Config{Model: name})
	}
	fmt.Fprintln(w, "no ANTHROPIC_API_KEY, so a scripted model plays the conversation; the tools are real")
	return modeltest.NewScripted(modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		return script(sceneOf(req)), nil
	})), nil
}

// sceneOf reads a request. The scene depends on nothing else, so that a session can
// be gone on with in another process.
func sceneOf(req *model.Request) *Scene {
	s := &Scene{Prompt: req.Messages[0].Blocks.Text()}
	for _, m := range req.Messages {
		if m.Role == model.RoleAssistant {
			s.Turn++
		}
	}
	for _, b := range req.Messages[len(req.Messages)-1].Blocks {
		switch b := b.(type) {
		case *model.ToolResult:
			s.Told = append(s.Told, b.Content.Text())
		case *model.Text:
			s.Told = append(s.Told, b.Text)
		}
	}
	if req.Tools != nil {
		for _, t := range req.Tools.Defs {
			s.Tools = append(s.Tools, t.Name)
		}
	}
	return s
}
