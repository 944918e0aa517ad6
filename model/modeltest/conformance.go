package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// Provider is what [TestProvider] tests.
type Provider struct {
	// Open makes a model that sends its requests to the server at baseURL with this
	// key. It is closed with its server.
	Open func(t testing.TB, baseURL, key string) model.Model
	// CacheWrites tells that the provider says how many tokens it wrote to a cache.
	CacheWrites bool
	// Thinking tells that thinking comes with a signature, which goes back.
	Thinking bool
	// Serve serves the script instead of a [Server], where that does not speak the
	// provider's wire. Defaults to nil: a Server does.
	Serve func(t testing.TB, cfg ServerConfig) (url string, requests func() []*model.Request)
}

// conformanceKey is the key that the servers of the suite want.
const conformanceKey = "sk-conformance-7d1"

// TestProvider tests a provider against what package model promises and the agents
// of this module rely on: texts, tool calls however they are cut, stop reasons,
// usage, errors, cancelling, and histories that other providers have written. Each
// case is a subtest.
func TestProvider(t *testing.T, p Provider) {
	t.Run("text", p.testText)
	t.Run("tools", p.testTools)
	t.Run("arguments", p.testArguments)
	t.Run("long stream", p.testLong)
	t.Run("stop reasons", p.testStops)
	t.Run("usage", p.testUsage)
	t.Run("errors", p.testErrors)
	t.Run("cut streams", p.testCuts)
	t.Run("cancel", p.testCancel)
	t.Run("leave", p.testLeave)
	t.Run("twice", p.testTwice)
	t.Run("history", p.testHistory)
	t.Run("foreign history", p.testForeign)
}

// stage is a model and the server that it talks to.
type stage struct {
	model.Model
	requests func() []*model.Request
}

func (p *Provider) open(t testing.TB, cfg ServerConfig) *stage {
	t.Helper()
	cfg.APIKey = conformanceKey
	if p.Serve != nil {
		url, requests := p.Serve(t, cfg)
		return &stage{p.Open(t, url, conformanceKey), requests}
	}
	s := NewServer(cfg)
	t.Cleanup(s.Close)
	return &stage{p.Open(t, s.URL, conformanceKey), func() (requests []*model.Request) {
		for _, r := range s.Requests() {
			requests = append(requests, r.Request)
		}
		return requests
	}}
}

// question is a request with these messages.
func question(messages ...*model.Message) *model.Request {
	return &model.Request{
		MaxTokens: 1000, System: model.NewMessage(model.RoleSystem, &model.Text{Text: "Be brief."}), Messages: messages,
		Tools: &model.ToolSet{Defs: []model.ToolDef{
			{Name: "look", Description: "Looks.", InputSchema: json.RawMessage(`{"type":"object","properties":{"what":{"type":"string"}}}`)},
			{Name: "now", Description: "Tells the time.", InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)},
		}},
	}
}

// hear collects a stream and checks its form: pieces that add up to the blocks, and
// one end, which comes last.
func hear(t testing.TB, ctx context.Context, m model.Model, req *model.Request) (*model.Response, error) {
	t.Helper()
	var resp *model.Response
	pieces := make(map[int]*strings.Builder)
	blocks := make(map[int]model.Block)
	for ev, err := range m.Stream(ctx, req) {
		if err != nil {
			if resp != nil {
				t.Errorf("an error comes after the end: %v", err)
			}
			return nil, err
		}
		if resp != nil {
			t.Errorf("an event of %v comes after the end", ev.Kind)
		}
		switch ev.Kind {
		case model.EventText, model.EventThinking, model.EventInput:
			if pieces[ev.Index] == nil {
				pieces[ev.Index] = &strings.Builder{}
			}
			pieces[ev.Index].WriteString(ev.Text)
		case model.EventBlock:
			if blocks[ev.Index] != nil {
				t.Errorf("block %d comes twice", ev.Index)
			}
			blocks[ev.Index] = ev.Block
		case model.EventDone:
			resp = ev.Response
		}
	}
	if resp == nil || resp.Message == nil {
		t.Error("the stream ends without a response")
		return nil, errors.New("no response")
	}
	if len(blocks) != len(resp.Message.Blocks) {
		t.Errorf("%d blocks are complete, and the response has %d", len(blocks), len(resp.Message.Blocks))
	}
	for i, piece := range pieces {
		switch b := blocks[i].(type) {
		case *model.Text:
			if piece.String() != b.Text {
				t.Errorf("the pieces of block %d are %q, and it is %q", i, piece, b.Text)
			}
		case *model.ToolUse:
			if !b.Incomplete && !sameJSON([]byte(piece.String()), b.Input) {
				t.Errorf("the pieces of block %d are %q, and it is %s", i, piece, b.Input)
			}
		}
	}
	return resp, nil
}

// sameJSON tells whether two texts are the same JSON; an empty one is {}.
func sameJSON(a, b []byte) bool {
	norm := func(data []byte) string {
		if len(bytes.TrimSpace(data)) == 0 {
			return "{}"
		}
		var v any
		if json.Unmarshal(data, &v) != nil {
			return string(data)
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	return norm(a) == norm(b)
}

func (p *Provider) testText(t *testing.T) {
	for _, cfg := range []ServerConfig{{}, {ChunkBytes: 1}, {ChunkBytes: 7}, {EventsPerChunk: 100}, {PieceRunes: 1}} {
		cfg.Script = Script{Say("Größe 5, “twice” 你好 🙂\nand a second line.")}
		s := p.open(t, cfg)
		resp, err := hear(t, t.Context(), s, question(model.UserText("Hello.")))
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Message.Blocks.Text(); got != "Größe 5, “twice” 你好 🙂\nand a second line." || resp.StopReason != model.StopEndTurn || resp.Message.Role != model.RoleAssistant {
			t.Errorf("%+v: got %q, %s by %s", cfg, got, resp.StopReason, resp.Message.Role)
		}
		sent := s.requests()[0]
		if sent == nil || sent.System == nil || sent.System.Blocks.Text() != "Be brief." || len(sent.Messages) != 1 || sent.Messages[0].Blocks.Text() != "Hello." || len(sent.Tools.Defs) != 2 || sent.MaxTokens != 1000 {
			t.Errorf("the server got %+v", sent)
		}
	}
}

func (p *Provider) testTools(t *testing.T) {
	for _, turn := range []*Turn{
		CallID("c1", "look", map[string]string{"what": "up"}),
		Say("I look.").CallID("c1", "look", map[string]string{"what": "up"}),
		CallID("c1", "look", map[string]string{"what": "up"}).CallID("c2", "now", nil).CallID("c3", "look", map[string]string{"what": "down"}),
	} {
		for _, chunk := range []int{0, 1, 5} {
			s := p.open(t, ServerConfig{ChunkBytes: chunk, Script: Script{turn}})
			resp, err := hear(t, t.Context(), s, question(model.UserText("Look.")))
			if err != nil {
				t.Fatal(err)
			}
			want, _ := turn.answer("m", question(model.UserText("Look.")))
			uses, wanted := resp.Message.Blocks.ToolUses(), want.Message.Blocks.ToolUses()
			if len(uses) != len(wanted) || resp.StopReason != model.StopToolUse {
				t.Fatalf("got %d calls and %s", len(uses), resp.StopReason)
			}
			for i, use := range uses {
				if use.ID != wanted[i].ID || use.Name != wanted[i].Name || use.Incomplete || !sameJSON(use.Input, wanted[i].Input) {
					t.Errorf("call %d is %+v, want %+v", i, use, wanted[i])
				}
			}
		}
	}
}

func (p *Provider) testArguments(t *testing.T) {
	for _, in := range []any{
		nil, map[string]any{}, map[string]any{"what": "Größe “5” 你好 🙂 \\ \" \n \u0001 </tag> <b>&amp;"},
		map[string]any{"what": strings.Repeat("é", 3000), "n": 1.5, "list": []any{nil, true, map[string]any{"deep": []int{1}}}},
	} {
		for _, chunk := range []int{0, 1, 2, 3, 11} {
			s := p.open(t, ServerConfig{ChunkBytes: chunk, Script: Script{CallID("c1", "look", in)}})
			resp, err := hear(t, t.Context(), s, question(model.UserText("Look.")))
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(in)
			if err != nil || in == nil {
				want = []byte("{}")
			}
			if uses := resp.Message.Blocks.ToolUses(); len(uses) != 1 || !sameJSON(uses[0].Input, want) {
				t.Errorf("in chunks of %d: got %s, want %s", chunk, uses[0].Input, want)
			}
		}
	}
	// What is no JSON is said to be none, and never passed on as arguments.
	s := p.open(t, ServerConfig{Script: Script{CallID("c1", "look", `{"what": "u`)}})
	if resp, err := hear(t, t.Context(), s, question(model.UserText("Look."))); err != nil {
		t.Error(err)
	} else if uses := resp.Message.Blocks.ToolUses(); len(uses) != 1 || !uses[0].Incomplete {
		t.Errorf("broken arguments are %+v", uses)
	}
}

func (p *Provider) testLong(t *testing.T) {
	text := strings.Repeat("A line of many, which goes on and on. ", 5000)
	s := p.open(t, ServerConfig{EventsPerChunk: 64, Script: Script{Say(text)}})
	resp, err := hear(t, t.Context(), s, question(model.UserText("Go on.")))
	if err != nil || resp.Message.Blocks.Text() != text {
		t.Errorf("%d bytes became others: %v", len(text), err)
	}
}

func (p *Provider) testStops(t *testing.T) {
	for want, turn := range map[model.StopReason]*Turn{
		model.StopEndTurn: Say("Done."), model.StopMaxTokens: Say("Do").Stop(model.StopMaxTokens), model.StopToolUse: CallID("c", "now", nil),
	} {
		resp, err := hear(t, t.Context(), p.open(t, ServerConfig{Script: Script{turn}}), question(model.UserText("Go.")))
		if err != nil || resp.StopReason != want {
			t.Errorf("got %v, %v, want %s", resp, err, want)
		}
	}
	resp, err := hear(t, t.Context(), p.open(t, ServerConfig{Script: Script{new(Turn).Refuse(`{"type":"refusal"}`)}}), question(model.UserText("Go.")))
	if err != nil || resp.StopReason != model.StopRefusal {
		t.Errorf("a refusal is %v, %v", resp, err)
	}
}

func (p *Provider) testUsage(t *testing.T) {
	usage := model.Usage{InputTokens: 15, OutputTokens: 27, CacheReadTokens: 100}
	if p.CacheWrites {
		usage.CacheWriteTokens = 40
	}
	resp, err := hear(t, t.Context(), p.open(t, ServerConfig{ModelName: "resolved-1", Script: Script{Say("Yes.").Usage(usage)}}), question(model.UserText("Go.")))
	if err != nil {
		t.Fatal(err)
	}
	u := resp.Usage
	if u.InputTokens != usage.InputTokens || u.OutputTokens != usage.OutputTokens || u.CacheReadTokens != usage.CacheReadTokens || u.CacheWriteTokens != usage.CacheWriteTokens || len(u.Raw) == 0 {
		t.Errorf("got %+v, want %+v", u, usage)
	}
	if resp.Model != "resolved-1" || resp.ID == "" {
		t.Errorf("the response is %q of %q", resp.ID, resp.Model)
	}
}

func (p *Provider) testErrors(t *testing.T) {
	for _, kind := range []model.ErrorKind{
		model.ErrAuth, model.ErrNotFound, model.ErrInvalidRequest, model.ErrContextWindow, model.ErrRateLimited, model.ErrServer, model.ErrTransport,
	} {
		turn := Fail(&model.Error{Kind: kind, Message: "no, because of " + conformanceKey})
		if kind == model.ErrContextWindow {
			turn = Fail(&model.Error{Kind: kind})
		}
		_, err := hear(t, t.Context(), p.open(t, ServerConfig{Script: Script{turn}}), question(model.UserText("Go.")))
		var me *model.Error
		if !errors.As(err, &me) || me.Kind != kind {
			t.Errorf("%s: got %v", kind, err)
			continue
		}
		if said := fmt.Sprintf("%v %+v %#v", err, me, me.Err); strings.Contains(said, conformanceKey) {
			t.Errorf("%s: the error has the key: %s", kind, said)
		}
	}
	_, err := hear(t, t.Context(), p.open(t, ServerConfig{Script: Script{RateLimited(7 * time.Second)}}), question(model.UserText("Go.")))
	var me *model.Error
	if !errors.As(err, &me) || me.Kind != model.ErrRateLimited || me.RetryAfter != 7*time.Second || me.Status != 429 {
		t.Errorf("a rate limit is %+v", err)
	}
	_, err = hear(t, t.Context(), p.open(t, ServerConfig{Script: Script{Say("half of").FailInStream(&model.Error{Kind: model.ErrOverloaded, Message: "Overloaded"})}}), question(model.UserText("Go.")))
	if !errors.As(err, &me) || !me.Retryable() {
		t.Errorf("an error within the stream is %v", err)
	}
	// A wrong key.
	s := NewServer(ServerConfig{APIKey: "another"})
	t.Cleanup(s.Close)
	if p.Serve == nil {
		if _, err := hear(t, t.Context(), p.Open(t, s.URL, conformanceKey), question(model.UserText("Go."))); !errors.As(err, &me) || me.Kind != model.ErrAuth {
			t.Errorf("a wrong key is %v", err)
		}
	}
}

// A stream that breaks is an error that may be tried again, wherever it breaks; never
// an answer.
func (p *Provider) testCuts(t *testing.T) {
	turn := func() *Turn {
		return Say("A sentence of some Größe, and another one.").CallID("c1", "look", map[string]string{"what": "up and down"})
	}
	for _, cut := range []*Turn{turn().Cut(), turn().CutInRune(), turn().CutInEvent(), turn().EndEarly(), turn().CutAt(1), turn().CutAt(60), turn().CutAt(200)} {
		resp, err := hear(t, t.Context(), p.open(t, ServerConfig{Script: Script{cut}}), question(model.UserText("Go.")))
		var me *model.Error
		if !errors.As(err, &me) || !me.Retryable() {
			t.Errorf("got %+v, %v", resp, err)
		}
	}
}

func (p *Provider) testCancel(t *testing.T) {
	for _, turn := range []*Turn{Hang(), Say("Some of it.").Hang()} {
		s := p.open(t, ServerConfig{Script: Script{turn}})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		go func() {
			select {
			case <-turn.Parked():
			case <-ctx.Done():
			}
			cancel(why)
		}()
		_, err := hear(t, ctx, s, question(model.UserText("Go.")))
		if !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		cancel(nil)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("not at all")
	cancel(why)
	s := p.open(t, ServerConfig{Script: Script{Say("Never.")}})
	if _, err := hear(t, ctx, s, question(model.UserText("Go."))); !errors.Is(err, why) || len(s.requests()) != 0 {
		t.Errorf("got %v, and %d requests", err, len(s.requests()))
	}
}

// Leaving the loop ends the call.
func (p *Provider) testLeave(t *testing.T) {
	turn := Say("Some of it, and more.").Hang()
	for range p.open(t, ServerConfig{Script: Script{turn}}).Stream(t.Context(), question(model.UserText("Go."))) {
		break
	}
	select {
	case <-turn.Left():
	case <-time.After(10 * time.Second):
		t.Error("the server still waits for the caller")
	}
}

func (p *Provider) testTwice(t *testing.T) {
	s := p.open(t, ServerConfig{Script: Script{Say("Once."), Say("Twice.")}})
	stream := s.Stream(t.Context(), question(model.UserText("Go.")))
	if _, err := stream.Collect(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Collect(); err == nil || len(s.requests()) != 1 {
		t.Errorf("a stream can be ranged over twice: %v, %d requests", err, len(s.requests()))
	}
}

// What a model has said goes back to it: calls before their results, results in the
// order of their calls, signatures as they came.
func (p *Provider) testHistory(t *testing.T) {
	first := new(Turn)
	if p.Thinking {
		first = Think("Let me see.", "c2ln")
	}
	first = first.Say("I look.").CallID("c1", "look", map[string]string{"what": "up"}).CallID("c2", "now", nil)
	s := p.open(t, ServerConfig{Script: Script{first, Say("Blue, at noon.")}})
	messages := []*model.Message{model.UserText("What is up?")}
	resp, err := hear(t, t.Context(), s, question(messages...))
	if err != nil {
		t.Fatal(err)
	}
	messages = append(messages, resp.Message, model.NewMessage(model.RoleUser,
		&model.ToolResult{ToolUseID: "c1", Name: "look", Content: model.Blocks{&model.Text{Text: "the sky"}}},
		&model.ToolResult{ToolUseID: "c2", Name: "now", Content: model.Blocks{&model.Text{Text: "no clock"}}, IsError: true},
	))
	if _, err = hear(t, t.Context(), s, question(messages...)); err != nil {
		t.Fatal(err)
	}
	sent := s.requests()[1]
	if sent == nil {
		t.Fatal("the second request could not be read")
	}
	var uses, results []string
	thought := ""
	for _, m := range sent.Messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *model.ToolUse:
				uses = append(uses, b.ID)
			case *model.ToolResult:
				if len(uses) != 2 {
					t.Error("a result comes before its call")
				}
				results = append(results, b.ToolUseID+" "+b.Content.Text())
			case *model.Thinking:
				thought = b.Text + "/" + b.Signature
			}
		}
	}
	if got := strings.Join(uses, " "); got != "c1 c2" {
		t.Errorf("the calls are %s", got)
	}
	if len(results) != 2 || results[0] != "c1 the sky" || !strings.HasPrefix(results[1], "c2 ") || !strings.Contains(results[1], "no clock") {
		t.Errorf("the results are %q", results)
	}
	if p.Thinking && thought != "Let me see./c2ln" {
		t.Errorf("the thinking goes back as %q", thought)
	}
}

// A history that another provider has written is sent without what cannot travel,
// and never broken.
func (p *Provider) testForeign(t *testing.T) {
	said := model.NewMessage(model.RoleAssistant,
		&model.Thinking{Text: "Hm.", Signature: "of another"},
		&model.RedactedThinking{Data: "sealed"},
		&model.Text{Text: "I have searched."},
		&model.ServerToolUse{Type: "server_tool_use", ID: "srv1", Name: "web_search", Input: json.RawMessage(`{"query":"x"}`)},
		&model.ServerToolResult{Type: "web_search_tool_result", ToolUseID: "srv1", Raw: json.RawMessage(`{"type":"web_search_tool_result","tool_use_id":"srv1","content":[]}`)},
		&model.Unknown{Type: "hologram", Raw: json.RawMessage(`{"type":"hologram"}`)},
		&model.ToolUse{ID: "their/odd:id!", Name: "look", Input: json.RawMessage(`{"what":"up"}`)},
	)
	said.Provider = "elsewhere"
	messages := []*model.Message{
		model.UserText("What is up?"), said,
		model.NewMessage(model.RoleUser, &model.ToolResult{ToolUseID: "their/odd:id!", Name: "look", Content: model.Blocks{&model.Text{Text: "the sky"}}}, &model.Text{Text: "And now?"}),
	}
	s := p.open(t, ServerConfig{Script: Script{Say("Still the sky.")}})
	if _, err := hear(t, t.Context(), s, question(messages...)); err != nil {
		t.Fatalf("it is not accepted: %v", err)
	}
	sent := s.requests()[0]
	if sent == nil {
		t.Fatal("the request could not be read")
	}
	var kinds []string
	for _, m := range sent.Messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *model.Text:
				kinds = append(kinds, b.Text)
			case *model.ToolUse:
				kinds = append(kinds, "call "+b.Name)
			case *model.ToolResult:
				kinds = append(kinds, "result "+b.Content.Text())
			default:
				kinds = append(kinds, b.BlockType())
			}
		}
	}
	if got, want := strings.Join(kinds, "; "), "What is up?; I have searched.; call look; result the sky; And now?"; got != want {
		t.Errorf("it goes out as %q, want %q", got, want)
	}
}
