package corpus

import (
	"strings"
	"unicode/utf8"
)

// passage is a run of whole paragraphs of one section. The passages of a document lie one after the other and cover it.
type passage struct {
	start, end int
	section    int // index into Document.Sections
	linked     int // bytes that belong to hyperlinks
}

// split cuts a text into passages of about size bytes: at the beginning of a section once the passage has a quarter of
// the size, else, when the section is longer, at the last paragraph, line, sentence or word that fits.
func split(text string, sections []Section, linked []link, size int) []passage {
	var list []passage
	next := 1 // the next section to begin
	for start := 0; start < len(text); {
		for next < len(sections) && sections[next].Start <= start {
			next++
		}
		limit := len(text)
		for i := next; i < len(sections); i++ {
			if sections[i].Start-start >= size/4 {
				limit = sections[i].Start
				break
			}
		}
		end := limit
		if end-start > size+size/4 {
			end = start + cut(text[start:limit], size)
		}
		list = append(list, passage{start: start, end: end, section: max(sectionAt(sections, start), 0)})
		start = end
	}
	i := 0
	for _, l := range linked {
		for i < len(list) && list[i].end <= l.start {
			i++
		}
		for j := i; j < len(list) && list[j].start < l.end; j++ {
			list[j].linked += max(0, min(l.end, list[j].end)-max(l.start, list[j].start))
		}
	}
	return list
}

// cut returns where to end a passage that begins s, at most size bytes on.
func cut(s string, size int) int {
	head := s[:size]
	for _, sep := range []string{"\n\n", "\n", ". ", "。", " "} {
		if i := strings.LastIndex(head, sep); i >= size/2 {
			return i + len(sep)
		}
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return max(size, 1)
}
