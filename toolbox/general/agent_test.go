package general_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/command"
	"github.com/quarry-sdk/quarry/toolbox/general"
	"github.com/quarry-sdk/quarry/toolbox/mcp"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	outer, workspace, state := folders(t)
	file := filepath.Join(outer, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	m := named("anthropic/claude-test")
	helper := func(tools ...string) []quarry.AgentDefinition {
		return []quarry.AgentDefinition{{Name: "scout", Description: "Looks around.", Tools: tools}}
	}
	for name, tt := range map[string]struct {
		cfg  general.Config
		want string
	}{
		"no model":               {general.Config{State: state, Workspace: workspace}, "set Config.Model"},
		"no state":               {general.Config{Model: m, Workspace: workspace}, "set Config.State"},
		"no workspace":           {general.Config{Model: m, State: state, Workspace: filepath.Join(outer, "nowhere")}, "make the folder first"},
		"a file as workspace":    {general.Config{Model: m, State: state, Workspace: file}, "files: open the workspace"},
		"the state as workspace": {general.Config{Model: m, State: workspace, Workspace: filepath.Join(workspace, ".")}, "is the folder of the state itself"},
		"a rule":                 {general.Config{Model: m, State: state, Workspace: workspace, Permissions: quarry.Permissions{Allow: []string{"*"}}}, `the rule "*" of Permissions.Allow`},
		"a mode":                 {general.Config{Model: m, State: state, Workspace: workspace, Permissions: quarry.Permissions{Mode: "yolo"}}, `no permission mode "yolo"`},
		"a helper's tool":        {general.Config{Model: m, State: state, Workspace: workspace, Agents: helper("fly")}, `the caller has no tool "fly"`},
		"a folder of skills":     {general.Config{Model: m, State: state, Workspace: workspace, Skills: []string{filepath.Join(outer, "nowhere")}}, "skills: "},
		"a server it needs": {general.Config{Model: m, State: state, Workspace: workspace, MCP: mcp.Config{Servers: map[string]mcp.Server{
			"gone": {Command: "no-such-program-at-all", Required: true},
		}}}, "mcp: "},
		"programs without a list": {general.Config{Model: m, State: state, Workspace: workspace, Command: &command.Config{}}, "command: no program may be run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, err := general.Open(t.Context(), tt.cfg)
			if err == nil || agent != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want %s", agent, err, tt.want)
			}
		})
	}
}

// TestState: the tools do not reach the state, wherever it is.
func TestState(t *testing.T) {
	t.Parallel()
	outer, workspace, _ := folders(t)
	link := filepath.Join(outer, "way")
	linked := os.Symlink("ws", link) == nil
	for _, tt := range []struct{ workspace, state, path, want string }{
		{workspace, filepath.Join(outer, "elsewhere"), "../elsewhere/memory.json", "out of the workspace"},
		{workspace, filepath.Join(workspace, ".quarry"), ".quarry/memory.json", "reserved"},
		{workspace, filepath.Join(workspace, "deep", "state"), "deep/state/memory.json", "reserved"},
		{link, filepath.Join(workspace, "own"), "own/memory.json", "reserved"},
		{workspace, filepath.Join(link, "theirs"), "theirs/memory.json", "reserved"},
	} {
		if !linked && (tt.workspace == link || strings.HasPrefix(tt.state, link)) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(tt.state), 0o755); err != nil {
			t.Fatal(err)
		}
		store := session.NewMemory()
		agent := open(t, general.Config{
			Model: named("anthropic/claude-test",
				modeltest.CallID("m", "remember", args{"key": "k", "value": "v"}),
				modeltest.CallID("r", "read_file", args{"path": tt.path}).CallID("w", "write_file", args{"path": tt.path, "content": "{}"}),
				modeltest.Say("Done."),
			),
			Permissions: quarry.Permissions{Mode: quarry.ModeBypass}, State: tt.state, Store: store, Workspace: tt.workspace,
		})
		ask(t, agent, quarry.Input{Prompt: "Look.", Session: "s"})
		_, failed := called(records(t, store, "s"))
		if len(failed) != 2 || !strings.Contains(failed["r"], tt.want) || !strings.Contains(failed["w"], tt.want) {
			t.Errorf("workspace %s, state %s: refused was %v", tt.workspace, tt.state, failed)
		}
		if got := read(t, tt.state, general.MemoryFile); !strings.Contains(got, `"v"`) {
			t.Errorf("workspace %s, state %s: the memory is %q", tt.workspace, tt.state, got)
		}
	}
}

// clock is a configuration with the test's own server.
func clock(t *testing.T) mcp.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{serverEnv: "yes"}
	if testing.CoverMode() != "" { // otherwise the test's program complains
		env["GOCOVERDIR"] = t.TempDir()
	}
	return mcp.Config{Servers: map[string]mcp.Server{"clock": {Command: self, Env: env}}}
}

// TestDefaults: what reads, the memory and the helpers are allowed; what writes, what
// a server says of itself, and programs are asked about.
func TestDefaults(t *testing.T) {
	t.Parallel()
	look := quarry.NewTool(quarry.ToolSpec{Name: "look", Description: "Looks.", Effect: quarry.ReadOnly}, func(context.Context, struct{}) (string, error) { return "a cat", nil })
	act := quarry.NewTool(quarry.ToolSpec{Name: "act", Description: "Acts."}, func(context.Context, struct{}) (string, error) { return "done", nil })
	base := general.Config{
		Agents:  []quarry.AgentDefinition{{Name: "scout", Description: "Looks around.", Model: named("other/model", modeltest.Say("Nothing."))}},
		Command: &command.Config{Allow: []string{"true"}}, Tools: []*quarry.Tool{look, act}, Park: true,
	}
	for _, tt := range []struct {
		name        string
		tool        string
		input       any
		permissions quarry.Permissions
		waits       bool
	}{
		{"reads", "list_files", args{}, quarry.Permissions{}, false},
		{"recalls", "recall", args{}, quarry.Permissions{}, false},
		{"remembers", "remember", args{"key": "k", "value": "v"}, quarry.Permissions{}, false},
		{"forgets", "forget", args{"key": "k"}, quarry.Permissions{}, false},
		{"sends", "Agent", args{"agent": "scout", "prompt": "Look."}, quarry.Permissions{}, false},
		{"a tool that reads", "look", args{}, quarry.Permissions{}, false},
		{"a tool that acts", "act", args{}, quarry.Permissions{}, true},
		{"writes", "write_file", args{"path": "a", "content": "A"}, quarry.Permissions{}, true},
		{"edits", "write_file", args{"path": "a", "content": "A"}, quarry.Permissions{Mode: quarry.ModeAcceptEdits}, false},
		{"a rule that asks", "list_files", args{}, quarry.Permissions{Ask: []string{"list_files"}}, true},
		{"a rule that allows", "write_file", args{"path": "a", "content": "A"}, quarry.Permissions{Allow: []string{"write_file(/a)"}}, false},
		{"a server", "mcp__clock__now", args{}, quarry.Permissions{}, true},
		{"a server that is allowed", "mcp__clock__now", args{}, quarry.Permissions{Allow: []string{"mcp__clock"}}, false},
		{"a question", "ask_user", args{"question": "Which?"}, quarry.Permissions{Mode: quarry.ModeBypass}, true},
		{"a question to nobody", "ask_user", args{"question": "Which?"}, quarry.Permissions{Mode: quarry.ModeDontAsk}, false},
		{"a program", "run_command", args{"program": "true"}, quarry.Permissions{}, true},
		{"a program in acceptEdits", "run_command", args{"program": "true"}, quarry.Permissions{Mode: quarry.ModeAcceptEdits}, true},
		{"a program by a rule", "run_command", args{"program": "true", "args": []string{"x", "y"}}, quarry.Permissions{Allow: []string{"run_command(true x:*)"}}, false},
		{"a program by no rule", "run_command", args{"program": "true", "args": []string{"y"}}, quarry.Permissions{Allow: []string{"run_command(true x:*)"}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := base
			cfg.Model = named("anthropic/claude-test", modeltest.CallID("c", tt.tool, tt.input), modeltest.Say("Done."))
			cfg.Permissions = tt.permissions
			if strings.HasPrefix(tt.tool, "mcp__") {
				cfg.MCP = clock(t)
			}
			result := ask(t, open(t, cfg), quarry.Input{Prompt: "Go."})
			if waits := result.Subtype == quarry.Waiting; waits != tt.waits || !waits && !result.OK() {
				t.Errorf("it ends as %s (%s), pending %+v", result.Subtype, result.Detail, result.Pending)
			}
		})
	}
}

// TestCommand: programs are run in the workspace, and not where they name the state;
// the instructions speak of them where there are any.
func TestCommand(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outer, workspace, state := folders(t)
	list := func(id string, words ...string) *modeltest.Turn {
		return modeltest.CallID(id, "run_command", args{"program": self, "args": append([]string{"-test.list", "^TestCommand$"}, words...)})
	}
	kept := filepath.Join(outer, "kept.yaml")
	m := named("anthropic/claude-test", list("a"), list("b", state+"/memory.json"), list("c", kept), list("d", ".quarry"), modeltest.Say("Done."))
	store := session.NewMemory()
	given := &command.Config{Allow: []string{self}, Dir: outer, Protected: []string{kept}}
	agent := open(t, general.Config{
		Command: given, Model: m, Permissions: quarry.Permissions{Allow: []string{"run_command(" + self + ":*)"}}, State: state, Store: store, Workspace: workspace,
	})
	if result := ask(t, agent, quarry.Input{Prompt: "Go.", Session: "s"}); !result.OK() {
		t.Errorf("it ends as %+v", result)
	}
	_, failed := called(records(t, store, "s"))
	for _, id := range []string{"b", "c", "d"} {
		if !strings.Contains(failed[id], "no command may touch") {
			t.Errorf("call %s: %q", id, failed[id])
		}
	}
	if len(failed) != 3 || given.Dir != outer || given.WithoutApproval || len(given.Protected) != 1 {
		t.Errorf("refused was %v; what was given is %+v", failed, given)
	}
	system := func(m *modeltest.Scripted) string { return m.Requests()[0].System.Blocks.Text() }
	without := named("anthropic/claude-test", modeltest.Say("Done."))
	ask(t, open(t, general.Config{Model: without}), quarry.Input{Prompt: "Go."})
	if !has(system(m), general.Instructions, "run_command runs a program") || strings.Contains(system(without), "run_command") || slices.Contains(toolNames(without.Requests()[0]), "run_command") {
		t.Errorf("the instructions are\n%s\nand without programs\n%s", system(m), system(without))
	}
}

// TestHelpers: each helper has the tools that its definition names, the provider's
// too where its model is of that provider.
func TestHelpers(t *testing.T) {
	t.Parallel()
	const search, fetch = "web_search_20250305", "web_fetch_20250910"
	usual := func() []string {
		return []string{"edit_file", "forget", "glob", "grep", "list_files", "read_file", "read_result", "recall", "remember", "write_file"}
	}
	fetching := []model.ServerTool{{Type: fetch, Name: "web_fetch"}}
	for _, tt := range []struct {
		name        string
		of, to      string // the names of the models, "" for one model
		tools       []string
		serverTools []model.ServerTool // of the agent
		own         []model.ServerTool // of the helper
		deny        []string
		denied      []string // of the helper
		want        []string
	}{
		{name: "all", want: append(usual(), search)},
		{name: "some", tools: []string{"read_*"}, want: []string{"read_file", "read_result"}},
		{name: "some with a search", tools: []string{"read_file", "web_search"}, want: []string{"read_file", search}},
		{name: "its own", tools: []string{"read_file"}, own: fetching, want: []string{"read_file", fetch}},
		{name: "what the agent has", serverTools: fetching, want: append(usual(), fetch)},
		{name: "as a model of this provider", to: "anthropic/claude-small", serverTools: fetching, want: append(usual(), fetch)},
		{name: "none of the provider's", to: "anthropic/claude-small", serverTools: []model.ServerTool{}, want: usual()},
		{name: "a model of another provider", to: "other/model", want: usual()},
		{name: "a provider with a search", of: "other/model", to: "anthropic/claude-small", want: append(usual(), search)},
		{name: "and a list without it", of: "other/model", to: "anthropic/claude-small", tools: []string{"grep"}, want: []string{"grep"}},
		{name: "and a pattern with it", of: "other/model", to: "anthropic/claude-small", tools: []string{"grep", "web_*"}, want: []string{"grep", search}},
		{name: "and without it", of: "other/model", to: "anthropic/claude-small", denied: []string{"web_search"}, want: usual()},
		{name: "and a rule against it", of: "other/model", to: "anthropic/claude-small", deny: []string{"web_*"}, want: usual()},
		{name: "and none for anybody", of: "other/model", to: "anthropic/claude-small", serverTools: []model.ServerTool{}, want: usual()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			of := tt.of
			if of == "" {
				of = "anthropic/claude-test"
			}
			turns := []*modeltest.Turn{modeltest.Call("Agent", args{"agent": "scout", "prompt": "Look."}), modeltest.Say("Done."), modeltest.Say("Done.")}
			d := quarry.AgentDefinition{Name: "scout", Description: "Looks around.", DeniedTools: tt.denied, ServerTools: tt.own, Tools: tt.tools}
			m := named(of, turns...)
			asked, at := m, 1
			if tt.to != "" {
				asked, at = named(tt.to, modeltest.Say("Done.")), 0
				d.Model = asked
			}
			agent := open(t, general.Config{
				Agents: []quarry.AgentDefinition{d}, Model: m, Permissions: quarry.Permissions{Deny: tt.deny}, ServerTools: tt.serverTools,
			})
			if result := ask(t, agent, quarry.Input{Prompt: "Go."}); !result.OK() {
				t.Fatalf("it ends as %+v", result)
			}
			slices.Sort(tt.want)
			if diff := cmp.Diff(tt.want, toolNames(asked.Requests()[at])); diff != "" {
				t.Errorf("it is offered (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHelperLimits: a helper without limits has the agent's.
func TestHelperLimits(t *testing.T) {
	t.Parallel()
	own, all := quarry.Limits{Turns: 1}, quarry.Limits{Turns: 7}
	agent := open(t, general.Config{Limits: all, Agents: []quarry.AgentDefinition{
		{Name: "scout", Description: "Looks around."}, {Name: "clerk", Description: "Files.", Limits: own},
	}})
	if made := agent.Config().Agents; made[0].Limits != all || made[1].Limits != own {
		t.Errorf("the limits are %+v and %+v", made[0].Limits, made[1].Limits)
	}
}

// TestWarnings: what is missing, or does not hold, is told.
func TestWarnings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good":   "---\nname: good\ndescription: How invoices are checked.\n---\nCompare.\n",
		"broken": "no front matter\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "SKILL.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := named("anthropic/claude-test", modeltest.Say("Done."))
	agent := open(t, general.Config{
		MCP:         mcp.Config{Servers: map[string]mcp.Server{"gone": {Command: "no-such-program-at-all"}}},
		Model:       m,
		Permissions: quarry.Permissions{Ask: []string{"web_search", "write_file"}, Deny: []string{"web_search(query:x)", "web_fetch(domain:example.org)"}},
		Skills:      []string{dir},
	})
	got := agent.Warnings()
	wants := []string{
		"the rule web_search(query:x) does not hold for web_search, which runs at the provider",
		"the rule web_search does not hold for web_search",
		"skill left out: ",
		"MCP server gone: ",
	}
	for i, want := range wants {
		if len(got) != len(wants) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("the warnings are %q, want %q", got, wants)
		}
	}
	ask(t, agent, quarry.Input{Prompt: "Go."})
	if system := m.Requests()[0].System.Blocks.Text(); !has(system, general.Instructions, "How invoices are checked.") {
		t.Errorf("the instructions are\n%s", system)
	}
	if more := open(t, general.Config{}).Warnings(); len(more) > 0 {
		t.Errorf("nothing is missing, but %q", more)
	}
}
