package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// Amounts of text, in the weights of page, up to which signs count.
const (
	// articleProse is so much text that no sign makes the page a wall.
	articleProse = 1500
	// someProse is so much that what a wall says may be what the page is about.
	someProse = 400
	// littleProse is less than two sentences.
	littleProse = 120
	// shellText is the most that an empty shell shows.
	shellText = 250
)

// seen is a page and what led to it.
type seen struct {
	page *page
	// asked is the first URL, final the last one.
	asked, final *url.URL
	header       http.Header
	status       int
}

// verdict is what a page is, and why.
type verdict struct {
	outcome Outcome
	reason  string
	signals []Signal
}

// classify tells whether an HTML page is what was asked for or a wall in front of
// it. It judges by what is on the page, whatever the status was.
func classify(v seen) verdict {
	p := v.page
	if p.prose >= articleProse {
		return verdict{outcome: OK}
	}
	found := findSigns(v)
	for _, judge := range []func(seen, map[Outcome][]hit) verdict{judgeBlock, judgeLogin, judgeConsent, judgeMissing, judgeShell} {
		if got := judge(v, found); got.outcome != "" {
			return got
		}
	}
	if p.visible == 0 {
		return verdict{Empty, "the page shows no text.", []Signal{{Name: "no_text", Where: "text"}}}
	}
	return verdict{outcome: OK}
}

// hit is a sign that was found.
type hit struct {
	*sign
	found string
	// part tells that it is only a part of the title, so that the rest may say
	// something else.
	part bool
}

func (h hit) signal() Signal {
	return Signal{Name: h.name, Where: string(h.where), Found: clipFound(h.found)}
}

// findSigns looks for all signs, and returns what was found by outcome.
func findSigns(v seen) map[Outcome][]hit {
	p := v.page
	found := make(map[Outcome][]hit)
	for i := range signs {
		s := &signs[i]
		if what, part := s.find(p, v); what != "" {
			found[s.outcome] = append(found[s.outcome], hit{s, what, part})
		}
	}
	return found
}

// find looks for a sign in its place.
func (s *sign) find(p *page, v seen) (found string, part bool) {
	re := s.pattern()
	switch s.where {
	case inURL:
		return re.FindString(strings.ToLower(v.final.String())), false
	case inTitle:
		return matchTitle(re, p.title)
	case inH1:
		for _, h := range p.headings {
			if found = matchWhole(re, h); found != "" {
				return found, false
			}
		}
	case inText:
		return re.FindString(p.text), false
	case inMarkup:
		if containsAny(p.markup, s.keys) {
			return re.FindString(p.markup), false
		}
	case inShadow:
		return re.FindString(p.noscript), false
	case inHeaders:
		return re.FindString(strings.ToLower(headerText(v.header))), false
	case inButtons:
		for _, b := range p.buttons {
			if re.MatchString(b) {
				return b, false
			}
		}
	}
	return "", false
}

// matchTitle matches a title as a whole, or what stands beside a separator between
// it and the name of the site; part tells that it was so.
func matchTitle(re *regexp.Regexp, title string) (found string, part bool) {
	if found = matchWhole(re, title); found != "" {
		return found, false
	}
	for _, sep := range []string{" | ", " - ", " – ", " — ", " · ", " :: ", " • ", "_", "｜"} {
		if before, after, ok := strings.Cut(title, sep); ok {
			if found = matchWhole(re, before); found != "" && len(after) <= 60 {
				return found, true
			}
			if found = matchWhole(re, after); found != "" && len(before) <= 40 {
				return found, true
			}
		}
	}
	return "", false
}

// matchWhole matches all of a heading or a title.
func matchWhole(re *regexp.Regexp, s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || len(s) > 200 || !re.MatchString(s) {
		return ""
	}
	return s
}

// strongest is the greatest force among hits.
func strongest(hits []hit) force {
	var f force
	for _, h := range hits {
		f = max(f, h.force)
	}
	return f
}

// named tells whether a title or a heading says what the page is, and how much prose
// may be beside it: less where it is only a part of the title.
func named(hits []hit) (limit int) {
	for _, h := range hits {
		switch {
		case h.where == inH1, h.where == inTitle && !h.part:
			return someProse
		case h.where == inTitle:
			limit = 2 * littleProse
		}
	}
	return limit
}

// has tells whether one of the hits is in one of the places.
func has(hits []hit, places ...place) bool {
	for _, h := range hits {
		for _, w := range places {
			if h.where == w {
				return true
			}
		}
	}
	return false
}

func signals(hits []hit, more ...Signal) []Signal {
	var list []Signal
	for _, h := range hits {
		list = append(list, h.signal())
	}
	return append(list, more...)
}

// judgeBlock: proof of a wall; or the words of one as title or heading where there
// is little else; or in the text where there is nothing else, or beside a captcha.
func judgeBlock(v seen, found map[Outcome][]hit) verdict {
	p, hits := v.page, found[Blocked]
	if len(hits) == 0 {
		return verdict{}
	}
	refused := v.status >= 400
	widget := false
	said := 0
	for _, h := range hits {
		switch h.force {
		case hint:
			widget = true
		case words:
			said++
		}
	}
	blocked := strongest(hits) == proof ||
		p.prose < named(hits) ||
		said > 0 && (p.prose < 3*littleProse/2 || p.prose < 2*someProse && (widget || refused)) ||
		widget && p.visible < shellText && p.textAreas == 0 && p.passwords == 0 && p.emails == 0
	if !blocked {
		return verdict{}
	}
	return verdict{Blocked, fmt.Sprintf("the host shows a check for bots instead of the page (%s).", hits[0].name), signals(hits)}
}

// judgeLogin: a field for a password, or the words of a login page, and little else.
func judgeLogin(v seen, found map[Outcome][]hit) verdict {
	p, hits := v.page, found[Login]
	var more []Signal
	if p.passwords > 0 {
		more = append(more, Signal{Name: "password_field", Where: "markup"})
	}
	redirected := has(hits, inURL) && v.asked != nil && !strings.EqualFold(v.asked.Path, v.final.Path)
	if redirected {
		more = append(more, Signal{Name: "redirected_to_login", Where: "url", Found: clipFound(v.final.Path)})
	}
	fields := p.passwords > 0 || p.emails > 0
	login := p.prose < someProse && (p.passwords > 0 && (p.prose < 2*littleProse && p.visible < 4*someProse || has(hits, inTitle, inURL)) ||
		redirected && (fields || has(hits, inTitle, inText) || p.visible < shellText) ||
		has(hits, inTitle) && fields ||
		has(hits, inText) && p.prose < littleProse && p.visible < 2*someProse)
	if !login {
		return verdict{}
	}
	return verdict{Login, "the host asks who you are before it shows the page.", signals(hits, more...)}
}

// judgeConsent: two signs of a consent dialog, and no two sentences outside of it.
func judgeConsent(v seen, found map[Outcome][]hit) verdict {
	p, hits := v.page, found[ConsentWall]
	outside := p.visible - p.consent
	kinds := len(hits)
	wall := p.prose < littleProse && kinds >= 2 && (outside < 2*someProse && p.consent >= littleProse/3 ||
		has(hits, inURL) && p.visible < 4*articleProse)
	if !wall {
		return verdict{}
	}
	return verdict{ConsentWall, "the host asks for consent and shows nothing behind the question.", signals(hits)}
}

// judgeMissing: a title or a heading that says so, and little else; or a text that
// says so, and nothing else; or the front page instead of a page deep in the site.
func judgeMissing(v seen, found map[Outcome][]hit) verdict {
	p, hits := v.page, found[NotFound]
	if p.prose < named(hits) || has(hits, inText) && p.prose < 3*littleProse/2 {
		return verdict{NotFound, "the page says that there is no such page.", signals(hits)}
	}
	return verdict{}
}

// judgeShell: next to no text, and scripts to fetch it.
func judgeShell(v seen, found map[Outcome][]hit) verdict {
	p, hits := v.page, found[ScriptShell]
	if p.scripts == 0 || p.visible >= shellText || p.prose >= littleProse {
		return verdict{}
	}
	var more []Signal
	if p.root {
		more = append(more, Signal{Name: "root_element", Where: "markup"})
	}
	if p.visible < 40 {
		more = append(more, Signal{Name: "no_text", Where: "text"})
	}
	if len(hits)+len(more) == 0 {
		return verdict{}
	}
	return verdict{ScriptShell, "the page is empty until its scripts have run.", signals(hits, more...)}
}

func clipFound(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxFound {
		s = strings.ToValidUTF8(s[:maxFound], "") + "…"
	}
	return s
}
