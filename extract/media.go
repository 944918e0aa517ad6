package extract

import (
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

var mediaFeature = lazyregexp.New(`\(\s*([a-z-]+)\s*(?::\s*([^()]*?)\s*)?\)`)

// forScreen reports whether a list of media queries holds for a person at a usual
// screen.
func forScreen(list string) bool {
	list = strings.TrimSpace(strings.ToLower(list))
	if list == "" {
		return true
	}
	for query := range strings.SplitSeq(list, ",") {
		if queryHolds(query) {
			return true
		}
	}
	return false
}

func queryHolds(query string) bool {
	features := mediaFeature().FindAllStringSubmatch(query, -1)
	for word := range strings.FieldsSeq(mediaFeature().ReplaceAllString(query, " ")) {
		switch word {
		case "screen", "all", "only", "and":
		default: // print, speech, not, or, and what came later
			return false
		}
	}
	for _, f := range features {
		if !featureHolds(f[1], f[2]) {
			return false
		}
	}
	return true
}

func featureHolds(name, value string) bool {
	side := map[string]float64{"width": screenWidth, "height": screenHeight, "device-width": screenWidth, "device-height": screenHeight}
	if bound, ok := strings.CutPrefix(name, "min-"); ok && side[bound] > 0 {
		v, ok := pixels(value)
		return ok && v <= side[bound]
	}
	if bound, ok := strings.CutPrefix(name, "max-"); ok && side[bound] > 0 {
		v, ok := pixels(value)
		return ok && v >= side[bound]
	}
	switch name {
	case "orientation":
		return value == "landscape"
	case "prefers-color-scheme":
		return value == "light"
	case "hover", "any-hover":
		return value == "hover" || value == ""
	case "color":
		n, err := strconv.Atoi(value)
		return value == "" || err == nil && n <= 8
	}
	return false
}
