package article

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// thing is what JSON-LD says of one object that may be the page's article.
type thing struct {
	kind      string // its @type in small letters
	rank      int
	headline  string
	body      string
	authors   []string
	publisher string
	url       string
	language  string
	published string
	created   string
	modified  string
}

const (
	maxJSON   = 1 << 20
	maxThings = 64
)

// things reads all JSON-LD of the page. Of what is not JSON even when mended
// only the dates are read.
func (p *page) things() []thing {
	var found []thing
	for i := range p.nodes {
		n := p.nodes[i].n
		if n.DataAtom != atom.Script || !strings.Contains(strings.ToLower(attr(n, "type")), "ld+json") {
			continue
		}
		src := scriptText(n)
		if len(src) > maxJSON {
			continue
		}
		var value any
		if json.Unmarshal([]byte(src), &value) != nil {
			value = nil
			if json.Unmarshal([]byte(mendJSON(src)), &value) != nil {
				if t, ok := scanThing(src); ok {
					found = append(found, t)
				}
				continue
			}
		}
		found = collectThings(found, value)
	}
	return found
}

func scriptText(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode || c.Type == html.CommentNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// collectThings walks a decoded value for objects with a type.
func collectThings(found []thing, value any) []thing {
	stack := []any{value}
	for len(stack) > 0 && len(found) < maxThings {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch v := v.(type) {
		case []any:
			for i := len(v) - 1; i >= 0; i-- {
				stack = append(stack, v[i])
			}
		case map[string]any:
			if kind := typeOf(v); kind != "" {
				if t := newThing(kind, v); t.rank > 0 {
					found = append(found, t)
				}
			}
			for _, key := range []string{"mainEntityOfPage", "mainEntity", "@graph"} {
				if inner, ok := v[key]; ok {
					stack = append(stack, inner)
				}
			}
		}
	}
	return found
}

func typeOf(v map[string]any) string {
	switch t := v["@type"].(type) {
	case string:
		return strings.ToLower(t)
	case []any:
		for _, e := range t {
			if s, ok := e.(string); ok {
				return strings.ToLower(s)
			}
		}
	}
	return ""
}

func newThing(kind string, v map[string]any) thing {
	kind = kind[strings.LastIndexByte(kind, '/')+1:]
	t := thing{
		kind: kind, rank: rankOf(kind), headline: stringOf(v["headline"]), body: stringOf(v["articleBody"]),
		authors: namesOfPeople(v["author"]), url: stringOf(v["url"]), language: stringOf(v["inLanguage"]),
		published: stringOf(v["datePublished"]), created: stringOf(v["dateCreated"]), modified: stringOf(v["dateModified"]),
	}
	if people := namesOfPeople(v["publisher"]); len(people) > 0 {
		t.publisher = people[0]
	}
	if t.headline == "" {
		t.headline = stringOf(v["name"])
	}
	if len(t.authors) == 0 {
		t.authors = namesOfPeople(v["creator"])
	}
	return t
}

// rankOf tells how likely an object of a type is what the page is about; 0 for
// what it is not.
func rankOf(kind string) int {
	switch {
	case kind == "imageobject" || kind == "videoobject" || kind == "comment" || kind == "audioobject":
		return 0
	case strings.HasSuffix(kind, "article") || strings.HasSuffix(kind, "posting") || strings.HasSuffix(kind, "report") || kind == "review" ||
		kind == "reportagenewsarticle" || kind == "claimreview" || kind == "blogposting" || kind == "recipe":
		return 3
	case kind == "webpage" || strings.HasSuffix(kind, "page"):
		return 2
	case kind == "creativework" || kind == "website" || kind == "organization" || kind == "newsmediaorganization" || kind == "event":
		return 1
	}
	return 0
}

func stringOf(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(html.UnescapeString(v))
	case []any:
		for _, e := range v {
			if s := stringOf(e); s != "" {
				return s
			}
		}
	case map[string]any:
		for _, key := range []string{"@value", "@id", "name"} {
			if s, ok := v[key].(string); ok {
				return strings.TrimSpace(s)
			}
		}
	}
	return ""
}

// namesOfPeople reads the names of an author or a publisher in all the shapes
// they are written in.
func namesOfPeople(v any) []string {
	var found []string
	add := func(s string) {
		s = strings.Join(strings.Fields(html.UnescapeString(s)), " ")
		if s != "" && len(s) < 200 && !strings.Contains(s, "://") {
			found = append(found, s)
		}
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		switch e := e.(type) {
		case string:
			add(e)
		case map[string]any:
			switch name := e["name"].(type) {
			case string:
				add(name)
			case []any:
				for _, s := range name {
					if s, ok := s.(string); ok {
						add(s)
					}
				}
			}
		}
		if len(found) >= 20 {
			break
		}
	}
	return found
}

// bestThing is the object that is most likely about the page; the first of the
// best rank.
func (p *page) bestThing() *thing {
	best := &thing{}
	all := p.things()
	for i := range all {
		if all[i].rank > best.rank {
			best = &all[i]
		}
	}
	return best
}
