package anthropic

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/model"
)

// smallStream is a short answer with a tool call, as the API writes it.
const smallStream = `event: message_start
data: {"type":"message_start","message":{"model":"claude-sonnet-4-5-20250929","id":"msg_01KrnBffuzxt8ttHq7iiZe7n","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":16,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}          }

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}      }

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Olá, ich rechne das"}           }

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" aus: \"2 + 3\"."}   }

event: content_block_stop
data: {"type":"content_block_stop","index":0  }

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_01D7FLrfh4GYq7yT1ULFeyMV","name":"add","input":{},"caller":{"type":"direct"}}    }

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}      }

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\": 2"}   }

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":", \"b\": 3}"}   }

event: content_block_stop
data: {"type":"content_block_stop","index":1   }

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":16,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":34}      }

event: message_stop
data: {"type":"message_stop"  }

`

// rawServer answers every request on a connection with the same bytes, and
// allocates nothing per request worth counting.
func rawServer(tb testing.TB, answer string) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { ln.Close() })
	out := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nRequest-Id: req_1\r\nTransfer-Encoding: chunked\r\n\r\n" +
		strconv.FormatInt(int64(len(answer)), 16) + "\r\n" + answer + "\r\n0\r\n\r\n")
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReaderSize(c, 64<<10)
				for {
					n := -1
					for {
						line, err := r.ReadSlice('\n')
						if err != nil {
							return
						}
						if len(line) == 2 {
							break
						}
						if len(line) > 16 && strings.EqualFold(string(line[:16]), "content-length: ") {
							n, _ = strconv.Atoi(string(line[16 : len(line)-2]))
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
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

func testModel(tb testing.TB, url string) *Model {
	tb.Helper()
	m, err := New(Config{APIKey: "sk-ant-test", BaseURL: url, Model: "claude-test"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(m.CloseIdleConnections)
	return m
}

func history(n int) []*model.Message {
	var msgs []*model.Message
	for i := range n {
		if i%2 == 0 {
			msgs = append(msgs, model.UserText(fmt.Sprintf("question %d", i)))
		} else {
			m := model.NewMessage(model.RoleAssistant, &model.Text{Text: fmt.Sprintf("answer %d", i)})
			m.Provider = Provider
			msgs = append(msgs, m)
		}
	}
	return msgs
}

func BenchmarkRoundTrip(b *testing.B) {
	url := rawServer(b, smallStream)
	for _, n := range []int{2, 200} {
		b.Run(fmt.Sprintf("history=%d", n), func(b *testing.B) {
			m := testModel(b, url)
			req := &model.Request{
				Messages: append(history(n-n%2), model.UserText("2 + 3?")),
				System:   model.NewMessage(model.RoleSystem, &model.Text{Text: "Be brief."}),
				Tools: &model.ToolSet{Defs: []model.ToolDef{{Name: "add", Description: "Adds.",
					InputSchema: []byte(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}`)}}},
				Cache: model.Cache{System: true, Tools: true, Messages: 2},
			}
			b.ReportAllocs()
			for b.Loop() {
				resp, err := m.Stream(b.Context(), req).Collect()
				if err != nil {
					b.Fatal(err)
				}
				if resp.StopReason != model.StopToolUse || len(resp.Message.Blocks) != 2 || resp.Usage.OutputTokens != 34 {
					b.Fatalf("not the answer: %+v", resp)
				}
			}
		})
	}
}

// BenchmarkTransport is what net/http alone costs: the floor.
func BenchmarkTransport(b *testing.B) {
	url := rawServer(b, smallStream)
	c := &http.Client{Transport: apicall.NewTransport()}
	defer c.CloseIdleConnections()
	buf := make([]byte, 8192)
	b.ReportAllocs()
	for b.Loop() {
		req, _ := http.NewRequestWithContext(b.Context(), "POST", url, strings.NewReader("{}"))
		resp, err := c.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := resp.Body.Read(buf); err == io.EOF {
				break
			}
		}
		resp.Body.Close()
	}
}
