package quarry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/session"
)

// ReadResultName is the name of the tool that [ReadResult] makes.
const ReadResultName = "read_result"

type readResultIn struct {
	Handle string `json:"handle" jsonschema:"the handle that the cut result names"`
	Offset int    `json:"offset,omitempty" jsonschema:"the byte to begin at; 0 by default"`
}

// ReadResult makes the tool by which a model reads on in a result that was over
// its tool's limit. Give it to agents whose tools return much.
func ReadResult() *Tool {
	return NewTool(ToolSpec{
		Name:        ReadResultName,
		Description: "Reads on in an earlier tool result that was cut because of its length. Use the handle and the offset that the cut result names.",
		Effect:      ReadOnly,
	}, func(ctx context.Context, in readResultIn) (string, error) {
		call, ok := CallFrom(ctx)
		if !ok {
			return "", errors.New("there is no run")
		}
		var handles []string
		for _, r := range call.Earlier() {
			if r.Full == "" {
				continue
			}
			if handle := resultHandle(r); handle != in.Handle {
				handles = append(handles, handle)
				continue
			}
			if in.Offset < 0 || in.Offset >= len(r.Full) {
				return "", fmt.Errorf("the offset %d is outside the result, which has %d bytes; use 0 to %d", in.Offset, len(r.Full), len(r.Full)-1)
			}
			return pageOf(r.Full, in.Offset, in.Handle), nil
		}
		if handles == nil {
			return "", fmt.Errorf("no result of this session was cut, so %q names none", in.Handle)
		}
		return "", fmt.Errorf("no cut result has the handle %q; there are: %s", in.Handle, strings.Join(handles, ", "))
	})
}

// pageOf returns what fits into one result from offset on, and says how to go on.
func pageOf(full string, offset int, handle string) string {
	const room = DefaultMaxResultBytes - 256 // for the note
	from := runeStart(full, offset)
	to := runeStart(full, from+room)
	if to == len(full) {
		return full[from:]
	}
	return fmt.Sprintf("%s\n[Bytes %d–%d of %d. Call %s with handle %q and offset %d for what follows.]", full[from:to], from, to, len(full), ReadResultName, handle, to)
}

// resultHandle names a result within its session.
func resultHandle(r *session.ToolAnswered) string { return handleOf(r.Turn, r.Index) }

func handleOf(turn, index int) string { return fmt.Sprintf("r%d.%d", turn, index) }
