package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-sdk/quarry/model"
)

// A message that is compacted is what JSON gives back of it.
func TestCompactIsWhatAJournalGivesBack(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage("{ \"a\" : [ 1,\n2 ], \"b\": \"x  y\" }")
	msg := &model.Message{Role: model.RoleAssistant, Provider: "p", Blocks: model.Blocks{
		&model.Text{Text: "a  b", Raw: raw},
		&model.Thinking{Text: "t", Raw: raw},
		&model.ToolUse{ID: "1", Name: "n", Input: raw, Raw: raw},
		&model.ServerToolUse{Type: "server_tool_use", ID: "2", Name: "s", Input: raw},
		&model.ServerToolResult{Type: "x_tool_result", ToolUseID: "2", Content: raw, Raw: raw},
		&model.Unknown{Type: "new", Raw: raw},
	}}
	before, err := json.Marshal(msg)
	if err != nil {
		t.Fatal(err)
	}
	compacted := msg.Compact()
	data, err := json.Marshal(compacted)
	if err != nil {
		t.Fatal(err)
	}
	var back model.Message
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compacted, &back, cmpopts.IgnoreUnexported(model.Message{})); diff != "" {
		t.Errorf("compacted and stored differ (-compacted +stored):\n%s", diff)
	}
	if compacted.Compact() != compacted {
		t.Error("compacting a second time makes a new message")
	}
	if after, _ := json.Marshal(msg); string(after) != string(before) || &msg.Blocks[0] == &compacted.Blocks[0] {
		t.Error("compacting changed the message that it was given")
	}
}
