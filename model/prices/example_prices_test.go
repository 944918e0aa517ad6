package prices_test

import (
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/prices"
)

func ExampleTable_Cost() {
	mine, err := prices.Load(strings.NewReader(
		"names\tinput\toutput\tcache_read\tas_of\tsource\n" +
			"chat/llama3\t0\t0\t0\t2026-11\tour own machine\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	table := prices.Default().Merge(mine)
	used := &model.Usage{InputTokens: 12_000, OutputTokens: 800, CacheReadTokens: 40_000}
	for _, name := range []string{"anthropic/claude-sonnet-4-5-20250929", "chat/llama3", "openai/gpt-99"} {
		usd, known := table.Cost(name, used)
		fmt.Println(name, usd, known)
	}
	// Output:
	// anthropic/claude-sonnet-4-5-20250929 0.06 true
	// chat/llama3 0 true
	// openai/gpt-99 0 false
}
