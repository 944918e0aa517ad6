package quarry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// Answer is what the agent of the example has to hand in.
type Answer struct {
	Answer    string   `json:"answer"`
	Citations []string `json:"citations" jsonschema:"ids of the documents that support the answer"`
}

// A tool that ends the run gives it a typed result, and refuses what is not good
// enough.
func Example_endsRun() {
	submit := quarry.NewTool(quarry.ToolSpec{
		Name:        "submit_answer",
		Description: "Hands in the final answer. Call it once, when every claim has a citation.",
		EndsRun:     true,
	}, func(_ context.Context, in Answer) (Answer, error) {
		if len(in.Citations) == 0 {
			return Answer{}, errors.New("no citation is given; cite the documents that support the answer")
		}
		return in, nil
	})
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(
			modeltest.Call("submit_answer", Answer{Answer: "5432", Citations: []string{}}),
			modeltest.Call("submit_answer", Answer{Answer: "5432", Citations: []string{"runtime-config-connection"}}),
		),
		Tools: []*quarry.Tool{submit},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "What is PostgreSQL's default port?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var answer Answer
	if err := json.Unmarshal(result.Output, &answer); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Subtype, result.Reason)
	fmt.Println(answer.Answer, answer.Citations)
	// Output:
	// success submitted
	// 5432 [runtime-config-connection]
}
