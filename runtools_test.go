package quarry_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

type numberIn struct {
	N int `json:"n"`
}

func number(n int) numberIn { return numberIn{n} }

// The calls wait for each other, so that the run ends only if all run at once.
// They end in the opposite order, and the results keep the order of the calls.
func TestParallelToolsOverlapAndKeepCallOrder(t *testing.T) {
	t.Parallel()
	const n = 4
	var arrived atomic.Int32
	all := make(chan struct{})
	ended := make([]chan struct{}, n+1)
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	close(ended[n])
	meet := quarry.NewTool(quarry.ToolSpec{Name: "meet", Effect: quarry.ReadOnly}, func(ctx context.Context, in numberIn) (string, error) {
		if arrived.Add(1) == n {
			close(all)
		}
		select {
		case <-all:
		case <-ctx.Done():
			return "", errors.New("the others did not come")
		}
		<-ended[in.N+1]
		close(ended[in.N])
		return fmt.Sprintf("met %d", in.N), nil
	})
	m := modeltest.NewScripted(
		modeltest.Call("meet", number(0)).Call("meet", number(1)).Call("meet", number(2)).Call("meet", number(3)),
		modeltest.Say("All met."),
	)
	agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{meet}})
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Meet."}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results(m.Requests()[1]) {
		got = append(got, r.Content.Text())
	}
	if diff := cmp.Diff([]string{"met 0", "met 1", "met 2", "met 3"}, got); diff != "" {
		t.Errorf("wrong results (-want +got):\n%s", diff)
	}
}

// Each effect is watched while its tool runs, in virtual time.
func TestEffectsDecideWhatOverlaps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		spec     quarry.ToolSpec
		inputs   []string
		parallel int
		want     int32
		took     time.Duration
	}{
		{"read-only", quarry.ToolSpec{Effect: quarry.ReadOnly}, []string{"a", "a", "a"}, 0, 3, time.Second},
		{"read-only, two at a time", quarry.ToolSpec{Effect: quarry.ReadOnly}, []string{"a", "b", "c"}, 2, 2, 2 * time.Second},
		{"exclusive", quarry.ToolSpec{}, []string{"a", "b", "c"}, 0, 1, 3 * time.Second},
		{"keyed by one key", quarry.ToolSpec{Effect: quarry.Keyed, KeyField: "city"}, []string{"a", "a", "a"}, 0, 1, 3 * time.Second},
		{"keyed by two keys", quarry.ToolSpec{Effect: quarry.Keyed, KeyField: "city"}, []string{"a", "b", "a", "b"}, 0, 2, 2 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var running, most atomic.Int32
				test.spec.Name = "work"
				tool := quarry.NewTool(test.spec, func(context.Context, cityIn) (string, error) {
					n := running.Add(1)
					defer running.Add(-1)
					for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
					}
					time.Sleep(time.Second)
					return "ok", nil
				})
				turn := &modeltest.Turn{}
				for _, city := range test.inputs {
					turn = turn.Call("work", cityIn{city})
				}
				agent := newAgent(t, quarry.Config{
					Model: modeltest.NewScripted(turn, modeltest.Say("Done.")), Tools: []*quarry.Tool{tool},
					Limits: quarry.Limits{ParallelTools: test.parallel},
				})
				result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Work."})
				if err != nil {
					t.Fatal(err)
				}
				if most.Load() != test.want || result.Duration != test.took {
					t.Errorf("%d ran at once, in %v; want %d in %v", most.Load(), result.Duration, test.want, test.took)
				}
			})
		})
	}
}

// Whatever a tool does, the model is told, and the run goes on.
func TestToolFailuresNeverEndTheRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		tool  func(context.Context, numberIn) (any, error)
		input any
		want  string
		// stack is what the journal keeps beside it.
		stack   string
		refused bool
	}{
		{"an error", func(context.Context, numberIn) (any, error) {
			return nil, errors.New("no such city; try Rome")
		}, number(1), "no such city; try Rome", "", false},
		{"a panic", func(context.Context, numberIn) (any, error) { panic("at the tool") }, number(1), "the tool panicked: at the tool", "runtools_test.go", false},
		{"a nil pointer", func(_ context.Context, in numberIn) (any, error) {
			var p *numberIn
			return p.N, nil
		}, number(1), "nil pointer dereference", "runtools_test.go", false},
		{"the end of its goroutine", func(context.Context, numberIn) (any, error) {
			runtime.Goexit()
			return "", nil
		}, number(1), "the tool ended without an answer", "", false},
		{"an output that is no JSON", func(context.Context, numberIn) (any, error) {
			return make(chan int), nil
		}, number(1), "encode the tool's output", "", false},
		{"a missing field", nil, `{}`, `"n" is missing (integer); add it`, "", true},
		{"a wrong type", nil, `{"n": "one"}`, `"n" must be an integer; it is a string "one"`, "", true},
		{"a field that is none", nil, `{"n": 1, "m": 2}`, `"m" is not a field of this tool; remove it (the fields are n)`, "", true},
		{"arguments that are no JSON", nil, `{"n": 1`, "the arguments are not valid JSON; send the call again with one JSON object", "", true},
		{"a number that only JSON takes for whole", nil, `{"n": 1.0}`, `"n" is the number 1.0; send a whole number`, "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ran := false
			tool := quarry.NewTool(quarry.ToolSpec{Name: "work"}, func(ctx context.Context, in numberIn) (any, error) {
				ran = true
				return test.tool(ctx, in)
			})
			m := modeltest.NewScripted(modeltest.Call("work", test.input), modeltest.Say("I see."))
			store := session.NewMemory()
			agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{tool}})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Work."})
			if err != nil {
				t.Fatal(err)
			}
			if !result.OK() || result.Text != "I see." || result.ToolCalls != 1 {
				t.Errorf("got %+v", result)
			}
			if ran != (test.tool != nil) {
				t.Errorf("the tool ran: %v", ran)
			}
			told := results(m.Requests()[1])
			if len(told) != 1 || !told[0].IsError || !strings.Contains(told[0].Content.Text(), test.want) {
				t.Errorf("the model is told %+v; want %q", told, test.want)
			}
			if strings.Contains(told[0].Content.Text(), ".go:") {
				t.Errorf("the model is told a stack: %s", told[0].Content.Text())
			}
			for _, rec := range journal(t, store, result.Session) {
				if a, ok := rec.Event.(*session.ToolAnswered); ok {
					if !a.IsError || a.Refused != test.refused || !strings.Contains(a.Stack, test.stack) {
						t.Errorf("the journal has %+v", a)
					}
				}
			}
		})
	}
}

// A tool may not know whether its call took effect.
func TestToolErrorUnknown(t *testing.T) {
	t.Parallel()
	tool := quarry.NewTool(quarry.ToolSpec{Name: "work", TellUnknown: true}, func(context.Context, struct{}) (string, error) {
		return "", fmt.Errorf("the server is gone: %w", quarry.ErrOutcomeUnknown)
	})
	m := modeltest.NewScripted(modeltest.Call("work", nil), modeltest.Say("I see."))
	result, _, err := play(t.Context(), t, newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{tool}}), quarry.Input{Prompt: "Work."})
	if err != nil || len(result.Unknown) != 1 || !result.Unknown[0].Tell {
		t.Errorf("got %+v, %v", result, err)
	}
}

// An error may know more than a message.
func TestToolErrorWithContent(t *testing.T) {
	t.Parallel()
	tool := quarry.NewTool(quarry.ToolSpec{Name: "work"}, func(context.Context, struct{}) (string, error) {
		return "", fmt.Errorf("work: %w", shownError{shown{4}})
	})
	m := modeltest.NewScripted(modeltest.Call("work", nil), modeltest.Say("I see."))
	store := session.NewMemory()
	agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{tool}})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Work."})
	if err != nil {
		t.Fatal(err)
	}
	if told := results(m.Requests()[1])[0]; !told.IsError || told.Content.Text() != "block 4" {
		t.Errorf("the model is told %q, error %v", told.Content.Text(), told.IsError)
	}
	for _, rec := range journal(t, store, result.Session) {
		if a, ok := rec.Event.(*session.ToolAnswered); ok && (!a.IsError || string(a.Output) != `{"n":4}`) {
			t.Errorf("the journal keeps error %v, output %s", a.IsError, a.Output)
		}
	}
}

func TestToolTimeout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		heedful bool
		want    string
	}{
		{"that the tool heeds", true, "context deadline exceeded"},
		{"that the tool ignores", false, "the tool did not answer within 3s; it may still be at work. Try a smaller request, or go on without it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				free := make(chan struct{})
				tool := quarry.NewTool(quarry.ToolSpec{Name: "slow", Timeout: 3 * time.Second}, func(ctx context.Context, _ numberIn) (string, error) {
					if test.heedful {
						<-ctx.Done()
						return "", ctx.Err()
					}
					<-free
					return "too late", nil
				})
				m := modeltest.NewScripted(modeltest.Call("slow", number(1)), modeltest.Say("Without it, then."))
				agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{tool}})
				result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Work."})
				if err != nil {
					t.Fatal(err)
				}
				told := results(m.Requests()[1])[0]
				// A heedful tool may come just before or just behind its deadline.
				if !told.IsError || (!strings.Contains(told.Content.Text(), test.want) && !strings.Contains(told.Content.Text(), tests[1].want)) {
					t.Errorf("the model is told %q", told.Content.Text())
				}
				if !result.OK() || result.Duration != 3*time.Second {
					t.Errorf("got %+v", result)
				}
				close(free)
			})
		})
	}
}

// texted is shown to models by its text, and kept as JSON.
type texted struct {
	N int `json:"n"`
}

func (x texted) ToolText() string { return fmt.Sprintf("number %d", x.N) }

// shown is read as blocks; shownError is that of a call that failed.
type shown struct {
	N int `json:"n"`
}

func (x shown) ToolContent() model.Blocks {
	return model.Blocks{&model.Text{Text: fmt.Sprintf("block %d", x.N)}}
}

type shownError struct{ shown }

func (shownError) Error() string { return "it failed" }

func TestToolOutputs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		out          any
		want, output string
	}{
		{"a string", "plain <b>", "plain <b>", ""},
		{"an empty string", "", "", ""},
		{"a struct", numberIn{1}, `{"n":1}`, ""},
		{"a Texter", texted{2}, "number 2", `{"n":2}`},
		{"a Contenter", shown{3}, "block 3", `{"n":3}`},
		{"blocks", model.Blocks{&model.Text{Text: "one "}, &model.Text{Text: "two"}}, "one two", ""},
		{"nil", nil, "null", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool := quarry.NewTool(quarry.ToolSpec{Name: "work"}, func(context.Context, struct{}) (any, error) { return test.out, nil })
			m := modeltest.NewScripted(modeltest.Call("work", nil), modeltest.Say("I see."))
			store := session.NewMemory()
			agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{tool}})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Work."})
			if err != nil {
				t.Fatal(err)
			}
			if told := results(m.Requests()[1])[0]; told.IsError || told.Content.Text() != test.want {
				t.Errorf("the model is told %q, want %q", told.Content.Text(), test.want)
			}
			for _, rec := range journal(t, store, result.Session) {
				if a, ok := rec.Event.(*session.ToolAnswered); ok && string(a.Output) != test.output {
					t.Errorf("the journal keeps the output %s, want %s", a.Output, test.output)
				}
			}
		})
	}
}

func TestCallFrom(t *testing.T) {
	t.Parallel()
	if _, ok := quarry.CallFrom(t.Context()); ok {
		t.Error("there is a call where there is none")
	}
	var got []quarry.Call
	var earlier []int
	tool := quarry.NewTool(quarry.ToolSpec{Name: "work"}, func(ctx context.Context, _ numberIn) (string, error) {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		call, ok := quarry.CallFrom(child)
		if !ok {
			return "", errors.New("no call")
		}
		got = append(got, quarry.Call{Session: call.Session, Agent: call.Agent, Turn: call.Turn, Index: call.Index, ID: call.ID, Name: call.Name, Key: call.Key, Attempt: call.Attempt})
		earlier = append(earlier, len(call.Earlier()))
		return "ok", nil
	})
	m := modeltest.NewScripted(
		modeltest.CallID("a", "work", number(1)).CallID("b", "work", number(2)),
		modeltest.CallID("c", "work", number(3)),
		modeltest.Say("Done."),
	)
	agent := newAgent(t, quarry.Config{Name: "clerk", Model: m, Tools: []*quarry.Tool{tool}})
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Work.", Session: "s"}); err != nil {
		t.Fatal(err)
	}
	want := []quarry.Call{
		{Session: "s", Agent: "clerk", Turn: 1, Index: 0, ID: "a", Name: "work", Key: "s/1.0", Attempt: 1},
		{Session: "s", Agent: "clerk", Turn: 1, Index: 1, ID: "b", Name: "work", Key: "s/1.1", Attempt: 1},
		{Session: "s", Agent: "clerk", Turn: 2, Index: 0, ID: "c", Name: "work", Key: "s/2.0", Attempt: 1},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(quarry.Call{}), cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "earlier" || p.String() == "prompt" }, cmp.Ignore())); diff != "" {
		t.Errorf("wrong calls (-want +got):\n%s", diff)
	}
	// Calls of one response do not see each other's results: their order differs.
	if diff := cmp.Diff([]int{0, 0, 2}, earlier); diff != "" {
		t.Errorf("wrong earlier results (-want +got):\n%s", diff)
	}
}

// A result over its limit is cut at a character, says so, and can be read on.
func TestCutResults(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("größe ", 20_000) // 160,000 bytes
	dump := quarry.NewTool(quarry.ToolSpec{Name: "dump", Effect: quarry.ReadOnly, MaxResultBytes: 1003}, func(context.Context, struct{}) (string, error) {
		return text, nil
	})
	read := func(handle string, offset int) *modeltest.Turn {
		return modeltest.Call(quarry.ReadResultName, map[string]any{"handle": handle, "offset": offset})
	}

	t.Run("without read_result", func(t *testing.T) {
		t.Parallel()
		m := modeltest.NewScripted(modeltest.Call("dump", nil), modeltest.Say("Long."))
		agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{dump}})
		if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Dump."}); err != nil {
			t.Fatal(err)
		}
		got := results(m.Requests()[1])[0].Content.Text()
		want := text[:1002] + "\n[Cut here: bytes 0–1002 of 160000 are shown. Ask for less at once to see the rest.]"
		if got != want {
			t.Errorf("the model is told …%s", got[len(got)-200:])
		}
	})

	t.Run("with read_result", func(t *testing.T) {
		t.Parallel()
		// The model follows the notes until there is none.
		var seen strings.Builder
		reads := 0
		m := modeltest.NewScripted(
			modeltest.Call("dump", nil),
			modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
				page, note, cut := strings.Cut(results(req)[0].Content.Text(), "\n[")
				seen.WriteString(page)
				if !cut {
					return modeltest.Say("Read."), nil
				}
				reads++
				_, call, ok := strings.Cut(note, "Call read_result with ")
				if !ok {
					return nil, fmt.Errorf("the note does not say how to read on: %s", note)
				}
				var handle string
				var offset int
				if _, err := fmt.Sscanf(call, "handle %q and offset %d", &handle, &offset); err != nil {
					return nil, err
				}
				return read(handle, offset), nil
			}),
		)
		agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{dump, quarry.ReadResult()}})
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Dump."})
		if err != nil || !result.OK() {
			t.Fatalf("got %+v, %v", result, err)
		}
		if seen.String() != text || reads < 4 {
			t.Errorf("%d bytes were read of %d, in %d pages", seen.Len(), len(text), reads)
		}
	})

	t.Run("with wrong handles", func(t *testing.T) {
		t.Parallel()
		m := modeltest.NewScripted(
			read("r1.0", 0),
			modeltest.Call("dump", nil),
			read("r9.9", 0), read("r2.0", 160_000), read("r2.0", -1), read("r2.0", 159_999),
			modeltest.Say("I see."),
		)
		agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{dump, quarry.ReadResult()}})
		if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Dump."}); err != nil {
			t.Fatal(err)
		}
		want := map[int]string{
			1: `there is no result "r1.0", and none of this session was cut`,
			3: `there is no result "r9.9"; those that were cut are: r2.0`,
			4: "the offset 160000 is outside the result, which has 160000 bytes; use 0 to 159999",
			5: "the offset -1 is outside the result, which has 160000 bytes; use 0 to 159999",
			6: " ",
		}
		for i, req := range m.Requests() {
			if w, ok := want[i]; ok {
				if got := results(req)[0].Content.Text(); got != w {
					t.Errorf("request %d: the model is told %q, want %q", i, got, w)
				}
			}
		}
	})
}

// A stack is for people, and not a result to be read on in.
func TestStacksAreNoResults(t *testing.T) {
	t.Parallel()
	boom := quarry.NewTool(quarry.ToolSpec{Name: "boom"}, func(context.Context, struct{}) (string, error) { panic("boom") })
	m := modeltest.NewScripted(
		modeltest.Call("boom", nil),
		modeltest.Call(quarry.ReadResultName, map[string]any{"handle": "r1.0"}),
		modeltest.Say("I see."),
	)
	agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{boom, quarry.ReadResult()}})
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."}); err != nil {
		t.Fatal(err)
	}
	if got := results(m.Requests()[2])[0].Content.Text(); strings.Contains(got, "goroutine") {
		t.Errorf("the model reads a stack: %.200s", got)
	}
}
