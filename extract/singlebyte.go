package extract

import (
	"unicode"
	"unicode/utf8"
)

// singleByte are the encodings of the standard that have one byte per character.
var singleByte = map[string]bool{
	"ibm866": true, "iso-8859-2": true, "iso-8859-3": true, "iso-8859-4": true, "iso-8859-5": true, "iso-8859-6": true,
	"iso-8859-7": true, "iso-8859-8": true, "iso-8859-8-i": true, "iso-8859-10": true, "iso-8859-13": true,
	"iso-8859-14": true, "iso-8859-15": true, "iso-8859-16": true, "koi8-r": true, "koi8-u": true, "macintosh": true,
	"windows-874": true, "windows-1250": true, "windows-1251": true, "windows-1252": true, "windows-1253": true,
	"windows-1254": true, "windows-1255": true, "windows-1256": true, "windows-1257": true, "windows-1258": true,
	"x-mac-cyrillic": true,
}

// alphabet is a way to read bytes above ASCII: an encoding and the letters that a
// language, or a few with one alphabet, writes with them. The frequent letters of
// another script than Latin come first, after them "|" and the rest.
type alphabet struct {
	encoding string
	latin    bool
	letters  string
}

// alphabets are tried in this order; of equals the first is taken.
var alphabets = []alphabet{
	{"windows-1252", true, "äöüßéàè"},
	{"windows-1252", true, "éèêàâçùûîôëïüœæ"},
	{"windows-1252", true, "áéíóúñüç"},
	{"windows-1252", true, "ãõáâàéêíóôúçü"},
	{"windows-1252", true, "àèéìòùîó"},
	{"windows-1252", true, "åäöæøéü"},
	{"windows-1252", true, "áéíóúýþæöð"},
	{"windows-1250", true, "ąćęłńóśźż"},
	{"iso-8859-2", true, "ąćęłńóśźż"},
	{"windows-1250", true, "áčďéěíňóřšťúůýžäľĺŕô"},
	{"iso-8859-2", true, "áčďéěíňóřšťúůýžäľĺŕô"},
	{"windows-1250", true, "áéíóöőúüű"},
	{"windows-1250", true, "čćđšž"},
	{"iso-8859-2", true, "čćđšž"},
	{"windows-1250", true, "ăâîşţ"},
	{"windows-1254", true, "çğıöşüâîİ"},
	{"windows-1257", true, "āčēģīķļņšūž"},
	{"windows-1257", true, "ąčęėįšųūž"},
	{"windows-1251", false, "оеаинтсрвлкмдпуя|ыьгзбчйхжшюцщэфъёіїєґўј"},
	{"koi8-r", false, "оеаинтсрвлкмдпуя|ыьгзбчйхжшюцщэфъё"},
	{"iso-8859-5", false, "оеаинтсрвлкмдпуя|ыьгзбчйхжшюцщэфъёіїєўј"},
	{"x-mac-cyrillic", false, "оеаинтсрвлкмдпуя|ыьгзбчйхжшюцщэфъёіїєґўј"},
	{"ibm866", false, "оеаинтсрвлкмдпуя|ыьгзбчйхжшюцщэфъё"},
	{"windows-1253", false, "αοιετσνηυρπκμλςωάίόέήύώ|γδθβφχξζψϊϋΐΰ"},
	{"iso-8859-7", false, "αοιετσνηυρπκμλςωάίόέήύώ|γδθβφχξζψϊϋΐΰ"},
	{"windows-1255", false, "יוהלאתרבמשנ|דחםקפעכצגטסןזךףץ\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bb\u05bc\u05bd"},
	{"windows-1256", false, "اليمونترةبعدسفهكق|حجشصخطضزثذظغأإآىئءؤپچژگ\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"},
	{"iso-8859-6", false, "اليمونترةبعدسفهكق|حجشصخطضزثذظغأإآىئءؤ\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"},
	{"windows-874", false, "านรอกเงมยลวดทสตะปบคหแจพชขใไโผซธญศษ\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e48\u0e49|ๆๅณฐภถฏฎฉฟฆฝฌฑฒฤ\u0e47\u0e4c\u0e4d\u0e33"},
}

// singleByteOf names the encoding of one byte per character in which text reads
// best, and whether it is one for Latin letters.
func singleByteOf(text []byte) (name string, latin bool) {
	text = wholeHead(text, detectBytes)
	best := -1e9
	decodings := map[string][]rune{}
	name, latin = "windows-1252", true
	for _, a := range alphabets {
		runes, ok := decodings[a.encoding]
		if !ok {
			runes = []rune(string(decodeAs(text, a.encoding)))
			decodings[a.encoding] = runes
		}
		if score := a.score(runes); score > best+1e-9 {
			best, name, latin = score, a.encoding, a.latin
		}
	}
	return name, latin
}

// score tells how well the characters beyond ASCII fit to an alphabet, per character.
func (a alphabet) score(text []rune) float64 {
	value := make(map[rune]float64, 2*len(a.letters))
	v := 1.0
	for _, r := range a.letters {
		if r == '|' {
			v = 0.4
			continue
		}
		value[r] = v
		if up := unicode.ToUpper(r); up != r {
			value[up] = v - 0.1
		}
	}
	var sum float64
	n := 0
	at := func(i int) rune {
		if i < 0 || i >= len(text) {
			return ' '
		}
		return text[i]
	}
	for i, r := range text {
		if r < utf8.RuneSelf {
			continue
		}
		n++
		prev, next := at(i-1), at(i+1)
		inWord := unicode.IsLetter(prev) && unicode.IsLetter(next)
		switch v := value[r]; {
		case v > 0:
			sum += v
			if unicode.IsUpper(r) && unicode.IsLower(prev) || unicode.IsLower(r) && unicode.IsUpper(prev) && unicode.IsUpper(next) {
				sum -= 1.5
			}
			if !a.latin && (isASCIILetter(prev) || isASCIILetter(next)) {
				sum--
			}
		case r == utf8.RuneError, r < 0xA0:
			sum -= 3
		case unicode.IsLetter(r):
			sum--
		case inWord && r != '\u2019' && r != '\u00ad' && r != '\u00b7':
			sum--
		case r == '\u2019' || r == '\u2013' || r == '\u201c' || r == '\u201d' || r == '\u201e' || r == '\u00a0' || r == '«' || r == '»' || r == '\u060c' || r == '\u2026':
			sum += 0.3
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func isASCIILetter(r rune) bool { return r < utf8.RuneSelf && isLetter(byte(r)) }
