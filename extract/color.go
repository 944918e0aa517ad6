package extract

import (
	"strconv"
	"strings"
)

// rgb returns a colour as six hexadecimal digits, "transparent", or "" for what is
// none that is known.
func rgb(v string) string {
	v = strings.TrimSpace(v)
	if hex, ok := strings.CutPrefix(v, "#"); ok {
		switch len(hex) {
		case 3, 4:
			hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		case 6:
		case 8:
			hex = hex[:6]
		default:
			return ""
		}
		if _, err := strconv.ParseUint(hex, 16, 32); err != nil {
			return ""
		}
		return hex
	}
	if name, args, ok := strings.Cut(v, "("); ok && (name == "rgb" || name == "rgba") {
		parts := strings.FieldsFunc(strings.TrimSuffix(args, ")"), func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
		if len(parts) < 3 {
			return ""
		}
		if len(parts) > 3 && zero(parts[3]) {
			return "transparent"
		}
		out := ""
		for _, p := range parts[:3] {
			n, err := strconv.ParseUint(p, 10, 8)
			if err != nil {
				return ""
			}
			out += strconv.FormatUint(n+0x100, 16)[1:]
		}
		return out
	}
	return colorNames[v]
}

// colorNames are the colours of HTML by name, and a few more.
var colorNames = map[string]string{
	"transparent": "transparent", "black": "000000", "silver": "c0c0c0", "gray": "808080", "grey": "808080", "white": "ffffff",
	"maroon": "800000", "red": "ff0000", "purple": "800080", "fuchsia": "ff00ff", "magenta": "ff00ff", "green": "008000",
	"lime": "00ff00", "olive": "808000", "yellow": "ffff00", "navy": "000080", "blue": "0000ff", "teal": "008080",
	"aqua": "00ffff", "cyan": "00ffff", "orange": "ffa500", "whitesmoke": "f5f5f5", "snow": "fffafa", "ivory": "fffff0",
}
