package quarry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/session"
)

// ReadResultName is the name of the tool that [ReadResult] makes.
const ReadResultName = "read_result"

type readResultIn struct {
	Handle string `json:"handle" jsonschema:"the handle that the cut result names"`
	Offset int    `json:"offset,omitempty" jsonschema:"the byte to begin at; 0 by default"`
}

// ReadResult makes the tool by which a model reads on in a result that was over
// its tool's limit, or that was removed to make the conversation shorter. Give it
// to agents whose tools return much.
func ReadResult() *Tool {
	return NewTool(ToolSpec{
		Name:        ReadResultName,
		Description: "Reads an earlier tool result that was cut because of its length, or removed to save room. Use the handle and the offset that stand in its place.",
		Effect:      ReadOnly,
	}, func(ctx context.Context, in readResultIn) (string, error) {
		call, ok := CallFrom(ctx)
		if !ok {
			return "", errors.New("there is no run")
		}
		var handles []string
		for _, r := range call.Earlier() {
			handle := resultHandle(r)
			if handle == in.Handle {
				return call.page(ctx, r, in.Offset)
			}
			if r.Full != "" || r.Blob != "" {
				handles = append(handles, handle)
			}
		}
		if handles == nil {
			return "", fmt.Errorf("there is no result %q, and none of this session was cut", in.Handle)
		}
		return "", fmt.Errorf("there is no result %q; those that were cut are: %s", in.Handle, strings.Join(handles, ", "))
	})
}

// pageBytes is what fits into one result, with room for the note.
const pageBytes = DefaultMaxResultBytes - 256

// page returns what fits into one result from offset on, and says how to go on.
func (c *Call) page(ctx context.Context, r *session.ToolAnswered, offset int) (string, error) {
	// A few bytes more on both sides show where runes begin and end.
	const edge = utf8.UTFMax
	from := max(0, offset-edge)
	var window string
	size := int64(0)
	switch {
	case r.Blob != "" && c.blobs == nil:
		return "", errors.New("the rest of this result was kept in a store for blobs, which this agent does not have; make the call again")
	case r.Blob != "":
		data, n, err := c.blobs.ReadAt(ctx, r.Blob, int64(from), pageBytes+2*edge)
		if err != nil {
			return "", fmt.Errorf("read the rest of the result: %w", err)
		}
		window, size = string(data), n
	default:
		full := r.Full
		if full == "" {
			full = r.Content.Text()
		}
		size = int64(len(full))
		from = min(from, len(full))
		window = full[from:min(len(full), from+pageBytes+2*edge)]
	}
	if offset < 0 || int64(offset) >= size {
		return "", fmt.Errorf("the offset %d is outside the result, which has %d bytes; use 0 to %d", offset, size, max(0, size-1))
	}
	begin := runeStart(window, offset-from)
	end := runeStart(window, begin+pageBytes)
	text := window[begin:end]
	if int64(from+end) == size {
		return text, nil
	}
	return fmt.Sprintf("%s\n[Bytes %d–%d of %d. Call %s with handle %q and offset %d for what follows.]", text, from+begin, from+end, size, ReadResultName, resultHandle(r), from+end), nil
}

// resultHandle names a result within its session.
func resultHandle(r *session.ToolAnswered) string { return handleOf(r.Turn, r.Index) }

func handleOf(turn, index int) string { return fmt.Sprintf("r%d.%d", turn, index) }
