package anthropic

import (
	"bytes"

	"github.com/quarry-sdk/quarry/model"
)

// decodeCitation returns the typed view of a citation, with its raw JSON.
func decodeCitation(raw []byte) model.Citation {
	c := model.Citation{Raw: bytes.Clone(raw)}
	for key, val := range fields(raw) {
		switch string(key) {
		case "type":
			c.Kind = str(val)
		case "cited_text":
			c.Text = str(val)
		case "document_title", "title":
			if !isNull(val) {
				c.Title = str(val)
			}
		case "url", "source":
			if !isNull(val) {
				c.URL = str(val)
			}
		case "document_index", "search_result_index":
			c.Document = int(integer(val))
		case "start_char_index", "start_page_number", "start_block_index":
			c.Start = int(integer(val))
		case "end_char_index", "end_page_number", "end_block_index":
			c.End = int(integer(val))
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
