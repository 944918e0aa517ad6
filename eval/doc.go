// Package eval measures a question-answering system against a set of questions
// with known answers: whether the right documents are found, whether the answer
// is right, what it cites, whether its quotes are real, and whether it declines
// what the corpus does not answer.
//
//	set, err := eval.ReadFile("dev.jsonl")
//	…
//	report, err := eval.Run(ctx, set, eval.Agent(agent), eval.Options{
//		Search: func(ctx context.Context, query string, k int) ([]string, error) { … },
//		Text:   func(ctx context.Context, docID string) (string, error) { … },
//	})
//	…
//	fmt.Print(report) // or json.Marshal(report)
//
// Most people need [ReadFile], [Run] and [Agent], which asks an agent of
// toolbox/docs; any other system is a function from a [Question] to an [Answer].
// [Scores] defines each figure.
//
// The patterns of a question are a floor, not a judge: a lucky wrong sentence can
// pass and an odd right one can fail, so read the failures ([Report.Failures])
// before quoting a figure. With 40 questions one of them is 2.5 points.
package eval
