package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

var update = flag.Bool("update", false, "write what the code does into testdata")

// TestLoop runs the rules of the loop as they are written in testdata/loop. No
// engine, no model and no tool is involved: records go in, and what is due comes
// out.
//
// A file has cases, each under a line "== name". Lines that begin with '#' are
// comments, "> …" is what happens, and the indented lines below it are what the
// machine says is due then:
//
//	> agent tools=read,write turns=3 tokens=100 parallel=2 timeout=1m
//	        attempts=3 retrywait=1s fallbacks=b,c fallbackafter=2
//	        calls=9 searches=2 fetches=2 children=3 atonce=2 depth=1 usd=0.5 in=90 out=50
//	        window=1000 policy=summarize keeplast=1
//	> prompt "text"            a prompt
//	> model ITEM…              the model answers; items are
//	    "text"                 a text
//	    think="text"           reasoning
//	    id=tool{"arg":1}       a call; with '!' for '=' its arguments are no JSON
//	    stop=… tokens=… prompt=… cost=… details=…
//	> fail KIND "message"      the model fails; after=30s is its Retry-After
//	> tool N ITEM…             call N of the response is answered; items are
//	    "text"  error  output=JSON  long=N (N letters)  cost=USD turns=N (of a child)
//	> changed NAME=HASH…       what was read has changed
//	> late model|tool …        the same, and the run is cut off before anything follows
//	> interrupt                the run is stopped
//	> resume                   it goes on, after a stop or a crash
//	> expire                   the deadline passes
//	> wait 5m                  time passes; each record takes a second by itself
//	> deadline                 shows the deadline, from the first record on
//	> result                   shows the time that the result would have
//
// What is due is printed as
//
//	ask 1/2: …               the model, turn 1, attempt 2, why and when it is asked
//	                         again, and what is new in its history
//	start 0 read s/1.0 #1    a tool: index, name, idempotency key, attempt
//	child 0 helper s-1-0 …   a child: index, tool, session, its share
//	answer 0 "text" flags    a call that is not run, and its answer
//	compacting, compacted    the conversation is made shorter
//	end success completed …  the result
//	idle                     nothing, until there is a prompt
func TestLoop(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/loop/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			head, rest, _ := strings.Cut(string(data), "== ")
			got.WriteString(head)
			for part := range strings.SplitSeq(rest, "\n== ") {
				name, body, _ := strings.Cut(part, "\n")
				var out string
				t.Run(name, func(t *testing.T) { out = runLoopScript(t, body) })
				fmt.Fprintf(&got, "== %s\n%s\n", name, out)
			}
			actual := strings.TrimRight(got.String(), "\n") + "\n"
			if *update && !t.Failed() {
				if err := os.WriteFile(file, []byte(actual), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(data), actual); diff != "" {
				t.Errorf("the loop does not do what %s says; if it should, run with -update (-want +got):\n%s", file, diff)
			}
		})
	}
}

// runLoopScript runs one case and returns it with what the machine said.
func runLoopScript(t *testing.T, body string) string {
	t.Helper()
	s := &loopScript{t: t}
	var out strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "> "):
			out.WriteString(line + "\n")
			s.out = &out
			if err := s.step(strings.TrimPrefix(line, "> ")); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		case line == "" || strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		}
	}
	if s.bench != nil {
		s.bench.finish()
	}
	return out.String()
}

type loopScript struct {
	t     *testing.T
	bench *loopBench
	shown []*model.Message
	out   *strings.Builder
}

func (s *loopScript) step(line string) error {
	items, err := fields(line)
	if err != nil {
		return err
	}
	late := items[0] == "late"
	if late {
		items = items[1:]
	}
	verb, items := items[0], items[1:]
	if verb == "agent" {
		agent, err := scriptAgent(items)
		s.bench = newLoopBench(s.t, agent)
		return err
	}
	if s.bench == nil {
		agent, err := scriptAgent(nil)
		if err != nil {
			return err
		}
		s.bench = newLoopBench(s.t, agent)
	}
	b := s.bench
	switch verb {
	case "prompt":
		b.fold(&session.Prompted{Message: model.UserText(items[0])})
	case "model":
		ev, err := scriptAnswer(b.loop.turn, items)
		if err != nil {
			return err
		}
		b.fold(ev)
	case "fail":
		e := &model.Error{Kind: model.ErrorKind(items[0]), Message: items[1]}
		if len(items) > 2 {
			var err error
			if e.RetryAfter, err = time.ParseDuration(strings.TrimPrefix(items[2], "after=")); err != nil {
				return err
			}
		}
		b.fold(&session.ModelFailed{Turn: b.loop.turn, Error: e})
	case "tool":
		ev, err := b.scriptOutcome(items)
		if err != nil {
			return err
		}
		b.fold(ev)
	case "changed":
		ev := &session.Changed{}
		for _, item := range items {
			name, hash, _ := strings.Cut(item, "=")
			ev.Sources = append(ev.Sources, session.Source{Name: name, Hash: hash})
		}
		b.fold(ev)
	case "interrupt":
		b.fold(&session.Interrupted{Reason: "stopped"})
		return nil
	case "resume":
		b.fold(&session.Resumed{})
	case "expire":
		next := b.loop.Next()
		if next.Expired == nil {
			return errors.New("there is no deadline")
		}
		b.fold(next.Expired)
	case "wait":
		d, err := time.ParseDuration(items[0])
		b.now = b.now.Add(d)
		return err
	case "deadline":
		fmt.Fprintf(s.out, "  at %v\n", b.loop.Next().Deadline.Sub(loopEpoch))
		return nil
	case "result":
		fmt.Fprintf(s.out, "  after %v\n", b.loop.tally().Duration)
		return nil
	default:
		return fmt.Errorf("no such verb as %q", verb)
	}
	if !late {
		b.settle(s.show)
	}
	return nil
}

// show prints what is due.
func (s *loopScript) show(next session.Next) {
	for _, ev := range next.Events {
		switch ev := ev.(type) {
		case *session.Ended:
			s.showResult(&ev.Result)
		case *session.ToolAnswered:
			fmt.Fprintf(s.out, "  answer %d %q%s\n", ev.Index, ev.Content.Text(), flags("error", ev.IsError, "refused", ev.Refused, "unknown", ev.Unknown))
			if ev.Limit != nil {
				fmt.Fprintf(s.out, "    limit %s %v of %v\n", ev.Limit.Name, ev.Limit.Used, ev.Limit.Value)
			}
		case *session.Compacting:
			fmt.Fprintf(s.out, "  compacting %s %s %d of %d\n", ev.Policy, ev.Why, ev.Tokens, ev.Window)
		case *session.Compacted:
			fmt.Fprintf(s.out, "  compacted %s %d to %d", ev.Policy, ev.Before, ev.After)
			for _, ref := range ev.Dropped {
				fmt.Fprintf(s.out, " r%d.%d", ref.Turn, ref.Index)
			}
			if ev.Summary != nil {
				fmt.Fprintf(s.out, " %d messages are now %q", ev.Messages, ev.Summary.Blocks.Text())
			}
			fmt.Fprintln(s.out)
		default:
			fmt.Fprintf(s.out, "  %s?\n", ev.Kind())
		}
	}
	for _, eff := range next.Effects {
		switch eff := eff.(type) {
		case *session.CallModel:
			fmt.Fprintf(s.out, "  ask %d/%d%s%s\n", eff.Called.Turn, eff.Called.Attempt, s.retry(eff.Called), s.news(eff.Request.Messages))
		case *session.CallTool:
			c := eff.Called
			fmt.Fprintf(s.out, "  start %d %s %s #%d%s\n", c.Index, c.Name, c.Key, c.Attempt, flags("reconcile", c.Reconcile))
		case *session.RunChild:
			c := eff.Called
			fmt.Fprintf(s.out, "  child %d %s %s #%d%s depth=%d\n", c.Index, c.Name, c.Child.Session, c.Attempt, share(&c.Child.Budget.Amounts), c.Child.Budget.Depth)
		}
	}
	if next.Done {
		fmt.Fprintf(s.out, "  idle\n")
	}
}

func (s *loopScript) showResult(r *session.Result) {
	fmt.Fprintf(s.out, "  end %s %s turns=%d", r.Subtype, r.Reason, r.Turns)
	if r.ToolCalls > 0 {
		fmt.Fprintf(s.out, " calls=%d", r.ToolCalls)
	}
	if r.Text != "" {
		fmt.Fprintf(s.out, " text=%q", r.Text)
	}
	if r.Output != nil {
		fmt.Fprintf(s.out, " output=%s", r.Output)
	}
	if r.Draft != nil {
		fmt.Fprintf(s.out, " draft=%s", r.Draft)
	}
	if r.Error != nil {
		fmt.Fprintf(s.out, " error=%s", r.Error.Kind)
	}
	if r.Retries > 0 {
		fmt.Fprintf(s.out, " retries=%d", r.Retries)
	}
	for _, f := range r.Fallbacks {
		fmt.Fprintf(s.out, " fallback=%d:%s>%s(%s)", f.Turn, f.From, f.To, f.Reason)
	}
	if r.Spent.USD > 0 {
		fmt.Fprintf(s.out, " spent=%v", r.Spent.USD)
	}
	for _, l := range r.Limits {
		fmt.Fprintf(s.out, " %s=%v/%v", l.Name, l.Used, l.Value)
	}
	for _, u := range r.Unknown {
		fmt.Fprintf(s.out, " unknown=%d.%d:%s%s", u.Turn, u.Index, u.Name, flags("tell", u.Tell))
	}
	if r.Detail != "" {
		fmt.Fprintf(s.out, "\n    %s", r.Detail)
	}
	s.out.WriteString("\n")
}

// share prints what a child may use, but for what has no bound.
func share(a *session.Amounts) string {
	var out strings.Builder
	for i := range session.Quantities {
		if q := &session.Quantities[i]; *q.Of(a) != Unlimited {
			fmt.Fprintf(&out, " %s=%s", q.Name, strings.TrimSuffix(q.Text(*q.Of(a)), " USD"))
		}
	}
	return out.String()
}

// retry prints why and when a call is tried again, and of which model.
func (s *loopScript) retry(called *session.ModelCalled) string {
	out := ""
	if called.Purpose != "" {
		out += " to " + called.Purpose
	}
	if called.Reason != "" {
		out += " because=" + called.Reason
	}
	if !called.NotBefore.IsZero() {
		failed := s.bench.now
		for _, rec := range s.bench.recs {
			if _, ok := rec.Event.(*session.ModelFailed); ok {
				failed = rec.Time
			}
		}
		out += " wait=" + called.NotBefore.Sub(failed).String()
	}
	if called.Fallback > 0 {
		out += fmt.Sprintf(" fallback=%d:%s", called.Fallback, called.Model)
	}
	return out
}

// news prints the messages that are not as they were in the request before.
func (s *loopScript) news(messages []*model.Message) string {
	same := 0
	for same < len(s.shown) && same < len(messages) && s.shown[same] == messages[same] {
		same++
	}
	s.shown = messages
	var out strings.Builder
	for _, m := range messages[same:] {
		fmt.Fprintf(&out, "\n    %s", m.Role)
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *model.Text:
				fmt.Fprintf(&out, " %q", b.Text)
			case *model.ToolUse:
				fmt.Fprintf(&out, " %s=%s%s", b.ID, b.Name, b.Input)
			case *model.ToolResult:
				fmt.Fprintf(&out, " %s→%q%s", b.ToolUseID, short(b.Content.Text()), flags("error", b.IsError))
			default:
				fmt.Fprintf(&out, " <%s>", b.BlockType())
			}
		}
	}
	return out.String()
}

// longX shortens the long results of cases.
var longX = regexp.MustCompile(`x{20,}`)

func short(s string) string {
	return longX.ReplaceAllStringFunc(s, func(x string) string { return fmt.Sprintf("x*%d", len(x)) })
}

func flags(pairs ...any) string {
	out := ""
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1].(bool) {
			out += " " + pairs[i].(string)
		}
	}
	return out
}

// fields splits a line at spaces that are not within quotes or JSON.
func fields(line string) ([]string, error) {
	var out []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] == '"' {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("quoted text %s: %w", line, err)
			}
			text, err := strconv.Unquote(q)
			if err != nil {
				return nil, err
			}
			out, line = append(out, text), line[len(q):]
			continue
		}
		field, _, _ := strings.Cut(line, " ")
		if at := strings.IndexAny(field, `{"!`); at >= 0 && field[at] != '!' {
			dec := json.NewDecoder(strings.NewReader(line[at:]))
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				return nil, fmt.Errorf("JSON in %s: %w", line, err)
			}
			field = line[:at+int(dec.InputOffset())]
		}
		out, line = append(out, field), line[len(field):]
	}
	if len(out) == 0 {
		return nil, errors.New("empty line")
	}
	return out, nil
}

// option returns the value of an item of the form name=value.
func option(item, name string) (string, bool) {
	value, ok := strings.CutPrefix(item, name+"=")
	return value, ok
}

func scriptAnswer(turn int, items []string) (*session.ModelAnswered, error) {
	resp := &model.Response{Model: "scripted", Message: model.NewMessage(model.RoleAssistant), StopReason: model.StopEndTurn}
	var blocks model.Blocks
	var cost *session.Money
	stop := ""
	for _, item := range items {
		if v, ok := option(item, "stop"); ok {
			stop = v
		} else if v, ok := option(item, "tokens"); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return nil, err
			}
			resp.Usage.OutputTokens = n
		} else if v, ok := option(item, "prompt"); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return nil, err
			}
			resp.Usage.InputTokens = n
		} else if v, ok := option(item, "cost"); ok {
			usd, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return nil, err
			}
			money := session.USD(usd)
			cost = &money
		} else if v, ok := option(item, "details"); ok {
			resp.StopDetails = json.RawMessage(v)
		} else if v, ok := option(item, "think"); ok {
			blocks = append(blocks, &model.Thinking{Text: strings.Trim(v, `"`), Signature: "sig"})
		} else if u := scriptCall(item); u != nil {
			blocks = append(blocks, u)
			resp.StopReason = model.StopToolUse
		} else {
			blocks = append(blocks, &model.Text{Text: item})
		}
	}
	if stop != "" {
		resp.StopReason = model.StopReason(stop)
	}
	resp.Message = model.NewMessage(model.RoleAssistant, blocks...)
	return &session.ModelAnswered{Turn: turn, Response: resp, Cost: cost}, nil
}

// scriptCall reads id=tool{…} or id!tool{…; nil where item is something else.
func scriptCall(item string) *model.ToolUse {
	at := strings.IndexByte(item, '{')
	if at < 0 {
		return nil
	}
	sep := strings.IndexAny(item[:at], "=!")
	if sep < 0 {
		return nil
	}
	u := &model.ToolUse{ID: item[:sep], Name: item[sep+1 : at], Input: json.RawMessage(item[at:])}
	if item[sep] == '!' {
		u.Incomplete = true
		u.Input, _ = json.Marshal(item[at:])
	}
	return u
}

func (b *loopBench) scriptOutcome(items []string) (*session.ToolAnswered, error) {
	index, err := strconv.Atoi(items[0])
	if err != nil {
		return nil, err
	}
	ev := &session.ToolAnswered{Turn: b.loop.turn, Index: index}
	if index < len(b.loop.calls) {
		ev.ID, ev.Name = b.loop.calls[index].use.ID, b.loop.calls[index].use.Name
	}
	child := &session.ChildEnd{Subtype: session.Success}
	for _, item := range items[1:] {
		if v, ok := option(item, "output"); ok {
			ev.Output = json.RawMessage(v)
		} else if item == "error" {
			ev.IsError = true
		} else if v, ok := option(item, "long"); ok {
			n, err := strconv.Atoi(v)
			if err != nil {
				return nil, err
			}
			ev.Content = append(ev.Content, &model.Text{Text: strings.Repeat("x", n)})
		} else if v, ok := option(item, "cost"); ok {
			usd, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return nil, err
			}
			child.Spent.USD = session.USD(usd)
			ev.Child = child
		} else if v, ok := option(item, "turns"); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return nil, err
			}
			child.Spent.Turns = n
			ev.Child = child
		} else {
			ev.Content = append(ev.Content, &model.Text{Text: item})
		}
	}
	return ev, nil
}

type pathIn struct {
	Path string `json:"path,omitempty"`
}

func scriptTool(name string) *Tool {
	spec := ToolSpec{Name: name}
	switch name {
	case "helper", "aide": // children
		child, err := New(Config{Name: name, Model: namedModel(name), Limits: Limits{Turns: 20, Depth: 5}})
		if err != nil {
			panic(err)
		}
		return AgentTool(spec, child)
	case "search":
		spec.Effect, spec.Counts = ReadOnly, CountSearch
	case "fetch":
		spec.Effect, spec.Counts = ReadOnly, CountFetch
	case "note": // its results are evidence
		spec.Effect, spec.Keep = ReadOnly, true
	case "charge": // it can be asked whether it took effect
		spec.Reconcile = func(context.Context, json.RawMessage) (any, bool, error) { panic("no tool runs here") }
	case "refund":
		spec.TellUnknown = true

	case "read", "list":
		spec.Effect = ReadOnly
	case "write":
		spec.Effect, spec.KeyField = Keyed, "path"
	case "save": // keyed, and safe to repeat
		spec.Effect, spec.KeyField, spec.Idempotent = Keyed, "path", true
	case "push":
	case "pay": // exclusive, and safe to repeat
		spec.Idempotent = true
	case "submit":
		spec.EndsRun = true
	}
	return NewTool(spec, func(context.Context, pathIn) (string, error) { panic("no tool runs here") })
}

var scriptTools = []string{"read", "list", "write", "save", "push", "pay"}

// scriptAgent makes the agent whose loop is tested.
func scriptAgent(options []string) (*Agent, error) {
	cfg := Config{Model: namedModel("main"), Retry: Retry{Attempts: 1}}
	names := scriptTools
	for _, o := range options {
		key, value, _ := strings.Cut(o, "=")
		n, numErr := strconv.Atoi(value)
		switch key {
		case "tools":
			names, numErr = strings.Split(value, ","), nil
			if value == "" {
				names = nil
			}
		case "attempts":
			cfg.Retry.Attempts = n
		case "fallbackafter":
			cfg.Retry.FallbackAfter = n
		case "retrywait":
			cfg.Retry.Wait, numErr = time.ParseDuration(value)
		case "fallbacks":
			numErr = nil
			for name := range strings.SplitSeq(value, ",") {
				cfg.Fallbacks = append(cfg.Fallbacks, namedModel(name))
			}
		case "turns":
			cfg.Limits.Turns = n
		case "tokens":
			cfg.Limits.Tokens = int64(n)
		case "in":
			cfg.Limits.InputTokens = int64(n)
		case "out":
			cfg.Limits.OutputTokens = int64(n)
		case "calls":
			cfg.Limits.ToolCalls = int64(n)
		case "searches":
			cfg.Limits.Searches = int64(n)
		case "fetches":
			cfg.Limits.Fetches = int64(n)
		case "children":
			cfg.Limits.Children = int64(n)
		case "atonce":
			cfg.Limits.ChildrenAtOnce = n
		case "depth":
			cfg.Limits.Depth = n
		case "usd":
			cfg.Limits.USD, numErr = strconv.ParseFloat(value, 64)
			cfg.Prices = freePrices{}
		case "window":
			cfg.Compaction.Window = int64(n)
		case "policy":
			cfg.Compaction.Policy, numErr = Summarize{KeepLast: 2}, nil
		case "keeplast":
			cfg.Compaction.Policy = DropResults{KeepLast: n}
		case "parallel":
			cfg.Limits.ParallelTools = n
		case "timeout":
			cfg.Limits.Timeout, numErr = time.ParseDuration(value)
		default:
			return nil, fmt.Errorf("no such setting as %q", key)
		}
		if numErr != nil {
			return nil, numErr
		}
	}
	for _, name := range names {
		if name == ReadResultName {
			cfg.Tools = append(cfg.Tools, ReadResult())
			continue
		}
		cfg.Tools = append(cfg.Tools, scriptTool(name))
	}
	return New(cfg)
}

// freePrices knows every model; what responses cost is in the cases.
type freePrices struct{}

func (freePrices) Cost(string, *model.Usage) (float64, bool) { return 0, true }

func namedModel(name string) model.Model {
	return &modeltest.Scripted{ModelName: name}
}

// loopEpoch is when the first record of every tested journal is made.
var loopEpoch = time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)

// loopBench feeds records to a loop as the engine does, and checks at every step
// what holds for all journals.
type loopBench struct {
	t     testing.TB
	agent *Agent
	loop  *loop
	recs  []session.Record
	now   time.Time
	// asked are the histories of all requests, as they were when they were made.
	asked []askedHistory
}

type askedHistory struct {
	messages []*model.Message
	copied   []*model.Message
}

func newLoopBench(t testing.TB, agent *Agent) *loopBench {
	b := &loopBench{t: t, agent: agent, now: loopEpoch}
	if agent == nil {
		return b
	}
	b.loop = newLoop(agent, "s")
	b.fold(agent.started("", nil))
	return b
}

// fold dates an event and folds it.
func (b *loopBench) fold(ev session.Event) {
	b.t.Helper()
	rec := session.Record{Seq: int64(len(b.recs) + 1), Time: b.now, Event: ev}
	b.now = b.now.Add(time.Second)
	if err := b.loop.Apply(rec); err != nil {
		b.t.Fatalf("record %d (%s): %v", rec.Seq, ev.Kind(), err)
	}
	b.recs = append(b.recs, rec)
	b.check()
}

// settle folds what the machine decides and the intents of its effects, until
// nothing new is due, and shows each answer that says something.
func (b *loopBench) settle(show func(session.Next)) {
	b.t.Helper()
	for range 1000 {
		next := b.loop.Next()
		if next.Done || len(next.Events)+len(next.Effects) > 0 {
			show(next)
		}
		if len(next.Events)+len(next.Effects) == 0 {
			return
		}
		for _, ev := range next.Events {
			b.fold(ev)
		}
		for _, eff := range next.Effects {
			if ask, ok := eff.(*session.CallModel); ok {
				b.ask(ask)
			}
			b.fold(eff.Intent())
		}
	}
	b.t.Fatal("the machine decides for ever")
}

func (b *loopBench) ask(call *session.CallModel) {
	b.t.Helper()
	messages := call.Request.Messages
	if err := modeltest.CheckHistory(messages); err != nil {
		b.t.Fatalf("turn %d would send a history that no provider accepts: %v", call.Called.Turn, err)
	}
	b.asked = append(b.asked, askedHistory{messages, append([]*model.Message(nil), messages...)})
}

// check compares the loop with one that has folded the same records anew.
func (b *loopBench) check() {
	b.t.Helper()
	again := newLoop(b.agent, "s")
	for _, rec := range b.recs {
		if err := again.Apply(rec); err != nil {
			b.t.Fatalf("record %d (%s), folded anew: %v", rec.Seq, rec.Event.Kind(), err)
		}
	}
	next := b.loop.Next()
	if !reflect.DeepEqual(next, b.loop.Next()) {
		b.t.Fatalf("after record %d, Next answers twice differently", len(b.recs))
	}
	if !reflect.DeepEqual(next, again.Next()) {
		b.t.Fatalf("after record %d, the same records give another answer: %s", len(b.recs), cmp.Diff(nextJSON(b.t, next), nextJSON(b.t, again.Next())))
	}
}

// finish checks what can only be seen at the end: that requests stay as they
// were made, and that the journal is all there is, by reading it from JSON.
func (b *loopBench) finish() {
	b.t.Helper()
	for i, a := range b.asked {
		for j := range a.copied {
			if a.messages[j] != a.copied[j] {
				b.t.Errorf("request %d was changed after it was made: its message %d is another one", i+1, j)
			}
		}
	}
	live, stored := newLoop(b.agent, "s"), newLoop(b.agent, "s")
	for _, rec := range b.recs {
		data, err := json.Marshal(rec)
		if err != nil {
			b.t.Fatal(err)
		}
		var back session.Record
		if err := json.Unmarshal(data, &back); err != nil {
			b.t.Fatal(err)
		}
		if err := stored.Apply(back); err != nil {
			b.t.Fatalf("record %d (%s), stored and read: %v", rec.Seq, rec.Event.Kind(), err)
		}
		if err := live.Apply(rec); err != nil {
			b.t.Fatal(err)
		}
		if diff := cmp.Diff(nextJSON(b.t, live.Next()), nextJSON(b.t, stored.Next())); diff != "" {
			b.t.Fatalf("after record %d, the stored journal gives another answer (-live +stored):\n%s", rec.Seq, diff)
		}
	}
}

// nextJSON shows an answer as JSON, where the arguments of calls are JSON too:
// a journal keeps what they say, not the white space between.
func nextJSON(t testing.TB, next session.Next) string {
	t.Helper()
	shown := struct {
		session.Next
		Effects []any
	}{Next: next}
	for _, eff := range next.Effects {
		if call, ok := eff.(*session.CallTool); ok {
			shown.Effects = append(shown.Effects, struct {
				*session.CallTool
				Input json.RawMessage
			}{call, call.Input})
			continue
		}
		shown.Effects = append(shown.Effects, eff)
	}
	data, err := json.MarshalIndent(shown, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
