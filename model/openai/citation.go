package openai

import (
	"bytes"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// decodeCitation returns the typed view of an annotation, with its raw JSON.
// Start and End count characters of the answer, not of the source; a citation
// of a file has one place only.
func decodeCitation(raw []byte) model.Citation {
	c := model.Citation{Raw: bytes.Clone(raw)}
	for key, val := range rawjson.Fields(raw) {
		switch string(key) {
		case "type":
			c.Kind = rawjson.Str(val)
		case "title", "filename":
			if c.Title == "" {
				c.Title = rawjson.Str(val)
			}
		case "url":
			c.URL = rawjson.Str(val)
		case "start_index":
			c.Start = int(rawjson.Int(val))
		case "end_index":
			c.End = int(rawjson.Int(val))
		case "index":
			c.Start, c.End = int(rawjson.Int(val)), int(rawjson.Int(val))
		}
	}
	return c
}
