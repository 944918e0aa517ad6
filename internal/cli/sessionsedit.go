package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/session"
)

func (a *app) sessionsRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rename ID TITLE",
		Short: "Give a session a title",
		Long: `Rename gives a session a title, which lists show. It disturbs nobody who works on
the session. An empty title takes the title away.`,
		Example: "  quarry sessions rename 01K6X0V0M8N3T4E5R6G7H8J9K0 \"default ports\"",
		Args:    exactly(2, "a session id and a title"),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, info, err := a.openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer store.Close()
			if err := session.Rename(cmd.Context(), store, info.ID, args[1], time.Now()); err != nil {
				return err
			}
			if a.flags.machine() {
				return a.printJSON(map[string]any{"session": info.ID, "title": args[1], "was": info.Title})
			}
			fmt.Fprintf(a.stdout, "%s is now %q\n", info.ID, line(args[1], 200))
			return nil
		},
	}
}

// deletedJSON is a session that was deleted.
type deletedJSON struct {
	Session string `json:"session"`
	Title   string `json:"title"`
	Records int64  `json:"records"`
	// Forks are the sessions that keep a part of its records.
	Forks []string `json:"forks"`
}

func (a *app) sessionsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID…",
		Short: "Remove sessions and their records",
		Long: `Delete removes sessions from the journal, without asking, and says what it
removed. Forks of a session keep the records that they share with it. Nothing is
removed where one of the ids is wrong.`,
		Example: "  quarry sessions delete 01K6X0V0M8N3T4E5R6G7H8J9K0 01K6X0W2",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return usagef("%s takes at least one session id; see %s --help", cmd.CommandPath(), cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			store, err := a.existingStore(ctx)
			if err != nil {
				return err
			}
			defer store.Close()
			var infos []session.Info
			for _, arg := range args {
				info, err := findSession(ctx, store, arg)
				if err != nil {
					return err
				}
				if !slices.ContainsFunc(infos, func(i session.Info) bool { return i.ID == info.ID }) {
					infos = append(infos, info)
				}
			}
			deleted := make([]deletedJSON, len(infos))
			for i, info := range infos {
				switch err := store.Delete(ctx, info.ID); {
				case errors.Is(err, session.ErrNotFound): // somebody was quicker
				case err != nil:
					return err
				}
				deleted[i] = deletedJSON{Session: info.ID, Title: info.Title, Records: info.Last, Forks: []string{}}
			}
			for info, err := range store.List(ctx, session.Filter{}) {
				if err != nil {
					return err
				}
				for i := range deleted {
					if info.Forked != nil && info.Forked.From == deleted[i].Session {
						deleted[i].Forks = append(deleted[i].Forks, info.ID)
					}
				}
			}
			return a.printDeleted(deleted, infos)
		},
	}
}

func (a *app) printDeleted(deleted []deletedJSON, infos []session.Info) error {
	if a.flags.machine() {
		return a.printJSON(map[string]any{"deleted": deleted})
	}
	for i, d := range deleted {
		fmt.Fprintf(a.stdout, "deleted %s, %s: %s\n", d.Session, plural(int(d.Records), "record"), line(called(&infos[i]), 60))
		if len(d.Forks) > 0 {
			a.note("%s of it: what they share with it is kept", plural(len(d.Forks), "fork"))
		}
	}
	return nil
}

// called is what people know a session by: its title, or else its first prompt.
func called(info *session.Info) string {
	if info.Title != "" {
		return info.Title
	}
	return info.Prompt
}
