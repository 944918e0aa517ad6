package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// resumeFlags are those of sessions resume.
type resumeFlags struct {
	run           runFlags
	queue, accept bool
}

func (a *app) sessionsResumeCommand() *cobra.Command {
	var flags resumeFlags
	cmd := &cobra.Command{
		Use:   "resume ID [PROMPT]",
		Short: "Go on with a question that was interrupted, or ask a further one",
		Long: `Resume goes on where the journal ends. Nothing that was answered is asked or run
again. With a PROMPT, a finished session is asked a further question, of which it
knows all that was said before; with --queue, an unfinished one too, which is
brought to its end first. Where documents that the session has read are others in
the index by now, the model is told.

A session whose tools have changed since goes on with --accept-changes only.`,
		Example: `  quarry sessions resume 01K6X0V0M8N3T4E5R6G7H8J9K0
  quarry sessions resume 01K6X0V0M8N3T4E5R6G7H8J9K0 "And over which protocol?"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return exactly(1, "one session id, and a prompt in quotes where there is a further one")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.run.check(); err != nil {
				return err
			}
			in := quarry.Input{Accept: flags.accept, Queue: flags.queue}
			if len(args) == 2 {
				in.Prompt = args[1]
				if err := checkQuestion(in.Prompt); err != nil {
					return err
				}
			} else if flags.queue {
				return usagef("--queue is for a further prompt; give one, or leave it out")
			}
			return a.resume(cmd.Context(), args[0], in, &flags.run)
		},
	}
	cmd.Flags().BoolVar(&flags.queue, "queue", false, "let the PROMPT wait where the session is unfinished")
	cmd.Flags().BoolVar(&flags.accept, "accept-changes", false, "go on with tools that have changed since the session was begun")
	flags.run.register(cmd.Flags(), askTurns)
	return cmd
}

func (a *app) resume(ctx context.Context, id string, in quarry.Input, run *runFlags) error {
	store, info, err := a.openSession(ctx, id)
	if err != nil {
		return err
	}
	defer store.Close()
	id = info.ID
	if info.Parent != "" {
		return usagef("session %s is a child of another and goes on with it: quarry sessions resume %s", id, info.Parent)
	}
	recs, err := records(ctx, store, id)
	if err != nil {
		return err
	}
	started, ok := recs[0].Event.(*session.Started)
	in.Session = id
	switch {
	case ok && started.Labels[labelCommand] == commandRun:
		settings, err := settingsOf(started)
		if err != nil {
			return err
		}
		return a.resumeRun(ctx, settings, in, run, store, recs)
	case !ok || started.Labels[labelCommand] != "ask":
		return usagef("session %s was not begun by quarry ask or quarry run; only such sessions can be resumed here", id)
	}
	index, _, err := a.openCorpus(ctx, started.Labels[labelCorpus])
	if err != nil {
		return err
	}
	defer index.Close()
	m, err := a.pickModel(ctx, cmp.Or(run.model, started.Model))
	if err != nil {
		return err
	}
	agent, err := a.newAsker(ctx, index, m, store, run)
	if err != nil {
		return err
	}
	return resumeError(id, a.converse(ctx, agent, in, recs))
}

// resumeError says in the terms of the command line why a session does not go on.
func resumeError(id string, err error) error {
	switch {
	case errors.Is(err, quarry.ErrNothingToDo):
		return usagef("session %s is finished; there is nothing to resume (see quarry sessions show %s), and a further question goes behind its id", id, id)
	case errors.Is(err, quarry.ErrOpenPrompt):
		return usagef("session %s is unfinished; resume it without a prompt first, or add --queue", id)
	case errors.As(err, new(*quarry.MismatchError)):
		return usagef("%s", inFlags(err.Error()))
	}
	return err
}
