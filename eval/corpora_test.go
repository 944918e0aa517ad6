package eval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/eval"
	"github.com/quarry-sdk/quarry/internal/sharedtest"
	"github.com/quarry-sdk/quarry/model/extractive"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

// slow skips what builds and searches large corpora under -short.
func slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it indexes a large corpus; run without -short")
	}
}

func indexOf(t testing.TB, folder string) *corpus.Index {
	t.Helper()
	ix, err := corpus.Open(t.Context(), t.TempDir(), corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	if _, err := ix.Update(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	return ix
}

// measure asks the built-in model every question of a set.
func measure(t testing.TB, ix *corpus.Index, set eval.Set, opts eval.Options) *eval.Report {
	t.Helper()
	agent, err := docs.NewAgent(docs.Config{Index: ix, Model: extractive.New()})
	if err != nil {
		t.Fatal(err)
	}
	opts.Search = eval.Search(ix)
	report, err := eval.Run(t.Context(), set, eval.Agent(agent), opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// encode makes a question set of questions.
func encode(t testing.TB, questions []eval.Question) eval.Set {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, q := range questions {
		if err := enc.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	set, err := eval.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// xquad makes each paragraph a document and every fourth question one of the set:
// 297 of 1,190.
func xquad(t testing.TB, language string) (folder string, set eval.Set) {
	t.Helper()
	data, err := os.ReadFile(sharedtest.Path(t, "datasets", "xquad", "xquad."+language+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Data []struct {
			Paragraphs []struct {
				Context string
				QAs     []struct {
					ID       string
					Question string
					Answers  []struct{ Text string }
				}
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	var questions []eval.Question
	n := 0
	for i, d := range file.Data {
		for j, p := range d.Paragraphs {
			id := fmt.Sprintf("%02d-%d", i, j)
			if err := os.WriteFile(filepath.Join(folder, id+".txt"), []byte(p.Context), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, qa := range p.QAs {
				if n++; n%4 != 0 {
					continue
				}
				q := eval.Question{ID: qa.ID, Question: qa.Question, Kind: "xquad-" + language, GoldDocs: []string{id}}
				for _, a := range qa.Answers {
					q.AnswerAny = append(q.AnswerAny, regexp.QuoteMeta(strings.Join(strings.Fields(a.Text), " ")))
				}
				questions = append(questions, q)
			}
		}
	}
	return folder, encode(t, questions)
}

// hotpot pools the paragraphs of all questions and asks the first 200 that are no
// yes-or-no questions.
func hotpot(t testing.TB) (folder string, set eval.Set) {
	t.Helper()
	f, err := os.Open(sharedtest.Path(t, "datasets", "hotpotqa-dev500", "dev_subsampled.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	folder = t.TempDir()
	ids := make(map[string]string)
	var questions []eval.Question
	for dec := json.NewDecoder(f); dec.More(); {
		var q struct {
			ID       string                     `json:"question_id"`
			Text     string                     `json:"question_text"`
			Answers  []struct{ Spans []string } `json:"answers_objects"`
			Contexts []struct {
				Title      string
				Text       string `json:"paragraph_text"`
				Supporting bool   `json:"is_supporting"`
			}
		}
		if err := dec.Decode(&q); err != nil {
			t.Fatal(err)
		}
		item := eval.Question{ID: q.ID, Question: q.Text, Kind: "hotpotqa"}
		for _, c := range q.Contexts {
			key := c.Title + "\n\n" + c.Text
			if ids[key] == "" {
				ids[key] = fmt.Sprintf("p%05d", len(ids))
				if err := os.WriteFile(filepath.Join(folder, ids[key]+".txt"), []byte(key), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if c.Supporting {
				item.GoldDocs = append(item.GoldDocs, ids[key])
			}
		}
		if span := q.Answers[0].Spans[0]; span != "yes" && span != "no" && len(questions) < 200 {
			item.AnswerAny = []string{regexp.QuoteMeta(strings.Join(strings.Fields(span), " "))}
			questions = append(questions, item)
		}
	}
	return folder, encode(t, questions)
}
