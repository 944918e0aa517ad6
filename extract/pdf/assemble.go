package pdf

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/extract"
)

// assemble writes the pages into the document. Lines of a block are separated by a
// line end, as on the page; rows of a table too; other blocks by two.
func assemble(doc *extract.Document, pages []*page, limit int) {
	var text strings.Builder
	hyphens, cut, unquotable := 0, 0, 0
	for _, p := range pages {
		if text.Len() > 0 && len(p.blocks) > 0 {
			text.WriteString("\n\n")
		}
		start := text.Len()
		for i, b := range p.blocks {
			if i > 0 {
				text.WriteByte('\n')
				if b.kind != extract.TableRow || p.blocks[i-1].kind != extract.TableRow {
					text.WriteByte('\n')
				}
			}
			at := text.Len()
			kept := b.text
			if n := max(0, limit-at); n < len(kept) {
				for n > 0 && !utf8.RuneStart(kept[n]) {
					n--
				}
				kept = kept[:n]
			}
			if len(kept) == 0 {
				continue
			}
			text.Write(kept)
			doc.Blocks = append(doc.Blocks, extract.Block{Kind: b.kind, Start: at, End: text.Len(), Level: b.level, Main: !b.aside})
			for _, l := range b.links {
				if l.End <= len(kept) {
					doc.Links = append(doc.Links, extract.Link{Start: at + l.Start, End: at + l.End, URL: l.URL})
				}
			}
			hyphens += b.hyphens
		}
		label := p.label
		if label == strconv.Itoa(p.number) {
			label = ""
		}
		doc.Pages = append(doc.Pages, extract.Page{Start: start, End: text.Len(), Number: p.number, Label: tidy(label), Unquotable: p.unquotable})
		doc.Hidden += p.hidden
		if p.cut {
			cut++
		}
		if p.unquotable != "" {
			unquotable++
		}
	}
	doc.Text = text.String()
	slices.SortStableFunc(doc.Links, func(a, b extract.Link) int { return cmp.Compare(a.Start, b.Start) })
	warn := func(code, format string, args ...any) {
		doc.Warnings = append(doc.Warnings, extract.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if hyphens > 0 {
		warn("hyphenation", "%d lines end with a hyphen inside a word; the hyphens are kept as they are", hyphens)
	}
	if unquotable > 0 {
		warn("text_layer", "%d of %d pages have no text that can be quoted", unquotable, len(pages))
	}
	if cut > 0 {
		warn("truncated", "%d pages have more than %d characters; the rest of them was left out", cut, charLimit)
	}
}
