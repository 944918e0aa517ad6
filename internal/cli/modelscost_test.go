package cli

import (
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/prices"
	"github.com/quarry-sdk/quarry/session"
)

// TestBill: the cost is the sum of the result, and unknown where the records or
// the result tell that something may be missing from it, unless all is free.
func TestBill(t *testing.T) {
	t.Parallel()
	const sonnet, haiku, free = "anthropic/claude-sonnet-4-5", "anthropic/claude-haiku-4-5", "extractive"
	type record struct {
		id string
		ev session.Event
	}
	at := func(id string, evs ...session.Event) (recs []record) {
		for _, ev := range evs {
			recs = append(recs, record{id, ev})
		}
		return recs
	}
	begin := func(model string) session.Event { return &session.Started{Model: model} }
	fail := func(status int) session.Event {
		return &session.ModelFailed{Error: &model.Error{Status: status}}
	}
	instead := func(model string) session.Event { return &session.ModelCalled{Fallback: 1, Model: model} }
	var (
		call   = &session.ModelCalled{}
		answer = &session.ModelAnswered{Response: &model.Response{}}
	)
	spent := func(turns int64, usd float64) session.Spent {
		return session.Spent{Amounts: session.Amounts{Turns: turns, USD: session.USD(usd)}}
	}
	unpriced := spent(1, 0.2)
	unpriced.Unpriced = 1
	lost := spent(1, 0.2)
	lost.Lost = 1
	lostPaid := lost
	lostPaid.Agents = []session.AgentSpent{{Agent: "a", Model: sonnet}}
	for _, tt := range []struct {
		name  string
		recs  []record
		spent session.Spent
		want  float64 // -1: unknown
	}{
		{"nothing asked", at("s", begin(sonnet)), spent(0, 0), 0},
		{"two answers", at("s", begin(sonnet), call, answer, call, answer), spent(2, 0.3), 0.3},
		{"a price that is not known", at("s", begin(sonnet), call, answer), unpriced, -1},
		{"not known of what is free otherwise", at("s", begin(free), call, answer), unpriced, -1},
		{"lost", at("s", begin(sonnet), call, call, answer), lost, -1},
		{"lost, but free", at("s", begin(free), call, call, answer), lost, 0.2},
		{"lost, and another model was asked", at("s", begin(free), call, call, answer), lostPaid, -1},
		{"lost, and a fallback was asked", at("s", begin(free), call, instead(haiku), answer), lost, -1},
		{"turned away and tried again", at("s", begin(sonnet), call, fail(429), call, answer), spent(1, 0.3), 0.3},
		{"a free fallback", at("s", begin(sonnet), call, fail(500), instead(free), answer), spent(1, 0), 0},
		{"broken off", at("s", begin(sonnet), call, fail(200), call, answer), spent(1, 0.3), -1},
		{"no connection", at("s", begin(sonnet), call, fail(0)), spent(0, 0), -1},
		{"in flight", at("s", begin(sonnet), call), spent(0, 0), -1},
		{"a child that was stopped", append(at("s", begin(sonnet), call, answer), at("c", begin(sonnet), call, answer)...), spent(1, 0.3), -1},
		{"a free child that was stopped", append(at("s", begin(free), call, answer), at("c", begin(free), call, answer)...), spent(1, 0), 0},
		{"a child that cost something was stopped", append(at("s", begin(free), call, answer), at("c", begin(haiku), call, answer)...), spent(1, 0), -1},
		{"an old journal", at("s", begin(sonnet), call, answer), spent(0, 0), -1},
		{"an old journal, free", at("s", begin(free), call, answer), spent(0, 0), 0},
		{"resumed with another model", at("s", begin(free), &session.Reconfigured{Model: sonnet}, call, call, answer), lost, -1},
	} {
		b := newBill(prices.Default())
		for _, rec := range tt.recs {
			b.record(rec.id, &session.Record{Event: rec.ev})
		}
		for range 2 { // the next prompt begins at nothing
			got := b.end(&tt.spent)
			if (got != nil) != (tt.want >= 0) || got != nil && *got != tt.want {
				shown := any("unknown")
				if got != nil {
					shown = *got
				}
				t.Errorf("%s: %v, want %v", tt.name, shown, tt.want)
			}
			tt.spent, tt.want = session.Spent{}, 0
		}
	}
}
