package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

func (a *app) sessionsShowCommand() *cobra.Command {
	var markdown, context bool
	var why string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show what happened in a session",
		Long: `Show reads a session back from the journal: the same trace that was shown while it
ran, with the child sessions under the calls that they served. With --markdown it
prints notes to keep; with --json all records; with --context what the next
request to the model would be made of, in estimated tokens; with --why what hooks,
rules and people said of a call, and what became of it.`,
		Example: "  quarry sessions show 01K6X0V0M8N3T4E5R6G7H8J9K0 --markdown > notes.md\n  quarry sessions show 01K6X0V0M8N3T4E5R6G7H8J9K0 --context\n  quarry sessions show 01K6X0V0M8N3T4E5R6G7H8J9K0 --why toolu_01",
		Args:    exactly(1, "one session id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if markdown && context {
				return usagef("--markdown and --context do not go together; choose one")
			}
			if why != "" && (markdown || context) {
				return usagef("--why does not go with --markdown and --context; choose one")
			}
			store, info, err := a.openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer store.Close()
			recs, err := records(cmd.Context(), store, info.ID)
			if err != nil {
				return err
			}
			switch {
			case why != "":
				return a.showWhy(&info, recs, why)
			case context:
				return a.showContext(&info, recs)
			case a.flags.jsonl:
				for i := range recs {
					if err := a.printJSON(recordJSON{info.ID, &recs[i]}); err != nil {
						return err
					}
				}
				return nil
			case a.flags.json:
				return a.printJSON(showJSON{info.Forked, recs, info.ID, info.Title})
			case markdown:
				return writeNotes(a.stdout, &info, recs)
			}
			return a.showTrace(cmd.Context(), store, &info, recs)
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print notes in Markdown")
	cmd.Flags().StringVar(&why, "why", "", "print why the call of this id ran, or why it did not")
	cmd.Flags().BoolVar(&context, "context", false, "print what the next request to the model would be made of")
	return cmd
}

// showJSON is a session with all its records.
type showJSON struct {
	Forked  *session.Forked  `json:"forked,omitempty"`
	Records []session.Record `json:"records"`
	Session string           `json:"session"`
	Title   string           `json:"title,omitempty"`
}

// ownTitle is a session's title where that is not just how its first prompt
// begins.
func ownTitle(info *session.Info) string {
	if strings.HasPrefix(info.Prompt, strings.TrimSuffix(info.Title, "…")) {
		return ""
	}
	return info.Title
}

// showTrace prints the trace of a session and, under the calls that they serve,
// those of its children.
func (a *app) showTrace(ctx context.Context, store session.Store, info *session.Info, recs []session.Record) error {
	table, err := a.priceTable()
	if err != nil {
		return err
	}
	st := styleOf(a.stdout)
	if title := ownTitle(info); title != "" {
		fmt.Fprintln(a.stdout, st.bold(line(title, traceWidth)))
	}
	trace, costs := newTracer(a.stdout, st), newBill(table)
	if info.Parent != "" {
		trace.note("a child of %s", info.Parent)
	}
	var damaged error
	trace.onChild = func(child *tracer, id string) {
		switch err := showChild(ctx, store, child, costs, id); {
		case errors.Is(err, session.ErrNotFound):
			child.note("the session %s is gone", id)
		case err != nil && damaged == nil:
			damaged = err
		}
	}
	var modelName string
	due := 0
	for i := range recs {
		costs.record(info.ID, &recs[i])
		switch ev := recs[i].Event.(type) {
		case *session.Started:
			modelName = ev.Model
		case *session.Prompted:
			due++
		case *session.Ended:
			due--
			r := ev.Result
			r.Session = info.ID
			answer, status := parse(&r)
			writeAnswer(a.stdout, st, answer)
			if r.Detail != "" {
				trace.note("%s", inFlags(r.Detail))
			}
			fmt.Fprintln(a.stdout, footer(modelName, &r, status, costs.end(&r.Spent)))
			if err := writeAttribution(a.stdout, &r.Spent); err != nil {
				return err
			}
		}
		trace.record(&recs[i])
		if info.Forked != nil && recs[i].Seq == info.Forked.At {
			trace.note("forked from %s after record %d", info.Forked.From, info.Forked.At)
		}
	}
	if due > 0 {
		id := info.ID
		if info.Parent != "" {
			id = info.Parent
		}
		trace.note("unfinished; go on with: quarry sessions resume %s", id)
	}
	return damaged
}

// showChild prints the trace of a child, and of its children.
func showChild(ctx context.Context, store session.Store, trace *tracer, costs *bill, id string) error {
	for rec, err := range store.Load(ctx, id, 0) {
		if err != nil {
			return err
		}
		costs.record(id, &rec)
		trace.record(&rec)
	}
	return nil
}

// writeNotes prints a session as notes in Markdown.
func writeNotes(w io.Writer, info *session.Info, recs []session.Record) error {
	var b strings.Builder
	for i := range recs {
		switch ev := recs[i].Event.(type) {
		case *session.Started:
			fmt.Fprintf(&b, "# Session %s\n\n- agent: %s\n- model: %s\n- began: %s\n", info.ID, ev.Agent, ev.Model, recs[i].Time.Format("2006-01-02 15:04:05 MST"))
			if c := ev.Labels[labelCorpus]; c != "" {
				fmt.Fprintf(&b, "- corpus: %s\n", mdText(c))
			}
			if title := ownTitle(info); title != "" {
				fmt.Fprintf(&b, "- title: %s\n", mdText(title))
			}
			if info.Forked != nil {
				fmt.Fprintf(&b, "- forked from: %s after record %d\n", info.Forked.From, info.Forked.At)
			}
		case *session.Prompted:
			fmt.Fprintf(&b, "\n## Question\n\n%s\n\n## Steps\n\n", mdText(ev.Message.Blocks.Text()))
		case *session.ModelAnswered:
			writeStep(&b, ev)
		case *session.ModelFailed:
			fmt.Fprintf(&b, "- turn %d: the model failed: %s\n", ev.Turn, mdText(ev.Error.Error()))
		case *session.ToolAnswered:
			outcome := "result"
			if ev.IsError {
				outcome = "error"
			}
			fmt.Fprintf(&b, "    - %s of %s: %s\n", outcome, ev.Name, mdText(line(ev.Content.Text(), 200)))
		case *session.Ended:
			r := ev.Result
			r.Session = info.ID
			writeNotesAnswer(&b, &r)
		}
	}
	_, err := io.WriteString(w, clean(b.String()))
	return err
}

func writeStep(b *strings.Builder, ev *session.ModelAnswered) {
	fmt.Fprintf(b, "- turn %d", ev.Turn)
	if ev.Response.Message == nil {
		b.WriteString("\n")
		return
	}
	blocks := ev.Response.Message.Blocks
	if text := blocks.Text(); text != "" {
		fmt.Fprintf(b, ": %s", mdText(line(text, 300)))
	}
	b.WriteString("\n")
	for _, block := range blocks {
		if u, ok := block.(*model.ToolUse); ok {
			fmt.Fprintf(b, "    - call `%s %s`\n", u.Name, strings.ReplaceAll(line(string(u.Input), 300), "`", "'"))
		}
	}
}

func writeNotesAnswer(b *strings.Builder, r *session.Result) {
	answer, status := parse(r)
	fmt.Fprintf(b, "\n## Answer (%s)\n\n", status)
	if answer != nil {
		if answer.Unverified {
			b.WriteString("**Not verified.** ")
		}
		fmt.Fprintf(b, "%s\n", mdText(answer.Answer))
	}
	if r.Detail != "" {
		fmt.Fprintf(b, "\n%s\n", mdText(r.Detail))
	}
	if answer != nil && len(answer.Citations) > 0 {
		b.WriteString("\n## Citations\n\n")
		for i, c := range answer.Citations {
			fmt.Fprintf(b, "%d. %s (`%s`, bytes %d–%d)\n\n    > %s\n\n", i+1, mdText(c.Title), c.DocID, c.Start, c.End, mdText(line(c.Quote, 2000)))
		}
	}
	usage, _ := json.Marshal(r.Usage)
	fmt.Fprintf(b, "\n## Cost\n\n%s, %s, usage `%s`, %s\n", plural(r.Turns, "turn"), plural(r.ToolCalls, "tool call"), usage, seconds(r.Duration))
}

// mdText keeps text from becoming markup.
func mdText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "#", `\#`, "`", "\\`").Replace(s)
}
