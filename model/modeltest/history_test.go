package modeltest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

func TestCheckHistory(t *testing.T) {
	t.Parallel()
	user := func(blocks ...model.Block) *model.Message { return model.NewMessage(model.RoleUser, blocks...) }
	asst := func(blocks ...model.Block) *model.Message { return model.NewMessage(model.RoleAssistant, blocks...) }
	text := func(s string) *model.Text { return &model.Text{Text: s} }
	call := func(id string) *model.ToolUse { return &model.ToolUse{ID: id, Name: "t"} }
	result := func(id string) *model.ToolResult { return &model.ToolResult{ToolUseID: id} }
	hi := user(text("hi"))
	type list = []*model.Message
	for name, tc := range map[string]struct {
		messages list
		want     string
	}{
		"one message":           {list{hi}, ""},
		"a prefill":             {list{hi, asst(text("so"))}, ""},
		"an empty prefill":      {list{hi, asst()}, ""},
		"a continued answer":    {list{hi, asst(text("so")), asst(text("on")), hi}, ""},
		"two calls":             {list{hi, asst(text("so"), call("a"), call("b")), user(result("b"), result("a"), text("go on")), asst(text("done")), hi}, ""},
		"an instruction":        {list{hi, model.NewMessage(model.RoleSystem, text("be brief"))}, ""},
		"none":                  {nil, "at least one message is required"},
		"nil message":           {list{nil}, "messages.0: message is nil"},
		"nil block":             {list{user(nil)}, "messages.0.content.0: block is nil"},
		"assistant first":       {list{asst(text("a"))}, `first message must use the "user" role`},
		"unknown role":          {list{hi, model.NewMessage("robot", text("a"))}, "messages.1.role"},
		"user twice":            {list{hi, hi}, "messages.1: roles must alternate"},
		"empty message":         {list{hi, asst(), hi}, "messages.1: all messages must have non-empty content"},
		"blank text":            {list{user(text(" \n"))}, "messages.0.content.0: text content blocks must contain non-whitespace text"},
		"call of a user":        {list{user(call("a"))}, "messages.0: `tool_use` blocks can only be in `assistant` messages"},
		"result of a model":     {list{hi, asst(result("a"))}, "messages.1: `tool_result` blocks can only be in `user` messages"},
		"call without id":       {list{hi, asst(call(""))}, "messages.1.content.0.tool_use.id"},
		"id twice":              {list{hi, asst(call("a"), call("a")), user(result("a"))}, "messages.1.content.1: `tool_use` ids must be unique: a"},
		"id again":              {list{hi, asst(call("a")), user(result("a")), asst(call("a")), user(result("a"))}, "messages.3.content.0: `tool_use` ids must be unique: a"},
		"result without call":   {list{user(result("a"))}, "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a."},
		"result too late":       {list{hi, asst(call("a")), user(result("a")), asst(text("b")), user(result("a"))}, "messages.4.content.0: unexpected"},
		"result twice":          {list{hi, asst(call("a")), user(result("a"), result("a"))}, "messages.2.content.1: each tool_use must have a single result"},
		"text before result":    {list{hi, asst(call("a")), user(text("b"), result("a"))}, "messages.2.content.1: `tool_result` blocks must come before"},
		"image before result":   {list{hi, asst(call("a")), user(&model.Image{}, result("a"))}, "messages.2.content.1: `tool_result` blocks must come before"},
		"no result":             {list{hi, asst(call("a"), call("b"), call("c")), user(result("b"))}, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, c."},
		"no message for result": {list{hi, asst(call("a"))}, "messages.1: `tool_use` ids were found without"},
		"assistant goes on":     {list{hi, asst(call("a")), asst(text("b")), user(result("a"))}, "messages.1: `tool_use` ids were found without"},
		"instruction between":   {list{hi, asst(call("a")), model.NewMessage(model.RoleSystem, text("b")), user(result("a"))}, "messages.1: `tool_use` ids were found without"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := modeltest.CheckHistory(tc.messages)
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != model.ErrInvalidRequest || e.Retryable() || !strings.Contains(e.Message, tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			m := modeltest.NewScripted(modeltest.Say("fine"))
			if _, err := m.Stream(t.Context(), &model.Request{Messages: tc.messages}).Collect(); err == nil || m.Unplayed() != 1 || len(m.Requests()) != 1 {
				t.Errorf("the model gave %v with %d turns unplayed", err, m.Unplayed())
			}
		})
	}
}
