package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkHandLoop is the bar: the same conversation as BenchmarkToolRound,
// over the same wire, by a loop that does nothing else. It has no journal, no
// limits, no checks, and encodes the whole history in each turn.
func BenchmarkHandLoop(b *testing.B) {
	server := startServer(b)
	for _, steps := range []int{20, 100} {
		b.Run(fmt.Sprintf("history=%d", steps), func(b *testing.B) {
			url := server.base(steps, 0) + "/v1/messages"
			handLoop(b, url, steps)
			allocs, size := measure(func() {
				for b.Loop() {
					handLoop(b, url, steps)
				}
			})
			rounds := float64(b.N * steps)
			b.ReportMetric(float64(allocs)/rounds, "allocs/round")
			b.ReportMetric(float64(size)/rounds, "B/round")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/rounds, "µs/round")
		})
	}
}

type handMessage struct {
	Role    string      `json:"role"`
	Content []handBlock `json:"content"`
}

type handBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
}

type handEvent struct {
	Type  string    `json:"type"`
	Block handBlock `json:"content_block"`
	Delta struct {
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
}

func handLoop(tb testing.TB, url string, steps int) {
	tb.Helper()
	messages := []handMessage{{"user", []handBlock{{Type: "text", Text: "Begin."}}}}
	for calls := 0; ; calls++ {
		block, stop := handCall(tb, url, messages)
		if stop != "tool_use" {
			if calls != steps || block.Text != "done" {
				tb.Fatalf("the loop ended with %q after %d of %d calls", block.Text, calls, steps)
			}
			return
		}
		messages = append(messages,
			handMessage{"assistant", []handBlock{block}},
			handMessage{"user", []handBlock{{Type: "tool_result", ToolUseID: block.ID, Content: "step"}}})
	}
}

// handCall asks the model once and returns its block and its stop reason.
func handCall(tb testing.TB, url string, messages []handMessage) (block handBlock, stop string) {
	body, err := json.Marshal(map[string]any{"model": "loop", "max_tokens": 1024, "stream": true, "messages": messages})
	if err != nil {
		tb.Fatal(err)
	}
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "test-key")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	var input strings.Builder
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var ev handEvent
		if err := json.Unmarshal(data, &ev); err != nil {
			tb.Fatal(err)
		}
		switch ev.Type {
		case "content_block_start":
			block = ev.Block
		case "content_block_delta":
			block.Text += ev.Delta.Text
			input.WriteString(ev.Delta.PartialJSON)
		case "message_delta":
			stop = ev.Delta.StopReason
		}
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	if input.Len() > 0 {
		block.Input = json.RawMessage(input.String())
	}
	return block, stop
}
