package webtools

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/internal/lazyregexp"
	"github.com/quarry-sdk/quarry/web/search"
)

// admit asks a person whether an address may be read that nobody has named.
func (cfg *Config) admit(ctx context.Context, address string) error {
	if !cfg.AskUnknown || cfg.trusted(address) {
		return nil
	}
	call, ok := quarry.CallFrom(ctx)
	if !ok || known(call, address) {
		return nil
	}
	reply, err := call.Ask(quarry.Question{
		Text:    fmt.Sprintf("May the agent read %s? Neither the task nor a search or a page that was read names this address.", address),
		Choices: []string{yes, "no"},
	})
	if err != nil {
		return err
	}
	if reply.Declined || !strings.EqualFold(strings.TrimSpace(reply.Text), yes) {
		why := ""
		if reply.Note != "" {
			why = " (" + reply.Note + ")"
		}
		return fmt.Errorf("the address may not be read%s; read one that the task, a search or a page has named", why)
	}
	return nil
}

const yes = "yes"

// trusted tells whether an address is of a host that the configuration trusts.
func (cfg *Config) trusted(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return slices.ContainsFunc(cfg.Trusted, func(t string) bool {
		t = strings.ToLower(t)
		return host == t || strings.HasSuffix(host, "."+t)
	})
}

// addresses are those that a prompt names.
var addresses = lazyregexp.New(`https?://[^\s<>"'` + "`" + `，。；、）」]+`)

// known tells whether the prompt, or an earlier result, has named an address.
func known(call *quarry.Call, address string) bool {
	// Exactly that address: what else would be left out of a comparison, such as the
	// value of utm_source, could carry something away.
	want := withoutFragment(address)
	is := func(other string) bool { return withoutFragment(other) == want }
	for _, a := range addresses().FindAllString(call.Prompt, -1) {
		if is(a) || is(strings.TrimRight(a, ".,;:!?)]")) {
			return true
		}
	}
	for _, r := range call.Earlier() {
		if r.IsError || r.Output == nil {
			continue
		}
		switch r.Name {
		case SearchName:
			var out Searched
			if json.Unmarshal(r.Output, &out) != nil || out.Answer == nil {
				continue
			}
			if slices.ContainsFunc(out.Results, func(r search.Result) bool { return is(r.URL) || slices.ContainsFunc(r.Also, is) }) {
				return true
			}
		case FetchName:
			var out Fetched
			if json.Unmarshal(r.Output, &out) != nil {
				continue
			}
			if is(out.URL) || is(out.FinalURL) || slices.ContainsFunc(out.Links, func(l Link) bool { return is(l.URL) }) {
				return true
			}
		}
	}
	return false
}

func withoutFragment(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return address
}
