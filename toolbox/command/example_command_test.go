package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/command"
)

// An agent may run go, and a person is asked each time.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	run, err := command.New(command.Config{Allow: []string{"go"}, Dir: dir, Env: map[string]string{"GOTOOLCHAIN": "local"}})
	if err != nil {
		log.Fatal(err)
	}
	agent, err := quarry.New(quarry.Config{
		Approver: func(_ context.Context, ask quarry.Approval) (quarry.Answer, error) {
			fmt.Println("May it run", string(ask.Input))
			return quarry.Answer{Allow: true}, nil
		},
		Model: modeltest.NewScripted(
			modeltest.Call("run_command", map[string]any{"program": "go", "args": []string{"env", "GOTOOLCHAIN"}}),
			modeltest.Call("run_command", map[string]any{"program": "curl", "args": []string{"example.org"}}),
			modeltest.Say("The toolchain is local."),
		),
		Permissions: &quarry.Permissions{},
		Tools:       []*quarry.Tool{run},
	})
	if err != nil {
		log.Fatal(err)
	}
	for ev, err := range agent.Stream(context.Background(), quarry.Input{Prompt: "Which toolchain is used?"}) {
		if err != nil {
			log.Fatal(err)
		}
		if ev.Record == nil {
			continue
		}
		if answer, ok := ev.Record.Event.(*session.ToolAnswered); ok {
			var result command.Result
			if answer.IsError {
				fmt.Println(answer.Content.Text())
			} else if err := json.Unmarshal(answer.Output, &result); err != nil {
				log.Fatal(err)
			} else {
				fmt.Printf("exit code %d: %s", result.ExitCode, result.Stdout)
			}
		}
	}
	// Output:
	// May it run {"args":["env","GOTOOLCHAIN"],"program":"go"}
	// exit code 0: local
	// May it run {"args":["example.org"],"program":"curl"}
	// the program "curl" is not among those that may be run: go
}
