package anthropic

import (
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
)

// otherRequest says, for a field of a recorded request, why ours is another.
var otherRequest = map[string]map[string]string{
	"posit-dev+chatlas/test_provider_anthropic/test_anthropic_empty_response.yaml": {
		"messages": "the client put words into the empty answer; the API takes none without content"},
}

// TestRecordedRequests: the request that we would send, made of the recorded one
// and of the answers as we decoded them, means what the recorded client sent.
func TestRecordedRequests(t *testing.T) {
	t.Parallel()
	names, all := recordings(t, recordingsDir(t))
	compared, turns := 0, 0
	for _, name := range names {
		excused := map[string]bool{}
		var answers []*model.Message
		for i, e := range all[name] {
			if len(e.Request.Body) > 0 {
				theirs := floats(t, e.Request.Body)
				req, used := requestFrom(t, theirs, answers)
				count := strings.HasSuffix(strings.SplitN(e.Request.URL, "?", 2)[0], "/count_tokens")
				ours, err := encodedAs(req, theirs["model"].(string), count)
				if err != nil {
					t.Errorf("%s[%d]: %v", name, i, err)
					continue
				}
				compared++
				turns += used
				for field, diff := range differences(theirs, floats(t, ours)) {
					if otherRequest[name][field] == "" {
						t.Errorf("%s[%d]: %s (-recorded +ours):\n%s", name, i, field, diff)
					}
					excused[field] = true
				}
			}
			resp, err := decodeRecorded(t, e)
			if err != nil { // TestRecordings says which
				resp = &model.Response{}
			}
			answers = append(answers, resp.Message)
		}
		for field, reason := range otherRequest[name] {
			if !excused[field] {
				t.Errorf("%s: %s is equal, although %q", name, field, reason)
			}
		}
	}
	if compared != 79 || turns < 15 {
		t.Errorf("%d requests with %d answers were compared", compared, turns)
	}
	t.Logf("%d requests compared, with %d answers in their histories", compared, turns)
}

func encodedAs(req *model.Request, name string, count bool) ([]byte, error) {
	b := &body{}
	if err := b.fill(req, name, model.DefaultMaxTokens, count); err != nil {
		return nil, err
	}
	return io.ReadAll(b.reader())
}

// requestFrom makes a request of a recorded one. The answers in its history are
// those that we decoded, as far as there are any.
func requestFrom(t testing.TB, theirs map[string]any, answers []*model.Message) (req *model.Request, used int) {
	t.Helper()
	req = &model.Request{Extra: map[string]json.RawMessage{}}
	for field, v := range theirs {
		switch field {
		case "model", "stream":
		case "messages":
			for _, m := range v.([]any) {
				msg := m.(map[string]any)
				if msg["role"] == "assistant" && used < len(answers) && answers[used] != nil {
					req.Messages = append(req.Messages, answers[used])
					used++
					continue
				}
				made := model.NewMessage(model.Role(msg["role"].(string)), blocksFrom(t, msg["content"])...)
				if msg["role"] == "assistant" {
					made.Provider = Provider
				}
				req.Messages = append(req.Messages, made)
			}
		case "system":
			req.System = model.NewMessage(model.RoleSystem, blocksFrom(t, v)...)
		case "max_tokens":
			req.MaxTokens = int(v.(float64))
		case "temperature":
			f := v.(float64)
			req.Temperature = &f
		case "stop_sequences":
			for _, s := range v.([]any) {
				req.StopSequences = append(req.StopSequences, s.(string))
			}
		case "thinking":
			opts := v.(map[string]any)
			req.Thinking = &model.ThinkingOptions{Mode: opts["type"].(string)}
			if n, ok := opts["budget_tokens"].(float64); ok {
				req.Thinking.BudgetTokens = int(n)
			}
			req.Thinking.Display, _ = opts["display"].(string)
		case "output_config":
			rest := maps.Clone(v.(map[string]any))
			req.Effort, _ = rest["effort"].(string)
			delete(rest, "effort")
			if format, ok := rest["format"].(map[string]any); ok {
				req.OutputSchema = jsonOf(t, format["schema"])
				delete(rest, "format")
			}
			if len(rest) > 0 {
				req.Extra["output_config"] = jsonOf(t, rest)
			}
		case "tools":
			req.Tools = toolsFrom(t, v.([]any))
		case "tool_choice":
			choice := v.(map[string]any)
			req.ToolChoice.Mode = choice["type"].(string)
			req.ToolChoice.Name, _ = choice["name"].(string)
			req.ToolChoice.Single, _ = choice["disable_parallel_tool_use"].(bool)
		default:
			req.Extra[field] = jsonOf(t, v)
		}
	}
	return req, used
}

func floats(t testing.TB, data []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %.300s", err, data)
	}
	return v
}

func jsonOf(t testing.TB, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// blocksFrom makes the blocks of a recorded content: a string, or a list. What has
// a field in package model goes through it, the rest is raw.
func blocksFrom(t testing.TB, content any) model.Blocks {
	t.Helper()
	if s, ok := content.(string); ok {
		return model.Blocks{&model.Text{Text: s}}
	}
	list, _ := content.([]any)
	var out model.Blocks
	for _, v := range list {
		b := v.(map[string]any)
		kind := b["type"].(string)
		switch kind {
		case "text":
			out = append(out, &model.Text{Text: b["text"].(string)})
		case "tool_use":
			out = append(out, &model.ToolUse{ID: b["id"].(string), Name: b["name"].(string), Input: jsonOf(t, b["input"])})
		case "tool_result":
			result := &model.ToolResult{ToolUseID: b["tool_use_id"].(string), Content: blocksFrom(t, b["content"])}
			result.IsError, _ = b["is_error"].(bool)
			out = append(out, result)
		case "document":
			doc := &model.Document{Source: sourceFrom(t, b["source"].(map[string]any))}
			doc.Title, _ = b["title"].(string)
			cite, _ := b["citations"].(map[string]any)
			doc.Cite, _ = cite["enabled"].(bool)
			out = append(out, doc)
		case "image":
			out = append(out, &model.Image{Source: sourceFrom(t, b["source"].(map[string]any))})
		default:
			out = append(out, &model.Unknown{Type: kind, Raw: jsonOf(t, b)})
		}
	}
	return out
}

func sourceFrom(t testing.TB, s map[string]any) model.Source {
	t.Helper()
	var out model.Source
	out.MediaType, _ = s["media_type"].(string)
	switch s["type"] {
	case "base64":
		if err := json.Unmarshal(jsonOf(t, s["data"]), &out.Data); err != nil {
			t.Fatal(err)
		}
	case "text":
		out.Text = s["data"].(string)
	case "url":
		out.URL = s["url"].(string)
	case "file":
		out.FileID = s["file_id"].(string)
	default:
		t.Fatalf("no source of type %v", s["type"])
	}
	return out
}

func toolsFrom(t testing.TB, list []any) *model.ToolSet {
	t.Helper()
	set := &model.ToolSet{}
	for _, v := range list {
		tool := maps.Clone(v.(map[string]any))
		kind, _ := tool["type"].(string)
		if kind != "" && kind != "custom" {
			server := model.ServerTool{Type: kind}
			server.Name, _ = tool["name"].(string)
			if n, ok := tool["max_uses"].(float64); ok {
				server.MaxUses = int(n)
			}
			for _, field := range []string{"type", "name", "max_uses", "cache_control"} {
				delete(tool, field)
			}
			if len(tool) > 0 {
				server.Config = jsonOf(t, tool)
			}
			set.Server = append(set.Server, server)
			continue
		}
		def := model.ToolDef{Name: tool["name"].(string), InputSchema: jsonOf(t, tool["input_schema"])}
		def.Description, _ = tool["description"].(string)
		def.Strict, _ = tool["strict"].(bool)
		for _, field := range []string{"type", "name", "description", "input_schema", "strict", "cache_control"} {
			delete(tool, field)
		}
		if len(tool) > 0 {
			def.Provider = map[string]json.RawMessage{Provider: jsonOf(t, tool)}
		}
		set.Defs = append(set.Defs, def)
	}
	return set
}

// differences compares two requests by their fields.
func differences(theirs, ours map[string]any) map[string]string {
	a, b := requestMeaning(theirs), requestMeaning(ours)
	diffs := map[string]string{}
	for _, side := range []map[string]any{a, b} {
		for field := range side {
			if !reflect.DeepEqual(a[field], b[field]) {
				diffs[field] = cmp.Diff(a[field], b[field])
			}
		}
	}
	return diffs
}

// requestMeaning leaves out what says nothing: the order of keys and of tools, a
// value that is the default, how a text is put as a content, and where a
// breakpoint of the cache is. Whether to stream was the recorded client's choice.
func requestMeaning(request map[string]any) map[string]any {
	out := map[string]any{}
	for field, v := range request {
		switch field {
		case "stream":
			continue
		case "tool_choice":
			choice := maps.Clone(v.(map[string]any))
			if choice["disable_parallel_tool_use"] == false {
				delete(choice, "disable_parallel_tool_use")
			}
			if choice["type"] == "auto" && len(choice) == 1 {
				continue
			}
			v = choice
		case "tools":
			var tools []string
			for _, t := range v.([]any) {
				tool := maps.Clone(t.(map[string]any))
				delete(tool, "cache_control")
				if tool["type"] == "custom" {
					delete(tool, "type")
				}
				for name, v := range tool {
					if v == nil || v == "" || v == false {
						delete(tool, name)
					}
				}
				data, _ := json.Marshal(tool) // it was JSON
				tools = append(tools, string(data))
			}
			if len(tools) == 0 {
				continue
			}
			slices.Sort(tools)
			v = tools
		case "system":
			v = contentMeaning(v)
		case "messages":
			var messages []string
			for _, m := range v.([]any) {
				msg := m.(map[string]any)
				messages = append(messages, msg["role"].(string))
				messages = append(messages, contentMeaning(msg["content"])...)
			}
			v = messages
		}
		out[field] = v
	}
	return out
}

func contentMeaning(content any) []string {
	if s, ok := content.(string); ok {
		content = []any{map[string]any{"type": "text", "text": s}}
	}
	var out []string
	for _, c := range content.([]any) {
		block := maps.Clone(c.(map[string]any))
		delete(block, "cache_control")
		switch block["type"] {
		case "document", "image":
			if cite, _ := block["citations"].(map[string]any); cite["enabled"] == false {
				delete(block, "citations")
			}
			data, _ := json.Marshal(block) // it was JSON
			out = append(out, string(data))
			continue
		case "tool_result":
			inner := contentMeaning(block["content"])
			if block["is_error"] == true {
				inner = append(inner, "error")
			}
			block["content"] = inner
		}
		out = append(out, meaning([]any{block})...)
	}
	return out
}
