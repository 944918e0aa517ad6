package docs_test

import (
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

const goodAnswer = `{"answer": "On 7070.", "citations": [{"doc_id": "ports", "quote": "The gateway listens on port 7070 by default."}], "not_in_corpus": false}`

func TestSubmitTakesWhatIsProven(t *testing.T) {
	t.Parallel()
	ix := manual(t)
	for _, tt := range []struct {
		name   string
		before *modeltest.Turn
		args   string
		status string
		cited  int
	}{
		{"after a search", call("search_docs", `{"query": "port"}`), goodAnswer, "answered", 1},
		{"after a fetch", call("fetch_doc", `{"doc_id": "ports"}`), goodAnswer, "answered", 1},
		{"white space differs", call("fetch_doc", `{"doc_id": "ports"}`),
			`{"answer": "a", "citations": [{"doc_id": "ports", "quote": " The gateway\n listens on port 7070 by default. "}], "not_in_corpus": false}`, "answered", 1},
		{"the same twice", call("fetch_doc", `{"doc_id": "ports"}`),
			`{"answer": "a", "citations": [{"doc_id": "ports", "quote": "listens on port 7070"}, {"doc_id": "ports", "quote": "listens on  port 7070"}], "not_in_corpus": false}`, "answered", 1},
		{"not in the corpus", call("search_docs", `{"query": "unicorn"}`), `{"answer": "The corpus does not say.", "citations": [], "not_in_corpus": true}`, "no_answer", 0},
		{"not in the corpus, with what is near", call("search_docs", `{"query": "port"}`),
			`{"answer": "Only the port.", "citations": [{"doc_id": "ports", "quote": "listens on port 7070"}], "not_in_corpus": true}`, "no_answer", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, _ := run(t, ix, "Port?", tt.before, call("submit_answer", tt.args))
			answer, status := docs.Parse(result)
			if status != tt.status || answer == nil || len(answer.Citations) != tt.cited || answer.Unverified {
				t.Fatalf("got %s, %+v, %s", status, answer, result.Detail)
			}
			for _, c := range answer.Citations {
				doc, err := ix.Document(t.Context(), c.DocID)
				if err != nil {
					t.Fatal(err)
				}
				if doc.Text[c.Start:c.End] != c.Quote || c.Title != "Ports" || c.Path != "ports.md" || c.Page != nil {
					t.Errorf("got %+v", c)
				}
			}
		})
	}
}

func TestSubmitRefuses(t *testing.T) {
	t.Parallel()
	ix := manual(t)
	long := strings.Repeat("long ", 500)
	for _, tt := range []struct {
		name, args string
		has        []string
	}{
		{"no citation", `{"answer": "a", "citations": [], "not_in_corpus": false}`, []string{"at least one citation", "not_in_corpus to true"}},
		{"an empty answer", `{"answer": " ", "citations": [], "not_in_corpus": true}`, []string{"The answer is empty"}},
		{"a document not seen", `{"answer": "a", "citations": [{"doc_id": "guide/vacuum", "quote": "Vacuum reclaims space."}], "not_in_corpus": false}`,
			[]string{"Citation 1 (guide/vacuum)", "was not shown in this session", "fetch_doc"}},
		{"an unknown document", `{"answer": "a", "citations": [{"doc_id": "prts", "quote": "x"}], "not_in_corpus": false}`, []string{"no document", "did you mean ports"}},
		{"a path", `{"answer": "a", "citations": [{"doc_id": "../ports", "quote": "x"}], "not_in_corpus": false}`, []string{"no document"}},
		{"a quote that differs", `{"answer": "a", "citations": [{"doc_id": "ports", "quote": "The gateway listens on port 7071 by default."}], "not_in_corpus": false}`,
			[]string{"7071", "The gateway listens on port 7070 by default."}},
		{"an empty quote", `{"answer": "a", "citations": [{"doc_id": "ports", "quote": ""}], "not_in_corpus": false}`, []string{"the quote is empty"}},
		{"a long quote", `{"answer": "a", "citations": [{"doc_id": "ports", "quote": "` + long + `"}], "not_in_corpus": false}`, []string{"the limit is 2000"}},
		{"every fault at once", `{"answer": "", "citations": [{"doc_id": "ports", "quote": "unicorns"}, {"doc_id": "guide/vacuum", "quote": "space"}], "not_in_corpus": false}`,
			[]string{"The answer is empty", "Citation 1 (ports)", "Citation 2 (guide/vacuum)"}},
		{"too many", `{"answer": "a", "citations": [` + strings.TrimSuffix(strings.Repeat(`{"doc_id": "ports", "quote": "port"},`, 21), ",") + `], "not_in_corpus": false}`, []string{"21 citations"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, results := run(t, ix, "Port?", call("search_docs", `{"query": "firewall"}`), call("submit_answer", tt.args), call("submit_answer", goodAnswer))
			got := results[1].Content.Text()
			if !results[1].IsError {
				t.Fatalf("it was taken: %s", got)
			}
			for _, s := range tt.has {
				if !strings.Contains(got, s) {
					t.Errorf("%q is missing in:\n%s", s, got)
				}
			}
			if _, status := docs.Parse(result); status != docs.StatusAnswered {
				t.Errorf("the mended answer was not taken: %s", result.Detail)
			}
		})
	}
}

func TestThreeRefusedTriesHaltWithTheDraft(t *testing.T) {
	t.Parallel()
	bad := call("submit_answer", `{"answer": "On 9.", "citations": [{"doc_id": "ports", "quote": "port 9"}], "not_in_corpus": false}`)
	result, _ := run(t, manual(t), "Port?", call("search_docs", `{"query": "port"}`), bad, bad, bad)
	answer, status := docs.Parse(result)
	if status != docs.StatusHalted || answer == nil || !answer.Unverified || answer.Answer != "On 9." || answer.Citations[0].Quote != "port 9" || answer.Citations[0].End != 0 {
		t.Errorf("got %s %+v", status, answer)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	ix := manual(t)
	var many []*modeltest.Turn
	for i := range 20 {
		many = append(many, modeltest.Call("search_docs", map[string]any{"query": "port", "limit": i%10 + 1}))
	}
	for _, tt := range []struct {
		name   string
		turns  []*modeltest.Turn
		status string
		draft  string
	}{
		{"text without submitting", []*modeltest.Turn{modeltest.Say("It is 7070.")}, docs.StatusHalted, "It is 7070."},
		{"ten turns", many, docs.StatusLimit, ""},
		{"refusal", []*modeltest.Turn{modeltest.Stop(model.StopRefusal)}, docs.StatusRefused, ""},
		{"model error", []*modeltest.Turn{modeltest.Fail(&model.Error{Kind: model.ErrAuth})}, docs.StatusError, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, _ := run(t, ix, "Port?", tt.turns...)
			answer, status := docs.Parse(result)
			if status != tt.status || (answer == nil) != (tt.draft == "") || answer != nil && (answer.Answer != tt.draft || !answer.Unverified) {
				t.Errorf("got %s, %+v; %s", status, answer, result.Detail)
			}
			if tt.name == "ten turns" && result.Turns != docs.DefaultTurns {
				t.Errorf("the run had %d turns", result.Turns)
			}
		})
	}
	if _, status := docs.Parse(nil); status != docs.StatusError {
		t.Errorf("nil: %s", status)
	}
	if _, status := docs.Parse(&quarry.Result{Subtype: session.Success}); status != docs.StatusError {
		t.Errorf("success without an output: %s", status)
	}
}

// What a session has seen is in its journal: another agent in another process
// goes on with it.
func TestResumeKeepsWhatWasSeen(t *testing.T) {
	t.Parallel()
	ix := manual(t)
	store := session.NewMemory()
	ask := func(prompt string, turns ...*modeltest.Turn) *quarry.Result {
		agent, err := docs.NewAgent(docs.Config{Index: ix, Model: modeltest.NewScripted(turns...), Store: store})
		if err != nil {
			t.Fatal(err)
		}
		result, err := agent.Run(t.Context(), quarry.Input{Prompt: prompt, Session: "kept"})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	ask("Port?", call("fetch_doc", `{"doc_id": "ports"}`), modeltest.Say("I will go on later."))
	if answer, status := docs.Parse(ask("Go on.", call("submit_answer", goodAnswer))); status != docs.StatusAnswered {
		t.Errorf("got %s %+v", status, answer)
	}
}
