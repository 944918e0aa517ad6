package model

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUsageAdd(t *testing.T) {
	t.Parallel()
	one := Usage{
		InputTokens: 1, OutputTokens: 2, CacheReadTokens: 4, CacheWriteTokens: 8, CacheWrite1hTokens: 16, ReasoningTokens: 32,
		ServerToolCalls: map[string]int64{"web_search_requests": 1}, Raw: json.RawMessage(`{"input_tokens":1}`),
	}
	two := Usage{
		InputTokens: 100, OutputTokens: 200, CacheReadTokens: 400, CacheWriteTokens: 800, CacheWrite1hTokens: 1600, ReasoningTokens: 3200,
		ServerToolCalls: map[string]int64{"web_search_requests": 2, "web_fetch_requests": 3}, Raw: json.RawMessage(`{"input_tokens":100}`),
	}
	var sum Usage
	sum.Add(&one)
	sum.Add(&two)
	sum.Add(&Usage{})
	want := Usage{
		InputTokens: 101, OutputTokens: 202, CacheReadTokens: 404, CacheWriteTokens: 808, CacheWrite1hTokens: 1616, ReasoningTokens: 3232,
		ServerToolCalls: map[string]int64{"web_search_requests": 3, "web_fetch_requests": 3},
	}
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Errorf("sum (-want +got):\n%s", diff)
	}
	if sum.Total() != 101+202+404+808 {
		t.Errorf("total %d", sum.Total())
	}
	// What was added is not shared with the sum.
	if one.ServerToolCalls["web_search_requests"] != 1 || len(one.ServerToolCalls) != 1 {
		t.Errorf("adding changed %v", one.ServerToolCalls)
	}
}
