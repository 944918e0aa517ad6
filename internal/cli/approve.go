package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/extractive"
	"github.com/quarry-sdk/quarry/session"
)

// approveFlags are the answer.
type approveFlags struct {
	deny                        bool
	note, answer, always, input string
}

func (a *app) approveCommand() *cobra.Command {
	var flags approveFlags
	cmd := &cobra.Command{
		Use:   "approve SESSION [CALL]",
		Short: "Answer what waits for a person",
		Long: `Approve lets a call run that waits for a person, or denies it, or answers a
question. The CALL may be left out where only one waits; where several do, they
are listed. Nothing runs before the session goes on:
quarry sessions resume SESSION`,
		Example: `  quarry approve 01K6X0V0M8N3T4E5R6G7H8J9K0
  quarry approve 01K6X0V0M8N3T4E5R6G7H8J9K0 toolu_01 --deny --note "not that file"
  quarry approve 01K6X0V0M8N3T4E5R6G7H8J9K0 toolu_02 --answer "the second one"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return exactly(1, "a session id, and the id of a call where several wait")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			call := ""
			if len(args) == 2 {
				call = args[1]
			}
			return a.approve(cmd.Context(), args[0], call, &flags)
		},
	}
	cmd.Flags().BoolVar(&flags.deny, "deny", false, "deny the call")
	cmd.Flags().StringVar(&flags.note, "note", "", "with --deny: what the model is told")
	cmd.Flags().StringVar(&flags.answer, "answer", "", "the answer to a question")
	cmd.Flags().StringVar(&flags.always, "always", "", "rule by which such calls are allowed for the rest of the session, such as \"write_file\"")
	cmd.Flags().StringVar(&flags.input, "input", "", "arguments, as JSON, that the call is to have instead, or the answer to a question that asks for JSON")
	return cmd
}

func (f *approveFlags) check() error {
	switch {
	case f.note != "" && !f.deny:
		return usagef("--note goes with --deny: it is what the model is told of the denial")
	case f.deny && (f.answer != "" || f.always != "" || f.input != ""):
		return usagef("--deny does not go with --answer, --always and --input")
	case f.answer != "" && (f.always != "" || f.input != ""):
		return usagef("--answer is for a question, --always and --input are for a call")
	case f.input != "" && !json.Valid([]byte(f.input)):
		return usagef("--input is no JSON; give the whole arguments, such as '{\"path\":\"notes.md\"}'")
	}
	if f.always != "" {
		if err := checkRule(f.always); err != nil {
			return usagef("--always: %s", err)
		}
	}
	return nil
}

// approvalJSON is the result of approve --json.
type approvalJSON struct {
	Session string                  `json:"session"`
	Call    string                  `json:"call,omitempty"`
	Name    string                  `json:"name,omitempty"`
	Allowed bool                    `json:"allowed"`
	Pending []session.ApprovalAsked `json:"pending"`
}

func (a *app) approve(ctx context.Context, id, call string, flags *approveFlags) error {
	store, info, err := a.openSession(ctx, id)
	if err != nil {
		return err
	}
	defer store.Close()
	recs, err := records(ctx, store, info.ID)
	if err != nil {
		return err
	}
	pending, err := pendingBelow(ctx, store, recs)
	if err != nil {
		return err
	}
	at, found := -1, 0
	for i := range pending {
		if call == pending[i].ID || call == "" && len(pending) == 1 {
			at = i
			found++
		}
	}
	switch {
	case found > 1:
		return usagef("%d calls %q wait, in children of session %s; name the child in the place of the session", found, call, info.ID)
	case len(pending) == 0:
		return usagef("nothing waits for a person in session %s", info.ID)
	case at < 0 && call != "":
		return usagef("the call %q does not wait in session %s: it was answered before, or there is none; %s", call, info.ID, names(pending))
	case at < 0:
		if err := a.listPending(info.ID, pending); err != nil {
			return err
		}
		return usagef("%d calls wait in session %s; name one of them", len(pending), info.ID)
	}
	asked := &pending[at]
	if err := flags.fits(asked); err != nil {
		return err
	}
	answerer, err := a.newAnswerer(ctx, recs, asked.Session, store)
	if err != nil {
		return err
	}
	answer := quarry.Answer{
		Allow: !flags.deny && !asked.Question, Input: json.RawMessage(flags.input), Always: flags.always,
		Note: flags.note, Text: flags.answer, By: "quarry approve",
	}
	switch err := answerer.Answer(ctx, cmp.Or(asked.Session, info.ID), asked.ID, answer); {
	case errors.Is(err, quarry.ErrNotPending), errors.Is(err, session.ErrConflict):
		return usagef("the call %q was answered meanwhile, or the session is running: %w", asked.ID, err)
	case errors.Is(err, quarry.ErrAnswer):
		return usagef("%w", err)
	case err != nil:
		return err
	}
	rest := append(pending[:at:at], pending[at+1:]...)
	if a.flags.machine() {
		return a.printJSON(approvalJSON{info.ID, asked.ID, asked.Name, !flags.deny, append([]session.ApprovalAsked{}, rest...)})
	}
	fmt.Fprintln(a.stdout, line(done(flags, asked), 500))
	if len(rest) > 0 {
		a.note("%s", names(rest))
		return nil
	}
	root, err := rootOf(ctx, store, info)
	if err != nil {
		return err
	}
	a.note("go on with: quarry sessions resume %s", root)
	return nil
}

// fits tells whether the answer is one to what is asked.
func (f *approveFlags) fits(asked *session.ApprovalAsked) error {
	switch {
	case typedQuestion(asked) && !f.deny && f.answer == "" && f.input == "":
		return usagef("the call %q asks: %s; give the answer by --input JSON, of the schema %s, or --deny", asked.ID, line(questionText(asked.Input), 500), answerSchema(asked))
	case typedQuestion(asked) && (f.answer != "" || f.always != ""):
		return usagef("the answer to the call %q is JSON; give it by --input, or --deny", asked.ID)
	case typedQuestion(asked):
		return nil
	case asked.Question && !f.deny && f.answer == "":
		return usagef("the call %q is a question: %s; give --answer TEXT, or --deny", asked.ID, line(questionText(asked.Input), 500))
	case asked.Question && (f.always != "" || f.input != ""):
		return usagef("the call %q is a question; give --answer TEXT, or --deny", asked.ID)
	case !asked.Question && f.answer != "":
		return usagef("the call %q of %s is no question; leave out --answer to allow it, or give --deny", asked.ID, asked.Name)
	}
	return nil
}

func done(f *approveFlags, asked *session.ApprovalAsked) string {
	what := fmt.Sprintf("%s (%s)", asked.Name, asked.ID)
	switch {
	case f.deny:
		return "denied: " + what
	case asked.Question:
		return "answered: " + what
	case f.always != "":
		return "allowed: " + what + ", and from now on by the rule " + f.always
	}
	return "allowed: " + what
}

// listPending prints what waits.
func (a *app) listPending(id string, pending []session.ApprovalAsked) error {
	if a.flags.machine() {
		return a.printJSON(approvalJSON{Session: id, Pending: pending})
	}
	for i := range pending {
		fmt.Fprintf(a.stdout, "%s  %s\n", pending[i].ID, pendingText(&pending[i], 500))
	}
	return nil
}

// names lists the calls that wait.
func names(pending []session.ApprovalAsked) string {
	ids := make([]string, 0, len(pending))
	for i := range pending {
		ids = append(ids, fmt.Sprintf("%s (%s)", pending[i].ID, pending[i].Name))
	}
	return "still waiting: " + strings.Join(ids, ", ")
}

// newAnswerer makes an agent that can journal answers and nothing else, so that
// neither a key nor a server is needed. It has the hooks of the session's own, since
// a journal is read by those. Child is the child in which the call waits, if any.
func (a *app) newAnswerer(ctx context.Context, recs []session.Record, child string, store session.Store) (*quarry.Agent, error) {
	started, ok := recs[0].Event.(*session.Started)
	if !ok {
		return nil, usagef("the session has no beginning")
	}
	settings, err := settingsOf(started)
	if err != nil {
		return nil, err
	}
	config, err := readRunConfig(settings.config)
	if err != nil {
		return nil, err
	}
	hooks, err := config.hooks(settings.workspace)
	if err != nil {
		return nil, err
	}
	name := started.Agent
	if child != "" {
		info, err := findSession(ctx, store, child)
		if err != nil {
			return nil, err
		}
		name = info.Agent
	}
	return quarry.New(quarry.Config{Hooks: hooks, Model: extractive.New(), Name: name, Park: true, Store: store})
}

// rootOf is the session at the top of a tree: the one that is resumed.
func rootOf(ctx context.Context, store session.Store, info session.Info) (string, error) {
	for info.Parent != "" {
		var err error
		if info, err = findSession(ctx, store, info.Parent); err != nil {
			return "", err
		}
	}
	return info.ID, nil
}
