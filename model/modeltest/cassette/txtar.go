package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// parseScript reads a txtar file whose sections "client" and "server" hold the
// JSON-RPC messages of either side. Each message of the client is a request,
// and the server's next message of the same id its answer. Messages that have
// none, and those that the server begins, are exchanges with an empty half.
func parseScript(data []byte) ([]Exchange, error) {
	sections := map[string][]byte{}
	name := ""
	for line := range bytes.Lines(data) {
		if s, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "-- "); ok {
			if s, ok = strings.CutSuffix(s, " --"); ok {
				name = strings.TrimSpace(s)
				continue
			}
		}
		sections[name] = append(sections[name], line...)
	}
	client, err := rpcMessages(sections["client"])
	if err != nil {
		return nil, fmt.Errorf("section client: %w", err)
	}
	server, err := rpcMessages(sections["server"])
	if err != nil {
		return nil, fmt.Errorf("section server: %w", err)
	}
	var out []Exchange
	for _, c := range client {
		e := Exchange{Request: Request{Method: http.MethodPost, Body: c.raw}, Response: Response{Status: http.StatusAccepted}}
		for i, s := range server {
			if c.id != "" && c.method != "" && s.method == "" && s.id == c.id {
				e.Response = Response{Status: http.StatusOK, Body: s.raw}
				server = append(server[:i:i], server[i+1:]...)
				break
			}
		}
		out = append(out, e)
	}
	for _, s := range server {
		out = append(out, Exchange{Response: Response{Status: http.StatusOK, Body: s.raw}, Note: "the server began this"})
	}
	return out, nil
}

type rpcMessage struct {
	raw        []byte
	id, method string
}

func rpcMessages(data []byte) ([]rpcMessage, error) {
	var out []rpcMessage
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		m := rpcMessage{raw: bytes.Clone(raw)}
		var head struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(raw, &head) == nil {
			m.id, m.method = string(head.ID), head.Method
		}
		out = append(out, m)
	}
}
