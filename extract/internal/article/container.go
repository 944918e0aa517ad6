package article

import (
	"hash/maphash"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// container is the element that holds the content. What the page says itself
// decides before what its text looks like: the text that JSON-LD gives, names
// that only a body has, article elements, and then the weight of paragraphs.
func (p *page) container(t *thing, title int32) int32 {
	if i := p.matching(t.body); i >= 0 {
		return i
	}
	if i := p.heaviest(-1, func(i int32) bool { return p.nodes[i].names&markedName != 0 }); i >= 0 && p.nodes[i].chars >= minMarked {
		return p.together(i, markedName)
	}
	best := p.heaviest(p.body, func(int32) bool { return true })
	good := p.good(best)
	if good == 0 {
		return p.fullest()
	}
	body := p.heaviest(-1, func(i int32) bool { return p.nodes[i].names&bodyName != 0 })
	if body >= 0 && p.good(body) > 0 && p.good(body)*3 >= good {
		return p.together(body, bodyName)
	}
	isArticle := func(i int32) bool { return p.nodes[i].n.DataAtom == atom.Article }
	if title >= 0 {
		titled := p.heaviest(-1, func(i int32) bool { return isArticle(i) && p.inside(title, i) })
		if titled >= 0 && p.good(titled) >= 200 {
			return p.narrow(titled)
		}
	}
	article := p.heaviest(-1, isArticle)
	if article >= 0 && p.good(article)*3 >= good && p.inside(article, best) {
		return p.narrow(article)
	}
	return p.narrow(best)
}

// together is the element that holds a body and all others of the same name in the
// same article, since some pages name each part or paragraph. Bodies in articles of
// their own are of other pages.
func (p *page) together(body int32, name names) int32 {
	from, to := int32(0), int32(len(p.nodes))
	for i, steps := p.nodes[body].parent, 0; i >= 0 && steps < maxClimb; i, steps = p.nodes[i].parent, steps+1 {
		if n := p.nodes[i].n; n.DataAtom == atom.Article || n.DataAtom == atom.Body || hasAttr(n, "itemscope") {
			from, to = i, p.nodes[i].end
			break
		}
	}
	first, last, chars := body, body, p.nodes[body].chars
	for i := from + 1; i < to; i++ {
		nd := &p.nodes[i]
		if nd.out || nd.n.DataAtom == atom.Article && !p.inside(body, i) {
			i = nd.end - 1
			continue
		}
		if nd.names&name == 0 || nd.chars == 0 || p.inside(body, i) {
			continue
		}
		if i != body && !p.inside(i, body) {
			first, last = min(first, i), max(last, i)
			chars += nd.chars
		}
		i = nd.end - 1
	}
	top := first
	for top > from && p.nodes[top].end <= last {
		top = p.nodes[top].parent
	}
	// Much else between the parts means that they do not belong together.
	if p.nodes[top].chars*2 > chars*3 {
		return body
	}
	return top
}

// minMarked is how many characters of text make a body that is marked as one
// believable.
const minMarked = 140

// fullest is, of a page without a paragraph, the main or article element with the
// most text, or the body.
func (p *page) fullest() int32 {
	best := p.body
	for i := p.body; i < int32(len(p.nodes)); i++ {
		nd := &p.nodes[i]
		if nd.out || nd.chars == 0 || nd.n.DataAtom != atom.Main && nd.n.DataAtom != atom.Article {
			continue
		}
		if best == p.body || nd.chars > p.nodes[best].chars {
			best = i
		}
	}
	return best
}

// heaviest is the element of the greatest mass among those that fit, the deepest
// of several; or other.
func (p *page) heaviest(other int32, fits func(int32) bool) int32 {
	best := other
	for i := p.body; i < int32(len(p.nodes)); i++ {
		nd := &p.nodes[i]
		if nd.out {
			i = nd.end - 1
			continue
		}
		if nd.n.Type == html.ElementNode && (best < 0 || nd.mass >= p.nodes[best].mass) && fits(i) {
			best = i
		}
	}
	return best
}

// narrow goes down from a node while one child holds nearly all that is good.
func (p *page) narrow(top int32) int32 {
	for {
		next := int32(-1)
		for i := top + 1; i < p.nodes[top].end; i = p.nodes[i].end {
			nd := &p.nodes[i]
			if !nd.out && nd.n.Type == html.ElementNode && isBlock(nd.n.DataAtom) && p.good(i)*100 >= p.good(top)*90 {
				next = i
				break
			}
		}
		if next < 0 || p.nodes[next].n.DataAtom == atom.P || p.nodes[next].n.DataAtom == atom.Li {
			return top
		}
		top = next
	}
}

func (p *page) inside(i, top int32) bool {
	return top <= i && i < p.nodes[top].end
}

// shingle is how many words are compared at once.
const shingle = 5

// matching is the smallest element that holds the lines of a text that the page
// gives of itself; -1 if the lines hold too little of it.
func (p *page) matching(body string) int32 {
	if len(body) < 300 {
		return -1
	}
	seed := maphash.MakeSeed()
	known := map[uint64]bool{}
	words := strings.Fields(fold(stripTags(body)))
	for i := 0; i+shingle <= len(words); i++ {
		known[maphash.String(seed, strings.Join(words[i:i+shingle], " "))] = true
	}
	if len(known) == 0 {
		return -1
	}
	matched := make([]int32, len(p.lines))
	total, first, last := 0, -1, -1
	for k := range p.lines {
		l := &p.lines[k]
		if !l.good {
			continue
		}
		words := strings.Fields(fold(p.text(l)))
		hits, n := 0, 0
		for i := 0; i+shingle <= len(words); i++ {
			n++
			if known[maphash.String(seed, strings.Join(words[i:i+shingle], " "))] {
				hits++
			}
		}
		if n > 0 && hits*2 > n {
			matched[k] = l.chars
			total += int(l.chars)
			if first < 0 {
				first = k
			}
			last = k
		}
	}
	if first < 0 || total*10 < len(words)*5*4 {
		return -1
	}
	top := p.lines[first].block
	for p.nodes[top].parent >= 0 && p.nodes[top].end <= p.lines[last].first {
		top = p.nodes[top].parent
	}
	if isBlock(p.nodes[top].n.DataAtom) && p.nodes[top].n.DataAtom == atom.P {
		top = p.nodes[top].parent
	}
	return top
}

// stripTags takes the markup out of a text that may hold some.
func stripTags(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(z.Text())
		default:
			b.WriteByte(' ')
		}
	}
}
