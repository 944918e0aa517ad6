package openai

import (
	"bytes"
	"fmt"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// The origins of a message decide what of a block can be sent.
type origin uint8

const (
	foreign origin = iota // another provider's answer
	here                  // made by this program
	own                   // an answer of this API
)

func originOf(m *model.Message) origin {
	switch m.Provider {
	case Provider:
		return own
	case "":
		return here
	}
	return foreign
}

// The keys under which encoded bytes are kept: answers that the API has kept can
// be sent with reasoning that has no encrypted form.
const (
	encodingKey       = Provider
	storedEncodingKey = Provider + "/stored"
)

// encodeMessage returns the items of a message, each with a leading comma, kept
// with the message; nothing if none of its blocks can be sent.
func encodeMessage(m *model.Message, stored bool) ([]byte, error) {
	key := encodingKey
	if stored {
		key = storedEncodingKey
	}
	return m.Encoding(key, func() ([]byte, error) { return encodeItems(m, stored, nil) })
}

// encodeItems encodes a message. Pairs is nil where each of its calls has a
// result and each result a call to a function: the usual case.
func encodeItems(m *model.Message, stored bool, pairs *pairs) ([]byte, error) {
	e := encoder{dst: make([]byte, 0, sizeHint(m.Blocks)), role: m.Role, from: originOf(m), stored: stored, pairs: pairs}
	for i, b := range m.Blocks {
		if err := e.block(b); err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
	}
	e.closeMessage()
	return e.dst[:len(e.dst)-e.loose()], nil
}

// encoder writes the items of one message.
type encoder struct {
	dst    []byte
	role   model.Role
	from   origin
	stored bool
	pairs  *pairs
	inside bool // a message item is open for further parts
	parts  int  // how many later parts of raw messages were sent already
	// Thoughts begins the reasoning behind which nothing was written up to
	// thoughtsEnd; the API refuses reasoning without the item that it led to.
	thoughts, thoughtsEnd int
}

// loose is the length of reasoning that leads to nothing, as it comes from an
// answer that was cut off.
func (e *encoder) loose() int {
	if e.thoughtsEnd < len(e.dst) {
		return 0
	}
	return e.thoughtsEnd - e.thoughts
}

// thought writes a reasoning item.
func (e *encoder) thought(item []byte) error {
	if e.loose() == 0 {
		e.closeMessage()
		e.thoughts = len(e.dst)
	}
	err := e.raw(item)
	e.thoughtsEnd = len(e.dst)
	return err
}

// part opens a message item where none is open, for the part that follows.
func (e *encoder) part() {
	if e.inside {
		e.dst = append(e.dst, ',')
		return
	}
	e.inside = true
	role := string(e.role)
	if e.role == model.RoleSystem {
		role = "developer" // as the API calls who instructs the model
	}
	e.dst = rawjson.AppendQuoted(append(e.dst, `,{"type":"message","role":`...), role)
	e.dst = append(e.dst, `,"content":[`...)
}

func (e *encoder) closeMessage() {
	if e.inside {
		e.dst = append(e.dst, "]}"...)
		e.inside = false
	}
}

// raw writes an item as the API gave it.
func (e *encoder) raw(item []byte) error {
	e.closeMessage()
	dst, err := rawjson.Append(append(e.dst, ','), item)
	if err != nil {
		return fmt.Errorf("its raw form: %w", err)
	}
	e.dst = dst
	return nil
}

func (e *encoder) block(block model.Block) error {
	raw := block != nil && e.from == own && block.RawJSON() != nil
	switch b := block.(type) {
	case *model.Text:
		return e.text(b)
	case *model.Thinking, *model.RedactedThinking:
		// Only the maker of a thought can read its encrypted form, and without one
		// the API must have kept it.
		if raw && (e.stored || stateless(b.RawJSON())) {
			return e.thought(b.RawJSON())
		}
		return nil
	case *model.ToolUse:
		return e.use(b, raw)
	case *model.ToolResult:
		return e.result(b)
	case *model.ServerToolUse:
		if raw && (e.pairs == nil || !e.pairs.waits(b)) {
			return e.raw(b.Raw)
		}
		return nil // of another provider, broken off, or never answered
	case *model.ServerToolResult:
		if raw {
			return e.raw(b.Raw)
		}
		return nil // a part of its call, or another provider's
	case *model.Image, *model.Document:
		if e.role == model.RoleAssistant {
			return nil // the API takes none from a model
		}
		e.part()
		dst, err := appendContent(e.dst, block)
		e.dst = dst
		return err
	case *model.Unknown:
		if e.from == foreign {
			return nil
		}
		if e.from == here && isPart(b.Raw) {
			e.part()
			dst, err := rawjson.Append(e.dst, b.Raw)
			e.dst = dst
			return err
		}
		return e.raw(b.Raw)
	case nil:
		return fmt.Errorf("it is nil")
	}
	return fmt.Errorf("no form for a block of type %q", block.BlockType())
}

// text writes a text: with the raw item that it begins, not at all where it
// came as a further part of one, or as a part of a message that is made here.
func (e *encoder) text(b *model.Text) error {
	if e.from == own && b.Raw != nil {
		if string(rawjson.Field(b.Raw, "type")) == `"message"` {
			e.parts += max(0, count(rawjson.Field(b.Raw, "content"))-1)
			return e.raw(b.Raw)
		}
		if e.parts > 0 {
			e.parts--
			return nil
		}
	}
	if b.Text == "" {
		return nil
	}
	e.part()
	kind := `{"type":"input_text","text":`
	if e.role == model.RoleAssistant {
		kind = `{"type":"output_text","text":`
	}
	e.dst = append(rawjson.AppendQuoted(append(e.dst, kind...), b.Text), '}')
	return nil
}

func count(arr []byte) int {
	n := 0
	for range rawjson.Elements(arr) {
		n++
	}
	return n
}

// stateless tells whether a reasoning item has all that the API needs to take
// it back: its encrypted form, or the text of a model with open weights.
func stateless(item []byte) bool {
	return !rawjson.IsNull(rawjson.Field(item, "encrypted_content")) || count(rawjson.Field(item, "content")) > 0
}

// isPart tells whether raw JSON made here is a part of a message, rather than
// an item.
func isPart(raw []byte) bool {
	return bytes.HasPrefix(rawjson.Field(raw, "type"), []byte(`"input_`))
}

// sizeHint guesses how long the blocks will be, so that encoding seldom grows.
func sizeHint(blocks model.Blocks) int {
	n := 64
	for _, b := range blocks {
		if b == nil {
			continue // encoding says so
		}
		n += 128 + len(b.RawJSON())
		switch b := b.(type) {
		case *model.Text:
			if b.Raw == nil {
				n += len(b.Text) + len(b.Text)/8
			}
		case *model.ToolUse:
			n += len(b.Input) + len(b.Input)/8
		case *model.ToolResult:
			n += sizeHint(b.Content)
		case *model.Image:
			n += len(b.Source.Data) * 4 / 3
		case *model.Document:
			n += len(b.Source.Data)*4/3 + len(b.Source.Text)
		}
	}
	return n
}
