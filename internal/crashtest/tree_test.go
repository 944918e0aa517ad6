package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// treeSessions are the sessions of the tree.
var treeSessions = []string{"s", "s-1-1", "s-1-2"}

// tree is one run of the tree of agents, over the lives of several processes.
type tree struct {
	t      *testing.T
	model  *modeltest.Server
	ledger *httptest.Server
	path   string
	lives  int
	// recs are the journals as they were after the last process.
	recs map[string][]session.Record

	mu sync.Mutex
	// posts counts what came to the ledger, by process and key; charges is its book.
	posts   map[string]map[string]int
	charges map[string]string
}

func newTreeRun(t *testing.T) *tree {
	w := &tree{
		t: t, path: filepath.Join(t.TempDir(), "quarry.db"), recs: map[string][]session.Record{},
		posts: map[string]map[string]int{}, charges: map[string]string{},
	}
	w.model = modeltest.NewServer(modeltest.ServerConfig{APIKey: "test-key", Script: modeltest.Script{modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		step, turn := treeTurn(req)
		return turn.Usage(treeUsage(step)), nil
	})}})
	t.Cleanup(w.model.Close)
	w.ledger = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.ledger.Close)
	return w
}

// serve is the ledger: a POST does something, a GET asks whether a charge was made.
func (w *tree) serve(rw http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // the process was killed
	}
	tool := strings.TrimPrefix(r.URL.Path, "/")
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Method == http.MethodGet {
		receipt, ok := w.charges[r.URL.Query().Get("key")]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		fmt.Fprint(rw, receipt)
		return
	}
	process, key := r.Header.Get(headerProcess), r.Header.Get(headerKey)
	if w.posts[process] == nil {
		w.posts[process] = map[string]int{}
	}
	w.posts[process][key]++
	receipt := tool + " is done. " + strings.Repeat(tool+" ", 300)
	if tool == "charge" {
		if _, twice := w.charges[key]; twice {
			w.t.Errorf("the card is charged twice under %s", key)
		}
		w.charges[key] = receipt
	}
	fmt.Fprint(rw, receipt)
}

// asks counts the calls of the model, by process and step.
func (w *tree) asks() map[string]map[string]int {
	asks := map[string]map[string]int{}
	for _, r := range w.model.Requests() {
		if r.Request == nil {
			if json.Valid(r.Body) {
				w.t.Errorf("the model refuses %s", r.Body)
			}
			continue // the process was killed while it sent this
		}
		process := r.Header.Get(headerProcess)
		if asks[process] == nil {
			asks[process] = map[string]int{}
		}
		step, _ := treeTurn(r.Request)
		asks[process][step]++
	}
	return asks
}

// live lets a process work until its stop, and kills it there; where there is none
// it returns what the process reports. What a process did that the journal had
// before it began is an error.
func (w *tree) live(s stop, change func(*job)) *report {
	w.t.Helper()
	w.lives++
	j := w.job(s)
	if change != nil {
		change(j)
	}
	before := w.recs
	c, err := startChild(w.t, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	c.give(j)
	var r *report
	if line := c.hear(); line == sayStopped {
		c.kill()
	} else {
		r = c.done(line)
		c.end()
	}
	w.look()
	w.audit(j.Process, before)
	return r
}

// job is a job for the present process.
func (w *tree) job(s stop) *job {
	return &job{Path: w.path, Session: "s", Process: fmt.Sprint(w.lives), Model: w.model.URL, Ledger: w.ledger.URL, Stop: s, Tree: true}
}

// look reads the journals, and checks that what was durable before still is.
func (w *tree) look() {
	w.t.Helper()
	store, err := sqlite.Open(w.t.Context(), sqlite.Config{Path: copyOf(w.t, w.path)})
	if err != nil {
		w.t.Fatal(err)
	}
	defer store.Close()
	now := map[string][]session.Record{}
	for _, id := range treeSessions {
		recs, err := load(w.t.Context(), store, id)
		if err != nil {
			w.t.Fatal(err)
		}
		was := w.recs[id]
		if len(recs) < len(was) {
			w.t.Fatalf("the journal of %s had %d records and has %d", id, len(was), len(recs))
		}
		if diff := cmp.Diff(asJSON(w.t, was), asJSON(w.t, recs[:len(was)])); diff != "" {
			w.t.Fatalf("records of %s that were durable have changed:\n%s", id, diff)
		}
		now[id] = recs
	}
	w.recs = now
}

// audit checks that a process has not done again what the journals had an outcome
// of when it began.
func (w *tree) audit(process string, before map[string][]session.Record) {
	w.t.Helper()
	asks := w.asks()[process]
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range treeSessions {
		keys, step := map[string]string{}, newSteps(id)
		for _, rec := range before[id] {
			switch ev := rec.Event.(type) {
			case *session.ToolCalled:
				keys[fmt.Sprint(ev.Turn, ev.Index)] = ev.Key
			case *session.ToolAnswered:
				if n := w.posts[process][keys[fmt.Sprint(ev.Turn, ev.Index)]]; n > 0 {
					w.t.Errorf("process %s does %s of %s again, which record %d has", process, ev.Name, id, rec.Seq)
				}
			case *session.ModelAnswered:
				if name := step(); asks[name] > 0 {
					w.t.Errorf("process %s asks again what %q, record %d of %s has", process, name, rec.Seq, id)
				}
			}
		}
	}
}

// newSteps returns the steps that the answers in a session's journal are, one
// after the other.
func newSteps(id string) func() string {
	prefix := map[string]string{"s": "boss", "s-1-1": "clerk one", "s-1-2": "clerk two"}[id]
	at := -1
	return func() string {
		for at++; at < len(treeSteps); at++ {
			if strings.HasPrefix(treeSteps[at], prefix) {
				return treeSteps[at]
			}
		}
		return "a step too many of " + id
	}
}

// finish checks the end of a run that was cut off so many times.
func (w *tree) finish(r *report, want *quarry.Result, crashes int) (repeated int) {
	w.t.Helper()
	if r == nil || r.Err != "" {
		w.t.Fatalf("the run failed: %+v", r)
	}
	if diff := cmp.Diff(plain(want), plain(r.Result)); diff != "" {
		w.t.Errorf("the result is another one (-want +got):\n%s", diff)
	}
	if len(w.charges) != 1 || len(r.Result.Unknown) != 0 {
		w.t.Errorf("the card is charged %d times, and unknown is %+v", len(w.charges), r.Result.Unknown)
	}
	byAgent, total := map[string]int{}, map[string]int{}
	for _, steps := range w.asks() {
		for step, n := range steps {
			total[step] += n
		}
	}
	for _, step := range treeSteps {
		if total[step] < 1 {
			w.t.Errorf("the model was never asked for %q", step)
		}
		agent := step[:strings.LastIndexByte(step, ' ')]
		byAgent[agent] += total[step] - 1
		repeated += total[step] - 1
	}
	for agent, n := range byAgent {
		if n > crashes {
			w.t.Errorf("%d calls of the model are repeated for %s, with %d crashes", n, agent, crashes)
		}
	}
	for _, id := range treeSessions {
		recs := w.recs[id]
		if _, ok := recs[len(recs)-1].Event.(*session.Ended); !ok {
			w.t.Errorf("the journal of %s ends with %s", id, recs[len(recs)-1].Event.Kind())
		}
	}
	return repeated
}

// wholeTree is a run that nothing interrupts.
func wholeTree(t *testing.T) (*quarry.Result, int) {
	t.Helper()
	w := newTreeRun(t)
	r := w.live(stop{}, nil)
	if r.Err != "" || !r.Result.OK() || !strings.Contains(string(r.Result.Output), `"sum":42`) {
		t.Fatalf("got %+v, %s", r.Result, r.Err)
	}
	if n := w.finish(r, r.Result, 0); n != 0 {
		t.Errorf("%d calls are repeated", n)
	}
	records, compactions := 0, 0
	for _, recs := range w.recs {
		records += len(recs)
		for _, rec := range recs {
			if rec.Event.Kind() == session.KindCompacted {
				compactions++
			}
		}
	}
	s := r.Result.Spent
	if compactions != 1 || s.Turns != int64(len(treeSteps)) || s.Children != 2 || s.ToolCalls != 10 || s.USD == 0 || s.Lost != 0 || s.Unpriced != 0 {
		t.Fatalf("it has %d compactions and spent %+v", compactions, s)
	}
	return r.Result, records
}

// TestTreeKilledAtEachRecord kills the process with SIGKILL after, and before,
// every single record of the tree's journals, and resumes it. Under the race
// detector it is after the odd ones and before the even ones.
func TestTreeKilledAtEachRecord(t *testing.T) {
	t.Parallel()
	want, records := wholeTree(t)
	var mu sync.Mutex
	points, repeated := 0, 0
	t.Cleanup(func() {
		t.Logf("%d records, %d kills, %d repeated calls of the model, each card charged once", records, points, repeated)
	})
	for at := 1; at <= records; at++ {
		for _, before := range []bool{false, true} {
			if raceEnabled && before == (at%2 == 1) {
				continue
			}
			t.Run(fmt.Sprintf("%02d before=%v", at, before), func(t *testing.T) {
				t.Parallel()
				w := newTreeRun(t)
				if r := w.live(stop{At: at, Split: true, Before: before}, nil); r != nil {
					t.Fatalf("the process was not killed: %+v", r)
				}
				n := w.finish(w.live(stop{}, nil), want, 1)
				mu.Lock()
				defer mu.Unlock()
				points++
				repeated += n
			})
		}
	}
}
