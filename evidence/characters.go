package evidence

import (
	"unicode"
	"unicode/utf8"
)

// foldRune gives the plain form of a typographic quotation mark or dash, and r itself for everything else.
//
// Guillemets are quotation marks here. Primes (5′, 5″), the acute and grave accents, the okina (ʻ), corner brackets (「」)
// and full-width forms are not: they are units, letters or marks of another script.
func foldRune(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', 'ʼ', '‹', '›':
		return '\''
	case '“', '”', '„', '‟', '«', '»':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	}
	return r
}

// invisible reports whether r is dropped wherever it stands: soft hyphen, zero-width space, word joiner, byte order mark,
// and the directional marks, embeddings and isolates. Directional overrides (U+202D, U+202E) are kept, since they change
// the order in which characters are seen; so are the invisible mathematical operators, which carry meaning.
func invisible(r rune) bool {
	switch r {
	case '\u00AD', '\u200B', '\u2060', '\uFEFF', // soft hyphen, zero-width space, word joiner, byte order mark
		'\u061C', '\u200E', '\u200F', '\u202A', '\u202B', '\u202C', '\u2066', '\u2067', '\u2068', '\u2069':
		return true
	}
	return false
}

const (
	zwnj       = '\u200C'
	zwj        = '\u200D'
	softHyphen = '\u00AD'
)

func joiner(r rune) bool { return r == zwnj || r == zwj }

// plainScripts are the scripts in which a joiner or non-joiner (U+200D, U+200C) changes at most a ligature.
var plainScripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Hebrew, unicode.Han,
	unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai, unicode.Lao,
}

// dropsJoiner reports whether a joiner that follows base is dropped. It is kept in the scripts that spell with it (Arabic,
// the scripts of India, Mongolian and any not listed) and in emoji sequences.
func dropsJoiner(base rune) bool {
	if base < utf8.RuneSelf || unicode.In(base, plainScripts...) {
		return true
	}
	return unicode.Is(unicode.Common, base) && !unicode.In(base, unicode.So, unicode.Sk, unicode.Lm)
}

func lineBreak(r rune) bool {
	return r >= '\n' && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// wordRune reports whether r is part of a word or a number. An unreadable character may be a letter, so it counts.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == utf8.RuneError
}

func asciiWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// unspacedScripts are written without blanks between words.
var unspacedScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar, unicode.Javanese, unicode.Balinese, unicode.Tai_Tham, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Viet,
}

func unspaced(r rune) bool {
	return r >= 0x0E00 && (unicode.In(r, unspacedScripts...) || r == 'ー' || r == 'ｰ')
}

// spacedWord reports whether r is part of a word or a number in a script with blanks between words.
func spacedWord(r rune) bool { return wordRune(r) && !unspaced(r) }

// numeral reports whether r is a digit, a number sign such as ½, or a numeral of the Chinese script.
func numeral(r rune) bool { return unicode.IsNumber(r) || hanNumeral(r) }

func hanNumeral(r rune) bool {
	switch r {
	case '〇', '零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万', '萬', '亿', '億', '兆', '两', '兩':
		return true
	}
	return false
}

// currency reports whether r is a currency sign, in any width.
func currency(r rune) bool { return unicode.Is(unicode.Sc, r) }

func percent(r rune) bool {
	switch r {
	case '%', '‰', '‱', '٪', '％', '﹪':
		return true
	}
	return false
}

func degree(r rune) bool { return r == '°' || r == '℃' || r == '℉' || r == '′' || r == '″' }

// comparator reports whether r before a number changes what the number says.
func comparator(r rune) bool {
	switch r {
	case '<', '>', '≤', '≥', '≠', '≈', '~', '∼', '±', '∓', '≪', '≫', '≲', '≳', '＜', '＞', '～', '√':
		return true
	}
	return false
}

// extends reports whether r belongs to the character before it.
func extends(r rune) bool {
	if r < 0x300 {
		return false
	}
	return unicode.IsMark(r) || joiner(r) || r == 'ー' || r == 'ｰ' || r == 'ﾞ' || r == 'ﾟ' || r == '\u0E33' || r == '\u0EB3' ||
		r >= 0x1F3FB && r <= 0x1F3FF
}

// takesNext reports whether the character after r belongs to r: a joiner, or a sign that stacks the next consonant.
func takesNext(r rune) bool { return joiner(r) || r == '\u17D2' || r == '\u1039' || r == '\u1A60' }
