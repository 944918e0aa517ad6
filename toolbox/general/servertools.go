package general

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// The names of the provider's own tools.
const (
	WebSearchName     = "web_search"
	WebFetchName      = "web_fetch"
	CodeExecutionName = "code_execution"
)

// DefaultMaxUses is how often a provider may search, or fetch, for one request.
const DefaultMaxUses = 5

// ProviderTool asks for a tool that a provider runs itself.
type ProviderTool struct {
	// AllowedDomains are the only hosts that are searched or fetched, such as
	// "example.org"; BlockedDomains are those that never are. One of both may be set,
	// and neither for CodeExecutionName.
	AllowedDomains, BlockedDomains []string
	// MaxUses bounds the uses for one request. Defaults to DefaultMaxUses; a provider
	// bounds CodeExecutionName itself, so that it must be 0.
	MaxUses int
	// Name is WebSearchName, WebFetchName or CodeExecutionName.
	Name string
}

// providerTool is what a provider has.
type providerTool struct {
	name, versioned string
	bounded         bool // it has a number of uses, and domains
}

// providerTools are the tools of each provider, in the versions of its API that are
// recorded or that its own library names first.
var providerTools = map[string][]providerTool{
	"anthropic": {
		{WebSearchName, "web_search_20250305", true},
		{WebFetchName, "web_fetch_20250910", true},
		{CodeExecutionName, "code_execution_20250825", false},
	},
}

// ProviderTools are the definitions of tools for a model, as Config.ServerTools
// takes them. The error says which one the model's provider does not have, or what
// it cannot be told.
func ProviderTools(m model.Model, wanted []ProviderTool) ([]model.ServerTool, error) {
	made := make([]model.ServerTool, 0, len(wanted))
	for i := range wanted {
		w := &wanted[i]
		if slices.ContainsFunc(made, func(t model.ServerTool) bool { return t.Name == w.Name }) {
			return nil, fmt.Errorf("general: the server tool %q is there twice; name it once", w.Name)
		}
		t, err := w.of(m)
		if err != nil {
			return nil, err
		}
		made = append(made, t)
	}
	return made, nil
}

// of is the definition for a model.
func (w *ProviderTool) of(m model.Model) (t model.ServerTool, err error) {
	provider := providerOf(m)
	has := providerTools[provider]
	i := slices.IndexFunc(has, func(p providerTool) bool { return p.name == w.Name })
	if i < 0 {
		return t, fmt.Errorf("general: the provider of %s has no tool %q that it runs itself; %s", m.Name(), w.Name, listed(has))
	}
	var config struct {
		Allowed []string `json:"allowed_domains,omitempty"`
		Blocked []string `json:"blocked_domains,omitempty"`
	}
	config.Allowed, config.Blocked = w.AllowedDomains, w.BlockedDomains
	switch {
	case !has[i].bounded && (w.MaxUses != 0 || len(w.AllowedDomains)+len(w.BlockedDomains) > 0):
		return t, fmt.Errorf("general: the server tool %q takes neither a number of uses nor domains; leave them out", w.Name)
	case w.MaxUses < 0:
		return t, fmt.Errorf("general: the server tool %q has %d uses; use 0 for the default", w.Name, w.MaxUses)
	case len(w.AllowedDomains) > 0 && len(w.BlockedDomains) > 0:
		return t, fmt.Errorf("general: the server tool %q has domains that are allowed and domains that are blocked; it takes one of both", w.Name)
	}
	for _, domain := range slices.Concat(w.AllowedDomains, w.BlockedDomains) {
		if domain == "" || strings.Contains(domain, "://") || strings.ContainsAny(domain, " \t\r\n") {
			return t, fmt.Errorf("general: the server tool %q has the domain %q; write it as example.org", w.Name, domain)
		}
	}
	t = model.ServerTool{Type: has[i].versioned, Name: w.Name, MaxUses: w.MaxUses}
	if has[i].bounded && t.MaxUses == 0 {
		t.MaxUses = DefaultMaxUses
	}
	if len(config.Allowed)+len(config.Blocked) > 0 {
		t.Config, err = json.Marshal(config)
	}
	return t, err
}

// listed tells which tools there are.
func listed(tools []providerTool) string {
	if len(tools) == 0 {
		return "it has none"
	}
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		names = append(names, t.name)
	}
	return "it has " + strings.Join(names, ", ")
}

// providerOf is what a model's name has before the slash.
func providerOf(m model.Model) string {
	provider, _, _ := strings.Cut(m.Name(), "/")
	return provider
}

// WebSearch is the provider's own web search for a model that has it; otherwise
// there is none.
func WebSearch(m model.Model) []model.ServerTool {
	tools, err := ProviderTools(m, []ProviderTool{{Name: WebSearchName}})
	if err != nil {
		return []model.ServerTool{}
	}
	return tools
}

// binds tells whether a rule is about a tool of the provider. Whole tells that it is
// about every call, and not about those of a specifier.
func binds(rule, tool string) (about, whole bool) {
	name, specifier, has := strings.Cut(rule, "(")
	if fits, err := path.Match(name, tool); err != nil || !fits {
		return false, false
	}
	return true, !has || strings.TrimSpace(strings.TrimSuffix(specifier, ")")) == "*"
}

// without takes the provider's tools away that a rule denies: they run where no
// rule is asked.
func without(tools []model.ServerTool, deny []string) []model.ServerTool {
	kept := make([]model.ServerTool, 0, len(tools))
	for _, t := range tools {
		if !slices.ContainsFunc(deny, func(rule string) bool { _, whole := binds(rule, t.Name); return whole }) {
			kept = append(kept, t)
		}
	}
	return kept
}

// unasked are the rules that deny or ask about calls of the provider's tools, which
// nobody asks them about.
func unasked(tools []model.ServerTool, rules []string) (found []string) {
	for _, rule := range rules {
		for _, t := range tools {
			if about, _ := binds(rule, t.Name); about {
				found = append(found, fmt.Sprintf("the rule %s does not hold for %s, which runs at the provider; to take it away, deny %s", rule, t.Name, t.Name))
			}
		}
	}
	return found
}
