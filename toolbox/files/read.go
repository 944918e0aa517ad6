package files

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry"
)

// maxLineBytes is how much of a line is shown where lines are.
const maxLineBytes = 2000

// maxHexBytes is how much of a file that is not text is shown at once.
const maxHexBytes = 2048

var readSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "the file, relative to the workspace"},
		"start_line": {"type": "integer", "minimum": 1, "description": "the first line to show; 1 by default"},
		"lines": {"type": "integer", "minimum": 1, "description": "how many lines to show; as many as fit by default"},
		"start_byte": {"type": "integer", "minimum": 0, "description": "shows bytes instead of lines, from this one on, counted from 0"},
		"bytes": {"type": "integer", "minimum": 1, "description": "how many bytes to show, with start_byte"}
	},
	"required": ["path"],
	"additionalProperties": false
}`)

type readIn struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	Lines     int    `json:"lines"`
	StartByte *int   `json:"start_byte"`
	Bytes     int    `json:"bytes"`
}

// readOut is the typed output of read_file. The text is not part of it: the
// model's view has it.
type readOut struct {
	version
	// Lines is how many the whole file has; 0 where it is not text.
	Lines int `json:"lines,omitempty"`
	// From and To are what is shown: lines counted from 1, To among them, or bytes
	// counted from 0, To not among them.
	From int    `json:"from"`
	To   int    `json:"to"`
	Unit string `json:"unit"` // "lines" or "bytes"

	crlf, binary bool
	text, foot   string
}

func (w *Workspace) readTool() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Current: w.current,
		Description: "Reads a file of the workspace. Shows its lines, each behind its number and a tab, which are not part of the file; a long file in part: go on with start_line. " +
			"Use start_byte for a stretch of a very long line or of a file that is not text. Read a file before you change it. Not for folders: use " + ListName + ".",
		Effect:         quarry.ReadOnly,
		InputSchema:    readSchema,
		MaxResultBytes: w.cfg.MaxReadBytes + 8192,
		Name:           ReadName,
		Scope:          quarry.Scope{Kind: quarry.ScopePath, Field: "path"},
	}, func(ctx context.Context, in readIn) (*readOut, error) {
		call, _ := quarry.CallFrom(ctx)
		out, err := w.read(in)
		if err != nil {
			return nil, err
		}
		noteRead(call, &out.version)
		return out, nil
	})
}

func (w *Workspace) read(in readIn) (*readOut, error) {
	if in.StartByte != nil && (in.StartLine != 0 || in.Lines != 0) {
		return nil, errors.New("lines and bytes are both asked for; send start_line and lines, or start_byte and bytes")
	}
	if in.Bytes != 0 && in.StartByte == nil {
		return nil, errors.New("bytes needs start_byte, the first byte to show; send 0 for the start of the file")
	}
	p, err := w.existing(in.Path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	data, err := w.load(p)
	if err != nil {
		return nil, err
	}
	out := &readOut{version: version{p.path, len(data), hashOf(data)}, binary: isBinary(data)}
	if !out.binary {
		out.Lines = countLines(data)
		out.crlf = bytes.Contains(data, []byte("\r\n"))
	}
	switch {
	case in.StartByte != nil:
		err = out.showBytes(data, *in.StartByte, in.Bytes, w.cfg.MaxReadBytes)
	case out.binary:
		err = fmt.Errorf("%q is not text: it has %d bytes, with NUL or invalid UTF-8 among them. Send start_byte to see bytes of it in hexadecimal", p.path, len(data))
	default:
		err = out.showLines(data, max(in.StartLine, 1), in.Lines, w.cfg.MaxReadBytes)
	}
	return out, err
}

// existing resolves the path of a file that must be there.
func (w *Workspace) existing(name string) (*place, error) {
	p, err := w.resolve(name, false)
	if err != nil {
		return nil, err
	}
	switch {
	case p.info == nil:
		err = notFound(p.dir, p.path)
	case p.isDir():
		err = fmt.Errorf("%q is a folder, not a file; list it with %s", p.path, ListName)
	default:
		return p, nil
	}
	p.close()
	return nil, err
}

// isBinary tells whether data is not text.
func isBinary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) }

// countLines counts lines as editors do: a line end at the end begins no other.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// showLines shows count lines from one on, 0 for all, within limit bytes.
func (o *readOut) showLines(data []byte, start, count, limit int) error {
	o.Unit, o.From, o.To = "lines", start, start-1
	if o.Bytes == 0 {
		return nil
	}
	if start > o.Lines {
		return fmt.Errorf("start_line is %d and %q has %d lines; send a number up to that", start, o.Path, o.Lines)
	}
	var b strings.Builder
	number, offset := 0, 0
	for line := range bytes.Lines(data) {
		number++
		at := offset
		offset += len(line)
		if number < start {
			continue
		}
		if count > 0 && number-start >= count {
			break
		}
		shown := numbered(number, bytes.TrimRight(line, "\r\n"), at)
		if b.Len() > 0 && b.Len()+len(shown) > limit {
			o.foot = fmt.Sprintf("[No more fits here. Go on with start_line %d; the file has %d lines.]", number, o.Lines)
			break
		}
		b.WriteString(shown)
		o.To = number
	}
	if o.foot == "" && o.To < o.Lines {
		o.foot = fmt.Sprintf("[The file goes on to line %d.]", o.Lines)
	}
	o.text = b.String()
	return nil
}

// numbered is a line as it is shown, cut where it is very long; at is its first
// byte in the file.
func numbered(number int, line []byte, at int) string {
	if len(line) <= maxLineBytes {
		return fmt.Sprintf("%6d\t%s\n", number, line)
	}
	cut := runeStart(line, maxLineBytes)
	return fmt.Sprintf("%6d\t%s [cut: this line has %d bytes; go on with start_byte %d]\n", number, line[:cut], len(line), at+cut)
}

// runeStart returns the largest rune boundary of b that is not above n.
func runeStart(b []byte, n int) int {
	if n >= len(b) {
		return len(b)
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return n
}

// showBytes shows count bytes from one on, 0 for as many as fit.
func (o *readOut) showBytes(data []byte, start, count, limit int) error {
	o.Unit = "bytes"
	if start > len(data) || (start == len(data) && start > 0) {
		return fmt.Errorf("start_byte is %d and %q has %d bytes; send a number below that", start, o.Path, len(data))
	}
	if o.binary {
		limit = min(limit, maxHexBytes)
	}
	if count <= 0 || count > limit {
		count = limit
	}
	end := min(start+count, len(data))
	if o.binary {
		o.text = hex.Dump(data[start:end])
	} else { // whole characters only
		start = runeStart(data, start)
		if fit := runeStart(data, end); fit > start {
			end = fit
		}
		o.text = string(data[start:end])
	}
	o.From, o.To = start, end
	if end < len(data) {
		o.foot = fmt.Sprintf("[Go on with start_byte %d; the file has %d bytes.]", end, len(data))
	}
	return nil
}

// ToolText is what the model reads.
func (o *readOut) ToolText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", o.Path)
	switch {
	case o.Bytes == 0:
		b.WriteString("the file is empty\n")
		return b.String()
	case o.Unit == "bytes" && o.binary:
		fmt.Fprintf(&b, "bytes %d to %d of %d, in hexadecimal, for the file is not text\n", o.From, o.To, o.Bytes)
	case o.Unit == "bytes":
		fmt.Fprintf(&b, "bytes %d to %d of %d\n", o.From, o.To, o.Bytes)
	default:
		fmt.Fprintf(&b, "lines %d to %d of %d, %s\n", o.From, o.To, o.Lines, count(o.Bytes, "byte"))
	}
	if o.crlf {
		b.WriteString("Its lines end in CR LF.\n")
	}
	b.WriteString("\n")
	b.WriteString(o.text)
	if o.foot != "" {
		if !strings.HasSuffix(o.text, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("\n" + o.foot + "\n")
	}
	return b.String()
}

func count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
