package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/anthropic/bedrock"
	"github.com/quarry-sdk/quarry/model/anthropic/vertex"
	"github.com/quarry-sdk/quarry/model/chat"
	"github.com/quarry-sdk/quarry/model/extractive"
	"github.com/quarry-sdk/quarry/model/openai"
)

// The models that a key alone chooses, the first of them first.
const (
	defaultClaude = "anthropic/claude-sonnet-4-5"
	defaultGPT    = "openai/gpt-5"
)

// The variables of the keys. That of chat is for servers whose own variable is not
// known.
const (
	anthropicKey = "ANTHROPIC_API_KEY"
	openaiKey    = "OPENAI_API_KEY"
	chatKey      = "QUARRY_API_KEY"
)

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
		return anthropic.New(anthropic.Config{APIKey: key, BaseURL: a.flags.baseURL, Model: name})
	}},
	{openai.Provider, func(ctx context.Context, a *app, name string) (model.Model, error) {
		key, err := a.key(ctx, openaiKey)
		if err != nil {
			return nil, err
		}
		return openai.New(openai.Config{APIKey: key, BaseURL: a.flags.baseURL, Model: name})
	}},
	{chatName, func(ctx context.Context, a *app, name string) (model.Model, error) {
		return a.chat(ctx, "", name)
	}},
	{bedrock.Name, func(ctx context.Context, a *app, name string) (model.Model, error) {
		platform, err := bedrock.Platform(ctx, bedrock.Config{})
		if err != nil {
			return nil, err
		}
		return anthropic.New(anthropic.Config{BaseURL: a.flags.baseURL, Model: name, Platform: platform})
	}},
	{vertex.Name, func(ctx context.Context, a *app, name string) (model.Model, error) {
		platform, err := vertex.Platform(ctx, vertex.Config{})
		if err != nil {
			return nil, err
		}
		return anthropic.New(anthropic.Config{BaseURL: a.flags.baseURL, Model: name, Platform: platform})
	}},
}

// chatName begins the names of models behind servers of the Chat Completions API.
const chatName = "chat"

// chat makes a model of such a server, which is of a row of the table or of none.
func (a *app) chat(ctx context.Context, row, name string) (model.Model, error) {
	key, err := a.key(ctx, chatKey)
	if err != nil {
		return nil, err
	}
	m, err := chat.New(chat.Config{APIKey: key, BaseURL: a.flags.baseURL, Model: name, Provider: row})
	if errors.Is(err, chat.ErrNoBaseURL) {
		return nil, errors.New("there is no address of its server; give --base-url, such as http://localhost:11434/v1")
	}
	return m, err
}

// pickModel returns the model that the flag or the environment names.
func (a *app) pickModel(ctx context.Context, flag string) (model.Model, error) {
	name := flag
	if name == "" {
		name = os.Getenv("QUARRY_MODEL")
	}
	if name == "" {
		switch {
		case hasKey(anthropicKey):
			name = defaultClaude
		case hasKey(openaiKey):
			name = defaultGPT
		default:
			a.note(`quarry: neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set, so the built-in model "extractive" answers: it quotes and never writes`)
			return extractive.New(), nil
		}
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
	// A session says by which row its model was reached.
	for _, row := range chat.Providers() {
		if row.Name == first && rest != "" {
			m, err := a.chat(ctx, row.Name, rest)
			if err != nil {
				return nil, usagef("model %s: %w", name, err)
			}
			return m, nil
		}
	}
	return nil, usagef("there is no model %q; use %s or extractive", name, strings.Join(known, ", "))
}
