package evidence

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Span is a stretch of a text, as byte offsets: text[Start:End].
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Text is a text prepared for repeated location of quotes. It is safe for concurrent use.
type Text struct {
	text   string
	folded folded
	keys   keyString
	index  func() *startIndex
	view   func() *view
}

// NewText prepares text. It costs about as much as one call of [Locate]; the first call of [Text.Locate] adds an index.
func NewText(text string) *Text {
	t := newText(text)
	t.index = sync.OnceValue(func() *startIndex { return indexStarts(t.keys) })
	return t
}

// newText prepares text without an index: each location scans it.
func newText(text string) *Text {
	f := fold(text)
	return &Text{text: text, folded: f, keys: keysOf(f.norm), view: sync.OnceValue(func() *view { return newView(text) })}
}

// pointAt returns the last point at or before the normalised offset p, which is not before the first one.
func (f *folded) pointAt(p int) (point, bool) {
	i := sort.Search(len(f.points), func(i int) bool { return f.points[i].at > p })
	if i == 0 {
		return point{}, false
	}
	return f.points[i-1], true
}

// start returns the original offset at which the character at the normalised offset p starts.
func (f *folded) start(p int) int {
	pt, ok := f.pointAt(p)
	if !ok {
		return p
	}
	return pt.start + p - pt.at
}

// end returns the original offset at which the character before the normalised offset p ends.
func (f *folded) end(p int) int {
	pt, ok := f.pointAt(p)
	if !ok {
		return p
	}
	if pt.at == p {
		return pt.end
	}
	return pt.start + p - pt.at
}

// at returns the normalised offset of the character at the original offset i, or of the next one that is kept.
func (f *folded) at(i int) int {
	k := sort.Search(len(f.points), func(k int) bool { return f.points[k].start > i })
	if k == 0 {
		return min(i, f.points[0].at)
	}
	at := f.points[k-1].at + i - f.points[k-1].start
	if k < len(f.points) {
		at = min(at, f.points[k].at)
	}
	for at > 0 && at < len(f.norm) && !utf8.RuneStart(f.norm[at]) {
		at++
	}
	return min(at, len(f.norm))
}

// breakAt returns the word break whose hyphen stands at the normalised offset p.
func (f *folded) breakAt(p int) (wordBreak, bool) {
	i := sort.Search(len(f.breaks), func(i int) bool { return f.breaks[i].at >= p })
	if i < len(f.breaks) && f.breaks[i].at == p {
		return f.breaks[i], true
	}
	return wordBreak{}, false
}

// keyString is a normalised string without the hyphens inside words (and the blank after such a hyphen), so that all
// readings of a broken word have one key. An equal key only makes a candidate; the reading is compared afterwards.
type keyString struct {
	key  string
	cuts []cut
}

// cut says that from key[at] on, the normalised string is further along by shift bytes.
type cut struct{ at, shift int }

func keysOf(s string) keyString {
	if strings.IndexByte(s, '-') < 0 {
		return keyString{key: s}
	}
	var k keyString
	out := make([]byte, 0, len(s))
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '-' || !wordBefore(s, i) {
			continue
		}
		next := i + 1
		if next < len(s) && s[next] == ' ' {
			next++
		}
		if !wordAfter(s, next) {
			continue
		}
		out = append(out, s[from:i]...)
		from = next
		k.cuts = append(k.cuts, cut{at: len(out), shift: next - len(out)})
		i = next - 1
	}
	if len(k.cuts) == 0 {
		return keyString{key: s}
	}
	k.key = string(append(out, s[from:]...))
	return k
}

func wordBefore(s string, i int) bool {
	r, n := utf8.DecodeLastRuneInString(s[:i])
	return n > 0 && wordRune(r)
}

func wordAfter(s string, i int) bool {
	r, n := utf8.DecodeRuneInString(s[i:])
	return n > 0 && wordRune(r)
}

// norm returns the normalised offset of the character at key[p].
func (k *keyString) norm(p int) int {
	i := sort.Search(len(k.cuts), func(i int) bool { return k.cuts[i].at > p })
	if i == 0 {
		return p
	}
	return p + k.cuts[i-1].shift
}
