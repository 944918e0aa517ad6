package chat

import (
	"bufio"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model"
)

// smallStream is a short answer with a tool call, as OpenAI writes it.
var smallStream = func() string {
	const chunk = `{"id":"chatcmpl-DuLdMEdkw5VsZSxKY3i9G934hT7LM","object":"chat.completion.chunk","created":1782321900,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_4fa7959453","usage":null,"choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}],"obfuscation":"ZvYJfUINRWi"}`
	var list []string
	for _, delta := range []string{
		`{"role":"assistant","content":"","refusal":null}`, `{"content":"Olá, ich"}`, `{"content":" rechne"}`, `{"content":" das"}`, `{"content":" aus."}`,
		`{"tool_calls":[{"index":0,"id":"call_ehIWdjL1abZk1h8FWGLQ0Hie","type":"function","function":{"name":"add","arguments":""}}]}`,
		`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":": 2, \"b\": 3}"}}]}`,
	} {
		list = append(list, " "+fmt.Sprintf(chunk, delta, "null"))
	}
	list = append(list, " "+fmt.Sprintf(chunk, "{}", `"tool_calls"`),
		` {"id":"chatcmpl-DuLdMEdkw5VsZSxKY3i9G934hT7LM","object":"chat.completion.chunk","created":1782321900,"model":"gpt-4o-2024-08-06","choices":[],"usage":{"prompt_tokens":106,"completion_tokens":34,"total_tokens":140,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`, done)
	return chunks(list...)
}()

// rawServer answers every request on a connection with the same bytes, and
// allocates nothing per request worth counting.
func rawServer(tb testing.TB, answer string) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { ln.Close() })
	out := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nX-Request-Id: req_1\r\nTransfer-Encoding: chunked\r\n\r\n" +
		strconv.FormatInt(int64(len(answer)), 16) + "\r\n" + answer + "\r\n0\r\n\r\n")
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go answerAll(c, out)
		}
	}()
	return "http://" + ln.Addr().String()
}

func answerAll(c net.Conn, out []byte) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	for {
		n := -1
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) == len("\r\n") {
				break
			}
			if name, value, _ := strings.Cut(string(line), ": "); strings.EqualFold(name, "Content-Length") {
				n, _ = strconv.Atoi(strings.TrimSpace(value))
			}
		}
		if n < 0 {
			return
		}
		if _, err := r.Discard(n); err != nil {
			return
		}
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}

func isSmall(resp *model.Response, err error) bool {
	return err == nil && resp.StopReason == model.StopToolUse && len(resp.Message.Blocks) == 2 && resp.Usage.OutputTokens == 34
}

// TestRoundTripAllocs bounds what one call allocates, net/http included, whatever
// the length of the history.
func TestRoundTripAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	const maxAllocs, maxBytes = 140, 20 << 10
	for _, n := range []int{2, 200} {
		m := testModel(t, rawServer(t, smallStream), "openai")
		req := &model.Request{Messages: append(history(n), model.UserText("2 + 3?"))}
		round := func() {
			if resp, err := m.Stream(t.Context(), req).Collect(); !isSmall(resp, err) {
				t.Fatalf("%v, %v", resp, err)
			}
		}
		for range 20 {
			round()
		}
		var before, after runtime.MemStats
		const rounds = 200
		runtime.ReadMemStats(&before)
		for range rounds {
			round()
		}
		runtime.ReadMemStats(&after)
		allocs, bytes := (after.Mallocs-before.Mallocs)/rounds, (after.TotalAlloc-before.TotalAlloc)/rounds
		t.Logf("history of %d: %d allocations, %d bytes", n, allocs, bytes)
		if allocs > maxAllocs || bytes > maxBytes {
			t.Errorf("history of %d: %d allocations and %d bytes for a call, want at most %d and %d", n, allocs, bytes, maxAllocs, maxBytes)
		}
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	url := rawServer(b, smallStream)
	for _, n := range []int{2, 200} {
		b.Run(fmt.Sprintf("history=%d", n), func(b *testing.B) {
			m := testModel(b, url, "openai")
			req := &model.Request{Messages: append(history(n), model.UserText("2 + 3?")), Tools: addTools}
			b.ReportAllocs()
			for b.Loop() {
				if resp, err := m.Stream(b.Context(), req).Collect(); !isSmall(resp, err) {
					b.Fatalf("not the answer: %+v, %v", resp, err)
				}
			}
		})
	}
}
