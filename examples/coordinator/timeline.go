package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

// timeline is when each session of a run began and ended.
type timeline struct{ rows []*row }

// row is one session.
type row struct {
	session, agent string
	began, ended   time.Time
	outcome        session.Subtype
	reason         string
}

// add takes a record of a journal.
func (t *timeline) add(id string, record *session.Record) {
	switch ev := record.Event.(type) {
	case *session.Started:
		t.rows = append(t.rows, &row{session: id, agent: ev.Agent, began: record.Time})
	case *session.Ended:
		for _, r := range t.rows {
			if r.session == id {
				r.ended, r.outcome, r.reason = record.Time, ev.Result.Subtype, ev.Result.Reason
			}
		}
	}
}

// width is that of the coordinator's bar.
const width = 40

// print draws a bar for each session and compares the times.
func (t *timeline) print(out io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	// The ids of children are the parent's with the place of the call behind it.
	slices.SortFunc(t.rows, func(a, b *row) int { return cmp.Compare(a.session, b.session) })
	whole := t.rows[0]
	total := whole.ended.Sub(whole.began)
	var slowest, sum time.Duration
	for _, r := range t.rows {
		from, to := r.began.Sub(whole.began), r.ended.Sub(whole.began)
		at := func(d time.Duration) int { return int(d * width / max(total, 1)) }
		bar := strings.Repeat(" ", at(from)) + strings.Repeat("=", max(at(to)-at(from), 1))
		fmt.Fprintf(out, "%-12s %5d to %5d ms  %-*s  %s (%s)\n", r.agent, from.Milliseconds(), to.Milliseconds(), width, bar, r.outcome, r.reason)
		if r != whole {
			slowest, sum = max(slowest, to-from), sum+to-from
		}
	}
	fmt.Fprintf(out, "The run took %d ms and its slowest agent %d ms. One after the other, the agents would have taken %d ms.\n",
		total.Milliseconds(), slowest.Milliseconds(), sum.Milliseconds())
}
