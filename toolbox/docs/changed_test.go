package docs_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

// folder is a corpus whose documents change.
type folder struct {
	t   *testing.T
	dir string
	ix  *corpus.Index
}

func newFolder(t *testing.T, files map[string]string) *folder {
	t.Helper()
	f := &folder{t: t, dir: t.TempDir()}
	var err error
	if f.ix, err = corpus.Open(t.Context(), t.TempDir(), corpus.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.ix.Close() })
	f.set(files)
	return f
}

// set writes files, removes those whose text is empty, and indexes the folder.
func (f *folder) set(files map[string]string) {
	f.t.Helper()
	for name, text := range files {
		name = filepath.Join(f.dir, name)
		var err error
		if text == "" {
			err = os.Remove(name)
		} else {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
	if _, err := f.ix.Update(f.t.Context(), f.dir); err != nil {
		f.t.Fatal(err)
	}
}

// told is what the last request says of changed sources, "" for nothing.
func told(m *modeltest.Scripted) string {
	reqs := m.Requests()
	var text strings.Builder
	for _, msg := range reqs[len(reqs)-1].Messages {
		if msg.Role != model.RoleUser {
			continue
		}
		for _, b := range msg.Blocks {
			if b, ok := b.(*model.Text); ok && strings.Contains(b.Text, "since you read it") {
				text.WriteString(b.Text)
			}
		}
	}
	return text.String()
}

// TestChangedDocuments: a session that goes on is told which of the documents
// that it has read are others by now, and of nothing else.
func TestChangedDocuments(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"ports.md":  "# Ports\n\nThe gateway listens on port 7070 by default.\n",
		"vacuum.md": "# Vacuum\n\nVacuum reclaims space.\n",
		"other.md":  "# Other\n\nNobody reads this.\n",
	}
	for _, tt := range []struct {
		name      string
		change    map[string]string
		has, hasn []string
	}{
		{"nothing has changed", nil, nil, nil},
		{"one that was not read", map[string]string{"other.md": "# Other\n\nIt is another now.\n"}, nil, nil},
		{"one that was read", map[string]string{"ports.md": "# Ports\n\nThe gateway listens on port 8080 by default.\n"},
			[]string{"changed since you read it: ports. "}, []string{"vacuum", "gone"}},
		{"one is gone", map[string]string{"vacuum.md": ""}, []string{"gone since you read it: vacuum. "}, []string{"ports"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, files)
			store := session.NewMemory()
			ask := func(ctx context.Context, in quarry.Input, turns ...*modeltest.Turn) *modeltest.Scripted {
				m := modeltest.NewScripted(turns...)
				agent, err := docs.NewAgent(docs.Config{Index: f.ix, Model: m, Store: store})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := agent.Run(ctx, in); err != nil && ctx.Err() == nil {
					t.Fatal(err)
				}
				return m
			}
			// The first prompt ends, the second is interrupted after it has read another.
			ask(t.Context(), quarry.Input{Prompt: "Port?", Session: "s"}, call("fetch_doc", `{"doc_id": "ports"}`), modeltest.Say("done"))
			ctx, cancel := context.WithCancel(t.Context())
			ask(ctx, quarry.Input{Prompt: "Vacuum?", Session: "s"}, call("fetch_doc", `{"doc_id": "vacuum"}`),
				modeltest.Func(func(context.Context, *model.Request) (*modeltest.Turn, error) {
					cancel()
					return modeltest.Hang(), nil
				}))
			f.set(tt.change)
			for _, in := range []quarry.Input{{Session: "s"}, {Session: "s", Prompt: "And now?"}} {
				got := told(ask(t.Context(), in, modeltest.Say("done")))
				if tt.has == nil && got != "" {
					t.Errorf("the model is told %q", got)
				}
				for _, s := range tt.has {
					if strings.Count(got, s) != 1 {
						t.Errorf("%q must be once in %q", s, got)
					}
				}
				for _, s := range tt.hasn {
					if strings.Contains(got, s) {
						t.Errorf("%q must not be in %q", s, got)
					}
				}
			}
		})
	}
}

// TestCounts: searches and fetches are counted as such.
func TestCounts(t *testing.T) {
	t.Parallel()
	result, _ := run(t, manual(t), "Port?", call("search_docs", `{"query": "port"}`).Call("search_docs", `{"query": "firewall"}`),
		call("fetch_doc", `{"doc_id": "ports"}`), call("submit_answer", goodAnswer))
	if s := result.Spent; s.Searches != 2 || s.Fetches != 1 || s.ToolCalls != 4 {
		t.Errorf("got %+v", s.Amounts)
	}
}

// TestBudgets: a limit of searches refuses further ones, and the answer is still
// taken.
func TestBudgets(t *testing.T) {
	t.Parallel()
	agent, err := docs.NewAgent(docs.Config{Index: manual(t), Limits: quarry.Limits{Searches: 1}, Model: modeltest.NewScripted(
		call("search_docs", `{"query": "port"}`), call("search_docs", `{"query": "firewall"}`), call("submit_answer", goodAnswer),
	)})
	if err != nil {
		t.Fatal(err)
	}
	result, err := agent.Run(t.Context(), quarry.Input{Prompt: "Port?"})
	if err != nil {
		t.Fatal(err)
	}
	if _, status := docs.Parse(result); status != docs.StatusAnswered || len(result.Limits) != 1 || result.Limits[0] != (session.LimitHit{Name: "searches", Value: 1, Used: 1}) {
		t.Errorf("got %s, %+v", status, result.Limits)
	}
}
