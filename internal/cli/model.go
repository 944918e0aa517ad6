package cli

import (
	"os"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/extractive"
)

// defaultClaude is the model that a key alone chooses.
const defaultClaude = "anthropic/claude-sonnet-4-5"

// pickModel returns the model that the flag or the environment names.
func (a *app) pickModel(flag string) (model.Model, error) {
	name := flag
	if name == "" {
		name = os.Getenv("QUARRY_MODEL")
	}
	if name == "" {
		if os.Getenv("ANTHROPIC_API_KEY") == "" {
			a.note(`quarry: no ANTHROPIC_API_KEY, so the built-in model "extractive" answers: it quotes and never writes`)
			return extractive.New(), nil
		}
		name = defaultClaude
	}
	provider, rest, _ := strings.Cut(name, "/")
	switch {
	case name == "extractive":
		return extractive.New(), nil
	case provider == "anthropic" && rest != "":
		m, err := anthropic.New(anthropic.Config{Model: rest})
		if err != nil {
			return nil, usagef("model %s: %w", name, err)
		}
		return m, nil
	}
	return nil, usagef(`there is no model %q; use "anthropic/NAME" or "extractive"`, name)
}
