package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Name is the name of the tool.
const Name = "run_command"

// The defaults of a Config.
const (
	DefaultMaxOutputBytes = 16 << 10
	DefaultReserved       = ".quarry"
	DefaultTimeout        = time.Minute
)

// Config describes the tool. Dir is required, and Allow or AllowAny.
type Config struct {
	// Allow are the programs that may be run: names that are looked up in PATH, or
	// absolute paths.
	Allow []string
	// AllowAny allows every program, those in the workspace too.
	AllowAny bool
	// Dir is the workspace: where programs are run.
	Dir string
	// Env is added to what programs are given of the environment. A name or a value
	// that looks like a secret is an error.
	Env map[string]string
	// MaxOutputBytes bounds what is kept of each of the two outputs, half of it from
	// the beginning and half from the end. Defaults to DefaultMaxOutputBytes.
	MaxOutputBytes int
	// Protected are further files and folders that no call may name, as is Reserved.
	Protected []string
	// Reserved is the folder below Dir in which no program is started, and which no
	// call may name. Defaults to DefaultReserved.
	Reserved string
	// Shell is a shell, such as "/bin/sh": the model then sends a line for it
	// instead of a program and its arguments. It needs AllowAny, for a line may run
	// anything.
	Shell string
	// Timeout bounds one call. Defaults to DefaultTimeout.
	Timeout time.Duration
	// WithoutApproval leaves it to the rules of quarry.Permissions which calls need
	// one. Defaults to false: a person is asked about each call, in every mode.
	WithoutApproval bool
}

// check fills in and validates.
func (c *Config) check() error {
	if c.Dir == "" {
		return errors.New("there is no folder to run programs in; set Config.Dir")
	}
	info, err := os.Stat(c.Dir)
	if err != nil {
		return fmt.Errorf("the folder %q cannot be used: %w; make it first", c.Dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is not a folder; set Config.Dir to one", c.Dir)
	}
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return err
	}
	if len(c.Allow) == 0 && !c.AllowAny {
		return errors.New("no program may be run; name some in Config.Allow, or set Config.AllowAny")
	}
	for _, name := range c.Allow {
		if name == "" || (strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name)) {
			return fmt.Errorf("Config.Allow has %q; use a program's name, or an absolute path", name)
		}
	}
	if c.Shell != "" && !c.AllowAny {
		return errors.New("Config.Shell is set, and a shell can run anything; set Config.AllowAny too, or leave Shell empty")
	}
	if c.MaxOutputBytes < 0 || c.Timeout < 0 {
		return errors.New("a limit is negative; use 0 for its default")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		switch value := c.Env[name]; {
		case name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00"):
			return fmt.Errorf("Config.Env has the name %q; use one without '=' and NUL, and a value without NUL", name)
		case secretName(name):
			return fmt.Errorf("Config.Env has %s, which by its name is a secret; a program that a model runs is never given one. Give the agent a tool of its own for what needs it", name)
		case secretValue(value) || isSecretOf(os.Environ(), value):
			return fmt.Errorf("the value of %s in Config.Env looks like a secret; a program that a model runs is never given one. Give the agent a tool of its own for what needs it", name)
		}
	}
	c.Env = maps.Clone(c.Env)
	c.Allow = slices.Clone(c.Allow)
	c.MaxOutputBytes = cmp.Or(c.MaxOutputBytes, DefaultMaxOutputBytes)
	c.Reserved = cmp.Or(c.Reserved, DefaultReserved)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	protected := []string{filepath.Join(c.Dir, c.Reserved)}
	for _, path := range c.Protected {
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
		protected = append(protected, path)
	}
	c.Protected = protected
	return nil
}
