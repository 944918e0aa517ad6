package quarry_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/internal/sharedtest"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/chat"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
	"github.com/quarry-sdk/quarry/model/openai"
)

// TestRecordedRuns: the same agent with the same tool goes through what real
// services and servers answered, and through a rate limit and a broken connection
// on the way, and every request but those that failed is the next of the recording.
func TestRecordedRuns(t *testing.T) {
	t.Parallel()
	claude := func(url string) (model.Model, error) {
		return anthropic.New(anthropic.Config{APIKey: "k", BaseURL: url, Model: "m"})
	}
	gpt := func(url string) (model.Model, error) {
		return openai.New(openai.Config{APIKey: "k", BaseURL: url, Model: "gpt-5"})
	}
	other := func(url string) (model.Model, error) {
		return chat.New(chat.Config{APIKey: "k", BaseURL: url, Model: "m"})
	}
	for name, open := range map[string]func(url string) (model.Model, error){
		"anthropic/charmbracelet+fantasy/TestAnthropicCommon/claude-sonnet-4/tool_streaming.yaml":              claude,
		"openai-responses/charmbracelet+fantasy/TestOpenAIResponsesCommon/openai-gpt-5/tool_streaming.yaml":    gpt,
		"openai-responses/charmbracelet+fantasy/TestAzureResponsesCommon/azure-gpt-5-mini/tool_streaming.yaml": gpt,
		"openai-chat/charmbracelet+fantasy/TestAzureCommon/azure-gpt-5-mini/tool_streaming.yaml":               other,
		"compat/charmbracelet+fantasy/TestOpenAICompatibleCommon/llama-cpp-gpt-oss/tool_streaming.yaml":        other,
		"compat/charmbracelet+fantasy/TestOpenAICompatibleCommon/xai-grok-4-fast/tool_streaming.yaml":          other,
		"compat/charmbracelet+fantasy/TestOpenRouterCommon/gemini/tool_streaming.yaml":                         other,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exchanges, err := cassette.Load(sharedtest.Path(t, "wire", name))
			if err != nil {
				t.Fatal(err)
			}
			player := cassette.NewPlayer(cassette.PlayerConfig{
				Exchanges: exchanges, ChunkBytes: 100,
				Faults: map[int]cassette.Fault{0: {Status: 429}, 2: {CutAfter: len(exchanges[1].Response.Body) / 2}},
			})
			defer player.Close()
			m, err := open(player.URL)
			if err != nil {
				t.Fatal(err)
			}
			var asked []string
			weather := quarry.NewTool(quarry.ToolSpec{Name: "weather", Effect: quarry.ReadOnly}, func(_ context.Context, in struct {
				Location string `json:"location"`
			}) (string, error) {
				asked = append(asked, in.Location)
				return "40 C", nil
			})
			agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{weather}, Retry: quarry.Retry{Wait: time.Millisecond}})
			result, err := agent.Run(t.Context(), quarry.Input{Prompt: "What's the weather in Florence,Italy?"})
			if err != nil {
				t.Fatal(err)
			}
			if !result.OK() || !strings.Contains(result.Text, "40") || result.Turns != 2 {
				t.Errorf("%s (%s) after %d turns: %s %s", result.Subtype, result.Reason, result.Turns, result.Text, result.Detail)
			}
			if len(asked) != 1 || !strings.HasPrefix(asked[0], "Florence") {
				t.Errorf("the tool was asked for %q", asked)
			}
			var played []int
			for _, p := range player.Played() {
				played = append(played, p.Exchange)
			}
			if len(played) != 4 || played[0] != -1 || played[1] != 0 || played[2] != 1 || played[3] != 1 {
				t.Errorf("played %v", played)
			}
			if u := result.Usage; u.InputTokens+u.CacheReadTokens == 0 || u.OutputTokens == 0 {
				t.Errorf("usage %+v", u)
			}
		})
	}
}
