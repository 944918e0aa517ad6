package cli_test

import (
	"bytes"
	"context"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

func containsCanary(data []byte) bool { return bytes.Contains(data, []byte(canaryKey)) }

type args = map[string]any

// answers searches, reads and submits an answer whose quote is in the document.
func answers() *modeltest.Turn {
	return modeltest.EachConversation(
		modeltest.Think("Look for the port.", "sig").Call("search_docs", args{"query": "port"}),
		modeltest.Call("fetch_doc", args{"doc_id": "network"}),
		modeltest.Call("submit_answer", args{
			"answer": "It is 5432.", "not_in_corpus": false,
			"citations": []args{{"doc_id": "network", "quote": "The server listens on port 5432."}},
		}),
	)
}

// priced answers in two calls with usages that are known to the token.
func priced() *modeltest.Turn {
	return modeltest.EachConversation(
		modeltest.Call("search_docs", args{"query": "port"}).Usage(model.Usage{InputTokens: 1000, OutputTokens: 100, CacheWriteTokens: 2000, CacheWrite1hTokens: 500}),
		modeltest.Call("submit_answer", args{
			"answer": "It is 5432.", "not_in_corpus": false,
			"citations": []args{{"doc_id": "network", "quote": "The server listens on port 5432."}},
		}).Usage(model.Usage{InputTokens: 10, OutputTokens: 200, CacheReadTokens: 2000}),
	)
}

// thorough searches and reads twice before it answers.
func thorough() *modeltest.Turn {
	return modeltest.EachConversation(
		modeltest.Call("search_docs", args{"query": "port"}),
		modeltest.Call("search_docs", args{"query": "disk"}),
		modeltest.Call("fetch_doc", args{"doc_id": "network"}).Call("fetch_doc", args{"doc_id": "disk"}),
		modeltest.Call("submit_answer", args{
			"answer": "It is 5432.", "not_in_corpus": false,
			"citations": []args{{"doc_id": "network", "quote": "The server listens on port 5432."}},
		}),
	)
}

// further reads a document for the first question and answers each further one
// with the same words.
func further(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
	for _, m := range req.Messages {
		for _, use := range m.Blocks.ToolUses() {
			if use.Name == "fetch_doc" {
				return modeltest.Call("submit_answer", args{
					"answer": "It is 5432.", "not_in_corpus": false,
					"citations": []args{{"doc_id": "network", "quote": "The server listens on port 5432."}},
				}), nil
			}
		}
	}
	return modeltest.Call("fetch_doc", args{"doc_id": "network"}), nil
}

func silent(context.Context, *model.Request) (*modeltest.Turn, error) { return modeltest.Hang(), nil }

// hanging gets a token for each request that hangs leaves without an answer.
var hanging = make(chan struct{}, 16)

// hangs answers the first request of a conversation and never the second.
func hangs(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
	if modeltest.ToolResults(req) == 0 {
		return modeltest.Call("search_docs", args{"query": "port"}), nil
	}
	hanging <- struct{}{}
	return modeltest.Hang(), nil
}

func cuts(context.Context, *model.Request) (*modeltest.Turn, error) {
	return modeltest.Say("This sentence will not be finished.").Cut(), nil
}

func refuses(context.Context, *model.Request) (*modeltest.Turn, error) {
	return modeltest.Stop(model.StopRefusal), nil
}

func loops(context.Context, *model.Request) (*modeltest.Turn, error) {
	return modeltest.Call("search_docs", args{"query": "port"}), nil
}

// invents cites a quote that no document has, again and again.
func invents(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
	if modeltest.ToolResults(req) == 0 {
		return modeltest.Call("search_docs", args{"query": "port"}), nil
	}
	return modeltest.Call("submit_answer", args{
		"answer": "It is 1.", "not_in_corpus": false,
		"citations": []args{{"doc_id": "network", "quote": strings.Repeat("Invented. ", modeltest.ToolResults(req))}},
	}), nil
}

// odd sends a block that nobody knows, a call of a tool that is not there, and a
// call without a field that it needs; one byte at a time.
func odd() *modeltest.Turn {
	return modeltest.EachConversation(
		modeltest.Block(`{"type":"hologram","data":{"x":[1,2]}}`).Call("teleport", args{"to": "Paris"}),
		modeltest.Say("größer als 5 € 中文").Call("search_docs", args{"q": "port"}),
		modeltest.Call("search_docs", args{"query": "port"}),
		modeltest.Call("submit_answer", args{
			"answer": "5432", "not_in_corpus": false,
			"citations": []args{{"doc_id": "network", "quote": "The server listens on port 5432."}},
		}),
	)
}
