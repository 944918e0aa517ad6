package cli

import (
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// talk is one run of an agent as the command line shows it.
type talk struct {
	app *app
	// model is the agent's model, root the session's id, empty before it is known.
	model, root string
	// trace is nil where no trace is wanted.
	trace *tracer
	bill  *bill
	// due counts the prompts that have no result; cost is that of the last one that
	// has.
	due  int
	cost *float64
}

// recall takes in the records of a session that goes on.
func (t *talk) recall(recs []session.Record) {
	for i := range recs {
		t.count(t.root, &recs[i])
	}
	t.bill.models[t.root] = t.model
	if t.trace != nil {
		t.trace.recall(recs)
	}
}

// count keeps the books.
func (t *talk) count(id string, rec *session.Record) {
	t.bill.record(id, rec)
	if id != t.root {
		return
	}
	switch ev := rec.Event.(type) {
	case *session.Prompted:
		t.due++
	case *session.Ended:
		t.due--
		t.cost = t.bill.end(&ev.Result.Spent)
	}
}

// record takes a record of the session, or of a child, as it happens.
func (t *talk) record(id string, rec *session.Record) error {
	if t.root == "" {
		t.root = id // a session's own first record comes first
	}
	t.count(id, rec)
	a := t.app
	if a.flags.jsonl {
		if err := a.printJSON(recordJSON{id, rec}); err != nil {
			return err
		}
	}
	if ended, ok := rec.Event.(*session.Ended); ok && id == t.root && t.due > 0 && !a.flags.machine() {
		// Another prompt follows, whose result is the run's.
		r := ended.Result
		r.Session = id
		if err := a.printResult(t.model, &r, t.cost, t.trace != nil); err != nil {
			return err
		}
	}
	if t.trace != nil {
		t.trace.of(id).record(rec)
	}
	return nil
}

// stopped tells how to go on after an interruption, and passes on err.
func (t *talk) stopped(r *quarry.Result, err error) error {
	if r.Subtype != session.Stopped {
		return err
	}
	a := t.app
	a.tellCalls(r)
	if a.flags.machine() {
		if err := a.printJSON(newAnswerJSON(t.model, r, nil, "interrupted", t.bill.end(&r.Spent))); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.stderr, "stopped; go on with: quarry sessions resume %s\n", r.Session)
	}
	return err
}
