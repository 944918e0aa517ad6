package chat

import (
	"bytes"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

const detailsField = "reasoning_details"

// reasoning takes a piece of a thought: its text from the field of that name,
// its details (OpenRouter and what copies it), or both, which then say the same.
func (d *decoder) reasoning(field, text, details []byte, yield func(model.Event, error) bool) error {
	switch {
	case rawjson.IsString(text):
		if err := d.thought(string(field), text, yield); err != nil {
			return err
		}
	case text != nil:
		d.other(field, text)
	}
	for e := range rawjson.Elements(details) {
		if !rawjson.IsObject(e) {
			continue
		}
		if len(text) <= len(`""`) {
			for _, name := range [...]string{"text", "summary"} {
				if err := d.thought(detailsField, rawjson.Field(e, name), yield); err != nil {
					return err
				}
			}
		}
		b := d.open("thinking", yield)
		if b == nil {
			return errStop
		}
		b.addDetail(e)
	}
	return nil
}

// thought adds the JSON string raw to a thought.
func (d *decoder) thought(field string, raw []byte, yield func(model.Event, error) bool) error {
	if len(raw) <= len(`""`) {
		return nil
	}
	if err := d.writeRaw("thinking", raw, yield); err != nil {
		return err
	}
	if b := &d.blocks[len(d.blocks)-1]; b.field == "" {
		b.field = field
	}
	return nil
}

// detail is an element of reasoning_details while its pieces arrive.
type detail struct {
	obj   []byte // as its first piece had it
	key   string // the field that words belong to
	words []byte
}

// isWords tells the fields of a detail whose pieces are put together.
func isWords(key []byte) bool {
	return string(key) == "text" || string(key) == "summary" || string(key) == "data"
}

// addDetail adds a detail, or a piece that continues the last: words are put
// together, everything else is replaced.
func (b *openBlock) addDetail(e []byte) {
	if len(b.detail.obj) > 0 && continues(b.detail.obj, e) {
		for key, val := range rawjson.Fields(e) {
			switch {
			case rawjson.IsNull(val):
			case isWords(key) && (b.detail.key == "" || b.detail.key == string(key)):
				b.detail.key = string(key)
				b.detail.words = rawjson.AppendUnquoted(b.detail.words, val)
			case !bytes.Equal(rawjson.Field(b.detail.obj, string(key)), val):
				b.detail.obj = rawjson.With(b.detail.obj, string(key), val)
			}
		}
		return
	}
	b.endDetail()
	b.detail.obj = append(b.detail.obj, e...)
	for key, val := range rawjson.Fields(e) {
		if isWords(key) && rawjson.IsString(val) {
			b.detail.key = string(key)
			b.detail.words = rawjson.AppendUnquoted(b.detail.words, val)
			return
		}
	}
}

// endDetail puts the detail to those that are complete.
func (b *openBlock) endDetail() {
	if len(b.detail.obj) == 0 {
		return
	}
	obj := b.detail.obj
	if b.detail.key != "" {
		obj = rawjson.With(obj, b.detail.key, rawjson.AppendQuoted(nil, b.detail.words))
	}
	b.details = append(append(b.details, ','), obj...)
	b.detail = detail{obj: b.detail.obj[:0], words: b.detail.words[:0]}
}

// continues tells whether a detail goes on with the one before.
func continues(last, e []byte) bool {
	return bytes.Equal(rawjson.Field(last, "type"), rawjson.Field(e, "type")) &&
		bytes.Equal(rawjson.Field(last, "index"), rawjson.Field(e, "index"))
}

// citation returns the typed view of an annotation, with its raw JSON.
func citation(raw []byte) model.Citation {
	c := model.Citation{Raw: bytes.Clone(raw), Kind: rawjson.Str(rawjson.Field(raw, "type"))}
	body := rawjson.Field(raw, c.Kind)
	if !rawjson.IsObject(body) {
		body = raw
	}
	for key, val := range rawjson.Fields(body) {
		switch string(key) {
		case "url":
			c.URL = rawjson.Str(val)
		case "title":
			c.Title = rawjson.Str(val)
		case "content":
			c.Text = rawjson.Str(val)
		case "start_index":
			c.Start = int(rawjson.Int(val))
		case "end_index":
			c.End = int(rawjson.Int(val))
		}
	}
	return c
}
