package quarry

import (
	"bytes"
	"encoding/json"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// The guard's thresholds: identical calls in a row, this one included.
const (
	guardWarnAt = 3
	guardStopAt = 4
)

// loopWarning is added to the result of the third identical call in a row.
const loopWarning = "[You have made this very call three times in a row and got the same result each time. It will not change. Try something else, or finish with what you have; the run is stopped if you repeat it.]"

// guardVerdict is what the guard says of a call.
type guardVerdict uint8

const (
	guardPass guardVerdict = iota
	guardWarn
	guardStop
)

// guard watches for a model that makes the same call again and again: the same
// tool, the same arguments, the same result.
type guard struct {
	name   string
	input  []byte
	result string
	failed bool
	count  int
}

func (g *guard) see(use *model.ToolUse, answered *session.ToolAnswered) guardVerdict {
	input, result := compactJSON(use.Input), answered.Content.Text()
	if g.count > 0 && g.name == use.Name && bytes.Equal(g.input, input) && g.result == result && g.failed == answered.IsError {
		g.count++
	} else {
		*g = guard{name: use.Name, input: input, result: result, failed: answered.IsError, count: 1}
	}
	switch {
	case g.count >= guardStopAt:
		return guardStop
	case g.count == guardWarnAt:
		return guardWarn
	}
	return guardPass
}

// compactJSON drops the white space between tokens, so that the same arguments
// written differently are the same.
func compactJSON(data []byte) []byte {
	if !bytes.ContainsAny(data, " \t\r\n") {
		return data
	}
	var buf bytes.Buffer
	if json.Compact(&buf, data) != nil {
		return data
	}
	return buf.Bytes()
}
