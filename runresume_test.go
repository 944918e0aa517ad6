package quarry_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// effects notes which tools ran, as the outside world would see it.
type effects struct {
	mu  sync.Mutex
	ran []string
}

func (e *effects) tool(name string, spec quarry.ToolSpec) *quarry.Tool {
	spec.Name = name
	return quarry.NewTool(spec, func(ctx context.Context, in numberIn) (string, error) {
		call, _ := quarry.CallFrom(ctx)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.ran = append(e.ran, call.Key)
		return fmt.Sprintf("%s %d", name, in.N), nil
	})
}

func (e *effects) config(store session.Store) quarry.Config {
	return quarry.Config{
		Model: modeltest.NewScripted(modeltest.EachConversation(
			modeltest.Call("read", number(1)).Call("pay", number(2)).Call("push", number(3)),
			modeltest.Call("push", number(4)).Call("read", number(5)),
			modeltest.Say("Done."),
		)),
		Store: store,
		Tools: []*quarry.Tool{
			e.tool("read", quarry.ToolSpec{Effect: quarry.ReadOnly}),
			e.tool("pay", quarry.ToolSpec{Idempotent: true}),
			e.tool("push", quarry.ToolSpec{}),
		},
	}
}

// TestCrashAnywhere cuts the journal of a run after each of its records, as a
// crash would, and lets a new agent go on: the run comes to its end, nothing
// that has an outcome is done again, and what must not be repeated is not.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	stores := map[string]func(t *testing.T) session.Store{
		"memory": func(*testing.T) session.Store { return session.NewMemory() },
		"sqlite": func(t *testing.T) session.Store {
			store, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(t.TempDir(), "quarry.db")})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			})
			return store
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := session.NewMemory()
			var first effects
			result, _, err := play(t.Context(), t, newAgent(t, first.config(whole)), quarry.Input{Prompt: "Go.", Session: "s"})
			if err != nil || result.Turns != 3 || result.ToolCalls != 5 {
				t.Fatalf("got %+v, %v", result, err)
			}
			recs := journal(t, whole, "s")
			for cut := 2; cut < len(recs); cut++ {
				t.Run(fmt.Sprintf("after %02d %s", cut, recs[cut-1].Event.Kind()), func(t *testing.T) {
					t.Parallel()
					store := open(t)
					if err := store.Append(t.Context(), "s", 0, recs[:cut]); err != nil {
						t.Fatal(err)
					}
					testCrash(t, store, recs[:cut])
				})
			}
		})
	}
}

func testCrash(t *testing.T, store session.Store, before []session.Record) {
	started, done := map[string]string{}, map[string]bool{}
	lostModelCall := false
	for _, rec := range before {
		switch ev := rec.Event.(type) {
		case *session.ModelCalled:
			lostModelCall = true
		case *session.ModelAnswered:
			lostModelCall = false
		case *session.ToolCalled:
			started[ev.Key] = ev.Name
		case *session.ToolAnswered:
			done[fmt.Sprintf("s/%d.%d", ev.Turn, ev.Index)] = true
		}
	}
	var e effects
	cfg := e.config(store)
	agent := newAgent(t, cfg)
	result, _, err := play(t.Context(), t, agent, quarry.Input{Session: "s"})
	if err != nil || !result.OK() || result.Text != "Done." || result.Turns != 3 || result.ToolCalls != 5 {
		t.Fatalf("got %+v, %v", result, err)
	}

	for _, key := range []string{"s/1.0", "s/1.1", "s/1.2", "s/2.0", "s/2.1"} {
		want := 1
		if done[key] || started[key] == "push" {
			want = 0
		}
		n := 0
		for _, ran := range e.ran {
			if ran == key {
				n++
			}
		}
		if n != want {
			t.Errorf("the call %s of %s runs %d times after the crash, want %d", key, started[key], n, want)
		}
	}

	recs := journal(t, store, "s")
	after := kinds(recs[len(before):])
	if after[0] != session.KindResumed || slices.Index(after[1:], session.KindResumed) >= 0 {
		t.Errorf("it goes on with %v", after)
	}
	for _, rec := range recs[len(before):] {
		switch ev := rec.Event.(type) {
		case *session.ModelCalled:
			if (ev.Attempt == 2) != lostModelCall {
				t.Errorf("the model is asked as turn %d, attempt %d", ev.Turn, ev.Attempt)
			}
			lostModelCall = false
		case *session.ToolCalled:
			if _, again := started[ev.Key]; (ev.Attempt == 2) != again {
				t.Errorf("the call %s is attempt %d", ev.Key, ev.Attempt)
			}
		case *session.ToolAnswered:
			key := fmt.Sprintf("s/%d.%d", ev.Turn, ev.Index)
			if lost := started[key] == "push"; ev.Unknown != lost || (lost && !strings.Contains(ev.Content.Text(), "nobody knows whether it took effect")) {
				t.Errorf("the call %s is answered %+v", key, ev)
			}
		}
	}
	if requests := cfg.Model.(*modeltest.Scripted).Requests(); len(requests) > 0 {
		if err := modeltest.CheckHistory(requests[len(requests)-1].Messages); err != nil {
			t.Error(err)
		}
	}
}

// A session that is read from a file is asked on as the one in memory was: the
// provider's cache of the history stays valid.
func TestResumedHistoryIsTheSame(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	var histories [2]string
	for i := range histories {
		store, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		m := modeltest.NewScripted(modeltest.EachConversation(
			modeltest.Think("Rome <it> is.", "sig").Call("weather", `{ "city" : "Rome & <more>" }`).Call("weather", cityIn{"Oslo"}),
			modeltest.Say("Sunny & warm."),
			modeltest.Say("As I said."),
		))
		agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{weather()}})
		for range 2 - i {
			if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "How is the weather?", Session: fmt.Sprintf("s%d", i)}); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 { // resumed by another agent, from the file
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			if store, err = sqlite.Open(t.Context(), sqlite.Config{Path: path}); err != nil {
				t.Fatal(err)
			}
			agent = newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{weather()}})
			if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "How is the weather?", Session: "s1"}); err != nil {
				t.Fatal(err)
			}
		}
		requests := m.Requests()
		histories[i] = show(requests[len(requests)-1].Messages)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if histories[0] != histories[1] {
		t.Errorf("the history differs:\n%s\n%s", histories[0], histories[1])
	}
}

func show(messages []*model.Message) string {
	var out strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&out, "%s:", m.Role)
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *model.Text:
				fmt.Fprintf(&out, " %q", b.Text)
			case *model.Thinking:
				fmt.Fprintf(&out, " %q/%q", b.Text, b.Signature)
			case *model.ToolUse:
				fmt.Fprintf(&out, " %s=%s", b.Name, b.Input)
			case *model.ToolResult:
				fmt.Fprintf(&out, " %q", b.Content.Text())
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}
