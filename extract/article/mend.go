package article

import (
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// mendJSON takes out what people leave in JSON-LD: comments, CDATA marks, commas
// before a closing bracket, semicolons at the end, and bare line ends in strings.
func mendJSON(src string) string {
	var b strings.Builder
	b.Grow(len(src))
	inString := false
	for i := 0; i < len(src); i++ {
		c := src[i]
		if inString {
			switch {
			case c == '\\' && i+1 < len(src):
				i++
				if strings.IndexByte(`"\/bfnrtu`, src[i]) >= 0 {
					b.WriteByte('\\')
				}
				b.WriteByte(src[i])
				continue
			case c == '"':
				inString = false
			case c < ' ':
				c = ' '
			}
			b.WriteByte(c)
			continue
		}
		rest := src[i:]
		switch {
		case c == '"':
			inString = true
			b.WriteByte(c)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += 2 + end + 1
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return b.String()
			}
			// A mark such as "//<![CDATA[" may share its line with the JSON.
			if mark := strings.Index(rest[:end], "CDATA["); mark >= 0 {
				end = mark + len("CDATA[") - 1
			}
			i += end
		case strings.HasPrefix(rest, "<![CDATA["):
			i += len("<![CDATA[") - 1
		case strings.HasPrefix(rest, "]]>"), strings.HasPrefix(rest, "-->"):
			i += 2
		case strings.HasPrefix(rest, "<!--"):
			i += 3
		case c == ',':
			next := strings.TrimLeft(rest[1:], " \t\r\n,")
			if next == "" || next[0] == '}' || next[0] == ']' {
				continue
			}
			if b.Len() > 0 && strings.HasSuffix(strings.TrimRight(tail(&b), " \t\r\n"), ",") {
				continue
			}
			b.WriteByte(c)
		case c == ';':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// tail is the last bytes of what was built.
func tail(b *strings.Builder) string {
	s := b.String()
	return s[max(0, len(s)-16):]
}

var dateField = lazyregexp.New(`"(datePublished|dateCreated|dateModified)"\s*:\s*"([^"\\]{4,60})"`)

// scanThing reads the dates of JSON-LD that cannot be parsed.
func scanThing(src string) (thing, bool) {
	t := thing{rank: 2}
	for _, m := range dateField().FindAllStringSubmatch(src, 16) {
		field := &t.published
		switch m[1] {
		case "dateCreated":
			field = &t.created
		case "dateModified":
			field = &t.modified
		}
		if *field == "" {
			*field = m[2]
		}
	}
	return t, t.published != "" || t.created != "" || t.modified != ""
}
