// Package manual embeds the user manual: the Markdown files of this folder. The
// demo uses it as its corpus.
package manual

import "embed"

// Files holds the pages of the manual.
//
//go:embed *.md
var Files embed.FS
