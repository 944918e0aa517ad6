package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// The tree of agents: a boss that reads and starts two clerks at the same time,
// charges a card, reads something long, whose conversation is then replaced by a
// summary, and answers with what the clerks found.

const treePrompt = "Find both numbers, charge the card, and hand in the sum."

type chargeIn struct {
	Amount int `json:"amount"`
}

type sumIn struct {
	Sum       int      `json:"sum"`
	Citations []string `json:"citations"`
}

// treeTurn is what a model of the tree says, by what it was told: the last calls
// in the conversation name the step.
func treeTurn(req *model.Request) (step string, turn *modeltest.Turn) {
	first := req.Messages[0].Blocks.Text()
	last := req.Messages[len(req.Messages)-1].Blocks.Text()
	id := ""
	for _, m := range req.Messages {
		for _, u := range m.Blocks.ToolUses() {
			id = u.ID
		}
	}
	if clerk, ok := strings.CutPrefix(first, "Find number "); ok {
		if id == "" {
			return "clerk " + clerk + " looks", modeltest.Say("I look.").CallID("toolu_look", "look", itemIn{len(clerk)}).CallID("toolu_note", "note", itemIn{len(clerk)})
		}
		return "clerk " + clerk + " answers", modeltest.Say("Number " + clerk + " is 21, says the ledger.")
	}
	switch {
	case strings.Contains(last, "will be replaced by your summary"):
		return "boss sums up", modeltest.Say("Both numbers are 21; the card is charged; the long text says nothing.")
	case id == "":
		return "boss divides", modeltest.Say("I divide it.").CallID("toolu_read", "read", itemIn{1}).
			CallID("toolu_one", "clerk", map[string]string{"prompt": "Find number one"}).CallID("toolu_two", "clerk", map[string]string{"prompt": "Find number two"})
	case id == "toolu_two":
		return "boss charges", modeltest.Say("I charge.").CallID("toolu_charge", "charge", chargeIn{5})
	case id == "toolu_charge":
		return "boss reads", modeltest.Say("I read on.").CallID("toolu_long", "long", itemIn{3})
	}
	return "boss submits", modeltest.Say("Here it is.").CallID("toolu_submit", "submit", sumIn{42, []string{"Number one is 21", "Number two is 21"}})
}

// treeUsage gives each step its own cost: no sum of some is that of others.
func treeUsage(step string) model.Usage {
	for i, s := range treeSteps {
		if s == step {
			return model.Usage{InputTokens: 100 + 1<<i, OutputTokens: 10}
		}
	}
	return model.Usage{}
}

var treeSteps = []string{
	"boss divides", "clerk one looks", "clerk one answers", "clerk two looks", "clerk two answers",
	"boss charges", "boss reads", "boss sums up", "boss submits",
}

// newTree makes the tree's agents for a job.
func newTree(j *job, store session.Store) (*quarry.Agent, error) {
	m, err := anthropic.New(anthropic.Config{APIKey: "test-key", BaseURL: j.Model, Model: "scripted", Headers: http.Header{headerProcess: {j.Process}}})
	if err != nil {
		return nil, err
	}
	prices := cents{}
	clerk, err := quarry.New(quarry.Config{
		Name: "clerk", Instructions: "Find numbers.", Model: m, Prices: prices,
		Tools: []*quarry.Tool{
			quarry.NewTool(quarry.ToolSpec{Name: "look", Effect: quarry.ReadOnly}, post[itemIn](j)),
			quarry.NewTool(quarry.ToolSpec{Name: "note", Effect: quarry.Keyed, KeyField: "n", Idempotent: true}, post[itemIn](j)),
		},
	})
	if err != nil {
		return nil, err
	}
	return quarry.New(quarry.Config{
		Name: "boss", Instructions: "Divide the work.", Model: m, Store: store, Prices: prices,
		Limits:     quarry.Limits{USD: 100},
		Compaction: quarry.Compaction{Window: 800, Policy: quarry.Summarize{KeepLast: 2}},
		Tools: []*quarry.Tool{
			quarry.NewTool(quarry.ToolSpec{Name: "read", Effect: quarry.ReadOnly}, post[itemIn](j)),
			quarry.NewTool(quarry.ToolSpec{Name: "long", Effect: quarry.ReadOnly}, func(ctx context.Context, in itemIn) (string, error) {
				text, err := post[itemIn](j)(ctx, in)
				return strings.Repeat(text, 4), err
			}),
			quarry.AgentTool(quarry.ToolSpec{Name: "clerk"}, clerk),
			quarry.NewTool(quarry.ToolSpec{Name: "charge", Reconcile: charged(j)}, post[chargeIn](j)),
			quarry.NewTool(quarry.ToolSpec{Name: "submit", Idempotent: true, EndsRun: true}, func(ctx context.Context, in sumIn) (sumIn, error) {
				_, err := post[sumIn](j)(ctx, in)
				return in, err
			}),
		},
	})
}

// charged asks the ledger whether a charge took effect.
func charged(j *job) func(context.Context, json.RawMessage) (any, bool, error) {
	return func(ctx context.Context, _ json.RawMessage) (any, bool, error) {
		call, _ := quarry.CallFrom(ctx)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, j.Ledger+"/charge?key="+url.QueryEscape(call.Key), nil)
		if err != nil {
			return nil, false, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, false, err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		switch {
		case err != nil:
			return nil, false, err
		case resp.StatusCode == http.StatusNotFound:
			return nil, false, nil
		case resp.StatusCode != http.StatusOK:
			return nil, false, fmt.Errorf("the ledger answers %s", resp.Status)
		}
		return string(text), true, nil
	}
}

// cents are prices: a cent for each thousand tokens.
type cents struct{}

func (cents) Cost(_ string, u *model.Usage) (float64, bool) {
	return float64(u.Total()) / 100_000, true
}
