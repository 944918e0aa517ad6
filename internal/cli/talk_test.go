package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/model/prices"
	"github.com/quarry-sdk/quarry/session"
)

// talker is a command line that talks to one agent after the other.
type talker struct {
	t           *testing.T
	app         *app
	store       *session.Memory
	out, errOut bytes.Buffer
}

func newTalker(t *testing.T, f flags) *talker {
	k := &talker{t: t, store: session.NewMemory()}
	k.app = &app{stdout: &k.out, stderr: &k.errOut, flags: f}
	return k
}

// say runs a session of an agent, and returns what was printed.
func (k *talker) say(ctx context.Context, cfg quarry.Config, in quarry.Input) (out, errOut string, err error) {
	k.t.Helper()
	cfg.Store, cfg.Prices = k.store, prices.Default()
	agent, err := quarry.New(cfg)
	if err != nil {
		k.t.Fatal(err)
	}
	in.Session = "s"
	var before []session.Record
	for rec, err := range k.store.Load(k.t.Context(), "s", 0) {
		if err == nil {
			before = append(before, rec)
		}
	}
	k.out.Reset()
	k.errOut.Reset()
	err = k.app.converse(ctx, agent, in, before)
	return k.out.String(), k.errOut.String(), err
}

type payIn struct {
	To string `json:"to"`
}

// TestTellUnknown: what was cut off is told, and afterwards that nobody knows how
// it ended; of payments and the like in every mode.
func TestTellUnknown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		flags        flags
		told, shorty bool
	}{
		{"traced", flags{}, true, true},
		{"quiet", flags{quiet: true}, true, false},
		{"json", flags{json: true}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newTalker(t, tt.flags)
			ctx, cancel := context.WithCancel(t.Context())
			cut := func(ctx context.Context, _ payIn) (string, error) {
				cancel()
				<-ctx.Done()
				return "", ctx.Err()
			}
			cfg := quarry.Config{
				Tools: []*quarry.Tool{
					quarry.NewTool(quarry.ToolSpec{Name: "pay", Description: "Pays.", Effect: quarry.Keyed, KeyField: "to", TellUnknown: true}, cut),
					quarry.NewTool(quarry.ToolSpec{Name: "post", Description: "Posts.", Effect: quarry.Keyed, KeyField: "to"}, cut),
				},
				Model: modeltest.NewScripted(modeltest.Call("pay", payIn{"Ada"}).Call("post", payIn{"Bob"}), modeltest.Say("I do not know.")),
			}
			out, errOut, err := k.say(ctx, cfg, quarry.Input{Prompt: "Pay."})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			if has := strings.Contains(errOut, "  ! cut off without an outcome: pay, post\n"); has != tt.shorty {
				t.Errorf("what was cut off is told: %v, want %v:\n%s", has, tt.shorty, errOut)
			}
			if tt.flags.json && !strings.Contains(out, `"canceled":[{"turn":1,"index":0,"name":"pay"},{"turn":1,"index":1,"name":"post"}]`) {
				t.Errorf("the JSON is %s", out)
			}
			out, errOut, err = k.say(t.Context(), cfg, quarry.Input{})
			if err != nil {
				t.Fatal(err)
			}
			if has := strings.Count(errOut, `outcome unknown: pay {"to":"Ada"}; check whether it happened`+"\n") == 1; has != tt.told {
				t.Errorf("the payment is told: %v, want %v:\n%s", has, tt.told, errOut)
			}
			if has := strings.Contains(errOut, "\noutcome unknown: post\n"); has != tt.shorty {
				t.Errorf("the other call is told: %v, want %v:\n%s", has, tt.shorty, errOut)
			}
			if tt.flags.json && !strings.Contains(out, `"unknown":[{"turn":1,"index":0,"name":"pay","input":{"to":"Ada"},"tell":true},{"turn":1,"index":1,"name":"post","input":{"to":"Bob"}}]`) {
				t.Errorf("the JSON is %s", out)
			}
		})
	}
}

// TestChildrenLive: what children do is shown as it happens, behind their names,
// and the lines of a child keep together behind its call.
func TestChildrenLive(t *testing.T) {
	t.Parallel()
	helper, err := quarry.New(quarry.Config{Name: "helper", Model: &modeltest.Scripted{Script: modeltest.Script{modeltest.EachConversation(modeltest.Say("Helped."))}}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := quarry.Config{
		Name:  "boss",
		Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{Name: "ask_helper", Description: "Helps."}, helper)},
		Model: modeltest.NewScripted(
			modeltest.Call("ask_helper", map[string]string{"prompt": "One."}).Call("ask_helper", map[string]string{"prompt": "Two."}),
			modeltest.Say("Both are done."),
		),
	}
	k := newTalker(t, flags{})
	out, errOut, err := k.say(t.Context(), cfg, quarry.Input{Prompt: "Divide it."})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "Both are done.") || k.app.exit != exitDone {
		t.Errorf("exit code %d, and the answer is %s", k.app.exit, out)
	}
	for child, prompt := range map[string]string{"    helper │ ": "One.", "    helper#2 │ ": "Two."} {
		var marks []rune // how each line begins
		for l := range strings.Lines(errOut) {
			if l, ok := strings.CutPrefix(l, child); ok {
				marks = append(marks, []rune(strings.TrimSpace(l))[0])
			}
		}
		if got := string(marks); got != "Q─┌│└=" {
			t.Errorf("%sshows %q", child, got)
		}
		if !strings.Contains(errOut, child+"Q: "+prompt+"\n") {
			t.Errorf("the prompt %q is not behind %q:\n%s", prompt, child, errOut)
		}
	}
	if !strings.Contains(errOut, "success by modeltest/scripted: 2 turns, 2 tool calls, 2 child sessions, ") {
		t.Errorf("the footer is not in\n%s", errOut)
	}

	// --jsonl has their records too.
	k = newTalker(t, flags{jsonl: true})
	cfg.Model = modeltest.NewScripted(modeltest.Call("ask_helper", map[string]string{"prompt": "One."}), modeltest.Say("Done."))
	if out, _, err = k.say(t.Context(), cfg, quarry.Input{Prompt: "Divide it."}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out, `{"session":"s-1-0","seq":`); n != 5 {
		t.Errorf("%d records of the child:\n%s", n, out)
	}
}
