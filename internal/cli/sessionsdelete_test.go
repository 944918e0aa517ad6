package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/session"
)

// tree makes a session with a child that has a child, and a session beside them,
// each with a blob of its own and one that all have.
func tree(t *testing.T, store session.Store, blobs *blob.Files) (own map[string]string, shared string) {
	t.Helper()
	put := func(text string) string {
		ref, err := blobs.Put(t.Context(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	own, shared = make(map[string]string), put("shared")
	for _, s := range []struct{ id, parent, child string }{{"top", "", "top-1"}, {"top-1", "top", "top-1-1"}, {"top-1-1", "top-1", ""}, {"beside", "", ""}} {
		own[s.id] = put(s.id)
		started := &session.Started{Format: session.FormatVersion, Machine: "agent"}
		if s.parent != "" {
			started.Parent = &session.Parent{Session: s.parent, Turn: 1}
		}
		evs := []session.Event{started, &session.ToolAnswered{Blob: own[s.id]}, &session.ToolAnswered{Blob: shared}}
		if s.child != "" {
			evs = append(evs, &session.ToolCalled{Child: &session.ChildCall{Session: s.child}})
		}
		var recs []session.Record
		for i, ev := range evs {
			recs = append(recs, session.Record{Seq: int64(i + 1), Time: time.Unix(1e9, 0), Event: ev})
		}
		if err := store.Append(t.Context(), s.id, 0, recs); err != nil {
			t.Fatal(err)
		}
	}
	return own, shared
}

func infosOf(t *testing.T, store session.Store, filter session.Filter) (infos []session.Info) {
	t.Helper()
	for info, err := range store.List(t.Context(), filter) {
		if err != nil {
			t.Fatal(err)
		}
		infos = append(infos, info)
	}
	return infos
}

var errCut = errors.New("cut off")

// cutStore fails after some deletions, and reading the sessions of damaged.
type cutStore struct {
	session.Store
	left    int
	damaged map[string]bool
}

func (s *cutStore) Delete(ctx context.Context, id string) error {
	if s.left == 0 {
		return errCut
	}
	s.left--
	return s.Store.Delete(ctx, id)
}

func (s *cutStore) Load(ctx context.Context, id string, after int64) iter.Seq2[session.Record, error] {
	if s.damaged[id] {
		return func(yield func(session.Record, error) bool) {
			yield(session.Record{}, &session.FormatError{Session: id})
		}
	}
	return s.Store.Load(ctx, id, after)
}

// TestDeletionCutOff: wherever a deletion stops, running it again completes it,
// and what other sessions refer to is never touched.
func TestDeletionCutOff(t *testing.T) {
	t.Parallel()
	for left := range 4 {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			t.Parallel()
			store := &cutStore{Store: session.NewMemory(), left: left}
			blobs, err := blob.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			own, shared := tree(t, store, blobs)
			run := func() error {
				d, err := planDeletion(t.Context(), store, infosOf(t, store, session.Filter{ID: "top"}))
				if err != nil {
					t.Fatal(err)
				}
				return d.perform(t.Context(), store, blobs)
			}
			if err := run(); errors.Is(err, errCut) != (left < 3) {
				t.Fatalf("got %v", err)
			}
			if left < 3 {
				if len(infosOf(t, store, session.Filter{ID: "top"})) == 0 {
					t.Fatal("the session that was named is gone before its children")
				}
				store.left = -1
				if err := run(); err != nil {
					t.Fatal(err)
				}
			}
			if infos := infosOf(t, store, session.Filter{}); len(infos) != 1 || infos[0].ID != "beside" {
				t.Errorf("left are %+v", infos)
			}
			var refs []string
			for info, err := range blobs.List(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				refs = append(refs, info.Ref)
			}
			if len(refs) != 2 || refs[0] != min(own["beside"], shared) || refs[1] != max(own["beside"], shared) {
				t.Errorf("left are the blobs %v, want those of beside", refs)
			}
		})
	}
}

// TestDeletionBesideDamage: a damaged session can be deleted, with the children
// that the list knows; and where one that stays is damaged, its blobs stay.
func TestDeletionBesideDamage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		damaged      string
		going, blobs int
		unread       bool
	}{
		{damaged: "top", going: 3, blobs: 2},
		{damaged: "beside", going: 3, blobs: 0, unread: true},
	} {
		store := &cutStore{Store: session.NewMemory(), left: -1}
		blobs, err := blob.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		tree(t, store, blobs)
		store.damaged = map[string]bool{tt.damaged: true}
		d, err := planDeletion(t.Context(), store, infosOf(t, store, session.Filter{ID: "top"}))
		if err != nil {
			t.Fatal(err)
		}
		if len(d.going) != tt.going || len(d.blobs) != tt.blobs || (d.unread != nil) != tt.unread {
			t.Errorf("%s is damaged: %v and %v go, %v", tt.damaged, d.going, d.blobs, d.unread)
		}
	}
}
