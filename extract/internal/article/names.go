package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// namesOf reads the attributes of an element.
func namesOf(n *html.Node) names {
	var found names
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "id":
			found |= namesOfID(n, a.Val)
		case "class", "data-component", "data-testid", "data-test", "data-type", "data-module", "data-name", "data-element":
			found |= namesIn(a.Val)
		case "itemprop":
			switch strings.ToLower(strings.TrimSpace(a.Val)) {
			case "articlebody", "articlebody text", "text articlebody":
				found |= bodyName | markedName
			case "datepublished", "datemodified", "datecreated", "author", "creator", "publisher":
				found |= bylineName
			case "headline":
				found |= titleName
			case "comment", "review":
				found |= commentName
			case "caption", "copyrightholder":
				found |= captionName
			}
		case "role":
			switch a.Val {
			case "navigation", "menu", "menubar", "search", "toolbar", "tablist":
				found |= navName
			case "complementary":
				found |= sideName
			case "contentinfo":
				found |= footName
			case "dialog", "alertdialog":
				found |= consentName
			}
		case "itemtype":
			kind := strings.ToLower(a.Val)
			if strings.HasSuffix(kind, "object") || strings.HasSuffix(kind, "comment") || strings.HasSuffix(kind, "event") {
				found |= otherName
			}
		case "rel":
			if a.Val == "author" {
				found |= bylineName
			}
		}
	}
	switch n.DataAtom {
	case atom.Nav, atom.Menu:
		found |= navName
	case atom.Aside:
		found |= sideName
	case atom.Footer:
		found |= footName
	case atom.Figcaption:
		found |= captionName
	}
	return found
}

// namesOfID reads an id. Headings lend their words to ids, such as
// "sharing-with-one-developer" or "cookies", of themselves or of the section that
// they begin; only for comments and other pages such a section is still what it
// says.
func namesOfID(n *html.Node, id string) names {
	if isHeading(n) || len(splitWords(id)) > 4 {
		return 0
	}
	found := namesIn(id)
	if found == 0 || found&(commentName|relatedName) != 0 {
		return found
	}
	at := n.FirstChild
	for steps := 0; at != nil && steps < 6; steps++ {
		switch {
		case isHeading(at):
			if at.FirstChild != nil && fold(at.FirstChild.Data) == fold(id) {
				return 0
			}
			return found
		case at.Type == html.ElementNode && at.FirstChild != nil:
			at = at.FirstChild
		default:
			at = at.NextSibling
		}
	}
	return found
}

func isHeading(n *html.Node) bool {
	return n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
}

// namesIn looks up the words of a class list or an id: each class whole without
// its joints, each word of it, and each pair of neighbours.
func namesIn(value string) names {
	if len(value) > 400 {
		value = value[:400]
	}
	var found names
	table := words()
	for class := range strings.FieldsSeq(value) {
		if isTopic(class) {
			continue
		}
		last := ""
		parts := splitWords(class)
		found |= table[strings.ToLower(class)]
		for _, part := range parts {
			found |= table[part] | table[last+part]
			last = part
		}
	}
	return found
}

// splitWords cuts a class at joints and where a capital follows a small letter.
func splitWords(class string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(class[start:end]))
		}
		start = end
	}
	for i := range len(class) {
		c := class[i]
		switch {
		case c == '-' || c == '_' || c == ':' || c == '.' || c == '/' || c >= '0' && c <= '9':
			cut(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > 0 && class[i-1] >= 'a' && class[i-1] <= 'z':
			cut(i)
		}
	}
	cut(len(class))
	return parts
}

// isTopic tells whether a class only carries a tag or a category of the text, as
// WordPress puts them on articles.
func isTopic(class string) bool {
	for _, prefix := range []string{"tag-", "category-", "cat-", "topic-", "post_format-", "author-", "section-"} {
		if strings.HasPrefix(class, prefix) && len(class) > len(prefix)+12 || prefix != "section-" && prefix != "author-" && strings.HasPrefix(class, prefix) {
			return true
		}
	}
	return false
}
