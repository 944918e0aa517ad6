package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/toolbox/command"
	"github.com/quarry-sdk/quarry/toolbox/general"
	"github.com/quarry-sdk/quarry/toolbox/mcp"
)

// runConfig is a configuration file of quarry run, in YAML or JSON.
type runConfig struct {
	Permissions struct {
		Mode  string   `yaml:"mode"`
		Allow []string `yaml:"allow"`
		Ask   []string `yaml:"ask"`
		Deny  []string `yaml:"deny"`
	} `yaml:"permissions"`
	Command    *commandEntry        `yaml:"command"`
	MCPServers map[string]yaml.Node `yaml:"mcpServers"`
	Agents     []agentEntry         `yaml:"agents"`
	Hooks      []hookEntry          `yaml:"hooks"`
	// ServerTools are the provider's; nil where the file does not say.
	ServerTools []serverToolEntry `yaml:"serverTools"`
	Web         *webEntry         `yaml:"web"`

	path string
}

// commandEntry is the programs that the agent may run.
type commandEntry struct {
	Allow          []string          `yaml:"allow"`
	AllowAny       bool              `yaml:"allowAny"`
	Env            map[string]string `yaml:"env"`
	MaxOutputBytes int               `yaml:"maxOutputBytes"`
	Shell          string            `yaml:"shell"`
	Timeout        time.Duration     `yaml:"timeout"`
}

// agentEntry is a helper.
type agentEntry struct {
	Name         string   `yaml:"name"`
	Description  string   `yaml:"description"`
	Instructions string   `yaml:"instructions"`
	Tools        []string `yaml:"tools"`
	DeniedTools  []string `yaml:"deniedTools"`
	Mode         string   `yaml:"mode"`
	Model        string   `yaml:"model"`
	Background   bool     `yaml:"background"`
}

// serverToolEntry is a tool of the provider.
type serverToolEntry struct {
	Name           string   `yaml:"name"`
	MaxUses        int      `yaml:"maxUses"`
	AllowedDomains []string `yaml:"allowedDomains"`
	BlockedDomains []string `yaml:"blockedDomains"`
}

// hookEntry is an external command that is called at a point.
type hookEntry struct {
	On      string        `yaml:"on"`
	Match   string        `yaml:"match"`
	Name    string        `yaml:"name"`
	Command []string      `yaml:"command"`
	Timeout time.Duration `yaml:"timeout"`
}

// readRunConfig reads a configuration file; the zero value for none.
func readRunConfig(path string) (*runConfig, error) {
	c := &runConfig{path: path}
	if path == "" {
		return c, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("read the configuration: %w", err)
	}
	defer f.Close()
	dec := yaml.NewDecoder(f)
	dec.KnownFields(true)
	if err := dec.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return nil, c.problem(err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, usagef("%s: there is more behind the end of the configuration; a file is one document", path)
	}
	return c, nil
}

// unknownField and lineNumber are the parser's own words.
var (
	unknownField = regexp.MustCompile(`^line (\d+): field (.+) not found in type .*$`)
	lineNumber   = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
)

// problem names the file and the line of an error of the parser.
func (c *runConfig) problem(err error) error {
	text := err.Error()
	var typed *yaml.TypeError
	if errors.As(err, &typed) && len(typed.Errors) > 0 {
		text = typed.Errors[0]
	}
	if m := unknownField.FindStringSubmatch(text); m != nil {
		return usagef("%s:%s: the field %q is not known; a configuration has permissions (mode, allow, ask, deny), command (allow, allowAny, env, maxOutputBytes, shell, timeout), mcpServers, agents (name, description, instructions, tools, deniedTools, mode, model, background), serverTools (name, maxUses, allowedDomains, blockedDomains), web (anyAddress, ignoreRobots, privateHosts, search, trusted) and hooks (on, match, name, command, timeout)", c.path, m[1], m[2])
	}
	if m := lineNumber.FindStringSubmatch(text); m != nil {
		return usagef("%s:%s: %s", c.path, m[1], m[2])
	}
	return usagef("%s: %s", c.path, strings.TrimPrefix(text, "yaml: "))
}

// commands are what the agent may run, nil for nothing; no call may name what is
// protected.
func (c *runConfig) commands(protected []string) *command.Config {
	e := c.Command
	if e == nil {
		return nil
	}
	return &command.Config{
		Allow: e.Allow, AllowAny: e.AllowAny, Env: e.Env, MaxOutputBytes: e.MaxOutputBytes, Protected: protected, Shell: e.Shell, Timeout: e.Timeout,
	}
}

// serverTools are the provider's tools for a model, nil where the file does not say.
func (c *runConfig) serverTools(m model.Model) ([]model.ServerTool, error) {
	if c.ServerTools == nil {
		return nil, nil
	}
	wanted := make([]general.ProviderTool, 0, len(c.ServerTools))
	for _, e := range c.ServerTools {
		wanted = append(wanted, general.ProviderTool{AllowedDomains: e.AllowedDomains, BlockedDomains: e.BlockedDomains, MaxUses: e.MaxUses, Name: e.Name})
	}
	tools, err := general.ProviderTools(m, wanted)
	if err != nil {
		return nil, usagef("%s: %s", c.path, strings.TrimPrefix(err.Error(), "general: "))
	}
	return tools, nil
}

// servers adds the MCP servers of the configuration to others.
func (c *runConfig) servers(cfg *mcp.Config) error {
	for name, node := range c.MCPServers {
		var entry any
		if err := node.Decode(&entry); err != nil {
			return c.problem(err)
		}
		data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{name: entry}})
		if err != nil {
			return usagef("%s:%d: the MCP server %q: %w", c.path, node.Line, name, err)
		}
		one, err := mcp.ParseConfig(data, os.LookupEnv)
		if err != nil {
			return usagef("%s:%d: %s", c.path, node.Line, strings.TrimPrefix(err.Error(), "mcp: "))
		}
		if err := addServers(cfg, &one, c.path); err != nil {
			return err
		}
	}
	return nil
}

// addServers adds the servers of a file to others.
func addServers(cfg, more *mcp.Config, path string) error {
	for name, server := range more.Servers {
		if _, ok := cfg.Servers[name]; ok {
			return usagef("%s: there is another MCP server %q; give it another name", path, name)
		}
		if cfg.Servers == nil {
			cfg.Servers = make(map[string]mcp.Server)
		}
		cfg.Servers[name] = server
	}
	return nil
}

// hooks are the external commands of the configuration. They run in dir.
func (c *runConfig) hooks(dir string) (hooks []quarry.Hook, err error) {
	for i := range c.Hooks {
		h := c.Hooks[i]
		if h.On == "" || len(h.Command) == 0 || h.Command[0] == "" {
			return nil, usagef("%s: hook %d needs a point (on) and a command, a list of the program and its arguments", c.path, i+1)
		}
		if program := h.Command[0]; strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
			// Beside the configuration, and not in the workspace, where the agent writes.
			folder, err := filepath.Abs(filepath.Dir(c.path))
			if err != nil {
				return nil, fmt.Errorf("find the hook %s: %w", program, err)
			}
			h.Command = append([]string{filepath.Join(folder, program)}, h.Command[1:]...)
		}
		if h.Name == "" {
			h.Name = filepath.Base(h.Command[0])
		}
		hooks = append(hooks, quarry.Hook{
			Match: h.Match, Name: h.Name, On: quarry.HookPoint(h.On), Run: commandHook(h.Command, dir), Timeout: h.Timeout,
		})
	}
	return hooks, nil
}
