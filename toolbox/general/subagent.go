package general

import (
	"slices"

	"github.com/quarry-sdk/quarry"
)

// helpers are the definitions of the agents that the agent may send.
func helpers(cfg *Config) []quarry.AgentDefinition {
	defs := slices.Clone(cfg.Agents)
	for i := range defs {
		d := &defs[i]
		if d.Limits == (quarry.Limits{}) {
			d.Limits = cfg.Limits
		}
		if d.Model == nil || d.ServerTools != nil {
			continue
		}
		d.ServerTools = without(WebSearch(d.Model), cfg.Permissions.Deny)
		if d.Tools != nil && !slices.Contains(d.Tools, webSearch) {
			d.ServerTools = without(d.ServerTools, []string{webSearch})
		}
	}
	return defs
}
