package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// crashing gets a token when the first task of runs waits for its second answer.
var crashing = make(chan struct{}, 1)

// said counts what the model has said in a conversation.
func said(req *model.Request) (n int) {
	for _, m := range req.Messages {
		if m.Role == model.RoleAssistant {
			n++
		}
	}
	return n
}

// task is the text of the first message.
func task(req *model.Request) string { return req.Messages[0].Blocks.Text() }

// lastResults are the results of the newest message.
func lastResults(req *model.Request) (results []*model.ToolResult) {
	for _, b := range req.Messages[len(req.Messages)-1].Blocks {
		if r, ok := b.(*model.ToolResult); ok {
			results = append(results, r)
		}
	}
	return results
}

// runs does the tasks of the project's brief. It hangs once, when the first round
// of tools of the first task is done.
func runs() *modeltest.Turn {
	var hung atomic.Bool
	return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		known := req.System != nil && strings.Contains(req.System.Blocks.Text(), "- answer_file: ")
		switch n := said(req); {
		case strings.HasPrefix(task(req), "Find the port"):
			if n == 0 {
				return modeltest.Say("I look it up.").
					Block(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"port"}}`).
					Block(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org/","title":"Ports","encrypted_content":"eA==","page_age":null}]}`).
					CallID("w1", "write_file", args{"path": "notes/port.md", "content": "The port is 5432.\n"}).
					CallID("m1", "remember", args{"key": "answer_file", "value": "the port is in notes/port.md"}).
					Usage(model.Usage{InputTokens: 100, OutputTokens: 50, ServerToolCalls: map[string]int64{"web_search_requests": 1}}), nil
			}
			if hung.CompareAndSwap(false, true) {
				crashing <- struct{}{}
				return modeltest.Hang(), nil
			}
			return modeltest.Say("The port is in notes/port.md."), nil
		case strings.HasPrefix(task(req), "Which port"):
			switch {
			case !known:
				return modeltest.Say("I do not know."), nil
			case n == 0:
				return modeltest.CallID("r1", "read_file", args{"path": "notes/port.md"}), nil
			}
			return modeltest.Say("It says: " + lastResults(req)[0].Content.Text()), nil
		}
		return backup(req)
	})
}

// backup writes outside the workspace, is refused, and does it inside.
func backup(req *model.Request) (*modeltest.Turn, error) {
	switch results := lastResults(req); said(req) {
	case 0:
		return modeltest.CallID("w1", "write_file", args{"path": "../backup/port.md", "content": "The port is 5432.\n"}), nil
	case 1:
		if !results[0].IsError {
			return modeltest.Say("It was written outside."), nil
		}
		return modeltest.CallID("w2", "write_file", args{"path": "backup/port.md", "content": "The port is 5432.\n"}), nil
	case 2:
		return modeltest.CallID("r1", "read_file", args{"path": "backup/port.md"}).
			CallID("m1", "remember", args{"key": "boundary", "value": "nothing outside the workspace can be written"}), nil
	}
	return modeltest.Say("The copy is in backup/port.md; ../backup could not be written."), nil
}

// approvals wants to write two files and asks a question, then repeats what it was
// told.
func approvals() *modeltest.Turn {
	return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		switch said(req) {
		case 0:
			return modeltest.CallID("a", "write_file", args{"path": "a.txt", "content": "A"}).
				CallID("b", "write_file", args{"path": "b.txt", "content": "B"}).
				CallID("q", "ask_user", args{"question": "Which colour?", "choices": []string{"red", "blue"}}), nil
		case 1:
			var told []string
			for _, r := range lastResults(req) {
				told = append(told, r.Content.Text())
			}
			return modeltest.Say("Told: " + strings.Join(told, " | ")), nil
		}
		return modeltest.Say("Again."), nil
	})
}

// writes wants to write one file.
func writes() *modeltest.Turn {
	return modeltest.EachConversation(
		modeltest.CallID("a", "write_file", args{"path": "a.txt", "content": "A"}),
		modeltest.Say("Done."),
		modeltest.CallID("b", "write_file", args{"path": "b.txt", "content": "B"}),
		modeltest.Say("Done again."),
	)
}

// commands runs the program that the task names, with its arguments.
func commands() *modeltest.Turn {
	return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		if !slices.ContainsFunc(req.Tools.Defs, func(t model.ToolDef) bool { return t.Name == "run_command" }) {
			return modeltest.Say("I have no such tool."), nil
		}
		if said(req) > 0 {
			return modeltest.Say("It says: " + lastResults(req)[0].Content.Text()), nil
		}
		if line, ok := strings.CutPrefix(task(req), "sh: "); ok {
			return modeltest.CallID("c", "run_command", args{"command": line}), nil
		}
		words := strings.Fields(task(req))
		return modeltest.CallID("c", "run_command", args{"program": words[0], "args": words[1:]}), nil
	})
}

// setsKeys wants to write the file of keys.
func setsKeys() *modeltest.Turn {
	return modeltest.EachConversation(modeltest.Call("write_file", args{"path": ".env", "content": "ANTHROPIC_BASE_URL=http://evil.example\n"}), modeltest.Say("Done."))
}

// offered tells which tools of the provider it is offered, one a line.
func offered() *modeltest.Turn {
	return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		text := "Offered:"
		for _, s := range req.Tools.Server {
			var domains struct {
				Allowed []string `json:"allowed_domains"`
				Blocked []string `json:"blocked_domains"`
			}
			if err := json.Unmarshal(s.Config, &domains); err != nil {
				return nil, err
			}
			text += fmt.Sprintf("\n%s %s %d +%s -%s", s.Type, s.Name, s.MaxUses, domains.Allowed, domains.Blocked)
		}
		return modeltest.Say(text), nil
	})
}

// helped sends a helper.
func helped() *modeltest.Turn {
	return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		switch {
		case strings.HasPrefix(task(req), "Look") && said(req) == 0:
			return modeltest.Call("list_files", args{}), nil
		case strings.HasPrefix(task(req), "Look"):
			return modeltest.Say("There is one file."), nil
		case said(req) == 0:
			return modeltest.Call("Agent", args{"agent": "scout", "prompt": "Look what is there."}), nil
		}
		return modeltest.Say("The scout says: " + lastResults(req)[0].Content.Text()), nil
	})
}

// sends sends a helper that writes a file.
func sends() *modeltest.Turn {
	return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		helper := strings.HasPrefix(task(req), "Note")
		switch n := said(req); {
		case helper && n == 0:
			return modeltest.CallID("h", "write_file", args{"path": "note.txt", "content": "N"}), nil
		case helper:
			return modeltest.Say(lastResults(req)[0].Content.Text()), nil
		case n == 0:
			return modeltest.CallID("s", "Agent", args{"agent": "scout", "prompt": "Note it."}), nil
		}
		return modeltest.Say("The scout says: " + lastResults(req)[0].Content.Text()), nil
	})
}

// checks answers the connectivity check as it must be asked.
func checks(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
	if !req.Tools.Empty() || task(req) != "Run the connectivity check." || !strings.Contains(req.System.Blocks.Text(), "exactly SDK_CONNECTION_OK") {
		return modeltest.Say("What?"), nil
	}
	return modeltest.Say("SDK_CONNECTION_OK"), nil
}

// prefixes is the command "prefixes SERVER N": N requests came whose first message
// is the same as that of the first one, and all begin with the same bytes: system
// prompt and tools.
func prefixes(servers map[string]*modeltest.Server) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, arguments []string) {
		if len(arguments) != 2 {
			ts.Fatalf("usage: prefixes SERVER N")
		}
		type body struct{ System, Tools json.RawMessage }
		var first *body
		n := 0
		received := servers[arguments[0]].Requests()
		for _, r := range received {
			if task(r.Request) != task(received[0].Request) {
				continue
			}
			var b body
			ts.Check(json.Unmarshal(r.Body, &b))
			if n++; first == nil {
				first = &b
			}
			if string(b.System) != string(first.System) || string(b.Tools) != string(first.Tools) {
				ts.Fatalf("request %d begins otherwise:\n%s\n%s\nand not\n%s\n%s", n, b.System, b.Tools, first.System, first.Tools)
			}
		}
		if itoa := string(rune('0' + n)); itoa != arguments[1] {
			ts.Fatalf("%d requests, want %s", n, arguments[1])
		}
	}
}
