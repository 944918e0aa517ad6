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
	last := byte(0) // what was written last outside of strings, but for blanks
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
			last = c
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
			// One comma stands for a run of them, and none before a closing bracket
			// or behind an opening one.
			end := i + 1
			for end < len(src) && strings.IndexByte(" \t\r\n,", src[end]) >= 0 {
				end++
			}
			if end < len(src) && src[end] != '}' && src[end] != ']' && last != '{' && last != '[' && last != ',' {
				b.WriteByte(c)
				last = c
			}
			i = end - 1
		case c == ';':
		default:
			b.WriteByte(c)
			if c > ' ' {
				last = c
			}
		}
	}
	return b.String()
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
