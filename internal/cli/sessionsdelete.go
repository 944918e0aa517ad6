package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/session"
)

// deletedJSON is a session that was deleted.
type deletedJSON struct {
	Session string `json:"session"`
	Title   string `json:"title"`
	Records int64  `json:"records"`
	// Forks are the sessions that keep a part of its records.
	Forks []string `json:"forks"`
	// Children are the child sessions that went with it, at any depth, Kept those
	// that a fork refers to.
	Children []string `json:"children,omitempty"`
	Kept     []string `json:"kept,omitempty"`
}

// deletionJSON is the result of sessions delete --json.
type deletionJSON struct {
	Deleted []deletedJSON `json:"deleted"`
	// Blobs counts the stored results that went because nothing refers to them any
	// more.
	Blobs int `json:"blobs,omitempty"`
}

func (a *app) sessionsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID…",
		Short: "Remove sessions, their children and their records",
		Long: `Delete removes sessions from the journal, without asking, and says what it
removed: the sessions, their child sessions, and the stored results that no other
session refers to. Forks of a session keep the records that they share with it,
and the children that these name. Nothing is removed where one of the ids is
wrong. A deletion that was cut off is completed by running it again.`,
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
			blobs, err := a.blobs()
			if err != nil {
				return err
			}
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
			d, err := planDeletion(ctx, store, infos)
			if err != nil {
				return err
			}
			if err := d.perform(ctx, store, blobs); err != nil {
				return fmt.Errorf("%w; run it again to complete it", err)
			}
			return a.printDeleted(d, infos)
		},
	}
}

// deletion is what goes with sessions that are deleted.
type deletion struct {
	// json is what is reported, one row for each session that was named.
	json deletionJSON
	// going are the sessions that go: first those that were named, each child
	// behind its parent. Gone has their ids, with the row of json that they are in.
	going []string
	gone  map[string]int
	// blobs are the references that only they have.
	blobs map[string]bool
	// unread is why what a session refers to is not known; it keeps everything.
	unread error
}

// planDeletion finds what goes with the sessions that are named.
func planDeletion(ctx context.Context, store session.Store, named []session.Info) (*deletion, error) {
	d := &deletion{gone: make(map[string]int), blobs: make(map[string]bool)}
	for i := range named {
		d.going = append(d.going, named[i].ID)
		d.gone[named[i].ID] = i
		d.json.Deleted = append(d.json.Deleted, deletedJSON{Session: named[i].ID, Title: named[i].Title, Records: named[i].Last, Forks: []string{}})
	}
	all := make(map[string]*session.Info)
	children := make(map[string][]string)
	for info, err := range store.List(ctx, session.Filter{}) {
		if err != nil {
			return nil, err
		}
		all[info.ID] = &info
		if info.Parent != "" {
			children[info.Parent] = append(children[info.Parent], info.ID)
		}
		if _, going := d.gone[info.ID]; going || info.Forked == nil {
			continue
		}
		if i, ok := d.gone[info.Forked.From]; ok {
			d.json.Deleted[i].Forks = append(d.json.Deleted[i].Forks, info.ID)
		}
	}
	kept, err := d.namedByForks(ctx, store, all)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(d.going); i++ { // it grows
		id := d.going[i]
		refs, err := refsOf(ctx, store, id)
		if err != nil && !errors.As(err, new(*session.FormatError)) { // what is damaged can be deleted
			return nil, err
		}
		for ref := range refs.blobs {
			d.blobs[ref] = true
		}
		slices.Sort(children[id])
		for _, child := range children[id] {
			d.add(child, id, kept)
		}
		for _, child := range refs.children { // a fork's may have been left by their parent
			if info := all[child]; info != nil && all[info.Parent] == nil {
				d.add(child, id, kept)
			}
		}
	}
	return d, d.spareBlobs(ctx, store, all)
}

// add lets a child go with its parent, unless it is kept.
func (d *deletion) add(child, parent string, kept map[string]bool) {
	row := &d.json.Deleted[d.gone[parent]]
	switch _, going := d.gone[child]; {
	case going || slices.Contains(row.Kept, child):
	case kept[child] || d.unread != nil:
		row.Kept = append(row.Kept, child)
	default:
		d.gone[child] = d.gone[parent]
		d.going = append(d.going, child)
		row.Children = append(row.Children, child)
	}
}

// namedByForks returns the children that the records of forks name which stay.
func (d *deletion) namedByForks(ctx context.Context, store session.Store, all map[string]*session.Info) (map[string]bool, error) {
	kept := make(map[string]bool)
	for id, info := range all {
		if _, going := d.gone[id]; going || info.Forked == nil {
			continue
		}
		refs, err := refsOf(ctx, store, id)
		if err := d.read(err); err != nil {
			return nil, err
		}
		for _, child := range refs.children {
			kept[child] = true
		}
	}
	return kept, nil
}

// spareBlobs takes those from d.blobs that sessions refer to which stay.
func (d *deletion) spareBlobs(ctx context.Context, store session.Store, all map[string]*session.Info) error {
	for id := range all {
		if _, going := d.gone[id]; going || len(d.blobs) == 0 {
			continue
		}
		refs, err := refsOf(ctx, store, id)
		if err := d.read(err); err != nil {
			return err
		}
		for ref := range refs.blobs {
			delete(d.blobs, ref)
		}
	}
	if d.unread != nil {
		clear(d.blobs)
	}
	return nil
}

// read notes that a session cannot be read, and passes on other errors.
func (d *deletion) read(err error) error {
	if errors.As(err, new(*session.FormatError)) {
		d.unread = err
		return nil
	}
	return err
}

// perform deletes: what is referred to before what refers to it, so that a
// deletion that is cut off finds the rest when it is run again.
func (d *deletion) perform(ctx context.Context, store session.Store, blobs *blob.Files) error {
	for ref := range d.blobs {
		switch err := blobs.Delete(ctx, ref); {
		case err == nil:
			d.json.Blobs++
		case !errors.Is(err, blob.ErrNotFound):
			return err
		}
	}
	for _, id := range slices.Backward(d.going) {
		if err := store.Delete(ctx, id); err != nil && !errors.Is(err, session.ErrNotFound) {
			return err
		}
	}
	return nil
}

// refs are what the records of a session refer to.
type refs struct {
	children []string
	blobs    map[string]bool
}

// refsOf reads what a session refers to. What stands before a damaged record is
// returned with the error; a session that is gone meanwhile refers to nothing.
func refsOf(ctx context.Context, store session.Store, id string) (refs, error) {
	r := refs{blobs: make(map[string]bool)}
	for rec, err := range store.Load(ctx, id, 0) {
		if errors.Is(err, session.ErrNotFound) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		switch ev := rec.Event.(type) {
		case *session.ToolCalled:
			if ev.Child != nil && !slices.Contains(r.children, ev.Child.Session) {
				r.children = append(r.children, ev.Child.Session)
			}
		case *session.ToolAnswered:
			if ev.Blob != "" {
				r.blobs[ev.Blob] = true
			}
		}
	}
	return r, nil
}

func (a *app) printDeleted(d *deletion, infos []session.Info) error {
	if d.unread != nil {
		a.note("what other sessions may refer to is kept, because %s", oneLine(d.unread.Error()))
	}
	if a.flags.machine() {
		return a.printJSON(d.json)
	}
	for i, row := range d.json.Deleted {
		fmt.Fprintf(a.stdout, "deleted %s, %s: %s\n", row.Session, plural(int(row.Records), "record"), line(called(&infos[i]), 60))
		if len(row.Children) > 0 {
			a.note("with it: %s", plural(len(row.Children), "child session"))
		}
		if len(row.Kept) > 0 {
			a.note("kept, because a fork refers to it: %s", plural(len(row.Kept), "child session"))
		}
		if len(row.Forks) > 0 {
			a.note("%s of it: what they share with it is kept", plural(len(row.Forks), "fork"))
		}
	}
	if d.json.Blobs > 0 {
		a.note("%s removed that nothing refers to any more", plural(d.json.Blobs, "stored result"))
	}
	return nil
}
