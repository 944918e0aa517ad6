package extract

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrderMark returns the character set that a byte order mark tells and the
// length of the mark.
func byteOrderMark(data []byte) (name string, n int) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return "utf-8", 3
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return "utf-16le", 2
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return "utf-16be", 2
	}
	return "", 0
}

// guessUTF16 recognises UTF-16 without a byte order mark by the zero bytes of its
// ASCII characters, which all lie on one side and are many.
func guessUTF16(data []byte) string {
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
		return ""
	case odd > units/3 && even == 0:
		return "utf-16le"
	case even > units/3 && odd == 0:
		return "utf-16be"
	}
	return ""
}

func decodeUTF16(data []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(data)/2+len(data)/8)
	for len(data) >= 2 {
		r := rune(order.Uint16(data))
		data = data[2:]
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if len(data) >= 2 {
				low = rune(order.Uint16(data))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				data = data[2:]
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}
