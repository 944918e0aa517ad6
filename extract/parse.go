package extract

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// tamedBytes is the size from which a page is tamed before it is parsed; smaller
	// ones cannot use up much memory.
	tamedBytes = 512 << 10
	// maxAttributes is the number of attributes that an element keeps when tamed.
	maxAttributes = 256
	// maxTagBytes is the size of one tag, comment or run of text from which on a page
	// is cut off.
	maxTagBytes = 8 << 20
	// maxNesting is the depth of elements that the flattening of a page leaves. The
	// parser takes 512.
	maxNesting = 200
)

// parseHTML parses a page as a browser with scripts does, whatever it holds: what is
// too much for the parser or the memory is left out, with a warning.
func parseHTML(src string, maxElements int) (*html.Node, []Warning, error) {
	src = selfClosing(src)
	var warnings []Warning
	if len(src) > tamedBytes {
		var cut bool
		if src, cut = tame(src, maxElements, false); cut {
			warnings = append(warnings, Warning{"truncated", "The page has too many elements or attributes; only a part of them was read."})
		}
	}
	root, err := html.Parse(strings.NewReader(src))
	for try := 0; err != nil && try < 2; try++ {
		// What the parser refuses is nested too deeply.
		if try == 0 {
			warnings = append(warnings, Warning{"nesting", "The page nests its elements too deeply; the deepest were taken apart."})
		}
		flat, _ := tame(src, maxElements, true)
		if try == 1 {
			flat = withoutFormatting(flat)
		}
		root, err = html.Parse(strings.NewReader(flat))
	}
	if err != nil {
		return nil, warnings, errors.Join(ErrDamaged, err)
	}
	return root, warnings, nil
}

// tame copies a page token by token, without surplus attributes, and without what
// comes after too many elements, which it reports. With flatten it leaves out the
// tags of elements below maxNesting.
func tame(src string, maxElements int, flatten bool) (out string, cut bool) {
	z := html.NewTokenizer(strings.NewReader(src))
	z.SetMaxBuf(maxTagBytes)
	var sb strings.Builder
	sb.Grow(len(src))
	elements, attributes := 0, 0
	nest := nesting{open: make(map[string]int)}
	for {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case html.ErrorToken:
			return sb.String(), cut || z.Err() != io.EOF
		case html.StartTagToken, html.SelfClosingTagToken:
			if elements++; elements > maxElements {
				return sb.String(), true
			}
			name := tagName(raw[1:])
			if flatten && !voidElements[name] && !nest.start(name) {
				continue
			}
			n := separators(raw)
			keep := maxAttributes
			if attributes += n; attributes > 4*maxElements {
				keep = 8
			}
			if n > keep {
				tag := string(raw)
				if few, n := fewerAttributes(z, keep); n > keep {
					tag, cut = few, true
				}
				sb.WriteString(tag)
				continue
			}
		case html.EndTagToken:
			if flatten && !nest.end(tagName(raw[2:])) {
				continue
			}
			if len(raw) > 4*maxAttributes {
				raw = []byte("</" + tagName(raw[2:]) + ">")
			}
		}
		sb.Write(raw)
	}
}

// separators counts what can separate the attributes of a tag.
func separators(tag []byte) (n int) {
	for _, c := range tag {
		switch c {
		case ' ', '\t', '\n', '\r', '\f', '/', '"', '\'':
			n++
		}
	}
	return n
}

// fewerAttributes writes the current tag with its first attributes only, and counts
// all.
func fewerAttributes(z *html.Tokenizer, keep int) (tag string, n int) {
	name, more := z.TagName()
	t := html.Token{Type: html.StartTagToken, Data: string(name)}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if n++; n <= keep {
			t.Attr = append(t.Attr, html.Attribute{Key: string(key), Val: string(value)})
		}
	}
	return t.String(), n
}

// nesting keeps count of the open elements of a page, roughly as the parser does.
type nesting struct {
	names []string // of those that are kept and those that are not
	kept  []bool
	depth int // how many are kept
	open  map[string]int
}

// start opens an element and reports whether it is kept.
func (n *nesting) start(name string) bool {
	if len(n.names) > 0 && impliedEnd[name] != "" && strings.Contains(impliedEnd[name], " "+n.names[len(n.names)-1]+" ") {
		n.pop()
	}
	keep := n.depth < maxNesting
	n.names, n.kept = append(n.names, name), append(n.kept, keep)
	n.open[name]++
	if keep {
		n.depth++
	}
	return keep
}

// end closes an element, and those left open in it, and reports whether its tag is
// kept.
func (n *nesting) end(name string) bool {
	if n.open[name] == 0 {
		return name == "p" || name == "br"
	}
	for {
		if last, kept := n.pop(); last == name {
			return kept
		}
	}
}

func (n *nesting) pop() (name string, kept bool) {
	last := len(n.names) - 1
	name, kept = n.names[last], n.kept[last]
	n.names, n.kept = n.names[:last], n.kept[:last]
	n.open[name]--
	if kept {
		n.depth--
	}
	return name, kept
}

// impliedEnd lists the elements that a start tag ends if one of them is the last that
// is open.
var impliedEnd = map[string]string{
	"p": " p ", "div": " p ", "ul": " p ", "ol": " p ", "table": " p ", "h1": " p ", "h2": " p ", "h3": " p ", "h4": " p ",
	"li": " li p ", "dt": " dt dd p ", "dd": " dt dd p ", "tr": " td th tr ", "td": " td th ", "th": " td th ",
	"option": " option ", "a": " a ",
}

// withoutFormatting makes spans of the elements that the parser opens again in each
// block for as long as they are not closed.
func withoutFormatting(src string) string {
	z := html.NewTokenizer(strings.NewReader(src))
	var sb strings.Builder
	for {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case html.ErrorToken:
			return sb.String()
		case html.StartTagToken, html.EndTagToken:
			at := bytes.IndexFunc(raw, func(r rune) bool { return r != '<' && r != '/' })
			if name := tagName(raw[at:]); formatting[name] {
				if kind == html.EndTagToken {
					sb.WriteString("</span>")
				} else {
					sb.WriteString("<span")
					sb.Write(raw[1+len(name):])
				}
				continue
			}
		}
		sb.Write(raw)
	}
}

var formatting = map[string]bool{
	"b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "s": true, "small": true, "strike": true,
	"strong": true, "tt": true, "u": true, "nobr": true,
}

// tagName returns the name at the beginning of a tag, in lower case.
func tagName[T string | []byte](tag T) string {
	end := 0
	for end < len(tag) && (isLetter(tag[end]) || end > 0 && !isBlank(tag[end]) && tag[end] != '/' && tag[end] != '>') {
		end++
	}
	return strings.ToLower(string(tag[:end]))
}

// selfClosing opens elements that XHTML closes in place, such as <a id="x"/>, and that
// an HTML parser would take to stay open.
func selfClosing(src string) string {
	if !strings.HasPrefix(strings.TrimLeft(src[:min(len(src), 512)], blanks), "<?xml") {
		return src
	}
	var sb strings.Builder
	sb.Grow(len(src) + len(src)/50)
	for {
		end := strings.Index(src, "/>")
		if end < 0 {
			sb.WriteString(src)
			return sb.String()
		}
		open := strings.LastIndexByte(src[:end], '<')
		name := ""
		if open >= 0 {
			name = tagName(src[open+1 : end])
		}
		if name == "" || voidElements[name] || foreign[name] || strings.IndexByte(src[open:end], '>') >= 0 {
			sb.WriteString(src[:end+2])
		} else {
			sb.WriteString(src[:end])
			sb.WriteString("></" + name + ">")
		}
		src = src[end+2:]
	}
}

var voidElements = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "param": true, "source": true, "track": true, "wbr": true,
}

// foreign are elements of SVG that an HTML parser knows to close in place.
var foreign = map[string]bool{"svg": true, "path": true, "rect": true, "circle": true, "line": true, "use": true, "polygon": true, "g": true}

// blockElements begin and end a line.
var blockElements = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Audio: true, atom.Blockquote: true, atom.Body: true,
	atom.Caption: true, atom.Center: true, atom.Dd: true, atom.Details: true, atom.Dialog: true, atom.Dir: true,
	atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true,
	atom.Footer: true, atom.Form: true, atom.Frameset: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.H5: true, atom.H6: true, atom.Header: true, atom.Hgroup: true, atom.Hr: true, atom.Html: true, atom.Legend: true,
	atom.Li: true, atom.Listing: true, atom.Main: true, atom.Menu: true, atom.Nav: true, atom.Ol: true, atom.Optgroup: true,
	atom.Option: true, atom.P: true, atom.Plaintext: true, atom.Pre: true, atom.Section: true, atom.Summary: true,
	atom.Table: true, atom.Tbody: true, atom.Td: true, atom.Textarea: true, atom.Tfoot: true, atom.Th: true,
	atom.Thead: true, atom.Tr: true, atom.Ul: true, atom.Video: true, atom.Xmp: true,
}

// spacedBlocks have an empty line around them.
var spacedBlocks = map[atom.Atom]bool{
	atom.Blockquote: true, atom.Dl: true, atom.Figure: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.H5: true, atom.H6: true, atom.Hr: true, atom.Listing: true, atom.Ol: true, atom.P: true, atom.Plaintext: true,
	atom.Pre: true, atom.Table: true, atom.Textarea: true, atom.Ul: true, atom.Xmp: true,
}
