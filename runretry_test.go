package quarry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

func TestCallsAreTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.NewScripted(modeltest.Overloaded(), modeltest.Say("Half of").Cut(), modeltest.Say("All of it."))
		store := session.NewMemory()
		agent := newAgent(t, quarry.Config{Model: m, Store: store})
		began := time.Now()
		result, err := agent.Run(t.Context(), quarry.Input{Prompt: "Hi."})
		if err != nil {
			t.Fatal(err)
		}
		if !result.OK() || result.Text != "All of it." || result.Turns != 1 || result.Retries != 2 || result.Error != nil {
			t.Errorf("got %+v", result)
		}
		if took := time.Since(began); took < 1500*time.Millisecond || took > 3*time.Second {
			t.Errorf("it took %v; two waits of up to 1 and 2 seconds are due", took)
		}
		var attempts []int
		for _, rec := range journal(t, store, result.Session) {
			if called, ok := rec.Event.(*session.ModelCalled); ok {
				attempts = append(attempts, called.Attempt)
				if (called.Attempt > 1) != (called.Reason != "") {
					t.Errorf("the record of attempt %d gives the reason %q", called.Attempt, called.Reason)
				}
			}
		}
		if len(attempts) != 3 || attempts[2] != 3 {
			t.Errorf("the journal has the attempts %v", attempts)
		}
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.NewScripted(modeltest.RateLimited(10*time.Minute), modeltest.Say("Hello."))
		store := session.NewMemory()
		agent := newAgent(t, quarry.Config{Model: m, Store: store})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		result, err := agent.Run(ctx, quarry.Input{Prompt: "Hi."})
		if !errors.Is(err, context.DeadlineExceeded) || result.Subtype != quarry.Stopped || time.Since(began) > 1100*time.Millisecond {
			t.Fatalf("got %+v, %v after %v", result, err, time.Since(began))
		}
		// What is left of the wait is kept when it is resumed.
		if result, err = agent.Run(t.Context(), quarry.Input{Session: result.Session}); err != nil || result.Text != "Hello." {
			t.Fatalf("got %+v, %v", result, err)
		}
		if took := time.Since(began); took < 10*time.Minute || took > 11*time.Minute {
			t.Errorf("the call went out again after %v", took)
		}
	})
}

// Two agents share a key: when one is told to wait, the other waits too.
func TestARateLimitIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := &quarry.Gate{}
		first := newAgent(t, quarry.Config{Gate: gate, Model: modeltest.NewScripted(modeltest.RateLimited(time.Minute), modeltest.Say("One."))})
		second := newAgent(t, quarry.Config{Gate: gate, Model: modeltest.NewScripted(modeltest.Say("Two."))})
		began := time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := first.Run(t.Context(), quarry.Input{Prompt: "Hi."}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait() // the first waits now
		if _, err := second.Run(t.Context(), quarry.Input{Prompt: "Hi."}); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < time.Minute {
			t.Errorf("the second was asked after %v", took)
		}
		<-done
	})
}

func TestAFallbackTakesOver(t *testing.T) {
	t.Parallel()
	main := &modeltest.Scripted{ModelName: "a/main", Script: modeltest.Script{
		modeltest.Say("No.").Refuse(`{"category":"cyber"}`), modeltest.Say("Back again."),
	}}
	other := &modeltest.Scripted{ModelName: "b/other", Script: modeltest.Script{modeltest.Say("Yes.")}}
	agent := newAgent(t, quarry.Config{Model: main, Fallbacks: []model.Model{other}})
	result, err := agent.Run(t.Context(), quarry.Input{Prompt: "Hi."})
	if err != nil {
		t.Fatal(err)
	}
	if !result.OK() || result.Text != "Yes." || len(result.Fallbacks) != 1 || result.Fallbacks[0].To != "b/other" || result.Fallbacks[0].Reason != "refusal" {
		t.Errorf("got %+v", result)
	}
	// It was for one turn: the next prompt is the agent's own model's.
	result, err = agent.Run(t.Context(), quarry.Input{Session: result.Session, Prompt: "And now?"})
	if err != nil || result.Text != "Back again." || len(result.Fallbacks) != 0 {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestRetryIsChecked(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted()
	for _, cfg := range []quarry.Config{
		{Model: m, Retry: quarry.Retry{Attempts: -1}},
		{Model: m, Retry: quarry.Retry{Wait: -1}},
		{Model: m, Fallbacks: []model.Model{nil}},
	} {
		if _, err := quarry.New(cfg); err == nil {
			t.Errorf("an agent with %+v, %v is made", cfg.Retry, cfg.Fallbacks)
		}
	}
	agent := newAgent(t, quarry.Config{Model: m, Retry: quarry.Retry{Attempts: 3}})
	if got, want := agent.Config().Retry, (quarry.Retry{Attempts: 3, FallbackAfter: 3, Wait: time.Second, MaxWait: time.Minute}); got != want {
		t.Errorf("the filled policy is %+v, want %+v", got, want)
	}
}
