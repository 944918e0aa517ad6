package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

func (a *app) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sessions",
		Short:   "List, show and resume what was run",
		Example: "  quarry sessions list\n  quarry sessions show ID --markdown",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usagef("there is no command \"quarry sessions %s\"; see quarry sessions --help", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.sessionsListCommand(), a.sessionsShowCommand(), a.sessionsResumeCommand())
	return cmd
}

func (a *app) sessionsListCommand() *cobra.Command {
	var filter session.Filter
	var status string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List sessions, the newest first",
		Example: "  quarry sessions list --status done --limit 5",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter.Status = session.Status(status)
			switch filter.Status {
			case "", session.StatusIdle, session.StatusRunning, session.StatusInterrupted, session.StatusDone:
			default:
				return usagef("there is no status %q; use idle, running, interrupted or done", status)
			}
			if filter.Limit < 0 {
				return usagef("--limit is %d; use 0 for no limit", filter.Limit)
			}
			infos := []session.Info{}
			store, err := a.existingStore(cmd.Context())
			if err != nil && !errors.Is(err, errNoJournal) {
				return err
			}
			if err == nil {
				defer store.Close()
				for info, err := range store.List(cmd.Context(), filter) {
					if err != nil {
						return err
					}
					infos = append(infos, info)
				}
			}
			return a.printSessions(infos)
		},
	}
	cmd.Flags().StringVar(&status, "status", "", "only sessions that are idle, running, interrupted or done")
	cmd.Flags().StringVar(&filter.Agent, "agent", "", "only sessions of this agent")
	cmd.Flags().IntVar(&filter.Limit, "limit", 50, "number of sessions; 0 for all")
	return cmd
}

func (a *app) printSessions(infos []session.Info) error {
	if a.flags.machine() {
		return a.printJSON(map[string]any{"sessions": infos})
	}
	if len(infos) == 0 {
		a.note("there are no sessions in %s", a.home())
	}
	for _, info := range infos {
		state := string(info.Status)
		if info.Subtype != "" {
			state = string(info.Subtype)
		}
		fmt.Fprintf(a.stdout, "%-26s  %s  %-11s  %-9s  %2d turns  %s\n", info.ID,
			info.Updated.Local().Format("2006-01-02 15:04"), state, line(info.Agent, 9), info.Turns, line(info.Prompt, 60))
	}
	return nil
}

var errNoJournal = errors.New("there is no journal")

// existingStore opens the journal, and does not create one.
func (a *app) existingStore(ctx context.Context) (*sqlite.Store, error) {
	if _, err := os.Stat(filepath.Join(a.home(), "quarry.db")); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%w in %s; run something first, or name another --home", errNoJournal, a.home())
	}
	return a.store(ctx)
}

// records loads a session's journal.
func records(ctx context.Context, store session.Store, id string) ([]session.Record, error) {
	var recs []session.Record
	for rec, err := range store.Load(ctx, id, 0) {
		if errors.Is(err, session.ErrNotFound) {
			return nil, usagef("there is no session %q; see quarry sessions list", id)
		}
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
	return recs, nil
}

func (a *app) sessionsResumeCommand() *cobra.Command {
	var run runFlags
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Go on with a question that was interrupted",
		Long: `Resume goes on where the journal ends. Nothing that was answered is asked or run
again.`,
		Example: "  quarry sessions resume 01K6X0V0M8N3T4E5R6G7H8J9K0",
		Args:    exactly(1, "one session id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := run.check(); err != nil {
				return err
			}
			return a.resume(cmd.Context(), args[0], &run)
		},
	}
	run.register(cmd.Flags(), askTurns)
	return cmd
}

func (a *app) resume(ctx context.Context, id string, run *runFlags) error {
	store, err := a.existingStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	recs, err := records(ctx, store, id)
	if err != nil {
		return err
	}
	started, ok := recs[0].Event.(*session.Started)
	if !ok || started.Labels[labelCommand] != "ask" {
		return usagef("session %s was not begun by quarry ask; only such sessions can be resumed here", id)
	}
	index, _, err := a.openCorpus(ctx, started.Labels[labelCorpus])
	if err != nil {
		return err
	}
	defer index.Close()
	name := run.model
	if name == "" {
		name = started.Model
	}
	m, err := a.pickModel(name)
	if err != nil {
		return err
	}
	agent, err := a.newAsker(index, m, store, run)
	if err != nil {
		return err
	}
	err = a.converse(ctx, agent, quarry.Input{Session: id}, recs)
	if errors.Is(err, quarry.ErrNothingToDo) {
		return usagef("session %s is finished; there is nothing to resume (see quarry sessions show %s)", id, id)
	}
	return err
}
