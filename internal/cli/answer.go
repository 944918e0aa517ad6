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
	case docs.StatusAnswered:
		return exitDone
	case docs.StatusNoAnswer, docs.StatusHalted:
		return exitNoAnswer
	case docs.StatusLimit:
		return exitLimit
	case docs.StatusRefused:
		return exitRefused
	}
	return exitFailed
}

// printResult prints an answer as the flags say and sets the exit code.
// Traced tells that the person has seen what happened.
func (a *app) printResult(modelName string, r *quarry.Result, cost *float64, traced bool) error {
	answer, status := docs.Parse(r)
	a.exit = exitOf(status)
	if a.flags.machine() {
		return a.printJSON(newAnswerJSON(modelName, r, answer, status, cost))
	}
	writeAnswer(a.stdout, styleOf(a.stdout), answer)
	if r.Detail != "" && !(traced && r.Error != nil) { // the trace has shown the model's error
		fmt.Fprintf(a.stderr, "quarry: %s: %s\n", status, oneLine(inFlags(r.Detail)))
	}
	a.note("%s", footer(modelName, r, status, cost))
	return nil
}

func newAnswerJSON(modelName string, r *quarry.Result, answer *docs.Answer, status string, cost *float64) answerJSON {
	out := answerJSON{
		Session: r.Session, Status: status, Citations: []docs.Citation{},
		Turns: r.Turns, ToolCalls: r.ToolCalls, Model: modelName,
		Usage:   usageJSON{r.Usage.InputTokens, r.Usage.OutputTokens, r.Usage.CacheReadTokens, r.Usage.CacheWriteTokens},
		CostUSD: cost, DurationMS: r.Duration.Milliseconds(),
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

// inFlags puts advice that is meant for programs into the terms of the command
// line.
func inFlags(detail string) string {
	return strings.NewReplacer(
		"raise Limits.Turns", "raise --max-turns",
		"raise Limits.Tokens", "raise --max-tokens",
		"raise Limits.Timeout", "raise --timeout",
		"; raise Config.MaxTokens", "",
	).Replace(detail)
}

// writeAnswer prints an answer and its numbered citations; nothing for nil.
func writeAnswer(w io.Writer, st style, answer *docs.Answer) {
	if answer == nil {
		return
	}
	t := tracer{w: w, style: st}
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
	u := &r.Usage
	if u.Total() > 0 {
		parts = append(parts, tokens(u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens)+" in", tokens(u.OutputTokens)+" out")
	}
	parts = append(parts, costText(cost), seconds(r.Duration))
	return fmt.Sprintf("\n%s by %s: %s\nsession %s", status, modelName, strings.Join(parts, ", "), r.Session)
}
