package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// docxStyle is what a style of paragraphs or characters says of its text.
type docxStyle struct {
	basedOn string
	kind    extract.BlockKind
	level   int
	hidden  bool
	shown   bool // hidden is switched off
}

// docxStyles reads the styles, by identifier, and the language of the document.
func (a *archive) docxStyles(name string) (map[string]docxStyle, string, error) {
	styles := map[string]docxStyle{}
	if name == "" {
		return styles, "", nil
	}
	language, id := "", ""
	var s docxStyle
	defaults := false
	err := a.each(name, func(_ *walker, e xml.StartElement) error {
		switch e.Name.Local {
		case "docDefaults":
			defaults = true
		case "style":
			id, s, defaults = attr(e, "styleId"), docxStyle{}, false
		case "lang":
			if defaults && language == "" {
				language = attr(e, "val")
			}
		case "basedOn":
			s.basedOn = attr(e, "val")
		case "name":
			s.kind, s.level = namedStyle(attr(e, "val"))
		case "outlineLvl":
			if n, err := strconv.Atoi(attr(e, "val")); err == nil && n >= 0 && n < 9 {
				s.kind, s.level = extract.Heading, min(6, n+1)
			}
		case "vanish":
			s.hidden, s.shown = on(e), !on(e)
		default:
			return nil
		}
		if id != "" {
			styles[id] = s
		}
		return nil
	})
	return styles, language, err
}

// namedStyle knows the styles that every program has, by their invariant names.
func namedStyle(name string) (extract.BlockKind, int) {
	name = strings.ToLower(name)
	if n, ok := strings.CutPrefix(name, "heading "); ok && len(n) == 1 && n[0] >= '1' && n[0] <= '9' {
		return extract.Heading, min(6, int(n[0]-'0'))
	}
	switch {
	case name == "title":
		return extract.Heading, 1
	case name == "quote", name == "intense quote":
		return extract.Quotation, 0
	case name == "caption":
		return extract.Caption, 0
	case name == "html preformatted":
		return extract.Preformatted, 0
	case strings.HasPrefix(name, "list bullet"), strings.HasPrefix(name, "list number"):
		return extract.ListItem, 1
	}
	return "", 0
}

// style looks up a style through those that it is based on.
func style(styles map[string]docxStyle, id string) (out docxStyle) {
	for range 20 {
		s, ok := styles[id]
		if !ok {
			return out
		}
		if out.kind == "" {
			out.kind, out.level = s.kind, s.level
		}
		if !out.hidden && !out.shown {
			out.hidden, out.shown = s.hidden, s.shown
		}
		id = s.basedOn
	}
	return out
}
