package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

// summary is a tool's result in a few words: what a person wants to see of the
// corpus tools, and the beginning of the text of any other.
func summary(ev *session.ToolAnswered) string {
	text := ev.Content.Text()
	if ev.IsError || ev.Output == nil {
		return text
	}
	switch ev.Name {
	case docs.SearchName:
		var out struct {
			Query string
			Hits  []struct {
				DocID string `json:"doc_id"`
			}
		}
		if json.Unmarshal(ev.Output, &out) != nil {
			return text
		}
		ids := make([]string, 0, len(out.Hits))
		for _, h := range out.Hits {
			ids = append(ids, h.DocID)
		}
		if len(ids) == 0 {
			return fmt.Sprintf("nothing for %q", out.Query)
		}
		return plural(len(ids), "hit") + ": " + strings.Join(ids, ", ")
	case docs.FetchName:
		var out struct {
			DocID string `json:"doc_id"`
			Bytes int
			Parts []struct{ Start, End int }
		}
		if json.Unmarshal(ev.Output, &out) != nil {
			return text
		}
		shown := 0
		for _, p := range out.Parts {
			shown += p.End - p.Start
		}
		if shown >= out.Bytes {
			return fmt.Sprintf("%s, all %d bytes", out.DocID, out.Bytes)
		}
		return fmt.Sprintf("%s, %d of %d bytes in %s", out.DocID, shown, out.Bytes, plural(len(out.Parts), "part"))
	}
	return text
}
