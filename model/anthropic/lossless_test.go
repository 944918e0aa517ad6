package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

// assemble puts the content blocks of a recorded answer together, in the
// simplest way, and without any code of the package.
func assemble(t *testing.T, body []byte) []any {
	t.Helper()
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("{")) {
		return parse(t, body)["content"].([]any)
	}
	blocks := []any{}
	inputs := map[int]string{}
	for line := range strings.Lines(string(body)) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || strings.TrimSpace(data) == "[DONE]" {
			continue
		}
		ev := parse(t, []byte(data))
		i := 0
		if n, ok := ev["index"].(json.Number); ok {
			n, _ := n.Int64()
			i = int(n)
		}
		switch ev["type"] {
		case "message_start":
			if early := ev["message"].(map[string]any)["content"].([]any); len(early) > 0 {
				blocks = early
			}
		case "content_block_start":
			if i != len(blocks) {
				t.Fatalf("block %d is number %d", i, len(blocks))
			}
			blocks = append(blocks, ev["content_block"])
		case "content_block_delta":
			block, delta := blocks[i].(map[string]any), ev["delta"].(map[string]any)
			switch delta["type"] {
			case "text_delta":
				block["text"] = block["text"].(string) + delta["text"].(string)
			case "thinking_delta":
				block["thinking"] = block["thinking"].(string) + delta["thinking"].(string)
			case "signature_delta":
				was, _ := block["signature"].(string)
				block["signature"] = was + delta["signature"].(string)
			case "input_json_delta":
				inputs[i] += delta["partial_json"].(string)
			case "citations_delta":
				was, _ := block["citations"].([]any)
				block["citations"] = append(was, delta["citation"])
			default:
				t.Fatalf("the assembler does not know %v", delta["type"])
			}
		}
	}
	for i, input := range inputs {
		if input == "" {
			continue
		}
		if !json.Valid([]byte(input)) {
			blocks[i].(map[string]any)["input"] = map[string]any{"INVALID_JSON": input}
			continue
		}
		blocks[i].(map[string]any)["input"] = parse(t, []byte(input))
	}
	return blocks
}

func parse(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %.200s", err, data)
	}
	return v
}

// contentOf returns the content blocks of a message as the next request has them.
func contentOf(t *testing.T, m *model.Message) []any {
	t.Helper()
	enc, err := encodeMessage(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(enc) == 0 {
		return []any{}
	}
	msg := parse(t, enc[1:])
	if msg["role"] != string(m.Role) {
		t.Errorf("role is %v", msg["role"])
	}
	return msg["content"].([]any)
}

// sendable leaves out what the API would refuse, which is never sent.
func sendable(blocks []any) []any {
	return slices.DeleteFunc(slices.Clone(blocks), func(b any) bool {
		block := b.(map[string]any)
		return block["type"] == "text" && block["text"] == "" || block["type"] == "thinking" && (block["signature"] == nil || block["signature"] == "")
	})
}

// decodeRecorded decodes a recorded answer without a network.
func decodeRecorded(t *testing.T, e cassette.Exchange) (*model.Response, error) {
	if e.Response.Status >= 400 {
		return nil, statusError(e.Response.Status, e.Response.Header, e.Response.Body)
	}
	return offlineAs(t, e.Response.Header.Get("Content-Type"), string(e.Response.Body)).Collect()
}

// TestLossless: what a recorded answer held goes back to the API whole, also
// after it was journaled and read again.
func TestLossless(t *testing.T) {
	t.Parallel()
	names, all := recordings(t, recordingsDir(t))
	checked, dropped := 0, 0
	for _, name := range names {
		for i, e := range all[name] {
			resp, err := decodeRecorded(t, e)
			if err != nil {
				continue // TestRecordings says which
			}
			recorded := assemble(t, e.Response.Body)
			want := sendable(recorded)
			dropped += len(recorded) - len(want)
			if got := contentOf(t, resp.Message); !reflect.DeepEqual(got, want) {
				t.Errorf("%s[%d] (-recorded +sent):\n%s", name, i, cmp.Diff(want, got))
			}
			if got := contentOf(t, journaled(t, resp.Message)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s[%d] from the journal (-recorded +sent):\n%s", name, i, cmp.Diff(want, got))
			}
			checked += len(want)
		}
	}
	if checked < 250 {
		t.Errorf("only %d blocks were compared", checked)
	}
	t.Logf("%d blocks compared, %d left out because the API refuses them", checked, dropped)
}

func journaled(t *testing.T, m *model.Message) *model.Message {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	out := &model.Message{}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// otherHistory says why the recorded client's next request does not hold the
// answer as it came.
var otherHistory = map[string]string{
	"0xPlaygrounds+rig/anthropic/regression/cache_hit_zero_uncached_input.yaml":    "both requests begin a conversation",
	"posit-dev+chatlas/test_provider_anthropic/test_anthropic_empty_response.yaml": "the client put words into the empty answer; the API takes none without content",
}

// ascii undoes the typographic signs that the pydantic-ai recordings lost in
// request bodies.
var ascii = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201c", "\"", "\u201d", "\"", "\u2013", "-", "\u2014", "-", "\u2026", "...")

// TestHistory: where a recording goes on with a further request, the answer as
// we would send it means what the recorded client sent.
func TestHistory(t *testing.T) {
	t.Parallel()
	names, all := recordings(t, recordingsDir(t))
	compared := 0
	for _, name := range names {
		exchanges := all[name]
		for i := 1; i < len(exchanges); i++ {
			if len(exchanges[i].Request.Body) == 0 {
				continue
			}
			resp, err := decodeRecorded(t, exchanges[i-1])
			if err != nil {
				t.Errorf("%s[%d]: %v", name, i-1, err)
				continue
			}
			ours := meaning(contentOf(t, resp.Message))
			var sent []string
			found := false
			messages, _ := parse(t, exchanges[i].Request.Body)["messages"].([]any)
			for _, m := range messages {
				msg := m.(map[string]any)
				if msg["role"] != "assistant" {
					continue
				}
				content, ok := msg["content"].([]any)
				if s, isText := msg["content"].(string); isText {
					content, ok = []any{map[string]any{"type": "text", "text": s}}, true
				}
				if ok {
					sent = meaning(content)
					found = found || slices.Equal(sent, ours)
				}
			}
			reason, excused := otherHistory[name]
			switch {
			case !found && !excused:
				t.Errorf("%s[%d]: the request has no such assistant message (-last sent +ours):\n%s", name, i, cmp.Diff(sent, ours))
			case found && excused:
				t.Errorf("%s[%d]: equal, although %q", name, i, reason)
			case found:
				compared++
			}
		}
	}
	t.Logf("%d answers compared with the recorded next request", compared)
}

// meaning states what each block says, without the fields that clients are free
// to leave out.
func meaning(content []any) []string {
	var out []string
	for _, c := range content {
		block := c.(map[string]any)
		var keys []string
		switch kind := block["type"].(string); {
		case kind == "text":
			keys = []string{"text"}
		case kind == "thinking":
			keys = []string{"thinking", "signature"}
		case strings.HasSuffix(kind, "tool_use"):
			keys = []string{"id", "name", "input"}
		case strings.HasSuffix(kind, "tool_result"):
			keys = []string{"tool_use_id", "content"}
		default:
			keys = []string{"content", "data"}
		}
		s := block["type"].(string)
		for _, k := range keys {
			v, _ := json.Marshal(block[k])
			s += fmt.Sprintf(" %s=%s", k, strings.ReplaceAll(ascii.Replace(string(v)), `\"`, `"`))
		}
		out = append(out, s)
	}
	return out
}
