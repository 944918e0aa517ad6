package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// selector is a CSS selector, its last part first.
type selector struct {
	parts  []compound
	weight int // its specificity
}

// compound is a part of a selector, all of which one element must fulfil.
type compound struct {
	tag, id string
	classes []string
	child   bool // the next part must be its parent
}

// parseSelector reads a selector, and false for one that is not understood.
func parseSelector(s string) (selector, bool) {
	s = strings.TrimSpace(strings.ReplaceAll(s, ">", " > "))
	if s == "" || strings.ContainsAny(s, "*:[+~|&\\\"'()%@") {
		return selector{}, false
	}
	var sel selector
	child := false
	for word := range strings.FieldsSeq(s) {
		if word == ">" {
			child = true
			continue
		}
		c := compound{child: child}
		child = false
		name := strings.IndexAny(word, ".#")
		if name < 0 {
			name = len(word)
		}
		if c.tag = strings.ToLower(word[:name]); c.tag != "" {
			sel.weight++
		}
		for rest := word[name:]; rest != ""; {
			end := strings.IndexAny(rest[1:], ".#") + 1
			if end == 0 {
				end = len(rest)
			}
			switch value := rest[1:end]; {
			case value == "":
				return selector{}, false
			case rest[0] == '#':
				c.id = value
				sel.weight += 10_000
			default:
				c.classes = append(c.classes, value)
				sel.weight += 100
			}
			rest = rest[end:]
		}
		sel.parts = append([]compound{c}, sel.parts...)
		if len(sel.parts) > 8 {
			return selector{}, false
		}
	}
	return sel, len(sel.parts) > 0
}

// key is the name by which the rules of an element are found.
func (s selector) key() string {
	switch c := s.parts[0]; {
	case c.id != "":
		return "#" + c.id
	case len(c.classes) > 0:
		return "." + c.classes[0]
	default:
		return c.tag
	}
}

// matches reports whether the selector is one of n, and adds to count how often it
// held an element against a part of itself.
func (s selector) matches(n *html.Node, count *int) bool {
	if *count++; !s.parts[0].matches(n) {
		return false
	}
	child := s.parts[0].child
	n = n.Parent
	for _, part := range s.parts[1:] {
		for *count++; n != nil && !part.matches(n); *count++ {
			if child {
				return false
			}
			n = n.Parent
		}
		if n == nil {
			return false
		}
		child = part.child
		n = n.Parent
	}
	return true
}

func (c compound) matches(n *html.Node) bool {
	if n.Type != html.ElementNode || c.tag != "" && c.tag != n.Data || c.id != "" && attr(n, "id") != c.id {
		return false
	}
	if len(c.classes) == 0 {
		return true
	}
	have := attr(n, "class")
	have = have[:min(len(have), maxClassBytes)]
	for _, want := range c.classes {
		if !hasWord(have, want) || n.DataAtom == atom.Html && want == "no-js" {
			return false // scripts take "no-js" away
		}
	}
	return true
}

// hasWord reports whether a list of words separated by white space holds word.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
