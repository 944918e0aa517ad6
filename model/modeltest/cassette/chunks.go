package cassette

import (
	"bytes"
	"encoding/json"
)

// chunks gives each line of a list of payloads its SSE framing back. A payload
// that names its type gets an event line of that name, as the Anthropic and the
// OpenAI Responses APIs send it.
func chunks(data []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var head struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(line, &head) == nil && head.Type != "" {
			out.WriteString("event: " + head.Type + "\n")
		}
		out.WriteString("data: ")
		out.Write(line)
		out.WriteString("\n\n")
	}
	return out.Bytes()
}
