package pdf

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// passwords are the passwords to try in order: none, the one given, and that one
// prepared as PDF 2.0 (ISO 32000-2, 7.6.4.3.3) wants it.
func passwords(given string) []string {
	list := []string{""}
	for _, p := range []string{given, prepared(given)} {
		if p != "" && !slices.Contains(list, p) && !strings.ContainsRune(p, 0) {
			list = append(list, p)
		}
	}
	return list
}

// prepared maps and normalises a password by the profile SASLprep (RFC 4013, 2.1
// and 2.2): blanks of RFC 3454, C.1.2 become the plain one, the characters of its
// B.1 vanish, and the rest is in NFKC.
func prepared(password string) string {
	mapped := strings.Map(func(r rune) rune {
		switch {
		case r == 0x00A0, r == 0x1680, r >= 0x2000 && r <= 0x200B, r == 0x202F, r == 0x205F, r == 0x3000:
			return ' '
		case r == 0x00AD, r == 0x034F, r == 0x1806, r >= 0x180B && r <= 0x180D, r == 0x200C, r == 0x200D,
			r == 0x2060, r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF:
			return -1
		}
		return r
	}, password)
	return norm.NFKC.String(mapped)
}
