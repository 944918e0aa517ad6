package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/model"
)

// maxImage is the length in bytes of a picture that providers take: 5 MB in
// base64.
const maxImage = 5_000_000 / 4 * 3

// result is what a tool of a server returned, where more came of it than a model
// is shown. A model reads its blocks; the journal keeps its JSON.
type result struct {
	blocks model.Blocks
	output json.RawMessage
}

// ToolText is what the model reads where blocks cannot be.
func (r *result) ToolText() string { return textOnly(r.blocks, "").Text() }

// ToolContent is what the model reads.
func (r *result) ToolContent() model.Blocks { return r.blocks }

// MarshalJSON is what the journal keeps.
func (r *result) MarshalJSON() ([]byte, error) { return r.output, nil }

// resultError is a result with the error flag.
type resultError struct{ result }

// Error is what the model reads.
func (e *resultError) Error() string { return e.blocks.Text() }

// item is an element of a result's content.
type item struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Data        []byte          `json:"data"`
	MIMEType    string          `json:"mimeType"`
	Resource    *contents       `json:"resource"`
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Size        json.RawMessage `json:"size"`
}

// contents are those of a resource.
type contents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     []byte  `json:"blob"`
}

// result turns the JSON of a result into what a tool returns: a string or blocks
// where nothing else came, otherwise a *result. See the package's documentation
// for what the journal keeps.
func (s *server) result(raw json.RawMessage) (any, error) {
	var fields map[string]json.RawMessage
	var r struct {
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		IsError    bool              `json:"isError"`
	}
	err := json.Unmarshal(raw, &fields)
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("the MCP server %q sent a result that is none: %w", s.name, err)
	}
	if r.IsError {
		raw = json.RawMessage(s.secrets.clean(string(raw)))
		for i, c := range r.Content {
			r.Content[i] = json.RawMessage(s.secrets.clean(string(c)))
		}
	}
	whole := true // the blocks say all that came
	for name := range fields {
		switch name {
		case "content", "structuredContent", "isError", "resultType":
		default:
			whole = false
		}
	}
	if string(r.Structured) == "null" {
		r.Structured = nil
	}
	var blocks model.Blocks
	for _, c := range r.Content {
		block, all := show(c)
		blocks, whole = append(blocks, block), whole && all
	}
	if len(blocks) == 0 && r.Structured != nil {
		blocks = model.Blocks{&model.Text{Text: string(r.Structured)}}
	}
	out := result{output: raw}
	if whole && r.Structured != nil && !hasContent(r.Structured) {
		out.output = r.Structured
	}
	var cut, joined bool
	if r.IsError {
		blocks = textOnly(blocks, " beside an error")
	}
	blocks, joined = join(blocks)
	out.blocks, cut = bound(blocks, s.cfg.MaxResultBytes)
	switch {
	case r.IsError:
		return nil, &resultError{out}
	case r.Structured != nil || !whole || joined || cut:
		return &out, nil
	case len(blocks) == 1:
		if t, ok := blocks[0].(*model.Text); ok {
			return t.Text, nil
		}
	}
	return out.blocks, nil
}

// hasContent tells whether a structured result looks like a whole one; the whole
// is kept then, so that a reader of the journal can tell them apart.
func hasContent(structured json.RawMessage) bool {
	var fields struct {
		Content []json.RawMessage `json:"content"`
	}
	return json.Unmarshal(structured, &fields) == nil && fields.Content != nil
}

// show turns an element of the content into a block; all tells that the block has
// everything that the element has.
func show(raw json.RawMessage) (block model.Block, all bool) {
	var it item
	if err := json.Unmarshal(raw, &it); err != nil {
		return note("something unreadable, %d bytes", len(raw)), false
	}
	switch it.Type {
	case "text":
		return &model.Text{Text: it.Text}, fits(raw, "type", "text")
	case "image":
		if img := picture(it.Data); img != nil {
			return img, img.Source.MediaType == it.MIMEType && fits(raw, "type", "data", "mimeType")
		}
		return note("a picture of type %q, %d bytes, which cannot be shown", it.MIMEType, len(it.Data)), false
	case "audio":
		return note("a sound of type %q, %d bytes, which cannot be shown", it.MIMEType, len(it.Data)), false
	case "resource":
		if it.Resource == nil {
			return note("a resource without contents"), false
		}
		return it.Resource.show(), false
	case "resource_link":
		return it.link(), false
	}
	return note("content of type %q, %d bytes, which cannot be shown", it.Type, len(raw)), false
}

// show is a resource as a block.
func (c *contents) show() model.Block {
	if c.Text != nil {
		return &model.Text{Text: fmt.Sprintf("[Resource %s%s]\n%s", c.URI, typed(c.MIMEType), *c.Text)}
	}
	if img := picture(c.Blob); img != nil {
		return img
	}
	return note("the resource %s%s, %d bytes, which cannot be shown", c.URI, typed(c.MIMEType), len(c.Blob))
}

func (it *item) link() model.Block {
	var b strings.Builder
	fmt.Fprintf(&b, "[Link to the resource %s%s", it.URI, typed(it.MIMEType))
	for _, s := range []string{it.Name, it.Title, it.Description} {
		if s != "" {
			b.WriteString("; " + s)
		}
	}
	if len(it.Size) > 0 && string(it.Size) != "null" {
		fmt.Fprintf(&b, "; %s bytes", it.Size)
	}
	b.WriteString(". Read it with " + ReadResourceName + " if the server offers it.]")
	return &model.Text{Text: b.String()}
}

func typed(mimeType string) string {
	if mimeType == "" {
		return ""
	}
	return ", " + mimeType
}

// note is a text in the place of what cannot be shown.
func note(format string, args ...any) *model.Text {
	return &model.Text{Text: "[Here came " + fmt.Sprintf(format, args...) + ".]"}
}

// picture returns a picture of a kind and size that providers take, otherwise
// nil. Its type is that of the bytes: a wrong one would fail every request.
func picture(data []byte) *model.Image {
	switch kind := http.DetectContentType(data); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if len(data) <= maxImage {
			return &model.Image{Source: model.Source{MediaType: kind, Data: data}}
		}
	}
	return nil
}

// fits tells whether an object has no other fields than these.
func fits(raw json.RawMessage, names ...string) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return false
	}
	for _, name := range names {
		delete(fields, name)
	}
	return len(fields) == 0
}

// textOnly puts notes in the place of pictures, which providers refuse in the
// result of a call that failed.
func textOnly(blocks model.Blocks, where string) model.Blocks {
	out := make(model.Blocks, len(blocks))
	for i, b := range blocks {
		if img, ok := b.(*model.Image); ok {
			b = note("a picture of type %q, %d bytes, which cannot be shown%s", img.Source.MediaType, len(img.Source.Data), where)
		}
		out[i] = b
	}
	return out
}

// join makes one text of neighbours, so that one limit holds for them and that a
// model that is shown a part can read on. Nothing, and blank texts, which
// providers refuse, are said in words.
func join(blocks model.Blocks) (out model.Blocks, joined bool) {
	for _, b := range blocks {
		t, ok := b.(*model.Text)
		if !ok {
			out = append(out, b)
			continue
		}
		if n := len(out); n > 0 {
			if last, ok := out[n-1].(*model.Text); ok {
				out[n-1], joined = &model.Text{Text: last.Text + "\n" + t.Text}, true
				continue
			}
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		return model.Blocks{&model.Text{Text: "[The tool returned nothing.]"}}, false
	}
	for i, b := range out {
		if t, ok := b.(*model.Text); ok && strings.TrimSpace(t.Text) == "" {
			out[i], joined = &model.Text{Text: "[The tool returned an empty text.]"}, true
		}
	}
	return out, joined
}

// bound cuts the texts beside pictures to max bytes in all; a text that is alone
// is cut by the loop, which lets the model read on.
func bound(blocks model.Blocks, max int) (out model.Blocks, cut bool) {
	if len(blocks) == 1 {
		return blocks, false
	}
	for _, b := range blocks {
		if t, ok := b.(*model.Text); ok {
			if len(t.Text) > max {
				n := max
				for n > 0 && !utf8.RuneStart(t.Text[n]) {
					n--
				}
				b = &model.Text{Text: fmt.Sprintf("%s\n[Cut here: %d of %d bytes are shown. Ask for less at once to see the rest.]", t.Text[:n], n, len(t.Text))}
				cut, max = true, 0
			} else {
				max -= len(t.Text)
			}
		}
		out = append(out, b)
	}
	return out, cut
}
