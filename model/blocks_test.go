package model

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// allBlocks has each type of block with all of its fields set.
func allBlocks() Blocks {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	return Blocks{
		&Text{
			Text: "Grüße \u2028 <b> \U0001F600",
			Citations: []Citation{
				{Kind: "char_location", Text: "quote", Title: "title", URL: "https://example.com", Document: 2, Start: 3, End: 9, Raw: raw(`{"type":"char_location"}`)},
				{Kind: "page_location"},
			},
			Raw: raw(`{"type":"text","text":"t","extra":1}`),
		},
		&Text{},
		&Thinking{Text: "hm", Signature: "sig==", Raw: raw(`{"a":1}`)},
		&RedactedThinking{Data: "AAEC", Raw: raw(`{"b":2}`)},
		&ToolUse{ID: "toolu_1", Name: "weather", Input: raw(`{"city":"Wien","n":12345678901234567890}`), Raw: raw(`{"caller":{"type":"direct"}}`)},
		&ToolUse{ID: "toolu_2", Name: "weather", Input: raw(`"{\"city\":"`), Incomplete: true},
		&ToolResult{
			ToolUseID: "toolu_1", Name: "weather", IsError: true, Raw: raw(`{"c":3}`),
			Content: Blocks{&Text{Text: "40 °C"}, &Image{Source: Source{MediaType: "image/png", Data: []byte{0, 1, 255}}}, &Unknown{Type: "tool_reference", Raw: raw(`{"type":"tool_reference"}`)}},
		},
		&ToolResult{ToolUseID: "toolu_2", Content: Blocks{}},
		&ToolResult{ToolUseID: "toolu_3"},
		&ServerToolUse{Type: "mcp_tool_use", ID: "srvtoolu_1", Name: "web_search", Input: raw(`{"query":"q"}`), Raw: raw(`{"d":4}`)},
		&ServerToolResult{Type: "web_search_tool_result", ToolUseID: "srvtoolu_1", Content: raw(`[{"type":"web_search_result"}]`), IsError: true, Raw: raw(`{"e":5}`)},
		&Image{Source: Source{URL: "https://example.com/a.png"}, Raw: raw(`{"f":6}`)},
		&Document{Source: Source{FileID: "file_1"}, Title: "t", Context: "c", Cite: true, Raw: raw(`{"g":7}`)},
		&Document{Source: Source{MediaType: "text/plain", Text: "all of it"}},
		&Unknown{Type: "hologram", Raw: raw(`{"type":"hologram","rays":[1,2]}`)},
	}
}

func TestBlocksRoundTrip(t *testing.T) {
	t.Parallel()
	want := allBlocks()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Blocks
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	// The list above has every type there is.
	seen := make(map[string]bool)
	for _, b := range want {
		seen[b.BlockType()] = true
		if b.BlockType() != "unknown" && len(b.RawJSON()) > 0 && !bytes.Contains(data, b.RawJSON()) {
			t.Errorf("%s: its raw JSON is not in the journal's", b.BlockType())
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d types of blocks are tested: %v", len(seen), seen)
	}
}

// A message is journaled without its cache of encodings.
func TestMessageRoundTrip(t *testing.T) {
	t.Parallel()
	want := &Message{Role: RoleAssistant, Provider: "anthropic", Blocks: allBlocks()}
	if _, err := want.Encoding("anthropic", func() ([]byte, error) { return []byte("cached"), nil }); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "cached") {
		t.Errorf("the cache is in %s", data)
	}
	var got Message
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Role != want.Role || got.Provider != want.Provider || cmp.Diff(want.Blocks, got.Blocks) != "" {
		t.Errorf("message %+v", &got)
	}
}

// The journal's form of blocks, which later versions have to read.
func TestBlocksJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		blocks Blocks
		want   string
	}{
		{nil, `null`},
		{Blocks{}, `[]`},
		{Blocks{&Text{Text: "a"}}, `[{"type":"text","text":"a"}]`},
		{Blocks{&Thinking{Text: "a", Signature: "b"}, &RedactedThinking{Data: "c"}}, `[{"type":"thinking","text":"a","signature":"b"},{"type":"redacted_thinking","data":"c"}]`},
		{Blocks{&ToolUse{ID: "a", Name: "b", Input: json.RawMessage(`{}`)}}, `[{"type":"tool_use","id":"a","name":"b","input":{}}]`},
		{Blocks{&ToolResult{ToolUseID: "a", Content: Blocks{&Text{Text: "b"}}}}, `[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"b"}]}]`},
		{Blocks{&ServerToolUse{Type: "mcp_tool_use", ID: "a", Name: "b", Input: json.RawMessage(`{}`)}}, `[{"type":"server_tool_use","kind":"mcp_tool_use","id":"a","name":"b","input":{}}]`},
		{Blocks{&ServerToolResult{Type: "mcp_tool_result", ToolUseID: "a", Content: json.RawMessage(`[]`)}}, `[{"type":"server_tool_result","kind":"mcp_tool_result","tool_use_id":"a","content":[]}]`},
		{Blocks{&Image{Source: Source{Data: []byte{1, 2}}}}, `[{"type":"image","source":{"data":"AQI="}}]`},
		{Blocks{&Document{Source: Source{URL: "u"}, Cite: true}}, `[{"type":"document","source":{"url":"u"},"cite":true}]`},
		{Blocks{&Unknown{Type: "hologram", Raw: json.RawMessage(`{"type":"hologram"}`)}}, `[{"type":"unknown","kind":"hologram","raw":{"type":"hologram"}}]`},
	} {
		got, err := json.Marshal(tc.blocks)
		if err != nil || string(got) != tc.want {
			t.Errorf("got %s, error %v, want %s", got, err, tc.want)
		}
		var back Blocks
		if err := json.Unmarshal([]byte(tc.want), &back); err != nil {
			t.Errorf("%s: %v", tc.want, err)
		}
		if diff := cmp.Diff(tc.blocks, back); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.want, diff)
		}
	}
}

// What a newer version wrote is kept as it is, at every depth.
func TestBlocksUnknown(t *testing.T) {
	t.Parallel()
	const data = `[{"type":"hologram","rays":[1,{"type":"text"}],"raw":null}, {"rays":2}, {"type":"tool_result","tool_use_id":"a","content":[{"type":"smell"}]}]`
	want := Blocks{
		&Unknown{Type: "hologram", Raw: json.RawMessage(`{"type":"hologram","rays":[1,{"type":"text"}],"raw":null}`)},
		&Unknown{Raw: json.RawMessage(`{"rays":2}`)},
		&ToolResult{ToolUseID: "a", Content: Blocks{&Unknown{Type: "smell", Raw: json.RawMessage(`{"type":"smell"}`)}}},
	}
	input := []byte(data)
	var got Blocks
	if err := json.Unmarshal(input, &got); err != nil {
		t.Fatal(err)
	}
	clear(input) // the blocks must not live in the caller's buffer
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("blocks (-want +got):\n%s", diff)
	}
	again, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back Blocks
	if err := json.Unmarshal(again, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("after another round (-want +got):\n%s", diff)
	}
}

func TestBlocksInvalid(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{}`:  "decode blocks",
		`"a"`: "decode blocks",
		`[1]`: "decode block 0",
		`[{"type":"text","text":"a"},{"type":"text","text":1}]`: "decode block 1: text",
		`[{"type":1}]`:                                                   "decode block 0",
		`[{"type":"tool_use","id":[]}]`:                                  "decode block 0: tool_use",
		`[{"type":"image","source":"a"}]`:                                "decode block 0: image",
		`[{"type":"image","source":{"data":"?"}}]`:                       "decode block 0: image",
		`[{"type":"tool_result","content":[{"type":"text","text":{}}]}]`: "decode block 0: tool_result: decode block 0: text",
		`[{"type":"unknown","kind":1}]`:                                  "decode block 0: unknown",
	} {
		blocks := Blocks{&Text{Text: "before"}}
		err := json.Unmarshal([]byte(data), &blocks)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", data, err, want)
		}
		if len(blocks) != 1 || blocks.Text() != "before" {
			t.Errorf("%s: changed the blocks to %v", data, blocks)
		}
	}
	for name, blocks := range map[string]Blocks{
		"nil block":          {&Text{}, nil},
		"input not JSON":     {&ToolUse{Input: json.RawMessage(`{`)}},
		"raw not JSON":       {&Unknown{Raw: json.RawMessage(`a`)}},
		"nested input":       {&ToolResult{Content: Blocks{nil}}},
		"citation not JSON":  {&Text{Citations: []Citation{{Raw: json.RawMessage(`]`)}}}},
		"content not JSON":   {&ServerToolResult{Content: json.RawMessage(`]`)}},
		"document raw":       {&Document{Raw: json.RawMessage(`]`)}},
		"half a server call": {&ServerToolUse{Input: json.RawMessage(`{"a":`)}},
	} {
		if data, err := json.Marshal(blocks); err == nil || !strings.Contains(err.Error(), "encode block") {
			t.Errorf("%s: encoded to %s, error %v", name, data, err)
		}
	}
}

func TestBlocksText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		blocks Blocks
		want   string
	}{
		{nil, ""},
		{Blocks{&Thinking{Text: "a"}}, ""},
		{Blocks{&Text{Text: "a"}}, "a"},
		{Blocks{&Text{}, &Text{Text: "a"}, &ToolUse{}, &Text{}, &Text{Text: "b"}, &Text{Text: "c"}}, "abc"},
	} {
		if got := tc.blocks.Text(); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.blocks, got, tc.want)
		}
	}
}

func TestBlocksToolUses(t *testing.T) {
	t.Parallel()
	a, b := &ToolUse{ID: "a"}, &ToolUse{ID: "b"}
	if got := (Blocks{a, &Text{}, &ServerToolUse{}, b}).ToolUses(); len(got) != 2 || got[0] != a || got[1] != b {
		t.Errorf("tool uses %v", got)
	}
	if got := (Blocks{&Text{}}).ToolUses(); got != nil {
		t.Errorf("tool uses %v", got)
	}
}

// sameJSON takes raw messages for equal if they are the same JSON: encoding puts
// out white space and some escapes, and makes null of nothing.
var sameJSON = cmp.Comparer(func(a, b json.RawMessage) bool {
	canonical := func(m json.RawMessage) string {
		if len(m) == 0 {
			return "null"
		}
		data, err := json.Marshal(m)
		if err != nil {
			return "invalid: " + string(m)
		}
		return string(data)
	}
	return canonical(a) == canonical(b)
})

// sameEmpty does not tell an empty list from none where encoding leaves both out.
var sameEmpty = cmp.Options{
	cmp.FilterValues(func(a, b []Citation) bool { return len(a)+len(b) == 0 }, cmp.Ignore()),
	cmp.FilterValues(func(a, b []byte) bool { return len(a)+len(b) == 0 }, cmp.Ignore()),
}

func FuzzBlocks(f *testing.F) {
	all, err := json.Marshal(allBlocks())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(all)
	for _, seed := range []string{
		`null`, `[]`, `[{}]`, `[null]`, `[{"type":"unknown"}]`, `[{"type":null,"a":1.0e99}]`,
		`[ {"type":"hologram" , "a":"<\u003c\ud800"} ]`, `[{"Type":"text","TEXT":"a"}]`,
		`[{"type":"text","type":"thinking","text":"a"}]`,
		`[{"type":"tool_use","input":null},{"type":"tool_result","content":null}]`,
		"[{\"type\":\"\xff\"}]", `[{"type":"text","citations":[]},{"type":"image","source":{"data":""}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first Blocks
		if err := first.UnmarshalJSON(data); err != nil {
			return
		}
		encoded, err := first.MarshalJSON()
		if err != nil {
			t.Fatalf("encode what was decoded: %v", err)
		}
		if !json.Valid(encoded) {
			t.Fatalf("not JSON: %s", encoded)
		}
		var second Blocks
		if err := second.UnmarshalJSON(encoded); err != nil {
			t.Fatalf("decode what was encoded: %v\n%s", err, encoded)
		}
		if diff := cmp.Diff(first, second, sameJSON, sameEmpty); diff != "" {
			t.Fatalf("blocks changed (-before +after):\n%s", diff)
		}
		again, err := second.MarshalJSON()
		if err != nil || !bytes.Equal(encoded, again) {
			t.Fatalf("encodings differ, error %v\n%s\n%s", err, encoded, again)
		}
	})
}
