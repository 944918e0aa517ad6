package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model"
)

// FuzzStream: whatever comes, from whatever server, decoding ends in a response
// or a typed error, and what it decoded can be journaled and sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte(richStream), 1, 3)
	f.Add([]byte(strings.ReplaceAll(richStream, "\n", "\r\n")), 33, 0)
	f.Add([]byte(chunks(`{"content":"<think>a</think>b<tool_call>{\"name\":\"add\",\"arguments\":{}}</tool_call>"}`, `="stop"`, done)), 60, 15)
	f.Add([]byte(chunks(`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]`, `[{"function":{"arguments":{"x":1}}}]`, `="length"`)), 9, 7)
	f.Add([]byte(chunks(`{"function_call":{"name":"f"}}`, `{"refusal":"no"}`, ` {"error":{"code":429,"message":"try again in 2s"}}`)), 3, 9)
	f.Add([]byte(`{"choices":[{"message":{"content":[{"type":"text","text":"x"}],"tool_calls":[{"function":{"name":"f","arguments":{}}}]}}],"usage":{"prompt_tokens":1e3}}`), 9, 1)
	f.Fuzz(func(t *testing.T, data []byte, cut, row int) {
		cut = min(max(cut, 0), len(data))
		kind := eventStream
		if bytes.HasPrefix(data, []byte("{")) {
			kind = "application/json"
		}
		q := unknown.clone()
		if n := len(providers); row > 0 && row <= n {
			q = providers[row-1].Quirks.clone()
		} else if row > n {
			q.TextCalls, q.ThinkTags = true, "implied"
		}
		cfg := Config{Quirks: q}
		req := &model.Request{Messages: history(1), Tools: addTools}
		resp, err := offline(t, cfg, req, kind, string(data[:cut]), string(data[cut:])).Collect()
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) || e.Kind == "" || e.Error() == "" {
				t.Fatalf("untyped error: %#v", err)
			}
			if resp = e.Partial; resp == nil {
				return
			}
		}
		if _, err := json.Marshal(resp); err != nil {
			t.Fatalf("journal: %v", err)
		}
		for _, r := range resp.Message.Blocks.ToolUses() {
			if r.ID == "" || !json.Valid(r.Input) {
				t.Fatalf("a call without id or arguments: %+v", r)
			}
		}
		turn := []*model.Message{history(1)[0], resp.Message}
		var results []model.Block
		for _, r := range resp.Message.Blocks.ToolUses() {
			results = append(results, &model.ToolResult{ToolUseID: r.ID, Content: model.Blocks{&model.Text{Text: "1"}}})
		}
		if len(results) > 0 {
			turn = append(turn, user(results...))
		}
		p := newProfile(resp.Message.Provider, q)
		body, err := p.appendRequest(nil, &model.Request{Messages: turn}, &Config{Model: "m"})
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		if !json.Valid(body) {
			t.Fatalf("not JSON: %s", body)
		}
		if err := strict(body); err != nil {
			t.Fatalf("a strict server would refuse it: %v: %s", err, body)
		}
	})
}

// FuzzSplitter: however a text is cut, the splitters find the same in it, and
// lose nothing but the tags and the white space behind them.
func FuzzSplitter(f *testing.F) {
	f.Add("<think>a</think>\n\nb", 3, 9)
	f.Add(" \n<think>a<think>", 1, 2)
	f.Add("a<tool_call>{}</tool_call> <tool_call>", 4, 30)
	f.Add("</thi</think>", 2, 7)
	f.Add("<<think>", 1, 1)
	f.Fuzz(func(t *testing.T, text string, a, b int) {
		a = min(max(a, 0), len(text))
		b = min(max(b, a), len(text))
		for _, fresh := range []func() splitter{
			func() splitter { return newThink("leading", nil) },
			func() splitter { return newThink("implied", nil) },
			func() splitter { return newThink("none", nil) },
			func() splitter { return newCalls(nil) },
		} {
			split := func(pieces ...string) (out [2]string) {
				s := fresh()
				emit := func(inside bool, piece []byte) error {
					if inside {
						out[1] += string(piece)
					} else {
						out[0] += string(piece)
					}
					return nil
				}
				for _, p := range pieces {
					_ = s.feed([]byte(p), emit)
				}
				_ = s.flush(emit)
				return out
			}
			whole := split(text)
			if got := split(text[:a], text[a:b], text[b:]); got != whole {
				t.Fatalf("%q cut at %d and %d: %q, whole %q", text, a, b, got, whole)
			}
			if got := split(strings.Split(text, "")...); got != whole {
				t.Fatalf("%q in single characters: %q, whole %q", text, got, whole)
			}
			strip := func(s string) string {
				for _, tag := range []string{"<think>", "</think>", "<tool_call>", "</tool_call>"} {
					s = strings.ReplaceAll(s, tag, "")
				}
				r := []rune(strings.Join(strings.Fields(s), ""))
				slices.Sort(r)
				return string(r)
			}
			if !strings.Contains(text, "<") && strip(whole[0]+whole[1]) != strip(text) {
				t.Fatalf("%q lost something: %q", text, whole)
			}
		}
	})
}

// FuzzQuirks: no answer makes the table of servers fail, and what a row writes of
// any schema is JSON.
func FuzzQuirks(f *testing.F) {
	f.Add("timings", []byte(`{"timings":{}}`), []byte(`{"type":"object","$schema":"x"}`), "$schema")
	f.Add("Server", []byte(`{"id":"gen-1","system_fingerprint":"fp_ollama"}`), []byte(`{"properties":{"a":{"a":1}},"anyOf":[{},[]]}`), "a")
	f.Fuzz(func(t *testing.T, host string, answer, schema []byte, keyword string) {
		_ = providerOfHost(host)
		q := QuirksOf(host)
		if err := q.check(); err != nil {
			t.Fatal(err)
		}
		if json.Valid(answer) {
			resp, err := offline(t, Config{}, request(), "application/json", string(answer)).Collect()
			if (resp == nil) == (err == nil) {
				t.Fatalf("%v, %v", resp, err)
			}
		}
		got, err := schemaFor(schema, []string{keyword})
		if err != nil {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%s without %q is not JSON: %s", schema, keyword, got)
		}
		_ = isClosed(got)
	})
}
