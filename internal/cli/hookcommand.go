package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry"
)

const (
	// exitDeny is the exit code by which an external hook denies.
	exitDeny = 2
	// maxHookOutput bounds what an external hook may write, in bytes.
	maxHookOutput = 1 << 20
	// hookGrace is how long a hook that was killed may keep its output open.
	hookGrace = time.Second
)

// commandHook makes a hook of an external command. It gets the quarry.HookInput as
// JSON on its standard input. It ends with 0 and nothing on its standard output, or
// with 0 and a quarry.HookOutput as JSON, or with 2 to deny, for the reason that it
// wrote on its standard error. Anything else is a failure.
func commandHook(command []string, dir string) func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) {
	return func(ctx context.Context, in *quarry.HookInput) (out quarry.HookOutput, err error) {
		data, err := json.Marshal(in)
		if err != nil {
			return out, err
		}
		stdout, stderr := &bounded{limit: maxHookOutput}, &bounded{limit: maxHookOutput}
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, withoutKeys(os.Environ()), hookGrace
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(data), stdout, stderr
		err = cmd.Run()
		said := line(stderr.String(), 1000)
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit) && exit.ExitCode() == exitDeny:
			if said == "" {
				said = "the hook denies it"
			}
			return quarry.HookOutput{Decision: quarry.Deny, Reason: said}, nil
		case err != nil && said != "":
			return out, fmt.Errorf("%w: %s", err, said)
		case err != nil:
			return out, err
		case stdout.over:
			return out, fmt.Errorf("it wrote more than %d bytes", maxHookOutput)
		case strings.TrimSpace(stdout.String()) == "":
			return out, nil
		}
		dec := json.NewDecoder(&stdout.Buffer)
		dec.DisallowUnknownFields()
		if err := dec.Decode(&out); err != nil {
			return quarry.HookOutput{}, fmt.Errorf("what it wrote is no answer: %w", err)
		}
		if dec.More() {
			return quarry.HookOutput{}, errors.New("it wrote more than one answer")
		}
		return out, nil
	}
}

// withoutKeys takes the keys of providers out of an environment.
func withoutKeys(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); !strings.HasSuffix(strings.ToUpper(name), "_API_KEY") {
			kept = append(kept, v)
		}
	}
	return kept
}

// bounded keeps the beginning of what is written.
type bounded struct {
	bytes.Buffer
	limit int
	over  bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	keep := p
	if room := b.limit - b.Len(); len(p) > room {
		keep, b.over = p[:max(0, room)], true
	}
	b.Buffer.Write(keep)
	return len(p), nil
}
