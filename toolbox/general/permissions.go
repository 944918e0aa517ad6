package general

import (
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry"
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
		case spec.Effect == quarry.ReadOnly, slices.Contains(remembering, spec.Name):
			all.Allow = append(all.Allow, spec.Name)
		}
	}
	all.Allow = append(all.Allow, p.Allow...)
	return all
}
