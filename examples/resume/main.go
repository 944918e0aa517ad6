// Command resume shows that a run survives a crash and does nothing twice. It starts
// itself as a second process, which pays bills and dies in the middle: after a payment
// was made, and before anybody wrote down that it was. Then it resumes the session.
//
//	go run ./examples/resume
//	go run ./examples/resume -crash-after 1
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

const (
	sessionID = "bills-of-march"
	prompt    = "Pay the bills that are open."
	// crashed is the exit code of the process that dies.
	crashed = 42
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "resume:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("resume", flag.ContinueOnError)
	crashAfter := flags.Int("crash-after", 2, "after which payment the first process dies")
	worker := flags.String("worker", "", "be the process that dies, with its files in this folder")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *worker != "" {
		_, err := work(ctx, *worker, *crashAfter, quarry.Input{Prompt: prompt, Session: sessionID}, out)
		return err
	}

	dir, err := os.MkdirTemp("", "quarry-resume")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The first process:")
	cmd := exec.CommandContext(ctx, self, "-worker", dir, "-crash-after", fmt.Sprint(*crashAfter))
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != crashed {
		return fmt.Errorf("the first process did not crash (%v)", err)
	}

	// The session without a prompt: go on with what is open.
	fmt.Fprintln(out, "The second process:")
	text, err := work(ctx, dir, 0, quarry.Input{Session: sessionID}, out)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The agent says:", text)
	paid, err := (&bank{dir: dir}).statement()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The bank's statement:\n%s", paid)
	return nil
}

// work runs the agent. Both processes make it in the same way.
func work(ctx context.Context, dir string, crashAfter int, in quarry.Input, out io.Writer) (text string, err error) {
	store, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(dir, "journal.db")})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	m, err := play.Model(os.Stderr, script)
	if err != nil {
		return "", err
	}
	b := &bank{dir: dir, out: out, crashAfter: crashAfter}
	agent, err := quarry.New(quarry.Config{Model: m, Name: "bookkeeper", Store: store, Tools: b.tools()})
	if err != nil {
		return "", err
	}
	result, err := agent.Run(ctx, in)
	if err != nil {
		return "", err
	}
	if !result.OK() {
		return "", fmt.Errorf("the run ended as %s: %s", result.Subtype, result.Detail)
	}
	return result.Text, nil
}
