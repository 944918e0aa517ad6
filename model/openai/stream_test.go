package openai

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

// richStream has items of many kinds whose events interleave, text beyond ASCII,
// an escaped surrogate pair, a comment, an event and an item of unknown types,
// and fields that the typed view does not have.
const richStream = `: a comment
event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"gpt-5-x","output":[],"usage":null,"instructions":"Be brief."}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Größe 日本 \ud83d\ude00"}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":1,"delta":"more"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Größe 日本 😀"},{"type":"summary_text","text":"more"}],"encrypted_content":"c2ln"}}

event: keepalive
data: {"type":"keepalive","sequence_number":9}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[],"phase":"commentary"}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"ünï\n"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":1,"delta":"part two"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"ünï\n","annotations":[{"type":"url_citation","url":"https://a.org","title":"A","start_index":1,"end_index":3}]},{"type":"output_text","text":"part two","annotations":[]}],"phase":"commentary"}}

event: weather
data: {"type":"weather","sky":"clear"}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":""}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"call_2","name":"g","arguments":""}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\"q\":\"\\"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_2","output_index":3,"delta":"{}"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"\"é\"}"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"call_2","name":"g","arguments":"{}","status":"completed"}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":"{\"q\":\"\\\"é\"}","status":"completed","caller":{"type":"direct"}}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":4,"item":{"id":"h_1","type":"hologram","rays":[]}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":4,"item":{"id":"h_1","type":"hologram","rays":[1,2]}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","model":"gpt-5-x","service_tier":"default","usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2}},"output":[{"id":"rs_1"},{"id":"msg_1"},{"id":"fc_1"},{"id":"fc_2"},{"id":"h_1"}]}}

`

const richOutcome = `thinking 0 "Größe 日本 😀" 
thinking 0 "\n\nmore" 
block 0 [{"type":"thinking","text":"Größe 日本 😀\n\nmore","signature":"c2ln","raw":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Größe 日本 😀"},{"type":"summary_text","text":"more"}],"encrypted_content":"c2ln"}}]
text 1 "ünï\n" 
text 2 "part two" 
block 1 [{"type":"text","text":"ünï\n","citations":[{"kind":"url_citation","title":"A","url":"https://a.org","start":1,"end":3,"raw":{"type":"url_citation","url":"https://a.org","title":"A","start_index":1,"end_index":3}}],"raw":{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"ünï\n","annotations":[{"type":"url_citation","url":"https://a.org","title":"A","start_index":1,"end_index":3}]},{"type":"output_text","text":"part two","annotations":[]}],"phase":"commentary"}}]
block 2 [{"type":"text","text":"part two","raw":{"type":"output_text","text":"part two","annotations":[]}}]
unknown 0 "" {"type":"weather","sky":"clear"}
input 3 "{\"q\":\"\\" 
input 4 "{}" 
input 3 "\"é\"}" 
block 4 [{"type":"tool_use","id":"call_2","name":"g","input":{},"raw":{"id":"fc_2","type":"function_call","call_id":"call_2","name":"g","arguments":"{}","status":"completed"}}]
block 3 [{"type":"tool_use","id":"call_1","name":"f","input":{"q":"\"é"},"raw":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":"{\"q\":\"\\\"é\"}","status":"completed","caller":{"type":"direct"}}}]
block 5 [{"type":"unknown","kind":"hologram","raw":{"id":"h_1","type":"hologram","rays":[1,2]}}]
done tool_use 7 {"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2}} resp_1
`

// TestCuts: how the network cuts a stream makes no difference.
func TestCuts(t *testing.T) {
	t.Parallel()
	for i := range len(richStream) + 1 {
		if got := outcome(t, offline(t, richStream[:i], richStream[i:])); got != richOutcome {
			t.Fatalf("cut at byte %d (-want +got):\n%s", i, cmp.Diff(richOutcome, got))
		}
	}
	var at atomic.Int64
	srv := chunked(t, func() []string { return []string{richStream[:at.Load()], richStream[at.Load():]} })
	m := testModel(t, srv.URL)
	for i := 0; i <= len(richStream); i += 97 {
		at.Store(int64(i))
		if got := outcome(t, streamOf(t, m)); got != richOutcome {
			t.Fatalf("sent in two at byte %d (-want +got):\n%s", i, cmp.Diff(richOutcome, got))
		}
	}
}

// variants are the ways in which the same stream may be written.
func variants(stream string) map[string][]string {
	ways := cassette.Framings(stream)
	for how, other := range map[string]string{
		"pings":            strings.ReplaceAll(stream, "\n\n", "\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"),
		"no event lines":   strings.ReplaceAll(stream, "event: ", "id: "),
		"no blanks":        strings.ReplaceAll(stream, "\ndata: ", "\ndata:"),
		"no last line end": strings.TrimRight(stream, "\n"),
		"[DONE]":           stream + "data: [DONE]\n\n",
	} {
		ways[how] = []string{other}
	}
	ways["a piece a character"] = strings.Split(stream, "")
	return ways
}

// streams returns the recorded answers that are streams of this API, by name.
func streams(t *testing.T) map[string]string {
	t.Helper()
	names, all := recordings(t, recordingsDir(t))
	out := map[string]string{}
	for _, name := range names {
		for i, e := range all[name] {
			if bytes.Contains(e.Response.Body, []byte("data: {")) {
				body := string(e.Response.Body)
				out[fmt.Sprintf("%s[%d]", name, i)] = strings.TrimRight(strings.ReplaceAll(body, "\r\n", "\n"), "\n") + "\n\n"
			}
		}
	}
	return out
}

// TestStreamVariants: no recorded stream depends on how it is written.
func TestStreamVariants(t *testing.T) {
	t.Parallel()
	all := streams(t)
	all["rich"] = richStream
	for name, stream := range all {
		want := outcome(t, offline(t, stream))
		for how, pieces := range variants(stream) {
			if got := outcome(t, offline(t, pieces...)); got != want {
				t.Errorf("%s, %s (-want +got):\n%s", name, how, cmp.Diff(want, got))
			}
		}
	}
	if len(all) < 30 {
		t.Errorf("only %d streams", len(all))
	}
	t.Logf("%d streams", len(all))
}

// TestTruncatedStreams: a recorded stream that ends early, behind any of its
// events or anywhere, is an error, and no call of it would be run but one whose
// item was complete.
func TestTruncatedStreams(t *testing.T) {
	t.Parallel()
	all := streams(t)
	all["rich"] = richStream
	checked := 0
	for name, stream := range all {
		whole, err := offline(t, stream).Collect()
		if err != nil {
			continue // a stream that reports an error
		}
		last := strings.LastIndexByte(stream, '}') + 1
		for _, at := range cassette.Cuts(stream, 50, 1) {
			if at >= last {
				continue // nothing is missing
			}
			resp, err := offline(t, stream[:at]).Collect()
			var e *model.Error
			if !errors.As(err, &e) || resp != nil {
				t.Errorf("%s ended at byte %d: an answer %v, %v", name, at, resp != nil, err)
				continue
			}
			if e.Kind != model.ErrTransport || !e.Retryable() || e.RequestID != "req_7" {
				t.Errorf("%s ended at byte %d: %+v", name, at, e)
			}
			checked++
			if e.Partial == nil {
				continue
			}
			for _, use := range e.Partial.Message.Blocks.ToolUses() {
				if !use.Incomplete && !contains(whole, use) {
					t.Errorf("%s ended at byte %d: a call would be run that the whole stream does not have: %s", name, at, use.Input)
				}
			}
		}
	}
	t.Logf("%d places", checked)
}

func contains(resp *model.Response, use *model.ToolUse) bool {
	for _, u := range resp.Message.Blocks.ToolUses() {
		if u.ID == use.ID && string(u.Input) == string(use.Input) {
			return true
		}
	}
	return false
}

// TestDamaged: a stream with a few wrong bytes ends, in an answer or in a typed
// error. It is a small FuzzStream that runs each time.
func TestDamaged(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		data := []byte(richStream)
		for range 1 + rnd.IntN(3) {
			i := rnd.IntN(len(data))
			switch rnd.IntN(4) {
			case 0:
				data[i] = byte(rnd.IntN(256))
			case 1:
				data = append(data[:i], data[min(len(data), i+rnd.IntN(40)):]...)
			case 2:
				data = append(data[:i:i], append([]byte{"{}[]\",:\\\n\r"[rnd.IntN(10)]}, data[i:]...)...)
			case 3:
				j := rnd.IntN(len(data))
				data[i], data[j] = data[j], data[i]
			}
			if len(data) == 0 {
				break
			}
		}
		_, err := offline(t, string(data)).Collect()
		var e *model.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("untyped error %#v of %q", err, data)
		}
	}
}

const (
	created   = "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"status\":\"in_progress\"}}\n\n"
	completed = "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\"}}\n\n"
)

// TestBroken: what is not the protocol is said to be so.
func TestBroken(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stream string
		kind   model.ErrorKind
		words  string
	}{
		"nothing":            {"", model.ErrTransport, "before the answer was complete"},
		"half a character":   {created + "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"\xc3\"}\n\n" + completed, model.ErrProtocol, "UTF-8"},
		"not JSON":           {created + "data: {oops}\n\n" + completed, model.ErrProtocol, "not JSON"},
		"a web page":         {"<html><body>Hello</body></html>\n", model.ErrTransport, "before the answer was complete"},
		"a list":             {created + "data: []\n\n", model.ErrTransport, "before the answer was complete"},
		"only [DONE]":        {created + "data: [DONE]\n\n", model.ErrTransport, "before the answer was complete"},
		"no item":            {created + "data: {\"type\":\"response.output_item.added\"}\n\n", model.ErrProtocol, "no item"},
		"no item at the end": {created + "data: {\"type\":\"response.output_item.done\",\"item\":7}\n\n", model.ErrProtocol, "no item"},
		"no response":        {created + "data: {\"type\":\"response.completed\"}\n\n", model.ErrProtocol, "no response"},
		"item done twice": {created + strings.Repeat("data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\"}}\n\n", 2),
			model.ErrProtocol, "twice"},
		"piece behind the end": {created + "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\"}}\n\n" +
			"data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"x\"}\n\n", model.ErrProtocol, "was complete"},
		"a part far away":   {created + "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":99999999,\"delta\":\"x\"}\n\n", model.ErrProtocol, "no item has"},
		"output of numbers": {created + "data: {\"type\":\"response.completed\",\"response\":{\"output\":[1]}}\n\n", model.ErrProtocol, "not an object"},
		"queued":            {created + "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"queued\"}}\n\n", model.ErrProtocol, "background"},
		"failed":            {created + "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"oh\"}}}\n\n", model.ErrServer, "oh"},
		"failed, no words":  {created + "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":null}}\n\n", model.ErrServer, "did not say why"},
		"error":             {created + "data: {\"type\":\"error\",\"code\":\"server_is_overloaded\",\"message\":\"busy\",\"param\":null}\n\n", model.ErrOverloaded, "busy"},
		"error, cut":        {created + "data: {\"type\":\"error\",\"code\":\"server_is_overloaded\",\"message\":\"busy\"}", model.ErrOverloaded, "busy"},
		"error, no type":    {created + "data: {\"error\":{\"message\":\"upstream gone\"}}\n\n", model.ErrServer, "upstream gone"},
		"context window":    {created + "data: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}\n\n", model.ErrContextWindow, "too long"},
	} {
		srv := chunked(t, func() []string { return []string{tt.stream} })
		resp, err := streamOf(t, testModel(t, srv.URL)).Collect()
		var e *model.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, %v", name, resp, err)
			continue
		}
		if e.Kind != tt.kind || !strings.Contains(e.Message, tt.words) || e.Provider != Provider || e.RequestID == "" {
			t.Errorf("%s: %+v", name, e)
		}
		if has := e.Partial != nil; has != strings.HasPrefix(tt.stream, created) {
			t.Errorf("%s: partial answer: %v", name, has)
		}
	}
}

// TestLenient: small deviations of gateways do no harm.
func TestLenient(t *testing.T) {
	t.Parallel()
	const text = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"he\"}\n\n"
	for name, tt := range map[string]struct{ stream, want string }{
		"no items announced":  {text + completed, "he:end_turn"},
		"no created":          {text + completed, "he:end_turn"},
		"item never done":     {created + "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"content\":[]}}\n\n" + text + completed, "he:end_turn"},
		"whole text at done":  {created + text + "data: {\"type\":\"response.output_text.done\",\"output_index\":0,\"content_index\":0,\"text\":\"hello\"}\n\n" + completed, "hello:end_turn"},
		"only the response":   {created + "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]}]}}\n\n", "hello:end_turn"},
		"no indexes":          {created + "data: {\"type\":\"response.output_item.added\",\"item\":{\"id\":\"a\",\"type\":\"message\",\"content\":[]}}\n\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"a\",\"delta\":\"he\"}\n\ndata: {\"type\":\"response.output_item.done\",\"item\":{\"id\":\"a\",\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]}}\n\n" + completed, "hello:end_turn"},
		"no status":           {text + "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\"}}\n\n", "he:end_turn"},
		"content filter":      {text + "data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"content_filter\"}}}\n\n", "he:refusal"},
		"another reason":      {text + "data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_tool_calls\"}}}\n\n", "he:max_tool_calls"},
		"no reason":           {text + "data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\"}}\n\n", "he:incomplete"},
		"cancelled":           {text + "data: {\"type\":\"response.cancelled\",\"response\":{\"status\":\"cancelled\"}}\n\n", "he:cancelled"},
		"refusal":             {"data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]}}\n\n" + completed, "no:refusal"},
		"a call, cut off":     {"data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\",\"status\":\"incomplete\"}}\n\ndata: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}\n\n", "!\"{\\\"a\\\":\":max_tokens"},
		"a call, cut as JSON": {"data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"7\",\"status\":\"incomplete\"}}\n\ndata: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}\n\n", "!\"7\":max_tokens"},
		"a call, badly put":   {"data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"a=1\"}}\n\n" + completed, "!\"a=1\":tool_use"},
	} {
		resp, err := offline(t, tt.stream).Collect()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := resp.Message.Blocks.Text()
		for _, use := range resp.Message.Blocks.ToolUses() {
			if use.Incomplete {
				got += "!"
			}
			got += string(use.Input)
		}
		if got += ":" + string(resp.StopReason); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
