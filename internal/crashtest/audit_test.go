package crashtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// unknownText is what the model is told of a call whose end nobody knows.
const unknownText = "nobody knows whether it took effect"

// evidence is what is known of a session that has come to its end.
type evidence struct {
	session string
	recs    []session.Record
	info    session.Info
	// processes are those that worked on the session, in their order; owner tells
	// which one made a record, from the number of the record. A record that was
	// there before has no owner.
	processes []string
	owner     map[int64]string
	// start is how many records there were when a process began.
	start map[string]int64
	calls []call
	asks  []ask
}

// toolCall is what the journal says of a tool call.
type toolCall struct {
	name, key string
	intents   map[string]int // by process
	last      session.ToolCalled
	open      int64 // the last intent's number
	answered  *session.ToolAnswered
	outcome   int64 // the answer's number
}

// figures are what the audit counts, over all sessions.
type figures struct {
	Sessions, Processes, Records, RepeatedReads, RepeatedWrites, RepeatedAsks, Unknown int
}

func (f *figures) add(g figures) {
	f.Sessions += g.Sessions
	f.Processes += g.Processes
	f.Records += g.Records
	f.RepeatedReads += g.RepeatedReads
	f.RepeatedWrites += g.RepeatedWrites
	f.RepeatedAsks += g.RepeatedAsks
	f.Unknown += g.Unknown
}

// audit compares the journal of a session with what the world saw of it.
func (e *evidence) audit(t *testing.T, want *quarry.Result) (f figures) {
	t.Helper()
	f = figures{Sessions: 1, Processes: len(e.processes), Records: len(e.recs)}
	e.auditJournal(t, want)
	tools := e.auditTools(t, &f)
	e.auditModel(t, &f, tools["pay"])
	if t.Failed() {
		t.Log(e.show())
	}
	return f
}

// auditJournal checks that the journal is whole: dense, one prompt, one result,
// what the responses cost added up once.
func (e *evidence) auditJournal(t *testing.T, want *quarry.Result) {
	t.Helper()
	prompts, ends := 0, 0
	var usage model.Usage
	for i, rec := range e.recs {
		if rec.Seq != int64(i+1) {
			t.Fatalf("record %d comes where %d is due", rec.Seq, i+1)
		}
		switch ev := rec.Event.(type) {
		case *session.Prompted:
			prompts++
		case *session.ModelAnswered:
			usage.Add(&ev.Response.Usage)
		case *session.Ended:
			ends++
			if diff := cmp.Diff(plain(want), plain(&ev.Result)); diff != "" {
				t.Errorf("the result in the journal is another one (-want +got):\n%s", diff)
			}
		}
	}
	if _, ok := e.recs[len(e.recs)-1].Event.(*session.Ended); !ok || prompts != 1 || ends != 1 {
		t.Errorf("the journal has %d prompts and %d results", prompts, ends)
	}
	if diff := cmp.Diff(want.Usage, usage); diff != "" {
		t.Errorf("the responses in the journal cost something else (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Usage, e.info.Usage); diff != "" || e.info.Turns != want.Turns || e.info.ToolCalls != want.ToolCalls {
		t.Errorf("the summary has %d turns, %d calls of tools and this cost (-want +got):\n%s", e.info.Turns, e.info.ToolCalls, diff)
	}
}

// auditTools checks each call of a tool against the ledger.
func (e *evidence) auditTools(t *testing.T, f *figures) map[string]*toolCall {
	t.Helper()
	byPlace, byKey, byName := map[string]*toolCall{}, map[string]*toolCall{}, map[string]*toolCall{}
	for _, rec := range e.recs {
		switch ev := rec.Event.(type) {
		case *session.ToolCalled:
			place := fmt.Sprintf("%d.%d", ev.Turn, ev.Index)
			c := byPlace[place]
			if c == nil {
				c = &toolCall{name: ev.Name, key: ev.Key, intents: map[string]int{}}
				byPlace[place], byKey[ev.Key], byName[ev.Name] = c, c, c
			}
			if c.key != ev.Key || ev.Attempt != c.last.Attempt+1 {
				t.Errorf("record %d: the call of %s is attempt %d with the key %s, after attempt %d with %s", rec.Seq, ev.Name, ev.Attempt, ev.Key, c.last.Attempt, c.key)
			}
			if c.answered != nil {
				t.Errorf("record %d: %s is called again, and its outcome is record %d", rec.Seq, ev.Name, c.outcome)
			}
			c.last, c.open = *ev, rec.Seq
			c.intents[e.owner[rec.Seq]]++
		case *session.ToolAnswered:
			c := byPlace[fmt.Sprintf("%d.%d", ev.Turn, ev.Index)]
			if c == nil {
				t.Errorf("record %d: %s is answered and was not called", rec.Seq, ev.Name)
				continue
			}
			if c.answered != nil {
				t.Errorf("record %d: %s is answered twice, before in record %d", rec.Seq, ev.Name, c.outcome)
			}
			c.answered, c.outcome = ev, rec.Seq
		}
	}
	if len(byName) != len(repeatable) || len(byPlace) != len(repeatable) {
		t.Errorf("the journal has calls of %d tools, want %d", len(byName), len(repeatable))
	}

	counts := map[string]map[string]int{} // by key and process
	for _, c := range e.calls {
		if byKey[c.key] == nil {
			t.Errorf("%s is called with the key %s, which is not in the journal", c.tool, c.key)
			continue
		}
		if counts[c.key] == nil {
			counts[c.key] = map[string]int{}
		}
		counts[c.key][c.process]++
	}
	for _, c := range byKey {
		e.auditTool(t, f, c, counts[c.key])
	}
	return byName
}

// auditTool checks one call of a tool. Calls has how often each process
// performed it.
func (e *evidence) auditTool(t *testing.T, f *figures, c *toolCall, calls map[string]int) {
	t.Helper()
	total := 0
	for _, n := range calls {
		total += n
	}
	if c.answered == nil {
		t.Errorf("%s has no outcome", c.name)
		return
	}
	for _, p := range e.processes {
		if calls[p] > c.intents[p] {
			t.Errorf("process %s performs %s %d times, with %d intents of it in the journal", p, c.name, calls[p], c.intents[p])
		}
		if c.outcome <= e.start[p] && calls[p] > 0 {
			t.Errorf("process %s performs %s, whose outcome was record %d when it began with %d", p, c.name, c.outcome, e.start[p])
		}
	}
	owner := e.owner[c.outcome]
	if owner == "" {
		return // it ended before the processes began
	}
	lost := c.intents[owner] == 0 // nobody who saw it done journaled its end
	if repeatable[c.name] {
		if lost || c.answered.Unknown || c.answered.IsError {
			t.Errorf("%s may be repeated and is answered %+v by a process that did not call it", c.name, c.answered)
		}
		if calls[owner] != 1 {
			t.Errorf("process %s says how %s ended, and performed it %d times", owner, c.name, calls[owner])
		}
		if c.name == "write" {
			f.RepeatedWrites += max(0, total-1)
		} else {
			f.RepeatedReads += max(0, total-1)
		}
		return
	}
	if c.last.Attempt != 1 || total > 1 {
		t.Errorf("%s must not be repeated: it has %d attempts and is performed %d times", c.name, c.last.Attempt, total)
	}
	if c.answered.Unknown != lost || c.answered.IsError != lost || strings.Contains(c.answered.Content.Text(), unknownText) != lost {
		t.Errorf("lost is %v, and the outcome of %s is %+v", lost, c.name, c.answered)
	}
	if !lost && total != 1 {
		t.Errorf("%s ended well, and was performed %d times", c.name, total)
	}
	if lost {
		f.Unknown++
	}
}

// auditModel checks the calls of the model against its server, and what it was
// told of the payment.
func (e *evidence) auditModel(t *testing.T, f *figures, pay *toolCall) {
	t.Helper()
	answered := map[int]int64{}
	intents := map[int]map[string]int{}
	attempts := map[int]int{}
	for _, rec := range e.recs {
		switch ev := rec.Event.(type) {
		case *session.ModelCalled:
			if answered[ev.Turn] > 0 || ev.Attempt != attempts[ev.Turn]+1 {
				t.Errorf("record %d: the model is asked turn %d as attempt %d, after %d; its answer is record %d", rec.Seq, ev.Turn, ev.Attempt, attempts[ev.Turn], answered[ev.Turn])
			}
			attempts[ev.Turn] = ev.Attempt
			if intents[ev.Turn] == nil {
				intents[ev.Turn] = map[string]int{}
			}
			intents[ev.Turn][e.owner[rec.Seq]]++
		case *session.ModelAnswered:
			if answered[ev.Turn] > 0 {
				t.Errorf("record %d: turn %d is answered twice", rec.Seq, ev.Turn)
			}
			answered[ev.Turn] = rec.Seq
		}
	}
	counts := map[int]map[string]int{}
	for _, a := range e.asks {
		if counts[a.turn] == nil {
			counts[a.turn] = map[string]int{}
		}
		counts[a.turn][a.process]++
		if a.turn > 3 && pay != nil && pay.answered != nil {
			e.auditTold(t, a, pay.answered.Unknown)
		}
	}
	if len(answered) != len(script()) {
		t.Errorf("%d turns are answered, want %d", len(answered), len(script()))
	}
	for turn, seq := range answered {
		total := 0
		for _, p := range e.processes {
			n := counts[turn][p]
			total += n
			if n > intents[turn][p] {
				t.Errorf("process %s asks turn %d %d times, with %d intents in the journal", p, turn, n, intents[turn][p])
			}
			if seq <= e.start[p] && n > 0 {
				t.Errorf("process %s asks turn %d, whose answer was record %d when it began with %d", p, turn, seq, e.start[p])
			}
		}
		f.RepeatedAsks += max(0, total-1)
		if p := e.owner[seq]; p != "" && counts[turn][p] != 1 {
			t.Errorf("process %s has the answer of turn %d, and asked %d times", e.owner[seq], turn, counts[turn][e.owner[seq]])
		}
	}
	if repeats, most := f.RepeatedAsks, len(e.processes)-1; repeats > most {
		t.Errorf("%d calls of the model are repeated, with %d crashes", repeats, most)
	}
}

// auditTold checks that the model is told of the payment what the journal says.
func (e *evidence) auditTold(t *testing.T, a ask, unknown bool) {
	t.Helper()
	for _, m := range a.request.Messages {
		for _, b := range m.Blocks {
			result, ok := b.(*model.ToolResult)
			if !ok || result.ToolUseID != "toolu_pay" {
				continue
			}
			if result.IsError != unknown || strings.Contains(result.Content.Text(), unknownText) != unknown {
				t.Errorf("unknown is %v, and the model is told %v %q", unknown, result.IsError, result.Content.Text())
			}
			return
		}
	}
	t.Errorf("turn %d is asked without a result of the payment", a.turn)
}

// show prints the evidence for a test that failed.
func (e *evidence) show() string {
	var out strings.Builder
	fmt.Fprintf(&out, "processes %v, which began with %v records\n", e.processes, e.start)
	for _, rec := range e.recs {
		data, _ := session.EncodeEvent(rec.Event)
		fmt.Fprintf(&out, "%3d %s %-14s %.160s\n", rec.Seq, e.owner[rec.Seq], rec.Event.Kind(), data)
	}
	for _, c := range e.calls {
		fmt.Fprintf(&out, "ledger: %+v\n", c)
	}
	for _, a := range e.asks {
		fmt.Fprintf(&out, "model: process %s turn %d\n", a.process, a.turn)
	}
	return out.String()
}

// plain is a result as JSON, without what differs from run to run: its name, its
// time, and what crashes lost.
func plain(r *quarry.Result) string {
	if r == nil {
		return "none"
	}
	same := *r
	same.Session, same.Duration = "", 0
	// What a crash lost is counted elsewhere.
	same.Spent = r.Spent.Clone()
	same.Spent.Lost, same.Unknown = 0, nil
	for i := range same.Spent.Tools {
		same.Spent.Tools[i].Errors = 0
	}
	data, err := json.MarshalIndent(same, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(data)
}
