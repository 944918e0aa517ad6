package extract

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"
)

// detectBytes is how many bytes the detection of a character set looks at.
const detectBytes = 64 << 10

// detectCharset guesses the character set of data that declares none, or a wrong
// one. The source is "content", or "default" where nothing tells.
func detectCharset(data []byte) (name, source string) {
	text := outsideTags(data)
	valid, invalid := countUTF8(text)
	if valid+invalid == 0 {
		if valid, invalid = countUTF8(data); valid+invalid == 0 {
			if bytes.Contains(data, []byte("\x1b$")) {
				return "iso-2022-jp", "content"
			}
			return "windows-1252", "default"
		}
		text = data
	}
	if valid > invalid || invalid == 0 {
		return "utf-8", "content"
	}
	if name := eastAsian(text); name != "" {
		return name, "content"
	}
	name, _ = singleByteOf(text)
	return name, "content"
}

// common holds the most frequent characters of Chinese in both scripts, the words
// and endings of Korean, and nothing of Japanese, which its kana give away.
const (
	commonHan    = "的一是不了在人有我他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生会會自着著去之过過家学學对對可她里裡后後小么麼心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開手十用主行方又如前所本见見经經头頭面公同三已老从從动動两兩长長第新分月高部市业業电電日网網站请請关關首页頁登录錄资資讯訊信息産产品台北京"
	commonHangul = "이다의는에가을를은한하고지로서사도인기리나자시대어라그있해것수들과일으전정보해주부여"
)

// eastAsian names the East Asian encoding in which text reads best, "" if it reads
// well in none: without errors, and of characters that are frequent in its language.
func eastAsian(text []byte) string {
	best, bestScore := "", 0.25
	text = wholeHead(text, detectBytes)
	han, hangul := frequentHan(), frequentHangul()
	for _, name := range []string{"euc-jp", "shift_jis", "euc-kr", "gbk", "big5"} {
		var all, good, bad float64
		for _, r := range string(decodeAs(text, name)) {
			switch {
			case r < 0x80:
				continue
			case r == utf8.RuneError, r >= 0xE000 && r < 0xF900, r >= 0x80 && r < 0xA0:
				bad++
			case r >= 0xFF61 && r <= 0xFF9F: // half-width kana: what other encodings look like in Shift_JIS
				all++
				bad += 0.5
				continue
			case r >= 0x3041 && r <= 0x30FE:
				if name == "euc-jp" || name == "shift_jis" {
					good++
				}
			case r >= 0xAC00 && r <= 0xD7A3:
				if hangul[r] {
					good += 1.5
				}
			case unicode.Is(unicode.Han, r):
				if han[r] && (name == "gbk" || name == "big5") {
					good += 2
				}
			case r >= 0x3000 && r <= 0x303F, r >= 0xFF00 && r <= 0xFF60, r >= 0x2010 && r <= 0x2030:
				good += 0.2
			default:
				bad += 0.5
			}
			all++
		}
		if all < 4 || bad*20 > all {
			continue
		}
		if score := (good - 5*bad) / all; score > bestScore {
			best, bestScore = name, score
		}
	}
	return best
}

var (
	frequentHan    = sync.OnceValue(func() map[rune]bool { return runeSet(commonHan) })
	frequentHangul = sync.OnceValue(func() map[rune]bool { return runeSet(commonHangul) })
)

func runeSet(s string) map[rune]bool {
	set := make(map[rune]bool, len(s)/3)
	for _, r := range s {
		set[r] = true
	}
	return set
}
