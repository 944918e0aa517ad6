package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry/model"
)

// Prompt is a prompt that a server has ready.
type Prompt struct {
	// Server is the server's name, Name the prompt's.
	Server, Name string
	// Title and Description are the server's words.
	Title, Description string
	// Arguments are what may be filled in.
	Arguments []*sdk.PromptArgument
}

// Prompts lists the prompts of a server.
func (ss *Servers) Prompts(ctx context.Context, server string) ([]Prompt, error) {
	s, err := ss.find(server)
	if err != nil {
		return nil, err
	}
	var list []Prompt
	err = s.with(ctx, func(ctx context.Context, session *sdk.ClientSession) error {
		list = nil
		for p, err := range session.Prompts(ctx, nil) {
			if err != nil {
				return err
			}
			list = append(list, Prompt{Server: server, Name: p.Name, Title: p.Title, Description: p.Description, Arguments: p.Arguments})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the prompts: %w", err)
	}
	return list, nil
}

// Prompt has the server fill in a prompt. What comes back are messages, to be
// given to an agent: the text and blocks of one by the person are an
// quarry.Input.
func (ss *Servers) Prompt(ctx context.Context, server, name string, args map[string]string) ([]*model.Message, error) {
	s, err := ss.find(server)
	if err != nil {
		return nil, err
	}
	var messages []*model.Message
	err = s.with(ctx, func(ctx context.Context, session *sdk.ClientSession) error {
		res, err := session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
		if err != nil {
			return err
		}
		for _, m := range res.Messages {
			msg, err := messageOf(string(m.Role), m.Content)
			if err != nil {
				return err
			}
			messages = append(messages, msg)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("get the prompt %q: %w", name, err)
	}
	return messages, nil
}

// messageOf is a message of one content.
func messageOf(from string, content sdk.Content) (*model.Message, error) {
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	block, _ := show(raw)
	role := model.RoleUser
	if from == "assistant" {
		role = model.RoleAssistant
	}
	return model.NewMessage(role, block), nil
}
