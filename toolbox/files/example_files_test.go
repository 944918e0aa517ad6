package files_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/files"
)

// An agent tries to write outside its workspace, is told why that is refused, and
// writes inside. The model is scripted; a language model takes its place.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ws, err := files.Open(files.Config{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(
			modeltest.Call("write_file", map[string]any{"path": "../backup/plan.md", "content": "1. Tea\n"}),
			modeltest.Call("write_file", map[string]any{"path": "backup/plan.md", "content": "1. Tea\n"}),
			modeltest.Call("read_file", map[string]any{"path": "backup/plan.md"}),
			modeltest.Say("The plan is in backup/plan.md; I could not write outside."),
		),
		Tools: ws.Tools(),
	})
	if err != nil {
		log.Fatal(err)
	}
	for ev, err := range agent.Stream(context.Background(), quarry.Input{Prompt: "Back up the plan."}) {
		if err != nil {
			log.Fatal(err)
		}
		if ev.Record == nil {
			continue
		}
		if answer, ok := ev.Record.Event.(*session.ToolAnswered); ok {
			fmt.Println(answer.Content.Text())
		}
	}
	// Output:
	// the path "../backup/plan.md" leads out of the workspace, where nothing can be read or written; paths are relative to the workspace and use slashes, such as notes/today.md. Choose one inside
	// Wrote 7 bytes to backup/plan.md, a new file.
	// backup/plan.md: lines 1 to 1 of 1, 7 bytes
	//
	//      1	1. Tea
}
