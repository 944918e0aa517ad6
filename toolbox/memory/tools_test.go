package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/memory"
)

type args = map[string]any

// run lets a scripted model make calls, one in each response.
func run(t *testing.T, s *memory.Store, id string, turns ...*modeltest.Turn) (answers []*session.ToolAnswered) {
	t.Helper()
	agent, err := quarry.New(quarry.Config{Model: modeltest.NewScripted(append(turns, modeltest.Say("done"))...), Tools: s.Tools()})
	if err != nil {
		t.Fatal(err)
	}
	for ev, err := range agent.Stream(t.Context(), quarry.Input{Prompt: "Do it.", Session: id}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Record != nil {
			if a, ok := ev.Record.Event.(*session.ToolAnswered); ok {
				answers = append(answers, a)
			}
		}
	}
	return answers
}

func TestTools(t *testing.T) {
	t.Parallel()
	s := open(t, memory.Config{})
	for i := range 60 {
		remember(t, s, fmt.Sprintf("item_%02d", i), "a thing")
	}
	call := modeltest.Call
	tests := []struct {
		turn  *modeltest.Turn
		fails bool
		parts []string
	}{
		{call("remember", args{"key": "report_language", "value": "German"}), false, []string{`Remembered "report_language" (6 bytes).`}},
		{call("remember", args{"key": "report_language", "value": "French"}), false, []string{"in place of: German"}},
		{call("remember", args{"key": "", "value": "x"}), true, []string{"the key is empty"}},
		{call("remember", args{"key": "Tea Time", "value": "at four, with Bob"}), false, nil},
		{call("recall", args{"query": "report_language"}), false, []string{"1 of 62 entries, found by the key", "- report_language: French (", "session run-1"}},
		{call("recall", args{"query": "REPORT"}), false, []string{"found by the beginning of the key", "French"}},
		{call("recall", args{"query": "when does bob have tea"}), false, []string{"found by its words", "- Tea Time: at four, with Bob"}},
		{call("recall", args{"query": "unicorn"}), false, []string{"Nothing that is remembered fits", "of 62 entries"}},
		{call("recall", args{}), false, []string{"62 entries:", "- item_59\n", "- report_language\n", "!French"}},
		{call("recall", args{"query": "item"}), false, []string{"60 of 62", "[10 more are not shown"}},
		{call("forget", args{"key": "report"}), false, []string{`Nothing is remembered under "report"`, "near: report_language"}},
		{call("forget", args{"key": "report_language"}), false, []string{`Forgot "report_language".`}},
		{call("forget", args{"key": "report_language"}), false, []string{"Nothing is remembered"}},
		{call("forget", args{"key": " "}), true, []string{"the key is empty"}},
	}
	var turns []*modeltest.Turn
	for _, tt := range tests {
		turns = append(turns, tt.turn)
	}
	for i, a := range run(t, s, "run-1", turns...) {
		got := a.Content.Text()
		if a.IsError != tests[i].fails {
			t.Errorf("%d: is error: %v: %s", i, a.IsError, got)
		}
		for _, part := range tests[i].parts {
			if lacks, ok := strings.CutPrefix(part, "!"); ok == strings.Contains(got, strings.TrimPrefix(part, "!")) {
				t.Errorf("%d: %q (%v) in:\n%s", i, lacks, ok, got)
			}
		}
	}
	if got := run(t, open(t, memory.Config{}), "run-2", call("recall", args{"query": "x"}))[0].Content.Text(); got != "Nothing is remembered yet." {
		t.Errorf("got %q", got)
	}
}
