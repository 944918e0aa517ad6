package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
)

// entry is a server in a configuration file.
type entry struct {
	AllowSampling  bool              `json:"allowSampling"`
	Args           []string          `json:"args"`
	CallTimeout    string            `json:"callTimeout"`
	Command        string            `json:"command"`
	ConnectTimeout string            `json:"connectTimeout"`
	Cwd            string            `json:"cwd"`
	Disabled       bool              `json:"disabled"`
	DistrustHints  bool              `json:"distrustHints"`
	Env            map[string]string `json:"env"`
	Headers        map[string]string `json:"headers"`
	MaxResultBytes int               `json:"maxResultBytes"`
	Protocol       string            `json:"protocol"`
	Required       bool              `json:"required"`
	Roots          []string          `json:"roots"`
	// Timeout is CallTimeout in milliseconds, as other programs write it.
	Timeout int64  `json:"timeout"`
	Type    string `json:"type"`
	URL     string `json:"url"`
}

// types are the names that files have for transports.
var types = map[string]string{"": "", "stdio": Stdio, "http": HTTP, "streamable-http": HTTP, "streamableHttp": HTTP, "sse": SSE}

// ReadConfig reads a file of the form that many programs share:
//
//	{"mcpServers": {
//	  "files": {"command": "npx", "args": ["-y", "…"], "env": {"KEY": "${KEY}"}},
//	  "web":   {"type": "http", "url": "https://…", "headers": {"Authorization": "Bearer ${TOKEN:-none}"}}
//	}}
//
// In the values of command, args, env, url, headers, cwd and roots, ${VAR} is
// replaced by the environment variable and ${VAR:-text} by the text where it is
// not set. An unset variable and an unknown field are errors that name them. A
// server may also have the fields allowSampling, callTimeout and connectTimeout
// (such as "90s"), cwd, disabled, distrustHints, maxResultBytes, protocol,
// required, roots, and timeout in milliseconds.
func ReadConfig(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("mcp: %w", err)
	}
	cfg, err := ParseConfig(data, os.LookupEnv)
	if err != nil {
		return Config{}, fmt.Errorf("%w (in %s)", err, path)
	}
	return cfg, nil
}

// ParseConfig is ReadConfig of data, with lookup in the place of os.LookupEnv.
func ParseConfig(data []byte, lookup func(name string) (string, bool)) (Config, error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return Config{}, fmt.Errorf("mcp: the configuration is not a JSON object: %w", plain(err))
	}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		if name != "mcpServers" {
			return Config{}, fmt.Errorf("mcp: the configuration has an unknown field %q; servers are in \"mcpServers\"", name)
		}
	}
	var servers map[string]json.RawMessage
	if raw, ok := file["mcpServers"]; ok {
		if err := json.Unmarshal(raw, &servers); err != nil {
			return Config{}, fmt.Errorf("mcp: \"mcpServers\" is not an object of servers: %w", plain(err))
		}
	}
	cfg := Config{Servers: make(map[string]Server, len(servers))}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		s, disabled, err := parseServer(servers[name], lookup)
		if err != nil {
			return Config{}, fmt.Errorf("mcp: server %q: %w", name, err)
		}
		if !disabled {
			cfg.Servers[name] = s
		}
	}
	return cfg, nil
}

func parseServer(data []byte, lookup func(string) (string, bool)) (s Server, disabled bool, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return s, false, fmt.Errorf("it is not a JSON object: %w", plain(err))
	}
	known := entryFields()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			return s, false, fmt.Errorf("unknown field %q; the fields are %s", name, strings.Join(known, ", "))
		}
	}
	var e entry
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&e); err != nil {
		return s, false, plain(err)
	}
	if e.Disabled {
		return s, true, nil
	}
	transport, ok := types[e.Type]
	if !ok {
		return s, false, fmt.Errorf("its type %q is not known: use \"stdio\", \"http\" or \"sse\"", e.Type)
	}
	s = Server{
		AllowSampling: e.AllowSampling, Args: e.Args, Command: e.Command, Dir: e.Cwd,
		DistrustHints: e.DistrustHints, Env: e.Env, Headers: e.Headers, MaxResultBytes: e.MaxResultBytes,
		Protocol: e.Protocol, Required: e.Required, Roots: e.Roots, Transport: transport, URL: e.URL,
		CallTimeout: time.Duration(e.Timeout) * time.Millisecond,
	}
	if s.CallTimeout, err = duration("callTimeout", e.CallTimeout, s.CallTimeout); err != nil {
		return s, false, err
	}
	if s.ConnectTimeout, err = duration("connectTimeout", e.ConnectTimeout, 0); err != nil {
		return s, false, err
	}
	if err := s.expand(lookup); err != nil {
		return s, false, err
	}
	_, err = s.fill()
	return s, false, err
}

func duration(field, text string, otherwise time.Duration) (time.Duration, error) {
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("its %s %q is not a duration such as \"90s\"", field, text)
	}
	return d, nil
}

// entryFields are the names of the fields in alphabetical order.
func entryFields() []string {
	var names []string
	for f := range reflect.TypeFor[entry]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	slices.Sort(names)
	return names
}

// plain is an error of the JSON decoder without the value that it is about.
func plain(err error) error {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		kind, _, _ := strings.Cut(te.Value, " ")
		if te.Field == "" {
			return fmt.Errorf("it is a %s", kind)
		}
		return fmt.Errorf("field %q cannot be a %s", te.Field, kind)
	}
	return err
}

// expand puts the variables in. Their values are secrets from then on.
func (s *Server) expand(lookup func(string) (string, bool)) error {
	var problem error
	put := func(where string, text *string) {
		if problem != nil {
			return
		}
		out, used, err := expand(*text, lookup)
		if err != nil {
			problem = fmt.Errorf("its %s: %w", where, err)
			return
		}
		*text, s.secrets = out, append(s.secrets, used...)
	}
	each := func(where string, m map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			v := m[name]
			put(where+" "+name, &v)
			m[name] = v
		}
	}
	put("command", &s.Command)
	for i := range s.Args {
		put(fmt.Sprintf("argument %d", i), &s.Args[i])
	}
	put("cwd", &s.Dir)
	each("env", s.Env)
	each("header", s.Headers)
	for i := range s.Roots {
		put(fmt.Sprintf("root %d", i), &s.Roots[i])
	}
	put("url", &s.URL)
	return problem
}

// expand replaces ${VAR} and ${VAR:-text}, and returns the values that were used.
func expand(text string, lookup func(string) (string, bool)) (out string, used []string, err error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String(), used, nil
		}
		inside, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", nil, errors.New(`a "${" has no "}"`)
		}
		name, otherwise, optional := strings.Cut(inside, ":-")
		value, ok := lookup(name)
		switch {
		case ok && (value != "" || !optional):
			used = append(used, value)
		case optional:
			value = otherwise
		default:
			return "", nil, fmt.Errorf("the environment variable %q is not set; set it, or write ${%s:-default}", name, name)
		}
		b.WriteString(value)
		text = after
	}
}
