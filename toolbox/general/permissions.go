package general

import (
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/toolbox/memory"
)

// remembering are the tools of the memory that write.
var remembering = []string{memory.RememberName, memory.ForgetName}

// permissionsOf adds the defaults to what was asked for. A tool of an MCP server is
// not allowed by default, since it is the server that says that it only reads.
func permissionsOf(p *quarry.Permissions, tools []*quarry.Tool) *quarry.Permissions {
	all := &quarry.Permissions{Mode: p.Mode, Allow: []string{"Agent"}, Ask: slices.Clone(p.Ask), Deny: slices.Clone(p.Deny)}
	for _, t := range tools {
		spec := t.Spec()
		switch {
		case strings.HasPrefix(spec.Name, "mcp_"):
		case spec.Effect == quarry.ReadOnly && spec.Name != quarry.AskUserName, slices.Contains(remembering, spec.Name):
			all.Allow = append(all.Allow, spec.Name)
		}
	}
	all.Allow = append(all.Allow, p.Allow...)
	return all
}

// WebSearch is the provider's own web search for a model that has it; otherwise
// there is none.
func WebSearch(m model.Model) []model.ServerTool {
	if !strings.HasPrefix(m.Name(), "anthropic/") {
		return []model.ServerTool{}
	}
	return []model.ServerTool{{Type: "web_search_20250305", Name: webSearch, MaxUses: maxSearches}}
}

const (
	webSearch = "web_search"
	// maxSearches is how often a provider may search for one response.
	maxSearches = 5
)

// without takes the provider's tools away that a rule denies: they run where no
// rule is asked.
func without(tools []model.ServerTool, deny []string) []model.ServerTool {
	kept := make([]model.ServerTool, 0, len(tools))
	for _, t := range tools {
		if !slices.Contains(deny, t.Name) {
			kept = append(kept, t)
		}
	}
	return kept
}
