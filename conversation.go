package quarry

import (
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// conversation is what the model is shown: the messages, and what is known of
// each.
type conversation struct {
	messages []*model.Message
	entries  []entry
	// scale is how many tokens the provider counts for one that is estimated, from
	// its last answer; 0 where nothing is known.
	scale float64
}

// entry is what is known of a message.
type entry struct {
	// results names the tool results among the message's blocks; nil where there
	// are none.
	results []placed
	// tokens is the estimate of the message.
	tokens int64
	// summary tells that the message begins with the summary of what was before.
	summary bool
}

// placed is a tool result within a message.
type placed struct {
	session.ResultRef
	block   int
	dropped bool
}

// say appends a message. Two user messages in a row become one, because some
// providers demand that roles alternate; the requests made so far keep the
// message as it was.
func (c *conversation) say(msg *model.Message, results ...placed) {
	n := len(c.messages)
	if n == 0 || msg.Role != model.RoleUser || c.messages[n-1].Role != model.RoleUser {
		c.messages = append(c.messages, msg)
		c.entries = append(c.entries, entry{results: results, tokens: estimate(msg)})
		return
	}
	last := c.messages[n-1]
	for i := range results {
		results[i].block += len(last.Blocks)
	}
	blocks := append(last.Blocks[:len(last.Blocks):len(last.Blocks)], msg.Blocks...)
	was := c.entries[n-1].results
	c.replace(n-1, model.NewMessage(model.RoleUser, blocks...), append(was[:len(was):len(was)], results...))
}

// replace puts another message in the place of one; requests made so far keep it.
func (c *conversation) replace(i int, msg *model.Message, results []placed) {
	c.messages = append(c.messages[:i:i], append([]*model.Message{msg}, c.messages[i+1:]...)...)
	c.entries = append(c.entries[:i:i], append([]entry{{results: results, tokens: estimate(msg), summary: c.entries[i].summary}}, c.entries[i+1:]...)...)
}

// unsay takes the last message back.
func (c *conversation) unsay() {
	n := len(c.messages) - 1
	c.messages, c.entries = c.messages[:n:n], c.entries[:n:n]
}

// tokens is the estimate of the whole conversation, in the provider's count, with
// base for what goes before it.
func (c *conversation) tokens(base int64) int64 {
	for i := range c.entries {
		base += c.entries[i].tokens
	}
	return c.scaled(base)
}

func (c *conversation) scaled(n int64) int64 {
	if c.scale > 0 {
		return int64(float64(n) * c.scale)
	}
	return n
}

// calibrate compares what was estimated of a request with what the provider
// counted.
func (c *conversation) calibrate(base, counted int64) {
	for i := range c.entries {
		base += c.entries[i].tokens
	}
	if counted > 0 && base > 0 {
		c.scale = min(max(float64(counted)/float64(base), 0.25), 4)
	}
}

// tokensPerImage is what a picture is taken for: it depends on its size, which is
// not known here.
const tokensPerImage = 1600

// estimate is about how many tokens a message has.
func estimate(msg *model.Message) int64 {
	if msg == nil {
		return 0
	}
	return 4 + estimateBlocks(msg.Blocks)
}

func estimateBlocks(blocks model.Blocks) (n int64) {
	for _, b := range blocks {
		n += estimateBlock(b)
	}
	return n
}

func estimateBlock(b model.Block) int64 {
	switch b := b.(type) {
	case *model.Text:
		return estimateText(b.Text)
	case *model.Thinking:
		return estimateText(b.Text) + estimateText(b.Signature)
	case *model.RedactedThinking:
		return estimateText(b.Data)
	case *model.ToolUse:
		return 8 + estimateText(b.Name) + estimateText(string(b.Input))
	case *model.ToolResult:
		return 8 + estimateBlocks(b.Content)
	case *model.ServerToolUse:
		return 8 + estimateText(b.Name) + estimateText(string(b.Input))
	case *model.ServerToolResult:
		return 8 + estimateText(string(b.Content))
	case *model.Image:
		return tokensPerImage
	case *model.Document:
		return estimateText(b.Source.Text) + int64(len(b.Source.Data)/8) + estimateText(b.Title) + estimateText(b.Context)
	}
	return estimateText(string(b.RawJSON()))
}

// estimateText is about how many tokens a text has: four letters of a Latin
// script make one, other scripts take more.
func estimateText(s string) int64 {
	if s == "" {
		return 0
	}
	var ascii, wide, other int
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			ascii++
		case r >= 0x2e80: // ideographs, syllables, emoji
			wide++
		default:
			other++
		}
	}
	return int64(ascii+3)/4 + int64(wide) + int64(other+1)/2
}
