package chat

import (
	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// content takes the content: a string, or a list of parts (Mistral).
func (d *decoder) content(val []byte, yield func(model.Event, error) bool) error {
	if rawjson.IsString(val) {
		return d.contentText(val, yield)
	}
	for part := range rawjson.Elements(val) {
		var err error
		switch kind := rawjson.Str(rawjson.Field(part, "type")); {
		case rawjson.IsString(part):
			err = d.contentText(part, yield)
		case kind == "text" || kind == "output_text":
			err = d.contentText(rawjson.Field(part, "text"), yield)
		case kind == "thinking":
			thinking := rawjson.Field(part, "thinking")
			if rawjson.IsString(thinking) {
				err = d.thought("content", thinking, yield)
			}
			for t := range rawjson.Elements(thinking) {
				if err == nil {
					err = d.thought("content", rawjson.Field(t, "text"), yield)
				}
			}
		default:
			err = d.unknownPart(kind, part, yield)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) unknownPart(kind string, part []byte, yield func(model.Event, error) bool) error {
	b := d.open("unknown", yield)
	if b == nil {
		return errStop
	}
	b.text = append(b.text, part...)
	b.name = append(b.name, kind...)
	return nil
}

// contentText takes text of the content, which may hold tags.
func (d *decoder) contentText(val []byte, yield func(model.Event, error) bool) error {
	if d.think.mode == splitOff && d.calls.mode == splitOff {
		return d.text(val, yield)
	}
	return d.split(rawjson.AppendUnquoted(nil, val), yield)
}

// split passes text through the splitters; flush gets what they hold back.
func (d *decoder) split(text []byte, yield func(model.Event, error) bool) error {
	return d.think.feed(text, func(inside bool, piece []byte) error {
		if inside {
			return d.write("thinking", piece, yield)
		}
		return d.splitCalls(piece, yield)
	})
}

func (d *decoder) splitCalls(text []byte, yield func(model.Event, error) bool) error {
	return d.calls.feed(text, func(inside bool, piece []byte) error {
		if inside {
			return d.textCall(piece, true, yield)
		}
		return d.write("text", piece, yield)
	})
}

// text adds the JSON string raw to the text.
func (d *decoder) text(raw []byte, yield func(model.Event, error) bool) error {
	return d.writeRaw("text", raw, yield)
}
