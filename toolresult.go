package quarry

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/model"
)

// rendered is a tool's output in its two forms: for the model and for programs.
type rendered struct {
	content model.Blocks
	output  json.RawMessage
}

// render turns what a handler returned into what a model reads. The typed JSON
// is kept where it differs from that, or where it is the run's result.
func render(out any, typed bool) (rendered, error) {
	switch v := out.(type) {
	case string:
		r := rendered{content: model.Blocks{&model.Text{Text: v}}}
		if typed {
			var err error
			r.output, err = json.Marshal(v)
			return r, err
		}
		return r, nil
	case model.Blocks:
		return rendered{content: v}, nil
	}
	data, err := json.Marshal(out)
	if err != nil {
		return rendered{}, fmt.Errorf("encode the tool's output: %w", err)
	}
	if c, ok := out.(Contenter); ok {
		return rendered{content: c.ToolContent(), output: data}, nil
	}
	if t, ok := out.(Texter); ok {
		return rendered{content: model.Blocks{&model.Text{Text: t.ToolText()}}, output: data}, nil
	}
	r := rendered{content: model.Blocks{&model.Text{Text: string(data)}}}
	if typed {
		r.output = data
	}
	return r, nil
}

// limitText cuts the text of a result to max bytes and says so in it. It returns
// the whole text where it has cut; handle names the result to read_result.
func limitText(content model.Blocks, max int, handle string) (model.Blocks, string) {
	if len(content) != 1 {
		return content, ""
	}
	t, ok := content[0].(*model.Text)
	if !ok || len(t.Text) <= max {
		return content, ""
	}
	cut := runeStart(t.Text, max)
	note := fmt.Sprintf("\n[Cut here: bytes 0–%d of %d are shown. ", cut, len(t.Text))
	if handle != "" {
		note += fmt.Sprintf("Call %s with handle %q and offset %d for what follows.]", ReadResultName, handle, cut)
	} else {
		note += "Ask for less at once to see the rest.]"
	}
	return model.Blocks{&model.Text{Text: t.Text[:cut] + note}}, t.Text
}

// runeStart returns the largest rune boundary of s that is not above n.
func runeStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// clip shortens s to about n bytes, marked by an ellipsis.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:runeStart(s, n)] + "…"
}
