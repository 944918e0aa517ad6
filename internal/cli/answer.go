package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

// answerJSON is the result of ask --json.
type answerJSON struct {
	Session    string          `json:"session"`
	Status     string          `json:"status"`
	Answer     string          `json:"answer"`
	Citations  []docs.Citation `json:"citations"`
	Turns      int             `json:"turns"`
	ToolCalls  int             `json:"tool_calls"`
	Model      string          `json:"model"`
	Usage      usageJSON       `json:"usage"`
	CostUSD    *float64        `json:"cost_usd"`
	DurationMS int64           `json:"duration_ms"`
	Error      *string         `json:"error"`
	// Limits are the limits that were reached, Spent is what the session and its
	// children used.
	Limits []session.LimitHit `json:"limits"`
	Spent  session.Spent      `json:"spent"`
	// Unknown are the calls of which nobody knows how they ended, Canceled and
	// Running those that an interruption has cut off.
	Unknown  []session.UnknownCall `json:"unknown,omitempty"`
	Canceled []session.CallRef     `json:"canceled,omitempty"`
	Running  []session.CallRef     `json:"running,omitempty"`
	// Pending are the calls that wait for a person.
	Pending []session.ApprovalAsked `json:"pending,omitempty"`
	// Draft is an answer that was handed in and refused: nothing verified it.
	Draft *docs.Answer `json:"unverified_draft,omitempty"`
}

type usageJSON struct {
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
}

// recordJSON is a line of --jsonl.
type recordJSON struct {
	session string
	record  *session.Record
}

// MarshalJSON puts the session's id before the record's own fields.
func (r recordJSON) MarshalJSON() ([]byte, error) {
	rec, err := json.Marshal(r.record)
	if err != nil {
		return nil, err
	}
	id, err := json.Marshal(r.session)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"session":%s,%s`, id, rec[1:]), nil
}

// exitOf maps a status to the exit code.
func exitOf(status string) int {
	switch status {
	case docs.StatusAnswered, string(session.Success):
		return exitDone
	case docs.StatusNoAnswer, docs.StatusHalted:
		return exitNoAnswer
	case docs.StatusLimit:
		return exitLimit
	case docs.StatusRefused:
		return exitRefused
	case string(session.Waiting):
		return exitWaiting
	}
	return exitFailed
}

// parse reads what a run came to, that of an agent that ends without a tool too.
func parse(r *quarry.Result) (*docs.Answer, string) {
	if r.Subtype == session.Waiting {
		return nil, string(r.Subtype)
	}
	if r.OK() && r.Output == nil {
		return &docs.Answer{Answer: r.Text}, string(r.Subtype)
	}
	return docs.Parse(r)
}

// printResult prints an answer as the flags say and sets the exit code.
// Traced tells that the person has seen what happened.
func (a *app) printResult(modelName string, r *quarry.Result, cost *float64, traced bool) error {
	answer, status := parse(r)
	a.exit = exitOf(status)
	a.tellCalls(r)
	if a.flags.machine() {
		return a.printJSON(newAnswerJSON(modelName, r, answer, status, cost))
	}
	writeAnswer(a.stdout, styleOf(a.stdout), answer)
	a.tellPending(r)
	if r.Subtype != session.Waiting && r.Detail != "" && !(traced && r.Error != nil) { // the trace has shown the model's error
		fmt.Fprintf(a.stderr, "quarry: %s: %s\n", status, oneLine(inFlags(r.Detail)))
	}
	a.note("%s", footer(modelName, r, status, cost))
	return nil
}

// tellCalls tells of calls without a known outcome. Those of which a person is to
// be told are told whatever the flags say.
func (a *app) tellCalls(r *quarry.Result) {
	for i := range r.Unknown {
		call := &r.Unknown[i]
		switch {
		case call.Tell:
			fmt.Fprintf(a.stderr, "outcome unknown: %s; check whether it happened\n", line(call.Name+" "+string(call.Input), 1000))
		case !a.flags.machine():
			a.note("outcome unknown: %s", line(call.Name, 100))
		}
	}
}

// callNames lists calls for people.
func callNames(refs []session.CallRef) string {
	names := make([]string, 0, len(refs))
	for i := range refs {
		switch ref := &refs[i]; {
		case ref.Name == "":
			names = append(names, "the model")
		case ref.Child != "":
			names = append(names, fmt.Sprintf("%s (session %s)", ref.Name, ref.Child))
		default:
			names = append(names, ref.Name)
		}
	}
	return line(strings.Join(names, ", "), 1000)
}

func newAnswerJSON(modelName string, r *quarry.Result, answer *docs.Answer, status string, cost *float64) answerJSON {
	out := answerJSON{
		Session: r.Session, Status: status, Citations: []docs.Citation{},
		Turns: r.Turns, ToolCalls: r.ToolCalls, Model: modelName,
		Usage:   usageJSON{r.Usage.InputTokens, r.Usage.OutputTokens, r.Usage.CacheReadTokens, r.Usage.CacheWriteTokens},
		CostUSD: cost, DurationMS: r.Duration.Milliseconds(),
		Limits: append([]session.LimitHit{}, r.Limits...), Spent: r.Spent,
		Unknown: r.Unknown, Canceled: r.Canceled, Running: r.Running, Pending: r.Pending,
	}
	switch {
	case answer != nil && answer.Unverified:
		draft := *answer
		if draft.Citations == nil {
			draft.Citations = []docs.Citation{}
		}
		out.Draft = &draft
	case answer != nil:
		out.Answer = answer.Answer
		out.Citations = append(out.Citations, answer.Citations...)
	}
	if r.Detail != "" {
		detail := inFlags(r.Detail)
		out.Error = &detail
	}
	return out
}

// writeAnswer prints an answer and its numbered citations; nothing for nil.
func writeAnswer(w io.Writer, st style, answer *docs.Answer) {
	if answer == nil {
		return
	}
	t := newTracer(w, st)
	title := "Answer"
	if answer.Unverified {
		title = "Draft, NOT VERIFIED"
	}
	t.rule(title, "")
	for _, l := range wrap(clean(answer.Answer), traceWidth) {
		fmt.Fprintln(w, l)
	}
	for i, c := range answer.Citations {
		place := fmt.Sprintf("bytes %d–%d", c.Start, c.End)
		if c.Page != nil {
			place = fmt.Sprintf("page %d, %s", *c.Page, place)
		}
		if answer.Unverified {
			place = "not verified"
		}
		fmt.Fprintf(w, "\n[%d] %s (%s, %s)\n", i+1, st.bold(clean(c.Title)), clean(c.DocID), place)
		for _, l := range wrap("“"+line(c.Quote, 10_000)+"”", traceWidth-4) {
			fmt.Fprintf(w, "    %s\n", l)
		}
	}
}

// footer says what the answer took.
func footer(modelName string, r *quarry.Result, status string, cost *float64) string {
	parts := []string{plural(r.Turns, "turn"), plural(r.ToolCalls, "tool call")}
	if n := r.Spent.Children; n > 0 {
		parts = append(parts, plural(int(n), "child session"))
	}
	u := &r.Usage
	if u.Total() > 0 {
		parts = append(parts, tokens(u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens)+" in", tokens(u.OutputTokens)+" out")
	}
	parts = append(parts, costText(cost), seconds(r.Duration))
	return fmt.Sprintf("\n%s by %s: %s%s\nsession %s", status, modelName, strings.Join(parts, ", "), hitLines(r.Limits), r.Session)
}
