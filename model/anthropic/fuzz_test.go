package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model"
)

// FuzzStream: whatever comes, decoding ends in a response or a typed error, and
// what it decoded can be journaled and sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte(richStream), 1)
	f.Add([]byte(smallStream), 100)
	f.Add([]byte(strings.ReplaceAll(richStream, "\n", "\r\n")), 33)
	f.Add([]byte("event: error\ndata: {\"error\":{}}\n\n"), 3)
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"x"},{"type":"tool_use"}],"usage":{"input_tokens":1e3}}`), 9)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(cut, 0), len(data))
		contentType := "text/event-stream"
		if bytes.HasPrefix(data, []byte("{")) {
			contentType = "application/json"
		}
		resp, err := offlineAs(t, contentType, string(data[:cut]), string(data[cut:])).Collect()
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
		enc, err := encodeMessage(resp.Message)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		if len(enc) > 0 && !json.Valid(enc[1:]) {
			t.Fatalf("not JSON: %s", enc)
		}
		if at := messageMark(resp.Message, enc); at >= 0 {
			marked := string(enc[1:at]) + `,"m":1` + string(enc[at:])
			if !json.Valid([]byte(marked)) {
				t.Fatalf("not JSON with a breakpoint: %s", marked)
			}
		}
	})
}
