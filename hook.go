package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// HookPoint is a point in a run where hooks are called.
type HookPoint string

// The points.
const (
	// PreToolUse comes before each call of a tool. It may deny the call, ask for an
	// approval, or replace its input.
	PreToolUse HookPoint = "PreToolUse"
	// PostToolUse comes after each call that succeeded, PostToolUseFailure after one
	// that did not. They may replace what the model is told.
	PostToolUse        HookPoint = "PostToolUse"
	PostToolUseFailure HookPoint = "PostToolUseFailure"
	// PostToolBatch comes once, when all calls of a response have their results.
	PostToolBatch HookPoint = "PostToolBatch"
	// UserPromptSubmit comes before a prompt is worked on. It may deny it.
	UserPromptSubmit HookPoint = "UserPromptSubmit"
	// Stop comes when the run would end well. Deny makes it go on, with the reason
	// as what is still to do, at most MaxStops times in a row. In a child it is
	// SubagentStop.
	Stop         HookPoint = "Stop"
	SubagentStop HookPoint = "SubagentStop"
	// SubagentStart comes before a child works on its prompt.
	SubagentStart HookPoint = "SubagentStart"
	// PreCompact comes before a conversation is made shorter, which it may deny as
	// long as it still fits; PostCompact after it.
	PreCompact  HookPoint = "PreCompact"
	PostCompact HookPoint = "PostCompact"
	// PermissionRequest comes before a person is asked. It may decide instead.
	PermissionRequest HookPoint = "PermissionRequest"
	// Notification comes when a person is waited for.
	Notification HookPoint = "Notification"
	// SessionStart comes before the first prompt of a session, SessionEnd before the
	// result of each.
	SessionStart HookPoint = "SessionStart"
	SessionEnd   HookPoint = "SessionEnd"
)

// hookPoints are all points; those that are true fail closed.
var hookPoints = map[HookPoint]bool{
	PreToolUse: true, UserPromptSubmit: true,
	PostToolUse: false, PostToolUseFailure: false, PostToolBatch: false, Stop: false, SubagentStart: false, SubagentStop: false,
	PreCompact: false, PostCompact: false, PermissionRequest: false, Notification: false, SessionStart: false, SessionEnd: false,
}

// MaxStops is how often in a row hooks of Stop may ask for more work.
const MaxStops = 8

// DefaultHookTimeout is how long a hook may take.
const DefaultHookTimeout = time.Minute

// maxHookContext bounds what a hook adds to the conversation, in bytes.
const maxHookContext = 10_000

// Hook is code that is called at a point of every run of an agent, its children's
// at any depth included. All hooks that match run at the same time. What they say
// is journaled, and they are not called again for it when a session is resumed.
//
// Where one fails, panics or takes longer than its timeout, hooks of PreToolUse and
// UserPromptSubmit deny; the others have no opinion.
type Hook struct {
	// Match chooses calls by the names of their tools: exact names divided by '|' or
	// ',', or else a regular expression, which may match a part. Defaults to all. It
	// counts at the points that are about a tool.
	Match string
	// Name is what the hook is called in journals. Defaults to the point.
	Name string
	// On is the point.
	On HookPoint
	// Run is called. It must return soon after its context ends.
	Run func(ctx context.Context, in *HookInput) (HookOutput, error)
	// Timeout defaults to DefaultHookTimeout.
	Timeout time.Duration

	match func(tool string) bool
}

// HookInput is what a hook is told. Only what goes with its point is set. It must
// not be changed.
type HookInput struct {
	Point HookPoint `json:"hook_event_name"`
	// Session is the session's id, Agent the agent's name; Parent is the session
	// that a child works for, and Depth how many there are above it.
	Session string `json:"session_id"`
	Agent   string `json:"agent"`
	Parent  string `json:"parent,omitempty"`
	Depth   int    `json:"depth"`
	// Dir is the folder in which the agent works.
	Dir string `json:"cwd,omitempty"`
	// Tool, Input and CallID are those of the call.
	Tool   string          `json:"tool_name,omitempty"`
	Input  json.RawMessage `json:"tool_input,omitempty"`
	CallID string          `json:"tool_use_id,omitempty"`
	// Answer is the outcome of the call, Batch those of a response.
	Answer *session.ToolAnswered   `json:"answer,omitempty"`
	Batch  []*session.ToolAnswered `json:"batch,omitempty"`
	// Prompt is the text of the prompt.
	Prompt string `json:"prompt,omitempty"`
	// Text is the last that the model said, and Stops how often the run was made to
	// go on.
	Text  string `json:"text,omitempty"`
	Stops int    `json:"stops,omitempty"`
	// Reason is why an approval is asked, or a conversation is made shorter.
	Reason string `json:"reason,omitempty"`
	// Result is what the prompt comes to.
	Result *Result `json:"result,omitempty"`
}

// HookOutput is what a hook says. The zero value is no opinion.
type HookOutput struct {
	// Decision is Deny, Ask, Defer or Allow; the most restrictive of all hooks
	// counts. Reason says why.
	Decision Behavior `json:"decision,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	// Input replaces all arguments of a call, at PreToolUse and PermissionRequest.
	Input json.RawMessage `json:"input,omitempty"`
	// Output replaces what the model is told of a call, at PostToolUse and
	// PostToolUseFailure.
	Output *string `json:"output,omitempty"`
	// Context is added to the conversation, 10,000 bytes at most.
	Context string `json:"context,omitempty"`
	// Stop ends the run.
	Stop bool `json:"stop,omitempty"`
}

// compile checks a hook.
func (h *Hook) compile() error {
	if _, ok := hookPoints[h.On]; !ok {
		return fmt.Errorf("there is no point %q to hook on", h.On)
	}
	if h.Run == nil {
		return errors.New("it has no function")
	}
	if h.Timeout < 0 {
		return errors.New("its timeout is negative")
	}
	orDefault(&h.Timeout, DefaultHookTimeout)
	orDefault(&h.Name, string(h.On))
	names := strings.FieldsFunc(h.Match, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
	plain := !strings.ContainsFunc(h.Match, func(r rune) bool {
		return r != '_' && r != '-' && r != '|' && r != ',' && r != ' ' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	switch {
	case h.Match == "" || h.Match == "*":
		h.match = func(string) bool { return true }
	case plain:
		h.match = func(tool string) bool { return slices.Contains(names, tool) }
	default:
		re, err := regexp.Compile(h.Match)
		if err != nil {
			return fmt.Errorf("its Match is no regular expression: %w", err)
		}
		h.match = re.MatchString
	}
	return nil
}

// matching returns the hooks of a point that match a tool.
func matching(hooks []Hook, point HookPoint, tool string) (found []*Hook) {
	for i := range hooks {
		if h := &hooks[i]; h.On == point && (tool == "" || h.match(tool)) {
			found = append(found, h)
		}
	}
	return found
}

// RunHooks implements session.Hands.
func (h *hands) RunHooks(ctx context.Context, id string, call *session.RunHooks) session.Event {
	called := call.Called
	in := *call.Data.(*HookInput)
	in.Session, in.Agent, in.Parent, in.Depth, in.Dir = id, h.agent.cfg.Name, h.run.parent, h.run.depth, h.run.dir
	hooks := matching(h.run.hooks, in.Point, in.Tool)
	began := time.Now()
	outputs := make([]HookOutput, len(hooks))
	errs := make([]error, len(hooks))
	done := make(chan struct{}, len(hooks))
	for i, hook := range hooks {
		go func() {
			outputs[i], errs[i] = hook.call(ctx, &in)
			done <- struct{}{}
		}()
	}
	for range hooks {
		<-done
	}
	if ctx.Err() != nil {
		return nil
	}
	answered := &session.HookAnswered{Point: called.Point, Turn: called.Turn, Index: called.Index, Duration: time.Since(began)}
	for i, hook := range hooks {
		merge(answered, hook, outputs[i], errs[i])
	}
	return answered
}

// merge adds what one hook said. The hooks before it in the order of registration
// come first.
func merge(a *session.HookAnswered, hook *Hook, out HookOutput, err error) {
	if err != nil {
		a.Errors = append(a.Errors, fmt.Sprintf("%s: %v", hook.Name, err))
		if !hookPoints[hook.On] {
			return
		}
		out = HookOutput{Decision: Deny, Reason: fmt.Sprintf("the hook %s failed (%v), and such hooks deny when they fail", hook.Name, err)}
	}
	if slices.Index(restrictions, out.Decision) < slices.Index(restrictions, Behavior(a.Decision)) {
		a.Decision, a.Reason = string(out.Decision), out.Reason
	}
	if len(out.Input) > 0 {
		a.Input = out.Input
	}
	if out.Output != nil {
		a.Output = model.Blocks{&model.Text{Text: *out.Output}}
	}
	if out.Context != "" {
		a.Context = append(a.Context, clip(out.Context, maxHookContext))
	}
	a.Stop = a.Stop || out.Stop
}

// call runs a hook within its time.
func (h *Hook) call(ctx context.Context, in *HookInput) (HookOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	type said struct {
		out HookOutput
		err error
	}
	done := make(chan said, 1)
	go func() {
		s := said{err: errors.New("it ended without an answer")}
		defer func() {
			if p := recover(); p != nil {
				s = said{err: fmt.Errorf("it panicked: %v", p)}
			}
			done <- s
		}()
		s.out, s.err = h.Run(ctx, in)
	}()
	select {
	case s := <-done:
		if s.err == nil && slices.Index(restrictions, s.out.Decision) < 0 {
			s.err = fmt.Errorf("its decision is %q; use Deny, Ask, Defer or Allow", s.out.Decision)
		}
		if s.err == nil && len(s.out.Input) > 0 && !json.Valid(s.out.Input) {
			s.err = errors.New("the input it gives is no JSON")
		}
		return s.out, s.err
	case <-ctx.Done():
		return HookOutput{}, fmt.Errorf("it did not answer within %v", h.Timeout)
	}
}
