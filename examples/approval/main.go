// Command approval is an agent that wants to put up a notice, which a person has to
// approve. The first run ends and leaves the call in the journal; no process waits.
// A later run answers, and the session goes on where it was.
//
//	go run ./examples/approval                        # asks for a notice, and ends
//	go run ./examples/approval -allow                 # or -deny "too long": goes on
//	go run ./examples/approval -ask                   # asks on the terminal instead
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "approval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	flags := flag.NewFlagSet("approval", flag.ContinueOnError)
	dir := flags.String("dir", filepath.Join(".quarry", "examples", "approval"), "folder for the journal and the notice")
	allow := flags.Bool("allow", false, "allow what waits, and go on")
	deny := flags.String("deny", "", "deny what waits with this reason, and go on")
	ask := flags.Bool("ask", false, "ask on the terminal, and wait for the answer")
	if err := flags.Parse(args); err != nil {
		return err
	}

	store, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(*dir, "journal.db")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	m, err := play.Model(os.Stderr, script)
	if err != nil {
		return err
	}
	cfg := quarry.Config{
		Instructions: "You write the notices of a library. Put up what you are asked for.",
		Model:        m,
		Name:         "notices",
		Store:        store,
		Tools:        []*quarry.Tool{putUp(filepath.Join(*dir, "notice.txt"))},
	}
	if *ask {
		cfg.Approver = approver(in, out)
	} else {
		cfg.Park = true
	}
	agent, err := quarry.New(cfg)
	if err != nil {
		return err
	}

	input := quarry.Input{Prompt: "Tell our readers that we are closed on Monday."}
	if *allow || *deny != "" {
		waiting, err := find(ctx, store)
		if err != nil {
			return err
		}
		// One call waits in this session, so it need not be named. The note is what
		// the model is told of a denial.
		answer := quarry.Answer{Allow: *allow, Note: *deny, By: "command line"}
		if err := agent.Answer(ctx, waiting, "", answer); err != nil {
			return err
		}
		input = quarry.Input{Session: waiting} // no prompt: go on
	}
	result, err := agent.Run(ctx, input)
	if err != nil {
		return err
	}
	for _, call := range result.Pending {
		fmt.Fprintf(out, "%s %s waits for you. Run this again with -allow, or with -deny REASON.\n", call.Name, call.Input)
	}
	if result.OK() {
		fmt.Fprintln(out, result.Text)
	} else if result.Subtype != quarry.Waiting {
		return fmt.Errorf("the run ended as %s: %s", result.Subtype, result.Detail)
	}
	return nil
}

// find returns the session that was the last to wait for a person.
func find(ctx context.Context, store session.Store) (string, error) {
	for info, err := range store.List(ctx, session.Filter{Agent: "notices", Status: session.StatusWaiting, Limit: 1}) {
		return info.ID, err
	}
	return "", errors.New("nothing waits for an answer; run this without -allow and -deny first")
}

type noticeIn struct {
	Text string `json:"text" jsonschema:"what the notice says"`
}

// putUp makes the tool. NeedsApproval asks a person in every mode, whatever a rule
// allows.
func putUp(path string) *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Name:          "put_up_notice",
		Description:   "Puts a notice up for all readers to see, in place of the one before.",
		Idempotent:    true,
		NeedsApproval: true,
	}, func(_ context.Context, in noticeIn) (string, error) {
		if err := os.WriteFile(path, []byte(in.Text+"\n"), 0o600); err != nil {
			return "", err
		}
		return "It is up: " + path, nil
	})
}

// approver asks on the terminal. What is answered beside yes and no is told to the
// model, as the reason for a no.
func approver(in io.Reader, out io.Writer) func(context.Context, quarry.Approval) (quarry.Answer, error) {
	lines := bufio.NewScanner(in)
	return func(_ context.Context, a quarry.Approval) (quarry.Answer, error) {
		fmt.Fprintf(out, "The agent wants to call %s %s\nMay it? [yes, or why not] ", a.Name, a.Input)
		if !lines.Scan() {
			return quarry.Answer{}, errors.New("there was no answer")
		}
		answer := strings.TrimSpace(lines.Text())
		if answer == "y" || answer == "yes" {
			return quarry.Answer{Allow: true, By: "terminal"}, nil
		}
		return quarry.Answer{Note: answer, By: "terminal"}, nil
	}
}
