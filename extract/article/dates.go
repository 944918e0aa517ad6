package article

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// dated is a date that was found, before it is weighed against the others.
type dated struct {
	kind   extract.DateKind
	m      moment
	source string
	raw    string
	// told means that the page says in words or markup what the date is of; an
	// untold date only stands where dates of publication do.
	told bool
	// above means that it stands over the headline, where a site may print the
	// date of today.
	above bool
}

// rank orders dates by how far they can be trusted. A date that nothing says what
// it is of comes after that of the address, and a month after any day.
func (d *dated) rank() int {
	rank := strings.Index("json-ld meta microdata time text url", d.source)
	if !d.told && d.source != "url" {
		rank += 100
	}
	if d.above && !d.told {
		rank += 100
	}
	if d.m.day == 0 {
		rank += 300
	}
	return rank
}

// dater collects the dates of a page.
type dater struct {
	*page
	above bool // what is added stands over the headline
	lang  string
	found []dated
}

func (d *dater) add(kind extract.DateKind, source, raw string, told bool) {
	raw = strings.Join(strings.Fields(raw), " ")
	if raw == "" || len(d.found) >= maxStamps {
		return
	}
	m, ok := parseStamp(raw, d.lang)
	if !ok {
		return
	}
	if source == "text" && !told && m.day == 0 {
		return // a month alone is an archive's or an issue's
	}
	for _, f := range d.found {
		if f.kind == kind && f.source == source && (f.m == m || !told && f.above == d.above) {
			return
		}
	}
	if len(raw) > 120 {
		raw = raw[:120]
	}
	d.found = append(d.found, dated{kind, m, source, strings.ToValidUTF8(raw, ""), told, d.above})
}

// Names of meta elements that hold dates, the most exact first.
var (
	publishedMeta = strings.Fields("article:published_time og:article:published_time og:published_time article:published datepublished date.published " +
		"originalpublicationdate parsely-pub-date sailthru.date citation_publication_date citation_online_date citation_date cxenseparse:recs:publishtime cxenseparse:publishtime " +
		"bt:pubdate ptime pubdate publishdate publish_date publish-date publication_date publication-date published published_time published_at published-date dcterms.issued dc.date.issued " +
		"dcterms.created dc.date.created dcterms.date dc.date dc:date date.created datecreated article:created displaydate dateposted article_date_original article.published date")
	updatedMeta = strings.Fields("article:modified_time og:article:modified_time og:updated_time article:updated_time article:updated article:modified datemodified date.modified dateupdated lastmod " +
		"lastmodified last-modified-date dcterms.modified dc.date.modified dc.modified modified modified_time updated updated_time revised utime last-modified last_updated article.updated")
)

// dates finds the dates of the page and puts the most trustworthy of a kind
// first: those that programs were meant to read before those for people.
func (p *page) dates(h *head, t *thing, zone region) []extract.Date {
	d := &dater{page: p, lang: h.lang}
	d.add(extract.Published, "json-ld", t.published, true)
	d.add(extract.Published, "json-ld", t.created, false)
	d.add(extract.Updated, "json-ld", t.modified, true)
	for _, name := range publishedMeta {
		d.add(extract.Published, "meta", h.first(name), true)
	}
	for _, name := range updatedMeta {
		d.add(extract.Updated, "meta", h.first(name), true)
	}
	d.microdata(zone)
	d.timeElements(zone)
	d.visible(zone)
	d.address()
	return d.weigh()
}

// region says where on the page a date of the page may stand.
type region struct {
	title int32 // the heading that shows the title, or -1
	start int32 // where the lines around the title begin
	text  int32 // the first paragraph
	top   int32 // the container
	notes []note
}

// note is a short line with a digit, read before anything was dropped.
type note struct {
	at   int32
	text string
}

// near tells whether a node stands between title and text, or just above.
func (z *region) near(i int32) bool { return z.start <= i && i < z.text }

const (
	// elsewhere are the names of what never holds the dates of the page itself.
	elsewhere = commentName | relatedName | captionName
	// beside are those of what holds them only between title and text.
	beside = elsewhere | sideName | footName | navName | adName
)

// foreign tells whether a node belongs to something else on the page: a comment,
// a list of other articles, a picture; by the names given.
func (p *page) foreign(i, top int32, names names) bool {
	names |= otherName
	for j, steps := i, 0; j >= 0 && steps < maxClimb; j, steps = p.nodes[j].parent, steps+1 {
		nd := &p.nodes[j]
		if nd.n.DataAtom == atom.Body || p.inside(top, j) {
			return false
		}
		if nd.names&names != 0 || nd.n.DataAtom == atom.Article && !p.inside(j, top) {
			return true
		}
	}
	return false
}

// maxClimb bounds the ancestors that are looked at for one node, maxSeen the
// elements that are looked at for a date, and maxStamps the dates that are kept.
const (
	maxClimb  = 256
	maxSeen   = 400
	maxStamps = 64
)

// microdata reads itemprop attributes of elements in the page's body.
func (d *dater) microdata(zone region) {
	left := maxSeen
	for i := range d.nodes {
		n := d.nodes[i].n
		if n.Type != html.ElementNode || n.DataAtom == atom.Meta && int32(i) < d.body {
			continue
		}
		var kind extract.DateKind
		switch prop := strings.ToLower(attr(n, "itemprop")); {
		case prop == "":
			continue
		case strings.Contains(prop, "datepublished"), strings.Contains(prop, "datecreated"):
			kind = extract.Published
		case strings.Contains(prop, "datemodified"):
			kind = extract.Updated
		default:
			continue
		}
		if left--; left < 0 {
			return
		}
		if d.foreign(int32(i), zone.top, beside) {
			continue
		}
		d.add(kind, "microdata", d.stampOf(int32(i)), true)
	}
}

// stampOf is the date that an element gives for machines, or its text.
func (d *dater) stampOf(i int32) string {
	n := d.nodes[i].n
	for _, key := range []string{"content", "datetime", "data-datetime", "data-timestamp"} {
		if s := attr(n, key); s != "" {
			return s
		}
	}
	return d.innerText(i, 200)
}

// timeElements reads time elements, and abbreviations of the hAtom format, that
// stand near the title, or in the container's own article.
func (d *dater) timeElements(zone region) {
	left := maxSeen
	for i := range d.nodes {
		n := d.nodes[i].n
		class := ""
		switch {
		case n.DataAtom == atom.Time:
		case n.Type == html.ElementNode && (n.DataAtom == atom.Abbr || n.DataAtom == atom.Span):
			class = strings.ToLower(attr(n, "class"))
			if !hasToken(class, "published") && !hasToken(class, "updated") && !hasToken(class, "dtstart") && attr(n, "datetime") == "" {
				continue
			}
		default:
			continue
		}
		if !zone.near(int32(i)) {
			continue
		}
		if left--; left < 0 {
			return
		}
		if d.foreign(int32(i), zone.top, elsewhere) {
			continue
		}
		class = strings.ToLower(attr(n, "class") + " " + attr(n, "itemprop") + " " + attr(n, "id"))
		kind, told := extract.Published, true
		before := d.textBefore(int32(i))
		switch {
		case strings.Contains(class, "publish"):
		case strings.Contains(class, "updated") || strings.Contains(class, "modif"), updatedWord().MatchString(before), updatedWord().MatchString(d.innerText(int32(i), 100)):
			kind = extract.Updated
		case publishedWord().MatchString(before) || hasAttr(n, "pubdate"):
		default:
			told = false
		}
		d.above = int32(i) < zone.title
		d.add(kind, "time", d.stampOf(int32(i)), told)
	}
	d.above = false
}

// textBefore is the text just before a node, up to 60 bytes and three nodes.
func (d *dater) textBefore(i int32) string {
	var parts []string
	for j, left := i-1, 8; j > 0 && left > 0 && len(parts) < 2; j, left = j-1, left-1 {
		if n := d.nodes[j].n; n.Type == html.TextNode && !isBlank(n.Data) {
			s := strings.TrimSpace(n.Data)
			if len(s) > 60 {
				break
			}
			parts = append([]string{s}, parts...)
		} else if n.DataAtom == atom.Time {
			break
		}
	}
	return strings.Join(parts, " ")
}

var (
	updatedWord   = lazyregexp.New(`(?i)(?:^|[^\pL])(?:updated?|last (?:updated|modified|revised|edited)|modified|revised|aktualisiert|zuletzt (?:aktualisiert|geändert|bearbeitet)|update|mis(?:e)? à jour|modifié|actualizado|actualización|última actualización|atualizado|atualização|aggiornat[oa]|ultimo aggiornamento|bijgewerkt|laatst gewijzigd|gewijzigd|aktualizacja|zaktualizowano|modyfikacja|обновлен\pL*|изменен\pL*|diperbarui)(?:$|[^\pL])|更新|수정|最終更新`)
	publishedWord = lazyregexp.New(`(?i)(?:^|[^\pL])(?:published|posted|first published|publication date|date posted|date|released?|written|created|filed|originally published|veröffentlicht|erschienen|erstellt|stand|datum|vom|publié|publication|paru|mis en ligne|publicado|publicada|publicación|fecha|data|publicação|pubblicato|pubblicata|gepubliceerd|geplaatst|opublikowano|publikacja|data publikacji|dodano|опубликован\pL*|дата|размещено|diterbitkan)(?:$|[^\pL])|发布|发表|公開|掲載|投稿|入力|등록|입력|发稿|时间|日期|日時`)
	ownerWord     = lazyregexp.New(`(?i)©|\(c\)|copyright|all rights|reserved`)
)

// visible reads the dates in the lines around the title, and in lines anywhere in
// the container that say what they are of.
func (d *dater) visible(zone region) {
	for _, note := range zone.notes {
		near := zone.near(note.at)
		if !near && !(d.inside(note.at, zone.top) || note.at >= zone.text && note.at < d.nodes[zone.top].end+60) || ownerWord().MatchString(note.text) || d.foreign(note.at, zone.top, elsewhere) {
			continue
		}
		d.above = note.at < zone.title
		updated := updatedWord().FindStringIndex(note.text)
		published := publishedWord().FindStringIndex(note.text)
		switch {
		case updated != nil && published != nil && published[0] < updated[0]:
			d.add(extract.Published, "text", note.text[:updated[0]], true)
			d.add(extract.Updated, "text", note.text[updated[0]:], true)
		case updated != nil && published != nil:
			d.add(extract.Updated, "text", note.text[:max(published[0], updated[1])], true)
			d.add(extract.Published, "text", note.text[published[0]:], true)
		case updated != nil && (near || startsAt(updated)):
			d.add(extract.Published, "text", note.text[:updated[0]], false)
			d.add(extract.Updated, "text", note.text[updated[0]:], true)
		case published != nil && (near || startsAt(published)):
			d.add(extract.Published, "text", note.text, true)
		case near && len(note.text) < 140 && !d.inFacts(note.at) && !d.marked(note.at):
			d.add(extract.Published, "text", note.text, false)
		}
	}
	d.above = false
}

// inFacts tells whether a text stands in a row of a table of facts, as the date
// in a box about the subject does.
func (d *dater) inFacts(i int32) bool {
	for steps := 0; i >= 0 && steps < maxClimb; i, steps = d.nodes[i].parent, steps+1 {
		if d.nodes[i].n.DataAtom != atom.Tr {
			continue
		}
		c := d.nodes[i].n.FirstChild
		for cells := 0; c != nil && cells < 16; c, cells = c.NextSibling, cells+1 {
			if c.DataAtom == atom.Th {
				return true
			}
		}
	}
	return false
}

// marked tells whether a text stands in an element whose microdata says what the
// date is of.
func (d *dater) marked(i int32) bool {
	for steps := 0; i >= 0 && steps < 4; i, steps = d.nodes[i].parent, steps+1 {
		if strings.Contains(strings.ToLower(attr(d.nodes[i].n, "itemprop")), "date") {
			return true
		}
	}
	return false
}

func startsAt(span []int) bool { return span[0] <= 2 }

var (
	dayPath   = lazyregexp.New(`(?:^|[/_-])((?:19|20)\d{2})[/_-]?(\d{2})[/_-]?(\d{2})(?:[/_.-]|$)`)
	wordPath  = lazyregexp.New(`(?i)/((?:19|20)\d{2})/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/(\d{1,2})(?:/|$)`)
	monthPath = lazyregexp.New(`/((?:19|20)\d{2})[/-](\d{2})(?:/|$)`)
)

// address reads the date in the path of the page's address.
func (d *dater) address() {
	_, path, ok := strings.Cut(d.url, "://")
	if !ok {
		return
	}
	_, path, _ = strings.Cut(path, "/")
	path = "/" + path
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	raw, m := "", moment{}
	if x := dayPath().FindStringSubmatch(path); x != nil {
		raw, m = x[0], moment{year: atoi(x[1]), month: atoi(x[2]), day: atoi(x[3])}
	}
	if x := wordPath().FindStringSubmatch(path); x != nil && !(raw != "" && m.valid()) {
		raw, m = x[0], moment{year: atoi(x[1]), month: months()[strings.ToLower(x[2])], day: atoi(x[3])}
	}
	if x := monthPath().FindStringSubmatch(path); x != nil && !(raw != "" && m.valid()) {
		raw, m = x[0], moment{year: atoi(x[1]), month: atoi(x[2])}
	}
	if raw != "" && m.valid() && m.month > 0 {
		d.found = append(d.found, dated{extract.Published, m, "url", raw, false, false})
	}
}

// weigh brings the dates in order and drops those that contradict better ones:
// an untold date that is another day than the best of its kind, and of a
// publication and an earlier update the one to be trusted less.
func (d *dater) weigh() []extract.Date {
	slices.SortStableFunc(d.found, func(a, b dated) int { return a.rank() - b.rank() })
	best := map[extract.DateKind]*dated{}
	for i := range d.found {
		f := &d.found[i]
		other := best[extract.Published]
		if f.kind == extract.Published {
			other = best[extract.Updated]
		}
		if best[f.kind] == nil && !(other != nil && inverted(f, other)) {
			best[f.kind] = f
		}
	}
	var kept []extract.Date
	for _, kind := range []extract.DateKind{extract.Published, extract.Updated} {
		for i := range d.found {
			f, b := &d.found[i], best[kind]
			if f.kind != kind || b == nil || f != b && (f.rank() < b.rank() || !f.told && !f.m.agrees(b.m)) || len(kept) >= maxKept {
				continue
			}
			kept = append(kept, extract.Date{Kind: kind, Value: f.m.String(), Source: f.source, Raw: f.raw})
		}
	}
	return kept
}

// maxKept bounds the dates that are reported of a page.
const maxKept = 16

// inverted tells whether of two dates of different kinds the update comes before
// the publication.
func inverted(a, b *dated) bool {
	if a.kind == extract.Updated {
		a, b = b, a
	}
	return a.m.day > 0 && b.m.day > 0 && b.m.days()+1 < a.m.days()
}
