package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/session"
)

func (a *app) sessionsForkCommand() *cobra.Command {
	var at int64
	var title string
	cmd := &cobra.Command{
		Use:   "fork ID",
		Short: "Begin a new session with the first records of another",
		Long: `Fork makes a new session that has the records 1 to N of another and goes its own
way from there. The other stays as it is. It prints the new id, and where the two
part. An unfinished fork goes on with quarry sessions resume.`,
		Example: "  quarry sessions fork 01K6X0V0M8N3T4E5R6G7H8J9K0 --at 5 --name \"another way\"",
		Args:    exactly(1, "one session id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			store, source, err := a.openSession(ctx, args[0])
			if err != nil {
				return err
			}
			defer store.Close()
			if !cmd.Flags().Changed("at") {
				at = source.Last
			}
			fork := session.NewID()
			err = store.Fork(ctx, fork, source.ID, at)
			var outside *session.RangeError
			if errors.As(err, &outside) {
				return usagef("--at is %d, and session %s has the records 1 to %d; see quarry sessions show %s --jsonl", at, source.ID, outside.Last, source.ID)
			}
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("name") {
				if err := session.Rename(ctx, store, fork, title, time.Now()); err != nil {
					return fmt.Errorf("the fork %s was made: %w", fork, err)
				}
			}
			info, err := findSession(ctx, store, fork)
			if err != nil {
				return err
			}
			recs, err := records(ctx, store, fork)
			if err != nil {
				return err
			}
			return a.printFork(&info, &source, &recs[at-1])
		},
	}
	cmd.Flags().Int64Var(&at, "at", 0, "number of the last record that both have (default the last there is)")
	cmd.Flags().StringVar(&title, "name", "", "title of the new session")
	return cmd
}

// printFork says where a fork parts from its source.
func (a *app) printFork(fork, source *session.Info, at *session.Record) error {
	text := describe(at)
	if a.flags.machine() {
		return a.printJSON(map[string]any{
			"session": fork.ID, "title": fork.Title, "status": fork.Status, "forked": fork.Forked,
			"record": map[string]any{"seq": at.Seq, "kind": at.Event.Kind(), "text": text},
		})
	}
	if text != "" {
		text = ": " + text
	}
	fmt.Fprintf(a.stdout, "%s\nparts from %s after record %d of %d, %s%s\n", fork.ID, source.ID, at.Seq, source.Last, at.Event.Kind(), text)
	if fork.Status == session.StatusRunning || fork.Status == session.StatusInterrupted {
		a.note("unfinished; go on with: quarry sessions resume %s", fork.ID)
	}
	return nil
}

// describe says in a few words what a record is about; nothing where its kind
// says all.
func describe(rec *session.Record) string {
	var text string
	switch ev := rec.Event.(type) {
	case *session.Started:
		text = "agent " + ev.Agent
	case *session.Prompted:
		text = ev.Message.Blocks.Text()
	case *session.ModelCalled:
		text = fmt.Sprintf("turn %d", ev.Turn)
	case *session.ModelAnswered:
		text = fmt.Sprintf("turn %d", ev.Turn)
		var calls []string
		for _, use := range ev.Response.Message.Blocks.ToolUses() {
			calls = append(calls, use.Name)
		}
		if len(calls) > 0 {
			text += ", calls " + strings.Join(calls, ", ")
		} else if said := ev.Response.Message.Blocks.Text(); said != "" {
			text += ", " + said
		}
	case *session.ModelFailed:
		text = fmt.Sprintf("turn %d, %s", ev.Turn, ev.Error.Error())
	case *session.ToolCalled:
		text = ev.Name
	case *session.ToolAnswered:
		text = ev.Name + ": " + summary(ev)
	case *session.Interrupted:
		text = ev.Reason
	case *session.Renamed:
		text = ev.Title
	case *session.Expired:
		text = "the limit of " + ev.Limit
	case *session.BackgroundStopped:
		text = "what was under way in the background"
	case *session.Compacting:
		text = ev.Policy + ", " + ev.Why
	case *session.Compacted:
		text = shortened(ev)
	case *session.Changed:
		text = changedText(ev)
	case *session.Reconfigured:
		text = reconfigured(ev)
	case *session.Ended:
		text = string(ev.Result.Subtype)
		if ev.Result.Text != "" {
			text += ", " + ev.Result.Text
		}
	}
	return line(text, 60)
}
