package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// keyCommand is what is behind the name of a key's variable in that of a command
	// which prints the key.
	keyCommand = "_COMMAND"
	// keyTimeout is how long such a command may take: a person may have to unlock
	// something.
	keyTimeout = time.Minute
	// maxKey bounds what it prints, in bytes.
	maxKey = 64 << 10
)

// hasKey tells whether a key is configured, by itself or by a command.
func hasKey(name string) bool { return os.Getenv(name) != "" || os.Getenv(name+keyCommand) != "" }

// key returns the key of a variable: its value, or what the command of the variable
// NAME_COMMAND prints. It is empty where there is neither. Neither the key nor the
// command is in an error.
func (a *app) key(ctx context.Context, name string) (string, error) {
	if key := os.Getenv(name); key != "" {
		return key, nil
	}
	words := strings.Fields(os.Getenv(name + keyCommand))
	if len(words) == 0 {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	stdout := &bounded{limit: maxKey}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdout, a.stderr, time.Second
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", usagef("the program that %s names is not there; give its whole path", name+keyCommand)
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", usagef("the command in %s did not end within %v", name+keyCommand, keyTimeout)
	case err != nil:
		return "", usagef("the command in %s failed; run it by hand to see why", name+keyCommand)
	case stdout.over:
		return "", usagef("the command in %s printed more than a key", name+keyCommand)
	}
	key := strings.TrimSpace(stdout.String())
	if key == "" {
		return "", usagef("the command in %s printed nothing", name+keyCommand)
	}
	return key, nil
}
