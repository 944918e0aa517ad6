package quarry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// breakpoint is where a request tells the provider to cache what is before it.
// It moves from request to request, and is no part of what is cached.
var breakpoint = regexp.MustCompile(`,?"cache_control":\{[^}]*\}`)

// TestPrefixIsStable runs twenty turns against a server and compares what it was
// sent, byte by byte: tools, instructions and history of a request begin the next
// one, so that the provider's cache serves them, also after the session was read
// from its journal. A compaction changes the history once.
func TestPrefixIsStable(t *testing.T) {
	t.Parallel()
	const turns = 20
	server := modeltest.NewServer(modeltest.ServerConfig{APIKey: "test-key", Script: modeltest.Script{modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		n := 0
		for _, m := range req.Messages {
			n += len(m.Blocks.ToolUses())
		}
		if n >= 2*turns {
			return modeltest.Say("Done."), nil
		}
		return modeltest.Think("Next: <"+fmt.Sprint(n)+">", "c2ln").Say("I look & see.").Call("weather", cityIn{fmt.Sprint("Rome ", n)}).Call("weather", cityIn{fmt.Sprint("Oslo ", n)}), nil
	})}})
	defer server.Close()
	m, err := anthropic.New(anthropic.Config{APIKey: "test-key", BaseURL: server.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	forecast := quarry.NewTool(quarry.ToolSpec{Name: "weather", Effect: quarry.ReadOnly}, func(_ context.Context, in cityIn) (string, error) {
		return strings.Repeat("sunny & <dry> in "+in.City+"; ", 12), nil
	})
	store := session.NewMemory()
	config := quarry.Config{
		Name: "clerk", Instructions: "Be brief.", Model: m, Store: store, Compaction: quarry.Compaction{Window: 3000, Policy: quarry.DropResults{MinTokens: 60}},
		Tools:    []*quarry.Tool{forecast, quarry.ReadResult(), quarry.NewTool(quarry.ToolSpec{Name: "zebra", Description: "Does nothing."}, noop[numberIn])},
		Thinking: &model.ThinkingOptions{Mode: "enabled", BudgetTokens: 1024},
	}
	// The run is cut off in its middle, and another process goes on.
	n := 0
	for ev, err := range newAgent(t, config).Stream(t.Context(), quarry.Input{Prompt: "Look at the weather.", Session: "s"}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Record != nil && ev.Record.Event.Kind() == session.KindModelAnswered {
			if n++; n == turns/2 {
				break
			}
		}
	}
	result, _, err := play(t.Context(), t, newAgent(t, config), quarry.Input{Session: "s"})
	if err != nil || !result.OK() || result.Turns != turns+1 {
		t.Fatalf("got %+v, %v", result, err)
	}

	compactions := 0
	for _, kind := range kinds(journal(t, store, "s")) {
		if kind == session.KindCompacted {
			compactions++
		}
	}
	var last [3]string
	breaks, requests := 0, server.Requests()
	for i, r := range requests {
		var body struct {
			System, Tools json.RawMessage
			Messages      []json.RawMessage
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		var history bytes.Buffer
		for _, m := range body.Messages {
			history.Write(breakpoint.ReplaceAll(m, nil))
			history.WriteByte('\n')
		}
		now := [3]string{string(body.System), string(body.Tools), history.String()}
		if i > 0 {
			if now[0] != last[0] || now[1] != last[1] {
				t.Errorf("request %d has other instructions or tools than the one before", i+1)
			}
			if !strings.HasPrefix(now[2], last[2]) {
				breaks++
			}
		}
		last = now
	}
	if breaks != compactions || compactions == 0 || compactions > 3 {
		t.Errorf("of %d requests, %d do not begin with the one before, and the conversation was made shorter %d times", len(requests), breaks, compactions)
	}
	t.Logf("%d requests, %d compactions", len(requests), compactions)
}

// Results over their limit go to the store for blobs, and can be read from there,
// also when the preview is dropped from the conversation.
func TestBlobs(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "%d é line\n", i)
	}
	dump := quarry.NewTool(quarry.ToolSpec{Name: "dump", Effect: quarry.ReadOnly, MaxResultBytes: 1000}, func(context.Context, struct{}) (string, error) { return text.String(), nil })
	blobs, err := blob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	read := func(handle string, offset int) *modeltest.Turn {
		return modeltest.Call(quarry.ReadResultName, map[string]any{"handle": handle, "offset": offset})
	}
	m := modeltest.NewScripted(modeltest.Call("dump", nil), read("r1.0", 40_000), read("r1.0", text.Len()), modeltest.Say("Done."))
	store := session.NewMemory()
	agent := newAgent(t, quarry.Config{Model: m, Store: store, Blobs: blobs, Tools: []*quarry.Tool{dump, quarry.ReadResult()}})
	if result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"}); err != nil || !result.OK() {
		t.Fatalf("got %+v, %v", result, err)
	}
	for _, rec := range journal(t, store, "s") {
		if a, ok := rec.Event.(*session.ToolAnswered); ok && a.Name == "dump" {
			if a.Full != "" || a.Blob != blob.Ref([]byte(text.String())) || a.Size != int64(text.Len()) {
				t.Errorf("the result is kept as %q, %d bytes", a.Blob, a.Size)
			}
		}
	}
	requests := m.Requests()
	got := results(requests[2])[0].Content.Text()
	page, _, _ := strings.Cut(got, "\n[Bytes ")
	if len(page) < 20_000 || !strings.Contains(text.String()[39_990:], page) {
		t.Errorf("the model reads %d bytes: %.100q", len(page), page)
	}
	if got := results(requests[3])[0]; !got.IsError || !strings.Contains(got.Content.Text(), "outside the result") {
		t.Errorf("beyond the end, the model is told %q", got.Content.Text())
	}

	// Without the store, the model is told what to do instead.
	m = modeltest.NewScripted(read("r1.0", 0), modeltest.Say("Done."))
	agent = newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{dump, quarry.ReadResult()}})
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Again.", Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if got := results(m.Requests()[1])[0]; !got.IsError || !strings.Contains(got.Content.Text(), "make the call again") {
		t.Errorf("without blobs, the model is told %q", got.Content.Text())
	}

	// Where a blob cannot be written, the journal has it.
	agent = newAgent(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Call("dump", nil), modeltest.Say("Done.")), Store: store, Blobs: failingBlobs{}, Tools: []*quarry.Tool{dump}})
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "t"}); err != nil {
		t.Fatal(err)
	}
	for _, rec := range journal(t, store, "t") {
		if a, ok := rec.Event.(*session.ToolAnswered); ok && (a.Full != text.String() || a.Blob != "") {
			t.Errorf("the result is kept as %d bytes, %q", len(a.Full), a.Blob)
		}
	}
}

type failingBlobs struct{ quarry.Blobs }

func (failingBlobs) Put(context.Context, []byte) (string, error) { return "", os.ErrPermission }

// The breakdown has everything that the next request would have, before and after
// a compaction, and comes from the journal alone.
func TestBreakdown(t *testing.T) {
	t.Parallel()
	long := quarry.NewTool(quarry.ToolSpec{Name: "long", Effect: quarry.ReadOnly}, func(context.Context, numberIn) (string, error) { return strings.Repeat("words ", 200), nil })
	done := quarry.NewTool(quarry.ToolSpec{Name: "done", EndsRun: true}, func(_ context.Context, in numberIn) (numberIn, error) { return in, nil })
	var turns []*modeltest.Turn
	for i := range 8 {
		turns = append(turns, modeltest.Think("Hm.", "sig").Say("I look.").Call("long", number(i)))
	}
	m := modeltest.NewScripted(append(turns, modeltest.Call("done", number(1)))...)
	store := session.NewMemory()
	agent := newAgent(t, quarry.Config{
		Instructions: "Look at everything.", Model: m, Store: store, Tools: []*quarry.Tool{long, done},
		Compaction: quarry.Compaction{Window: 2000}, Prices: pricesOf{"modeltest/scripted": 0}, Limits: quarry.Limits{USD: 3},
	})
	if result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"}); err != nil || !result.OK() {
		t.Fatalf("got %+v, %v", result, err)
	}
	recs := journal(t, store, "s")
	for n := 1; n <= len(recs); n++ {
		use, err := quarry.Breakdown(recs[:n])
		if err != nil {
			t.Fatalf("after record %d: %v", n, err)
		}
		sum := use.System + use.Tools
		for _, k := range use.Kinds {
			sum += k.Tokens
		}
		if use.Total != sum || use.Window != 2000 {
			t.Errorf("after record %d, the parts have %d tokens and all has %d of %d", n, sum, use.Total, use.Window)
		}
	}
	use, err := quarry.Breakdown(recs)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]int{}
	for _, k := range use.Kinds {
		blocks[k.Kind] = k.Blocks
	}
	if blocks["dropped_results"] < 2 || use.Compactions < 1 {
		t.Errorf("it has %+v", use)
	}
	want := map[string]int{"prompts": 1, "answers": 8, "thinking": 8, "tool_calls": 9, "tool_results": 9 - blocks["dropped_results"], "dropped_results": blocks["dropped_results"]}
	if diff := cmp.Diff(want, blocks); diff != "" {
		t.Errorf("wrong blocks (-want +got):\n%s", diff)
	}
	if _, err := quarry.Breakdown(nil); err == nil {
		t.Error("no records have a breakdown")
	}
}
