package files

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/quarry-sdk/quarry"
)

const (
	// maxMatchBytes is how much of a line is shown that fits.
	maxMatchBytes = 400
	// maxGrepBytes bounds what one call shows.
	maxGrepBytes = 48 << 10
)

var grepSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "a regular expression in RE2 syntax that is looked for in each line: without look-around and back-references; put a backslash before ( [ { . * + ? where the character itself is meant"},
		"path": {"type": "string", "description": "the file or folder to look in, relative to the workspace; the workspace itself by default"},
		"glob": {"type": "string", "maxLength": 500, "description": "looks into files whose names fit only, such as *.go"},
		"ignore_case": {"type": "boolean", "description": "false by default"},
		"context": {"type": "integer", "minimum": 0, "maximum": 10, "description": "how many lines to show before and after each; 0 by default"},
		"files_only": {"type": "boolean", "description": "shows the files and how many lines fit in each, not the lines; false by default"}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`)

type grepIn struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
	FilesOnly  bool   `json:"files_only"`
}

// grepOut is the typed output of grep.
type grepOut struct {
	Pattern string `json:"pattern"`
	// Files are those with lines that fit, Lines how many there are in all.
	Files []matched `json:"files"`
	Lines int       `json:"lines"`
	// Searched is how many files were looked into; Skipped how many were too large
	// or could not be read.
	Searched int `json:"searched"`
	Skipped  int `json:"skipped,omitempty"`

	text   strings.Builder
	shown  int
	hidden int
	notes  []string
}

type matched struct {
	Path  string `json:"path"`
	Lines int    `json:"lines"`
}

func (w *Workspace) grepTool() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Description: "Searches the lines of the workspace's files with a regular expression, and shows each line that fits with its file and number. " +
			"Use it to find where something stands; read the places with " + ReadName + " before you change them. Files that are not text are passed over.",
		Effect:         quarry.ReadOnly,
		InputSchema:    grepSchema,
		MaxResultBytes: maxGrepBytes + 16<<10,
		Name:           GrepName,
		Scope:          quarry.Scope{Kind: quarry.ScopePath, Field: "path"},
	}, w.grep)
}

func (w *Workspace) grep(ctx context.Context, in grepIn) (*grepOut, error) {
	g := &grepping{w: w, in: in, out: &grepOut{Pattern: in.Pattern, Files: []matched{}}}
	expr := in.Pattern
	if in.IgnoreCase {
		expr = "(?i)" + expr
	}
	var err error
	if g.re, err = regexp.Compile(expr); err != nil {
		return nil, fmt.Errorf("the pattern %q is not a regular expression: %w; RE2 has no look-around and no back-references, and a character with a meaning of its own needs a backslash before it", in.Pattern, err)
	}
	if in.Glob != "" {
		if g.names, err = newPattern(in.Glob); err != nil {
			return nil, err
		}
	}
	start := in.Path
	if start == "" {
		start = "."
	}
	p, err := w.resolve(start, false)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if p.info == nil {
		return nil, notFound(p.dir, p.path)
	}
	if !p.isDir() {
		data, err := w.load(p)
		if err != nil {
			return nil, err
		}
		g.search(p.path, data)
		return g.out, nil
	}
	g.below = p.path
	k := walk{w: w, depth: maxPathDepth, visit: g.visit}
	if err := k.run(ctx, p); err != nil {
		return nil, err
	}
	g.out.notes = append(g.out.notes, k.notes()...)
	return g.out, nil
}

// grepping is one call of grep.
type grepping struct {
	w     *Workspace
	in    grepIn
	re    *regexp.Regexp
	names pattern
	below string
	out   *grepOut
}

func (g *grepping) visit(e entry) error {
	if !e.info.Mode().IsRegular() || (g.names != nil && !g.names.match(below(g.below, e.path))) {
		return nil
	}
	data, err := g.w.load(&place{dir: e.dir, name: e.info.Name(), path: e.path, info: e.info})
	if err != nil {
		g.out.Skipped++
		return nil
	}
	g.search(e.path, data)
	return nil
}

// search looks through the lines of one file.
func (g *grepping) search(name string, data []byte) {
	g.out.Searched++
	if bytes.IndexByte(data, 0) >= 0 {
		return
	}
	var lines [][]byte
	var hits []int
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		if g.re.Match(line) {
			hits = append(hits, len(lines))
		}
		lines = append(lines, line)
	}
	if hits == nil {
		return
	}
	g.out.Files = append(g.out.Files, matched{name, len(hits)})
	g.out.Lines += len(hits)
	if g.in.FilesOnly {
		if g.fits() {
			fmt.Fprintf(&g.out.text, "%s: %s\n", oneLine(name), count(len(hits), "line"))
		}
		return
	}
	g.show(name, lines, hits)
}

// fits counts one more that fits, and tells whether it is shown.
func (g *grepping) fits() bool {
	if g.out.shown >= g.w.cfg.MaxMatches || g.out.text.Len() > maxGrepBytes {
		g.out.hidden++
		return false
	}
	g.out.shown++
	return true
}

// show writes the lines that fit, with those around them.
func (g *grepping) show(name string, lines [][]byte, hits []int) {
	out, last := g.out, -1
	for i, hit := range hits {
		if !g.fits() {
			continue
		}
		from, to := max(hit-g.in.Context, last+1), min(hit+g.in.Context, len(lines)-1)
		if i+1 < len(hits) {
			to = min(to, hits[i+1]-1)
		}
		if g.in.Context > 0 && out.text.Len() > 0 && (last < 0 || from > last+1) {
			out.text.WriteString("--\n")
		}
		for n := from; n <= to; n++ {
			sep := "-"
			if n == hit {
				sep = ":"
			}
			fmt.Fprintf(&out.text, "%s%s%d%s %s\n", oneLine(name), sep, n+1, sep, g.excerpt(lines[n]))
		}
		last = to
	}
}

// excerpt cuts a long line around what fits in it.
func (g *grepping) excerpt(line []byte) string {
	if len(line) <= maxMatchBytes {
		return strings.ToValidUTF8(string(line), "�")
	}
	from := 0
	if at := g.re.FindIndex(line); at != nil && at[0] > maxMatchBytes/2 {
		from = runeStart(line, at[0]-maxMatchBytes/2)
	}
	to := runeStart(line, from+maxMatchBytes)
	cut := strings.ToValidUTF8(string(line[from:to]), "�")
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(line) {
		cut += "…"
	}
	return cut
}

// ToolText is what the model reads.
func (o *grepOut) ToolText() string {
	var b strings.Builder
	if o.Lines == 0 {
		fmt.Fprintf(&b, "No line fits the pattern %q in %s.\n", o.Pattern, count(o.Searched, "file"))
	} else {
		fmt.Fprintf(&b, "%s in %s, of %d searched:\n", count(o.Lines, "line"), count(len(o.Files), "file"), o.Searched)
		b.WriteString(o.text.String())
		if o.hidden > 0 {
			fmt.Fprintf(&b, "[%d more are not shown. Use a narrower pattern, a glob, a folder, or files_only.]\n", o.hidden)
		}
	}
	if o.Skipped > 0 {
		fmt.Fprintf(&b, "[%s passed over: too large, or not readable.]\n", count(o.Skipped, "file"))
	}
	for _, n := range o.notes {
		b.WriteString(n + "\n")
	}
	return b.String()
}
