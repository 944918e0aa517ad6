package extract

import (
	"bytes"
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// prescanBytes is how much of a page is searched for a declaration of its character
// set. The standard asks for 1,024 bytes; pages with long heads are common.
const prescanBytes = 64 << 10

// prescan finds the label of the character set that the meta elements of a page
// declare: the algorithm "prescan a byte stream to determine its encoding" of the
// HTML standard.
func prescan(data []byte) string {
	p := &prescanner{data: data[:min(len(data), prescanBytes)]}
	for p.at < len(p.data) {
		rest := p.data[p.at:]
		switch {
		case rest[0] != '<':
			if i := bytes.IndexByte(rest, '<'); i >= 0 {
				p.at += i
				continue
			}
			return ""
		case bytes.HasPrefix(rest, []byte("<!--")):
			i := bytes.Index(rest[2:], []byte("-->"))
			if i < 0 {
				return ""
			}
			p.at += 2 + i + 3
		case len(rest) > 5 && bytes.EqualFold(rest[:5], []byte("<meta")) && (isBlank(rest[5]) || rest[5] == '/'):
			p.at += 5
			if label := p.meta(); label != "" {
				return label
			}
		case len(rest) > 1 && isLetter(rest[1]), len(rest) > 2 && rest[1] == '/' && isLetter(rest[2]):
			if i := bytes.IndexAny(rest, " \t\n\f\r>"); i >= 0 {
				p.at += i
			} else {
				return ""
			}
			for {
				if _, _, ok := p.attribute(); !ok {
					break
				}
			}
		case len(rest) > 1 && (rest[1] == '!' || rest[1] == '/' || rest[1] == '?'):
			i := bytes.IndexByte(rest, '>')
			if i < 0 {
				return ""
			}
			p.at += i + 1
		default:
			p.at++
		}
	}
	return ""
}

type prescanner struct {
	data []byte
	at   int
}

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// meta reads the attributes of a meta element and returns the label it declares.
func (p *prescanner) meta() string {
	seen := map[string]bool{}
	var label string
	var pragma, needs, decided bool
	for {
		name, value, ok := p.attribute()
		if !ok {
			break
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		switch name {
		case "http-equiv":
			pragma = pragma || value == "content-type"
		case "content":
			if l := charsetInContent(value); l != "" && label == "" {
				label, needs, decided = l, true, true
			}
		case "charset":
			label, needs, decided = strings.Trim(value, blanks), false, true
		}
	}
	if p.at >= len(p.data) || !decided || needs && !pragma {
		return ""
	}
	switch name := charsetName(label); name {
	case "":
		return ""
	case "utf-16le", "utf-16be":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return label
}

// attribute reads one attribute, in lower case: "get an attribute" of the standard.
func (p *prescanner) attribute() (name, value string, ok bool) {
	for p.at < len(p.data) && (isBlank(p.data[p.at]) || p.data[p.at] == '/') {
		p.at++
	}
	if p.at >= len(p.data) || p.data[p.at] == '>' {
		return "", "", false
	}
	start := p.at
	for p.at < len(p.data) {
		c := p.data[p.at]
		if c == '=' && p.at > start || isBlank(c) || c == '/' || c == '>' {
			break
		}
		p.at++
	}
	name = lowerASCII(p.data[start:p.at])
	p.skipBlanks()
	if p.at >= len(p.data) || p.data[p.at] != '=' {
		return name, "", true
	}
	p.at++
	p.skipBlanks()
	if p.at >= len(p.data) {
		return "", "", false
	}
	if q := p.data[p.at]; q == '"' || q == '\'' {
		p.at++
		end := bytes.IndexByte(p.data[p.at:], q)
		if end < 0 {
			p.at = len(p.data)
			return "", "", false
		}
		value = lowerASCII(p.data[p.at : p.at+end])
		p.at += end + 1
		return name, value, true
	}
	start = p.at
	for p.at < len(p.data) && !isBlank(p.data[p.at]) && p.data[p.at] != '>' {
		p.at++
	}
	return name, lowerASCII(p.data[start:p.at]), true
}

func (p *prescanner) skipBlanks() {
	for p.at < len(p.data) && isBlank(p.data[p.at]) {
		p.at++
	}
}

func lowerASCII(b []byte) string {
	return strings.ToLower(string(bytes.ToValidUTF8(b, []byte("\uFFFD"))))
}

// charsetInContent extracts a label from a content attribute: "extracting a character
// encoding from a meta element" of the standard.
func charsetInContent(s string) string {
	for {
		_, rest, ok := strings.Cut(s, "charset")
		if !ok {
			return ""
		}
		s = rest
		rest, ok = strings.CutPrefix(strings.TrimLeft(rest, blanks), "=")
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, blanks)
		if rest == "" {
			return ""
		}
		if q := rest[0]; q == '"' || q == '\'' {
			value, _, ok := strings.Cut(rest[1:], string(q))
			if !ok {
				return ""
			}
			return value
		}
		if i := strings.IndexAny(rest, blanks+";"); i >= 0 {
			return rest[:i]
		}
		return rest
	}
}

var xmlEncoding = lazyregexp.New(`^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']\s*([A-Za-z0-9_.:-]+)`)

// xmlDeclaration returns the encoding that an XML declaration names.
func xmlDeclaration(data []byte) string {
	if m := xmlEncoding().FindSubmatch(data[:min(len(data), 1024)]); m != nil {
		return string(m[1])
	}
	return ""
}
