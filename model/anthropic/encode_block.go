package anthropic

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

var errSource = errors.New("the source has no data, URL, file id or text")

// The origins of a message decide what of a block can be sent.
type origin uint8

const (
	foreign origin = iota // another provider's answer
	here                  // made by this program
	own                   // an answer of this API
)

func originOf(m *model.Message) origin {
	switch m.Provider {
	case Provider:
		return own
	case "":
		return here
	}
	return foreign
}

// appendBlock appends the block in the form of the Messages API, or nothing if
// the API would refuse it or could not make sense of it.
func appendBlock(dst []byte, block model.Block, from origin) ([]byte, error) {
	switch b := block.(type) {
	case *model.Text:
		if b.Text == "" {
			return dst, nil // the API refuses empty texts
		}
		if from == own && b.Raw != nil {
			return appendRaw(dst, b.Raw)
		}
		dst = rawjson.AppendQuoted(append(dst, `{"type":"text","text":`...), b.Text)
		if from == own && len(b.Citations) > 0 {
			dst = appendCitations(append(dst, `,"citations":`...), b.Citations)
		}
		return append(dst, '}'), nil
	case *model.Thinking:
		if from != own || b.Signature == "" {
			return dst, nil // only the maker of a thought can check it
		}
		if b.Raw != nil {
			return appendRaw(dst, b.Raw)
		}
		dst = rawjson.AppendQuoted(append(dst, `{"type":"thinking","thinking":`...), b.Text)
		dst = rawjson.AppendQuoted(append(dst, `,"signature":`...), b.Signature)
		return append(dst, '}'), nil
	case *model.RedactedThinking:
		if from != own {
			return dst, nil
		}
		if b.Raw != nil {
			return appendRaw(dst, b.Raw)
		}
		dst = rawjson.AppendQuoted(append(dst, `{"type":"redacted_thinking","data":`...), b.Data)
		return append(dst, '}'), nil
	case *model.ToolUse:
		if from == own && b.Raw != nil && !b.Incomplete {
			return appendRaw(dst, b.Raw)
		}
		return appendUse(dst, "tool_use", b.ID, b.Name, b.Input)
	case *model.ServerToolUse:
		if from == foreign {
			return dst, nil
		}
		if from == own && b.Raw != nil {
			return appendRaw(dst, b.Raw)
		}
		return appendUse(dst, b.Type, b.ID, b.Name, b.Input)
	case *model.ServerToolResult:
		if from == foreign {
			return dst, nil
		}
		if from == own && b.Raw != nil {
			return appendRaw(dst, b.Raw)
		}
		return appendServerResult(dst, b)
	case *model.ToolResult:
		if from == own && b.Raw != nil {
			return appendRaw(dst, b.Raw)
		}
		return appendToolResult(dst, b, from)
	case *model.Image:
		if from == own && b.Raw != nil {
			return appendRaw(dst, b.Raw)
		}
		dst, err := appendSource(append(dst, `{"type":"image","source":`...), &b.Source, "image/png")
		return append(dst, '}'), err
	case *model.Document:
		if from == own && b.Raw != nil {
			return appendRaw(dst, b.Raw)
		}
		return appendDocument(dst, b)
	case *model.Unknown:
		if from == foreign {
			return dst, nil
		}
		return appendRaw(dst, b.Raw)
	case nil:
		return dst, errors.New("it is nil")
	}
	return dst, fmt.Errorf("no form for a block of type %q", block.BlockType())
}

func appendRaw(dst []byte, raw json.RawMessage) ([]byte, error) {
	dst, err := rawjson.Append(dst, raw)
	if err != nil {
		return dst, fmt.Errorf("its raw form: %w", err)
	}
	return dst, nil
}

// appendUse appends a call. The API takes objects only as arguments; anything
// else is wrapped the way its documentation advises, so that the model sees what
// it wrote.
// (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/fine-grained-tool-streaming)
func appendUse(dst []byte, kind, id, name string, input json.RawMessage) ([]byte, error) {
	dst = rawjson.AppendQuoted(append(dst, `{"type":`...), kind)
	dst = appendID(append(dst, `,"id":`...), id)
	dst = rawjson.AppendQuoted(append(dst, `,"name":`...), name)
	dst = append(dst, `,"input":`...)
	input = bytes.TrimSpace(input)
	switch {
	case len(input) == 0 || string(input) == "null":
		dst = append(dst, "{}"...)
	case rawjson.IsObject(input) && json.Valid(input):
		dst = append(dst, input...)
	default:
		dst = append(dst, `{"INVALID_JSON":`...)
		if rawjson.IsString(input) && json.Valid(input) {
			dst = append(dst, input...)
		} else {
			dst = rawjson.AppendQuoted(dst, []byte(input))
		}
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}

// appendID appends the id of a call. Other providers' ids have characters that
// the API refuses; each becomes an underscore, in the call and in its result.
func appendID(dst []byte, id string) []byte {
	dst = append(dst, '"')
	for i := range len(id) {
		c := id[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' {
			dst = append(dst, c)
		} else {
			dst = append(dst, '_')
		}
	}
	return append(dst, '"')
}

func appendServerResult(dst []byte, b *model.ServerToolResult) ([]byte, error) {
	dst = rawjson.AppendQuoted(append(dst, `{"type":`...), b.Type)
	dst = appendID(append(dst, `,"tool_use_id":`...), b.ToolUseID)
	if len(b.Content) > 0 {
		var err error
		if dst, err = rawjson.Append(append(dst, `,"content":`...), b.Content); err != nil {
			return dst, fmt.Errorf("its content: %w", err)
		}
	}
	if b.Type == "mcp_tool_result" {
		dst = appendBool(append(dst, `,"is_error":`...), b.IsError)
	}
	return append(dst, '}'), nil
}

func appendToolResult(dst []byte, b *model.ToolResult, from origin) ([]byte, error) {
	dst = appendID(append(dst, `{"type":"tool_result","tool_use_id":`...), b.ToolUseID)
	if b.IsError {
		dst = append(dst, `,"is_error":true`...)
	}
	was := len(dst)
	dst, err := appendBlocks(append(dst, `,"content":[`...), b.Content, from)
	if err != nil {
		return dst, err
	}
	switch {
	case dst[len(dst)-1] != '[':
		dst = append(dst, ']')
	case b.IsError: // the API refuses an error without words
		dst = append(dst[:was], `,"content":"the tool failed and said nothing"`...)
	default:
		dst = dst[:was]
	}
	return append(dst, '}'), nil
}

func appendDocument(dst []byte, b *model.Document) ([]byte, error) {
	dst, err := appendSource(append(dst, `{"type":"document","source":`...), &b.Source, "application/pdf")
	if err != nil {
		return dst, err
	}
	if b.Title != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"title":`...), b.Title)
	}
	if b.Context != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"context":`...), b.Context)
	}
	if b.Cite {
		dst = append(dst, `,"citations":{"enabled":true}`...)
	}
	return append(dst, '}'), nil
}

// appendSource appends a source. Bytes of no declared type are looked at, and
// have the fallback type if that tells nothing.
func appendSource(dst []byte, s *model.Source, fallback string) ([]byte, error) {
	switch {
	case len(s.Data) > 0:
		mediaType := s.MediaType
		if mediaType == "" {
			if mediaType = http.DetectContentType(s.Data); mediaType == "application/octet-stream" {
				mediaType = fallback
			}
		}
		dst = rawjson.AppendQuoted(append(dst, `{"type":"base64","media_type":`...), mediaType)
		dst = append(dst, `,"data":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, s.Data)
		return append(dst, `"}`...), nil
	case s.URL != "":
		dst = rawjson.AppendQuoted(append(dst, `{"type":"url","url":`...), s.URL)
	case s.FileID != "":
		dst = rawjson.AppendQuoted(append(dst, `{"type":"file","file_id":`...), s.FileID)
	case s.Text != "":
		dst = rawjson.AppendQuoted(append(dst, `{"type":"text","media_type":"text/plain","data":`...), s.Text)
	default:
		return dst, errSource
	}
	return append(dst, '}'), nil
}

// appendBlocks appends the blocks that can be sent, with commas between them.
func appendBlocks(dst []byte, blocks model.Blocks, from origin) ([]byte, error) {
	start := len(dst)
	for i, b := range blocks {
		comma := len(dst)
		if comma > start {
			dst = append(dst, ',')
		}
		before := len(dst)
		var err error
		if dst, err = appendBlock(dst, b, from); err != nil {
			return dst, fmt.Errorf("block %d: %w", i, err)
		}
		if len(dst) == before {
			dst = dst[:comma]
		}
	}
	return dst, nil
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}
