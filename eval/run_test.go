package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/eval"
)

const lines = `{"id":"a","question":"Port?","kind":"fact","gold_docs":["p"],"also_ok":["q"],"answer_any":["\\b70\\b"],"answer_all":["Port"]}

{"id":"b","question":"Both?","kind":"multihop","gold_docs":["p","q"],"also_ok":[],"answer_any":["x.*y"],"answer_all":[]}
{"id":"c","question":"Unknown?","kind":"unanswerable","gold_docs":[],"also_ok":["p"],"answer_any":["does not say"],"unknown_key":1}
{"id":"d","question":"Fails?","kind":"fact","gold_docs":["r"],"answer_any":["z"]}
{"id":"e","question":"Declined?","kind":"fact","gold_docs":["r"],"answer_any":["no"]}
`

func read(t *testing.T, text string) eval.Set {
	t.Helper()
	set, err := eval.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func answers(_ context.Context, q *eval.Question) (eval.Answer, error) {
	switch q.ID {
	case "a":
		return eval.Answer{Text: "the PORT\n is 70", Turns: 3, ToolCalls: 4, Citations: []eval.Citation{{"q", "seventy  is\nthe port"}, {"z", "made up"}, {"q", "the port"}}}, nil
	case "b":
		return eval.Answer{Text: "X\nthen Y"}, nil
	case "c":
		return eval.Answer{Text: "The corpus does not say."}, nil
	case "e":
		return eval.Answer{Text: "no", Declined: true}, nil
	}
	panic("broken")
}

func options() eval.Options {
	return eval.Options{
		Search: func(_ context.Context, query string, k int) ([]string, error) {
			if query == "Both?" {
				return []string{"x", "q", "1", "2", "3", "p"}, nil
			}
			return []string{"q", "p"}, nil
		},
		Text: func(_ context.Context, id string) (string, error) {
			return eval.PageText("<p>Here <b>seventy</b> is</p><p>the port</p>"), nil
		},
	}
}

func TestScores(t *testing.T) {
	t.Parallel()
	opts := options()
	r, err := eval.Run(t.Context(), read(t, lines), answers, opts)
	if err != nil {
		t.Fatal(err)
	}
	s := r.All
	for name, f := range map[string]struct{ got, want float64 }{
		"questions": {float64(s.Questions), 5}, "answerable": {float64(s.Answerable), 4}, "errors": {float64(s.Errors), 1},
		"recall@1": {s.Recall1, 0.25}, "recall@5": {s.Recall5, 0.5}, "recall@10": {s.Recall10, 0.5},
		"all@5": {s.All5, 0.25}, "all@10": {s.All10, 0.5},
		"accuracy": {s.Accuracy, 0.5}, "citation precision": {s.CitationPrecision, 0.5}, "uncited": {s.Uncited, 0.5},
		"quotes": {float64(s.Quotes), 3}, "quote validity": {s.QuoteValidity, 2.0 / 3},
		"abstention": {s.Abstention, 0}, "declined": {s.FalseAbstention, 0.25}, "turns": {s.Turns, 0.6}, "calls": {s.ToolCalls, 0.8},
	} {
		if math.Abs(f.got-f.want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, f.got, f.want)
		}
	}
	if len(r.Kinds) != 3 || r.Kinds[0].Kind != "fact" || r.Kinds[0].Questions != 3 || len(r.Failures()) != 3 {
		t.Errorf("kinds %+v, %d failures", r.Kinds, len(r.Failures()))
	}
	text := r.String()
	for _, want := range []string{"multihop", "all ", "d (fact): error: panic: broken", "e (fact): declined", "c (unanswerable): answered, not declined"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	data, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(data), `"answer_accuracy":0.5`) {
		t.Errorf("%v: %s", err, data)
	}

	opts.DeclineByText = true
	if r, err = eval.Run(t.Context(), read(t, lines), answers, opts); err != nil || r.All.Abstention != 1 {
		t.Errorf("by text: %v, %v", r.All.Abstention, err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                "no question",
		"{":               "line 1",
		`{"question":""}`: "it has no question",
		`{"id":"a","question":"?","kind":"fact","gold_docs":["p"],"answer_any":[]}`:            "answer_any is empty",
		`{"id":"a","question":"?","kind":"fact","gold_docs":["p"],"answer_any":["("]}`:         "answer_any",
		`{"id":"a","question":"?","kind":"fact","gold_docs":[],"answer_any":["x"]}`:            "do not fit its kind",
		`{"id":"a","question":"?","kind":"unanswerable","gold_docs":["p"],"answer_any":["x"]}`: "do not fit its kind",
		strings.Repeat(strings.Split(lines, "\n")[0]+"\n", 2):                                  "two questions a",
	} {
		if _, err := eval.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	if _, err := eval.ReadFile("testdata/none.jsonl"); err == nil {
		t.Error("a missing file is read")
	}
}

func TestRunStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	_, err := eval.Run(ctx, read(t, lines), func(ctx context.Context, _ *eval.Question) (eval.Answer, error) {
		cancel(why)
		<-ctx.Done()
		return eval.Answer{}, ctx.Err()
	}, eval.Options{Parallel: 1})
	if !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	opts := options()
	opts.Text = func(context.Context, string) (string, error) { return "", why }
	if _, err := eval.Run(t.Context(), read(t, lines), answers, opts); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}
