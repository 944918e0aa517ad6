package pdf

import (
	"context"
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// glyph is a character as PDFium reads it from a page. Its coordinates are points,
// with y growing upwards.
type glyph struct {
	r rune
	// x and y are the origin, on the baseline.
	x, y float64
	// left, right, bottom and top are the box of the character with its advance.
	left, right, bottom, top float64
	// px and py are the middle on the page, whichever way the line runs.
	px, py float32
	// style is shared by the characters of one piece of text.
	style *style
	// generated marks a blank or a line end that PDFium inferred.
	generated bool
}

// style is how a piece of text is set.
type style struct {
	size  float64 // in points, as seen
	angle float64 // of the baseline, counterclockwise, in degrees
	bold  bool
	// height and depth are those of the last box whose origin is known.
	height, depth float64
}

// box is a rectangle.
type box struct{ left, bottom, right, top float64 }

func (b box) contains(x, y float64) bool {
	return x >= b.left && x <= b.right && y >= b.bottom && y <= b.top
}

const (
	boldWeight = 600
	forceBold  = 1 << 18
	// charLimit is how many characters of a page are read; a page in print has
	// some thousand.
	charLimit = 400_000
)

// glyphs reads the characters of a text page, and whether all were read.
func (in *instance) glyphs(ctx context.Context, text uint64) ([]glyph, bool, error) {
	n, err := in.call(ctx, "FPDFText_CountChars", text)
	if err != nil {
		return nil, false, err
	}
	count := int(int32(n))
	if count <= 0 {
		return nil, true, nil
	}
	whole := count <= charLimit
	count = min(count, charLimit)
	codes, err := in.codes(ctx, text, count)
	if err != nil {
		return nil, false, err
	}
	list := make([]glyph, 0, count)
	styles := map[uint64]*style{}
	var last *style
	var lastObject uint64
	for i, code := range codes {
		at := uint64(i)
		g := glyph{r: character(code), style: last}
		if g.r == ' ' || g.r == '\r' || g.r == '\n' { // where they stand does not matter
			g.generated = true
			list = append(list, g)
			continue
		}
		object, err := in.call(ctx, "FPDFText_GetTextObject", text, at)
		if err != nil {
			return nil, false, err
		}
		if uint32(object) == 0 {
			g.generated = true
			list = append(list, g)
			continue
		}
		if object != lastObject || last == nil {
			if last = styles[object]; last == nil {
				if last, err = in.style(ctx, text, at); err != nil {
					return nil, false, err
				}
				styles[object] = last
			}
			lastObject = object
		}
		g.style = last
		if err := in.place(ctx, text, at, &g); err != nil {
			return nil, false, err
		}
		list = append(list, g)
	}
	return joinSurrogates(list), whole, nil
}

// codes reads what the characters mean: in one call if each has a place in the text
// of the page, else one by one.
func (in *instance) codes(ctx context.Context, text uint64, count int) ([]uint32, error) {
	size := 2 * (count + 1)
	p, err := in.call(ctx, "malloc", uint64(size))
	if err != nil {
		return nil, err
	}
	if uint32(p) == 0 {
		return nil, errMemory
	}
	n, err := in.call(ctx, "FPDFText_GetText", text, 0, uint64(count), p)
	if err != nil {
		return nil, err
	}
	raw, _ := in.module.Memory().Read(uint32(p), uint32(min(size, 2*max(0, int(int32(n))))))
	units := make([]uint16, 0, len(raw)/2)
	for ; len(raw) >= 2; raw = raw[2:] {
		units = append(units, binary.LittleEndian.Uint16(raw))
	}
	if _, err := in.call(ctx, "free", p); err != nil {
		return nil, err
	}
	codes := make([]uint32, 0, count)
	if n := len(units); n == count+1 && units[count] == 0 {
		for _, u := range units[:count] {
			if u >= 0xD800 && u < 0xE000 {
				break
			}
			if u == 0xFFFE { // PDFium's mark of a hyphen at the end of a line
				u = 0x02
			}
			codes = append(codes, uint32(u))
		}
		if len(codes) == count {
			return codes, nil
		}
		codes = codes[:0]
	}
	for i := range count {
		code, err := in.call(ctx, "FPDFText_GetUnicode", text, uint64(i))
		if err != nil {
			return nil, err
		}
		codes = append(codes, uint32(code))
	}
	return codes, nil
}

// place reads where a character stands.
func (in *instance) place(ctx context.Context, text, at uint64, g *glyph) error {
	p, err := in.buffer(ctx)
	if err != nil {
		return err
	}
	b := uint64(p)
	if _, err := in.call(ctx, "FPDFText_GetLooseCharBox", text, at, b); err != nil {
		return err
	}
	g.left, g.top, g.right, g.bottom = in.float32(p), in.float32(p+4), in.float32(p+8), in.float32(p+12)
	// The box reaches as far above and below the baseline for all characters of a
	// font, so that the origin need be asked for once only.
	s := g.style
	height := g.top - g.bottom
	if s.angle == 0 && s.height > 0 && math.Abs(height-s.height) < 0.001*s.height {
		g.x, g.y = g.left, g.bottom+s.depth
	} else {
		if _, err := in.call(ctx, "FPDFText_GetCharOrigin", text, at, b, b+8); err != nil {
			return err
		}
		g.x, g.y = in.float64(p), in.float64(p+8)
		s.height, s.depth = height, g.y-g.bottom
	}
	for _, f := range []*float64{&g.x, &g.y, &g.left, &g.right, &g.bottom, &g.top} {
		if math.IsNaN(*f) || math.Abs(*f) > 1e7 {
			*f = 0
		}
	}
	g.px, g.py = float32((g.left+g.right)/2), float32((g.bottom+g.top)/2)
	return nil
}

// style reads how a character is set.
func (in *instance) style(ctx context.Context, text, at uint64) (*style, error) {
	p, err := in.buffer(ctx)
	if err != nil {
		return nil, err
	}
	b := uint64(p)
	raw, err := in.call(ctx, "FPDFText_GetFontSize", text, at)
	if err != nil {
		return nil, err
	}
	s := &style{size: math.Abs(math.Float64frombits(raw))}
	ok, err := in.call(ctx, "FPDFText_GetMatrix", text, at, b)
	if err != nil {
		return nil, err
	}
	if int32(ok) != 0 {
		xx, xy, yx, yy := in.float32(p), in.float32(p+4), in.float32(p+8), in.float32(p+12)
		if h := math.Hypot(yx, yy); h > 0 {
			s.size *= h
		}
		if xx != 0 || xy != 0 {
			s.angle = math.Atan2(xy, xx) * 180 / math.Pi
		}
	}
	if math.IsNaN(s.size) || s.size < 0.1 || s.size > 1e4 {
		s.size = 10
	}
	weight, err := in.call(ctx, "FPDFText_GetFontWeight", text, at)
	if err != nil {
		return nil, err
	}
	if _, err := in.call(ctx, "FPDFText_GetFontInfo", text, at, 0, 0, b); err != nil {
		return nil, err
	}
	s.bold = int32(weight) >= boldWeight || in.uint32(p)&forceBold != 0
	return s, nil
}

// character makes a rune of PDFium's code. Its 0x02 is a hyphen at the end of a
// line; surrogates stay, for joinSurrogates.
func character(code uint32) rune {
	switch {
	case code >= lineHyphen && code < 0xFDF0, code&0xFFFE == 0xFFFE:
		return utf8.RuneError // noncharacters
	case code == 0x02:
		return lineHyphen
	case code >= 0xD800 && code < 0xE000:
		return rune(code)
	case code > utf8.MaxRune:
		return utf8.RuneError
	}
	return rune(code)
}

// lineHyphen stands for a hyphen at a line's end until the text is written, so that
// it can be counted.
const lineHyphen = '\uFDD0'

// joinSurrogates makes one character of the two halves of one beyond the basic
// plane, and U+FFFD of a half alone.
func joinSurrogates(list []glyph) []glyph {
	out := list[:0]
	for i := 0; i < len(list); i++ {
		g := list[i]
		if g.r >= 0xD800 && g.r < 0xE000 {
			if g.r < 0xDC00 && i+1 < len(list) && list[i+1].r >= 0xDC00 && list[i+1].r < 0xE000 {
				g.r = (g.r-0xD800)<<10 + (list[i+1].r - 0xDC00) + 0x10000
				g.right = max(g.right, list[i+1].right)
				i++
			} else {
				g.r = utf8.RuneError
			}
		}
		out = append(out, g)
	}
	return out
}
