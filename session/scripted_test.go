package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// scripted is a small machine: for each prompt it performs its steps one after
// the other, each a model call ("model") or the tools that are named, all at
// once. What was lost is done again.
type scripted struct {
	steps []string
	// limit is the time for a prompt; 0 for none.
	limit time.Duration
	// refuse is the kind of record that cannot be folded.
	refuse string

	prompted         time.Time
	expired          bool
	step             int
	flying, answered map[int]bool
	attempts         map[int]int
}

func (m *scripted) Apply(rec session.Record) error {
	if rec.Event.Kind() == m.refuse {
		return errors.New("refused by the script")
	}
	switch ev := rec.Event.(type) {
	case *session.Prompted:
		m.prompted, m.expired, m.step = rec.Time, false, 0
		m.begin()
	case *session.ModelCalled:
		m.flying[0], m.attempts[0] = true, ev.Attempt
	case *session.ToolCalled:
		m.flying[ev.Index], m.attempts[ev.Index] = true, ev.Attempt
	case *session.ModelAnswered:
		m.outcome(0)
	case *session.ModelFailed:
		m.outcome(0)
	case *session.ToolAnswered:
		m.outcome(ev.Index)
	case *session.Resumed:
		clear(m.flying)
	case *session.Expired:
		m.expired = true
		clear(m.flying)
	case *session.Ended:
		m.prompted = time.Time{}
	}
	return nil
}

func (m *scripted) begin() {
	m.flying, m.answered, m.attempts = make(map[int]bool), make(map[int]bool), make(map[int]int)
}

func (m *scripted) outcome(index int) {
	delete(m.flying, index)
	m.answered[index] = true
	if len(m.answered) == len(strings.Fields(m.steps[m.step])) {
		m.step++
		m.begin()
	}
}

func (m *scripted) Next() session.Next {
	switch {
	case m.prompted.IsZero():
		return session.Next{Done: true}
	case m.expired:
		return session.Next{Events: []session.Event{&session.Ended{Result: session.Result{Subtype: session.Limited}}}}
	case m.step == len(m.steps):
		return session.Next{Events: []session.Event{&session.Ended{Result: session.Result{Subtype: session.Success}}}}
	}
	var next session.Next
	if m.limit > 0 {
		next.Deadline = m.prompted.Add(m.limit)
		next.Expired = &session.Expired{Limit: "wall_clock", Value: m.limit}
	}
	for i, name := range strings.Fields(m.steps[m.step]) {
		attempt := m.attempts[i] + 1
		switch {
		case m.flying[i] || m.answered[i]:
		case name == "model":
			next.Effects = append(next.Effects, &session.CallModel{Called: &session.ModelCalled{Turn: m.step + 1, Attempt: attempt}})
		case strings.HasPrefix(name, "child"):
			next.Effects = append(next.Effects, &session.RunChild{Called: &session.ToolCalled{
				Turn: m.step + 1, Index: i, Name: name, Attempt: attempt, Child: &session.ChildCall{Session: name},
			}})
		default:
			next.Effects = append(next.Effects, &session.CallTool{Called: &session.ToolCalled{Turn: m.step + 1, Index: i, Name: name, Attempt: attempt}})
		}
	}
	return next
}

// diary is what a store and the hands did, in their order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) write(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// take returns the lines and forgets them.
func (d *diary) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

// diaryStore writes down each append when it is durable. Broken is what appends
// return instead of being done.
type diaryStore struct {
	session.Store
	*diary
	broken error
}

func (s *diaryStore) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	if s.broken != nil {
		return s.broken
	}
	if err := s.Store.Append(ctx, id, after, recs); err != nil {
		return err
	}
	var kinds []string
	for _, rec := range recs {
		kind := rec.Event.Kind()
		switch ev := rec.Event.(type) {
		case *session.ToolCalled:
			kind += " " + ev.Name
		case *session.ToolAnswered:
			kind += " " + ev.Name
		}
		kinds = append(kinds, kind)
	}
	s.write("durable: %s", strings.Join(kinds, ", "))
	return nil
}

// hands perform tools by their name; one that is not listed answers at once.
type hands struct {
	*diary
	tools map[string]func(ctx context.Context, call *session.CallTool) session.Event
	model func(ctx context.Context, call *session.CallModel, emit func(model.Event) bool) session.Event
	child func(ctx context.Context, call *session.RunChild, observe session.Observer) (session.Event, error)
}

func (h *hands) CallModel(ctx context.Context, _ string, call *session.CallModel, emit func(model.Event) bool) session.Event {
	h.write("perform: model %d", call.Called.Attempt)
	if h.model != nil {
		return h.model(ctx, call, emit)
	}
	return modelAnswer(call)
}

func (h *hands) CallTool(ctx context.Context, _ string, call *session.CallTool, _ session.Observer) (session.Event, *session.Spent) {
	h.write("perform: %s %d", call.Called.Name, call.Called.Attempt)
	if tool := h.tools[call.Called.Name]; tool != nil {
		return tool(ctx, call), nil
	}
	return answer(call), nil
}

func (h *hands) RunChild(ctx context.Context, id string, call *session.RunChild, observe session.Observer) (session.Event, *session.Spent, error) {
	h.write("perform: child %s %d", call.Called.Name, call.Called.Attempt)
	if h.child != nil {
		ev, err := h.child(ctx, call, observe)
		return ev, nil, err
	}
	return &session.ToolAnswered{Turn: call.Called.Turn, Index: call.Called.Index, Name: call.Called.Name}, nil, nil
}

func (h *hands) RunHooks(_ context.Context, _ string, call *session.RunHooks) session.Event {
	return &session.HookAnswered{Point: call.Called.Point, Turn: call.Called.Turn, Index: call.Called.Index}
}

func (h *hands) AskPerson(_ context.Context, _ string, ask *session.AskPerson) session.Event {
	return &session.ApprovalGiven{Turn: ask.Asked.Turn, Index: ask.Asked.Index, Allow: true}
}

func modelAnswer(call *session.CallModel) session.Event {
	return &session.ModelAnswered{Turn: call.Called.Turn, Response: &model.Response{Message: &model.Message{Role: model.RoleAssistant}}}
}

func answer(call *session.CallTool) session.Event {
	return &session.ToolAnswered{Turn: call.Called.Turn, Index: call.Called.Index, Name: call.Called.Name}
}

// stage is an engine on a new session that has been prompted.
type stage struct {
	*diary
	store  *diaryStore
	hands  *hands
	engine *session.Engine
	live   *session.Live
}

func newStage(t *testing.T, m *scripted) *stage {
	t.Helper()
	d := &diary{}
	s := &stage{
		diary: d,
		store: &diaryStore{Store: session.NewMemory(), diary: d},
		hands: &hands{diary: d, tools: make(map[string]func(context.Context, *session.CallTool) session.Event)},
	}
	s.engine = &session.Engine{Hands: s.hands}
	var err error
	if s.live, err = session.Create(t.Context(), s.store, "a", m, time.Now(), &session.Started{Agent: "clerk"}); err != nil {
		t.Fatal(err)
	}
	s.prompt(t)
	s.take()
	return s
}

func (s *stage) prompt(t *testing.T) {
	t.Helper()
	if err := s.engine.Submit(t.Context(), s.live, &session.Prompted{Message: model.UserText("Go.")}, listen); err != nil {
		t.Fatal(err)
	}
}

// load returns the session as another process has it.
func (s *stage) load(t *testing.T, steps ...string) *session.Live {
	t.Helper()
	live, err := session.Load(t.Context(), s.store, "a", &scripted{steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	return live
}

func listen(session.Observation) bool { return true }
