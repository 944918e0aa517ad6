package quarry_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/session"
)

// incomparable tells why an interrupted run may come to something else than the
// whole one; empty where it must not.
func incomparable(whole, cut *treeRun) string {
	if whole.plan.loose {
		return "not, agents work in the background"
	}
	if whole.plan.timed {
		return "not, there are limits of time"
	}
	var retried, fell, limited, unknown bool
	for _, r := range []*treeRun{whole, cut} {
		for _, recs := range r.journal {
			for _, rec := range recs {
				switch ev := rec.Event.(type) {
				case *session.ToolAnswered:
					unknown = unknown || ev.Unknown
					limited = limited || ev.Limit != nil
				case *session.Ended:
					res := &ev.Result
					// How often a call fails depends on how often it was made.
					retried = retried || res.Error != nil && res.Error.Retryable()
					fell = fell || len(res.Fallbacks) > 0
					limited = limited || res.Subtype == session.Limited
				}
			}
		}
	}
	switch {
	case unknown:
		return "not, nobody knows of a call"
	case retried:
		return "not, a model was given up"
	case fell:
		return "not, a fallback took over"
	case limited && whole.waits():
		return "not, shares depend on which child is done first"
	}
	return ""
}

// waits tells whether children waited for others while more than one worked:
// what they then get depends on which of those is done first.
func (r *treeRun) waits() bool {
	for _, recs := range r.journal {
		node := r.plan.node(recs[0].Event.(*session.Started).Agent)
		for _, rec := range recs {
			ev, ok := rec.Event.(*session.ModelAnswered)
			if !ok {
				continue
			}
			n := 0
			for _, use := range ev.Response.Message.Blocks.ToolUses() {
				if strings.HasPrefix(use.Name, "ask_") {
					n++
				}
			}
			if n > node.atOnce() && node.atOnce() > 1 {
				return true
			}
		}
	}
	return false
}

// differs compares what matters of two runs: the sessions, what their models said
// and called, what came of it, and how they ended. Times, attempts, losses and
// interruptions do not matter.
func (r *treeRun) differs(whole *treeRun) string {
	return cmp.Diff(whole.matters(), r.matters())
}

func (r *treeRun) matters() map[string][]string {
	all := map[string][]string{}
	for id, recs := range r.journal {
		var out []string
		answered := map[[2]int]string{}
		flush := func() {
			keys := make([][2]int, 0, len(answered))
			for key := range answered {
				keys = append(keys, key)
			}
			slices.SortFunc(keys, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
			for _, key := range keys {
				out = append(out, answered[key])
			}
			clear(answered)
		}
		for _, rec := range recs {
			switch ev := rec.Event.(type) {
			case *session.Prompted:
				out = append(out, "prompted "+ev.Message.Blocks.Text())
			case *session.ModelAnswered:
				flush()
				line := fmt.Sprintf("answer %d %s %q", ev.Turn, ev.Response.StopReason, ev.Response.Message.Blocks.Text())
				for _, use := range ev.Response.Message.Blocks.ToolUses() {
					line += fmt.Sprintf(" %s(%s)", use.Name, use.Input)
				}
				out = append(out, line)
			case *session.ToolAnswered:
				answered[[2]int{ev.Turn, ev.Index}] = fmt.Sprintf("result %d.%d %v %v %q %s", ev.Turn, ev.Index, ev.IsError, ev.Refused, plain(ev.Content.Text()), ev.Output)
			case *session.Compacted:
				out = append(out, fmt.Sprintf("compacted %v %d", ev.Dropped, ev.Messages))
			case *session.Ended:
				flush()
				res := &ev.Result
				out = append(out, fmt.Sprintf("ended %s/%s %q %q %s %s turns %d calls %d", res.Subtype, res.Reason, plain(res.Detail), res.Text, res.Output, res.Draft, res.Turns, res.ToolCalls))
			}
		}
		all[id] = out
	}
	return all
}

// plain is a text without what differs from run to run: the stack of a model's
// panic, and which of two texts a call gets whose time is over.
func plain(text string) string {
	if before, after, found := strings.Cut(text, "\ngoroutine "); found {
		if _, words, found := strings.Cut(after, "\nIts last words: "); found {
			before += words
		}
		text = before
	}
	return strings.ReplaceAll(text, "context deadline exceeded", "the tool did not answer within 30s; it may still be at work. Try a smaller request, or go on without it")
}
