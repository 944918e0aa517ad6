package openai

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

var errSource = errors.New("the source has no data, URL, file id or text")

// appendContent appends a text, a picture or a document as a part of the input;
// nothing for an empty text.
func appendContent(dst []byte, block model.Block) ([]byte, error) {
	switch b := block.(type) {
	case *model.Text:
		if b.Text == "" {
			return dst, nil
		}
		return appendInputText(dst, b.Text), nil
	case *model.Image:
		return appendImage(dst, &b.Source)
	case *model.Document:
		return appendDocument(dst, b)
	case nil:
		return dst, errors.New("it is nil")
	}
	return dst, fmt.Errorf("no form for a block of type %q", block.BlockType())
}

func appendInputText(dst []byte, text string) []byte {
	return append(rawjson.AppendQuoted(append(dst, `{"type":"input_text","text":`...), text), '}')
}

func appendImage(dst []byte, s *model.Source) ([]byte, error) {
	dst = append(dst, `{"type":"input_image"`...)
	switch {
	case len(s.Data) > 0:
		dst = appendData(append(dst, `,"image_url":`...), s, "image/png")
	case s.URL != "":
		dst = rawjson.AppendQuoted(append(dst, `,"image_url":`...), s.URL)
	case s.FileID != "":
		dst = rawjson.AppendQuoted(append(dst, `,"file_id":`...), s.FileID)
	default:
		return dst, errSource
	}
	return append(dst, `,"detail":"auto"}`...), nil
}

// appendDocument appends a file, or, for a document of text, the text behind
// its title and its context: the API reads files of bytes only.
func appendDocument(dst []byte, b *model.Document) ([]byte, error) {
	s := &b.Source
	if text, ok := documentText(s); ok {
		var parts []string
		for _, part := range [...]string{b.Title, b.Context, text} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		return appendInputText(dst, strings.Join(parts, "\n\n")), nil
	}
	dst = append(dst, `{"type":"input_file"`...)
	switch {
	case len(s.Data) > 0:
		name := b.Title
		if name == "" {
			name = "document"
		}
		if !strings.HasSuffix(strings.ToLower(name), ".pdf") && mediaType(s, "application/pdf") == "application/pdf" {
			name += ".pdf" // the API tells the type by the name
		}
		dst = rawjson.AppendQuoted(append(dst, `,"filename":`...), name)
		dst = appendData(append(dst, `,"file_data":`...), s, "application/pdf")
	case s.URL != "":
		dst = rawjson.AppendQuoted(append(dst, `,"file_url":`...), s.URL)
	case s.FileID != "":
		dst = rawjson.AppendQuoted(append(dst, `,"file_id":`...), s.FileID)
	default:
		return dst, errSource
	}
	return append(dst, '}'), nil
}

func documentText(s *model.Source) (string, bool) {
	if len(s.Data) > 0 && strings.HasPrefix(s.MediaType, "text/") {
		return string(s.Data), true
	}
	return s.Text, s.Text != "" && len(s.Data) == 0 && s.URL == "" && s.FileID == ""
}

// appendData appends bytes as a data URL.
func appendData(dst []byte, s *model.Source, fallback string) []byte {
	dst = append(dst, `"data:`...)
	// Within a string; a type has no sign that JSON would escape.
	quoted := rawjson.AppendQuoted(nil, mediaType(s, fallback))
	dst = append(dst, quoted[1:len(quoted)-1]...)
	dst = append(dst, ";base64,"...)
	dst = base64.StdEncoding.AppendEncode(dst, s.Data)
	return append(dst, '"')
}

// mediaType is the declared type, else what the bytes look like, else fallback.
func mediaType(s *model.Source, fallback string) string {
	if s.MediaType != "" {
		return s.MediaType
	}
	if t := http.DetectContentType(s.Data); t != "application/octet-stream" {
		return t
	}
	return fallback
}
