package quarry

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// permissionTools are the tools of testdata/permissions.txt.
func permissionTools(t *testing.T) map[string]*Tool {
	t.Helper()
	handler := func(context.Context, struct{}) (string, error) { return "", nil }
	schema := func(fields ...string) json.RawMessage {
		props := []string{}
		for _, f := range fields {
			props = append(props, fmt.Sprintf("%q:{}", f))
		}
		return json.RawMessage(`{"type":"object","properties":{` + strings.Join(props, ",") + `}}`)
	}
	reader, err := New(Config{Name: "reader", Model: namedModel("reader")})
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*Tool{"reader": AgentTool(ToolSpec{Name: "reader"}, reader)}
	for _, spec := range []ToolSpec{
		{Name: "read_file", Effect: ReadOnly, Scope: Scope{ScopePath, "path"}},
		{Name: "write_file", Effect: Keyed, KeyField: "path", Edits: true, Scope: Scope{ScopePath, "path"}},
		{Name: "web_fetch", Effect: ReadOnly, Scope: Scope{ScopeURL, "url"}},
		{Name: "run_command", Scope: Scope{ScopeCommand, "program"}},
		{Name: "shell", Scope: Scope{ScopeCommand, "command"}},
		{Name: "transfer"},
		{Name: "delete_all", NeedsApproval: true},
		{Name: "skill", Effect: ReadOnly, Scope: Scope{ScopeName, "name"}},
		{Name: "mcp__github__get_issue", Effect: ReadOnly},
		{Name: "mcp__github__create_issue"},
		{Name: "mcp__gitlab__create_issue"},
	} {
		spec.InputSchema = schema("path", "url", "program", "args", "command", "name", "account", "amount", "dry_run")
		tool := NewTool(spec, handler)
		if tool.err != nil {
			t.Fatal(tool.err)
		}
		tools[spec.Name] = tool
	}
	return tools
}

// TestPermissions runs the table of testdata/permissions.txt. A line of settings
// holds until the next one; below it, each line is a call and what becomes of it:
//
//	rules mode=MODE deny=RULE… ask=RULE… allow=RULE… person=no
//	TOOL INPUT hook=BEHAVIOR => behavior stage rule
func TestPermissions(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/permissions.txt")
	if err != nil {
		t.Fatal(err)
	}
	tools := permissionTools(t)
	var out strings.Builder
	var p *policy
	person, rows := true, 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		case strings.HasPrefix(line, "rules"):
			person = true
			perms := &Permissions{}
			for _, item := range strings.Split(line, "\t")[1:] {
				key, value, _ := strings.Cut(item, "=")
				switch key {
				case "mode":
					perms.Mode = Mode(value)
				case "deny":
					perms.Deny = append(perms.Deny, value)
				case "ask":
					perms.Ask = append(perms.Ask, value)
				case "allow":
					perms.Allow = append(perms.Allow, value)
				case "person":
					person = value != "no"
				default:
					t.Fatalf("%s: no setting %q", line, key)
				}
			}
			if p, err = newPolicy(perms); err == nil {
				err = p.check(tools)
			}
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			out.WriteString(line + "\n")
		default:
			rows++
			call, _, _ := strings.Cut(line, " => ")
			name, input, _ := strings.Cut(call, " ")
			input, hook, _ := strings.Cut(input, " hook=")
			c := &policyCall{tool: tools[name], name: name, input: json.RawMessage(input), hook: Behavior(hook), person: person}
			d := p.decide(c)
			fmt.Fprintf(&out, "%s => %s %s %s\n", call, d.Behavior, d.Stage, strings.TrimSpace(d.Rule))
			if again := p.decide(c); cmp.Diff(d, again) != "" {
				t.Errorf("%s: decided twice differently", call)
			}
			if len(d.Trace) == 0 || d.Behavior != string(Allow) && d.Reason == "" && hook == "" {
				t.Errorf("%s: the decision does not explain itself: %+v", call, d)
			}
		}
	}
	got := out.String()
	if *update {
		if err := os.WriteFile("testdata/permissions.txt", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(data), got); diff != "" {
		t.Errorf("calls are decided otherwise; if they should, run with -update (-want +got):\n%s", diff)
	}
	if rows < 200 {
		t.Errorf("the table has %d rows", rows)
	}
}

func TestPermissionErrors(t *testing.T) {
	t.Parallel()
	tools := permissionTools(t)
	tests := []struct {
		perms Permissions
		want  string
	}{
		{Permissions{Mode: "yolo"}, `there is no permission mode "yolo"`},
		{Permissions{Allow: []string{""}}, "it names no tool"},
		{Permissions{Deny: []string{"write_file(a"}}, "no closing parenthesis"},
		{Permissions{Deny: []string{"write_file()"}}, "its specifier is empty"},
		{Permissions{Ask: []string{"write file"}}, "a tool's name is of letters"},
		{Permissions{Allow: []string{"*"}}, "names its tool, or an MCP server"},
		{Permissions{Allow: []string{"mcp__*"}}, "names its tool, or an MCP server"},
		{Permissions{Allow: []string{"mcp__*__read"}}, "names its tool, or an MCP server"},
		{Permissions{Allow: []string{"transfer(account:savings)"}}, "declares no scope"},
	}
	for _, test := range tests {
		p, err := newPolicy(&test.perms)
		if err == nil {
			err = p.check(tools)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v; want an error with %q", test.perms, err, test.want)
		}
	}
}

// lower is the form of a path that strict rules compare.
func lower(s string) string { return strings.ToLower(s) }

// FuzzRules looks for rules and inputs that make the matchers fail, and for calls
// that a denied path pattern lets through though it fits in another spelling.
func FuzzRules(f *testing.F) {
	f.Add("write_file(secret/**)", "secret/a")
	f.Add("shell(git *)", "git status && rm -rf /")
	f.Add("web_fetch(domain:*.example.org)", "https://a.example.org./x")
	f.Add("read_file(//etc/**)", "/etc/passwd")
	f.Fuzz(func(t *testing.T, text, value string) {
		r, err := parseRule(text)
		if err != nil {
			return
		}
		input, err := json.Marshal(map[string]string{"path": value, "url": value, "program": value, "command": value, "name": value})
		if err != nil {
			return
		}
		for _, kind := range []Scope{{ScopePath, "path"}, {ScopeURL, "url"}, {ScopeCommand, "command"}, {ScopeCommand, "program"}, {ScopeName, "name"}} {
			c := &policyCall{tool: &Tool{spec: ToolSpec{Name: r.tool, Scope: kind}}, name: r.tool, input: input}
			if r.fits(c, false) && !r.fits(c, true) {
				t.Errorf("%q allows %q and does not deny it", text, value)
			}
			if kind.Kind != ScopePath {
				continue
			}
			for _, other := range []string{"./" + value, strings.ReplaceAll(value, "/", "//"), strings.ToUpper(value)} {
				again, err := json.Marshal(map[string]string{"path": other})
				if err != nil || lower(strings.ToUpper(value)) != lower(value) || strings.HasPrefix(value, "/") {
					continue
				}
				if r.fits(c, true) && !r.fits(&policyCall{tool: c.tool, name: r.tool, input: again}, true) {
					t.Errorf("%q denies %q and not %q", text, value, other)
				}
			}
		}
	})
}
