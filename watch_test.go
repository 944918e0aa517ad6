package quarry

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

func TestPeriodic(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text   string
		period int
		want   bool
	}{
		{"", 4, false},
		{"aaaa", 1, true},
		{"abababab", 2, true},
		{"abababab", 1, false},
		{"abcabcab", 3, true}, // the last one is cut off
		{"abcabcab", 2, false},
		{"abcabdabc", 6, true},
		{"abcdefgh", 7, false},
		{"abcdefgh", 8, true},
	}
	for _, test := range tests {
		if got := periodic([]byte(test.text), test.period); got != test.want {
			t.Errorf("periodic(%q, %d) = %v", test.text, test.period, got)
		}
	}
}

// A model that repeats itself without end is stopped long before its limit of
// tokens; one that merely writes much, or the same twice, is not.
func TestRepetition(t *testing.T) {
	t.Parallel()
	numbers := ""
	for n := 0; len(numbers) < 100_000; n++ {
		numbers += time.Duration(n).String() + " is not the one before. "
	}
	paragraph := numbers[50_000:53_000]
	tests := []struct {
		name string
		turn *modeltest.Turn
		want bool
	}{
		{"one word", modeltest.Say(strings.Repeat("word ", 100_000)), true},
		{"a paragraph", modeltest.Say("First. " + strings.Repeat(numbers[:900], 500)), true},
		{"thinking", modeltest.Think(strings.Repeat("wait, ", 100_000), "sig").Say("Done."), true},
		{"arguments", modeltest.Call("write", map[string]string{"text": strings.Repeat("0", 200_000)}), true},
		{"a long text", modeltest.Say(numbers), false},
		{"a paragraph three times", modeltest.Say(paragraph + paragraph + paragraph), false},
		{"a long row of dashes", modeltest.Say(numbers[:9000] + strings.Repeat("-", 5000)), false},
		{"regular arguments", modeltest.Call("write", map[string]string{"text": strings.Repeat("0", 40_000)}), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := 0
			call := &session.CallModel{Called: &session.ModelCalled{Turn: 1}, Request: &model.Request{Messages: []*model.Message{model.UserText("Go.")}}}
			outcome := ask(t.Context(), &modeltest.Scripted{PieceRunes: 40, Script: modeltest.Script{test.turn}}, time.Minute, call, func(ev model.Event) bool {
				seen += len(ev.Text)
				return true
			})
			failed, ok := outcome.(*session.ModelFailed)
			if ok != test.want || ok && failed.Error.Kind != model.ErrRepetition {
				t.Fatalf("got %+v", outcome)
			}
			if ok && seen > 60_000 {
				t.Errorf("it is stopped after %d bytes", seen)
			}
		})
	}
}

// A model that sends nothing any more is given up, and asked again; one that
// sends slowly is not, nor one whose reader is slow.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent, err := New(Config{
			Model:  modeltest.NewScripted(modeltest.Say("Let me").Hang(), modeltest.Hang(), modeltest.Say("Here it is.")),
			Limits: Limits{Idle: 10 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		result, err := agent.Run(t.Context(), Input{Prompt: "Go."})
		if err != nil || !result.OK() || result.Retries != 2 || time.Since(began) < 20*time.Second || time.Since(began) > 25*time.Second {
			t.Errorf("after %v: %+v, %v", time.Since(began), result, err)
		}

		slow := &slowModel{pieces: 10, each: 9 * time.Second}
		if agent, err = New(Config{Model: slow, Limits: Limits{Idle: 10 * time.Second}}); err != nil {
			t.Fatal(err)
		}
		for ev, err := range agent.Stream(t.Context(), Input{Prompt: "Go."}) {
			if ev.Delta != nil {
				time.Sleep(time.Minute) // the reader takes its time
			}
			if ev.Result != nil && (err != nil || !ev.Result.OK()) {
				t.Errorf("got %+v, %v", ev.Result, err)
			}
		}
	})
}

// slowModel takes a time for each piece of its answer.
type slowModel struct {
	pieces int
	each   time.Duration
}

func (*slowModel) Name() string { return "slow/slow" }

func (m *slowModel) Stream(ctx context.Context, _ *model.Request) model.Stream {
	return func(yield func(model.Event, error) bool) {
		for range m.pieces {
			if sleepUntil(ctx, time.Now().Add(m.each)) != nil {
				yield(model.Event{}, context.Cause(ctx))
				return
			}
			if !yield(model.Event{Kind: model.EventText, Text: "x"}, nil) {
				return
			}
		}
		yield(model.Event{Kind: model.EventDone, Response: &model.Response{
			Message: model.NewMessage(model.RoleAssistant, &model.Text{Text: strings.Repeat("x", m.pieces)}), StopReason: model.StopEndTurn,
		}}, nil)
	}
}
