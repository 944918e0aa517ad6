package general

import (
	"slices"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
)

// helpers are the definitions of the agents that the agent may send. Searching tells
// that each has the web search of its model's provider, where nobody chose other
// tools of the provider.
func helpers(cfg *Config, searching bool) []quarry.AgentDefinition {
	defs := slices.Clone(cfg.Agents)
	for i := range defs {
		d := &defs[i]
		if d.Limits == (quarry.Limits{}) {
			d.Limits = cfg.Limits
		}
		if d.Model == nil || d.ServerTools != nil || !searching {
			continue // the core gives it its part of the agent's
		}
		d.ServerTools = without(WebSearch(d.Model), slices.Concat(cfg.Permissions.Deny, d.DeniedTools))
		named := func(rule string) bool { about, _ := binds(rule, WebSearchName); return about }
		if d.Tools != nil && !slices.ContainsFunc(d.Tools, named) {
			d.ServerTools = []model.ServerTool{}
		}
	}
	return defs
}
