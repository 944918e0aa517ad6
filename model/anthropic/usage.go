package anthropic

import (
	"bytes"

	"github.com/quarry-sdk/quarry/model"
)

// mergeUsage takes a later usage object. Its numbers are the sums so far and
// replace the earlier ones, but for a null, or a zero in place of a number:
// gateways send those for what they do not count.
func (d *decoder) mergeUsage(usage []byte) {
	if !isObject(usage) {
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
		merged = append(appendQuoted(merged, key), ':')
		merged = append(merged, val...)
	}
	for key, was := range fields(d.usage) {
		val := field(usage, string(key))
		if isNull(val) || string(val) == "0" && !isNull(was) {
			val = was
		}
		add(key, val)
	}
	for key, val := range fields(usage) {
		if field(d.usage, string(key)) == nil {
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
	for key, val := range fields(raw) {
		switch string(key) {
		case "input_tokens":
			u.InputTokens = integer(val)
		case "output_tokens":
			u.OutputTokens = integer(val)
		case "cache_read_input_tokens":
			u.CacheReadTokens = integer(val)
		case "cache_creation_input_tokens":
			u.CacheWriteTokens = integer(val)
		case "cache_creation":
			u.CacheWrite1hTokens = integer(field(val, "ephemeral_1h_input_tokens"))
		case "output_tokens_details":
			u.ReasoningTokens = integer(field(val, "thinking_tokens"))
		case "server_tool_use":
			for name, n := range fields(val) {
				if count := integer(n); count != 0 {
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
