package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/quarry-sdk/quarry"
)

// tap reads the messages that pass between the SDK and a server. The SDK's types
// keep what they know of a result, and refuse content of a kind that they do not
// know; the tap keeps the JSON that came. It also hands on progress in its order,
// before the result that it belongs to.
type tap struct {
	onProgress func(*flight, *progressParams)

	mu   sync.Mutex
	last int64
	// flights are the calls under way, by their progress tokens; sent has the
	// tokens by the ids of the requests.
	flights map[string]*flight
	ids     map[string]string
}

// flight is one call of a tool under way.
type flight struct {
	token string
	// tool is the server's name of it, call what the loop says of the call; it is
	// nil where the tool is called outside of a run.
	tool string
	call *quarry.Call
	// stop ends the call, so that a person can be asked first.
	stop context.CancelFunc
	// result is the JSON of the last result that came, asks tells that the call waits
	// for a person; both are guarded by tap.mu.
	result json.RawMessage
	asks   bool
}

type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    float64         `json:"total"`
	Message  string          `json:"message"`
}

// begin registers a call.
func (t *tap) begin(tool string, call *quarry.Call, stop context.CancelFunc) *flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flights == nil {
		t.flights, t.ids = make(map[string]*flight), make(map[string]string)
	}
	t.last++
	f := &flight{token: "quarry-" + strconv.FormatInt(t.last, 10), tool: tool, call: call, stop: stop}
	t.flights[f.token] = f
	return f
}

// wait ends a call that has to wait for a person.
func (t *tap) wait(f *flight) {
	t.mu.Lock()
	f.asks = true
	t.mu.Unlock()
	f.stop()
}

// end forgets a call and returns the JSON of its result, nil where none came; asks
// tells that it waits for a person.
func (t *tap) end(f *flight) (result json.RawMessage, asks bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.flights, f.token)
	for id, token := range t.ids {
		if token == f.token {
			delete(t.ids, id)
		}
	}
	return f.result, f.asks
}

// only returns the call under way where there is just one.
func (t *tap) only() *flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.flights) != 1 {
		return nil
	}
	for _, f := range t.flights {
		return f
	}
	return nil
}

// sent sees a message to the server.
func (t *tap) sent(msg []byte) {
	if !bytes.Contains(msg, []byte(`"tools/call"`)) {
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Meta struct {
				Token string `json:"progressToken"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(msg, &m) != nil || m.Method != "tools/call" || m.ID == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flights[m.Params.Meta.Token] != nil {
		t.ids[string(m.ID)] = m.Params.Meta.Token
	}
}

// received sees a message of the server and returns what the SDK is given: the
// same, but for the result of a tool, which is kept here and emptied.
func (t *tap) received(msg []byte) []byte {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(msg, &m) != nil {
		return msg
	}
	switch {
	case m.Method == "notifications/progress":
		t.progress(m.Params)
	case m.Method == "" && m.ID != nil && m.Result != nil:
		if t.keep(string(m.ID), m.Result) {
			return []byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[]}}`)
		}
	}
	return msg
}

// keep takes a result for the call with the request's id.
func (t *tap) keep(id string, result json.RawMessage) bool {
	t.mu.Lock()
	f := t.flights[t.ids[id]]
	t.mu.Unlock()
	if f == nil {
		return false
	}
	var asks struct {
		Type     string          `json:"resultType"`
		Requests json.RawMessage `json:"inputRequests"`
	}
	if json.Unmarshal(result, &asks) != nil || asks.Requests != nil || (asks.Type != "" && asks.Type != "complete") {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f.result = bytes.Clone(result)
	return true
}

func (t *tap) progress(params json.RawMessage) {
	var p progressParams
	if t.onProgress == nil || json.Unmarshal(params, &p) != nil {
		return
	}
	var token string
	if json.Unmarshal(p.Token, &token) != nil {
		return
	}
	t.mu.Lock()
	f := t.flights[token]
	t.mu.Unlock()
	if f != nil {
		t.onProgress(f, &p)
	}
}
