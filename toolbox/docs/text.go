package docs

import (
	"strings"

	"github.com/quarry-sdk/quarry/toolbox/internal/reading"
)

// headingPath shows a heading path on one line.
func headingPath(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = reading.OneLine(p, 100)
	}
	return strings.Join(parts, " > ")
}
