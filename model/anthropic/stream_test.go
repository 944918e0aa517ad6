package anthropic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/model"
)

// richStream has one block of each kind of delta, text beyond ASCII, an escaped
// surrogate pair, a ping, a comment, an event and a delta of unknown types, and
// fields that the typed view does not have.
const richStream = `: a comment
event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-x","stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1,"service_tier":"standard"}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Größe 日本 \ud83d\ude00"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: ping
data: {"type":"ping"}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":"","citations":null,"tone":"dry"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ünï\n"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"ü","document_index":1,"document_title":"T","start_char_index":3,"end_char_index":4}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"tone_delta","tone":" and calm"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: weather
data: {"type":"weather","sky":"clear"}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"q\":\"\\"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"é\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

`

// chunked serves the stream in the given pieces, each flushed by itself.
func chunked(t testing.TB, pieces func() []string) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Request-Id", "req_7")
		for _, p := range pieces() {
			w.Write([]byte(p))
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// outcome is everything that a consumer sees of a stream.
func outcome(t testing.TB, m *model.Stream) string {
	t.Helper()
	var b strings.Builder
	for ev, err := range *m {
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) {
				t.Fatalf("untyped error %T: %v", err, err)
			}
			fmt.Fprintf(&b, "error %s\n", e.Kind)
			continue
		}
		switch ev.Kind {
		case model.EventBlock:
			fmt.Fprintf(&b, "%s %d %s\n", ev.Kind, ev.Index, encoded(t, ev.Block))
		case model.EventDone:
			fmt.Fprintf(&b, "done %s %d %s %s\n", ev.Response.StopReason, ev.Response.Usage.OutputTokens, ev.Response.Usage.Raw, ev.Response.ID)
		default:
			fmt.Fprintf(&b, "%s %d %q %s\n", ev.Kind, ev.Index, ev.Text, ev.Raw)
		}
	}
	return b.String()
}

func encoded(t testing.TB, b model.Block) string {
	t.Helper()
	data, err := (model.Blocks{b}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const richOutcome = `thinking 0 "Größe 日本 😀" 
block 0 [{"type":"thinking","text":"Größe 日本 😀","signature":"c2ln"}]
text 1 "ünï\n" 
unknown 1 "" {"type":"content_block_delta","index":1,"delta":{"type":"tone_delta","tone":" and calm"}}
block 1 [{"type":"text","text":"ünï\n","citations":[{"kind":"char_location","text":"ü","title":"T","document":1,"start":3,"end":4,"raw":{"type":"char_location","cited_text":"ü","document_index":1,"document_title":"T","start_char_index":3,"end_char_index":4}}],"raw":{"type":"text","text":"ünï\n","citations":[{"type":"char_location","cited_text":"ü","document_index":1,"document_title":"T","start_char_index":3,"end_char_index":4}],"tone":"dry and calm"}}]
unknown 0 "" {"type":"weather","sky":"clear"}
input 2 "{\"q\":\"\\" 
input 2 "\"é\"}" 
block 2 [{"type":"tool_use","id":"toolu_1","name":"f","input":{"q":"\"é"}}]
done tool_use 7 {"input_tokens":9,"output_tokens":7,"service_tier":"standard"} msg_1
`

func streamOf(t testing.TB, m *Model) *model.Stream {
	s := m.Stream(t.Context(), &model.Request{Messages: history(1)})
	return &s
}

// offline decodes a stream that comes in exactly these pieces, without a network.
func offline(t testing.TB, pieces ...string) *model.Stream {
	return offlineAs(t, "text/event-stream", pieces...)
}

func offlineAs(t testing.TB, contentType string, pieces ...string) *model.Stream {
	s := model.Stream(func(yield func(model.Event, error) bool) {
		m := &Model{}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		c := calls.Get().(*call)
		defer c.free()
		w := apicall.NewWatch(-1, cancel)
		defer w.Stop()
		resp := &http.Response{
			StatusCode: 200,
			Header:     http.Header{"Content-Type": {contentType}, "Request-Id": {"req_7"}},
			Body:       io.NopCloser(readerFunc(func(p []byte) (int, error) { return nextPiece(&pieces, p) })),
		}
		if err := m.read(resp, c, w, yield); err != nil && err != errStop {
			yield(model.Event{}, m.readError(ctx, ctx, c, resp, err))
		}
	})
	return &s
}

func nextPiece(pieces *[]string, p []byte) (int, error) {
	for len(*pieces) > 0 && (*pieces)[0] == "" {
		*pieces = (*pieces)[1:]
	}
	if len(*pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*pieces)[0])
	(*pieces)[0] = (*pieces)[0][n:]
	return n, nil
}

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
	for i := 0; i <= len(richStream); i += 29 {
		at.Store(int64(i))
		if got := outcome(t, streamOf(t, m)); got != richOutcome {
			t.Fatalf("sent in two at byte %d (-want +got):\n%s", i, cmp.Diff(richOutcome, got))
		}
	}
}

func TestLineEnds(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]string{
		"LF":               richStream,
		"CRLF":             strings.ReplaceAll(richStream, "\n", "\r\n"),
		"CR":               strings.ReplaceAll(richStream, "\n", "\r"),
		"mixed":            strings.ReplaceAll(richStream, "\n\n", "\r\n\n"),
		"comments":         strings.ReplaceAll(richStream, "\nevent: ", "\n: keep-alive\n\nevent: "),
		"pings":            strings.ReplaceAll(richStream, "\nevent: ", "\nevent: ping\ndata: {\"type\":\"ping\"}\n\nevent: "),
		"byte order mark":  "\ufeff" + strings.TrimPrefix(richStream, ": a comment\nevent: message_start\n"),
		"no event lines":   strings.ReplaceAll(richStream, "\nevent: ", "\nid: "),
		"no blanks":        strings.ReplaceAll(richStream, "\ndata: ", "\ndata:"),
		"data in lines":    strings.ReplaceAll(richStream, `,"index"`, ",\ndata: \"index\""),
		"empty events":     strings.ReplaceAll(richStream, "\n\n", "\n\n\n\nevent: keepalive\n\n"),
		"no last line end": strings.TrimRight(richStream, "\n"),
		"[DONE]":           richStream + "event: data\ndata: [DONE]\n\n",
		"early [DONE]":     strings.Replace(richStream, "event: message_stop", "data: [DONE]\n\nevent: message_stop", 1),
	} {
		want := richOutcome
		if name == "data in lines" { // the raw event has the line ends
			want = strings.ReplaceAll(want, `_delta","index"`, "_delta\",\n\"index\"")
		}
		for _, size := range []int{1, 7, 1 << 20} {
			srv := chunked(t, func() []string {
				var pieces []string
				for c := range slices.Chunk([]byte(stream), size) {
					pieces = append(pieces, string(c))
				}
				return pieces
			})
			if got := outcome(t, streamOf(t, testModel(t, srv.URL))); got != want {
				t.Errorf("%s in pieces of %d (-want +got):\n%s", name, size, cmp.Diff(want, got))
			}
		}
	}
}

// TestTruncated: a stream that ends early is an error with what had come, at
// whatever byte it ends.
func TestTruncated(t *testing.T) {
	t.Parallel()
	end := strings.LastIndex(richStream, `"}`) + len(`"}`) // the last byte that matters
	for i := range end {
		checkTruncated(t, i, offline(t, richStream[:i]))
	}
	var at atomic.Int64
	srv := chunked(t, func() []string { return []string{richStream[:at.Load()]} })
	m := testModel(t, srv.URL)
	for i := 0; i < end; i += 29 {
		at.Store(int64(i))
		checkTruncated(t, i, streamOf(t, m))
	}
}

func checkTruncated(t *testing.T, i int, s *model.Stream) {
	t.Helper()
	resp, err := s.Collect()
	var e *model.Error
	if !errors.As(err, &e) || resp != nil {
		t.Fatalf("ended at byte %d: %v, %v", i, resp, err)
	}
	if e.Kind != model.ErrTransport || !e.Retryable() || e.RequestID != "req_7" {
		t.Fatalf("ended at byte %d: %+v", i, e)
	}
	// The event is complete where its JSON is, even without the blank line.
	if begun := strings.Index(richStream, "\n\n"); e.Partial != nil != (i >= begun) {
		t.Fatalf("ended at byte %d: partial answer: %v", i, e.Partial)
	}
	if e.Partial == nil {
		return
	}
	for j, b := range e.Partial.Message.Blocks {
		stop := `{"type":"content_block_stop","index":2}`
		if use, ok := b.(*model.ToolUse); ok && !use.Incomplete && i < strings.Index(richStream, stop)+len(stop) {
			t.Fatalf("ended at byte %d: block %d would be run: %s", i, j, use.Input)
		}
	}
}

func TestPartial(t *testing.T) {
	t.Parallel()
	cut := strings.Index(richStream, `\"é\"}"`)
	srv := chunked(t, func() []string { return []string{richStream[:cut]} })
	_, err := streamOf(t, testModel(t, srv.URL)).Collect()
	var e *model.Error
	if !errors.As(err, &e) || e.Partial == nil || len(e.Partial.Message.Blocks) != 3 {
		t.Fatalf("%v", err)
	}
	if got, want := encoded(t, e.Partial.Message.Blocks[2]), `[{"type":"tool_use","id":"toolu_1","name":"f","input":"{\"q\":\"\\","incomplete":true}]`; got != want {
		t.Errorf("open call:\n got %s\nwant %s", got, want)
	}
	if e.Partial.Usage.InputTokens != 9 || e.Partial.Message.Blocks.Text() != "ünï\n" || e.Partial.Message.Provider != Provider {
		t.Errorf("partial answer: %+v", e.Partial)
	}
}

// TestBroken: what is not the protocol is said to be so.
func TestBroken(t *testing.T) {
	t.Parallel()
	const start = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{}}}\n\n"
	const block = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
	const stop = "data: {\"type\":\"message_stop\"}\n\n"
	for name, tt := range map[string]struct {
		stream string
		kind   model.ErrorKind
		words  string
	}{
		"nothing":               {"", model.ErrTransport, "before the answer was complete"},
		"half a character":      {start + block + "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"\xc3\"}}\n\n" + stop, model.ErrProtocol, "UTF-8"},
		"not JSON":              {start + "data: {oops}\n\n" + stop, model.ErrProtocol, "not JSON"},
		"a web page":            {"<html><body>Hello</body></html>\n", model.ErrTransport, "before the answer was complete"},
		"no message_start":      {stop, model.ErrProtocol, "before message_start"},
		"delta before start":    {"data: {\"type\":\"message_delta\",\"delta\":{}}\n\n", model.ErrProtocol, "before message_start"},
		"block before start":    {block, model.ErrProtocol, "before message_start"},
		"delta of no block":     {start + "data: {\"type\":\"content_block_delta\",\"index\":4,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n", model.ErrProtocol, "block 4"},
		"stop of no block":      {start + "data: {\"type\":\"content_block_stop\",\"index\":4}\n\n", model.ErrProtocol, "block 4"},
		"block twice":           {start + block + block, model.ErrProtocol, "started twice"},
		"start without message": {"data: {\"type\":\"message_start\"}\n\n", model.ErrProtocol, "no message"},
		"block without block":   {start + "data: {\"type\":\"content_block_start\",\"index\":0}\n\n", model.ErrProtocol, "no block"},
		"a list":                {start + "data: []\n\n", model.ErrTransport, "before the answer was complete"},
		"error, overloaded":     {start + block + "event: error\ndata: {\"type\":\"error\",\"error\":{\"details\":null,\"type\":\"overloaded_error\",\"message\":\"Overloaded\"},\"request_id\":\"req_in\"}\n\n", model.ErrOverloaded, "Overloaded"},
		"error first":           {"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Internal server error\"}}\n\n", model.ErrServer, "Internal server error"},
		"error without an end":  {start + "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}", model.ErrOverloaded, "Overloaded"},
		"error without a type":  {start + "data: {\"error\":{\"message\":\"upstream gone\"}}\n\n", model.ErrServer, "upstream gone"},
		"error, rate limit":     {start + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}\n\n", model.ErrRateLimited, "slow"},
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
		if has := e.Partial != nil; has != strings.HasPrefix(tt.stream, start) {
			t.Errorf("%s: partial answer: %v", name, has)
		}
	}
}

// TestLenient: small deviations of gateways do no harm.
func TestLenient(t *testing.T) {
	t.Parallel()
	const start = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":5,\"output_tokens\":null}}}\n\n"
	const stop = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"mood\":\"good\"},\"usage\":{\"input_tokens\":0,\"output_tokens\":3,\"server_tool_use\":{\"web_search_requests\":2}},\"cost\":0.5}\n\ndata: {\"type\":\"message_stop\"}\n\n"
	for name, tt := range map[string]struct{ stream, want string }{
		"block never stopped": {start + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n" + stop,
			`[{"type":"text","text":"x"}]`},
		"text in the start": {start + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"whole\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" + stop,
			`[{"type":"text","text":"whole"}]`},
		"input in the start": {start + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"a\":1}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n" + stop,
			`[{"type":"tool_use","id":"t","name":"f","input":{"a":1}}]`},
		"no input": {start + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\n" + stop,
			`[{"type":"tool_use","id":"t","name":"f","input":{}}]`},
		"bad input": {start + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{},\"caller\":{}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\": tru\"}}\n\n" + stop,
			`[{"type":"tool_use","id":"t","name":"f","input":"{\"a\": tru","incomplete":true}]`},
		"interleaved blocks": {start + "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_start\",\"index\":5,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":5,\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"text_delta\",\"text\":\"c\"}}\n\n" + stop,
			`[{"type":"text","text":"ac"},{"type":"text","text":"b"}]`},
		"block of an unknown type": {start + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"compaction\",\"content\":null,\"n\":[1]}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"compaction_delta\",\"content\":\"sum\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"compaction_delta\",\"content\":\"mary\",\"n\":[2,3]}}\n\n" + stop,
			`[{"type":"unknown","kind":"compaction","raw":{"type":"compaction","content":"summary","n":[1,2,3]}}]`},
		"redacted thinking": {start + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"ZA==\"}}\n\n" + stop,
			`[{"type":"redacted_thinking","data":"ZA=="}]`},
		"a tool result with an error": {start + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s\",\"content\":{\"type\":\"web_search_tool_result_error\",\"error_code\":\"max_uses_exceeded\"}}}\n\n" + stop,
			`[{"type":"server_tool_result","kind":"web_search_tool_result","tool_use_id":"s","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"},"is_error":true}]`},
	} {
		srv := chunked(t, func() []string { return []string{tt.stream} })
		resp, err := streamOf(t, testModel(t, srv.URL)).Collect()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := resp.Message.Blocks.MarshalJSON()
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, tt.want)
		}
		u := resp.Usage
		if u.InputTokens != 5 || u.OutputTokens != 3 || u.ServerToolCalls["web_search_requests"] != 2 {
			t.Errorf("%s: usage %+v", name, u)
		}
		if string(resp.Extra["mood"]) != `"good"` || string(resp.Extra["cost"]) != "0.5" {
			t.Errorf("%s: extra %s", name, resp.Extra)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
