package modeltest_test

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

func ExampleScripted() {
	m := modeltest.NewScripted(
		modeltest.Call("weather", map[string]string{"city": "Florence"}),
		modeltest.Say("It is 40 °C in Florence."),
	)
	ctx := context.Background()
	history := []*model.Message{model.UserText("How warm is it in Florence?")}

	resp, err := m.Stream(ctx, &model.Request{Messages: history}).Collect()
	if err != nil {
		fmt.Println(err)
		return
	}
	call := resp.Message.Blocks.ToolUses()[0]
	fmt.Println(resp.StopReason, call.Name, string(call.Input))

	history = append(history, resp.Message, model.NewMessage(model.RoleUser, &model.ToolResult{
		ToolUseID: call.ID,
		Content:   model.Blocks{&model.Text{Text: "40 °C"}},
	}))
	for ev, err := range m.Stream(ctx, &model.Request{Messages: history}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if ev.Kind == model.EventText {
			fmt.Printf("%q ", ev.Text)
		}
	}
	fmt.Println(len(m.Requests()), m.Unplayed())
	// Output:
	// tool_use weather {"city":"Florence"}
	// "It is 40 °C " "in Florence." 2 0
}

// The mistake that scripted models exist to find: a call without its result.
func ExampleScripted_history() {
	m := modeltest.NewScripted(modeltest.CallID("call_1", "weather", nil), modeltest.Say("Done."))
	ctx := context.Background()
	history := []*model.Message{model.UserText("How warm is it?")}
	resp, _ := m.Stream(ctx, &model.Request{Messages: history}).Collect()
	history = append(history, resp.Message, model.UserText("Well?"))
	_, err := m.Stream(ctx, &model.Request{Messages: history}).Collect()
	fmt.Println(err)
	// Output:
	// modeltest: invalid request: messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.
}

func ExampleFunc() {
	m := modeltest.NewScripted(modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		last := req.Messages[len(req.Messages)-1].Blocks.Text()
		return modeltest.Say("You said: " + last), nil
	}))
	for _, text := range []string{"one", "two"} {
		resp, _ := m.Stream(context.Background(), &model.Request{Messages: []*model.Message{model.UserText(text)}}).Collect()
		fmt.Println(resp.Message.Blocks.Text())
	}
	// Output:
	// You said: one
	// You said: two
}

// Conversations that run beside each other each hear the script from its start.
func ExampleEachConversation() {
	m := modeltest.NewScripted(modeltest.EachConversation(modeltest.Say("Hello."), modeltest.Say("Goodbye.")))
	history := map[string][]*model.Message{}
	for _, who := range []string{"Ann", "Bob", "Ann", "Bob"} {
		history[who] = append(history[who], model.UserText("It is "+who))
		resp, err := m.Stream(context.Background(), &model.Request{Messages: history[who]}).Collect()
		if err != nil {
			fmt.Println(err)
			return
		}
		history[who] = append(history[who], resp.Message)
		fmt.Println(who, resp.Message.Blocks.Text())
	}
	// Output:
	// Ann Hello.
	// Bob Hello.
	// Ann Goodbye.
	// Bob Goodbye.
}
