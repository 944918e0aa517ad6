package anthropic

import (
	"bytes"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// mergeUsage takes a later usage object. Its numbers are the sums so far and
// replace the earlier ones, but for a null, or a zero in place of a number:
// gateways send those for what they do not count.
func (d *decoder) mergeUsage(usage []byte) {
	if !rawjson.IsObject(usage) {
		return
	}
	if len(d.usage) == 0 {
		d.usage = append(d.usage, usage...)
		return
	}
	merged := make([]byte, 0, len(d.usage)+len(usage))
	merged = append(merged, '{')
	add := func(key, val []byte) {
		if len(merged) > 1 {
			merged = append(merged, ',')
		}
		merged = append(rawjson.AppendQuoted(merged, key), ':')
		merged = append(merged, val...)
	}
	for key, was := range rawjson.Fields(d.usage) {
		val := rawjson.Field(usage, string(key))
		if rawjson.IsNull(val) || string(val) == "0" && !rawjson.IsNull(was) {
			val = was
		}
		add(key, val)
	}
	for key, val := range rawjson.Fields(usage) {
		if rawjson.Field(d.usage, string(key)) == nil {
			add(key, val)
		}
	}
	d.usage = append(d.usage[:0], append(merged, '}')...)
}

// decodeUsage returns the typed view of a usage object, with its raw JSON.
func decodeUsage(raw []byte) model.Usage {
	var u model.Usage
	if len(raw) == 0 {
		return u
	}
	u.Raw = bytes.Clone(raw)
	for key, val := range rawjson.Fields(raw) {
		switch string(key) {
		case "input_tokens":
			u.InputTokens = rawjson.Int(val)
		case "output_tokens":
			u.OutputTokens = rawjson.Int(val)
		case "cache_read_input_tokens":
			u.CacheReadTokens = rawjson.Int(val)
		case "cache_creation_input_tokens":
			u.CacheWriteTokens = rawjson.Int(val)
		case "cache_creation":
			u.CacheWrite1hTokens = rawjson.Int(rawjson.Field(val, "ephemeral_1h_input_tokens"))
		case "output_tokens_details":
			u.ReasoningTokens = rawjson.Int(rawjson.Field(val, "thinking_tokens"))
		case "server_tool_use":
			for name, n := range rawjson.Fields(val) {
				if count := rawjson.Int(n); count != 0 {
					if u.ServerToolCalls == nil {
						u.ServerToolCalls = make(map[string]int64)
					}
					u.ServerToolCalls[string(name)] = count
				}
			}
		}
	}
	return u
}
