package extractive

import (
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// hit is a search result as the tool's text shows it.
type hit struct {
	doc, title, heading, snippet string
	rank                         int
}

var (
	termLine  = lazyregexp.New(`(?m)^terms: (.*) of (\d+) documents?$`)
	hitID     = lazyregexp.New(`^(\d+)\. doc_id: (.+)$`)
	hitField  = lazyregexp.New(`^   (title|heading|bytes \d+-\d+): (.*)$`)
	dataMark  = lazyregexp.New(`(?m)^\[data ([0-9a-f]+): (.+) bytes (\d+)-(\d+)\]\n`)
	partHead  = lazyregexp.New(`(?m)^heading: (.*)\n$`)
	titleLine = lazyregexp.New(`(?m)^title: (.*)$`)
	// outlineRow is a heading with its bytes.
	outlineRow = lazyregexp.New(`(?m)^( *)(.*) \((\d+)-(\d+), \d+ bytes\)$`)
)

// readSearch reads the text of search_docs. It adds document frequencies to df
// and returns the number of documents in the corpus.
func readSearch(text string, df map[string]int) (hits []hit, documents int) {
	if m := termLine().FindStringSubmatch(text); m != nil {
		documents, _ = strconv.Atoi(m[2])
		for _, term := range strings.Split(m[1], ", ") {
			i := strings.LastIndexByte(term, ' ')
			if i < 0 {
				continue
			}
			if n, err := strconv.Atoi(term[i+1:]); err == nil {
				df[strings.ToLower(term[:i])] = n
			}
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := hitID().FindStringSubmatch(line); m != nil {
			rank, _ := strconv.Atoi(m[1])
			hits = append(hits, hit{doc: m[2], rank: rank})
			continue
		}
		if m := hitField().FindStringSubmatch(line); m != nil && len(hits) > 0 {
			h := &hits[len(hits)-1]
			switch m[1] {
			case "title":
				h.title = m[2]
			case "heading":
				h.heading = m[2]
			default:
				h.snippet = m[2]
			}
		}
	}
	return hits, documents
}

// page is what was read of one document.
type page struct {
	doc, title string
	parts      []pagePart
	headings   []pageHeading
	units      []unit // what the parts were last taken apart into
}

// pagePart is a stretch of a document's text, verbatim.
type pagePart struct {
	text, heading string
	start         int
}

// pageHeading is a line of the outline.
type pageHeading struct {
	text       string
	depth      int
	start, end int
}

// readFetch reads the text of fetch_doc: what stands between the marks is the
// document's own, and as long as the mark says.
func readFetch(text string) *page {
	p := &page{}
	if m := titleLine().FindStringSubmatch(text); m != nil {
		p.title = m[1]
	}
	for rest := text; ; {
		m := dataMark().FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		p.doc = rest[m[4]:m[5]]
		start, _ := strconv.Atoi(rest[m[6]:m[7]])
		end, _ := strconv.Atoi(rest[m[8]:m[9]])
		before, body := rest[:m[0]], rest[m[1]:]
		if p.parts == nil {
			p.readOutline(before)
		}
		n := min(max(end-start, 0), len(body))
		part := pagePart{text: body[:n], start: start}
		if i := strings.LastIndex(strings.TrimSuffix(before, "\n"), "\n"); i >= 0 {
			if h := partHead().FindStringSubmatch(before[i+1:]); h != nil {
				part.heading = h[1]
			}
		}
		p.parts = append(p.parts, part)
		rest = body[n:]
	}
	return p
}

func (p *page) readOutline(text string) {
	for _, m := range outlineRow().FindAllStringSubmatch(text, -1) {
		start, _ := strconv.Atoi(m[3])
		end, _ := strconv.Atoi(m[4])
		p.headings = append(p.headings, pageHeading{m[2], len(m[1]) / 2, start, end})
	}
}

// mentions tells whether the page has a word, given in small letters.
func (p *page) mentions(low string) bool {
	if strings.Contains(strings.ToLower(p.title), low) {
		return true
	}
	for _, part := range p.parts {
		if strings.Contains(strings.ToLower(part.text), low) {
			return true
		}
	}
	return false
}
