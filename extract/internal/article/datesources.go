package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// microdata reads itemprop attributes of elements in the page's body.
func (d *dater) microdata(zone region) {
	left := maxSeen
	for i := range d.nodes {
		n := d.nodes[i].n
		if n.Type != html.ElementNode || n.DataAtom == atom.Meta && int32(i) < d.body {
			continue
		}
		var kind DateKind
		switch prop := strings.ToLower(attr(n, "itemprop")); {
		case prop == "":
			continue
		case strings.Contains(prop, "datepublished"), strings.Contains(prop, "datecreated"):
			kind = Published
		case strings.Contains(prop, "datemodified"):
			kind = Updated
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
		kind, told := Published, true
		before := d.textBefore(int32(i))
		switch {
		case strings.Contains(class, "publish"):
		case strings.Contains(class, "updated") || strings.Contains(class, "modif"), updatedWord().MatchString(before), updatedWord().MatchString(d.innerText(int32(i), 100)):
			kind = Updated
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
			d.add(Published, "text", note.text[:updated[0]], true)
			d.add(Updated, "text", note.text[updated[0]:], true)
		case updated != nil && published != nil:
			d.add(Updated, "text", note.text[:max(published[0], updated[1])], true)
			d.add(Published, "text", note.text[published[0]:], true)
		case updated != nil && (near || startsAt(updated)):
			d.add(Published, "text", note.text[:updated[0]], false)
			d.add(Updated, "text", note.text[updated[0]:], true)
		case published != nil && (near || startsAt(published)):
			d.add(Published, "text", note.text, true)
		case near && len(note.text) < 140 && !d.inFacts(note.at) && !d.marked(note.at):
			d.add(Published, "text", note.text, false)
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
