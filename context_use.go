package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// ContextUse tells what the next request of a session would be made of, in
// estimated tokens of its provider.
type ContextUse struct {
	// System is the instructions, Tools the tool list.
	System int64 `json:"system"`
	Tools  int64 `json:"tools"`
	// Kinds are what the messages have, in a fixed order, those that occur.
	Kinds []KindUse `json:"kinds"`
	// Total is the sum of all.
	Total int64 `json:"total"`
	// Window is what the model takes; 0 where that is not known.
	Window int64 `json:"window,omitempty"`
	// Compactions is how often the conversation was made shorter.
	Compactions int `json:"compactions"`
}

// KindUse is what the blocks of one kind take.
type KindUse struct {
	// Kind is "prompts", "summaries", "answers", "thinking", "tool_calls",
	// "tool_results", "dropped_results", "server_tools", "media" or "other".
	Kind   string `json:"kind"`
	Blocks int    `json:"blocks"`
	Tokens int64  `json:"tokens"`
}

// The kinds of KindUse.
const (
	usePrompts = iota
	useSummaries
	useAnswers
	useThinking
	useCalls
	useResults
	useDropped
	useServerTools
	useMedia
	useOther
	useKinds
)

var useNames = [useKinds]string{"prompts", "summaries", "answers", "thinking", "tool_calls", "tool_results", "dropped_results", "server_tools", "media", "other"}

// Breakdown tells what the next request would be made of, from the records of an
// agent's session alone.
func Breakdown(recs []session.Record) (*ContextUse, error) {
	if len(recs) == 0 {
		return nil, errors.New("the session has no records")
	}
	started, ok := recs[0].Event.(*session.Started)
	if !ok {
		return nil, errors.New("the session's first record does not start it")
	}
	agent, err := recorded(started)
	if err != nil {
		return nil, err
	}
	use := &ContextUse{Window: agent.cfg.Compaction.Window}
	l := newLoop(agent, "")
	for _, rec := range recs {
		if err := l.Apply(rec); err != nil {
			return nil, fmt.Errorf("record %d (%s): %w", rec.Seq, rec.Event.Kind(), err)
		}
		if _, ok := rec.Event.(*session.Compacted); ok {
			use.Compactions++
		}
	}
	use.System = l.talk.scaled(estimate(agent.system))
	use.Tools = l.talk.scaled(agent.baseTokens) - use.System
	use.Total = use.System + use.Tools
	var kinds [useKinds]KindUse
	for i := range l.talk.entries {
		e, msg := &l.talk.entries[i], l.talk.messages[i]
		for k, b := range msg.Blocks {
			n := l.talk.scaled(estimateBlock(b))
			kind := &kinds[useOf(msg, k, e)]
			kind.Blocks++
			kind.Tokens += n
			use.Total += n
		}
	}
	for i := range kinds {
		if kinds[i].Kind = useNames[i]; kinds[i].Blocks > 0 {
			use.Kinds = append(use.Kinds, kinds[i])
		}
	}
	return use, nil
}

// useOf is the kind of a block of a message.
func useOf(msg *model.Message, block int, e *entry) int {
	switch msg.Blocks[block].(type) {
	case *model.Text:
		switch {
		case msg.Role == model.RoleAssistant:
			return useAnswers
		case e.summary && block == 0:
			return useSummaries
		}
		return usePrompts
	case *model.Thinking, *model.RedactedThinking:
		return useThinking
	case *model.ToolUse:
		return useCalls
	case *model.ToolResult:
		for _, p := range e.results {
			if p.block == block && p.dropped {
				return useDropped
			}
		}
		return useResults
	case *model.ServerToolUse, *model.ServerToolResult:
		return useServerTools
	case *model.Image, *model.Document:
		return useMedia
	}
	return useOther
}

// settings are what a journal keeps of the agent that began it.
type settings struct {
	Instructions string                  `json:"instructions,omitempty"`
	Tools        *model.ToolSet          `json:"tools,omitempty"`
	Specs        map[string]toolSettings `json:"specs,omitempty"`
	Fallbacks    []string                `json:"fallbacks,omitempty"`
	Limits       Limits                  `json:"limits"`
	Compaction   compactionSettings      `json:"compaction"`
	MaxTokens    int                     `json:"max_tokens"`
	Retry        Retry                   `json:"retry"`
}

// toolSettings are what the loop has to know of a tool to fold a journal.
type toolSettings struct {
	Counts      Count `json:"counts,omitempty"`
	EndsRun     bool  `json:"ends_run,omitempty"`
	Keep        bool  `json:"keep,omitempty"`
	MaxTries    int   `json:"max_tries"`
	TellUnknown bool  `json:"tell_unknown,omitempty"`
}

type compactionSettings struct {
	Policy string  `json:"policy"`
	Window int64   `json:"window"`
	At     float64 `json:"at"`
	To     float64 `json:"to"`
	Off    bool    `json:"off,omitempty"`
}

// settings returns what the agent's journals keep of it.
func (a *Agent) settings() *settings {
	cfg := &a.cfg
	c := &cfg.Compaction
	s := &settings{
		Instructions: cfg.Instructions, Tools: a.toolSet, Limits: cfg.Limits, MaxTokens: cfg.MaxTokens, Retry: cfg.Retry,
		Compaction: compactionSettings{c.Policy.Name(), c.Window, c.At, c.To, c.Off},
	}
	for _, m := range cfg.Fallbacks {
		s.Fallbacks = append(s.Fallbacks, m.Name())
	}
	for _, t := range a.tools { // the output's too
		if s.Specs == nil {
			s.Specs = make(map[string]toolSettings, len(a.tools))
		}
		s.Specs[t.spec.Name] = toolSettings{t.spec.Counts, t.spec.EndsRun, t.spec.Keep, t.spec.MaxTries, t.spec.TellUnknown}
	}
	return s
}

// recorded makes an agent that folds a session's journal as the one did that
// began it. It can do nothing else.
func recorded(started *session.Started) (*Agent, error) {
	var s settings
	if len(started.Config) > 0 {
		if err := json.Unmarshal(started.Config, &s); err != nil {
			return nil, fmt.Errorf("the settings in the session's first record are damaged: %w; restore the journal from a copy", err)
		}
	}
	cfg := Config{
		Name: started.Agent, Model: recordedModel(started.Model), Instructions: s.Instructions, Limits: s.Limits, MaxTokens: s.MaxTokens, Retry: s.Retry,
		Compaction: Compaction{Window: s.Compaction.Window, At: s.Compaction.At, To: s.Compaction.To, Off: s.Compaction.Off},
	}
	if s.Compaction.Policy == (Summarize{}).Name() {
		cfg.Compaction.Policy = Summarize{}
	}
	cfg.Limits.USD = 0 // there are no prices here: what it cost is in the journal
	for _, name := range s.Fallbacks {
		cfg.Fallbacks = append(cfg.Fallbacks, recordedModel(name))
	}
	if s.Tools != nil {
		cfg.ServerTools = s.Tools.Server
		for _, def := range s.Tools.Defs {
			spec := s.Specs[def.Name]
			t := &Tool{spec: ToolSpec{
				Name: def.Name, Description: def.Description, Strict: def.Strict, Provider: def.Provider,
				Counts: spec.Counts, EndsRun: spec.EndsRun, Keep: spec.Keep, MaxTries: spec.MaxTries, TellUnknown: spec.TellUnknown,
			}, schema: &toolSchema{json: def.InputSchema}}
			t.fill()
			cfg.Tools = append(cfg.Tools, t)
		}
	}
	a, err := New(cfg)
	if err == nil && s.Limits.USD != 0 {
		a.cfg.Limits.USD = s.Limits.USD
	}
	return a, err
}

// recordedModel is a model of which the name is known. It answers nothing.
type recordedModel string

// Name implements model.Model.
func (m recordedModel) Name() string { return string(m) }

// Stream implements model.Model.
func (m recordedModel) Stream(context.Context, *model.Request) model.Stream {
	return model.Fail(&model.Error{Kind: model.ErrInvalidRequest, Message: "this model is known by name only"})
}
