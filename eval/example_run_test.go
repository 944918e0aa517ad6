package eval_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/quarry-sdk/quarry/eval"
)

// Any system can be measured: it is a function from a question to an answer.
func ExampleRun() {
	set, err := eval.Read(strings.NewReader(`{"id":"1","question":"On which port does it listen?","kind":"fact","gold_docs":["ports"],"answer_any":["\\b7070\\b"]}`))
	if err != nil {
		log.Fatal(err)
	}
	report, err := eval.Run(context.Background(), set, func(context.Context, *eval.Question) (eval.Answer, error) {
		return eval.Answer{Text: "On port 7070.", Citations: []eval.Citation{{DocID: "ports", Quote: "listens on port 7070"}}}, nil
	}, eval.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.All.Accuracy, report.All.CitationPrecision)
	// Output: 1 1
}
