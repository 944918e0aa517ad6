package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/quarry-sdk/quarry"
)

var globSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "minLength": 1, "maxLength": 500, "description": "such as *.md, notes/*.txt, src/**/*_test.go or *.{yml,yaml}: * stands for any part of a name, ** for any folders; without a slash it is looked for in every folder"},
		"path": {"type": "string", "description": "the folder to look in, relative to the workspace; the workspace itself by default"}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`)

type globIn struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func (w *Workspace) globTool() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Description: "Finds files and folders of the workspace by their names. Use it where you know a part of the name or its extension; " +
			"to look into files, use " + GrepName + ".",
		Effect:         quarry.ReadOnly,
		InputSchema:    globSchema,
		MaxResultBytes: 128 << 10,
		Name:           GlobName,
		Scope:          quarry.Scope{Kind: quarry.ScopePath, Field: "path"},
	}, func(ctx context.Context, in globIn) (*listing, error) {
		pattern, err := newPattern(in.Pattern)
		if err != nil {
			return nil, err
		}
		p, err := w.folder(in.Path)
		if err != nil {
			return nil, err
		}
		defer p.close()
		l := &listing{Path: p.path, Entries: []listed{}, none: fmt.Sprintf("Nothing below %q fits the pattern %q.", p.path, in.Pattern)}
		k := walk{w: w, depth: maxPathDepth, visit: func(e entry) error {
			if pattern.match(below(p.path, e.path)) {
				l.add(e, w.cfg.MaxEntries)
			}
			return nil
		}}
		if err := k.run(ctx, p); err != nil {
			return nil, err
		}
		l.notes = k.notes()
		return l, nil
	})
}

// below is a path as seen from a folder above it.
func below(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}

// pattern is a glob: alternatives, each the patterns of a path's names. A path
// fits if it fits one of them.
type pattern [][]string

// The limits of a pattern.
const (
	maxAlternatives = 64
	maxPatternDepth = 64
)

// newPattern reads a glob. Its errors are for the model.
func newPattern(text string) (pattern, error) {
	if strings.HasPrefix(text, "/") || hasVolume(text) || strings.Contains("/"+text+"/", "/../") {
		return nil, fmt.Errorf("the pattern %q leads out of the workspace; write it relative to the workspace, such as notes/*.md", text)
	}
	alternatives, err := braces(norm.NFC.String(strings.TrimPrefix(text, "./")))
	if err != nil {
		return nil, fmt.Errorf("the pattern %q cannot be read: %w", text, err)
	}
	var p pattern
	for _, a := range alternatives {
		if !strings.Contains(a, "/") {
			a = "**/" + a
		}
		names := strings.Split(strings.TrimSuffix(a, "/"), "/")
		if len(names) > maxPatternDepth {
			return nil, fmt.Errorf("the pattern %q has more than %d folders below each other", text, maxPatternDepth)
		}
		for _, name := range names {
			if _, err := path.Match(name, ""); err != nil {
				return nil, fmt.Errorf("the pattern %q cannot be read at %q: close each [ with a ]", text, name)
			}
		}
		p = append(p, names)
	}
	return p, nil
}

// braces writes out {a,b}.
func braces(text string) ([]string, error) {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return []string{text}, nil
	}
	depth, from := 0, open+1
	var choices []string
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case ',':
			if depth == 1 {
				choices = append(choices, text[from:i])
				from = i + 1
			}
		case '}':
			if depth--; depth > 0 {
				continue
			}
			choices = append(choices, text[from:i])
			var all []string
			for _, choice := range choices {
				more, err := braces(text[:open] + choice + text[i+1:])
				if err != nil {
					return nil, err
				}
				if all = append(all, more...); len(all) > maxAlternatives {
					return nil, fmt.Errorf("it stands for more than %d patterns; use fewer braces", maxAlternatives)
				}
			}
			return all, nil
		}
	}
	return nil, errors.New("close each { with a }")
}

// match tells whether a path fits.
func (p pattern) match(name string) bool {
	names := strings.Split(norm.NFC.String(name), "/")
	for _, alternative := range p {
		if matchNames(alternative, names) {
			return true
		}
	}
	return false
}

// matchNames matches name by name; ** stands for any number of them. What it
// costs is bounded by the product of the two lengths.
func matchNames(pattern, names []string) bool {
	fits := make([]bool, len(names)+1) // fits[i]: the pattern so far fits names[:i]
	fits[0] = true
	for _, p := range pattern {
		if p == "**" {
			for i := 1; i <= len(names); i++ {
				fits[i] = fits[i] || fits[i-1]
			}
			continue
		}
		for i := len(names); i > 0; i-- {
			fits[i] = fits[i-1]
			if fits[i] {
				fits[i], _ = path.Match(p, names[i-1])
			}
		}
		fits[0] = false
	}
	return fits[len(names)]
}
