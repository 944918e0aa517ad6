package webtools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/toolbox/internal/reading"
	"github.com/quarry-sdk/quarry/web/search"
)

// The limits of web_fetch, in tokens as reading.Tokens estimates them.
const (
	// wholeTokens is up to which length a page is shown whole.
	wholeTokens = 6000
	// partTokens is how much of a longer one is shown at once.
	partTokens = 4000
	// outlineTokens bounds its outline.
	outlineTokens = 800
	// passageBytes is about how long a passage is.
	passageBytes = 1200
)

// choose decides what of the text is shown.
func (o *Fetched) choose(in fetchIn) error {
	text := o.doc.Text
	switch {
	case in.Offset != nil:
		if *in.Offset >= len(text) {
			return fmt.Errorf("the offset %d is behind the end of the page's text, which has %d bytes", *in.Offset, len(text))
		}
		start := reading.RuneStart(text, *in.Offset)
		end := reading.Fit(text, start, len(text), wholeTokens)
		o.show(start, end)
		o.head = fmt.Sprintf("shown: bytes %d-%d", start, end)
		if end < len(text) {
			o.foot = fmt.Sprintf("The text goes on: read from offset %d.", end)
		}
	case reading.Tokens(text) <= wholeTokens:
		o.head = "shown whole"
		o.show(0, len(text))
	default:
		o.relevant(in.Find)
	}
	return nil
}

func (o *Fetched) show(start, end int) {
	part := Part{Start: start, End: end}
	if p, ok := o.doc.PageAt(start); ok {
		part.Page = p.Number
	}
	o.Parts = append(o.Parts, part)
}

// relevant shows the outline and the passages that fit best, or the beginning of
// the main content where none fits.
func (o *Fetched) relevant(find string) {
	o.outline = outline(o.doc)
	passages := passagesOf(o.doc)
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = o.doc.Text[p.Start:p.End]
	}
	scores := search.Rank(find, texts)
	order := make([]int, len(passages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	left, fitting := partTokens, false
	var chosen []Part
	for _, i := range order {
		if scores[i] == 0 && fitting {
			break // what has none of the words does not fill up what fits
		}
		p, n := passages[i], reading.Tokens(texts[i])
		if n > left {
			if len(chosen) > 0 && fitting {
				continue
			}
			if len(chosen) > 0 {
				break // a beginning has no gaps
			}
			p.End = reading.Fit(o.doc.Text, p.Start, p.End, left)
		}
		fitting = fitting || scores[i] > 0
		chosen, left = append(chosen, p), left-n
	}
	slices.SortFunc(chosen, func(a, b Part) int { return a.Start - b.Start })
	for k := 0; k < len(chosen); {
		start, end := chosen[k].Start, chosen[k].End
		for k++; k < len(chosen) && strings.TrimSpace(o.doc.Text[end:chosen[k].Start]) == ""; k++ {
			end = chosen[k].End
		}
		o.show(start, end)
	}
	switch {
	case fitting:
		o.head = "too long to show whole: its outline, then the passages that fit best what you look for"
	case find != "":
		o.head = "too long to show whole, and no passage has a word of what you look for: its outline, then its beginning"
	default:
		o.head = "too long to show whole: its outline, then its beginning; say in find what you look for"
	}
	o.foot = fmt.Sprintf("This is not all of the page. Call %s again with find, or with offset (a byte) to read another part.", FetchName)
}

// passagesOf cuts a text into stretches of whole blocks, the main content's first
// if it has any.
func passagesOf(doc *extract.Document) []Part {
	var out []Part
	add := func(main bool) {
		open := false
		for _, b := range doc.Blocks {
			if b.Main != main {
				open = false
				continue
			}
			for start := b.Start; start < b.End; {
				end := b.End
				if end-start > 2*passageBytes {
					end = reading.Fit(doc.Text, start, b.End, passageBytes/4)
				}
				if open && end-out[len(out)-1].Start <= passageBytes && b.Kind != extract.Heading {
					out[len(out)-1].End = end
				} else {
					out = append(out, Part{Start: start, End: end})
				}
				open, start = true, end
			}
		}
	}
	add(true)
	add(false)
	if len(out) == 0 {
		out = append(out, Part{Start: 0, End: len(doc.Text)})
	}
	return out
}

// outline lists a text's headings with their bytes; the pages of a paged document
// without any.
func outline(doc *extract.Document) string {
	var b strings.Builder
	room := func() bool { return reading.Tokens(b.String()) < outlineTokens }
	headings := 0
	for _, block := range doc.Blocks {
		if block.Kind != extract.Heading {
			continue
		}
		if headings++; room() {
			fmt.Fprintf(&b, "%s%s (byte %d)\n", strings.Repeat("  ", max(block.Level-1, 0)), inert(reading.OneLine(doc.Text[block.Start:block.End], 100)), block.Start)
		}
	}
	if headings == 0 {
		for _, p := range doc.Pages {
			if room() {
				fmt.Fprintf(&b, "page %d (byte %d)\n", p.Number, p.Start)
			}
		}
	}
	if b.Len() > 0 && !room() {
		b.WriteString("… and more\n")
	}
	return b.String()
}

// maxLinks bounds the links that are shown.
const maxLinks = 40

// link adds the links of what is shown, those of the main content first, each
// address once.
func (o *Fetched) link() {
	seen := map[string]bool{search.Key(o.URL): true, search.Key(o.FinalURL): true}
	for _, main := range []bool{true, false} {
		for _, l := range o.doc.Links {
			key := search.Key(l.URL)
			if len(o.Links) == maxLinks || seen[key] || !o.shown(l) || o.inMain(l) != main || !strings.HasPrefix(l.URL, "http") {
				continue
			}
			seen[key] = true
			o.Links = append(o.Links, Link{Text: reading.OneLine(o.doc.Text[l.Start:l.End], 80), URL: l.URL})
		}
	}
}

func (o *Fetched) shown(l extract.Link) bool {
	return slices.ContainsFunc(o.Parts, func(p Part) bool { return p.Start <= l.Start && l.End <= p.End })
}

func (o *Fetched) inMain(l extract.Link) bool {
	i, _ := slices.BinarySearchFunc(o.doc.Blocks, l.Start, func(b extract.Block, at int) int { return cmp.Compare(b.End, at+1) })
	return i < len(o.doc.Blocks) && o.doc.Blocks[i].Main
}
