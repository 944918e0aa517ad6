package play_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

func TestScriptedWithoutKey(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	var said strings.Builder
	var got *play.Scene
	m, err := play.Model(&said, func(s *play.Scene) *modeltest.Turn {
		got = s
		return modeltest.Say("Done.")
	})
	if err != nil {
		t.Fatal(err)
	}
	if text := said.String(); !strings.Contains(text, "a scripted model plays") || strings.Count(text, "\n") != 1 {
		t.Errorf("it says %q", text)
	}
	resp, err := m.Stream(t.Context(), &model.Request{
		Messages: []*model.Message{
			model.UserText("Look."),
			model.NewMessage(model.RoleAssistant, &model.ToolUse{ID: "1", Name: "look", Input: []byte(`{}`)}),
			model.NewMessage(model.RoleUser, &model.ToolResult{ToolUseID: "1", Content: model.Blocks{&model.Text{Text: "a cat"}}}, &model.Text{Text: "a note"}),
		},
		Tools: &model.ToolSet{Defs: []model.ToolDef{{Name: "look", InputSchema: []byte(`{"type":"object"}`)}}},
	}).Collect()
	if err != nil || resp.Message.Blocks.Text() != "Done." {
		t.Fatalf("got %v, %v", resp, err)
	}
	want := &play.Scene{Turn: 1, Prompt: "Look.", Told: []string{"a cat", "a note"}, Tools: []string{"look"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the scene (-want +got):\n%s", diff)
	}
}

func TestClaudeWithKey(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "a-key")
	for setting, want := range map[string]string{"": "anthropic/claude-sonnet-4-5", "extractive": "anthropic/claude-sonnet-4-5", "anthropic/claude-test": "anthropic/claude-test"} {
		t.Setenv("QUARRY_MODEL", setting)
		var said strings.Builder
		m, err := play.Model(&said, nil)
		if err != nil || m.Name() != want || said.Len() > 0 {
			t.Errorf("QUARRY_MODEL=%s: got %v, %v, says %q; want %s", setting, m, err, said.String(), want)
		}
	}
}
