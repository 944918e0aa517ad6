package office

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/extract"
)

// errFull ends the reading when the text has reached its limit.
var errFull = errors.New("the text is full")

// writer writes the blocks of a document.
type writer struct {
	doc   *extract.Document
	text  []byte
	limit int
	full  bool
	// deleted counts the tracked deletions that were left out.
	deleted int
}

// passage is text with links before it is a block.
type passage struct {
	text  []byte
	links []extract.Link
}

// maxPassage bounds a passage in bytes, so that one cannot take the memory of many.
const maxPassage = 16 << 20

func (p *passage) add(s string) {
	if len(p.text)+len(s) <= maxPassage {
		p.text = append(p.text, s...)
	}
}

// trimmed drops white space at both ends, and moves the links.
func (p passage) trimmed() passage {
	text := strings.ToValidUTF8(string(p.text), "\uFFFD")
	if len(text) != len(p.text) {
		p.links = nil
	}
	left := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	text = strings.TrimRight(text[left:], " \t\r\n")
	out := passage{text: []byte(text)}
	for _, l := range p.links {
		l.Start, l.End = max(0, l.Start-left), min(len(text), l.End-left)
		if l.Start < l.End {
			out.links = append(out.links, l)
		}
	}
	return out
}

// block writes a block; one without text is left out.
func (w *writer) block(kind extract.BlockKind, level int, main bool, p passage) error {
	if p = p.trimmed(); len(p.text) == 0 {
		return nil
	}
	gap := "\n\n"
	if n := len(w.doc.Blocks); n == 0 {
		gap = ""
	} else if kind == extract.TableRow && w.doc.Blocks[n-1].Kind == kind {
		gap = "\n"
	}
	room := w.limit - len(w.text) - len(gap)
	if room < len(p.text) {
		for room = max(0, room); room > 0 && !utf8.RuneStart(p.text[room]); room-- {
		}
		p.text, w.full = p.text[:room], true
		if p = p.trimmed(); len(p.text) == 0 {
			return errFull
		}
	}
	w.text = append(w.text, gap...)
	start := len(w.text)
	w.text = append(w.text, p.text...)
	w.doc.Blocks = append(w.doc.Blocks, extract.Block{Kind: kind, Start: start, End: len(w.text), Level: level, Main: main})
	for _, l := range p.links {
		w.doc.Links = append(w.doc.Links, extract.Link{Start: start + l.Start, End: start + l.End, URL: l.URL})
	}
	if w.full {
		return errFull
	}
	return nil
}

// page ends a page that began at block first.
func (w *writer) page(number, first int, label string) {
	p := extract.Page{Start: len(w.text), End: len(w.text), Number: number, Label: label}
	if first < len(w.doc.Blocks) {
		p.Start = w.doc.Blocks[first].Start
	}
	w.doc.Pages = append(w.doc.Pages, p)
}

func (w *writer) warn(code, format string, args ...any) {
	w.doc.Warnings = append(w.doc.Warnings, extract.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

func (w *writer) finish() {
	w.doc.Text = string(w.text)
	if w.deleted > 0 {
		w.warn("tracked_changes", "%d tracked deletions were left out; insertions were kept", w.deleted)
	}
	if w.full {
		w.warn("truncated", "the limit is %d bytes of text; raise Config.MaxText", w.limit)
	}
}

// address returns an address of the web, or nothing.
func address(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
