package search

import (
	"html"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// tags are the marks that providers put around the words that were looked for.
var tags = lazyregexp.New(`</?(?:b|strong|em|i|mark|span|br)\b[^<>]*>`)

// maxPlain bounds titles and snippets, in characters.
const maxPlain = 2000

// plain is a text of a provider on one line, without marks and entities.
func plain(s string) string {
	s = html.UnescapeString(tags().ReplaceAllString(s, ""))
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	return shorten(s, maxPlain)
}

// shorten cuts a text to so many characters.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	if r := []rune(s); len(r) > most {
		return strings.TrimRight(string(r[:most]), " ") + "…"
	}
	return s
}

// published reads a time as providers write it; empty if it is none.
func published(s string) string {
	s = strings.TrimSpace(s)
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly, time.RFC1123, time.RFC1123Z, "2006-01", "2006",
	} {
		at, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		switch layout {
		case time.DateOnly, "2006-01", "2006":
			return s
		case "2006-01-02T15:04:05", "2006-01-02 15:04:05":
			return at.Format(time.DateOnly) // of no known zone
		}
		return at.Format(time.RFC3339)
	}
	return ""
}

// splitTag splits a language tag into the language and what follows, in lower case.
func splitTag(tag string) (base, rest string) {
	base, rest, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	return base, rest
}
