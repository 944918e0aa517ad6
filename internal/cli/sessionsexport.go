package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/session"
)

func (a *app) sessionsExportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session to a file",
		Long: `Export writes a session as JSON Lines: a header, then every record, one per line.
The prefix of a fork is in the file too. quarry sessions import reads it back.`,
		Example: "  quarry sessions export 01K6X0V0M8N3T4E5R6G7H8J9K0 --out session.jsonl",
		Args:    exactly(1, "one session id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, info, err := a.openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer store.Close()
			switch {
			case out != "" && out != "-":
				if err := exportFile(cmd.Context(), store, info.ID, out); err != nil {
					return err
				}
				if a.flags.machine() {
					return a.printJSON(map[string]any{"session": info.ID, "records": info.Last, "forked": info.Forked, "file": out})
				}
				a.note("%s of session %s are in %s", plural(int(info.Last), "record"), info.ID, out)
				return nil
			case a.flags.json:
				recs, err := records(cmd.Context(), store, info.ID)
				if err != nil {
					return err
				}
				return a.printJSON(showJSON{info.Forked, recs, info.ID, info.Title})
			}
			return session.Export(cmd.Context(), store, info.ID, a.stdout)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "file to write (default the standard output)")
	return cmd
}

// exportFile writes a session to a file for this user alone, whole or not at all.
func exportFile(ctx context.Context, store session.Store, id, path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return usagef("--out %s cannot be written: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := session.Export(ctx, store, id, f); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return usagef("--out %s cannot be written: %w", path, err)
	}
	return nil
}

func (a *app) sessionsImportCommand() *cobra.Command {
	var newID string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read a session from a file",
		Long: `Import reads what quarry sessions export wrote, all of it or nothing, and prints
the session's id. FILE may be "-" for the standard input.`,
		Example: "  quarry sessions import session.jsonl\n  quarry sessions import session.jsonl --id a-copy",
		Args:    exactly(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := io.Reader(a.stdin)
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return usagef("the file cannot be read: %w", err)
				}
				defer f.Close()
				in = f
			}
			if newID != "" {
				if err := session.CheckID(newID); err != nil {
					return usagef("--id: %w", err)
				}
			}
			store, err := a.store(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			id, err := session.Import(cmd.Context(), store, in, newID)
			var damaged *session.ImportError
			switch {
			case errors.As(err, &damaged):
				return usagef("%s, %w", args[0], damaged)
			case errors.Is(err, session.ErrExists):
				return usagef("%s: its session is in %s already; give the copy another id with --id NEW", args[0], a.home())
			case err != nil:
				return err
			}
			info, err := findSession(cmd.Context(), store, id)
			if err != nil {
				return err
			}
			if a.flags.machine() {
				return a.printJSON(map[string]any{"session": id, "records": info.Last})
			}
			fmt.Fprintln(a.stdout, id)
			a.note("%s, %s: %s", plural(int(info.Last), "record"), info.Status, line(called(&info), 60))
			return nil
		},
	}
	cmd.Flags().StringVar(&newID, "id", "", "id of the new session (default the one in the file)")
	return cmd
}
