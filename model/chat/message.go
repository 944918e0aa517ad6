package chat

import (
	"encoding/base64"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// encodeMessage returns what is sent of a message, kept with it: objects that
// each have a comma before them, or nothing if none of its blocks can be sent.
func (p *profile) encodeMessage(m *model.Message) ([]byte, error) {
	return m.Encoding(p.key, func() ([]byte, error) {
		switch m.Role {
		case model.RoleAssistant:
			return p.assistant(m)
		case model.RoleUser:
			return p.user(m)
		case model.RoleSystem:
			return p.system(m)
		}
		return nil, fmt.Errorf("no role %q: it must be user, assistant or system", m.Role)
	})
}

// encodeSystem returns the instructions.
func (p *profile) encodeSystem(m *model.Message) ([]byte, error) {
	return m.Encoding(p.systemKey, func() ([]byte, error) { return p.system(m) })
}

func (p *profile) system(m *model.Message) ([]byte, error) {
	texts, err := plainTexts(m.Blocks)
	if err != nil {
		return nil, err
	}
	if texts == "" {
		return []byte{}, nil
	}
	dst := rawjson.AppendQuoted([]byte(`,{"role":`), or(p.quirks.SystemRole, "system"))
	dst = rawjson.AppendQuoted(append(dst, `,"content":`...), texts)
	return append(dst, '}'), nil
}

// plainTexts puts the texts of instructions together.
func plainTexts(blocks model.Blocks) (string, error) {
	var texts []string
	for i, b := range blocks {
		switch b := b.(type) {
		case *model.Text:
			if b.Text != "" {
				texts = append(texts, b.Text)
			}
		case *model.Document:
			if b.Source.Text == "" {
				return "", fmt.Errorf("block %d: instructions take no documents but texts", i)
			}
			texts = append(texts, documentText(b))
		case *model.Unknown, *model.Thinking, *model.RedactedThinking: // another provider's
		case nil:
			return "", fmt.Errorf("block %d: it is nil", i)
		default:
			return "", fmt.Errorf("block %d: instructions take no %s", i, b.BlockType())
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// user returns the tool messages of the results, then the rest as one message.
// Pictures and files of results, which most servers take from users only, are in
// the rest.
func (p *profile) user(m *model.Message) ([]byte, error) {
	dst := []byte{}
	var rest model.Blocks
	for i, b := range m.Blocks {
		r, ok := b.(*model.ToolResult)
		if !ok {
			rest = append(rest, b)
			continue
		}
		text, pictures, err := resultParts(r)
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
		dst = rawjson.AppendQuoted(append(dst, `,{"role":"tool","tool_call_id":`...), p.callID(r.ToolUseID))
		if p.quirks.ToolName && r.Name != "" {
			dst = rawjson.AppendQuoted(append(dst, `,"name":`...), r.Name)
		}
		dst = rawjson.AppendQuoted(append(dst, `,"content":`...), text)
		dst = append(dst, '}')
		if len(pictures) > 0 {
			rest = append(rest, &model.Text{Text: "What came with the result of call " + p.callID(r.ToolUseID) + ":"})
			rest = append(rest, pictures...)
		}
	}
	content, err := p.content(rest)
	if err != nil {
		return nil, err
	}
	if len(content) == 0 {
		return dst, nil
	}
	dst = append(append(dst, `,{"role":"user","content":`...), content...)
	return append(dst, '}'), nil
}

// resultParts returns the text of a result, and what stands in it that a tool
// message cannot hold. No result is empty: some servers take that for a call
// without one.
func resultParts(r *model.ToolResult) (text string, rest model.Blocks, err error) {
	var texts []string
	for i, b := range r.Content {
		switch b := b.(type) {
		case *model.Text:
			texts = append(texts, b.Text)
		case *model.Document:
			if b.Source.Text != "" {
				texts = append(texts, documentText(b))
			} else {
				rest = append(rest, b)
			}
		case *model.Image:
			rest = append(rest, b)
		case *model.Unknown: // of another API, such as a reference to a tool
		case nil:
			return "", nil, fmt.Errorf("result block %d: it is nil", i)
		default:
			return "", nil, fmt.Errorf("result block %d: a result takes no %s", i, b.BlockType())
		}
	}
	text = strings.Join(texts, "\n")
	switch {
	case strings.TrimSpace(text) == "" && r.IsError:
		text = "error: the tool failed and said nothing"
	case strings.TrimSpace(text) == "" && len(rest) > 0:
		text = "(the result is in the next message)"
	case strings.TrimSpace(text) == "":
		text = "(no output)"
	case r.IsError && !strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "error"):
		text = "error: " + text // the API has no other mark of it
	}
	return text, rest, nil
}

// content returns the content of a user's message: a string where there is only
// text, which every server takes, else a list of parts. Nothing if there is none.
func (p *profile) content(blocks model.Blocks) ([]byte, error) {
	parts := []byte{'['}
	var texts []string
	plain := true
	for i, b := range blocks {
		before := len(parts)
		if before > 1 {
			parts = append(parts, ',')
		}
		var err error
		switch b := b.(type) {
		case *model.Text:
			if b.Text == "" {
				parts = parts[:before]
				continue
			}
			parts = appendTextPart(parts, b.Text)
			texts = append(texts, b.Text)
		case *model.Document:
			if b.Source.Text != "" {
				parts = appendTextPart(parts, documentText(b))
				texts = append(texts, documentText(b))
				break
			}
			plain = false
			parts, err = p.appendFile(parts, b)
		case *model.Image:
			plain = false
			parts, err = appendImage(parts, b)
		case *model.Thinking, *model.RedactedThinking, *model.ServerToolUse, *model.ServerToolResult, *model.Unknown:
			parts = parts[:before] // another provider's
		case nil:
			err = errors.New("it is nil")
		default:
			err = fmt.Errorf("a user's message takes no %s", b.BlockType())
		}
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
	}
	switch {
	case len(parts) == 1:
		return nil, nil
	case plain:
		return rawjson.AppendQuoted(nil, strings.Join(texts, "\n\n")), nil
	}
	return append(parts, ']'), nil
}

func appendTextPart(dst []byte, text string) []byte {
	return append(rawjson.AppendQuoted(append(dst, `{"type":"text","text":`...), text), '}')
}

// documentText is a document of plain text, as a part of a text.
func documentText(d *model.Document) string {
	var b strings.Builder
	b.WriteString("<document")
	if d.Title != "" {
		fmt.Fprintf(&b, " title=%q", d.Title)
	}
	b.WriteString(">\n")
	if d.Context != "" {
		b.WriteString(d.Context + "\n")
	}
	b.WriteString(d.Source.Text + "\n</document>")
	return b.String()
}

func appendImage(dst []byte, img *model.Image) ([]byte, error) {
	dst = append(dst, `{"type":"image_url","image_url":{"url":`...)
	switch s := &img.Source; {
	case len(s.Data) > 0:
		dst = appendDataURL(dst, s, "image/png")
	case s.URL != "":
		dst = rawjson.AppendQuoted(dst, s.URL)
	default:
		return dst, errors.New("the picture has neither data nor a URL, which is all that this API takes")
	}
	return append(dst, "}}"...), nil
}

func (p *profile) appendFile(dst []byte, d *model.Document) ([]byte, error) {
	if !p.quirks.Files {
		return dst, errors.New("this server is not known to take documents but texts: give its text, or set Quirks.Files")
	}
	dst = append(dst, `{"type":"file","file":{`...)
	switch s := &d.Source; {
	case len(s.Data) > 0:
		dst = rawjson.AppendQuoted(append(dst, `"filename":`...), or(d.Title, "document.pdf"))
		dst = appendDataURL(append(dst, `,"file_data":`...), s, "application/pdf")
	case s.FileID != "":
		dst = rawjson.AppendQuoted(append(dst, `"file_id":`...), s.FileID)
	default:
		return dst, errors.New("the document has neither data, text nor a file id, which is all that this API takes")
	}
	return append(dst, "}}"...), nil
}

// appendDataURL appends bytes as a quoted data URL. Bytes of no declared type are
// looked at, and have the fallback type if that tells nothing.
func appendDataURL(dst []byte, s *model.Source, fallback string) []byte {
	kind := s.MediaType
	if kind == "" {
		if kind = http.DetectContentType(s.Data); kind == "application/octet-stream" {
			kind = fallback
		}
	}
	quoted := rawjson.AppendQuoted(dst, "data:"+kind+";base64,")
	dst = base64.StdEncoding.AppendEncode(quoted[:len(quoted)-1], s.Data)
	return append(dst, '"')
}

// maxCallID is the length of the ids that OpenAI takes.
const maxCallID = 40

// callID returns the id of a call as the server takes it. It depends on nothing
// else, so that a call and its result agree.
func (p *profile) callID(id string) string {
	limit, alphabet := maxCallID, "-_.:|/"
	if p.quirks.IDs == "short" {
		limit, alphabet = 9, ""
	}
	fits := len(id) <= limit && (limit != 9 || len(id) == 9) && !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') && !strings.ContainsRune(alphabet, r)
	})
	if fits && id != "" {
		return id
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	name := make([]byte, 9)
	for n, i := h.Sum64(), 0; i < len(name); i++ {
		name[i] = digits[n%uint64(len(digits))]
		n /= uint64(len(digits))
	}
	if limit != 9 {
		name = slices.Concat([]byte("call_"), name)
	}
	return string(name)
}
