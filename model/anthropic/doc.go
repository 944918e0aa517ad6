// Package anthropic lets Claude models of the Anthropic Messages API serve as a
// [model.Model].
//
//	m, err := anthropic.New(anthropic.Config{Model: "claude-sonnet-4-5"}) // key: ANTHROPIC_API_KEY
//	if err != nil {
//		return err
//	}
//	resp, err := m.Stream(ctx, &model.Request{
//		Messages: []*model.Message{model.UserText("What is a journal?")},
//	}).Collect()
//	if err != nil {
//		return err // a *model.Error, or the context's cause
//	}
//	fmt.Println(resp.Message.Blocks.Text())
//
// Most people need [Config] and [New] only. Every answer is streamed. A [Model]
// may be shared by any number of goroutines, never retries, and never puts its
// key into an error.
//
// Addressing, headers and the reading of error answers are left to the official
// SDK (github.com/anthropics/anthropic-sdk-go). Request bodies and events are
// handled here: a message of the history is encoded once in its life and then
// only copied to the wire, and whatever the API sent that the typed view does
// not carry stays beside it as raw JSON and goes back unchanged.
//
// Four things are left out on purpose, because the API refuses them: empty
// texts, messages without content, thinking without a signature, and thinking
// or provider-side tool calls that another provider made.
//
// The wire format is that of API version 2023-06-01 (see [Config].Version).
// Which optional features a model accepts is for the API to say; its refusal
// arrives as a typed error.
package anthropic
