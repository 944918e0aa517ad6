package cli

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

const (
	// askTurns is how often a model may be asked for one answer.
	askTurns = 10
	// maxQuestion is the longest question in characters.
	maxQuestion = 20_000
)

// The labels of sessions that ask a corpus.
const (
	labelCommand = "command"
	labelCorpus  = "corpus"
)

func (a *app) askCommand() *cobra.Command {
	var (
		corpusArg string
		run       runFlags
	)
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Answer a question from a corpus, with citations",
		Long: `Ask searches the corpus, reads what looks promising, and answers with citations.
Each citation is a verbatim quote, checked against the document before the answer
is accepted. Where the corpus does not answer, it says so and exits with 3.

Progress goes to stderr, the answer to stdout. An interrupted question is resumed
with: quarry sessions resume ID`,
		Example: `  quarry ask "When should I VACUUM versus VACUUM FULL?" --corpus postgres
  quarry ask "How do I install it?" --corpus ./docs --model anthropic/claude-sonnet-4-5`,
		Args: exactly(1, "one question"),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := args[0]
			if err := checkQuestion(question); err != nil {
				return err
			}
			if err := run.check(); err != nil {
				return err
			}
			ctx := cmd.Context()
			index, name, err := a.openCorpus(ctx, corpusArg)
			if err != nil {
				return err
			}
			defer index.Close()
			m, err := a.pickModel(cmd.Context(), run.model)
			if err != nil {
				return err
			}
			store, err := a.store(ctx)
			if err != nil {
				return err
			}
			defer store.Close()
			agent, err := a.newAsker(cmd.Context(), index, m, store, &run)
			if err != nil {
				return err
			}
			return a.converse(ctx, agent, askInput(question, name), nil)
		},
	}
	cmd.Flags().StringVarP(&corpusArg, "corpus", "c", "", "folder, or name of a corpus (required)")
	run.register(cmd.Flags(), askTurns)
	return cmd
}

func checkQuestion(question string) error {
	if strings.TrimSpace(question) == "" {
		return usagef("the question is empty; put it in quotes: quarry ask \"QUESTION\" --corpus DIR")
	}
	if n := utf8.RuneCountInString(question); n > maxQuestion {
		return usagef("the question has %d characters and may have %d; put long material into the corpus and ask about it", n, maxQuestion)
	}
	return nil
}

// askInput is the first prompt of a session that asks a corpus.
func askInput(question, corpusName string) quarry.Input {
	return quarry.Input{
		Prompt: question,
		Title:  line(question, 80),
		Labels: map[string]string{labelCommand: "ask", labelCorpus: corpusName},
	}
}

// newAsker makes the agent that answers from a corpus.
func (a *app) newAsker(ctx context.Context, index *corpus.Index, m model.Model, store session.Store, run *runFlags) (*quarry.Agent, error) {
	table, err := a.priceTable()
	if err != nil {
		return nil, err
	}
	blobs, err := a.blobs()
	if err != nil {
		return nil, err
	}
	known, _ := table.Find(m.Name())
	cfg := docs.Config{
		Blobs: blobs, Compaction: quarry.Compaction{Window: known.ContextWindow}, Index: index, Limits: run.limits(),
		Model: m, Prices: table, Retry: quarry.Retry{Attempts: run.maxAttempts}, Store: store,
	}
	if cfg.Fallbacks, err = a.pickFallbacks(ctx, run); err != nil {
		return nil, err
	}
	agent, err := docs.NewAgent(cfg)
	if err != nil { // the flags do not go together
		return nil, usagef("%s", inFlags(strings.TrimPrefix(err.Error(), `agent "docs": `)))
	}
	a.noteUnpriced(run, agent)
	return agent, nil
}

// pickFallbacks returns the models that take over.
func (a *app) pickFallbacks(ctx context.Context, run *runFlags) (models []model.Model, err error) {
	for _, name := range run.fallbacks {
		m, err := a.pickModel(ctx, name)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// noteUnpriced tells where a limit of money cannot hold.
func (a *app) noteUnpriced(run *runFlags, agent *quarry.Agent) {
	if run.changed(flagUSD) && agent.Config().Limits.USD == quarry.Unlimited {
		a.note("quarry: not all prices are known, so that --%s does not hold; --%s does", flagUSD, flagTokens)
	}
}

// converse runs an agent to its result, shows what happens as the flags say, and
// prints the answer. Before are the records of a session that goes on.
func (a *app) converse(ctx context.Context, agent *quarry.Agent, in quarry.Input, before []session.Record) error {
	cfg := agent.Config()
	t := &talk{app: a, model: cfg.Model.Name(), root: in.Session, trace: a.newTracer(a.stderr), bill: newBill(cfg.Prices)}
	t.recall(before)
	result, err := follow(ctx, agent, in, t.record)
	switch {
	case result == nil:
		return err
	case err != nil:
		return t.stopped(result, err)
	case result.Subtype == session.Waiting: // the prompt has not ended
		t.cost = t.bill.end(&result.Spent)
	}
	return a.printResult(t.model, result, t.cost, t.trace != nil)
}

// follow runs an agent to its result and shows each record on the way. An error of
// the run comes with a result, an error of show without one.
func follow(ctx context.Context, agent *quarry.Agent, in quarry.Input, show func(id string, rec *session.Record) error) (*quarry.Result, error) {
	for ev, err := range agent.Stream(ctx, in) {
		if ev.Record != nil {
			if err := show(ev.Session, ev.Record); err != nil {
				return nil, err
			}
		}
		if ev.Result != nil {
			return ev.Result, err
		}
	}
	return nil, nil
}

// newTracer returns nil where no trace is wanted.
func (a *app) newTracer(w io.Writer) *tracer {
	if a.flags.quiet || a.flags.machine() {
		return nil
	}
	return newTracer(w, styleOf(w))
}
