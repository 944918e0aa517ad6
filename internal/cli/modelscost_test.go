package cli

import (
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/prices"
	"github.com/quarry-sdk/quarry/session"
)

// TestMeter: each response is paid at the price of the model that it names, and
// what may have been billed without a usage makes the cost unknown.
func TestMeter(t *testing.T) {
	t.Parallel()
	const sonnet, haiku = "anthropic/claude-sonnet-4-5", "anthropic/claude-haiku-4-5"
	answer := func(name string, usage model.Usage) session.Event {
		return &session.ModelAnswered{Response: &model.Response{Model: name, Usage: usage}}
	}
	fail := func(status int) session.Event {
		return &session.ModelFailed{Error: &model.Error{Status: status}}
	}
	hundredK := model.Usage{InputTokens: 100_000}
	var (
		prompt = &session.Prompted{}
		call   = &session.ModelCalled{}
	)
	for _, tt := range []struct {
		name, model string
		events      []session.Event
		want        float64 // -1: unknown
	}{
		{"nothing asked", sonnet, []session.Event{prompt}, 0},
		{"one answer", sonnet, []session.Event{prompt, call, answer("claude-sonnet-4-5-20250929", hundredK)}, 0.3},
		{"sums have no dust", sonnet, []session.Event{
			prompt, call, answer("", model.Usage{InputTokens: 33_333}), call, answer("", model.Usage{InputTokens: 66_667}), call, answer("", model.Usage{InputTokens: 100_000}),
		}, 0.6},
		{"no name in the response", sonnet, []session.Event{prompt, call, answer("", hundredK)}, 0.3},
		{"two models", sonnet, []session.Event{prompt, call, answer("claude-sonnet-4-5", hundredK), call, answer("claude-haiku-4-5", hundredK)}, 0.4},
		{"long in sum, short each", sonnet, []session.Event{prompt, call, answer("", hundredK), call, answer("", hundredK), call, answer("", hundredK)}, 0.9},
		{"a fallback of the same provider", sonnet, []session.Event{prompt, call, fail(529), &session.ModelCalled{Fallback: 1, Model: haiku}, answer("", hundredK)}, 0.1},
		{"a fallback of another provider", sonnet, []session.Event{prompt, &session.ModelCalled{Fallback: 1, Model: "openai/gpt-5"}, answer("gpt-5-2025-08-07", hundredK)}, 0.125},
		{"a free fallback", sonnet, []session.Event{prompt, call, fail(500), &session.ModelCalled{Fallback: 1, Model: "extractive"}, answer("extractive", hundredK)}, 0},
		{"the next prompt begins at nothing", sonnet, []session.Event{prompt, call, answer("unheard-of", hundredK), prompt, call, answer("", hundredK)}, 0.3},

		{"one of two unknown", sonnet, []session.Event{prompt, call, answer("", hundredK), call, answer("claude-sonnet-4", hundredK)}, -1},
		{"turned away and tried again", sonnet, []session.Event{prompt, call, fail(429), call, answer("", hundredK)}, 0.3},
		{"broken off and tried again", sonnet, []session.Event{prompt, call, fail(200), call, answer("", hundredK)}, -1},
		{"no connection", sonnet, []session.Event{prompt, call, fail(0)}, -1},
		{"in flight", sonnet, []session.Event{prompt, call}, -1},
		{"lost in a crash", sonnet, []session.Event{prompt, call, call, answer("", hundredK)}, -1},
		{"lost, but free", "extractive", []session.Event{prompt, call, call, answer("extractive", hundredK)}, 0},
	} {
		m := &meter{table: prices.Default(), model: tt.model}
		for _, ev := range tt.events {
			m.record(&session.Record{Event: ev})
		}
		got := m.cost()
		if (got != nil) != (tt.want >= 0) || got != nil && *got != tt.want {
			shown := any("unknown")
			if got != nil {
				shown = *got
			}
			t.Errorf("%s: %v, want %v", tt.name, shown, tt.want)
		}
	}
}
