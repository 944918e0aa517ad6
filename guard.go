package quarry

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// The guard's thresholds: how often the same call, or the same circle of calls,
// is made in a row, this time included.
const (
	guardWarnAt = 3
	guardStopAt = 4
)

// loopWarning is added to the result that completes the third round.
const loopWarning = noteMark + "you have made this very call three times in a row and got the same result each time. It will not change. Try something else, or finish with what you have; the run is stopped if you repeat it.]"

// cycleWarning is loopWarning for a circle of two or three calls.
const cycleWarning = noteMark + "you have made these same calls in turn three times and got the same results each time. They will not change. Try something else, or finish with what you have; the run is stopped if you repeat them.]"

// guardVerdict is what the guard says of a call.
type guardVerdict uint8

const (
	guardPass guardVerdict = iota
	guardWarn
	guardStop
)

// maxCycle is the length of the longest cycle of calls that the guard sees.
const maxCycle = 3

// guard watches for a model that turns in a circle: the same call, or the same
// two or three calls in turn, with the same arguments and the same results.
type guard struct {
	// seen are the newest calls, oldest first, as many as the guard needs.
	seen []seenCall
	// cycle is how many calls the circle has, of the last verdict.
	cycle int
}

// seenCall is a call and what it came to.
type seenCall struct {
	name, input, result string
	failed              bool
}

func (g *guard) see(use *model.ToolUse, answered *session.ToolAnswered) guardVerdict {
	if len(g.seen) == guardStopAt*maxCycle {
		g.seen = append(g.seen[:0], g.seen[1:]...)
	}
	g.seen = append(g.seen, seenCall{use.Name, string(compactJSON(use.Input)), answered.Content.Text(), answered.IsError})
	for g.cycle = 1; g.cycle <= maxCycle; g.cycle++ {
		switch n := g.repeated(g.cycle); {
		case n >= guardStopAt*g.cycle:
			return guardStop
		case n == guardWarnAt*g.cycle:
			return guardWarn
		}
	}
	g.cycle = 0
	return guardPass
}

// repeated is how many of the newest calls repeat with the given period; the
// first round counts.
func (g *guard) repeated(period int) int {
	n := len(g.seen)
	if n < 2*period {
		return 0
	}
	k := period
	for k < n && g.seen[n-1-k] == g.seen[n-1-k+period] {
		k++
	}
	return k
}

// warning is what is added to the result that got the verdict guardWarn.
func (g *guard) warning() string {
	if g.cycle > 1 {
		return cycleWarning
	}
	return loopWarning
}

// String says what circle the model turned in.
func (g *guard) String() string {
	last := g.seen[len(g.seen)-1].name
	if g.cycle == 1 {
		return fmt.Sprintf("the model made the same call of %s with the same result %d times in a row, a probable loop", last, guardStopAt)
	}
	return fmt.Sprintf("the model made the same %d calls in turn, the last of %s, with the same results %d times, a probable loop", g.cycle, last, guardStopAt)
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
