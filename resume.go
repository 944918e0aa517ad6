package quarry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// MismatchError tells that a session cannot simply go on with an agent, because
// it was begun with another one or with other tools. Nothing was called.
type MismatchError struct {
	Session string
	// Agent is the agent's name, Was that of the session's where it is another.
	Agent, Was string
	// Missing are tools that the session has and the agent has not; Changed are
	// those whose schema is another.
	Missing, Changed []string
}

// Error names what does not fit, and the ways out.
func (e *MismatchError) Error() string {
	var parts []string
	if e.Was != "" {
		parts = append(parts, fmt.Sprintf("it was begun by the agent %q, and this is %q", e.Was, e.Agent))
	}
	if e.Missing != nil {
		parts = append(parts, "the agent lacks its tools "+strings.Join(e.Missing, ", "))
	}
	if e.Changed != nil {
		parts = append(parts, "other arguments are taken now by "+strings.Join(e.Changed, ", "))
	}
	return fmt.Sprintf("session %q does not fit the agent: %s; go on with the agent as it was, or accept the change with Input.Accept", e.Session, strings.Join(parts, "; "))
}

// fits compares the agent with the one that the session was begun with.
func (l *loop) fits(a *Agent) error {
	e := &MismatchError{Session: l.id, Agent: a.cfg.Name}
	if l.name != a.cfg.Name {
		e.Was = l.name
	}
	var was struct {
		Tools *model.ToolSet `json:"tools"`
	}
	if len(l.config) > 0 {
		if err := json.Unmarshal(l.config, &was); err != nil {
			return fmt.Errorf("session %q: the settings in its first record are damaged: %w; restore the journal from a copy", l.id, err)
		}
	}
	if was.Tools != nil {
		for _, def := range was.Tools.Defs {
			switch tool := a.tools[def.Name]; {
			case tool == nil:
				e.Missing = append(e.Missing, def.Name)
			case !bytes.Equal(compactJSON(def.InputSchema), compactJSON(tool.schema.json)):
				e.Changed = append(e.Changed, def.Name)
			}
		}
	}
	if e.Was == "" && e.Missing == nil && e.Changed == nil {
		return nil
	}
	return e
}

// acceptKey is the key of the context of a run that accepts changed agents, its
// children's too.
type acceptKey struct{}

// match checks that a loaded session fits its agent, or journals that it does now
// where that is accepted.
func (l *loop) match(ctx context.Context, engine *session.Engine, live *session.Live, observe session.Observer) error {
	a := l.agent
	err := l.fits(a)
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || ctx.Value(acceptKey{}) == nil {
		return err
	}
	return engine.Submit(ctx, live, &session.Reconfigured{Agent: a.cfg.Name, Model: a.cfg.Model.Name(), Config: a.record}, observe)
}

// stale asks the tools whether what they read has changed since, and returns
// what has; nil where nothing has. What cannot be asked counts as unchanged.
func (l *loop) stale(ctx context.Context) *session.Changed {
	type read struct {
		tool   *Tool
		source session.Source
	}
	var reads []read
	for _, answered := range l.answered {
		tool := l.agent.tools[answered.Name]
		if tool == nil || tool.spec.Current == nil {
			continue
		}
		for _, s := range answered.Sources {
			at := slices.IndexFunc(reads, func(r read) bool { return r.source.Name == s.Name })
			if at < 0 {
				reads = append(reads, read{tool, s})
			} else { // whoever read or wrote it last knows it
				reads[at] = read{tool, s}
			}
		}
	}
	var changed []session.Source
	for _, r := range reads {
		hash, err := r.tool.spec.Current(ctx, r.source.Name)
		if told, ok := l.told[r.source.Name]; err != nil || hash == r.source.Hash || ok && hash == told {
			continue
		}
		changed = append(changed, session.Source{Name: r.source.Name, Hash: hash})
	}
	if changed == nil {
		return nil
	}
	return &session.Changed{Sources: changed}
}
