package cli

import (
	"fmt"
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

// called is what people know a session by: its title, or else its first prompt.
func called(info *session.Info) string {
	if info.Title != "" {
		return info.Title
	}
	return info.Prompt
}
