package pdf

import (
	"context"

	"github.com/quarry-sdk/quarry/extract"
)

// page is what was read of a page.
type page struct {
	number     int
	label      string
	blocks     []block
	unquotable string
	hidden     int // bytes of text outside of the page
	cut        bool
}

// FPDF_PAGEOBJ_IMAGE and FPDF_PAGEOBJ_FORM of PDFium's fpdf_edit.h.
const (
	formObject  = 5
	imageObject = 3
	// objectLimit is how many objects of a page without text are looked at.
	objectLimit = 1000
)

// page reads a page, counted from 0.
func (in *instance) page(ctx context.Context, doc uint64, index int) (p *page, err error) {
	p = &page{number: index + 1}
	handle, err := in.call(ctx, "FPDF_LoadPage", doc, uint64(index))
	if err != nil {
		return nil, err
	}
	if uint32(handle) == 0 {
		p.unquotable = "the page is damaged"
		return p, nil
	}
	links, err := in.links(ctx, doc, handle)
	if err != nil {
		return nil, err
	}
	if handle, err = in.flattened(ctx, doc, handle, index); err != nil {
		return nil, err
	}
	text, err := in.call(ctx, "FPDFText_LoadPage", handle)
	if err != nil {
		return nil, err
	}
	if uint32(text) == 0 {
		p.unquotable = "the text of the page is damaged"
		_, err = in.call(ctx, "FPDF_ClosePage", handle)
		return p, err
	}
	list, whole, err := in.glyphs(ctx, text)
	if err != nil {
		return nil, err
	}
	p.cut = !whole
	if bounds, ok, err := in.bounds(ctx, handle); err != nil {
		return nil, err
	} else if ok {
		list, p.hidden = visible(list, bounds)
	}
	images := 0
	if len(list) == 0 {
		if images, err = in.images(ctx, handle); err != nil {
			return nil, err
		}
	}
	p.unquotable = garbage(list, images)
	if _, err := in.call(ctx, "FPDFText_ClosePage", text); err != nil {
		return nil, err
	}
	if _, err := in.call(ctx, "FPDF_ClosePage", handle); err != nil {
		return nil, err
	}
	p.label, err = in.wide(ctx, "FPDF_GetPageLabel", doc, uint64(index))
	if err != nil {
		return nil, err
	}
	p.blocks = written(layout(list), links)
	return p, nil
}

// layout puts the characters of a page in reading order.
func layout(list []glyph) []paragraph {
	var out []paragraph
	for _, group := range groups(list) {
		for _, region := range regions(segments(group), 0) {
			out = append(out, paragraphs(lines(region))...)
		}
	}
	return merged(out)
}

// merged joins a paragraph whose last word is broken to the next one, which starts
// with the rest of it at the head of the next column.
func merged(list []paragraph) []paragraph {
	var out []paragraph
	for _, g := range list {
		if n := len(out); n > 0 && g.kind == extract.Paragraph && out[n-1].kind != extract.TableRow {
			prev := &out[n-1]
			if prev.lines[len(prev.lines)-1].hyphenated() && g.lines[0].startsLower() && prev.size < 1.15*g.size && g.size < 1.15*prev.size {
				prev.lines = append(prev.lines, g.lines...)
				continue
			}
		}
		out = append(out, g)
	}
	return out
}

// bounds is the part of the page that is shown.
func (in *instance) bounds(ctx context.Context, handle uint64) (box, bool, error) {
	p, err := in.buffer(ctx)
	if err != nil {
		return box{}, false, err
	}
	ok, err := in.call(ctx, "FPDF_GetPageBoundingBox", handle, uint64(p))
	if err != nil || int32(ok) == 0 {
		return box{}, false, err
	}
	b := box{left: in.float32(p), top: in.float32(p + 4), right: in.float32(p + 8), bottom: in.float32(p + 12)}
	return b, b.right > b.left && b.top > b.bottom, nil
}

// visible leaves out the characters whose middle is not on the page, and counts
// their bytes.
func visible(list []glyph, bounds box) (out []glyph, hidden int) {
	out = list[:0]
	seen := true
	for _, g := range list {
		if !g.generated {
			seen = bounds.contains((g.left+g.right)/2, (g.bottom+g.top)/2) || bounds.contains(g.x, g.y)
		}
		if !seen {
			hidden += len(string(g.r))
			continue
		}
		out = append(out, g)
	}
	return out, hidden
}

// images counts the images on a page, and the forms, which may hold one.
func (in *instance) images(ctx context.Context, handle uint64) (int, error) {
	count, err := in.call(ctx, "FPDFPage_CountObjects", handle)
	if err != nil {
		return 0, err
	}
	n := 0
	for i := range min(int(int32(count)), objectLimit) {
		object, err := in.call(ctx, "FPDFPage_GetObject", handle, uint64(i))
		if err != nil {
			return 0, err
		}
		kind, err := in.call(ctx, "FPDFPageObj_GetType", object)
		if err != nil {
			return 0, err
		}
		if k := int32(kind); k == imageObject || k == formObject {
			n++
		}
	}
	return n, nil
}
