// Package modeltest tests agents without a provider: a scripted model, and a
// loopback server that speaks the Anthropic Messages API, OpenAI's Responses API
// and the Chat Completions API from the same script.
//
//	m := modeltest.NewScripted(
//		modeltest.Call("weather", map[string]string{"city": "Florence"}),
//		modeltest.Say("It is 40 °C in Florence."),
//	)
//	resp, err := m.Stream(ctx, req).Collect() // the call
//	…                                          // run the tool, ask again
//	resp, err = m.Stream(ctx, req).Collect()  // the answer
//	for _, req := range m.Requests() {
//		fmt.Println(len(req.Messages))
//	}
//
// Most tests need [NewScripted], [Say] and [Call]. [Func] and [EachConversation]
// answer by what was asked, [Fail], [Turn.Cut] and [Hang] are what goes wrong.
//
// A script that runs out, and a request whose history no provider would accept,
// fail the call with an error that says so.
//
// Not promised: the ids, the default token counts and the exact cut of a text
// into pieces may change between versions.
package modeltest
