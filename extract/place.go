package extract

import "sort"

// PageAt returns the page that a byte of the text is on; ok is false in a document
// without pages, and between them.
func (d *Document) PageAt(at int) (page Page, ok bool) {
	i := sort.Search(len(d.Pages), func(i int) bool { return d.Pages[i].End > at })
	if i == len(d.Pages) || d.Pages[i].Start > at {
		return Page{}, false
	}
	return d.Pages[i], true
}

// Section returns the headings that a byte of the text stands under, the outermost
// first; a heading stands under itself.
func (d *Document) Section(at int) []string {
	var path []Block
	for _, b := range d.Blocks {
		if b.Start > at {
			break
		}
		if b.Kind != Heading {
			continue
		}
		for len(path) > 0 && path[len(path)-1].Level >= b.Level {
			path = path[:len(path)-1]
		}
		path = append(path, b)
	}
	var headings []string
	for _, b := range path {
		headings = append(headings, collapse(d.Text[b.Start:b.End]))
	}
	return headings
}
