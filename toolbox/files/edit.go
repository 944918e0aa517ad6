package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry"
)

var editSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "the file, relative to the workspace"},
		"edits": {
			"type": "array",
			"minItems": 1,
			"maxItems": 50,
			"description": "what to replace, in this order; all of it is done or nothing",
			"items": {
				"type": "object",
				"properties": {
					"old_string": {"type": "string", "minLength": 1, "description": "a piece of the file, exactly as it stands there, without line numbers; it must stand there once, so take enough of the text around it"},
					"new_string": {"type": "string", "description": "what takes its place; empty to remove it"},
					"replace_all": {"type": "boolean", "description": "replaces every place where old_string stands; false by default"}
				},
				"required": ["old_string", "new_string"],
				"additionalProperties": false
			}
		}
	},
	"required": ["path", "edits"],
	"additionalProperties": false
}`)

type editIn struct {
	Path  string `json:"path"`
	Edits []edit `json:"edits"`
}

type edit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

// editOut is the typed output of edit_file.
type editOut struct {
	version
	Was     int      `json:"was"`
	Changes []change `json:"changes"`
}

// change is what became of one edit.
type change struct {
	// Line is the first line that it changed, counted from 1 in the text as the
	// edits before have left it.
	Line int `json:"line"`
	// Count is how many places were replaced.
	Count int `json:"count"`
	// Lines is how many lines a new piece has, and was how many the old had.
	Lines int `json:"lines"`
	Was   int `json:"was"`
}

// ToolText is what the model reads.
func (o *editOut) ToolText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Edited %s; it has %s now and had %d.\n", o.Path, count(o.Bytes, "byte"), o.Was)
	for i, c := range o.Changes {
		fmt.Fprintf(&b, "%d. line %d: %s replaced, each %s by %s\n", i+1, c.Line, count(c.Count, "place"), count(c.Was, "line"), linesOf(c.Lines))
	}
	return b.String()
}

func linesOf(n int) string {
	if n == 0 {
		return "nothing"
	}
	return fmt.Sprint(n)
}

func (w *Workspace) editTool() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Current: w.current,
		Description: "Changes pieces of a file of the workspace: each old_string, which must stand in the file exactly and once, is replaced by its new_string. The file must have been read in this session as it is now. " +
			"Use it to change a part of a file, and send all edits of one file in one call; to write a file anew, use " + WriteName + ".",
		Edits:       true,
		Effect:      quarry.Keyed,
		InputSchema: editSchema,
		KeyField:    "path",
		Name:        EditName,
		Reconcile:   w.reconcileEdit,
		Scope:       quarry.Scope{Kind: quarry.ScopePath, Field: "path"},
	}, func(ctx context.Context, in editIn) (*editOut, error) {
		call, _ := quarry.CallFrom(ctx)
		return w.edit(call, in)
	})
}

func (w *Workspace) edit(call *quarry.Call, in editIn) (*editOut, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	p, err := w.existing(in.Path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	old, err := w.load(p)
	if err != nil {
		return nil, err
	}
	if isBinary(old) {
		return nil, fmt.Errorf("%q is not text and cannot be edited", p.path)
	}
	if err := mayChange(call, p.path, hashOf(old)); err != nil {
		return nil, err
	}
	text, out, err := w.apply(p.path, string(old), in.Edits)
	if err != nil {
		return nil, err
	}
	if err := replace(call, p, []byte(text)); err != nil {
		return nil, err
	}
	noteRead(call, &out.version)
	return out, nil
}

// apply makes the edits in a text, and says what they changed.
func (w *Workspace) apply(path, text string, edits []edit) (string, *editOut, error) {
	out := &editOut{Was: len(text)}
	for i, e := range edits {
		next, c, err := e.apply(text)
		if err != nil {
			if len(edits) > 1 {
				err = fmt.Errorf("edit %d: %w; nothing was changed", i+1, err)
			}
			return "", nil, err
		}
		if err := w.fits(len(next)); err != nil {
			return "", nil, err
		}
		text = next
		out.Changes = append(out.Changes, c)
	}
	out.version = version{path, len(text), hashOf([]byte(text))}
	return text, out, nil
}

func (e edit) apply(text string) (string, change, error) {
	if e.Old == "" {
		return "", change{}, errors.New("old_string is empty; send the piece of the file that is to be replaced")
	}
	if e.Old == e.New {
		return "", change{}, errors.New("old_string and new_string are the same; send what is to be different")
	}
	e = e.withLineEnds(text)
	n := strings.Count(text, e.Old)
	switch {
	case n == 0:
		return "", change{}, errors.New("old_string does not stand in the file; " + e.whyNot(text))
	case n > 1 && !e.All:
		return "", change{}, fmt.Errorf("old_string stands in the file %d times, at %s; take more of the text around the one you mean, or set replace_all", n, e.places(text))
	}
	c := change{Line: lineAt(text, strings.Index(text, e.Old)), Count: n, Lines: countLines([]byte(e.New)), Was: countLines([]byte(e.Old))}
	return strings.ReplaceAll(text, e.Old, e.New), c, nil
}

// withLineEnds writes the line ends as the file has them: what a model is shown
// does not tell CR LF from LF.
func (e edit) withLineEnds(text string) edit {
	if strings.Contains(text, e.Old) || !strings.Contains(text, "\r\n") || strings.Contains(e.Old, "\r") {
		return e
	}
	e.Old = strings.ReplaceAll(e.Old, "\n", "\r\n")
	if !strings.Contains(e.New, "\r") {
		e.New = strings.ReplaceAll(e.New, "\n", "\r\n")
	}
	return e
}

// places lists the lines where old_string stands.
func (e edit) places(text string) string {
	const most = 10
	var lines []string
	for at := 0; ; {
		i := strings.Index(text[at:], e.Old)
		if i < 0 {
			break
		}
		if len(lines) == most {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, fmt.Sprint("line ", lineAt(text, at+i)))
		at += i + len(e.Old)
	}
	return strings.Join(lines, ", ")
}

// whyNot says what is probably wrong with an old_string that is not found.
func (e edit) whyNot(text string) string {
	if stripped := withoutNumbers(e.Old); stripped != e.Old && strings.Contains(text, stripped) {
		return "leave out the line numbers and the tabs behind them, which " + ReadName + " adds"
	}
	want := strings.Fields(e.Old)
	if len(want) == 0 {
		return "it is nothing but white space; take some of the text around it"
	}
	loose := strings.Join(want, " ")
	lines := strings.Split(text, "\n")
	span := strings.Count(strings.Trim(e.Old, "\r\n"), "\n") + 1
	for i := 0; i+span <= len(lines); i++ {
		if strings.Contains(strings.Join(strings.Fields(strings.Join(lines[i:i+span], "\n")), " "), loose) {
			return fmt.Sprintf("line %d and what follows differ from it in white space only; copy it from there exactly", i+1)
		}
	}
	return "read the file again and copy the piece exactly, with its white space"
}

// withoutNumbers removes what read_file puts before each line.
func withoutNumbers(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		number, rest, ok := strings.Cut(line, "\t")
		if !ok || strings.Trim(number, " 0123456789") != "" || strings.TrimSpace(number) == "" {
			return s
		}
		lines[i] = rest
	}
	return strings.Join(lines, "\n")
}

// lineAt is the number of the line that holds a byte, counted from 1.
func lineAt(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }
