package modeltest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// conversation is a request with n calls and their results.
func conversation(n int, stream string) string {
	var b strings.Builder
	b.WriteString(`{"model":"m","max_tokens":9,` + stream + `"messages":[{"role":"user","content":"say \"tool_result\" and \"stream\":true"}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_loop_%d","name":"echo","input":{"step":%d}}]}`, i+1, i+1)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_loop_%d","content":"\"type\":\"tool_result\" %s"}]}`, i+1, strings.Repeat("x", 40_000))
	}
	b.WriteString(`]}`)
	return b.String()
}

func TestToolLoop(t *testing.T) {
	t.Parallel()
	const steps = 5
	loop := modeltest.ToolLoop(steps, "echo", "All done.")
	s := newServer(t, modeltest.ServerConfig{Loop: loop})
	total := 0
	for _, stream := range []string{"", `"stream":true,`, `"stream": true,`, `"stream":false,`} {
		for n := range steps + 2 {
			r := post(t, s, conversation(n, stream))
			if r.status != 200 || r.err != nil {
				t.Fatal(r.status, r.err)
			}
			total += n
			want := fmt.Sprintf(`"id":"toolu_loop_%d","name":"echo","input":{"step":%d}`, n+1, n+1)
			if strings.Contains(stream, "true") {
				events(t, r.body)
				want = fmt.Sprintf(`"content_block":{"type":"tool_use","id":"toolu_loop_%d","name":"echo","input":{}}`, n+1)
			} else if !json.Valid([]byte(r.body)) {
				t.Errorf("not JSON: %s", r.body)
			}
			if n >= steps {
				want = "All done."
			}
			if !strings.Contains(r.body, want) || strings.HasPrefix(r.body, "event: ") != strings.Contains(stream, "true") {
				t.Errorf("%d results, %q: %s is not in %s", n, stream, want, r.body)
			}
		}
	}
	if loop.Requests() != 4*(steps+2) || loop.ToolResults() != int64(total) || loop.Finals() != 8 {
		t.Errorf("%d requests, %d tool results, %d finals", loop.Requests(), loop.ToolResults(), loop.Finals())
	}
}

// However a body comes in, no result is lost or counted twice.
func TestToolLoopReads(t *testing.T) {
	t.Parallel()
	body := conversation(3, `"stream":true,`)
	for name, reader := range map[string]io.Reader{
		"byte by byte":  iotest.OneByteReader(strings.NewReader(body)),
		"halves":        iotest.HalfReader(strings.NewReader(body)),
		"data with EOF": iotest.DataErrReader(strings.NewReader(body)),
	} {
		loop := modeltest.ToolLoop(9, "echo", "done")
		w := httptest.NewRecorder()
		loop.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/messages", reader))
		if loop.ToolResults() != 3 || !strings.HasPrefix(w.Body.String(), "event: ") {
			t.Errorf("%s: %d results: %s", name, loop.ToolResults(), w.Body)
		}
	}
}

func TestToolLoopKey(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{APIKey: "k", Loop: modeltest.ToolLoop(1, "echo", "done")})
	if r := post(t, s, hello); r.status != 401 {
		t.Errorf("status %d", r.status)
	}
	if r := post(t, s, hello, func(r *http.Request) { r.Header.Set("X-Api-Key", "k") }); r.status != 200 {
		t.Errorf("status %d", r.status)
	}
}

func TestToolLoopPark(t *testing.T) {
	t.Parallel()
	loop := modeltest.ToolLoop(5, "echo", "done")
	loop.ParkAt = 2
	s := newServer(t, modeltest.ServerConfig{Loop: loop})
	if r := post(t, s, conversation(0, "")); r.status != 200 {
		t.Errorf("the first request: %d", r.status)
	}
	const n = 20
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if r, err := send(t.Context(), s, conversation(1, "")); err != nil || r.status != 200 {
				t.Errorf("status %d, error %v", r.status, err)
			}
		})
	}
	leaves, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		if _, err := send(leaves, s, conversation(1, "")); err == nil {
			t.Error("a parked request was answered")
		}
	}()
	if err := loop.WaitParked(t.Context(), n+1); err != nil {
		t.Fatal(err)
	}
	leave()
	<-left // the release must not come before it is gone
	if got := loop.Parked(); got < n {
		t.Errorf("%d parked", got)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrNoProgress)
	if err := loop.WaitParked(ctx, 1000); err != io.ErrNoProgress {
		t.Errorf("WaitParked gave %v", err)
	}
	loop.Release()
	loop.Release()
	wg.Wait()
	if r := post(t, s, conversation(1, "")); r.status != 200 {
		t.Errorf("after the release: %d", r.status)
	}
}

func ExampleToolLoop() {
	loop := modeltest.ToolLoop(2, "echo", "done")
	s := modeltest.NewServer(modeltest.ServerConfig{Loop: loop})
	defer s.Close()
	for _, body := range []string{
		`{"messages":[]}`,
		`{"messages":[{"type":"tool_result"}]}`,
		`{"messages":[{"type":"tool_result"},{"type":"tool_result"}]}`,
	} {
		req, _ := http.NewRequest(http.MethodPost, s.URL+"/v1/messages", strings.NewReader(body))
		req.Header.Set("Anthropic-Version", "2023-06-01")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		var answer struct {
			StopReason string `json:"stop_reason"`
		}
		_ = json.NewDecoder(resp.Body).Decode(&answer)
		resp.Body.Close()
		fmt.Println(answer.StopReason)
	}
	http.DefaultClient.CloseIdleConnections()
	fmt.Println(loop.Requests(), "requests,", loop.ToolResults(), "tool results")
	// Output:
	// tool_use
	// tool_use
	// end_turn
	// 3 requests, 3 tool results
}

// discard is a ResponseWriter that keeps the number of bytes.
type discard struct {
	header http.Header
	n      int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { d.n += len(p); return len(p), nil }

func TestToolLoopAllocations(t *testing.T) {
	loop := modeltest.ToolLoop(50, "echo", "done")
	body := []byte(conversation(20, `"stream":true,`))
	reader := bytes.NewReader(body)
	w := &discard{header: http.Header{}}
	r := httptest.NewRequest(http.MethodPost, "/v1/messages", nil)
	r.Body = io.NopCloser(reader)
	n := testing.AllocsPerRun(100, func() {
		reader.Reset(body)
		loop.ServeHTTP(w, r)
	})
	// The pool may be emptied in between, which race mode does at random.
	if w.n == 0 || loop.ToolResults() != 101*20 || n > 2 {
		t.Errorf("%v allocations, %d bytes, %d results", n, w.n, loop.ToolResults())
	}
}

func BenchmarkToolLoop(b *testing.B) {
	loop := modeltest.ToolLoop(50, "echo", "done")
	body := []byte(conversation(20, `"stream":true,`))
	reader := bytes.NewReader(body)
	w := &discard{header: http.Header{}}
	r := httptest.NewRequest(http.MethodPost, "/v1/messages", nil)
	r.Body = io.NopCloser(reader)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	n := int64(0)
	for b.Loop() {
		reader.Reset(body)
		loop.ServeHTTP(w, r)
		n++
	}
	if loop.ToolResults() != 20*n {
		b.Errorf("%d results of %d requests", loop.ToolResults(), n)
	}
}

// TestToolLoopAPIs: a loop goes its rounds with each provider.
func TestToolLoopAPIs(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T, *modeltest.Server) model.Model{
		"anthropic": func(t *testing.T, s *modeltest.Server) model.Model { return newAnthropic(t, s) },
		"openai":    func(t *testing.T, s *modeltest.Server) model.Model { return overResponses(t, s) },
		"chat":      func(t *testing.T, s *modeltest.Server) model.Model { return newChat(t, s) },
	} {
		loop := modeltest.ToolLoop(3, "echo", "done")
		m := open(t, newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Loop: loop}))
		req := ask("Begin.")
		req.Tools = &model.ToolSet{Defs: []model.ToolDef{{Name: "echo"}}}
		var calls []string
		for range 9 {
			resp, err := m.Stream(t.Context(), req).Collect()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if resp.StopReason != model.StopToolUse {
				calls = append(calls, resp.Message.Blocks.Text())
				break
			}
			results := model.NewMessage(model.RoleUser)
			for _, use := range resp.Message.Blocks.ToolUses() {
				calls = append(calls, string(use.Input))
				results.Blocks = append(results.Blocks, &model.ToolResult{ToolUseID: use.ID, Content: model.Blocks{&model.Text{Text: "\"role\":\"tool\""}}})
			}
			req.Messages = append(req.Messages, resp.Message, results)
		}
		if got := strings.Join(calls, " "); got != `{"step":1} {"step":2} {"step":3} done` || loop.ToolResults() != 6 {
			t.Errorf("%s: %s, %d tool results", name, got, loop.ToolResults())
		}
	}
}
