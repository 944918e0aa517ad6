package web

import (
	"bytes"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// Limits of the look at a page.
const (
	pageMaxBytes = 4 << 20
	pageMaxText  = 32 << 10
	pageMaxDepth = 2048
)

// page is what a light look at an HTML page sees: enough to tell a page from a wall,
// and not the text that quotes are checked against. Amounts of text are in weights:
// a letter of an ideographic or syllabic script weighs two, any other character one.
type page struct {
	title    string
	headings []string // h1
	// text is the beginning of the visible text, in lower case, blocks separated by
	// line ends.
	text string
	// visible is the weight of the visible text; prose that of the blocks that are
	// sentences, outside of consent dialogs; consent that of such dialogs.
	visible, prose, consent int
	// noscript is what is shown where scripts do not run.
	noscript string
	// markup is the page in lower case, its beginning and what scripts name.
	markup string

	passwords, emails, textAreas, forms, scripts int
	// root tells that there is an element that scripts of well-known kinds fill.
	root bool
	// refresh is where the page leads by itself, at once.
	refresh string
	// buttons are the labels of buttons, in lower case.
	buttons []string
	// frames is the number of inline frames.
	frames int
}

var (
	consentName = lazyregexp.New(`(?i)\b(?:cookie|consent|gdpr|onetrust|didomi|usercentrics|truste|cybot|cmp|qc-cmp2?|sp_message|privacy-(?:wall|manager|gate))`)
	rootName    = lazyregexp.New(`^(?:root|app|__next|__nuxt|__layout|___gatsby|svelte|q-app|main-app|app-root|react-root|ember-app|application|app-mount|react-app|vue-app|mount)$`)
	refreshURL  = lazyregexp.New(`(?i)^\s*([0-9.]+)\s*[;,]\s*(?:url\s*=\s*)?["']?\s*([^"'\s>]+)`)
	hiddenStyle = lazyregexp.New(`(?i)(?:display\s*:\s*none|visibility\s*:\s*hidden)`)
	anyTag      = lazyregexp.New(`<[^>]*>`)
)

// flags of elements; they hold for what is inside, too.
type flags uint8

const (
	inHidden flags = 1 << iota
	inConsent
	inNoscript
	inLink
	inButton
	inHeading
)

// looker builds a page.
type looker struct {
	page  page
	stack []element
	now   flags
	text  strings.Builder // page.text
	block strings.Builder
	// linked is the weight of the block's text that is in links.
	linked     int
	blockFlags flags
	noscript   strings.Builder
	button     strings.Builder
	lost       int // elements beyond pageMaxDepth
	// asked is how much text was looked through for words of consent.
	asked int
}

type element struct {
	name  string
	flags flags // before it began
}

// look reads a page. It takes time in proportion to the length, whatever is in it.
func look(body []byte, contentType string) *page {
	body = body[:min(len(body), pageMaxBytes)]
	encoding, _, _ := charset.DetermineEncoding(body[:min(len(body), sniffLen)], contentType)
	text, err := encoding.NewDecoder().Bytes(body)
	if err != nil || utf8.Valid(body) {
		text = body
	}
	l := new(looker)
	l.page.markup = strings.ToLower(string(text[:min(len(text), 256<<10)]))
	z := html.NewTokenizer(bytes.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() == io.EOF || z.Err() != nil {
				return l.finish()
			}
		case html.TextToken:
			l.words(z.Text())
		case html.StartTagToken:
			l.start(z, false)
		case html.SelfClosingTagToken:
			l.start(z, true)
		case html.EndTagToken:
			name, _ := z.TagName()
			l.end(string(name))
		}
	}
}

func (l *looker) finish() *page {
	l.endBlock()
	l.page.text = l.text.String()
	l.page.noscript = strings.ToLower(strings.Join(strings.Fields(anyTag().ReplaceAllString(l.noscript.String(), " ")), " "))
	l.page.title = strings.Join(strings.Fields(l.page.title), " ")
	return &l.page
}

func (l *looker) start(z *html.Tokenizer, closed bool) {
	raw, more := z.TagName()
	name := string(raw)
	var a attributes
	if more {
		a = readAttributes(z)
	}
	before := l.now
	l.meet(name, a)
	if isBlock(name) {
		l.endBlock()
	}
	if closed || isVoid(name) {
		l.now = before
		return
	}
	if len(l.stack) >= pageMaxDepth {
		l.lost++
		l.now = before
		return
	}
	l.stack = append(l.stack, element{name, before})
}

// meet notes what an element says by itself.
func (l *looker) meet(name string, a attributes) {
	p := &l.page
	if a.hidden || hiddenStyle().MatchString(a.style) {
		l.now |= inHidden
	}
	switch name {
	case "html", "body", "main", "article":
	default:
		if (a.id != "" || a.class != "") && (consentName().MatchString(a.id) || consentName().MatchString(a.class)) {
			l.now |= inConsent
		}
	}
	if rootName().MatchString(a.id) || name == "app-root" {
		p.root = true
	}
	switch name {
	case "script":
		p.scripts++
		l.now |= inHidden
	case "style", "template", "svg", "math", "iframe", "object", "textarea", "select", "datalist":
		l.now |= inHidden
		switch name {
		case "iframe":
			p.frames++
		case "textarea":
			p.textAreas++
		}
	case "noscript":
		l.now |= inNoscript
	case "a":
		l.now |= inLink
	case "button":
		l.now |= inButton
	case "h1":
		l.now |= inHeading
	case "form":
		p.forms++
	case "input":
		switch strings.ToLower(a.kind) {
		case "password":
			p.passwords++
		case "email":
			p.emails++
		case "submit", "button":
			l.label(a.value)
		case "text", "":
			if a.name == "username" || a.name == "login" || a.name == "identifier" || a.name == "loginfmt" {
				p.emails++
			}
		}
	case "meta":
		if strings.EqualFold(a.equiv, "refresh") && p.refresh == "" && l.now&inNoscript == 0 {
			if m := refreshURL().FindStringSubmatch(a.content); m != nil && len(m[1]) == 1 && m[1] <= "5" {
				p.refresh = m[2]
			}
		}
	}
}

func (l *looker) end(name string) {
	if l.lost > 0 && isBlock(name) {
		l.lost--
		l.endBlock()
		return
	}
	if isBlock(name) {
		l.endBlock()
	}
	// An end without a beginning nearby is passed over.
	for i := len(l.stack) - 1; i >= max(0, len(l.stack)-32); i-- {
		if l.stack[i].name != name {
			continue
		}
		if name == "button" {
			l.label(l.button.String())
			l.button.Reset()
		}
		l.now = l.stack[i].flags
		l.stack = l.stack[:i]
		return
	}
}

func (l *looker) label(s string) {
	if s = strings.ToLower(strings.Join(strings.Fields(s), " ")); s != "" && len(l.page.buttons) < 64 {
		l.page.buttons = append(l.page.buttons, s[:min(len(s), 80)])
	}
}

// words takes text.
func (l *looker) words(raw []byte) {
	if n := len(l.stack); n > 0 && l.stack[n-1].name == "title" {
		if l.page.title == "" && l.now&inHidden == 0 {
			l.page.title = html.UnescapeString(string(raw[:min(len(raw), 1024)]))
		}
		return
	}
	switch {
	case l.now&inHidden != 0:
		return
	case l.now&inNoscript != 0:
		if l.noscript.Len() < pageMaxText {
			l.noscript.Write(raw[:min(len(raw), pageMaxText)])
			l.noscript.WriteByte(' ')
		}
		return
	}
	text := html.UnescapeString(string(raw))
	if strings.TrimSpace(text) == "" {
		l.block.WriteByte(' ')
		return
	}
	if l.now&inButton != 0 && l.button.Len() < 256 {
		l.button.WriteString(text)
	}
	if l.now&(inLink|inButton) != 0 {
		l.linked += weight(text)
	}
	l.blockFlags |= l.now
	l.block.WriteString(text)
}

// endBlock counts the text since the last end of a block.
func (l *looker) endBlock() {
	text := strings.Join(strings.Fields(l.block.String()), " ")
	linked, flags := l.linked, l.blockFlags
	l.block.Reset()
	l.linked, l.blockFlags = 0, 0
	if text == "" {
		return
	}
	w := weight(text)
	l.page.visible += w
	if flags&inHeading != 0 && len(l.page.headings) < 8 {
		l.page.headings = append(l.page.headings, text[:min(len(text), 512)])
	}
	lower := strings.ToLower(text[:min(len(text), pageMaxText)])
	if l.text.Len() < pageMaxText {
		l.text.WriteString(lower)
		l.text.WriteByte('\n')
	}
	if flags&inConsent != 0 || l.saysConsent(lower) {
		l.page.consent += w
		return
	}
	if w >= 40 && 2*linked < w && hasSentence(text) {
		l.page.prose += w
	}
}

// hasSentence tells whether a sentence ends in a text, its blanks single.
func hasSentence(text string) bool {
	for i, r := range text {
		switch r {
		case '。', '！', '？', '؟', '।', '…':
			return true
		case '.', '!', '?':
			rest := strings.TrimLeft(text[i+1:], `)"'”’»]`)
			if rest == "" || rest[0] == ' ' {
				return true
			}
		}
	}
	return false
}

// saysConsent tells whether a block says what consent dialogs say. Long pages are
// not looked through to their end: they are no walls.
func (l *looker) saysConsent(block string) bool {
	if l.asked >= 64<<10 {
		return false
	}
	l.asked += min(len(block), 1024)
	return saysConsent(block)
}

// weight is the amount of text in s.
func weight(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
		case r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 2
		default:
			n++
		}
	}
	return n
}

// attributes are those that the look is interested in.
type attributes struct {
	id, class, style, kind, name, value, equiv, content string
	hidden                                              bool
}

func readAttributes(z *html.Tokenizer) (a attributes) {
	for range 64 { // what comes behind is of no interest, and may be a million more
		key, value, more := z.TagAttr()
		switch string(key) {
		case "id":
			a.id = short(value)
		case "class":
			a.class = short(value)
		case "style":
			a.style = short(value)
		case "type":
			a.kind = short(value)
		case "name":
			a.name = short(value)
		case "value":
			a.value = short(value)
		case "http-equiv":
			a.equiv = short(value)
		case "content":
			a.content = string(value[:min(len(value), 2048)])
		case "hidden":
			a.hidden = string(value) != "until-found"
		}
		if !more {
			break
		}
	}
	return a
}

func short(b []byte) string { return string(b[:min(len(b), 256)]) }

func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

func isBlock(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "body", "br", "center", "dd", "details", "dialog", "div", "dl", "dt",
		"fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html",
		"legend", "li", "main", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th",
		"thead", "title", "tr", "ul", "noscript", "script", "button":
		return true
	}
	return false
}
