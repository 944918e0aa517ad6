package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/model"
)

// FuzzStream: whatever comes, decoding ends in a response or a typed error, and
// what it decoded can be journaled and sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte(richStream), 1)
	f.Add([]byte(strings.ReplaceAll(richStream, "\n", "\r\n")), 33)
	f.Add([]byte("event: error\ndata: {\"error\":{}}\n\n"), 3)
	f.Add([]byte(`{"object":"response","output":[{"type":"message","content":[{"text":"x"}]},{"type":"function_call"},{}],"usage":{"input_tokens":1e3}}`), 9)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(cut, 0), len(data))
		contentType := "text/event-stream"
		if bytes.HasPrefix(data, []byte("{")) {
			contentType = "application/json"
		}
		resp, err := offlineAs(t, contentType, string(data[:cut]), string(data[cut:])).Collect()
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) || e.Kind == "" || e.Error() == "" {
				t.Fatalf("untyped error: %#v", err)
			}
			if resp = e.Partial; resp == nil {
				return
			}
		}
		checkSendable(t, resp.Message)
	})
}

// FuzzItem: whatever an item is, its blocks keep it: what is sent back is the
// item itself, or nothing, or the call that it was cut off from.
func FuzzItem(f *testing.F) {
	for _, item := range []string{rawReasoning, rawMessage, rawCall, rawSQL,
		`{"type":"mcp_call","id":"m","name":"n","arguments":"{}","output":"o","error":null}`,
		`{"type":"web_search_call","id":"w","action":{"type":"search","query":"q"}}`,
		`{"type":"code_interpreter_call","id":"c","code":"1","outputs":[{"type":"logs","logs":"1"}]}`,
		`{"type":"shell_call_output","call_id":"s","output":[]}`,
		`{"type":"message","content":[{"type":"refusal","refusal":"no"}]}`,
		`{"type":"message","content":[]}`, `{"type":"new"}`, `{}`,
		`{"type":"function_call","call_id":"c","arguments":"{","status":"incomplete"}`,
	} {
		f.Add([]byte(item))
	}
	f.Fuzz(func(t *testing.T, item []byte) {
		item = bytes.TrimSpace(item)
		if !json.Valid(item) || !utf8.Valid(item) || item[0] != '{' {
			return
		}
		var line bytes.Buffer
		if json.Compact(&line, item) != nil {
			return
		}
		stream := "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":" + line.String() + "}\n\n" + completed
		resp, err := offline(t, stream).Collect()
		if err != nil {
			t.Fatalf("%s: %v", item, err)
		}
		if len(resp.Message.Blocks) == 0 {
			t.Fatalf("%s: no block", item)
		}
		sent := checkSendable(t, resp.Message)
		for _, use := range resp.Message.Blocks.ToolUses() {
			if use.Incomplete {
				return
			}
		}
		if len(sent) > 0 && string(sent) != ","+line.String() {
			t.Fatalf("%s was sent back as %s", item, sent)
		}
	})
}

// checkSendable returns the items of an answer as they are sent.
func checkSendable(t *testing.T, m *model.Message) []byte {
	t.Helper()
	if _, err := json.Marshal(m); err != nil {
		t.Fatalf("journal: %v", err)
	}
	var sent []byte
	for _, stored := range []bool{false, true} {
		enc, err := encodeMessage(m, stored)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		if len(enc) > 0 && !json.Valid([]byte("["+string(enc[1:])+"]")) {
			t.Fatalf("not JSON: %s", enc)
		}
		sent = enc
	}
	return sent
}

// FuzzStrictSchema: a strict form is JSON, and has a strict form itself, which
// it is.
func FuzzStrictSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/x"}]}},"required":["a"],"$defs":{"x":{"type":["object"],"properties":{}}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if !json.Valid(schema) || !utf8.Valid(schema) {
			return
		}
		strict, ok := strictSchema(schema)
		if !ok {
			return
		}
		again, ok := strictSchema(strict)
		if !json.Valid(strict) || !ok || !bytes.Equal(again, strict) {
			t.Fatalf("%s became %s and %s", schema, strict, again)
		}
	})
}
