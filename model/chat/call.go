package chat

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"strconv"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// callPiece takes an element of tool_calls: a piece of a call, or all of it. Pos
// is its place in the list.
func (d *decoder) callPiece(c []byte, pos int, whole bool, yield func(model.Event, error) bool) error {
	if !rawjson.IsObject(c) {
		return nil
	}
	fn := rawjson.Field(c, "function")
	if !rawjson.IsObject(fn) {
		fn = c // some servers leave the wrapping out
	}
	p := callPart{
		id:   rawjson.AppendUnquoted(nil, rawjson.Field(c, "id")),
		name: rawjson.AppendUnquoted(nil, rawjson.Field(fn, "name")),
		args: arguments(rawjson.Field(fn, "arguments")),
	}
	if n := rawjson.Field(c, "index"); n != nil && !rawjson.IsNull(n) {
		p.index, p.indexed = rawjson.Int(n), true
	}
	i := -1
	if !whole {
		i = d.matching(&p)
	}
	if i < 0 {
		b := d.open("tool_use", yield)
		if b == nil {
			return errStop
		}
		i = len(d.blocks) - 1
		b.index, b.indexed = p.index, p.indexed
	}
	b := &d.blocks[i]
	b.identify(&p, d.seq)
	b.more(c, fn)
	if len(p.args) == 0 || b.resent(p.args) {
		return nil
	}
	b.text = append(b.text, p.args...)
	return d.piece(i, p.args, yield)
}

// callPart is what a piece of a call says.
type callPart struct {
	id, name, args []byte
	index          int64
	indexed        bool
}

// arguments returns the piece of arguments in raw: the text of a string, or the
// JSON of an object, which is how some servers send them.
func arguments(raw []byte) []byte {
	switch {
	case rawjson.IsNull(raw):
		return nil
	case rawjson.IsString(raw):
		return rawjson.AppendUnquoted(nil, raw)
	}
	return bytes.Clone(raw)
}

// matching returns the number of the block that a piece belongs to, -1 if the
// piece begins a call. Servers leave out indexes and ids, or repeat one index for
// every call, or send a new id with every piece: so the name, and whether the
// arguments so far are complete, decide where those do not.
func (d *decoder) matching(p *callPart) int {
	last := -1
	for i := len(d.blocks) - 1; i >= 0; i-- {
		b := &d.blocks[i]
		if b.kind != "tool_use" || b.closed {
			continue
		}
		if last < 0 {
			last = i
		}
		switch {
		case p.indexed && b.indexed:
			if p.index == b.index {
				return b.orNew(i, p, d.seq)
			}
		case len(p.id) > 0 && bytes.Equal(p.id, b.id):
			return i
		}
	}
	if last < 0 || p.indexed && d.blocks[last].indexed {
		return -1
	}
	if len(p.name) == 0 && (len(p.id) == 0 || len(d.blocks[last].id) == 0) {
		return last
	}
	return -1
}

// orNew returns i if the piece goes on with the call b, else -1.
func (b *openBlock) orNew(i int, p *callPart, seq int) int {
	switch {
	case len(p.name) == 0:
		return i // whatever its id: some servers make a new one for each piece
	case len(p.id) > 0 && len(b.id) > 0:
		if !bytes.Equal(p.id, b.id) {
			return -1
		}
		return i
	case b.seq == seq:
		return -1 // one chunk names two calls
	case len(b.text) == 0:
		return i // the name comes again, or goes on
	}
	same := bytes.Equal(p.name, b.name)
	if json.Valid(b.text) {
		if same && (len(p.args) == 0 || bytes.Equal(p.args, b.text)) {
			return i
		}
		return -1
	}
	if same {
		return i
	}
	return -1
}

// identify takes the id and the name of a piece. A name that comes again says
// nothing, one that goes on is put together.
func (b *openBlock) identify(p *callPart, seq int) {
	if len(b.id) == 0 {
		b.id = append(b.id, p.id...)
	}
	if len(p.name) == 0 {
		return
	}
	b.seq = seq
	switch {
	case bytes.Equal(p.name, b.name):
	case bytes.HasPrefix(p.name, b.name):
		b.name = append(b.name[:0], p.name...)
	case len(b.text) == 0:
		b.name = append(b.name, p.name...)
	}
}

// more keeps the fields of a call that have no typed place.
func (b *openBlock) more(c, fn []byte) {
	for key, val := range rawjson.Fields(c) {
		switch string(key) {
		case "index", "id", "type", "function", "name", "arguments":
		default:
			if !rawjson.IsNull(val) {
				b.extra.merge(key, val)
			}
		}
	}
	if len(fn) == len(c) {
		return
	}
	for key, val := range rawjson.Fields(fn) {
		if string(key) != "name" && string(key) != "arguments" && !rawjson.IsNull(val) {
			b.extra.merge([]byte("function"), rawjson.With([]byte("{}"), string(key), val))
		}
	}
}

// resent tells whether complete arguments have come once more, and notes whether
// each piece so far began with the one before.
func (b *openBlock) resent(args []byte) bool {
	if len(b.text) == 0 {
		b.chained = true
		b.prev = append(b.prev[:0], args...)
		return false
	}
	if b.text[len(b.text)-1] == '}' && bytes.Equal(args, b.text) && json.Valid(args) {
		return true
	}
	if b.chained = b.chained && bytes.HasPrefix(args, b.prev); b.chained {
		b.prev = append(b.prev[:0], args...)
	}
	return false
}

// toolUse builds the call.
func (b *openBlock) toolUse() model.Block {
	use := &model.ToolUse{ID: string(b.id), Name: string(b.name)}
	use.Input, use.Incomplete = b.input()
	if len(b.extra) > 0 && !use.Incomplete {
		use.Raw = b.extra.object()
	}
	return use
}

// input returns the arguments of a call. Text that is not JSON comes back as a
// JSON string, and as incomplete.
func (b *openBlock) input() (json.RawMessage, bool) {
	text := bytes.TrimSpace(b.text)
	if !json.Valid(text) && b.chained && json.Valid(b.prev) {
		text = bytes.TrimSpace(b.prev) // each piece held all of those before
	}
	switch {
	case !b.cut && (len(text) == 0 || string(text) == "null"):
		return json.RawMessage("{}"), false
	case b.cut || !json.Valid(text):
		return rawjson.AppendQuoted(nil, b.text), true
	}
	// Some models quote their arguments twice.
	if inner := rawjson.AppendUnquoted(nil, text); rawjson.IsObject(inner) && json.Valid(inner) {
		text = inner
	}
	return bytes.Clone(text), false
}

// nameCalls gives each call an id that no other call of the conversation has:
// results are matched by it. Some servers send none, some begin anew each turn.
func (d *decoder) nameCalls() {
	for i := range d.blocks {
		b := &d.blocks[i]
		if b.kind != "tool_use" || b.block != nil {
			continue
		}
		if len(b.id) == 0 {
			h := fnv.New64a()
			for _, part := range [...][]byte{[]byte(d.id), b.name, b.text} {
				h.Write(part)
				h.Write([]byte{0})
			}
			b.id = append(b.id, "call_"...)
			b.id = strconv.AppendUint(b.id, h.Sum64(), 36)
		}
		n := len(b.id)
		for k := 2; d.taken(b.id, i); k++ {
			b.id = strconv.AppendInt(append(b.id[:n], '_'), int64(k), 10)
		}
	}
}

// taken tells whether a call of the conversation, or of a block before i, has
// the id.
func (d *decoder) taken(id []byte, i int) bool {
	for j := range d.blocks[:i] {
		if d.blocks[j].kind == "tool_use" && bytes.Equal(d.blocks[j].id, id) {
			return true
		}
	}
	for _, m := range d.history {
		if m == nil {
			continue
		}
		for _, b := range m.Blocks {
			if use, ok := b.(*model.ToolUse); ok && use.ID == string(id) {
				return true
			}
		}
	}
	return false
}
