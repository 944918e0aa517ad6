// Package chat lets the Chat Completions API serve as a [model.Model]: that of
// OpenAI, and those of the many servers that offer the same one (Ollama,
// llama.cpp, vLLM, LM Studio, OpenRouter, Groq, DeepSeek, Mistral, xAI, Gemini's
// compatible endpoint and others).
//
//	m, err := chat.New(chat.Config{
//		BaseURL: "http://localhost:11434/v1",
//		Model:   "qwen3",
//	})
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
// Most people need [Config] and [New] only. Every answer is asked for as a
// stream; a server that answers in one piece is understood too. A [Model] may be
// shared by any number of goroutines, never retries, and never puts its key into
// an error.
//
// No two of these servers agree on what the API is. What differs is one table,
// [Providers]: each row names a server, how its address or its answers tell it,
// and its [Quirks]. The row is found by the host of the base URL, or by the first
// answer; Config.Provider names another, and Config.Quirks replaces what it says.
//
// The official SDK (github.com/openai/openai-go) is not used: it decodes into
// the types of OpenAI's own API, and an answer that bends them (arguments as an
// object, a numeric error code, reasoning in a field of another name, a call
// without an id) is an error there, or loses what it does not know.
//
// A conversation that another provider began is sent on without what only its
// maker can read: its reasoning, and the calls that it performed itself. A call
// without a result and a result without a call are never sent.
//
// Not supported: several choices (n), audio, and prompts that name uploaded
// files as images. Logprobs and other fields of an answer that have no typed
// place are in [model.Response.Extra].
package chat
