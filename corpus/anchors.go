package corpus

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"
)

// What other documents call a document, in the texts of their links to it, says in other words what it is about. The
// links are kept per document that has them; their texts are gathered in one record of the document they lead to.

// outLink is a link to another file of the folder.
type outLink struct {
	Path string `json:"to"` // below the folder
	Text string `json:"text"`
}

// maxAnchorLine is the length in bytes up to which the line around a link counts as its text: an entry of a list or an
// index. In longer lines only the link's own words do.
const maxAnchorLine = 120

// outLinks resolves the links of a document against its path, each target and text once.
func outLinks(name string, e *reading) []outLink {
	var list []outLink
	seen := make(map[outLink]bool)
	for _, l := range e.linked {
		u, err := url.Parse(l.href)
		if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
			continue
		}
		target := path.Join(path.Dir(name), u.Path)
		if target == name || strings.HasPrefix(target, "../") {
			continue
		}
		start, end := l.start, min(l.end, len(e.text))
		if start >= end {
			continue
		}
		lo := strings.LastIndexByte(e.text[:start], '\n') + 1
		hi := len(e.text)
		if i := strings.IndexByte(e.text[end:], '\n'); i >= 0 {
			hi = end + i
		}
		if hi-lo <= maxAnchorLine {
			start, end = lo, hi
		}
		link := outLink{Path: target, Text: collapse(e.text[start:end])}
		if !seen[link] {
			seen[link] = true
			list = append(list, link)
		}
	}
	return list
}

// anchorKey is the record of the texts of the links to a document.
func anchorKey(id string) string { return "a\x00" + id }

// anchorRecord builds the record of the texts of the links to a document.
func anchorRecord(id string, terms []term) *document.Document {
	r := document.NewDocument(anchorKey(id))
	r.AddField(document.NewTextFieldCustom(fieldAnchor, nil, nil, index.IndexField, tokens(terms, wordTerm)))
	return r
}

// anchorTexts gathers the distinct texts of the links to each document, by path.
func anchorTexts(links map[string][]outLink) map[string][]string {
	texts := make(map[string][]string)
	for _, list := range links {
		for _, l := range list {
			texts[l.Path] = append(texts[l.Path], l.Text)
		}
	}
	for p, list := range texts {
		slices.Sort(list)
		texts[p] = slices.Compact(list)
	}
	return texts
}
