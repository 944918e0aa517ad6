//go:build integration && unix

package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestIntegrationInspector has the MCP Inspector, a client that checks structured
// content against its schema, use the server. It is below the folder node_modules
// that QUARRY_MCP_NPM names; see .ci/integration.
func TestIntegrationInspector(t *testing.T) {
	t.Parallel()
	npm := os.Getenv("QUARRY_MCP_NPM")
	if npm == "" {
		t.Skip("QUARRY_MCP_NPM does not name a node_modules folder with the Inspector; run make integration")
	}
	p := startMCP(t, answers()) // for its folder and its model
	inspect := func(out any, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(npm, ".bin", "mcp-inspector"), append([]string{"--cli", "quarry", "mcp", "--corpus", "docs"}, args...)...)
		cmd.Dir, cmd.Env = p.dir, p.env
		data, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(data, out)
		}
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, data)
		}
	}
	var list struct{ Tools []struct{ Name string } }
	inspect(&list, "--method", "tools/list")
	if len(list.Tools) != 3 {
		t.Errorf("the tools are %+v", list)
	}
	var asked struct {
		Content           []struct{ Text string }
		StructuredContent struct{ Status, Answer string }
	}
	inspect(&asked, "--method", "tools/call", "--tool-name", "ask", "--tool-arg", "question=Which port?")
	if got := asked.StructuredContent; got.Status != "answered" || !strings.Contains(got.Answer, "5432") || len(asked.Content) != 1 || !strings.Contains(asked.Content[0].Text, got.Answer) {
		t.Errorf("asked: %+v", asked)
	}
}
