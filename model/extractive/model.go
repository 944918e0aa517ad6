package extractive

import (
	"context"

	"github.com/quarry-sdk/quarry/model"
)

// Name is the model's name.
const Name = "extractive"

// Config holds the model's thresholds. The zero value is the documented default.
type Config struct {
	// Fetches is how many documents are read for one question. Defaults to 6.
	Fetches int
	// MinScore is the share of the question's words, weighed by their rarity, that
	// one of the five best sentences and its surroundings must hold, between 0 and
	// 1. Below it the corpus is said not to answer. Defaults to 0.34.
	MinScore float64
	// Sentences is how many sentences are chosen for an answer at most. Those that
	// follow each other are quoted as one, and one that stands closely below the
	// term that it defines is quoted from that term on. Defaults to 5.
	Sentences int
}

// Model implements model.Model. It may be used by any number of goroutines.
type Model struct {
	cfg Config
}

// New returns the model with its default thresholds.
func New() *Model { return NewWith(Config{}) }

// NewWith returns the model with other thresholds.
func NewWith(cfg Config) *Model {
	if cfg.Fetches <= 0 {
		cfg.Fetches = 6
	}
	if cfg.MinScore <= 0 {
		cfg.MinScore = 0.34
	}
	if cfg.Sentences <= 0 {
		cfg.Sentences = 5
	}
	return &Model{cfg: cfg}
}

// Name implements model.Model.
func (m *Model) Name() string { return Name }

// Stream implements model.Model. The answer depends on the request alone.
func (m *Model) Stream(ctx context.Context, req *model.Request) model.Stream {
	return func(yield func(model.Event, error) bool) {
		if ctx.Err() != nil {
			yield(model.Event{}, context.Cause(ctx))
			return
		}
		blocks := m.answer(ctx, req)
		if ctx.Err() != nil {
			yield(model.Event{}, context.Cause(ctx))
			return
		}
		resp := &model.Response{Model: Name, Message: model.NewMessage(model.RoleAssistant, blocks...), StopReason: model.StopEndTurn}
		if len(resp.Message.Blocks.ToolUses()) > 0 {
			resp.StopReason = model.StopToolUse
		}
		for i, b := range blocks {
			if t, ok := b.(*model.Text); ok && !yield(model.Event{Kind: model.EventText, Index: i, Text: t.Text}, nil) {
				return
			}
			if !yield(model.Event{Kind: model.EventBlock, Index: i, Block: b}, nil) {
				return
			}
		}
		yield(model.Event{Kind: model.EventDone, Response: resp}, nil)
	}
}
