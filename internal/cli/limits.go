package cli

import (
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/session"
)

// limitFlags are the flags that raise limits, by the names of the limits.
var limitFlags = map[string]string{
	"turns": "--max-turns", "tokens": "--max-tokens", "input_tokens": "--max-input-tokens", "output_tokens": "--max-output-tokens",
	"usd": "--max-usd", "tool_calls": "--max-tool-calls", "searches": "--max-searches", "fetches": "--max-fetches",
	session.ReasonWallClock: "--timeout",
}

// hitText tells which limit was reached, its value and its use.
func hitText(hit *session.LimitHit) string {
	amount := func(n float64) string {
		text := strconv.FormatFloat(n, 'f', -1, 64)
		switch hit.Name {
		case "usd":
			return text + " USD"
		case session.ReasonWallClock:
			return strconv.FormatFloat(n, 'f', 1, 64) + " s"
		}
		return text
	}
	return "limit of " + strings.ReplaceAll(hit.Name, "_", " ") + ", " + amount(hit.Value) + ", is reached: " + amount(hit.Used) + " used"
}

// hitLines are the limits that a prompt has reached, one a line, with the flags
// that raise them.
func hitLines(hits []session.LimitHit) string {
	var b strings.Builder
	for i := range hits {
		b.WriteString("\n" + hitText(&hits[i]))
		if flag := limitFlags[hits[i].Name]; flag != "" {
			b.WriteString(" (" + flag + ")")
		}
	}
	return b.String()
}

// inFlags puts advice that is meant for programs into the terms of the command
// line.
func inFlags(text string) string {
	return strings.NewReplacer(
		"Limits.Turns", "--max-turns",
		"Limits.Tokens", "--max-tokens",
		"Limits.InputTokens", "--max-input-tokens",
		"Limits.OutputTokens", "--max-output-tokens",
		"Limits.USD", "--max-usd",
		"Limits.Timeout", "--timeout",
		"add it to Config.Prices", "add it with --prices FILE",
		"; raise Config.MaxTokens", "",
		"Config.AllowAny", "command.allowAny",
		"Config.Allow", "command.allow",
		"Config.Env", "command.env",
		"Config.Shell", "command.shell",
		"Input.Accept", "--accept-changes",
	).Replace(text)
}
