package mcp

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// lookup is the environment of the tests.
func lookup(name string) (string, bool) {
	v, ok := map[string]string{"TOKEN": "tok-123456", "EMPTY": "", "HOME": "/home/me"}[name]
	return v, ok
}

func TestParseConfig(t *testing.T) {
	t.Parallel()
	cfg, err := ParseConfig([]byte(`{"mcpServers": {
		"files": {"command": "npx", "args": ["-y", "server", "${HOME}/x"], "env": {"KEY": "${TOKEN}", "OTHER": "${UNSET:-none}${EMPTY}"}, "cwd": "${HOME}", "roots": ["${HOME}/r"]},
		"web":   {"type": "http", "url": "https://example.org/mcp?k=${TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}"}, "required": true, "callTimeout": "90s", "connectTimeout": "5s"},
		"old":   {"type": "sse", "url": "http://localhost:1/sse", "timeout": 1500, "allowSampling": true, "distrustHints": true, "maxResultBytes": 10, "protocol": "2025-06-18"},
		"none":  {"url": "http://h/", "headers": {"X": "${EMPTY:-dflt}"}},
		"off":   {"command": "x", "disabled": true}
	}}`), lookup)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Server{
		"files": {Command: "npx", Args: []string{"-y", "server", "/home/me/x"}, Env: map[string]string{"KEY": "tok-123456", "OTHER": "none"}, Dir: "/home/me", Roots: []string{"/home/me/r"}},
		"web":   {Transport: HTTP, URL: "https://example.org/mcp?k=tok-123456", Headers: map[string]string{"Authorization": "Bearer tok-123456"}, Required: true, CallTimeout: 90 * time.Second, ConnectTimeout: 5 * time.Second},
		"old":   {Transport: SSE, URL: "http://localhost:1/sse", CallTimeout: 1500 * time.Millisecond, AllowSampling: true, DistrustHints: true, MaxResultBytes: 10, Protocol: "2025-06-18"},
		"none":  {URL: "http://h/", Headers: map[string]string{"X": "dflt"}},
	}
	if diff := cmp.Diff(want, cfg.Servers, cmpopts.IgnoreUnexported(Server{})); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	for name, s := range cfg.Servers {
		for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%+v", s), fmt.Sprintf("%#v", s), s.LogValue().String(), fmt.Sprint(slog.Any("s", s))} {
			if strings.Contains(text, "tok-") {
				t.Errorf("%s is written as %s", name, text)
			}
		}
	}
}

func TestParseConfigErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ config, want string }{
		{`[]`, "not a JSON object"},
		{`{"mcpServers": {}, "servers": {}}`, `unknown field "servers"`},
		{`{"mcpServers": []}`, `"mcpServers" is not an object`},
		{`{"mcpServers": {"x": {"command": "c", "comand": 1}}}`, `server "x": unknown field "comand"; the fields are allowSampling, args, `},
		{`{"mcpServers": {"x": {"command": "c", "env": {"K": 1234567}}}}`, `field "env" cannot be a number`},
		{`{"mcpServers": {"x": 7}}`, `it is not a JSON object`},
		{`{"mcpServers": {"x": {}}}`, "it has no command"},
		{`{"mcpServers": {"x": {"type": "ws", "url": "ws://x"}}}`, `type "ws" is not known`},
		{`{"mcpServers": {"x": {"type": "http", "url": "ftp://${TOKEN}"}}}`, "not an absolute http or https address"},
		{`{"mcpServers": {"x": {"type": "http", "url": "http://%zz/${TOKEN}"}}}`, "not an absolute http or https address"},
		{`{"mcpServers": {"x": {"command": "c", "url": "http://x"}}}`, "has no command, arguments"},
		{`{"mcpServers": {"x": {"command": "c", "headers": {"A": "b"}}}}`, "has no URL and no headers"},
		{`{"mcpServers": {"x": {"command": "${NOPE}"}}}`, `its command: the environment variable "NOPE" is not set`},
		{`{"mcpServers": {"x": {"command": "c", "env": {"A": "${TOKEN"}}}}`, `its env A: a "${" has no "}"`},
		{`{"mcpServers": {"x": {"command": "c", "callTimeout": "soon"}}}`, `callTimeout "soon" is not a duration`},
		{`{"mcpServers": {"x": {"command": "c", "maxResultBytes": -1}}}`, "a limit is negative"},
	} {
		_, err := ParseConfig([]byte(c.config), lookup)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.config, err, c.want)
			continue
		}
		for _, secret := range []string{"tok-", "1234567"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: a secret is in %v", c.config, err)
			}
		}
	}
}

func TestReadConfig(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mcp.json")
	if _, err := ReadConfig(path); err == nil {
		t.Error("no error for a file that is absent")
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"x": {"command": "c"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := ReadConfig(path)
	if err != nil || cfg.Servers["x"].Command != "c" {
		t.Errorf("%+v, %v", cfg, err)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"mcpServers": {"a": {"command": "c", "args": ["${TOKEN}"], "env": {"A": "${B:-c}"}}}}`))
	f.Add([]byte(`{"mcpServers": {"a": {"type": "http", "url": "http://x/?${TOKEN}", "headers": {"A": "${TOKEN}"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := ParseConfig(data, lookup)
		if err != nil {
			if strings.Contains(err.Error(), "tok-123456") && !strings.Contains(string(data), "tok-") {
				t.Errorf("a secret is in %v", err)
			}
			return
		}
		for name, s := range cfg.Servers {
			if _, err := s.fill(); err != nil {
				t.Errorf("server %q is taken and refused: %v", name, err)
			}
		}
	})
}

func TestToolName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60)
	for _, c := range []struct{ server, tool, want string }{
		{"files", "read_file", "mcp__files__read_file"},
		{"a-b", "c__d", "mcp__a-b__c__d"},
		{"files", "read.file", "mcp__files__read_file_"},
		{"my files", "read", "mcp__my_files__read_"},
		{"a__b", "c", "mcp__a_b__c_"},
		{"_a_", "c", "mcp__a__c_"},
		{"a", "", "mcp__a___"},
		{"Ünï", "töl", "mcp__n__t_l_"},
		{"s", long, "mcp__s__" + long[:47] + "_"},
		{long, "t", "mcp__" + long[:32] + "__t_"},
	} {
		got := ToolName(c.server, c.tool)
		if want := c.want; got != want && (!strings.HasSuffix(want, "_") || got[:len(got)-8] != want) {
			t.Errorf("%q, %q: %s, want %s", c.server, c.tool, got, want)
		}
		if !strings.HasPrefix(got, ServerPrefix(c.server)+"__") {
			t.Errorf("%s does not begin with %s", got, ServerPrefix(c.server))
		}
	}
}

// Names are valid, and different for different tools.
func FuzzToolName(f *testing.F) {
	f.Add("a", "b__c", "a__b", "c")
	f.Add("a.b", "c", "a_b", "c")
	f.Add("a_", "x", "a", "_x")
	f.Add(strings.Repeat("s", 70), strings.Repeat("t", 70), strings.Repeat("s", 70), strings.Repeat("t", 71))
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2 string) {
		a, b := ToolName(s1, t1), ToolName(s2, t2)
		if (a == b) != (s1 == s2 && t1 == t2) {
			t.Errorf("%q/%q and %q/%q are %s and %s", s1, t1, s2, t2, a, b)
		}
		if len(a) > 64 || valid(a) != a || !strings.HasPrefix(a, ServerPrefix(s1)+"__") {
			t.Errorf("%q/%q is %q", s1, t1, a)
		}
	})
}

func TestRedact(t *testing.T) {
	t.Parallel()
	s := Server{
		URL:     "https://me:pass+word@h/?key=a%20key&n=12",
		Env:     map[string]string{"A": `quo"ted`, "B": "quo", "DEBUG": "1"},
		Headers: map[string]string{"Authorization": "Bearer token-1", "X": "token-12"},
	}
	r := s.redactor()
	for text, want := range map[string]string{
		"token-12 and token-1":                         "[redacted] and [redacted]",
		"Bearer token-1.":                              "[redacted].",
		`{"a":"quo\"ted"} quo"ted`:                     "{\"a\":\"[redacted]\"} [redacted]",
		"GET https://me:pass+word@h/?key=a%20key&n=12": "GET https://me:[redacted]@h/?[redacted]",
		"a key, a+key":                                 "[redacted], [redacted]",
		"exit status 1":                                "exit status 1",
	} {
		if got := r.clean(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
