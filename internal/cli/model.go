package cli

import (
	"context"
	"os"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/anthropic/bedrock"
	"github.com/quarry-sdk/quarry/model/anthropic/vertex"
	"github.com/quarry-sdk/quarry/model/extractive"
)

// defaultClaude is the model that a key alone chooses.
const defaultClaude = "anthropic/claude-sonnet-4-5"

// anthropicKey is the variable of the key.
const anthropicKey = "ANTHROPIC_API_KEY"

// provider makes the models of one provider.
type provider struct {
	// name begins the names of its models.
	name string
	make func(ctx context.Context, a *app, name string) (model.Model, error)
}

// providers are those that a name may begin with.
var providers = []provider{
	{anthropic.Provider, func(ctx context.Context, a *app, name string) (model.Model, error) {
		key, err := a.key(ctx, anthropicKey)
		if err != nil {
			return nil, err
		}
		return anthropic.New(anthropic.Config{APIKey: key, Model: name})
	}},
	{bedrock.Name, func(ctx context.Context, _ *app, name string) (model.Model, error) {
		platform, err := bedrock.Platform(ctx, bedrock.Config{})
		if err != nil {
			return nil, err
		}
		return anthropic.New(anthropic.Config{Model: name, Platform: platform})
	}},
	{vertex.Name, func(ctx context.Context, _ *app, name string) (model.Model, error) {
		platform, err := vertex.Platform(ctx, vertex.Config{})
		if err != nil {
			return nil, err
		}
		return anthropic.New(anthropic.Config{Model: name, Platform: platform})
	}},
}

// pickModel returns the model that the flag or the environment names.
func (a *app) pickModel(ctx context.Context, flag string) (model.Model, error) {
	name := flag
	if name == "" {
		name = os.Getenv("QUARRY_MODEL")
	}
	if name == "" {
		if !hasKey(anthropicKey) {
			a.note(`quarry: no ANTHROPIC_API_KEY, so the built-in model "extractive" answers: it quotes and never writes`)
			return extractive.New(), nil
		}
		name = defaultClaude
	}
	if name = unaliased(name); name == extractive.New().Name() {
		return extractive.New(), nil
	}
	first, rest, _ := strings.Cut(name, "/")
	known := make([]string, 0, len(providers))
	for _, p := range providers {
		if p.name != first || rest == "" {
			known = append(known, p.name+"/NAME")
			continue
		}
		m, err := p.make(ctx, a, rest)
		if err != nil {
			return nil, usagef("model %s: %w", name, err)
		}
		return m, nil
	}
	return nil, usagef("there is no model %q; use %s or extractive", name, strings.Join(known, ", "))
}
