package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/extract/formats"
)

// Main runs the command line of this process and returns its exit code.
func Main() int {
	ctx, stop := interruptible()
	defer stop()
	return Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// sameSignal is the time within which two signals are one: a terminal and a
// supervisor may both pass on what a person did once.
const sameSignal = 200 * time.Millisecond

// interruptible returns a context that the first interrupt ends cleanly; the
// second ends the process at once.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		var first time.Time
		for range signals {
			if first.IsZero() {
				first = time.Now()
				cancel(errInterrupted)
			} else if time.Since(first) > sameSignal {
				os.Exit(exitInterrupted)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}

// Run runs one command line and returns its exit code. Results go to stdout,
// everything else to stderr.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	defer a.closeReader()
	if err := loadDotenv(); err != nil {
		return a.fail(err)
	}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = context.Cause(ctx)
		}
		return a.fail(err)
	}
	return a.exit
}

// app is one run of the command line.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	flags          flags
	// exit is the code of a command that ran to its end.
	exit int
	// documents reads documents of all formats; nil until one is to be read.
	documents   *formats.Reader
	documentsMu sync.Mutex
}

// command returns the root of the commands.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "quarry",
		Short: "Answers from documents, with a verbatim quote for every claim",
		Long: `Quarry answers questions from a folder of documents. Every citation of an answer
is a verbatim quote at a stated place of a stated document.

Without an API key it uses the built-in model "extractive", which quotes and
never writes. With ANTHROPIC_API_KEY set it uses Claude, with OPENAI_API_KEY GPT; a
server of your own is chat/NAME with --base-url URL.

Exit codes: 0 done; 1 failed; 2 wrong usage or bad input; 3 no answer; 4 stopped
by a limit; 5 waits for a person; 6 refused by the model; 130 interrupted.`,
		Example: `  quarry demo
  quarry index ./docs --name manual
  quarry ask "How do I resume a session?" --corpus manual`,
		Args:          noCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.SetVersionTemplate("quarry {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	a.flags.register(root.PersistentFlags())
	root.AddCommand(a.demoCommand(), a.indexCommand(), a.searchCommand(), a.askCommand(), a.runCommand(), a.approveCommand(), a.checkCommand(), a.sessionsCommand(), a.modelsCommand(), a.mcpCommand())
	return root
}

func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("there is no command %q; see quarry --help", args[0])
}

// exactly wants n arguments, named for the message.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		hint := ""
		if len(args) > n {
			hint = "; put quotes around text with blanks"
		}
		return usagef("%s takes %s, and there are %d arguments%s; see %s --help", cmd.CommandPath(), what, len(args), hint, cmd.CommandPath())
	}
}

// fail reports an error and returns its exit code.
func (a *app) fail(err error) int {
	if errors.Is(err, errInterrupted) {
		fmt.Fprintln(a.stderr, "quarry: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(a.stderr, "quarry: %s\n", oneLine(err.Error()))
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// note tells the person something that is not the result.
func (a *app) note(format string, args ...any) {
	if !a.flags.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}
