package files

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry"
)

var listSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "the folder, relative to the workspace; the workspace itself by default"},
		"depth": {"type": "integer", "minimum": 1, "maximum": 20, "description": "how many levels to show; 1 by default"}
	},
	"additionalProperties": false
}`)

type listIn struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
}

// listing is the typed output of list_files and glob.
type listing struct {
	Path    string   `json:"path"`
	Entries []listed `json:"entries"`
	// More is how many further ones were found and are not among Entries.
	More int `json:"more,omitempty"`

	none  string // what is said where there is nothing
	notes []string
}

type listed struct {
	Path string `json:"path"`
	// Kind is "file", "folder", "link", or what else it is.
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes,omitempty"`
}

func (l *listing) add(e entry, most int) {
	if len(l.Entries) >= most {
		l.More++
		return
	}
	item := listed{Path: e.path, Kind: "file"}
	switch mode := e.info.Mode(); {
	case mode.IsRegular():
		item.Bytes = e.info.Size()
	case mode.IsDir():
		item.Kind = "folder"
	case mode&fs.ModeSymlink != 0:
		item.Kind = "link"
	default:
		item.Kind = strings.TrimPrefix(kindOf(mode), "a ")
	}
	l.Entries = append(l.Entries, item)
}

// ToolText is what the model reads.
func (l *listing) ToolText() string {
	var b strings.Builder
	for _, e := range l.Entries {
		b.WriteString(oneLine(e.Path))
		switch e.Kind {
		case "file":
			fmt.Fprintf(&b, "\t%s", count(e.Bytes, "byte"))
		case "folder":
			b.WriteByte('/')
		default:
			fmt.Fprintf(&b, "\t(%s)", e.Kind)
		}
		b.WriteByte('\n')
	}
	if len(l.Entries) == 0 {
		b.WriteString(l.none + "\n")
	}
	if l.More > 0 {
		fmt.Fprintf(&b, "[%d more are not shown. Ask for a folder below, or use a narrower pattern.]\n", l.More)
	}
	for _, n := range l.notes {
		b.WriteString(n + "\n")
	}
	return b.String()
}

// oneLine keeps a name that holds a line end, which only others can have made,
// from looking like two.
func oneLine(name string) string {
	if badName(strings.ReplaceAll(name, "/", ""), false) != "" {
		return strconv.Quote(name)
	}
	return name
}

func (w *Workspace) listTool() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Description: "Lists a folder of the workspace: files with their sizes, folders with a slash behind the name. " +
			"Use it to find out what there is; to find files by name anywhere, use " + GlobName + ", and by content " + GrepName + ".",
		Effect:         quarry.ReadOnly,
		InputSchema:    listSchema,
		MaxResultBytes: 128 << 10,
		Name:           ListName,
		Scope:          quarry.Scope{Kind: quarry.ScopePath, Field: "path"},
	}, func(ctx context.Context, in listIn) (*listing, error) {
		p, err := w.folder(in.Path)
		if err != nil {
			return nil, err
		}
		defer p.close()
		l := &listing{Path: p.path, Entries: []listed{}, none: fmt.Sprintf("The folder %q is empty.", p.path)}
		k := walk{w: w, depth: max(in.Depth, 1), visit: func(e entry) error {
			l.add(e, w.cfg.MaxEntries)
			return nil
		}}
		if err := k.run(ctx, p); err != nil {
			return nil, err
		}
		l.notes = k.notes()
		return l, nil
	})
}
