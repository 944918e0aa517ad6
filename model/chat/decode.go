package chat

import (
	"bytes"
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// decoder assembles a response from the chunks of a stream, or from a whole
// answer. It knows nothing of HTTP but the header that may tell the provider.
type decoder struct {
	origin   string
	quirks   *Quirks
	header   http.Header // nil if the provider is known
	provider *Provider   // the one that the answer shows
	history  []*model.Message
	tools    *model.ToolSet

	begun   bool // a chunk came
	done    bool // [DONE] came, or the answer was whole
	id      string
	model   string
	seq     int    // the number of the chunk
	finish  []byte // the last finish_reason
	usage   []byte // the last usage
	timings []byte // llama.cpp's own count
	refusal []byte

	blocks    []openBlock
	announced int    // how many blocks the consumer has had
	space     []byte // white space that waits for a text
	piecebuf  []byte
	think     splitter
	calls     splitter
	notes     []model.Citation // that wait for their text
	extra     raws             // of the answer
	choice    raws             // of the choice
	message   raws             // of the message
	echo      raws             // of the message, for the next request
	logprobs  [2][]byte        // the elements of content and of refusal
}

// begin makes d ready for the answer to req.
func (d *decoder) begin(m *Model, q *Quirks, req *model.Request, header http.Header) {
	d.origin, d.quirks, d.history, d.tools = m.origin, q, req.Messages, req.Tools
	if q == &unknown {
		d.header = header
	}
	d.think = newThink(q.ThinkTags, d.think.held)
	if q.TextCalls && !req.Tools.Empty() {
		d.calls = newCalls(d.calls.held)
	}
}

// reset lets go of the last answer and keeps the buffers.
func (d *decoder) reset() {
	for i := range d.blocks {
		b := &d.blocks[i]
		*b = openBlock{
			text: b.text[:0], id: b.id[:0], name: b.name[:0], prev: b.prev[:0], details: b.details[:0],
			detail: detail{obj: b.detail.obj[:0], words: b.detail.words[:0]},
		}
	}
	*d = decoder{
		blocks: d.blocks[:0], space: d.space[:0], piecebuf: d.piecebuf[:0], finish: d.finish[:0], usage: d.usage[:0], timings: d.timings[:0], refusal: d.refusal[:0],
		think: splitter{held: d.think.held[:0]}, calls: splitter{held: d.calls.held[:0]},
		extra: d.extra.reset(), choice: d.choice.reset(), message: d.message.reset(), echo: d.echo.reset(),
		logprobs: [2][]byte{d.logprobs[0][:0], d.logprobs[1][:0]},
	}
}

// size is how many bytes the buffers hold.
func (d *decoder) size() int {
	n := cap(d.space) + cap(d.piecebuf) + cap(d.think.held) + cap(d.calls.held) + cap(d.logprobs[0]) + cap(d.logprobs[1])
	for i := range d.blocks {
		n += cap(d.blocks[i].text) + cap(d.blocks[i].prev)
	}
	for _, r := range []raws{d.extra, d.choice, d.message, d.echo} {
		for i := range r {
			n += cap(r[i].val)
		}
	}
	return n
}

// event takes one event and passes on what the consumer should see of it. It
// returns a *model.Error where the event is an error or breaks the protocol, and
// errStop if yield wants no more. Named tells that the event's name is "error".
func (d *decoder) event(data []byte, named bool, yield func(model.Event, error) bool) error {
	data = bytes.TrimSpace(data)
	if string(data) == "[DONE]" {
		d.done = true
		return d.end(yield)
	}
	if !utf8.Valid(data) {
		return d.protocol("an event of the stream is not UTF-8")
	}
	if !json.Valid(data) {
		return d.protocol("an event of the stream is not JSON")
	}
	return d.chunk(data, named, false, yield)
}

// whole takes an answer that came in one piece.
func (d *decoder) whole(data []byte, yield func(model.Event, error) bool) error {
	data = bytes.TrimSpace(data)
	if !utf8.Valid(data) {
		return d.protocol("the answer is not UTF-8")
	}
	if !json.Valid(data) {
		if first, _, many := bytes.Cut(data, []byte("\n")); many && json.Valid(first) {
			return d.protocol("the answer is lines of JSON, as of Ollama's own API: the base URL of its compatible one ends in /v1")
		}
		return d.protocol("the answer is not JSON")
	}
	if rawjson.IsArray(data) { // Gemini puts its errors into a list
		for item := range rawjson.Elements(data) {
			data = item
			break
		}
	}
	if !rawjson.IsArray(rawjson.Field(data, "choices")) && !isError(data) {
		return d.protocol("the answer is neither a chat completion nor an error: check the base URL")
	}
	if err := d.chunk(data, false, true, yield); err != nil {
		return err
	}
	d.done = true
	return d.end(yield)
}

// isError tells whether the object is an error rather than an answer.
func isError(obj []byte) bool {
	e := rawjson.Field(obj, "error")
	if !rawjson.IsNull(e) && string(e) != `""` && string(e) != "false" && string(e) != "{}" {
		return true
	}
	return rawjson.Str(rawjson.Field(obj, "object")) == "error"
}

// chunk takes one object of the stream, or the only one.
func (d *decoder) chunk(data []byte, named, whole bool, yield func(model.Event, error) bool) error {
	var choices []byte
	for key, val := range rawjson.Fields(data) {
		if string(key) == "choices" {
			choices = val
		}
	}
	failed := named || isError(data)
	if choices == nil && !failed && rawjson.Field(data, "usage") == nil {
		if !yield(model.Event{Kind: model.EventUnknown, Raw: bytes.Clone(data)}, nil) {
			return errStop
		}
		return nil
	}
	if choices != nil || !failed {
		d.fields(data)
	}
	for c := range rawjson.Elements(choices) {
		if n := rawjson.Field(c, "index"); n != nil && rawjson.Int(n) != 0 {
			// Only one choice was asked for; the others are not lost.
			if !yield(model.Event{Kind: model.EventUnknown, Raw: bytes.Clone(c)}, nil) {
				return errStop
			}
			continue
		}
		if err := d.oneChoice(c, whole, yield); err != nil {
			return err
		}
	}
	if failed {
		return d.failed(data)
	}
	return nil
}

// fields takes the top-level fields of a chunk.
func (d *decoder) fields(data []byte) {
	if d.header != nil && d.provider == nil {
		d.provider = providerOfAnswer(d.header, func(name string) []byte { return rawjson.Field(data, name) })
	}
	d.begun = true
	d.seq++
	for key, val := range rawjson.Fields(data) {
		if rawjson.IsNull(val) {
			continue
		}
		switch string(key) {
		case "choices", "object", "error":
		case "obfuscation": // random padding against eavesdroppers
		case "id":
			d.id = keep(d.id, val)
		case "model":
			d.model = keep(d.model, val)
		case "usage":
			d.takeUsage(val)
		default:
			if string(key) == "timings" {
				d.timings = append(d.timings[:0], val...)
			}
			d.extra.merge(key, val)
			if string(key) == "x_groq" && len(d.usage) == 0 {
				d.takeUsage(rawjson.Field(val, "usage"))
			}
		}
	}
}

// keep returns the string in raw, or was if it is the same or empty.
func keep(was string, raw []byte) string {
	if len(raw) < 3 || len(raw) == len(was)+2 && string(raw[1:len(raw)-1]) == was {
		return was
	}
	return rawjson.Str(raw)
}

func (d *decoder) oneChoice(c []byte, whole bool, yield func(model.Event, error) bool) error {
	for key, val := range rawjson.Fields(c) {
		if rawjson.IsNull(val) {
			continue
		}
		switch string(key) {
		case "index":
		case "delta":
			if err := d.delta(val, whole, yield); err != nil {
				return err
			}
		case "message":
			// Some servers repeat the whole message behind its pieces.
			if len(d.blocks) == 0 {
				if err := d.delta(val, true, yield); err != nil {
					return err
				}
			}
		case "finish_reason":
			d.finish = append(d.finish[:0], val...)
		case "usage": // Moonshot reports it here
			d.takeUsage(val)
		case "logprobs":
			for i, name := range [...]string{"content", "refusal"} {
				for e := range rawjson.Elements(rawjson.Field(val, name)) {
					d.logprobs[i] = append(append(d.logprobs[i], ','), e...)
				}
			}
		default:
			d.choice.merge(key, val)
		}
	}
	return nil
}

// delta takes a piece of the message, or all of it.
func (d *decoder) delta(delta []byte, whole bool, yield func(model.Event, error) bool) error {
	// Reasoning comes before the text that follows from it, calls come last,
	// whatever the order of the fields.
	var content, details, calls, call []byte
	var thought, field []byte
	for key, val := range rawjson.Fields(delta) {
		if rawjson.IsNull(val) {
			continue
		}
		switch string(key) {
		case "role", "index":
		case "content":
			content = val
		case "reasoning_content", "reasoning":
			if len(thought) <= len(`""`) {
				thought, field = val, key
			}
		case "reasoning_details":
			details = val
		case "tool_calls":
			calls = val
		case "function_call":
			call = val
		case "refusal":
			d.refusal = rawjson.AppendUnquoted(d.refusal, val)
			if err := d.text(val, yield); err != nil {
				return err
			}
		case "annotations":
			for a := range rawjson.Elements(val) {
				d.notes = append(d.notes, citation(a))
			}
		default:
			d.other(key, val)
		}
	}
	if err := d.reasoning(field, thought, details, yield); err != nil {
		return err
	}
	if err := d.content(content, yield); err != nil {
		return err
	}
	n := 0
	for c := range rawjson.Elements(calls) {
		if err := d.callPiece(c, n, whole, yield); err != nil {
			return err
		}
		n++
	}
	if rawjson.IsObject(call) { // the form before tool_calls
		return d.callPiece(append(append([]byte(`{"index":0,"function":`), call...), '}'), 0, whole, yield)
	}
	return nil
}

// other keeps a field of the message that has no typed place.
func (d *decoder) other(key, val []byte) {
	if string(val) == "[]" || string(val) == "{}" || string(val) == `""` {
		return
	}
	for _, name := range d.quirks.EchoFields {
		if name == string(key) {
			d.echo.merge(key, val)
			return
		}
	}
	d.message.merge(key, val)
}
