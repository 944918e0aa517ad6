package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

func (a *app) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions",
		Long: `What was run is kept in the journal as sessions. Wherever a command takes a
session's id, the beginning of the id will do, as long as only one session has it.`,
		Short:   "List, show, resume, fork and export what was run",
		Example: "  quarry sessions list\n  quarry sessions show ID --markdown\n  quarry sessions fork ID --at 5",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usagef("there is no command \"quarry sessions %s\"; see quarry sessions --help", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.sessionsListCommand(), a.sessionsShowCommand(), a.sessionsResumeCommand(), a.sessionsForkCommand(),
		a.sessionsRenameCommand(), a.sessionsDeleteCommand(), a.sessionsExportCommand(), a.sessionsImportCommand())
	return cmd
}

func (a *app) sessionsListCommand() *cobra.Command {
	var filter session.Filter
	var status, since, parent string
	var children bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List sessions, the newest first",
		Long: `List shows the sessions that somebody began. Those that a tool call of another
session began, its children, are shown with --children, or with --parent ID.`,
		Example: "  quarry sessions list --status done --since 24h --label corpus=manual\n  quarry sessions list --parent 01K6X0V0M8N3T4E5R6G7H8J9K0",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter.Status = session.Status(status)
			switch filter.Status {
			case "", session.StatusIdle, session.StatusRunning, session.StatusInterrupted, session.StatusWaiting, session.StatusDone:
			default:
				return usagef("there is no status %q; use idle, running, interrupted, waiting or done", status)
			}
			if filter.Limit < 0 {
				return usagef("--limit is %d; use 0 for no limit", filter.Limit)
			}
			if key, _, ok := strings.Cut(filter.Label, "="); filter.Label != "" && (!ok || key == "") {
				return usagef("--label is %q; give it as KEY=VALUE", filter.Label)
			}
			var err error
			if filter.Since, err = parseSince(since, time.Now()); err != nil {
				return err
			}
			if children && parent != "" {
				return usagef("--children and --parent do not go together; --parent shows the children of one session")
			}
			filter.Roots = !children && parent == ""
			infos := []session.Info{}
			store, err := a.existingStore(cmd.Context())
			if err != nil && !errors.Is(err, errNoJournal) {
				return err
			}
			if err == nil {
				defer store.Close()
				if filter.Parent, err = parentID(cmd.Context(), store, parent); err != nil {
					return err
				}
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
	cmd.Flags().StringVar(&status, "status", "", "only sessions that are idle, running, interrupted, waiting or done")
	cmd.Flags().StringVar(&filter.Agent, "agent", "", "only sessions of this agent")
	cmd.Flags().StringVar(&filter.Label, "label", "", "only sessions with this label, as KEY=VALUE, such as corpus=manual")
	cmd.Flags().BoolVar(&children, "children", false, "child sessions too")
	cmd.Flags().StringVar(&parent, "parent", "", "only the children of this session")
	cmd.Flags().StringVar(&since, "since", "", "only sessions updated since: a time ago such as 90m, 24h or 7d, or a date such as 2026-01-31")
	cmd.Flags().IntVar(&filter.Limit, "limit", 50, "number of sessions; 0 for all")
	return cmd
}

// parentID is the id of a session whose children are wanted. The session itself
// may be gone.
func parentID(ctx context.Context, store session.Store, arg string) (string, error) {
	if arg == "" {
		return "", nil
	}
	for _, err := range store.List(ctx, session.Filter{Parent: arg, Limit: 1}) {
		return arg, err
	}
	info, err := findSession(ctx, store, arg)
	return info.ID, err
}

// parseSince reads a time ago or a date; the zero time where there is none.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usagef("--since is %q; give a time ago such as 90m, 24h or 7d, or a date such as 2026-01-31", s)
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
			info.Updated.Local().Format("2006-01-02 15:04"), state, line(info.Agent, 9), info.Turns, line(called(&info), 60)+origin(&info))
	}
	return nil
}

// origin tells where a fork came from, or whose child a session is.
func origin(info *session.Info) string {
	if info.Parent != "" {
		return fmt.Sprintf("  (child of %s)", info.Parent)
	}
	if info.Forked == nil {
		return ""
	}
	return fmt.Sprintf("  (fork of %s at %d)", info.Forked.From, info.Forked.At)
}

var errNoJournal = errors.New("there is no journal")

// existingStore opens the journal, and does not create one.
func (a *app) existingStore(ctx context.Context) (*sqlite.Store, error) {
	if _, err := os.Stat(filepath.Join(a.home(), "quarry.db")); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%w in %s; run something first, or name another --home", errNoJournal, a.home())
	}
	return a.store(ctx)
}

// openSession opens the journal and finds a session by its id or by the
// beginning of it. The caller closes the store.
func (a *app) openSession(ctx context.Context, id string) (*sqlite.Store, session.Info, error) {
	store, err := a.existingStore(ctx)
	if err != nil {
		return nil, session.Info{}, err
	}
	info, err := findSession(ctx, store, id)
	if err != nil {
		return nil, session.Info{}, errors.Join(err, store.Close())
	}
	return store, info, nil
}

// namedSessions bounds how many sessions an error lists.
const namedSessions = 10

// findSession finds a session by its id or by the beginning of it.
func findSession(ctx context.Context, store session.Store, id string) (session.Info, error) {
	if id == "" {
		return session.Info{}, usagef("the session id is empty; see quarry sessions list")
	}
	for _, filter := range []session.Filter{{ID: id}, {IDPrefix: id, Limit: namedSessions + 1}} {
		var infos []session.Info
		for info, err := range store.List(ctx, filter) {
			if err != nil {
				return session.Info{}, err
			}
			infos = append(infos, info)
		}
		if len(infos) == 1 {
			return infos[0], nil
		}
		if len(infos) > 1 {
			return session.Info{}, ambiguous(id, infos)
		}
	}
	return session.Info{}, usagef("there is no session %q; see quarry sessions list", id)
}

// ambiguous is the error for an id that begins those of several sessions.
func ambiguous(id string, infos []session.Info) error {
	var names []string
	for i := range infos[:min(len(infos), namedSessions)] {
		names = append(names, infos[i].ID)
	}
	more := ""
	if len(infos) > namedSessions {
		more = " and more"
	}
	return usagef("%q begins the ids of several sessions: %s%s; give more of the id", id, strings.Join(names, ", "), more)
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
