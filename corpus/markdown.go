package corpus

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
)

// extractMarkdown reads CommonMark with tables, strikethrough, definition lists and heading attributes. The text is
// that of the rendered page, so raw HTML inside the file is read by the same rules as an HTML file.
func extractMarkdown(src []byte) (*extract, error) {
	title, body := frontMatter(src)
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.DefinitionList),
		goldmark.WithParserOptions(parser.WithAttribute()),
		goldmark.WithRendererOptions(html.WithUnsafe()),
	)
	var page bytes.Buffer
	page.WriteString("<!DOCTYPE html><body><main>")
	if err := md.Convert(body, &page); err != nil {
		return nil, err
	}
	e, err := extractHTML(page.Bytes())
	if err != nil {
		return nil, err
	}
	if title != "" {
		e.title = title
	}
	return e, nil
}

// frontMatter splits off a YAML ("---") or TOML ("+++") block at the very beginning and returns its title.
func frontMatter(src []byte) (title string, body []byte) {
	text := string(src)
	fence, rest, ok := strings.Cut(text, "\n")
	fence = strings.TrimRight(fence, " \t\r")
	if !ok || fence != "---" && fence != "+++" {
		return "", src
	}
	at := len(text) - len(rest)
	for line := range strings.Lines(rest) {
		at += len(line)
		line = strings.TrimRight(line, " \t\r\n")
		if line == fence || fence == "---" && line == "..." {
			return title, src[at:]
		}
		key, value, found := strings.Cut(line, ":")
		if fence == "+++" {
			key, value, found = strings.Cut(line, "=")
		}
		switch {
		case found && strings.TrimRight(key, " ") == "title":
			title = unquote(strings.TrimSpace(value))
		case fence == "---" && line != "" && !found && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "#"):
			return "", src // Not YAML: the first line was a thematic break.
		}
	}
	return "", src
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
