package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// use writes a call. Where it was never answered, which the API refuses, an
// answer that says so follows it.
func (e *encoder) use(b *model.ToolUse, raw bool) error {
	e.closeMessage()
	if raw && !b.Incomplete {
		if err := e.raw(b.Raw); err != nil {
			return err
		}
	} else {
		e.dst = appendID(append(e.dst, `,{"type":"function_call","call_id":`...), b.ID)
		e.dst = rawjson.AppendQuoted(append(e.dst, `,"name":`...), b.Name)
		e.dst = append(e.dst, `,"arguments":`...)
		input := bytes.TrimSpace(b.Input)
		switch {
		case b.Incomplete && rawjson.IsString(input) && json.Valid(input):
			e.dst = append(e.dst, input...) // the text that came, as it came
		case len(input) == 0:
			e.dst = append(e.dst, `"{}"`...)
		default:
			e.dst = rawjson.AppendQuoted(e.dst, []byte(input))
		}
		e.dst = append(e.dst, '}')
	}
	if e.pairs != nil && !e.pairs.answered(b.ID) {
		e.output(b.ID, e.pairs.kindOfUse(b))
		e.dst = append(e.dst, `"no result of this call is known"}`...)
	}
	return nil
}

// outputKinds are the types of a result, by the type of the call.
var outputKinds = map[string]string{
	"custom_tool_call": "custom_tool_call_output",
}

const functionOutput = "function_call_output"

func (e *encoder) output(id, kind string) {
	e.dst = rawjson.AppendQuoted(append(e.dst, `,{"type":`...), kind)
	e.dst = appendID(append(e.dst, `,"call_id":`...), id)
	e.dst = append(e.dst, `,"output":`...)
}

// failed stands before the words of an error: the API has no other mark of it.
const failed = "error: "

// result writes the result of a call, as a string where it is text only.
func (e *encoder) result(b *model.ToolResult) error {
	kind := functionOutput
	if e.pairs != nil {
		if kind = e.pairs.kindOfResult(b.ToolUseID); kind == "" {
			return nil // its call is not in the conversation
		}
	}
	e.closeMessage()
	e.output(b.ToolUseID, kind)
	text, only := plainText(b.Content)
	if b.IsError && !strings.HasPrefix(strings.ToLower(text), "error") {
		if text = failed + text; only && text == failed {
			text += "the tool failed and said nothing"
		}
	}
	if only {
		e.dst = append(rawjson.AppendQuoted(e.dst, text), '}')
		return nil
	}
	e.dst = append(e.dst, '[')
	if b.IsError {
		e.dst = append(e.dst, `{"type":"input_text","text":"the tool failed"},`...)
	}
	for i, c := range b.Content {
		before := len(e.dst)
		var err error
		if u, ok := c.(*model.Unknown); ok {
			if isPart(u.Raw) { // another provider's is of no use here
				e.dst, err = rawjson.Append(e.dst, u.Raw)
			}
		} else {
			e.dst, err = appendContent(e.dst, c)
		}
		if err != nil {
			return fmt.Errorf("content %d: %w", i, err)
		}
		if len(e.dst) > before {
			e.dst = append(e.dst, ',')
		}
	}
	e.dst = append(bytes.TrimSuffix(e.dst, []byte{','}), "]}"...)
	return nil
}

// plainText returns the texts of a result, one a line, and whether it has
// nothing else.
func plainText(blocks model.Blocks) (string, bool) {
	var text string
	n := 0
	for _, b := range blocks {
		t, ok := b.(*model.Text)
		switch {
		case !ok:
			return "", false
		case n == 0:
			text = t.Text
		default:
			text += "\n" + t.Text
		}
		n++
	}
	return text, true
}

// maxID is how long the id of a call may be.
const maxID = 64

// appendID appends the id of a call. One of another provider's that is too long
// is replaced by its beginning and its hash, in the call and in its result.
func appendID(dst []byte, id string) []byte {
	if len(id) > maxID {
		h := fnv.New64a()
		h.Write([]byte(id))
		id = fmt.Sprintf("%s_%016x", strings.ToValidUTF8(id[:maxID-17], ""), h.Sum64())
	}
	return rawjson.AppendQuoted(dst, id)
}
