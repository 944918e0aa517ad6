package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// kind tells what a term is.
type kind uint8

const (
	wordTerm    kind = iota // the stem of a word, a number, or a pair of characters of a script without blanks
	surfaceTerm             // the exact form of a word
	wholeTerm               // an identifier or another compound as a whole: pg_stat_activity, server.crt, --flag
)

// term is one analysed word of a text.
type term struct {
	text       string
	word       string // the exact word, "" where text is that already
	kind       kind
	start, end int // byte offsets of the surface form
}

// analyzer turns text into terms: lower case, compatibility forms and accents folded, English stop words dropped and
// English words stemmed; runs of scripts without blanks become overlapping pairs. It is not safe for concurrent use.
type analyzer struct {
	stems map[string]string
}

func newAnalyzer() *analyzer { return &analyzer{stems: make(map[string]string)} }

// connectors join the parts of a compound.
func connector(c byte) bool { return c == '_' || c == '.' || c == '-' || c == '/' || c == ':' }

// ignorable characters are skipped inside words: soft hyphen, zero-width space and joiners, byte order mark.
func ignorable(r rune) bool {
	return r == 0xAD || r >= 0x200B && r <= 0x200D || r == 0x2060 || r == 0xFEFF
}

// unspaced scripts are written without blanks between words: Chinese, Japanese and, for compounds, Korean; Thai, Lao,
// Burmese and Khmer.
func unspaced(r rune) bool {
	if r < 0x1100 {
		return r >= 0x0E00 && r <= 0x0EFF || r >= 0x1000 && r <= 0x109F
	}
	return r >= 0x3040 && r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0xFF66 && r <= 0xFF9F || r >= 0x20000 && r <= 0x3FFFF || r == 0x3005 ||
		r >= 0x1100 && r <= 0x11FF || r >= 0x3130 && r <= 0x318F || r >= 0x1780 && r <= 0x17FF
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r)
}

// terms appends the terms of s to list.
func (a *analyzer) terms(list []term, s string) []term {
	compound, parts := -1, 0 // where the compound began and how many parts it has
	flag := false
	closeCompound := func(end int) {
		if compound >= 0 && (parts > 1 || flag) {
			if whole := fold(s[compound:end]); len(whole) <= maxTerm {
				list = append(list, term{whole, "", wholeTerm, compound, end})
			}
		}
		compound, parts, flag = -1, 0, false
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf && !asciiWord(c) {
			// A connector continues a compound only right between two word characters.
			if compound >= 0 && !(connector(c) && i+1 < len(s) && wordAt(s[i+1:])) {
				closeCompound(i)
			}
			if c == '-' && compound < 0 && (i == 0 || s[i-1] <= ' ' || strings.IndexByte("([\"'=", s[i-1]) >= 0) {
				j := i
				for j < len(s) && s[j] == '-' {
					j++
				}
				if j-i <= 2 && j < len(s) && asciiLetter(s[j]) {
					compound, flag = i, true
					i = j
					continue
				}
			}
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case unspaced(r):
			closeCompound(i)
			i = a.pairs(&list, s, i)
		case wordRune(r):
			if compound < 0 {
				compound = i
			}
			parts++
			end := wordEnd(s, i)
			list = a.word(list, s, i, end)
			i = end
		default:
			if !ignorable(r) {
				closeCompound(i)
			}
			i += size
		}
	}
	closeCompound(len(s))
	return list
}

func asciiWord(c byte) bool   { return c >= '0' && c <= '9' || asciiLetter(c) }
func asciiLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func wordAt(s string) bool {
	if asciiWord(s[0]) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return wordRune(r) && !unspaced(r) || ignorable(r)
}

// wordEnd returns the end of the word that begins at i.
func wordEnd(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if !asciiWord(c) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if unspaced(r) || !wordRune(r) && !ignorable(r) {
			return i
		}
		i += size
	}
	return i
}

// maxTerm is the length in bytes above which a word is not indexed: it is data, not language.
const maxTerm = 128

// word appends the stem of the word at s[start:end].
func (a *analyzer) word(list []term, s string, start, end int) []term {
	if end-start > maxTerm {
		return list
	}
	// What an apostrophe cuts off (it's, don't, we'll) is no word.
	if start > 0 && end-start <= 2 {
		if prev, _ := utf8.DecodeLastRuneInString(s[:start]); (prev == '\'' || prev == '’') && clitics[strings.ToLower(s[start:end])] {
			return list
		}
	}
	w := fold(s[start:end])
	if w == "" || stopWords[w] {
		return list
	}
	stem, exact := a.stem(w)
	return append(list, term{stem, exact, wordTerm, start, end})
}

var clitics = map[string]bool{"s": true, "t": true, "d": true, "m": true, "ll": true, "re": true, "ve": true}

// pairs appends the overlapping pairs of the unspaced run at i and returns its end. A lone character stands alone.
func (a *analyzer) pairs(list *[]term, s string, i int) int {
	prev, prevAt, alone := "", i, true
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unspaced(r) {
			break
		}
		this := s[i : i+size]
		if prev != "" {
			*list = append(*list, term{fold(prev + this), "", wordTerm, prevAt, i + size})
			alone = false
		}
		prev, prevAt = this, i
		i += size
	}
	if alone {
		*list = append(*list, term{fold(prev), "", wordTerm, prevAt, i})
	}
	return i
}

// fold lowers case, resolves compatibility forms, and drops accents and invisible characters.
func fold(s string) string {
	ascii := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	if r, _ := utf8.DecodeRuneInString(s); unspaced(r) {
		return norm.NFKC.String(s)
	}
	var sb strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if !unicode.Is(unicode.Mn, r) && !ignorable(r) {
			sb.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(sb.String())
}

// stem returns the English stem of a folded word, and the word itself; words with digits or beyond ASCII, and very
// short ones, stay as they are and have no other exact form.
func (a *analyzer) stem(w string) (stem, exact string) {
	if len(w) < 3 {
		return w, ""
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w, ""
		}
	}
	if s, ok := a.stems[w]; ok {
		return s, w
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	s := env.Current()
	if len(a.stems) > 1<<16 {
		clear(a.stems)
	}
	a.stems[strings.Clone(w)] = s
	return s, w
}
