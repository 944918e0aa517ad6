package anthropic

import (
	"bytes"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// decodeCitation returns the typed view of a citation, with its raw JSON.
func decodeCitation(raw []byte) model.Citation {
	c := model.Citation{Raw: bytes.Clone(raw)}
	for key, val := range rawjson.Fields(raw) {
		switch string(key) {
		case "type":
			c.Kind = rawjson.Str(val)
		case "cited_text":
			c.Text = rawjson.Str(val)
		case "document_title", "title":
			if !rawjson.IsNull(val) {
				c.Title = rawjson.Str(val)
			}
		case "url", "source":
			if !rawjson.IsNull(val) {
				c.URL = rawjson.Str(val)
			}
		case "document_index", "search_result_index":
			c.Document = int(rawjson.Int(val))
		case "start_char_index", "start_page_number", "start_block_index":
			c.Start = int(rawjson.Int(val))
		case "end_char_index", "end_page_number", "end_block_index":
			c.End = int(rawjson.Int(val))
		}
	}
	return c
}

// appendCitations appends the raw citations as an array.
func appendCitations(dst []byte, citations []model.Citation) []byte {
	dst = append(dst, '[')
	for i := range citations {
		if len(citations[i].Raw) == 0 {
			continue
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = append(dst, citations[i].Raw...)
	}
	return append(dst, ']')
}
