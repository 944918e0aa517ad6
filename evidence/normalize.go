package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize returns s under the one declared normalisation. Two strings say the same, word for word, if their
// normalised forms are equal bytes. In this order:
//
//  1. Soft hyphens, zero-width spaces, word joiners, byte order marks and directional marks are dropped. A zero-width joiner
//     or non-joiner is dropped where it changes at most a ligature (after Latin, Greek, Cyrillic, Chinese and the like) and kept
//     where it spells (Arabic, the scripts of India, emoji). A soft hyphen between two letters takes a line break that
//     follows it along.
//  2. Unicode NFC. Never NFKC: a ligature, a superscript and a full-width digit stay what they are.
//  3. Each run of Unicode white space becomes one blank; blanks at the ends are trimmed.
//  4. ‘ ’ ‚ ‛ ʼ ‹ › become ', “ ” „ ‟ « » become ", and ‐ ‑ ‒ – — ― − become -.
//
// Nothing else changes: letter case, digits, signs, units, accents, ellipses and all other punctuation stay. A minus sign
// becomes a hyphen-minus but never vanishes. Each byte of invalid UTF-8 becomes U+FFFD. Normalize(Normalize(s)) == Normalize(s).
//
// A hyphen before a line break is left here ("exam-\nple" becomes "exam- ple"), because only the text a quote is looked for
// in can have been broken into lines: see [Locate].
func Normalize(s string) string {
	return strings.Trim(fold(s).norm, " ")
}

// folded is a normalised string that remembers where its bytes came from.
type folded struct {
	norm   string
	points []point
	breaks []wordBreak
}

// point says that from norm[at] on, normalised and original bytes run in step from the original offset start, and that
// what stands before norm[at] ended at the original offset end.
type point struct{ at, start, end int }

// wordBreak is a hyphen directly before a line break, inside a word: norm[at:at+2] is "- ".
type wordBreak struct {
	at int
	// joins says that letters stand on both sides, so that the hyphen may be the typesetter's.
	joins bool
}

// folder builds a folded string.
type folder struct {
	out    []byte
	points []point
	breaks []wordBreak
	delta  int  // original offset minus normalised offset of the last unit
	end    int  // original end of the last unit
	base   rune // the last character that is not a combining mark
	last   rune // the last original character, before it was folded
	seg    []byte
	comp   []byte
}

// unit records that the original bytes [start, end) are about to be written as the next bytes of out.
func (f *folder) unit(start, end int) {
	if start-len(f.out) != f.delta || f.end != start {
		f.points = append(f.points, point{at: len(f.out), start: start, end: f.end})
		f.delta = start - len(f.out)
	}
	f.end = end
}

// dropped reports whether r is left out of the normalised string.
func (f *folder) dropped(r rune) bool {
	return invisible(r) || joiner(r) && dropsJoiner(f.base)
}

// saw remembers r as context for what follows.
func (f *folder) saw(r rune) {
	f.last = r
	if !joiner(r) && !(r >= 0x300 && unicode.Is(unicode.Mn, r) && unicode.Is(unicode.Inherited, r)) {
		f.base = r
	}
}

func fold(s string) folded {
	f := folder{out: make([]byte, 0, len(s))}
	for i := 0; i < len(s); {
		if j := plainRun(s, i); j > i {
			f.unit(i, j)
			f.out = append(f.out, s[i:j]...)
			f.base, f.last = rune(s[j-1]), rune(s[j-1])
			i = j
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == softHyphen && unicode.IsLetter(f.last) && f.softBreak(s, i+n) > 0:
			i = f.softBreak(s, i+n)
		case f.dropped(r):
			i += n
		case unicode.IsSpace(r):
			i = f.blank(s, i)
		case r == utf8.RuneError && n == 1:
			f.unit(i, i+1)
			f.out = utf8.AppendRune(f.out, r)
			f.saw(r)
			i++
		default:
			i = f.segment(s, i)
		}
	}
	f.points = append(f.points, point{at: len(f.out), start: len(s), end: f.end})
	return folded{norm: string(f.out), points: f.points, breaks: f.breaks}
}

// plainRun returns the end of the stretch of s from i in which every byte is its own normal form.
func plainRun(s string, i int) int {
	j := i
	for j < len(s) {
		c := s[j]
		if c > ' ' && c < 0x7f {
			j++
			continue
		}
		if c == ' ' && j+1 < len(s) && s[j+1] > ' ' && s[j+1] < 0x7f {
			j += 2
			continue
		}
		break
	}
	// The last character may be composed with what follows.
	if j > i && j < len(s) && s[j] >= utf8.RuneSelf {
		j--
		// A blank before it stays out too, so that white space is always handled in one place.
		if j > i && s[j-1] == ' ' {
			j--
		}
	}
	return j
}

// after skips white space and invisible characters from i and returns the next character and its offset.
func (f *folder) after(s string, i int) (rune, int) {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) && !f.dropped(r) {
			return r, i
		}
		i += n
	}
	return 0, i
}

// softBreak returns where the word goes on whose soft hyphen ends at i, if a line break follows it directly; otherwise 0.
func (f *folder) softBreak(s string, i int) int {
	if r, _ := utf8.DecodeRuneInString(s[i:]); !lineBreak(r) {
		return 0
	}
	if r, j := f.after(s, i); unicode.IsLetter(r) {
		return j
	}
	return 0
}

// blank writes the run of white space at i as one blank and returns its end.
func (f *folder) blank(s string, i int) int {
	first, _ := utf8.DecodeRuneInString(s[i:])
	end := i
	j := i
	for j < len(s) {
		r, n := utf8.DecodeRuneInString(s[j:])
		if unicode.IsSpace(r) {
			end = j + n
		} else if !f.dropped(r) {
			break
		}
		j += n
	}
	if lineBreak(first) && (f.last == '-' || f.last == '‐' || f.last == '‑') {
		f.breakAt(s, j)
	}
	f.unit(i, end)
	f.out = append(f.out, ' ')
	f.saw(' ')
	return j
}

// breakAt notes a word break if the hyphen just written follows a word and the character at j continues one.
func (f *folder) breakAt(s string, j int) {
	at := len(f.out) - 1
	before, _ := utf8.DecodeLastRune(f.out[:at])
	next, _ := utf8.DecodeRuneInString(s[j:])
	if at > 0 && j < len(s) && spacedWord(before) && spacedWord(next) {
		joins := !unicode.IsNumber(before) && !unicode.IsNumber(next)
		f.breaks = append(f.breaks, wordBreak{at: at, joins: joins})
	}
}

// segment writes the characters from i that NFC may combine with one another and returns their end.
func (f *folder) segment(s string, i int) int {
	f.seg = f.seg[:0]
	end, j := i, i
	for j < len(s) {
		r, n := utf8.DecodeRuneInString(s[j:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		if j > i {
			if f.dropped(r) {
				j += n
				continue
			}
			if r < utf8.RuneSelf || unicode.IsSpace(r) || norm.NFC.PropertiesString(s[j:]).BoundaryBefore() {
				break
			}
		}
		f.saw(r)
		f.seg = append(f.seg, s[j:j+n]...)
		j += n
		end = j
	}
	f.comp = norm.NFC.Append(f.comp[:0], f.seg...)
	inStep := string(f.comp) == string(f.seg) && end-i == len(f.seg)
	if !inStep {
		f.unit(i, end)
	}
	at := i
	for k := 0; k < len(f.comp); {
		r, n := utf8.DecodeRune(f.comp[k:])
		if inStep {
			f.unit(at, at+n)
			at += n
		}
		if plain := foldRune(r); plain != r {
			f.out = utf8.AppendRune(f.out, plain)
		} else {
			f.out = append(f.out, f.comp[k:k+n]...)
		}
		k += n
	}
	return end
}
