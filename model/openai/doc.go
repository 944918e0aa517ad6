// Package openai lets models of OpenAI's Responses API, and of servers that
// speak it, serve as a [model.Model].
//
//	m, err := openai.New(openai.Config{Model: "gpt-5"}) // key: OPENAI_API_KEY
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
// Addressing and headers are left to the official SDK
// (github.com/openai/openai-go), of which only the service of this one API is
// linked. Request bodies, events and errors are handled here: a message of the
// history is encoded once in its life and then only copied to the wire, and
// every item that the API sent is kept as raw JSON beside the typed view and goes
// back unchanged.
//
// The API is asked to keep nothing (store is false): reasoning comes back to it
// in its encrypted form, in the order in which it came. See
// [Config.PreviousResponse] for the other way.
//
// What the typed view makes of an item: a message is a Text for each of its
// parts, reasoning is a Thinking with the summary or, without one, a
// RedactedThinking; a function call or a custom tool call is a ToolUse; a call of
// a hosted tool is a ServerToolUse, followed by a ServerToolResult where the item
// has the outcome; any other item is Unknown. A block of type Unknown that is
// made here is sent as an item, or as a part of a message if its type begins with
// "input_": that is how an approval or a screenshot is sent.
//
// Left out, because the API refuses it: thinking and provider-side calls of
// other providers, reasoning without an encrypted form or that led to nothing,
// empty texts, results whose call is not in the conversation, and calls of
// computers and shells that were never answered. A function call without a result
// gets one that says so.
//
// A schema for the answer or for a strict tool is enforced where strict mode
// takes it once open objects are closed: each property required, no keyword that
// the mode does not know. Any other is sent with strict set to false.
package openai
