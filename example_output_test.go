package quarry_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// The result is a Go value. What is wrong in form alone is repaired; what is wrong in
// content is asked for again, with what is wrong.
func ExampleRunTyped() {
	type town struct {
		Name   string `json:"name"`
		People int    `json:"people" jsonschema:"inhabitants"`
	}
	m := modeltest.NewScripted(
		modeltest.Say(`{"name": "Florence", "people": "many"}`),
		modeltest.Say("Here it is:\n```json\n{'name': 'Florence', 'people': 362353,}\n```"),
	)
	agent, err := quarry.New(quarry.Config{Model: m})
	if err != nil {
		log.Fatal(err)
	}
	florence, result, err := quarry.RunTyped[town](context.Background(), agent, quarry.Input{Prompt: "Which town is it?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", florence)
	fmt.Println("refused: ", result.Trail[0].Problem)
	fmt.Println("repaired:", result.Repairs)
	// Output:
	// {Name:Florence People:362353}
	// refused:  "people" must be an integer; it is a string "many"
	// repaired: [quotes, commas and names mended]
}

// A run that comes to no such result is an error that says so, with every attempt.
func ExampleOutputError() {
	type town struct {
		People int `json:"people" jsonschema:"inhabitants"`
	}
	output := quarry.OutputFor[town]()
	output.Retries = 1
	agent, err := quarry.New(quarry.Config{
		Model:  modeltest.NewScripted(modeltest.Say("Nobody knows."), modeltest.Say(`{"people": "unknown"}`)),
		Output: output,
	})
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = quarry.RunTyped[town](context.Background(), agent, quarry.Input{Prompt: "How many live in Atlantis?"})
	var problem *quarry.OutputError
	if errors.As(err, &problem) {
		fmt.Println(problem.Result.Subtype)
		for _, attempt := range problem.Result.Trail {
			fmt.Println(attempt.Text, "-", attempt.Problem)
		}
	}
	// Output:
	// invalid_output
	// Nobody knows. - it has no JSON
	// {"people": "unknown"} - "people" must be an integer; it is a string "unknown"
}
