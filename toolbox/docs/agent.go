package docs

import (
	"errors"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// The names of the tools.
const (
	SearchName = "search_docs"
	FetchName  = "fetch_doc"
	SubmitName = "submit_answer"
)

// DefaultTurns is how often the corpus agent may ask its model for one prompt.
const DefaultTurns = 10

// New returns the three tools over an index: search_docs, fetch_doc and
// submit_answer. They are read-only but for submit_answer, which ends the run.
func New(ix *corpus.Index) []*quarry.Tool {
	return []*quarry.Tool{searchTool(ix), fetchTool(ix), submitTool(ix)}
}

// Config describes a corpus agent. Index and Model are required.
type Config struct {
	// Blobs keep results that are over their tool's limit. Defaults to nil: they
	// are then kept in the journal.
	Blobs quarry.Blobs
	// Compaction says when and how a conversation is made shorter.
	Compaction quarry.Compaction
	// Effort is the model's effort level, as the provider names it.
	Effort string
	// Fallbacks take over where the model is overloaded or declines; see
	// quarry.Config.
	Fallbacks []model.Model
	// Index is the corpus to answer from.
	Index *corpus.Index
	// Instructions replace the system prompt. Defaults to [Instructions].
	Instructions string
	// Limits bound each prompt. Turns defaults to DefaultTurns, the others to
	// quarry.DefaultLimits.
	Limits quarry.Limits
	// MaxTokens bounds one response. Defaults to model.DefaultMaxTokens.
	MaxTokens int
	// Model is what the agent thinks with.
	Model model.Model
	// Name is what the agent is called in journals. Defaults to "docs".
	Name string
	// Prices tell what the model costs, for Limits.USD and Result.Spent. Defaults
	// to nil: costs are then unknown.
	Prices quarry.Prices
	// Retry says how failed calls of the model are repeated. Defaults to
	// quarry.DefaultRetry.
	Retry quarry.Retry
	// Store keeps the sessions. Defaults to a store in memory.
	Store session.Store
	// Temperature is the sampling temperature; nil leaves it to the provider.
	Temperature *float64
	// Thinking asks the model to reason; nil leaves it to the provider.
	Thinking *model.ThinkingOptions
}

// NewAgent makes an agent that answers from cfg.Index.
func NewAgent(cfg Config) (*quarry.Agent, error) {
	if cfg.Index == nil {
		return nil, errors.New("docs: the agent has no index; set Config.Index")
	}
	if cfg.Instructions == "" {
		cfg.Instructions = Instructions
	}
	if cfg.Limits.Turns == 0 {
		cfg.Limits.Turns = DefaultTurns
	}
	if cfg.Name == "" {
		cfg.Name = "docs"
	}
	return quarry.New(quarry.Config{
		Blobs:        cfg.Blobs,
		Compaction:   cfg.Compaction,
		Effort:       cfg.Effort,
		Fallbacks:    cfg.Fallbacks,
		Instructions: cfg.Instructions,
		Limits:       cfg.Limits,
		MaxTokens:    cfg.MaxTokens,
		Model:        cfg.Model,
		Name:         cfg.Name,
		Prices:       cfg.Prices,
		Retry:        cfg.Retry,
		Store:        cfg.Store,
		Temperature:  cfg.Temperature,
		Thinking:     cfg.Thinking,
		Tools:        New(cfg.Index),
	})
}
