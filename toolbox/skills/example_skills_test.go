package skills_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"testing/fstest"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/skills"
)

// An agent is told which skills there are, and loads one when it needs it. With an
// embed.FS in place of the map, the skills are a part of the program.
func Example() {
	files := fstest.MapFS{
		"refunds/SKILL.md": {Data: []byte("---\nname: refunds\ndescription: How refunds are decided. Use it for every complaint.\n---\nUp to 50 euros, refund at once.\n")},
		"draft/SKILL.md":   {Data: []byte("To be written.\n")},
	}
	set, err := skills.Open(skills.Config{FS: []fs.FS{files}})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	for _, p := range set.Problems() {
		fmt.Println(p)
	}
	fmt.Println(set.Prompt())

	agent, err := quarry.New(quarry.Config{
		Instructions: "You answer customers.\n\n" + set.Prompt(),
		Model: modeltest.NewScripted(
			modeltest.Call("skill", map[string]any{"name": "refunds"}),
			modeltest.Say("You get your 20 euros back."),
		),
		Tools: set.Tools(),
	})
	if err != nil {
		log.Fatal(err)
	}
	for ev, err := range agent.Stream(context.Background(), quarry.Input{Prompt: "My tea for 20 euros was cold."}) {
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
	// FS[0]:draft/SKILL.md: it does not begin with front matter; write a line "---", name and description, and another line "---" at its start
	// # Skills
	//
	// Instructions for special tasks. Where one of these fits what you are to do, load it with skill before you begin, and follow it.
	//
	// - refunds: How refunds are decided. Use it for every complaint.
	//
	// The skill "refunds":
	//
	// Up to 50 euros, refund at once.
}
