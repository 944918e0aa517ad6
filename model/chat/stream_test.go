package chat

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
)

// richStream has reasoning with a signature, a text beyond ASCII with a citation,
// two calls whose pieces alternate, an event of an unknown kind, a second choice,
// and fields that the typed view does not have.
const richStream = `: OPENROUTER PROCESSING

data: {"id":"gen-1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Größe","reasoning_details":[{"type":"reasoning.text","text":"Größe","index":0,"format":"f"}]},"finish_reason":null}]}

data: {"id":"gen-1","model":"m-1","choices":[{"index":0,"delta":{"reasoning":" 日本 \ud83d\ude00","reasoning_details":[{"type":"reasoning.text","text":" 日本 \ud83d\ude00","index":0,"format":"f"}]}}]}

data: {"id":"gen-1","model":"m-1","choices":[{"index":0,"delta":{"content":"","reasoning_details":[{"type":"reasoning.text","signature":"c2ln","index":0,"format":"f"}]}}]}

data: {"id":"gen-1","model":"m-1","choices":[{"index":0,"delta":{"content":"ünï\n","tone":"dry"}},{"index":1,"delta":{"content":"other"}}]}

event: weather
data: {"type":"weather","sky":"clear"}

data: {"id":"gen-1","model":"m-1","choices":[{"index":0,"delta":{"content":"x","annotations":[{"type":"url_citation","url_citation":{"url":"https://a.org","title":"A","start_index":1,"end_index":2}}]}}]}

data: {"id":"gen-1","model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"q\":\"\\"}},{"index":1,"id":"call_2","type":"function","function":{"name":"g","arguments":""},"extra_content":{"google":{"thought_signature":"AB"}}}]}}]}

data: {"id":"gen-1","model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}},{"index":0,"function":{"arguments":"\"é\"}"}}]},"finish_reason":"tool_calls","native_finish_reason":"tool_use"}]}

data: {"id":"gen-1","model":"m-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7,"total_tokens":16,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":2}}}

data: [DONE]

`

const richOutcome = `thinking 0 "Größe" 
thinking 0 " 日本 😀" 
block 0 [{"type":"thinking","text":"Größe 日本 😀","signature":"c2ln","raw":{"field":"reasoning","reasoning_details":[{"type":"reasoning.text","text":"Größe 日本 😀","index":0,"format":"f","signature":"c2ln"}]}}]
text 1 "ünï\n" 
unknown 0 "" {"index":1,"delta":{"content":"other"}}
unknown 0 "" {"type":"weather","sky":"clear"}
text 1 "x" 
block 1 [{"type":"text","text":"ünï\nx","citations":[{"kind":"url_citation","title":"A","url":"https://a.org","start":1,"end":2,"raw":{"type":"url_citation","url_citation":{"url":"https://a.org","title":"A","start_index":1,"end_index":2}}}]}]
input 2 "{\"q\":\"\\" 
input 3 "{}" 
input 2 "\"é\"}" 
block 2 [{"type":"tool_use","id":"call_1","name":"f","input":{"q":"\"é"}}]
block 3 [{"type":"tool_use","id":"call_2","name":"g","input":{},"raw":{"extra_content":{"google":{"thought_signature":"AB"}}}}]
done tool_use {"prompt_tokens":9,"completion_tokens":7,"total_tokens":16,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":2}} gen-1 m-1
`

// TestCuts: how the network cuts a stream makes no difference.
func TestCuts(t *testing.T) {
	t.Parallel()
	step := 1
	if raceEnabled {
		step = 13
	}
	for i := 0; i <= len(richStream); i += step {
		if got := outcome(t, offline(t, Config{}, request(), eventStream, richStream[:i], richStream[i:])); got != richOutcome {
			t.Fatalf("cut at byte %d (-want +got):\n%s", i, cmp.Diff(richOutcome, got))
		}
	}
}

func TestRichResponse(t *testing.T) {
	t.Parallel()
	resp, err := offline(t, Config{}, request(), eventStream, richStream).Collect()
	if err != nil {
		t.Fatal(err)
	}
	want := model.Usage{InputTokens: 3, OutputTokens: 7, CacheReadTokens: 4, CacheWriteTokens: 2, Raw: resp.Usage.Raw}
	if diff := cmp.Diff(want, resp.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{"choice": `{"native_finish_reason":"tool_use"}`, "message": `{"tone":"dry"}`, "created": "1"} {
		if got := string(resp.Extra[name]); got != want {
			t.Errorf("extra %s is %s, want %s", name, got, want)
		}
	}
	if resp.Message.Role != model.RoleAssistant || resp.Message.Provider != "chat/offline.test" {
		t.Errorf("%s of %s", resp.Message.Role, resp.Message.Provider)
	}
}

// chunks makes a stream of deltas. A string that begins with { is a delta, one
// that begins with [ is a list of tool_calls; "=x" is the finish_reason x,
// anything else is data as it is.
func chunks(list ...string) string {
	var b strings.Builder
	for _, s := range list {
		switch {
		case strings.HasPrefix(s, "{"):
			s = `{"id":"c","choices":[{"index":0,"delta":` + s + `}]}`
		case strings.HasPrefix(s, "[{"):
			s = `{"id":"c","choices":[{"index":0,"delta":{"tool_calls":` + s + `}}]}`
		case strings.HasPrefix(s, "="):
			s = `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":` + s[1:] + `}]}`
		}
		b.WriteString("data: " + s + "\n\n")
	}
	return b.String()
}

const done = "[DONE]"

// TestOddAnswers are the ways of servers of which there is no recording; the
// shapes are those of their issue trackers.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		list []string
		want string // as facts tells it
	}{
		// Calls.
		"no index, whole":               {[]string{`[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}}]`, `="tool_calls"`, done}, `tool_use:f{"x":1},tool_use:f{"x":2}`},
		"no index, no id":               {[]string{`[{"function":{"name":"f","arguments":"{\"x\":1}"}},{"function":{"name":"f","arguments":"{\"x\":1}"}}]`, `="tool_calls"`, done}, `tool_use:f{"x":1},tool_use:f{"x":1}`},
		"no index, pieces":              {[]string{`[{"id":"a","function":{"name":"f","arguments":""}}]`, `[{"function":{"arguments":"{\"x\""}}]`, `[{"function":{"arguments":":1}"}}]`, `="tool_calls"`, done}, `tool_use:f{"x":1}`},
		"one index for all":             {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`, `[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]`, `="stop"`, done}, `tool_use:f{},tool_use:g{}`},
		"one index, no ids":             {[]string{`[{"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":1}"}}]`, `[{"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":2}"}}]`, `="stop"`, done}, `tool_use:f{"x":1},tool_use:f{"x":2}`},
		"one index, no ids, pieces":     {[]string{`[{"index":0,"function":{"name":"f","arguments":"{\"x\""}}]`, `[{"index":0,"function":{"arguments":":1}"}}]`, `[{"index":0,"function":{"name":"g","arguments":"{}"}}]`, done}, `tool_use:f{"x":1},tool_use:g{}`},
		"one index, one chunk":          {[]string{`[{"index":0,"function":{"name":"f","arguments":""}},{"index":0,"function":{"name":"g","arguments":""}}]`, done}, `tool_use:f{},tool_use:g{}`},
		"a new id with each piece":      {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]`, `[{"index":0,"id":"b","function":{"arguments":":1}"}}]`, done}, `tool_use:f{"x":1}`},
		"no index, the id again":        {[]string{`[{"id":"a","function":{"name":"f","arguments":"{\"x\""}}]`, `[{"id":"a","function":{"arguments":":1}"}}]`, done}, `tool_use:f{"x":1} no_usage`},
		"no id, the name again":         {[]string{`[{"index":0,"function":{"name":"f","arguments":"{\"x\""}}]`, `[{"index":0,"function":{"name":"f","arguments":":1}"}}]`, done}, `tool_use:f{"x":1} no_usage`},
		"no id, all of it again":        {[]string{`[{"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}}]`, `[{"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}}]`, done}, `blocks=tool_use:f{"x":1} no_usage`},
		"no id, another, the first cut": {[]string{`[{"index":0,"function":{"name":"f","arguments":"{\"x\""}}]`, `[{"index":0,"function":{"name":"g","arguments":"{}"}}]`, done}, `tool_use:f"{\"x\""!,tool_use:g{}`},
		"a call that is no object":      {[]string{`{"content":"a","tool_calls":[7,null]}`, `="stop"`, done}, `stop=end_turn blocks=text(1) no_usage`},
		"details that are no objects":   {[]string{`{"reasoning_details":[7],"content":"a"}`, `="stop"`, done}, `blocks=text(1) no_usage`},
		"parts that are strings":        {[]string{`{"content":["a",{"type":"thinking","thinking":"t"}]}`, `="stop"`, done}, `blocks=text(1),thinking(1)*`},
		"the id comes late":             {[]string{`[{"index":0,"function":{"name":"f"}}]`, `[{"index":0,"id":"a","function":{"arguments":"{}"}}]`, done}, `tool_use:f{}`},
		"same id again":                 {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]`, `[{"index":0,"id":"a","function":{"name":"f","arguments":"1}"}}]`, done}, `tool_use:f{"x":1}`},
		"names in pieces":               {[]string{`[{"index":0,"id":"a","function":{"name":"get_"}}]`, `[{"index":0,"function":{"name":"weather"}}]`, `[{"index":0,"function":{"arguments":"{}"}}]`, done}, `tool_use:get_weather{}`},
		"names that grow":               {[]string{`[{"index":0,"id":"a","function":{"name":"get_"}}]`, `[{"index":0,"function":{"name":"get_weather"}}]`, done}, `tool_use:get_weather{}`},
		"the name is null":              {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":null}}]`, `[{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"{}"}}]`, done}, `tool_use:f{}`},
		"arguments as an object":        {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":[1, 2]}}}]`, done}, `tool_use:f{"x":[1, 2]}`},
		"arguments quoted twice":        {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"\"{\\\"x\\\":1}\""}}]`, done}, `tool_use:f{"x":1}`},
		"arguments come again":          {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]`, `[{"index":0,"function":{"arguments":":1}"}}]`, `[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]`, done}, `tool_use:f{"x":1}`},
		"arguments that grow":           {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]`, `[{"index":0,"function":{"arguments":"{\"x\":1"}}]`, `[{"index":0,"function":{"arguments":"{\"x\":1}"}}]`, done}, `tool_use:f{"x":1}`},
		"arguments are null":            {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"null"}}]`, done}, `tool_use:f{}`},
		"arguments are no object":       {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"[1]"}}]`, done}, `tool_use:f[1]`},
		"arguments are no JSON":         {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"x = 1"}}]`, done}, `tool_use:f"x = 1"!`},
		"a nested end looks whole":      {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\": "}}]`, `[{"index":0,"function":{"arguments":"{}"}}]`, `="length"`, done}, `stop=max_tokens blocks=tool_use:f"{\"x\": {}"!`},
		"cut before the arguments":      {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]`, `="length"`, done}, `tool_use:f""!`},
		"without the wrapping":          {[]string{`[{"index":0,"id":"a","name":"f","arguments":"{}"}]`, done}, `tool_use:f{}`},
		"function_call":                 {[]string{`{"function_call":{"name":"f","arguments":""}}`, `{"function_call":{"arguments":"{\"x\":1}"}}`, `="function_call"`, done}, `stop=tool_use blocks=tool_use:f{"x":1}`},
		"a text between calls":          {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]`, `{"content":"hm"}`, `[{"index":0,"function":{"arguments":"1}"}}]`, done}, `tool_use:f{"x":1},text(2)`},
		"white space before calls":      {[]string{`{"content":"\n\n"}`, `[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`, done}, `blocks=tool_use:f{} no_usage`},
		"white space before a text":     {[]string{`{"content":"\n"}`, `{"content":"a"}`, `="stop"`, done}, `blocks=text(2)`},
		"the message comes again":       {[]string{`{"content":"ab"}`, ` {"id":"c","choices":[{"index":0,"message":{"content":"ab"},"finish_reason":"stop"}]}`, done}, `text(2)`},
		"all of it as a message":        {[]string{` {"id":"c","choices":[{"index":0,"message":{"content":"ab","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`, done}, `stop=tool_use blocks=text(2),tool_use:f{}`},
		"content in parts":              {[]string{`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`, `{"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]}]}`, `="stop"`, done}, `blocks=thinking(2)*,text(1),unknown:reference`},
		"reasoning under both names":    {[]string{`{"reasoning":"a","reasoning_content":"a"}`, `{"content":"b"}`, `="stop"`, done}, `blocks=thinking(1)*,text(1)`},
		"reasoning that is no text":     {[]string{`{"reasoning":{"tokens":1},"content":"b"}`, `="stop"`, done}, `blocks=text(1) no_usage extra=message`},
		"reasoning after a text":        {[]string{`{"reasoning":"a"}`, `{"content":"b"}`, `{"reasoning":"c"}`, `="stop"`, done}, `blocks=thinking(1)*,text(1),thinking(1)*`},
		"details only":                  {[]string{`{"reasoning_details":[{"type":"reasoning.summary","summary":"a","index":0}]}`, `{"reasoning_details":[{"type":"reasoning.summary","summary":"b","index":0},{"type":"reasoning.encrypted","data":"x","index":1}]}`, `="stop"`, done}, `blocks=thinking(2)*`},
		"think tags":                    {[]string{`{"content":"\n<thi"}`, `{"content":"nk>a</th"}`, `{"content":"ink>\n\nb <think>"}`, `="stop"`, done}, `blocks=thinking(1),text(9)`},
		"think tags, never closed":      {[]string{`{"content":"<think>a"}`, `{"content":"</thin"}`, `="length"`, done}, `stop=max_tokens blocks=thinking(7)`},
		"a tag in the middle is a text": {[]string{`{"content":"x <think>a</think>"}`, `="stop"`, done}, `blocks=text(18)`},
		"a tag that comes to nothing":   {[]string{`{"content":"<thi"}`, `="stop"`, done}, `blocks=text(4)`},
		// Ends.
		"eos":                    {[]string{`{"content":"a"}`, `="eos"`, done}, `stop=end_turn`},
		"end_turn":               {[]string{`{"content":"a"}`, `="end_turn"`, done}, `stop=end_turn`},
		"STOP":                   {[]string{`{"content":"a"}`, `="STOP"`, done}, `stop=end_turn`},
		"max_tokens":             {[]string{`{"content":"a"}`, `="max_tokens"`, done}, `stop=max_tokens`},
		"MAX_TOKENS":             {[]string{`{"content":"a"}`, `="MAX_TOKENS"`, done}, `stop=max_tokens`},
		"model_length":           {[]string{`{"content":"a"}`, `="model_length"`, done}, `stop=model_context_window_exceeded`},
		"content_filter":         {[]string{`{"content":"a"}`, `="content_filter"`, done}, `stop=refusal+details`},
		"SAFETY":                 {[]string{`{"content":"a"}`, `="SAFETY"`, done}, `stop=refusal+details`},
		"stop with calls":        {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`, `="stop"`, done}, `stop=tool_use`},
		"tool_calls without any": {[]string{`{"content":"a"}`, `="tool_calls"`, done}, `stop=end_turn`},
		"stop_sequence":          {[]string{`{"content":"a"}`, `="stop_sequence"`, done}, `stop=stop_sequence`},
		"pause_turn":             {[]string{`{"content":"a"}`, `="pause_turn"`, done}, `stop=pause_turn`},
		"a reason of its own":    {[]string{`{"content":"a"}`, `="Brand_New"`, done}, `stop=Brand_New`},
		"null, with calls":       {[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`, `=null`, done}, `stop=tool_use`},
		"none":                   {[]string{`{"content":"a"}`, done}, `stop=end_turn`},
		"none, and nothing":      {[]string{`{"role":"assistant"}`, done}, `error=protocol`},
		"nothing but the end":    {[]string{done}, `error=protocol`},
		"a reason, no [DONE]":    {[]string{`{"content":"a"}`, `="stop"`}, `stop=end_turn`},
		"neither":                {[]string{`{"content":"a"}`}, `error=transport status=0 code= request_id partial=text(1)`},
		"error":                  {[]string{`{"content":"a"}`, `="error"`, done}, `error=server status=200 code=error request_id partial=text(1)`},
		"no capacity":            {[]string{`{"content":"a"}`, `="insufficient_system_resource"`, done}, `error=overloaded`},
		// Errors within the stream.
		"error object":                  {[]string{`{"content":"a"}`, ` {"error":{"message":"Overloaded","code":529}}`}, `error=overloaded status=200 code=529 request_id partial=text(1)`},
		"error string":                  {[]string{` {"error":"rate limit reached"}`}, `error=rate_limited`},
		"error as an object of its own": {[]string{` {"object":"error","message":"context length exceeded","code":40001}`}, `error=context_window`},
		"error null":                    {[]string{` {"id":"c","error":null,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, done}, `stop=end_turn`},
		"not JSON":                      {[]string{`{"content":"a"}`, `oops`}, `error=protocol status=0 code= request_id partial=text(1)`},
		// Usage.
		"usage in each chunk":        {[]string{` {"usage":{"prompt_tokens":3,"completion_tokens":1},"choices":[{"index":0,"delta":{"content":"a"}}]}`, ` {"usage":{"prompt_tokens":3,"completion_tokens":2},"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, ` {"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, done}, `in=3 out=2`},
		"usage under x_groq":         {[]string{` {"x_groq":{"usage":{"prompt_tokens":3,"completion_tokens":2}},"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, done}, `in=3 out=2`},
		"usage in the choice":        {[]string{` {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":2,"cached_tokens":8}}]}`, done}, `in=1 out=2 read=8`},
		"usage, cache counted apart": {[]string{`{"content":"a"}`, `="stop"`, ` {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":105,"cache_read_input_tokens":100}}`, done}, `in=3 out=2 read=100`},
		"usage without choices":      {[]string{`{"content":"a"}`, `="stop"`, ` {"usage":{"prompt_tokens":3,"completion_tokens":2}}`, done}, `in=3 out=2`},
		"timings instead":            {[]string{`{"content":"a"}`, `="stop"`, ` {"choices":[],"timings":{"prompt_n":3,"cache_n":4,"predicted_n":2}}`, done}, `in=3 out=2 read=4`},
	} {
		events, resp, err := collect(offline(t, Config{}, request(), eventStream, chunks(tt.list...)))
		got := facts(events, resp, err)
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
	}
}

// TestImpliedThinkTag: templates that open the tag in the prompt.
func TestImpliedThinkTag(t *testing.T) {
	t.Parallel()
	s := offline(t, Config{Quirks: &Quirks{ThinkTags: "implied"}}, request(), eventStream, chunks(`{"content":"hm\n</thi"}`, `{"content":"nk>\n\nyes"}`, `="stop"`, done))
	events, resp, err := collect(s)
	if got := facts(events, resp, err); !strings.Contains(got, "blocks=thinking(3),text(3)") {
		t.Error(got)
	}
}

// TestWhiteSpace: without a splitter too, white space alone is no text.
func TestWhiteSpace(t *testing.T) {
	t.Parallel()
	call := `[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`
	for want, list := range map[string][]string{
		`blocks=tool_use:f{} no_usage`:         {`{"content":"\n\n"}`, call, done},
		`blocks=text(3),tool_use:f{} no_usage`: {`{"content":"\n"}`, `{"content":" a"}`, call, done},
	} {
		events, resp, err := collect(offline(t, Config{Quirks: &Quirks{}}, request(), eventStream, chunks(list...)))
		if got := facts(events, resp, err); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestRawFields: details of reasoning are joined by their index, and a list that
// is sent again whole does not grow.
func TestRawFields(t *testing.T) {
	t.Parallel()
	resp, err := offline(t, Config{}, request(), eventStream, chunks(
		` {"id":"c","citations":["a","b"],"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"x","index":0},{"type":"reasoning.text","text":"y","index":1}]}}]}`,
		` {"id":"c","citations":["a","b"],"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"z","index":1}]},"finish_reason":"stop","token_ids":[1]}]}`,
		` {"id":"c","choices":[{"index":0,"delta":{},"token_ids":[2],"more":{"a":1}}]}`,
		` {"id":"c","choices":[{"index":0,"delta":{},"more":{"b":2}}]}`, done)).Collect()
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string][2]string{
		"thinking":  {string(resp.Message.Blocks[0].RawJSON()), `{"field":"reasoning_details","reasoning_details":[{"type":"reasoning.text","text":"x","index":0},{"type":"reasoning.text","text":"yz","index":1}]}`},
		"citations": {string(resp.Extra["citations"]), `["a","b"]`},
		"choice":    {string(resp.Extra["choice"]), `{"token_ids":[1,2],"more":{"a":1,"b":2}}`},
	} {
		if want[0] != want[1] {
			t.Errorf("%s:\n got %s\nwant %s", what, want[0], want[1])
		}
	}
}

// TestTextCalls: calls within the text count where that is asked for.
func TestTextCalls(t *testing.T) {
	t.Parallel()
	req := &model.Request{Messages: history(1), Tools: &model.ToolSet{Defs: []model.ToolDef{{Name: "f"}}}}
	list := []string{`{"content":"I look.\n<tool"}`, `{"content":"_call>\n{\"name\": \"f\", \"arguments\": {\"x\": 1}}\n</tool_call>\n<tool_call>{\"name\":\"f\",\"parameters\":{}}</tool_call>"}`, `="stop"`, done}
	for name, tt := range map[string]struct {
		on   bool
		list []string
		want string
	}{
		"on":          {true, list, `stop=tool_use blocks=text(8),tool_use:f{"x": 1},tool_use:f{}`},
		"off":         {false, list, `stop=end_turn blocks=text(`},
		"not a tool":  {true, []string{`{"content":"<tool_call>{\"name\":\"rm\"}</tool_call>"}`, `="stop"`, done}, `stop=end_turn blocks=text(36)`},
		"not JSON":    {true, []string{`{"content":"<tool_call>f(1)</tool_call>!"}`, `="stop"`, done}, `stop=end_turn blocks=text(`},
		"not closed":  {true, []string{`{"content":"<tool_call>{\"name\":\"f\",\"arguments\":{}}"}`, `="stop"`, done}, `stop=tool_use blocks=tool_use:f{}`},
		"not whole":   {true, []string{`{"content":"<tool_call>{\"name\":\"f\""}`, `="length"`, done}, `stop=max_tokens blocks=text(22)`},
		"as a string": {true, []string{`{"content":"<tool_call>{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":2}\"}</tool_call>"}`, `="stop"`, done}, `tool_use:f{"x":2}`},
	} {
		events, resp, err := collect(offline(t, Config{Quirks: &Quirks{TextCalls: tt.on}}, req, eventStream, chunks(tt.list...)))
		if got := facts(events, resp, err); !strings.Contains(got, tt.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
	}
}

// TestCallIDs: each call of a conversation has an id of its own, and the same
// answer gives the same ids.
func TestCallIDs(t *testing.T) {
	t.Parallel()
	req := &model.Request{Messages: append(history(1), model.NewMessage(model.RoleAssistant, &model.ToolUse{ID: "0", Name: "f"}), model.NewMessage(model.RoleUser, &model.ToolResult{ToolUseID: "0"}))}
	stream := chunks(`[{"index":0,"id":"0","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"0","function":{"name":"g","arguments":"{}"}},{"index":2,"function":{"name":"h"}},{"index":3,"function":{"name":"h"}}]`, done)
	ids := func() []string {
		resp, err := offline(t, Config{}, req, eventStream, stream).Collect()
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, use := range resp.Message.Blocks.ToolUses() {
			ids = append(ids, use.ID)
		}
		return ids
	}
	got := ids()
	if len(got) != 4 || got[0] != "0_2" || got[1] != "0_3" || got[2] == got[3] || !strings.HasPrefix(got[2], "call_") {
		t.Errorf("ids are %q", got)
	}
	if diff := cmp.Diff(got, ids()); diff != "" {
		t.Errorf("another time (-first +second):\n%s", diff)
	}
}

// TestWhole: a server that answers a stream's request in one piece.
func TestWhole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ kind, body, want string }{
		"answer":           {"application/json", `{"id":"c","choices":[{"message":{"role":"assistant","content":"a","reasoning_content":"b"},"finish_reason":"stop"}]}`, "stop=end_turn blocks=thinking(1)*,text(1)"},
		"no type declared": {"", "\n" + ` {"id":"c","choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "stop=end_turn"},
		"the wrong type":   {eventStream, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "stop=end_turn"},
		"error":            {"application/json", `{"error":{"message":"no","type":"invalid_request_error"}}`, "error=invalid_request status=200"},
		"error in a list":  {"application/json", `[{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}]`, "error=rate_limited"},
		"an empty list":    {"application/json", `[]`, "error=protocol"},
		"something else":   {"application/json", `{"input_tokens":5}`, "error=protocol"},
		"not JSON":         {"application/json", `{"choices":`, "error=protocol"},
		"nothing":          {"application/json", ``, "error=protocol"},
		"a page":           {"text/html", `<html>Welcome</html>`, "error=protocol"},
		"not UTF-8":        {"application/json", "{\"a\":\"\xff\"}", "error=protocol"},
		"no choices":       {"application/json", `{"choices":[]}`, "error=protocol"},
	} {
		events, resp, err := collect(offline(t, Config{}, request(), tt.kind, tt.body))
		if got := facts(events, resp, err); !strings.Contains(got, tt.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
	}
}

// TestManyAtOnce: one model serves many goroutines, also while it learns what
// server it talks to.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	stream := chunks(` {"id":"c","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, done)
	m := serving(t, func(w http.ResponseWriter) error {
		w.Header().Set("Content-Type", eventStream)
		_, err := io.WriteString(w, stream)
		return err
	})
	req := request()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				if resp, err := m.Stream(t.Context(), req).Collect(); err != nil || resp.Message.Blocks.Text() != "a" {
					t.Errorf("%v, %v", resp, err)
				}
			}
		})
	}
	wg.Wait()
	if m.Quirks().ThinkingBack != "reasoning" {
		t.Errorf("learned %+v", m.Quirks())
	}
}

// TestCompressed: a proxy that compresses though nobody asked it to.
func TestCompressed(t *testing.T) {
	t.Parallel()
	for _, broken := range []bool{false, true} {
		m := serving(t, func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", eventStream)
			w.Header().Set("Content-Encoding", "gzip")
			if broken {
				_, err := io.WriteString(w, "not gzip at all")
				return err
			}
			z := gzip.NewWriter(w)
			io.WriteString(z, richStream)
			return z.Close()
		})
		resp, err := m.Stream(t.Context(), request()).Collect()
		if (err != nil) != broken || err == nil && len(resp.Message.Blocks) != 4 {
			t.Errorf("%v, %v", resp, err)
		}
	}
}

// TestJournaled: what was decoded survives a journal.
func TestJournaled(t *testing.T) {
	t.Parallel()
	resp, err := offline(t, Config{}, request(), eventStream, richStream).Collect()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(resp)
	if err != nil {
		t.Fatal(err)
	}
	var back model.Response
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	p := newProfile(resp.Message.Provider, QuirksOf("openrouter"))
	was, err1 := p.assistant(resp.Message)
	now, err2 := p.assistant(back.Message)
	if err1 != nil || err2 != nil || string(was) != string(now) {
		t.Errorf("%v, %v (-before +after the journal):\n%s", err1, err2, cmp.Diff(string(was), string(now)))
	}
}
