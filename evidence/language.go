package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// language is the language of a string as far as numbers, dates and names are read by it.
type language uint8

const (
	english language = iota // and any that is not known
	chinese
	french
	german
	spanish
	italian
	portuguese
	dutch
	russian
	other // written with capitals, of which no words are known
)

func (l language) decimalComma() bool {
	switch l {
	case french, german, spanish, italian, portuguese, dutch, russian:
		return true
	}
	return false
}

// groupsByBlank reports whether a plain blank between digits is taken to separate thousands.
func (l language) groupsByBlank() bool { return l == french || l == russian }

// languageOf guesses the language of s by its script and its function words.
func languageOf(s string) language {
	var count [other + 1]int
	han, kana, cyrillic, letters := 0, 0, 0, 0
	eachWord(s[:min(len(s), 4000)], func(w word) bool {
		text := s[w.start:min(w.end, len(s))]
		r, _ := utf8.DecodeRuneInString(text)
		letters++
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unspaced(r):
			kana++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case len(text) <= 8:
			for _, l := range languageWords(strings.ToLower(text)) {
				count[l]++
			}
		}
		return true
	})
	switch {
	case han*2 >= letters && han > 0 || han+kana > letters/2 && han > 0:
		return chinese
	case cyrillic*2 >= letters && cyrillic > 0:
		return russian
	}
	best := english
	for l := french; l < russian; l++ {
		if count[l] > count[best] {
			best = l
		}
	}
	return best
}

// languageWords returns the languages that have the function word w.
func languageWords(w string) []language {
	switch w {
	case "the", "and", "was", "were", "is", "are", "has", "have", "had", "that", "with", "from", "by", "which", "his", "her", "its", "not", "been", "it", "he", "she", "to":
		return one[english]
	case "of", "at", "said", "this", "they", "on", "for", "about", "than", "who":
		return one[english]
	case "der", "und", "den", "das", "ist", "von", "mit", "für", "auf", "dem", "nicht", "ein", "eine", "einer", "im", "zu", "sich", "auch", "wurde", "sind", "hat", "rund", "bei", "nach", "über", "beträgt", "lag", "betrug", "haben", "als", "wie", "zum", "zur", "aus":
		return one[german]
	case "die":
		return []language{german}
	case "et", "les", "le", "est", "dans", "pour", "sur", "au", "aux", "une", "été", "qui", "du", "avec", "plus", "ont", "ses", "sont", "soit", "près", "à":
		return one[french]
	case "el", "los", "las", "y", "por", "más", "fue", "con", "del", "al", "su", "es", "ha", "millones", "sus":
		return one[spanish]
	case "il", "di", "che", "della", "è", "per", "gli", "sono", "nel", "alla", "dei", "delle", "più", "ed", "stato", "anche":
		return one[italian]
	case "o", "os", "do", "da", "em", "não", "foi", "um", "uma", "com", "dos", "ao", "mais", "são", "na", "pela", "pelo":
		return one[portuguese]
	case "het", "een", "van", "zijn", "met", "voor", "niet", "werd", "bij", "naar", "dat", "ook", "wordt", "heeft", "aan":
		return one[dutch]
	case "de", "la", "en", "que":
		return romance
	case "un":
		return romance
	}
	return nil
}

var (
	one     = [...][]language{{english}, {chinese}, {french}, {german}, {spanish}, {italian}, {portuguese}, {dutch}, {russian}, {other}}
	romance = []language{french, spanish}
)
