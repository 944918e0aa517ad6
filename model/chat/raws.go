package chat

import (
	"bytes"
	"encoding/json"

	"github.com/quarry-sdk/quarry/internal/rawjson"
)

// raws are fields without a typed place, as they came.
type raws []rawField

type rawField struct {
	key string
	val []byte
}

func (r raws) reset() raws {
	for i := range r {
		r[i].val = r[i].val[:0]
	}
	return r[:0]
}

// merge takes the field of a further chunk: lists grow, the fields of objects
// are merged, everything else is replaced.
func (r *raws) merge(key, val []byte) {
	for i := range *r {
		f := &(*r)[i]
		if f.key != string(key) {
			continue
		}
		if !bytes.Equal(f.val, val) {
			f.val = merged(f.val, val)
		}
		return
	}
	if n := len(*r); n < cap(*r) {
		*r = (*r)[:n+1] // with the buffer of an earlier answer
	} else {
		*r = append(*r, rawField{})
	}
	f := &(*r)[len(*r)-1]
	if f.key != string(key) {
		f.key = string(key)
	}
	f.val = append(f.val[:0], val...)
}

// merged returns a followed by b.
func merged(a, b []byte) []byte {
	switch {
	case rawjson.IsNull(b):
		return a
	case rawjson.IsArray(a) && rawjson.IsArray(b):
		var list []byte
		for e := range rawjson.Elements(a) {
			list = append(append(list, ','), e...)
		}
		for e := range rawjson.Elements(b) {
			list = append(append(list, ','), e...)
		}
		return array(list)
	case rawjson.IsObject(a) && rawjson.IsObject(b):
		out := bytes.Clone(a)
		for key, val := range rawjson.Fields(b) {
			if was := rawjson.Field(out, string(key)); was != nil {
				val = merged(was, val)
			}
			out = rawjson.With(out, string(key), val)
		}
		return out
	}
	return bytes.Clone(b)
}

// array returns the array of elements that each have a comma before them.
func array(list []byte) []byte {
	if len(list) == 0 {
		return []byte("[]")
	}
	list[0] = '['
	return append(list, ']')
}

// appendField appends a field to an object that is being written.
func appendField(dst []byte, key string, val []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(rawjson.AppendQuoted(dst, key), ':')
	return append(dst, val...)
}

// object returns the fields as an object; nil if there is none.
func (r raws) object() json.RawMessage {
	if len(r) == 0 {
		return nil
	}
	out := []byte{'{'}
	for i := range r {
		out = appendField(out, r[i].key, r[i].val)
	}
	return append(out, '}')
}
