package mcp

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// minSecret is the length in bytes from which on a value is taken for a secret:
// replacing each "1" or "on" would make errors unreadable and hide nothing.
const minSecret = 4

// redactor takes the secrets of one server out of texts.
type redactor struct{ replacer *strings.Replacer }

// redactor knows the values of headers and of the environment, what ${VAR} was
// replaced by, and the secret parts of the address.
func (s *Server) redactor() *redactor {
	var values []string
	add := func(v string) {
		v = strings.TrimSpace(v)
		values = append(values, v)
		// A server may repeat the token of "Bearer token" alone.
		values = append(values, strings.Fields(v)...)
	}
	for _, v := range s.Env {
		add(v)
	}
	for _, v := range s.Headers {
		add(v)
	}
	for _, v := range s.secrets {
		add(v)
	}
	if u, err := url.Parse(s.URL); err == nil {
		if u.User != nil {
			add(u.User.Username())
			password, _ := u.User.Password()
			add(password)
		}
		if u.RawQuery != "" {
			values = append(values, u.RawQuery)
			for _, vs := range u.Query() {
				for _, v := range vs {
					add(v)
				}
			}
		}
	}
	var pairs []string
	// Longer ones first, so that no part of one stays.
	slices.SortFunc(values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	for _, v := range slices.Compact(values) {
		if len(v) < minSecret || strings.EqualFold(v, "bearer") || strings.EqualFold(v, "basic") || v == "true" || v == "false" {
			continue
		}
		pairs = append(pairs, v, redacted)
		for _, form := range []string{jsonForm(v), url.QueryEscape(v), url.PathEscape(v)} {
			if form != v {
				pairs = append(pairs, form, redacted)
			}
		}
	}
	return &redactor{strings.NewReplacer(pairs...)}
}

// jsonForm is a string as it stands within JSON.
func jsonForm(v string) string {
	data, err := json.Marshal(v)
	if err != nil {
		return v
	}
	return string(data[1 : len(data)-1])
}

func (r *redactor) clean(text string) string { return r.replacer.Replace(text) }
