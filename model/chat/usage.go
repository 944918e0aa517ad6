package chat

import (
	"bytes"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// takeUsage takes a usage object. Servers that send one with each chunk count
// up, so the last one that counts anything holds.
func (d *decoder) takeUsage(usage []byte) {
	if !rawjson.IsObject(usage) || len(d.usage) > 0 && counted(usage) == 0 {
		return
	}
	d.usage = append(d.usage[:0], usage...)
}

func counted(usage []byte) int64 {
	return number(usage, "prompt_tokens", "input_tokens") + number(usage, "completion_tokens", "output_tokens")
}

// number is the first of the fields that is there; 0 if none is.
func number(obj []byte, names ...string) int64 {
	for _, name := range names {
		if v := rawjson.Field(obj, name); !rawjson.IsNull(v) {
			return max(0, rawjson.Int(v))
		}
	}
	return 0
}

// decodeUsage returns the typed view of the usage, with its raw JSON; nothing if
// the server told none.
func (d *decoder) decodeUsage() model.Usage {
	var u model.Usage
	raw := d.usage
	if len(raw) == 0 {
		if len(d.timings) > 0 { // llama.cpp counts what it did beside the usage
			u.Raw = bytes.Clone(d.timings)
			u.InputTokens, u.CacheReadTokens = number(u.Raw, "prompt_n"), number(u.Raw, "cache_n")
			u.OutputTokens = number(u.Raw, "predicted_n")
		}
		return u
	}
	u.Raw = bytes.Clone(raw)
	in, out := rawjson.Field(raw, "prompt_tokens_details"), rawjson.Field(raw, "completion_tokens_details")
	prompt := number(raw, "prompt_tokens", "input_tokens")
	u.OutputTokens = number(raw, "completion_tokens", "output_tokens")
	u.ReasoningTokens = number(out, "reasoning_tokens")
	u.CacheReadTokens = number(in, "cached_tokens")
	if u.CacheReadTokens == 0 {
		u.CacheReadTokens = number(raw, "prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens", "num_cached_tokens")
	}
	if u.CacheWriteTokens = number(in, "cache_write_tokens"); u.CacheWriteTokens == 0 {
		u.CacheWriteTokens = number(raw, "cache_creation_input_tokens")
	}
	cached := u.CacheReadTokens + u.CacheWriteTokens
	if cached > prompt {
		prompt += cached // gateways to Anthropic's API may count them apart
	}
	u.InputTokens = prompt - cached
	// What the total has beyond both is thought that completion_tokens leaves out:
	// xAI tells how much it is, Gemini does not.
	if rest := number(raw, "total_tokens") - prompt - u.OutputTokens; rest > 0 {
		u.OutputTokens += rest
		if u.ReasoningTokens == 0 {
			u.ReasoningTokens = rest
		}
	}
	u.ReasoningTokens = min(u.ReasoningTokens, u.OutputTokens)
	u.CacheWrite1hTokens = min(u.CacheWriteTokens, number(rawjson.Field(raw, "cache_creation"), "ephemeral_1h_input_tokens"))
	for _, name := range [...]string{"server_tool_use_details", "server_tool_use"} {
		for key, n := range rawjson.Fields(rawjson.Field(raw, name)) {
			if count := rawjson.Int(n); count > 0 && strings.HasSuffix(string(key), "_requests") {
				if u.ServerToolCalls == nil {
					u.ServerToolCalls = make(map[string]int64)
				}
				u.ServerToolCalls[string(key)] = count
			}
		}
	}
	return u
}
