package quarry_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

var errDied = errors.New("the process has died")

// dyingStore takes so many appends and then dies: before the last one, or after it
// where it is kept.
type dyingStore struct {
	session.Store
	mu   sync.Mutex
	left int
	kept bool
}

func (s *dyingStore) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left > 0 {
		return s.Store.Append(ctx, id, after, recs)
	}
	if s.left == 0 && s.kept {
		if err := s.Store.Append(ctx, id, after, recs); err != nil {
			return err
		}
	}
	return errDied
}

// stopEverywhere runs the session "s" again and again. Each time it stops at
// another place, after a call of begin: by leaving the stream after so many records, or by a store that
// dies at an append. It then goes on with it, by an agent that is made anew, and
// hands what that comes to to check.
func stopEverywhere(t *testing.T, begin func(), agent func(store session.Store) *quarry.Agent, check func(t *testing.T, store session.Store, result *quarry.Result)) {
	t.Helper()
	for how, stop := range map[string]func(store session.Store, n int) (stopped bool){
		"left after record": func(store session.Store, n int) bool {
			seen := 0
			for ev := range agent(store).Stream(t.Context(), quarry.Input{Prompt: "Go.", Session: "s"}) {
				if ev.Record != nil {
					if seen++; seen == n {
						return true
					}
				}
			}
			return false
		},
		"died before append": func(store session.Store, n int) bool {
			_, err := agent(&dyingStore{Store: store, left: n}).Run(t.Context(), quarry.Input{Prompt: "Go.", Session: "s"})
			return errors.Is(err, errDied)
		},
		"died after append": func(store session.Store, n int) bool {
			_, err := agent(&dyingStore{Store: store, left: n, kept: true}).Run(t.Context(), quarry.Input{Prompt: "Go.", Session: "s"})
			return errors.Is(err, errDied)
		},
	} {
		for n := 1; ; n++ {
			begin()
			store := session.NewMemory()
			if !stop(store, n) {
				if n < 6 {
					t.Errorf("%s: there are %d places only", how, n-1)
				}
				break
			}
			ok := t.Run(fmt.Sprintf("%s %d", how, n), func(t *testing.T) {
				result, _, err := play(t.Context(), t, agent(store), quarry.Input{Session: "s"})
				if errors.Is(err, quarry.ErrNothingToDo) || errors.Is(err, session.ErrNotFound) {
					return // before there was a prompt, or after the end
				}
				if err != nil || !result.OK() {
					t.Fatalf("got %+v, %v", result, err)
				}
				check(t, store, result)
			})
			if !ok {
				break
			}
		}
	}
}
