package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry"
)

var programSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"program": {"type": "string", "description": "the program, such as git"},
		"args": {"type": "array", "maxItems": 1000, "items": {"type": "string"}, "description": "its arguments, one in each element, as they are: there is no shell, so that quotes, $ and * mean nothing"},
		"stdin": {"type": "string", "description": "what it reads from its standard input; nothing by default"},
		"dir": {"type": "string", "description": "the folder to run it in, relative to the workspace; the workspace itself by default"}
	},
	"required": ["program"],
	"additionalProperties": false
}`)

var shellSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"command": {"type": "string", "minLength": 1, "description": "the line for the shell"},
		"stdin": {"type": "string", "description": "what it reads from its standard input; nothing by default"},
		"dir": {"type": "string", "description": "the folder to run it in, relative to the workspace; the workspace itself by default"}
	},
	"required": ["command"],
	"additionalProperties": false
}`)

type commandIn struct {
	Program string   `json:"program"`
	Args    []string `json:"args"`
	Command string   `json:"command"`
	Stdin   string   `json:"stdin"`
	Dir     string   `json:"dir"`
}

// Result is the typed output of run_command.
type Result struct {
	// ExitCode is the program's; -1 where a signal ended it, which Signal names.
	ExitCode int    `json:"exit_code"`
	Signal   string `json:"signal,omitempty"`
	// Stdout and Stderr are what it wrote, or the beginning and the end of it. The
	// numbers of bytes are those of all.
	Stdout      string        `json:"stdout"`
	StdoutBytes int64         `json:"stdout_bytes"`
	Stderr      string        `json:"stderr"`
	StderrBytes int64         `json:"stderr_bytes"`
	Duration    time.Duration `json:"duration_ns"`
}

// ToolText is what the model reads.
func (r *Result) ToolText() string {
	var b strings.Builder
	if r.Signal != "" {
		fmt.Fprintf(&b, "ended by the signal %q", r.Signal)
	} else {
		fmt.Fprintf(&b, "exit code %d", r.ExitCode)
	}
	fmt.Fprintf(&b, ", after %v\n", r.Duration.Round(time.Millisecond))
	r.streams(&b)
	return b.String()
}

// streams shows both outputs.
func (r *Result) streams(b *strings.Builder) {
	for _, s := range []struct {
		name, text string
		bytes      int64
	}{{"stdout", r.Stdout, r.StdoutBytes}, {"stderr", r.Stderr, r.StderrBytes}} {
		if s.bytes == 0 {
			fmt.Fprintf(b, "\n%s: empty\n", s.name)
			continue
		}
		fmt.Fprintf(b, "\n%s, %d bytes:\n%s", s.name, s.bytes, s.text)
		if !strings.HasSuffix(s.text, "\n") {
			b.WriteByte('\n')
		}
	}
}

// runner runs the calls of one tool.
type runner struct{ cfg Config }

// timeoutGrace is how much longer than a program its call may take: to end what is
// left of it, and to say so.
const timeoutGrace = 15 * time.Second

// New makes the tool run_command. Its error says what is wrong with the Config.
func New(cfg Config) (*quarry.Tool, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	r := &runner{cfg}
	spec := quarry.ToolSpec{
		Description:    r.describe(),
		Effect:         quarry.Exclusive,
		InputSchema:    programSchema,
		MaxResultBytes: 2*cfg.MaxOutputBytes + 4096,
		Name:           Name,
		NeedsApproval:  !cfg.WithoutApproval,
		Scope:          quarry.Scope{Kind: quarry.ScopeCommand, Field: "program"},
		TellUnknown:    true,
		Timeout:        cfg.Timeout + timeoutGrace,
	}
	if cfg.Shell != "" {
		spec.InputSchema, spec.Scope.Field = shellSchema, "command"
	}
	return quarry.NewTool(spec, r.run), nil
}

func (r *runner) describe() string {
	text := "Runs a program in the workspace and returns its exit code and what it wrote. Use it for what no other tool does; not to read, write or search files. "
	switch {
	case r.cfg.Shell != "":
		text = "Runs a line of " + r.cfg.Shell + " in the workspace and returns its exit code and what it wrote. Use it for what no other tool does; not to read, write or search files. "
	case !r.cfg.AllowAny:
		text += "There is no shell. These programs may be run: " + strings.Join(r.cfg.Allow, ", ") + ". "
	default:
		text += "There is no shell. "
	}
	return text + fmt.Sprintf("It must not wait for input and has %v.", r.cfg.Timeout)
}

var errTime = errors.New("its time is over")

// stopped is the error of a program that was stopped, with what it wrote by then.
func (r *runner) stopped(res *Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "the program was stopped after %v, the limit, with all that it had started. Run something shorter, or a part of it; a program that waits for input or serves requests does not end by itself.\n", r.cfg.Timeout)
	res.streams(&b)
	return errors.New(b.String())
}

// run serves one call.
func (r *runner) run(ctx context.Context, in commandIn) (*Result, error) {
	tctx, cancel := context.WithTimeoutCause(ctx, r.cfg.Timeout, errTime)
	defer cancel()
	cmd, err := r.command(in)
	if err != nil {
		return nil, err
	}
	res, err := r.perform(tctx, cmd, in.Stdin)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, errTime):
		return nil, r.stopped(res)
	case err != nil:
		return nil, err
	}
	return res, nil
}
