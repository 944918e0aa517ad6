package general

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
)

// Subagent describes a helper: an agent that the general agent sends with a part of
// the task. It sees nothing but what it is told, and only its last words come back.
type Subagent struct {
	// Description tells the agent when to send it and when not to.
	Description string
	// Instructions are its system prompt.
	Instructions string
	// Model is what it thinks with. Defaults to the agent's.
	Model model.Model
	// Name is what it is called, as a tool too.
	Name string
	// Tools are the names of the agent's tools that it has. Defaults, where it is
	// nil, to all but helpers and questions to the person.
	Tools []string
}

// helpers makes the tools by which helpers are sent.
func helpers(cfg *Config, tools []*quarry.Tool) (made []*quarry.Tool, err error) {
	for i := range cfg.Agents {
		s := &cfg.Agents[i]
		agent, err := s.agent(cfg, tools)
		if err != nil {
			return nil, err
		}
		made = append(made, quarry.AgentTool(quarry.ToolSpec{Name: s.Name, Description: s.Description}, agent))
	}
	return made, nil
}

func (s *Subagent) agent(cfg *Config, tools []*quarry.Tool) (*quarry.Agent, error) {
	if s.Name == "" || s.Description == "" {
		return nil, fmt.Errorf("agent %q: it needs a name and a description", s.Name)
	}
	own := quarry.Config{
		Blobs: cfg.Blobs, Compaction: cfg.Compaction, Fallbacks: cfg.Fallbacks, Instructions: s.Instructions, Limits: cfg.Limits,
		Model: s.Model, Name: s.Name, Prices: cfg.Prices, Retry: cfg.Retry, Store: cfg.Store,
	}
	if own.Model == nil {
		own.Model = cfg.Model
	} else {
		own.Compaction.Window = 0 // another model's
	}
	byName := make(map[string]func())
	for _, t := range tools {
		byName[t.Spec().Name] = func() { own.Tools = append(own.Tools, t) }
	}
	server := cfg.ServerTools
	if s.Model != nil {
		server = without(WebSearch(s.Model), cfg.Permissions.Deny)
	}
	for _, t := range server {
		byName[t.Name] = func() { own.ServerTools = append(own.ServerTools, t) }
	}
	names := slices.Sorted(maps.Keys(byName))
	wanted := s.Tools
	if wanted == nil {
		wanted = names
	}
	for _, name := range wanted {
		add := byName[name]
		if add == nil {
			return nil, fmt.Errorf("agent %q: there is no tool %q for it; there are %s", s.Name, name, strings.Join(names, ", "))
		}
		add()
	}
	return quarry.New(own)
}
