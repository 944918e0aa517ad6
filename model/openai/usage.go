package openai

import (
	"bytes"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// decodeUsage returns the typed view of a usage object, with its raw JSON. The
// API counts cached tokens as part of the input; the typed view does not.
func decodeUsage(raw []byte) model.Usage {
	var u model.Usage
	if !rawjson.IsObject(raw) {
		return u
	}
	u.Raw = bytes.Clone(raw)
	for key, val := range rawjson.Fields(raw) {
		switch string(key) {
		case "input_tokens":
			u.InputTokens = rawjson.Int(val)
		case "output_tokens":
			u.OutputTokens = rawjson.Int(val)
		case "input_tokens_details":
			u.CacheReadTokens = rawjson.Int(rawjson.Field(val, "cached_tokens"))
			u.CacheWriteTokens = rawjson.Int(rawjson.Field(val, "cache_write_tokens"))
		case "output_tokens_details":
			u.ReasoningTokens = rawjson.Int(rawjson.Field(val, "reasoning_tokens"))
		}
	}
	u.InputTokens = max(0, u.InputTokens-u.CacheReadTokens-u.CacheWriteTokens)
	return u
}
