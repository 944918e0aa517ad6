package prices

import (
	"encoding/json"
	"math/big"

	"github.com/quarry-sdk/quarry/model"
)

// Price is what is known of one model.
type Price struct {
	// Names are the names of the model, PROVIDER/NAME, the first its own.
	Names []string `json:"names"`

	// Input, Output, CacheRead, CacheWrite5m and CacheWrite1h are USD for a
	// million tokens.
	Input        Rate `json:"input"`
	Output       Rate `json:"output"`
	CacheRead    Rate `json:"cache_read"`
	CacheWrite5m Rate `json:"cache_write_5m"`
	CacheWrite1h Rate `json:"cache_write_1h"`
	// Search1k and Fetch1k are USD for 1,000 uses of the provider's own search
	// and fetch tools.
	Search1k Rate `json:"search_1k"`
	Fetch1k  Rate `json:"fetch_1k"`

	// PromptLimit is the number of tokens of a prompt, cached ones included, up to
	// which the prices hold; 0 where they hold for all.
	PromptLimit int64 `json:"prompt_limit,omitempty"`
	// ContextWindow and MaxOutput are in tokens, 0 where they are not known.
	ContextWindow int64 `json:"context_window,omitempty"`
	MaxOutput     int64 `json:"max_output,omitempty"`

	// AsOf is the day, month or year when Source was last known to say this, such
	// as 2026-09; empty where that does not matter.
	AsOf string `json:"as_of,omitempty"`
	// Source says where the prices are from: the provider's public page.
	Source string `json:"source"`
}

// The counts of server tools that have a price.
const (
	searches = "web_search_requests"
	fetches  = "web_fetch_requests"
)

// Cost is the list price in USD of what one response used. It is not known where
// something was used whose price is not known, where the prompt is longer than
// PromptLimit, where the response was not served at the standard tier, speed and
// place, and where the counts contradict each other; usd is 0 then.
//
// The sum is exact and rounded once. Add up the costs of responses rather than
// asking for the cost of a sum of usages, which hides how long each prompt was.
func (p Price) Cost(u *model.Usage) (usd float64, known bool) {
	if u == nil || !p.covers(u) {
		return 0, false
	}
	var sum sum
	sum.add(u.InputTokens, p.Input, 1)
	sum.add(u.OutputTokens, p.Output, 1) // reasoning is a part of it
	sum.add(u.CacheReadTokens, p.CacheRead, 1)
	sum.add(u.CacheWriteTokens-u.CacheWrite1hTokens, p.CacheWrite5m, 1)
	sum.add(u.CacheWrite1hTokens, p.CacheWrite1h, 1)
	for name, n := range u.ServerToolCalls {
		switch name {
		case searches:
			sum.add(n, p.Search1k, 1000)
		case fetches:
			sum.add(n, p.Fetch1k, 1000)
		default:
			sum.add(n, Rate{}, 1)
		}
	}
	return sum.usd()
}

// covers tells whether the prices are those of this usage.
func (p Price) covers(u *model.Usage) bool {
	if u.CacheWriteTokens < 0 || u.CacheWrite1hTokens < 0 || u.CacheWrite1hTokens > u.CacheWriteTokens || u.ReasoningTokens < 0 {
		return false
	}
	if p.PromptLimit > 0 {
		left := p.PromptLimit // subtracting from it cannot overflow
		for _, n := range []int64{u.InputTokens, u.CacheReadTokens, u.CacheWriteTokens} {
			if n > left {
				return false
			}
			left -= max(n, 0)
		}
	}
	return standard(u.Raw)
}

// standard tells whether a provider's usage object names no tier, speed or place
// of inference that has prices of its own.
func standard(raw json.RawMessage) bool {
	if len(raw) == 0 {
		return true
	}
	var served struct {
		Tier  string `json:"service_tier"`
		Speed string `json:"speed"`
		Geo   string `json:"inference_geo"`
	}
	if json.Unmarshal(raw, &served) != nil {
		return false
	}
	is := func(s string, usual ...string) bool {
		for _, u := range usual {
			if s == u {
				return true
			}
		}
		return s == ""
	}
	return is(served.Tier, "standard", "default") && is(served.Speed, "standard") && is(served.Geo, "global", "not_available")
}

// sum adds up prices in units of 1e-12 USD, which is a millionth of a USD for a
// million tokens.
type sum struct {
	total   big.Int
	unknown bool
}

// add adds n units at a rate; scale is a million units divided by those that the
// rate is for.
func (s *sum) add(n int64, r Rate, scale int64) {
	switch {
	case n == 0:
	case n < 0 || !r.known:
		s.unknown = true
	default:
		part := new(big.Int).Mul(big.NewInt(n), big.NewInt(r.micros))
		s.total.Add(&s.total, part.Mul(part, big.NewInt(scale)))
	}
}

func (s *sum) usd() (float64, bool) {
	if s.unknown {
		return 0, false
	}
	usd, _ := new(big.Rat).SetFrac(&s.total, big.NewInt(1e12)).Float64()
	return usd, true
}
