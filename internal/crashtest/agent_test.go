package crashtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// The headers by which the servers tell who asks.
const (
	headerProcess = "X-Process"
	headerSession = "X-Session"
	headerKey     = "Idempotency-Key"
	headerAttempt = "X-Attempt"
)

const prompt = "Pay the bill and tell me the number."

// script is what the model says: two tools that only read, at the same time; a
// write that may be repeated; a payment that must not be; and the answer.
func script() []*modeltest.Turn {
	turns := []*modeltest.Turn{
		modeltest.Say("I look first.").CallID("toolu_read", "read", itemIn{1}).CallID("toolu_list", "list", itemIn{2}),
		modeltest.Say("I write it down.").CallID("toolu_write", "write", writeIn{"bill", "42"}),
		modeltest.Say("I pay.").CallID("toolu_pay", "pay", itemIn{4}),
		modeltest.Say("Here it is.").CallID("toolu_submit", "submit", answerIn{"42"}),
	}
	for i, turn := range turns {
		turn.Usage(usageOf(i + 1))
	}
	return turns
}

// usageOf is what a turn costs: no sum of some turns is the sum of others.
func usageOf(turn int) model.Usage {
	return model.Usage{InputTokens: 1000 << turn, OutputTokens: 1 << turn, CacheReadTokens: 100 << turn}
}

type itemIn struct {
	N int `json:"n"`
}

type writeIn struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

type answerIn struct {
	Answer string `json:"answer"`
}

// newAgent makes the agent of a job. Each of its tools does one thing: it posts
// its call to the ledger.
func newAgent(j *job, store session.Store) (*quarry.Agent, error) {
	m, err := anthropic.New(anthropic.Config{
		APIKey: "test-key", BaseURL: j.Model, Model: "scripted",
		Headers: http.Header{headerProcess: {j.Process}, headerSession: {j.Session}},
	})
	if err != nil {
		return nil, err
	}
	return quarry.New(quarry.Config{
		Instructions: "Pay bills.",
		Model:        m,
		Store:        store,
		Tools: []*quarry.Tool{
			quarry.NewTool(quarry.ToolSpec{Name: "read", Effect: quarry.ReadOnly}, post[itemIn](j)),
			quarry.NewTool(quarry.ToolSpec{Name: "list", Effect: quarry.ReadOnly}, post[itemIn](j)),
			quarry.NewTool(quarry.ToolSpec{Name: "write", Effect: quarry.Keyed, KeyField: "path", Idempotent: true}, post[writeIn](j)),
			quarry.NewTool(quarry.ToolSpec{Name: "pay"}, post[itemIn](j)),
			quarry.NewTool(quarry.ToolSpec{Name: "submit", Idempotent: true, EndsRun: true}, func(ctx context.Context, in answerIn) (answerIn, error) {
				_, err := post[answerIn](j)(ctx, in)
				return in, err
			}),
		},
	})
}

// repeatable are the tools that a crash may make run again.
var repeatable = map[string]bool{"read": true, "list": true, "write": true, "pay": false, "submit": true}

func post[In any](j *job) func(context.Context, In) (string, error) {
	return func(ctx context.Context, in In) (string, error) {
		call, ok := quarry.CallFrom(ctx)
		if !ok {
			return "", fmt.Errorf("there is no call in the context")
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, j.Ledger+"/"+call.Name, strings.NewReader(fmt.Sprint(in)))
		if err != nil {
			return "", err
		}
		req.Header.Set(headerProcess, j.Process)
		req.Header.Set(headerKey, call.Key)
		req.Header.Set(headerAttempt, strconv.Itoa(call.Attempt))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("the ledger answers %s: %s", resp.Status, text)
		}
		return string(text), err
	}
}
