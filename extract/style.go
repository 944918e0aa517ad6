package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// style is how an element is shown, as far as it is known: from its name, its
// attributes, its style attribute and the style sheets inside of the page.
type style struct {
	look   // what is handed on to its children
	hidden bool
	faded  bool // hidden only as long as no script or animation shows it
	block  bool // it begins and ends a line
}

// declared are the values that are declared for an element, "" for none.
type declared [properties]string

// styleOf returns the style of n, which lies in an element with the look outer.
func (s *stylesheet) styleOf(n *html.Node, outer look) style {
	st := style{look: outer, block: outer.flex || blockElements[n.DataAtom] && n.Namespace == ""}
	st.flex = false
	if hiddenByMarkup(n) {
		st.hidden = true
		return st
	}
	var d declared
	inline := attr(n, "style")
	if s.empty && inline == "" {
		if hasName(n) {
			st.forget()
		}
		return st
	}
	if hasName(n) {
		st.forget()
	}
	if !s.cascade(n, inline, &d) {
		return st
	}
	frame := n.DataAtom == atom.Html || n.DataAtom == atom.Body
	switch v := d[display]; v {
	case "":
	case "none":
		st.hidden = !frame
	case "inline", "contents", "inline-block", "inline-flex", "ruby", "ruby-text":
		st.block = outer.flex
	case "block", "flex", "grid", "list-item", "flow-root", "table", "table-row", "-webkit-box", "table-cell":
		st.block = true
		st.flex = v == "flex" || v == "grid"
	}
	switch d[visibility] {
	case "hidden", "collapse":
		st.invisible = !frame && !s.ignoreFading
	case "visible":
		st.invisible = false
	}
	if !frame && !st.hidden && d.unseen() {
		st.hidden = true
	}
	if !frame && !st.hidden && d.transparent() && !s.ignoreFading {
		st.hidden, st.faded = true, true
	}
	if v := d[fontSize]; v != "" {
		st.tiny = zero(v)
	}
	switch v := d[whiteSpace]; v {
	case "":
	case "pre", "pre-wrap", "break-spaces":
		st.keepSpace = true
	default:
		st.keepSpace = false
	}
	if v := d[color]; v != "" {
		st.color = rgb(v)
		if st.color == "transparent" && d[background] == "" && !hasName(n) {
			st.back = st.color
		}
	}
	if v := d[background]; v != "" {
		st.back = rgb(v)
	}
	return st
}

// hasName reports whether rules of a style sheet outside of the page may well apply
// to n.
func hasName(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "class" || a.Key == "id" {
			return true
		}
	}
	return false
}

// forget drops what was inherited and may be set anew by rules that are not known.
func (s *style) forget() {
	s.tiny = false
	s.color, s.back = "", ""
}

// unseen reports whether the box of an element takes its text out of sight.
func (d *declared) unseen() bool {
	if d[contentVisibility] == "hidden" {
		return true
	}
	outOfFlow := d[position] == "absolute" || d[position] == "fixed"
	if outOfFlow {
		for _, p := range []property{left, right, top, bottom} {
			if v, ok := pixels(d[p]); ok && (v <= -500 || v >= 5000) {
				return true
			}
		}
		if strings.HasPrefix(d[clip], "rect(") && allNumbers(d[clip], 1) {
			return true
		}
	}
	if v, ok := pixels(d[textIndent]); ok && v <= -500 {
		return true
	}
	if v, ok := pixels(d[marginLeft]); ok && v <= -2000 {
		return true
	}
	if v := d[clipPath]; v == "circle(0)" || strings.HasPrefix(v, "inset(") && (strings.Contains(v, "50%") || strings.Contains(v, "100%")) {
		return true
	}
	if v := strings.ReplaceAll(d[transform], " ", ""); strings.HasPrefix(v, "scale(0)") || strings.HasPrefix(v, "scale(0,0)") {
		return true
	}
	if o := d[overflow]; (o == "hidden" || o == "clip") && (d[padding] == "" || zero(d[padding])) {
		for _, p := range []property{width, height, maxHeight} {
			if v, ok := pixels(d[p]); ok && v <= 1 {
				return true
			}
		}
	}
	return false
}

// transparent reports whether an element cannot be seen through no animation of its
// own.
func (d *declared) transparent() bool {
	if d[opacity] == "" || d[animation] != "" && d[animation] != "none" {
		return false
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(d[opacity], "%"), 64)
	return err == nil && v < 0.01
}

// pixels returns a length, with the sizes of a usual screen for relative units.
func pixels(v string) (float64, bool) {
	number := strings.TrimRight(v, "abcdefghijklmnopqrstuvwxyz%")
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	switch v[len(number):] {
	case "em", "rem":
		f *= 16
	case "%", "vw":
		f *= screenWidth / 100
	case "vh":
		f *= screenHeight / 100
	}
	return f, true
}

func zero(v string) bool {
	f, ok := pixels(v)
	return ok && f == 0
}

// allNumbers reports whether all numbers in v are at most limit, and there are some.
func allNumbers(v string, limit float64) bool {
	n := 0
	for f := range strings.FieldsFuncSeq(v, func(r rune) bool {
		return (r < '0' || r > '9') && r != '.' && r != '-' && r != '%' && (r < 'a' || r > 'z')
	}) {
		if x, ok := pixels(f); ok {
			if n++; x > limit {
				return false
			}
		}
	}
	return n > 0
}
