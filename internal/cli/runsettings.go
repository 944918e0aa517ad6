package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/files"
	"github.com/quarry-sdk/quarry/toolbox/mcp"
)

// The labels of sessions of the general agent, beside the command. Those of several
// values are JSON arrays.
const (
	labelWorkspace = "workspace"
	labelConfig    = "config"
	labelMode      = "permission_mode"
	labelAllow     = "allow"
	labelAsk       = "ask"
	labelDeny      = "deny"
	labelMCP       = "mcp"
	labelSkills    = "skills"
)

// runSettings say what the general agent works with. They are journaled as labels,
// so that a session goes on with those that it was begun with.
type runSettings struct {
	workspace, config, mode string
	allow, ask, deny        []string
	// mcp and skills are files and folders.
	mcp, skills []string
}

func (s *runSettings) register(set *pflag.FlagSet) {
	set.StringVarP(&s.workspace, "workspace", "w", "", "folder whose files the agent may use (default \".\")")
	set.StringVar(&s.config, "config", "", "file of permissions, MCP servers, agents and hooks, in YAML or JSON")
	set.StringVar(&s.mode, "permission-mode", "", "what happens to calls that no rule decides: default, acceptEdits, plan, dontAsk or bypass")
	set.StringArrayVar(&s.allow, "allow", nil, "rule for calls that run without asking, such as \"write_file\"; may be given several times")
	set.StringArrayVar(&s.ask, "ask", nil, "rule for calls that are asked about in every mode; may be given several times")
	set.StringArrayVar(&s.deny, "deny", nil, "rule for calls that never run, such as \"web_search\"; may be given several times")
	set.StringArrayVar(&s.mcp, "mcp", nil, "file of MCP servers, as {\"mcpServers\": …}; may be given several times")
	set.StringArrayVar(&s.skills, "skills", nil, "folder of skills; may be given several times")
}

// absolute makes the paths independent of the working directory.
func (s *runSettings) absolute() error {
	paths := []*string{&s.workspace, &s.config}
	for _, list := range [][]string{s.mcp, s.skills} {
		for i := range list {
			paths = append(paths, &list[i])
		}
	}
	for _, p := range paths {
		if *p == "" {
			continue
		}
		abs, err := filepath.Abs(*p)
		if err != nil {
			return fmt.Errorf("find %q: %w", *p, err)
		}
		*p = abs
	}
	return nil
}

// override takes the settings that were given.
func (s *runSettings) override(flags *runSettings) {
	for _, text := range []struct{ to, from *string }{
		{&s.workspace, &flags.workspace}, {&s.config, &flags.config}, {&s.mode, &flags.mode},
	} {
		if *text.from != "" {
			*text.to = *text.from
		}
	}
	for _, list := range []struct{ to, from *[]string }{
		{&s.allow, &flags.allow}, {&s.ask, &flags.ask}, {&s.deny, &flags.deny}, {&s.mcp, &flags.mcp}, {&s.skills, &flags.skills},
	} {
		if *list.from != nil {
			*list.to = *list.from
		}
	}
}

// lists are the settings of several values by their labels.
func (s *runSettings) lists() map[string]*[]string {
	return map[string]*[]string{labelAllow: &s.allow, labelAsk: &s.ask, labelDeny: &s.deny, labelMCP: &s.mcp, labelSkills: &s.skills}
}

// labels are the settings as they are journaled.
func (s *runSettings) labels() (map[string]string, error) {
	if s.workspace == "" {
		dir, err := filepath.Abs(".")
		if err != nil {
			return nil, fmt.Errorf("find the workspace: %w", err)
		}
		s.workspace = dir
	}
	labels := map[string]string{labelCommand: commandRun, labelWorkspace: s.workspace}
	if s.config != "" {
		labels[labelConfig] = s.config
	}
	if s.mode != "" {
		labels[labelMode] = s.mode
	}
	for name, list := range s.lists() {
		if len(*list) == 0 {
			continue
		}
		text, err := json.Marshal(*list)
		if err != nil {
			return nil, err
		}
		labels[name] = string(text)
	}
	return labels, nil
}

// settingsOf reads the settings of a session. The mode bypass is none of them: a
// journal may come from elsewhere.
func settingsOf(started *session.Started) (*runSettings, error) {
	labels := started.Labels
	s := &runSettings{workspace: labels[labelWorkspace], config: labels[labelConfig], mode: labels[labelMode]}
	if s.mode == string(quarry.ModeBypass) {
		s.mode = ""
	}
	for name, list := range s.lists() {
		if text := labels[name]; text != "" {
			if err := json.Unmarshal([]byte(text), list); err != nil {
				return nil, usagef("the session's label %s is damaged: %w", name, err)
			}
		}
	}
	return s, nil
}

// String tells a person where and how the session goes on.
func (s *runSettings) String() string {
	parts := []string{"workspace " + s.workspace}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	add("configuration", s.config)
	add("permission mode", s.mode)
	add("allowed", strings.Join(s.allow, " "))
	add("MCP servers of", strings.Join(s.mcp, " "))
	add("skills of", strings.Join(s.skills, " "))
	return line(strings.Join(parts, ", "), 2000)
}

// permissions are those of the configuration with those of the flags; what governs
// the agent may not be written.
func (s *runSettings) permissions(c *runConfig, governing []string) quarry.Permissions {
	p := quarry.Permissions{
		Allow: slices.Concat(c.Permissions.Allow, s.allow), Ask: slices.Concat(c.Permissions.Ask, s.ask),
		Deny: slices.Concat(c.Permissions.Deny, s.deny), Mode: quarry.Mode(s.mode),
	}
	if p.Mode == "" {
		p.Mode = quarry.Mode(c.Permissions.Mode)
	}
	p.Deny = append(p.Deny, s.unwritable(governing)...)
	return p
}

// escaped makes a path a pattern of a rule.
var escaped = strings.NewReplacer("*", "?", "[", "?", "]", "?", `\`, "?")

// governing are the files and folders that say what the agent may do, and that name
// its keys and its model's server.
func (s *runSettings) governing(c *runConfig) ([]string, error) {
	dotenv, err := dotenvPath()
	if err != nil {
		return nil, err
	}
	paths := slices.Concat([]string{dotenv}, s.mcp, s.skills)
	if s.config != "" {
		paths = append(paths, s.config)
	}
	for i := range c.Hooks {
		if command := c.Hooks[i].Command; len(command) > 0 && strings.ContainsRune(command[0], filepath.Separator) {
			program := command[0]
			if !filepath.IsAbs(program) {
				program = filepath.Join(filepath.Dir(s.config), program)
			}
			paths = append(paths, program)
		}
	}
	return paths, nil
}

// unwritable are rules that keep the agent from changing what it is governed by,
// where that lies in the workspace: a later run would take it for the person's word.
func (s *runSettings) unwritable(governing []string) (deny []string) {
	for _, path := range governing {
		for _, rel := range s.inWorkspace(path) {
			for _, tool := range []string{files.WriteName, files.EditName} {
				if rule := tool + "(/" + escaped.Replace(filepath.ToSlash(rel)) + ")"; !slices.Contains(deny, rule) {
					deny = append(deny, rule)
				}
			}
		}
	}
	return deny
}

// inWorkspace are the names of a path in the workspace, where it is in there: either
// may be a link, or be behind one.
func (s *runSettings) inWorkspace(path string) (names []string) {
	for _, as := range [][2]string{{s.workspace, path}, {linksFollowed(s.workspace), linksFollowed(path)}} {
		rel, err := filepath.Rel(as[0], as[1])
		if err == nil && filepath.IsLocal(rel) && rel != "." && !slices.Contains(names, rel) {
			names = append(names, rel)
		}
	}
	return names
}

// secrets are the files of the workspace that hold the person's keys.
func (s *runSettings) secrets() ([]string, error) {
	path, err := dotenvPath()
	if err != nil {
		return nil, err
	}
	return s.inWorkspace(path), nil
}

// dotenvPath is the file of variables that Quarry reads.
func dotenvPath() (string, error) {
	path, err := filepath.Abs(dotenvFile)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", dotenvFile, err)
	}
	return path, nil
}

// linksFollowed is where a path leads; the file itself need not be there yet.
func linksFollowed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// servers are the MCP servers of the files and of the configuration.
func (s *runSettings) servers(c *runConfig) (cfg mcp.Config, err error) {
	for _, path := range s.mcp {
		more, err := mcp.ReadConfig(path)
		if err != nil {
			return cfg, usagef("%s", strings.TrimPrefix(err.Error(), "mcp: "))
		}
		if err := addServers(&cfg, &more, path); err != nil {
			return cfg, err
		}
	}
	return cfg, c.servers(&cfg)
}
