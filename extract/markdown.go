package extract

import (
	"bytes"
	"context"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
)

// readMarkdown reads CommonMark with tables, strikethrough, definition lists and
// heading attributes. The text is that of the rendered page, so raw HTML inside the
// file is read by the same rules as an HTML file.
func (r *Reader) readMarkdown(ctx context.Context, src string, hint Hint) (*Document, error) {
	title, body := frontMatter(src)
	// The tree of a Markdown file takes about a hundred times its size.
	size := len(body)
	body = cutText(body, max(r.options.MaxText/8, 1))
	body, tamed := tameMarkdown(body)
	tamed = tamed || len(body) < size && size > r.options.MaxText/8
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.DefinitionList),
		goldmark.WithParserOptions(parser.WithAttribute()),
		goldmark.WithRendererOptions(html.WithUnsafe()),
	)
	var page bytes.Buffer
	page.WriteString("<!DOCTYPE html><body><main>")
	if err := md.Convert([]byte(body), &page); err != nil {
		return nil, err
	}
	doc, err := r.readHTML(ctx, page.String(), hint)
	if err != nil {
		return nil, err
	}
	if title != "" {
		doc.Title = title
	}
	if tamed {
		doc.Warnings = append(doc.Warnings, Warning{"truncated", "The file is too long or has too much markup in one place; a part of it was left out or read as text."})
	}
	for i := range doc.Blocks {
		doc.Blocks[i].Main = true
	}
	return doc, nil
}

// frontMatter splits off a YAML ("---") or TOML ("+++") block at the very beginning
// and returns its title.
func frontMatter(text string) (title, body string) {
	fence, rest, ok := strings.Cut(text, "\n")
	fence = strings.TrimRight(fence, " \t\r")
	if !ok || fence != "---" && fence != "+++" {
		return "", text
	}
	at := len(text) - len(rest)
	for line := range strings.Lines(rest) {
		at += len(line)
		line = strings.TrimRight(line, " \t\r\n")
		if line == fence || fence == "---" && line == "..." {
			return title, text[at:]
		}
		key, value, found := strings.Cut(line, ":")
		if fence == "+++" {
			key, value, found = strings.Cut(line, "=")
		}
		switch {
		case found && strings.TrimRight(key, " ") == "title":
			title = unquote(strings.TrimSpace(value))
		case fence == "---" && line != "" && !found && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "#"):
			return "", text // Not YAML: the first line was a thematic break.
		}
	}
	return "", text
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
