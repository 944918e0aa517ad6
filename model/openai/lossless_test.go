package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

// assemble puts the items of a recorded answer together, in the simplest way,
// and without any code of the package: as their last events have them.
func assemble(t *testing.T, body []byte) []any {
	t.Helper()
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("{")) {
		return parse(t, body)["output"].([]any)
	}
	items := map[int64]any{}
	for line := range strings.Lines(string(body)) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || strings.TrimSpace(data) == "[DONE]" {
			continue
		}
		if ev := parse(t, []byte(data)); ev["type"] == "response.output_item.done" {
			n := int64(len(items))
			if index, ok := ev["output_index"].(json.Number); ok {
				n, _ = index.Int64()
			}
			items[n] = ev["item"]
		}
	}
	out := []any{}
	for _, n := range slices.Sorted(maps.Keys(items)) {
		out = append(out, items[n])
	}
	return out
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

// itemsOf returns the items of a message as the next request has them.
func itemsOf(t *testing.T, m *model.Message, stored bool) []any {
	t.Helper()
	enc, err := encodeMessage(m, stored)
	if err != nil {
		t.Fatal(err)
	}
	if len(enc) == 0 {
		return []any{}
	}
	return parse(t, fmt.Appendf(nil, `{"input":[%s]}`, enc[1:]))["input"].([]any)
}

// decodeRecorded decodes a recorded answer without a network.
func decodeRecorded(t *testing.T, e cassette.Exchange) (*model.Response, error) {
	if e.Response.Status >= 400 {
		return nil, statusError(e.Response.Status, e.Response.Header, e.Response.Body)
	}
	return offlineAs(t, e.Response.Header.Get("Content-Type"), string(e.Response.Body)).Collect()
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

// TestLossless: what a recorded answer held goes back to the API whole and in
// its order, also after it was journaled and read again.
func TestLossless(t *testing.T) {
	t.Parallel()
	names, all := recordings(t, recordingsDir(t))
	checked, cutOff, loose := 0, 0, 0
	for _, name := range names {
		for i, e := range all[name] {
			resp, err := decodeRecorded(t, e)
			if err != nil {
				continue // TestRecordings says which
			}
			want := assemble(t, e.Response.Body)
			for len(want) > 0 && want[len(want)-1].(map[string]any)["type"] == "reasoning" {
				want = want[:len(want)-1] // the API refuses reasoning that led to nothing
				loose++
			}
			for j, item := range want {
				// A call that was cut off is the one thing that changes: its arguments
				// stay, and what claims that it was complete goes.
				if m := item.(map[string]any); m["type"] == "function_call" && m["status"] == "incomplete" {
					want[j] = map[string]any{"type": "function_call", "call_id": m["call_id"], "name": m["name"], "arguments": m["arguments"]}
					cutOff++
				}
			}
			for how, m := range map[string]*model.Message{"as it came": resp.Message, "journaled": journaled(t, resp.Message), "compacted": resp.Message.Compact()} {
				if got := itemsOf(t, m, true); !reflect.DeepEqual(got, want) {
					t.Errorf("%s[%d], %s (-recorded +sent):\n%s", name, i, how, cmp.Diff(want, got))
				}
			}
			checked += len(want)
		}
	}
	if checked < 100 {
		t.Errorf("only %d items were compared", checked)
	}
	t.Logf("%d items compared, %d of them cut off; %d left out because they led to nothing", checked, cutOff, loose)
}

// otherHistory says why a recorded request has another history than we would send.
var otherHistory = map[string]string{
	"charmbracelet+fantasy/TestOpenAIResponsesWithSummaryThinking/openai-o4-mini/thinking-streaming.yaml": "the client drops reasoning that has no summary, although it asked for its encrypted form",
	"posit-dev+chatlas/test_chat/test_chat_tool_request_reject.yaml":                                      "the client puts the item's id in the place of the call's",
	"pydantic+pydantic-ai/test_openai_responses/test_openai_conversation_id_tool_call_continuation.yaml":  "the API keeps the conversation: the client sends the result only",
	"pydantic+pydantic-ai/test_openai_responses/test_openai_responses_compact_messages.yaml":              "the client sends what another endpoint made of the history",
}

// ascii undoes the typographic signs that the pydantic-ai recordings lost in
// request bodies.
var ascii = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201c", "\"", "\u201d", "\"", "\u2013", "-", "\u2014", "-", "\u2026", "...", "\u2011", "-", "\u202f", " ")

// TestHistory: where a recording goes on with a further request, the history that
// we would send, with the answers as we decoded them and the results of their
// calls, means what the recorded client sent.
func TestHistory(t *testing.T) {
	t.Parallel()
	names, all := recordings(t, recordingsDir(t))
	compared, excused := 0, map[string]bool{}
	for _, name := range names {
		var answers []*model.Message
		for i, e := range all[name] {
			if len(e.Request.Body) == 0 || otherEndpoint(e) != "" {
				continue
			}
			if input, ok := parse(t, e.Request.Body)["input"].([]any); ok && len(answers) > 0 {
				m := testModel(t, "http://127.0.0.1:1")
				body, err := bodyOf(t, m, &model.Request{Messages: historyOf(t, input, answers)})
				diff := fmt.Sprint(err)
				if err == nil {
					diff = cmp.Diff(meaning(input), meaning(parse(t, body)["input"].([]any)))
				}
				switch _, ok := otherHistory[name]; {
				case diff == "":
					compared++
				case ok:
					excused[name] = true
				default:
					t.Errorf("%s[%d]: another history (-sent +ours):\n%s", name, i, diff)
				}
			}
			if resp, err := decodeRecorded(t, e); err == nil { // TestRecordings says which are errors
				answers = append(answers, resp.Message)
			}
		}
	}
	for name, reason := range otherHistory {
		if !excused[name] {
			t.Errorf("%s: equal, although %q", name, reason)
		}
	}
	if compared < 10 {
		t.Errorf("only %d histories were compared", compared)
	}
	t.Logf("%d histories compared with the recorded next request, %d recordings excused", compared, len(excused))
}

// historyOf makes the history that a caller of this package would give where the
// recorded client sent these items. The answers in it are ours.
func historyOf(t *testing.T, input []any, answers []*model.Message) []*model.Message {
	t.Helper()
	var out []*model.Message
	add := func(role model.Role, block model.Block) {
		if n := len(out); n == 0 || out[n-1].Role != role || out[n-1].Provider != "" {
			out = append(out, model.NewMessage(role))
		}
		out[len(out)-1].Blocks = append(out[len(out)-1].Blocks, block)
	}
	within := false // an answer
	for _, i := range input {
		item := i.(map[string]any)
		role, _ := item["role"].(string)
		switch {
		case item["type"] == "function_call_output":
			text, ok := item["output"].(string)
			if !ok {
				t.Fatalf("an output that is not a string: %v", item)
			}
			add(model.RoleUser, &model.ToolResult{ToolUseID: item["call_id"].(string), Content: model.Blocks{&model.Text{Text: text}}})
		case role == "user":
			add(model.RoleUser, &model.Text{Text: said(item)})
		case role == "system" || role == "developer":
			add(model.RoleSystem, &model.Text{Text: said(item)})
		case !within && len(answers) > 0:
			out, answers = append(out, answers[0]), answers[1:]
		}
		within = item["type"] != "function_call_output" && role != "user" && role != "system" && role != "developer"
	}
	return out
}

// said is the text of a message item.
func said(item map[string]any) string {
	if text, ok := item["content"].(string); ok {
		return text
	}
	var s []string
	parts, _ := item["content"].([]any)
	for _, p := range parts {
		part := p.(map[string]any)
		s = append(s, fmt.Sprint(cmpOr(part["text"], part["refusal"])))
	}
	return strings.Join(s, " ")
}

// meaning states what each item says, without the ids and the fields that
// clients are free to leave out.
func meaning(items []any) []string {
	var out []string
	for _, i := range items {
		item := i.(map[string]any)
		kind, _ := item["type"].(string)
		var s string
		switch kind {
		case "message", "":
			s = fmt.Sprintf("%s: %s", strings.Replace(item["role"].(string), "developer", "system", 1), said(item))
		case "reasoning":
			s = fmt.Sprintf("reasoning %v", cmpOr(item["encrypted_content"], item["content"]))
		case "function_call":
			var args any
			json.Unmarshal([]byte(item["arguments"].(string)), &args)
			s = fmt.Sprintf("call %v %v %v", item["call_id"], item["name"], args)
		case "function_call_output":
			s = fmt.Sprintf("result %v %v", item["call_id"], item["output"])
		default:
			s = fmt.Sprintf("%s %v", kind, item["id"])
		}
		out = append(out, ascii.Replace(s))
	}
	return out
}

func cmpOr(a, b any) any {
	if a != nil {
		return a
	}
	return b
}
