package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	screenWidth, screenHeight = 1280, 800

	maxStyleBytes = 1 << 20 // of style sheets that are read
	maxRules      = 10_000
	maxBucket     = 64        // rules that are looked at for one name
	maxAtDepth    = 4         // of conditions around a rule
	maxClassBytes = 2048      // of the names of the classes of an element
	maxMatches    = 5_000_000 // elements that are held against a part of a selector
)

// stylesheet holds the rules inside of a page that decide whether text is seen. Only
// selectors of names, classes and ids are known, with descendants and children; the
// others are dropped with their rules.
type stylesheet struct {
	empty        bool
	ignoreFading bool // what is transparent or invisible counts as seen
	rules        map[string][]rule
	matches      int // that were made; from maxMatches on no rule is looked at
	count        int
}

// rule is a selector with its declarations.
type rule struct {
	selector selector
	order    int
	settings []setting
}

// newStylesheet reads the style elements of a page.
func newStylesheet(root *html.Node) *stylesheet {
	s := &stylesheet{rules: make(map[string][]rule)}
	size := 0
	for n := range root.Descendants() {
		if n.DataAtom != atom.Style || n.Namespace != "" || n.FirstChild == nil || !forScreen(attr(n, "media")) {
			continue
		}
		css := n.FirstChild.Data
		if size += len(css); size > maxStyleBytes {
			break
		}
		s.read(withoutComments(css), 0)
	}
	s.empty = s.count == 0
	return s
}

// read adds the rules of css.
func (s *stylesheet) read(css string, depth int) {
	for css != "" && s.count < maxRules {
		css = strings.TrimLeft(css, blanks+"}")
		end := topLevel(css, "{;")
		if end == len(css) {
			return
		}
		prelude := strings.TrimSpace(css[:end])
		if css[end] == ';' {
			css = css[end+1:]
			continue
		}
		var body string
		body, css = braces(css[end:])
		if at, ok := strings.CutPrefix(prelude, "@"); ok {
			name, condition, _ := strings.Cut(at, " ")
			switch name {
			case "media":
				if !forScreen(condition) {
					continue
				}
			case "supports", "layer":
			default:
				continue
			}
			if depth < maxAtDepth {
				s.read(body, depth+1)
			}
			continue
		}
		s.add(prelude, body)
	}
}

// add adds a rule for each of its selectors.
func (s *stylesheet) add(selectors, body string) {
	list := settings(body)
	if len(list) == 0 || len(selectors) > 10_000 {
		return
	}
	for one := range strings.SplitSeq(selectors, ",") {
		sel, ok := parseSelector(one)
		if !ok {
			continue
		}
		key := sel.key()
		if len(s.rules[key]) < maxBucket {
			s.count++
			s.rules[key] = append(s.rules[key], rule{sel, s.count, list})
		}
	}
}

// cascade sets what is declared for n and reports whether anything is.
func (s *stylesheet) cascade(n *html.Node, inline string, d *declared) bool {
	var matching []rule
	if !s.empty && s.matches < maxMatches {
		match := func(key string) {
			for _, r := range s.rules[key] {
				if r.selector.matches(n, &s.matches) {
					matching = append(matching, r)
				}
			}
		}
		match(n.Data)
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				match("#" + a.Val)
			case "class":
				for c := range strings.FieldsSeq(a.Val[:min(len(a.Val), maxClassBytes)]) {
					match("." + c)
				}
			}
		}
	}
	if len(matching) == 0 && inline == "" {
		return false
	}
	slices.SortStableFunc(matching, func(a, b rule) int {
		if a.selector.weight != b.selector.weight {
			return a.selector.weight - b.selector.weight
		}
		return a.order - b.order
	})
	own := settings(inline)
	for _, important := range []bool{false, true} {
		for _, r := range matching {
			d.set(r.settings, important)
		}
		d.set(own, important)
	}
	return true
}

func (d *declared) set(list []setting, important bool) {
	for _, s := range list {
		if s.important == important {
			d[s.property] = s.value
		}
	}
}

// withoutComments removes the comments of css, and HTML's around it.
func withoutComments(css string) string {
	css = strings.NewReplacer("<!--", "", "-->", "").Replace(css)
	if !strings.Contains(css, "/*") {
		return css
	}
	var sb strings.Builder
	for {
		before, after, ok := strings.Cut(css, "/*")
		sb.WriteString(before)
		if !ok {
			return sb.String()
		}
		if _, css, ok = strings.Cut(after, "*/"); !ok {
			return sb.String()
		}
	}
}

// braces splits off the block at the beginning of css. One that is never closed goes
// to the end.
func braces(css string) (body, rest string) {
	depth := 0
	var quote byte
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return css[1:i], css[i+1:]
			}
		}
	}
	return css[1:], ""
}
