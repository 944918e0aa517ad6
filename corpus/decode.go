package corpus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

var (
	errBinary = errors.New("binary content")
	errEmpty  = errors.New("empty file")
)

// decode turns the bytes of a text file into valid UTF-8. isHTML allows the file itself to name its character set.
// What cannot be decoded becomes U+FFFD. It returns errEmpty or errBinary for a file without text.
func decode(data []byte, isHTML bool) ([]byte, error) {
	if len(data) == 0 {
		return nil, errEmpty
	}
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return mend(data[3:])
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return mend(decodeUTF16(data[2:], binary.LittleEndian))
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return mend(decodeUTF16(data[2:], binary.BigEndian))
	}
	if order := guessUTF16(data); order != nil {
		return mend(decodeUTF16(data, order))
	}
	if utf8.Valid(data) {
		// A declared charset cannot be right where bytes above 127 form valid UTF-8; the seven-bit ISO-2022-JP can.
		if !isHTML || !bytes.Contains(data, []byte("\x1b$")) {
			return mend(data)
		}
	}
	if name := declared(data, isHTML); name != "" {
		if enc, canonical := charset.Lookup(name); enc != nil && canonical != "utf-8" && canonical != "replacement" {
			if out, err := enc.NewDecoder().Bytes(data); err == nil {
				return mend(out)
			}
		} else if canonical == "utf-8" {
			return mend(data)
		}
	}
	if valid, invalid := countUTF8(data); valid > invalid {
		return mend(data)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errBinary
	}
	enc, _, _ := charset.DetermineEncoding(data[:min(len(data), 1024)], "")
	if name := guessLegacy(data); name != "" {
		enc, _ = charset.Lookup(name)
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return mend(data)
	}
	return mend(out)
}

// mend refuses binary content and replaces what is not UTF-8.
func mend(data []byte) ([]byte, error) {
	controls := 0
	for i, c := range data {
		if c == 0 && i < 8000 {
			return nil, errBinary
		}
		if c < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b {
			controls++
		}
	}
	if controls*20 > len(data) {
		return nil, errBinary
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errEmpty
	}
	data = bytes.ReplaceAll(data, []byte{0}, []byte("\uFFFD"))
	return bytes.ToValidUTF8(data, []byte("\uFFFD")), nil
}

func decodeUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, 0, len(data)/2)
	for ; len(data) >= 2; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	out := make([]byte, 0, len(units)*2)
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}

// guessUTF16 recognises UTF-16 without a byte order mark by the zero bytes of its ASCII characters, which all lie on
// one side and are many.
func guessUTF16(data []byte) binary.ByteOrder {
	head := data[:min(len(data), 4096)&^1]
	var even, odd int
	for i := 0; i < len(head); i += 2 {
		if head[i] == 0 {
			even++
		}
		if head[i+1] == 0 {
			odd++
		}
	}
	switch units := len(head) / 2; {
	case units < 4:
		return nil
	case odd > units/3 && even == 0:
		return binary.LittleEndian
	case even > units/3 && odd == 0:
		return binary.BigEndian
	}
	return nil
}

var (
	metaCharset = lazyregexp.New(`(?i)<meta[^>]{0,200}?charset\s*=\s*["']?\s*([a-z0-9_.:-]+)`)
	xmlCharset  = lazyregexp.New(`(?i)^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([a-z0-9_.:-]+)`)
)

// declared returns the character set that an HTML file names for itself near its beginning.
func declared(data []byte, isHTML bool) string {
	if !isHTML {
		return ""
	}
	head := data[:min(len(data), 4096)]
	for _, re := range []*regexp.Regexp{xmlCharset(), metaCharset()} {
		if m := re.FindSubmatch(head); m != nil {
			return strings.ToLower(string(m[1]))
		}
	}
	return ""
}

// countUTF8 counts the valid multi-byte sequences and the invalid bytes.
func countUTF8(data []byte) (valid, invalid int) {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1:
			invalid++
		case n > 1:
			valid++
		}
		data = data[n:]
	}
	return valid, invalid
}

// guessLegacy names the East Asian encoding in which data without a declaration decodes to plausible text, if there is
// one: no errors, and nearly all characters beyond ASCII from the scripts that the encoding is for.
func guessLegacy(data []byte) string {
	head := data[:min(len(data), 1<<16)]
	for _, name := range []string{"euc-jp", "shift_jis", "euc-kr", "gb18030", "big5"} {
		enc, _ := charset.Lookup(name)
		out, err := enc.NewDecoder().Bytes(head)
		if err != nil {
			continue
		}
		var good, kana, hangul, han, bad int
		for _, r := range string(out) {
			switch {
			case r < 0x80:
			case r == utf8.RuneError || r >= 0xE000 && r < 0xF900 || r >= 0xFF61 && r <= 0xFF9F:
				bad++
			case r >= 0x3040 && r <= 0x30FF:
				kana++
				good++
			case r >= 0xAC00 && r <= 0xD7A3:
				hangul++
				good++
			case r >= 0x4E00 && r <= 0x9FA5:
				han++
				good++
			case r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60:
				good++
			default:
				bad++
			}
		}
		if good < 4 || bad*20 > good {
			continue
		}
		switch name {
		case "euc-jp", "shift_jis":
			if kana*5 < good {
				continue
			}
		case "euc-kr":
			// Chinese text decodes here to a mixture of Hangul and rare ideographs; Korean has hardly any of those.
			if han*10 > hangul {
				continue
			}
		}
		return name
	}
	return ""
}
