package extract

import "strings"

// property is one of the CSS properties that decide whether and where text is seen.
type property int

const (
	animation property = iota
	background
	bottom
	clip
	clipPath
	color
	contentVisibility
	display
	fontSize
	height
	left
	marginLeft
	maxHeight
	opacity
	overflow
	padding
	position
	right
	textIndent
	top
	transform
	visibility
	whiteSpace
	width
	properties // their number
)

var propertyNames = map[string]property{
	"animation": animation, "-webkit-animation": animation, "animation-name": animation, "background": background,
	"background-color": background, "background-image": background, "bottom": bottom, "clip": clip, "clip-path": clipPath,
	"-webkit-clip-path": clipPath, "color": color, "content-visibility": contentVisibility, "display": display,
	"font-size": fontSize, "height": height, "left": left, "margin-left": marginLeft, "max-height": maxHeight,
	"opacity": opacity, "overflow": overflow, "overflow-x": overflow, "overflow-y": overflow, "padding": padding,
	"padding-bottom": padding, "padding-top": padding, "position": position, "right": right, "text-indent": textIndent,
	"top": top, "transform": transform, "-webkit-transform": transform, "visibility": visibility, "white-space": whiteSpace,
	"width": width,
}

// setting is a declaration of a property.
type setting struct {
	property  property
	value     string // lower case, white space collapsed
	important bool
}

// settings parses the declarations of a style attribute or a rule. Those of other
// properties are dropped.
func settings(css string) []setting {
	var list []setting
	for css != "" {
		end := topLevel(css, ";")
		declaration := css[:end]
		css = css[min(end+1, len(css)):]
		name, value, ok := strings.Cut(declaration, ":")
		if !ok || len(value) > 500 {
			continue
		}
		p, ok := propertyNames[strings.ToLower(strings.TrimSpace(name))]
		if !ok {
			continue
		}
		value, important := strings.CutSuffix(strings.TrimSpace(strings.ToLower(value)), "important")
		if important {
			value, important = strings.CutSuffix(strings.TrimRight(value, blanks), "!")
		}
		list = append(list, setting{p, collapse(value), important})
	}
	return list
}

// topLevel returns the index of the first of the characters in stops that lies in no
// string and no brackets, the length of css if there is none.
func topLevel(css, stops string) int {
	var quote byte
	depth := 0
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case depth == 0 && strings.IndexByte(stops, c) >= 0:
			return i
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth > 0:
			depth--
		}
	}
	return len(css)
}
