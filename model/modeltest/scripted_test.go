package modeltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

func ask(text string) *model.Request {
	return &model.Request{Messages: []*model.Message{model.UserText(text)}}
}

// heard is a stream as one line for each event.
func heard(s model.Stream) (lines []string, resp *model.Response, err error) {
	for ev, e := range s {
		if e != nil {
			return lines, resp, e
		}
		switch ev.Kind {
		case model.EventBlock:
			lines = append(lines, fmt.Sprintf("block %d %s", ev.Index, ev.Block.BlockType()))
		case model.EventUnknown:
			lines = append(lines, "unknown "+string(ev.Raw))
		case model.EventDone:
			resp = ev.Response
			lines = append(lines, "done")
		default:
			lines = append(lines, fmt.Sprintf("%s %d %q", ev.Kind, ev.Index, ev.Text))
		}
	}
	return lines, resp, nil
}

func TestScriptedStream(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(
		modeltest.Think("Let me see.", "sig==").
			Say("Größe 5").
			Event(`{"type":"weather_report"}`).
			CallID("toolu_1", "weather", map[string]string{"city": "Wien"}).
			Call("now", nil).
			Call("broken", `{"a":`).
			Block(`{"type":"hologram","rays":[1]}`))
	m.PieceRunes = 6
	lines, resp, err := heard(m.Stream(t.Context(), ask("Hello")))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`thinking 0 "Let me"`, `thinking 0 " see."`, `block 0 thinking`,
		`text 1 "Größe "`, `text 1 "5"`, `block 1 text`,
		`unknown {"type":"weather_report"}`,
		`input 2 "{\"city"`, `input 2 "\":\"Wie"`, `input 2 "n\"}"`, `block 2 tool_use`,
		`block 3 tool_use`,
		`input 4 "{\"a\":"`, `block 4 tool_use`,
		`block 5 unknown`,
		`done`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	uses := resp.Message.Blocks.ToolUses()
	if resp.StopReason != model.StopToolUse || resp.Message.Role != model.RoleAssistant || resp.Model != m.Name() {
		t.Errorf("response %+v", resp)
	}
	if uses[0].ID != "toolu_1" || !strings.HasPrefix(uses[1].ID, "toolu_") || uses[1].ID == uses[2].ID {
		t.Errorf("ids %q, %q, %q", uses[0].ID, uses[1].ID, uses[2].ID)
	}
	if string(uses[1].Input) != "{}" || !uses[2].Incomplete || string(uses[2].Input) != `"{\"a\":"` {
		t.Errorf("inputs %s, %s", uses[1].Input, uses[2].Input)
	}
	if resp.Usage.InputTokens != 3 || resp.Usage.OutputTokens == 0 {
		t.Errorf("usage %+v", resp.Usage)
	}
}

// The same history gives the same ids, another history gives others.
func TestScriptedIDs(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.EachConversation(modeltest.Call("a", nil), modeltest.Call("a", nil)))
	seen := map[string]int{}
	for _, req := range []*model.Request{
		ask("one"), ask("one"), ask("two"),
		{System: model.NewMessage(model.RoleSystem, &model.Text{Text: "s"}), Messages: ask("one").Messages},
		{Messages: []*model.Message{model.UserText("one"), model.NewMessage(model.RoleAssistant, &model.Text{Text: "b"}), model.UserText("one")}},
	} {
		resp, err := m.Stream(t.Context(), req).Collect()
		if err != nil {
			t.Fatal(err)
		}
		seen[resp.Message.Blocks.ToolUses()[0].ID]++
	}
	if len(seen) != 4 {
		t.Errorf("ids %v", seen)
	}
}

func TestScriptedStops(t *testing.T) {
	t.Parallel()
	usage := model.Usage{InputTokens: 5, ServerToolCalls: map[string]int64{"web_search_requests": 1}}
	for _, tc := range []struct {
		turn *modeltest.Turn
		want model.Response
	}{
		{modeltest.Say("a").Usage(usage), model.Response{StopReason: model.StopEndTurn, Usage: usage}},
		{modeltest.Say("a").Stop(model.StopMaxTokens).Usage(usage), model.Response{StopReason: model.StopMaxTokens, Usage: usage}},
		{modeltest.Stop("brand_new").Usage(usage), model.Response{StopReason: "brand_new", Usage: usage}},
		{modeltest.Say("").Usage(usage), model.Response{StopReason: model.StopEndTurn, Usage: usage}},
		{modeltest.Say("a").StopAt("END").Usage(usage), model.Response{StopReason: model.StopSequence, StopSequence: "END", Usage: usage}},
		{modeltest.Say("a").Refuse(`{"category":"cyber"}`).Usage(usage), model.Response{StopReason: model.StopRefusal, StopDetails: json.RawMessage(`{"category":"cyber"}`), Usage: usage}},
	} {
		m := modeltest.NewScripted(tc.turn)
		m.ModelName = "test/one"
		got, err := m.Stream(t.Context(), ask("Hello")).Collect()
		if err != nil {
			t.Fatal(err)
		}
		if got.Model != "test/one" || got.ID == "" || got.Message.Blocks == nil {
			t.Errorf("response %+v", got)
		}
		got.ID, got.Model, got.Message = "", "", nil
		if diff := cmp.Diff(&tc.want, got); diff != "" {
			t.Errorf("response (-want +got):\n%s", diff)
		}
	}
}

func TestScriptedFails(t *testing.T) {
	t.Parallel()
	overloaded := &model.Error{Kind: model.ErrOverloaded, Status: 529}
	m := modeltest.NewScripted(
		modeltest.Fail(overloaded),
		modeltest.RateLimited(3*time.Second),
		modeltest.Say("abcdefghijklmnopqrstuvwxyz").Cut(),
		modeltest.Say("first").Call("tool", `{"argument":"a long one"}`).EndEarly(),
		modeltest.Think("hmmm hmmm hmmm hmmm", "s").CutInRune(),
		modeltest.Say("first").FailInStream(overloaded),
		modeltest.Call("a", func() {}),
		modeltest.Block(`{`),
		modeltest.Block(`{"type":"tool_result","tool_use_id":"a"}`),
		nil,
	)
	partial := func(e *model.Error) model.Blocks {
		if e.Partial == nil {
			return nil
		}
		return e.Partial.Message.Blocks
	}
	for i, want := range []struct {
		kind    model.ErrorKind
		partial model.Blocks
		message string
	}{
		{kind: model.ErrOverloaded},
		{kind: model.ErrRateLimited, message: "try again in 3s"},
		{kind: model.ErrTransport, partial: model.Blocks{&model.Text{Text: "abcdefghijklmnopqrstuvwx"}}},
		{kind: model.ErrTransport, partial: model.Blocks{&model.Text{Text: "first"}, &model.ToolUse{Name: "tool", Input: json.RawMessage(`"{\"argument\":"`), Incomplete: true}}},
		{kind: model.ErrTransport, partial: model.Blocks{&model.Thinking{Text: "hmmm hmmm hmmm hmmm"}}},
		{kind: model.ErrOverloaded, partial: model.Blocks{&model.Text{Text: "first"}}},
		{kind: model.ErrInvalidRequest, message: "encode the arguments of a"},
		{kind: model.ErrInvalidRequest, message: "decode block"},
		{kind: model.ErrInvalidRequest, message: "a tool_result is for the caller"},
		{kind: model.ErrInvalidRequest, message: "turn 10 of the script is nil"},
	} {
		_, err := m.Stream(t.Context(), ask("Hello")).Collect()
		var got *model.Error
		if !errors.As(err, &got) || got.Kind != want.kind || !strings.Contains(got.Error(), want.message) {
			t.Errorf("turn %d: %v", i+1, err)
			continue
		}
		blocks := partial(got)
		for _, use := range blocks.ToolUses() {
			use.ID = ""
		}
		if diff := cmp.Diff(want.partial, blocks); diff != "" {
			t.Errorf("turn %d: partial (-want +got):\n%s", i+1, diff)
		}
	}
	if overloaded.Partial != nil {
		t.Error("the script's own error was changed")
	}
}

func TestScriptedEnd(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("a"), modeltest.EachConversation(modeltest.Say("b")))
	if m.Unplayed() != 2 {
		t.Errorf("%d unplayed", m.Unplayed())
	}
	if _, err := m.Stream(t.Context(), ask("Hello")).Collect(); err != nil {
		t.Fatal(err)
	}
	later := &model.Request{Messages: []*model.Message{model.UserText("a"), model.NewMessage(model.RoleAssistant, &model.Text{Text: "b"}), model.UserText("c")}}
	_, err := m.Stream(t.Context(), later).Collect()
	var e *model.Error
	if !errors.Is(err, modeltest.ErrScriptEnded) || !errors.As(err, &e) || e.Retryable() ||
		err.Error() != "modeltest: invalid request: the script has no further turn: it has 1 and this is call 2" {
		t.Errorf("error %v", err)
	}
	empty := new(modeltest.Scripted)
	if _, err := empty.Stream(t.Context(), ask("Hello")).Collect(); !errors.Is(err, modeltest.ErrScriptEnded) {
		t.Errorf("error %v", err)
	}
	if empty.Name() != "modeltest/scripted" {
		t.Errorf("name %q", empty.Name())
	}
}

// A Func stays until it has nothing to say.
func TestScriptedFunc(t *testing.T) {
	t.Parallel()
	own := errors.New("own")
	m := modeltest.NewScripted(
		modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
			switch text := req.Messages[0].Blocks.Text(); text {
			case "next":
				return nil, nil
			case "error":
				return nil, own
			case "model error":
				return nil, &model.Error{Kind: model.ErrServer}
			case "func":
				return modeltest.EachConversation(modeltest.Say("inner")), nil
			default:
				return modeltest.Say("to " + text), nil
			}
		}),
		modeltest.Say("behind"))
	for _, tc := range []struct{ ask, want, err string }{
		{ask: "a", want: "to a"},
		{ask: "func", want: "inner"},
		{ask: "error", err: "modeltest: invalid request: own"},
		{ask: "model error", err: "server (try again later)"},
		{ask: "b", want: "to b"},
		{ask: "next", want: "behind"},
		{ask: "c", err: "modeltest: invalid request: the script has no further turn: it has 2 and this is call 7"},
	} {
		got, message := "", ""
		resp, err := m.Stream(t.Context(), ask(tc.ask)).Collect()
		if err != nil {
			message = err.Error()
		} else {
			got = resp.Message.Blocks.Text()
		}
		if got != tc.want || message != tc.err {
			t.Errorf("%s: %q, error %q", tc.ask, got, message)
		}
	}
}

func TestScriptedHang(t *testing.T) {
	t.Parallel()
	turn := modeltest.Say("half").Hang()
	m := modeltest.NewScripted(turn)
	own := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-turn.Parked()
		cancel(own)
	}()
	lines, _, err := heard(m.Stream(ctx, ask("Hello")))
	<-turn.Left()
	if err != own {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{`text 0 "half"`, "block 0 text"}, lines); diff != "" {
		t.Error(diff)
	}
	if modeltest.Say("a").Parked() != nil {
		t.Error("a turn that does not hang has a signal")
	}
}

// A cancelled context ends the stream between any two events, with its cause.
func TestScriptedCancel(t *testing.T) {
	t.Parallel()
	own := errors.New("enough")
	for stop := range 5 {
		m := modeltest.NewScripted(modeltest.Say("abcdefghijklmnopqrstuvwxyz"))
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		if n == stop {
			cancel(own)
		}
		var last error
		for _, err := range m.Stream(ctx, ask("Hello")) {
			if last = err; err != nil {
				break
			}
			if n++; n == stop {
				cancel(own)
			}
		}
		if last != own || n != stop {
			t.Errorf("after %d events: %d more, error %v", stop, n-stop, last)
		}
		cancel(nil)
	}
}

// Leaving the loop ends the stream, and it cannot be ranged over again.
func TestScriptedOnce(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("abcdefghijklmnopqrstuvwxyz"), modeltest.Say("b"))
	s := m.Stream(t.Context(), ask("Hello"))
	if len(m.Requests()) != 0 {
		t.Error("the request went out before it was ranged over")
	}
	for range s {
		break
	}
	var e *model.Error
	if _, err := s.Collect(); !errors.As(err, &e) || e.Kind != model.ErrProtocol {
		t.Errorf("error %v", err)
	}
	if m.Unplayed() != 1 || len(m.Requests()) != 1 {
		t.Errorf("%d unplayed, %d requests", m.Unplayed(), len(m.Requests()))
	}
}

func TestScriptedAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.NewScripted(modeltest.Say("late").After(time.Hour), modeltest.Say("late").After(time.Hour))
		start := time.Now()
		if _, err := m.Stream(t.Context(), ask("Hello")).Collect(); err != nil || time.Since(start) != time.Hour {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := m.Stream(ctx, ask("Hello")).Collect(); err != context.DeadlineExceeded {
			t.Errorf("error %v", err)
		}
	})
}

// Many callers get each turn once, and all their requests are kept.
func TestScriptedConcurrent(t *testing.T) {
	t.Parallel()
	const n = 50
	m := new(modeltest.Scripted)
	for i := range n {
		m.Script = append(m.Script, modeltest.Say(fmt.Sprint(i)))
	}
	var mu sync.Mutex
	said := map[string]bool{}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			resp, err := m.Stream(t.Context(), ask("Hello")).Collect()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			said[resp.Message.Blocks.Text()] = true
		})
	}
	wg.Wait()
	if len(said) != n || len(m.Requests()) != n || m.Unplayed() != 0 {
		t.Errorf("%d said, %d requests, %d unplayed", len(said), len(m.Requests()), m.Unplayed())
	}
}

// A recorded request keeps the messages it was made with.
func TestScriptedRequests(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("a"), modeltest.Say("b"))
	req := ask("Hello")
	req.Messages = append(make([]*model.Message, 0, 8), req.Messages...)
	for range 2 {
		resp, err := m.Stream(t.Context(), req).Collect()
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, resp.Message, model.UserText("More"))
	}
	req.Messages[0] = nil
	for i, got := range m.Requests() {
		if len(got.Messages) != 2*i+1 || got.Messages[0] == nil {
			t.Errorf("request %d has %d messages", i, len(got.Messages))
		}
	}
}
