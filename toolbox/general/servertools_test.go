package general_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/toolbox/general"
)

// TestProviderTools: the definitions on the wire are those of the provider.
func TestProviderTools(t *testing.T) {
	t.Parallel()
	m, server := claude(t, modeltest.Say("Done."))
	tools, err := general.ProviderTools(m, []general.ProviderTool{
		{Name: general.WebSearchName, MaxUses: 3, AllowedDomains: []string{"example.org", "docs.example.com/api"}},
		{Name: general.WebFetchName, BlockedDomains: []string{"example.net"}},
		{Name: general.CodeExecutionName},
	})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, open(t, general.Config{Model: m, ServerTools: tools}), quarry.Input{Prompt: "Go."})
	for _, want := range []string{
		`{"type":"web_search_20250305","name":"web_search","max_uses":3,"allowed_domains":["example.org","docs.example.com/api"]}`,
		`{"type":"web_fetch_20250910","name":"web_fetch","max_uses":5,"blocked_domains":["example.net"]}`,
		`{"type":"code_execution_20250825","name":"code_execution"`,
	} {
		if body := string(server.Requests()[0].Body); !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
}

func TestProviderToolsRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model  string
		wanted []general.ProviderTool
		want   string
	}{
		{"openai/gpt-test", []general.ProviderTool{{Name: "web_search"}}, `the provider of openai/gpt-test has no tool "web_search" that it runs itself; it has none`},
		{"extractive", []general.ProviderTool{{Name: "web_search"}}, "it has none"},
		{"anthropic/claude-test", []general.ProviderTool{{Name: "fly"}}, `no tool "fly" that it runs itself; it has web_search, web_fetch, code_execution`},
		{"anthropic/claude-test", []general.ProviderTool{{}}, `no tool ""`},
		{"anthropic/claude-test", []general.ProviderTool{{Name: "web_search"}, {Name: "web_search"}}, "is there twice"},
		{"anthropic/claude-test", []general.ProviderTool{{Name: "web_search", MaxUses: -1}}, "has -1 uses"},
		{"anthropic/claude-test", []general.ProviderTool{{Name: "web_fetch", AllowedDomains: []string{"a.org"}, BlockedDomains: []string{"b.org"}}}, "one of both"},
		{"anthropic/claude-test", []general.ProviderTool{{Name: "web_fetch", AllowedDomains: []string{"https://a.org"}}}, `the domain "https://a.org"; write it as example.org`},
		{"anthropic/claude-test", []general.ProviderTool{{Name: "web_fetch", BlockedDomains: []string{""}}}, `the domain ""`},
		{"anthropic/claude-test", []general.ProviderTool{{Name: "code_execution", MaxUses: 1}}, "neither a number of uses nor domains"},
		{"anthropic/claude-test", []general.ProviderTool{{Name: "code_execution", AllowedDomains: []string{"a.org"}}}, "neither a number of uses nor domains"},
	} {
		if got, err := general.ProviderTools(named(tt.model), tt.wanted); err == nil || got != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %+v: got %v, %v; want %s", tt.model, tt.wanted, got, err, tt.want)
		}
	}
}

// TestServerToolsDenied: a rule of a bare name takes a tool of the provider away,
// one with a specifier does not.
func TestServerToolsDenied(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model  string
		chosen []model.ServerTool
		deny   string
		want   []string
	}{
		{"anthropic/claude-test", nil, "write_file", []string{"web_search"}},
		{"anthropic/claude-test", nil, "web_search", nil},
		{"anthropic/claude-test", nil, "web_search(*)", nil},
		{"anthropic/claude-test", nil, "web_*", nil},
		{"anthropic/claude-test", nil, "web_search(query:x)", []string{"web_search"}},
		{"anthropic/claude-test", []model.ServerTool{}, "write_file", nil},
		{"anthropic/claude-test", []model.ServerTool{{Type: "a", Name: "web_fetch"}, {Type: "b", Name: "code_execution"}}, "web_*", []string{"code_execution"}},
		{"other/model", nil, "write_file", nil},
	} {
		agent := open(t, general.Config{Model: named(tt.model), Permissions: quarry.Permissions{Deny: []string{tt.deny}}, ServerTools: tt.chosen})
		var got []string
		for _, s := range agent.Config().ServerTools {
			got = append(got, s.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s without %s (-want +got):\n%s", tt.model, tt.deny, diff)
		}
	}
}
