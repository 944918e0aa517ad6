package chat

import (
	"strconv"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
	"github.com/quarry-sdk/quarry/internal/rawjson"
)

// maxWait bounds what is believed of a wish to wait.
const maxWait = 24 * time.Hour

// tryAgain is how OpenAI and Groq say it: "Please try again in 1m2.5s."
var tryAgain = lazyregexp.New(`(?i)(?:try again|retry) in ((?:[0-9.]+(?:ms|h|m|s))+)`)

// retryAfterBody reads how long the server asks to wait in the words of an error, in Gemini's details,
// or in the headers that OpenRouter passes on; 0 if it does not say.
func retryAfterBody(message string, inner, meta []byte) time.Duration {
	said := ""
	if m := tryAgain().FindStringSubmatch(message); m != nil {
		said = m[1]
	}
	for d := range rawjson.Elements(rawjson.Field(inner, "details")) {
		if v := rawjson.Str(rawjson.Field(d, "retryDelay")); v != "" {
			said = v
		}
	}
	if d, err := time.ParseDuration(strings.TrimRight(said, ".")); err == nil && d > 0 && d < maxWait {
		return d
	}
	headers := rawjson.Field(meta, "headers")
	if s, err := strconv.ParseFloat(rawjson.Str(rawjson.Field(headers, "Retry-After")), 64); err == nil && s > 0 && s < maxWait.Seconds() {
		return time.Duration(s * float64(time.Second))
	}
	if ms, err := strconv.ParseInt(rawjson.Str(rawjson.Field(headers, "X-RateLimit-Reset")), 10, 64); err == nil {
		if d := time.Until(time.UnixMilli(ms)); d > 0 && d < maxWait {
			return d.Round(time.Second)
		}
	}
	return 0
}
