package openai

import (
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

var bodyEnd = []byte("]}")

// fill makes b the body of the request, and returns its head, written to buf. The
// conversation comes last, so that a longer one has the shorter one's bytes as
// its prefix. Link is what of the conversation the API knows already.
func (m *Model) fill(b *body, buf []byte, req *model.Request, link link) ([]byte, error) {
	if len(req.Messages) == 0 {
		return buf, invalidRequest("the request has no messages")
	}
	h := &head{buf: append(buf, '{'), extra: req.Extra}
	for _, key := range [...]string{"input", "stream"} {
		if _, taken := req.Extra[key]; taken {
			return buf, invalidRequest("Extra cannot replace " + key)
		}
	}
	if err := m.fillHead(h, req, link); err != nil {
		return h.buf, err
	}
	b.add(nil) // the head, once it has its last place
	first := true
	for i, msg := range req.Messages {
		if msg == nil {
			return h.buf, invalidRequest(fmt.Sprintf("message %d is nil", i))
		}
	}
	for i, msg := range req.Messages[link.messages:] {
		enc, err := m.encode(req.Messages, link.messages+i)
		if err != nil {
			return h.buf, wrapEncode(fmt.Sprintf("message %d (%s)", link.messages+i, msg.Role), err)
		}
		if len(enc) == 0 {
			continue
		}
		if first {
			first = false
			enc = enc[1:] // without the comma
		}
		b.add(enc)
	}
	if first {
		return h.buf, invalidRequest("no message of the request has content that can be sent")
	}
	b.parts[0] = h.buf
	b.size += int64(len(h.buf))
	b.add(bodyEnd)
	return h.buf, nil
}

// encode returns the items of message i.
func (m *Model) encode(messages []*model.Message, i int) ([]byte, error) {
	p := pairs{messages: messages, at: i}
	if p.whole() {
		return encodeMessage(messages[i], m.cfg.PreviousResponse)
	}
	return encodeItems(messages[i], m.cfg.PreviousResponse, &pairs{messages: messages, at: i})
}

// fillHead writes everything before the conversation.
func (m *Model) fillHead(h *head, req *model.Request, link link) error {
	if h.key("model") {
		h.buf = rawjson.AppendQuoted(h.buf, m.cfg.Model)
	}
	h.name("stream")
	h.buf = append(h.buf, "true"...)
	if h.key("store") {
		h.buf = fmt.Appendf(h.buf, "%t", m.cfg.PreviousResponse)
	}
	if link.id != "" && h.key("previous_response_id") {
		h.buf = rawjson.AppendQuoted(h.buf, link.id)
	}
	if err := h.include(*m.cfg.Reasoning && !m.cfg.PreviousResponse); err != nil {
		return err
	}
	if err := h.limits(req, m.cfg.MaxTokens); err != nil {
		return err
	}
	if err := h.reasoning(req); err != nil {
		return err
	}
	if err := h.text(req); err != nil {
		return err
	}
	if err := h.tools(req); err != nil {
		return err
	}
	if req.System != nil {
		text, err := instructions(req.System)
		if err != nil {
			return err
		}
		if text != "" && h.key("instructions") {
			h.buf = rawjson.AppendQuoted(h.buf, text)
		}
	}
	if err := h.rest(); err != nil {
		return err
	}
	h.buf = append(h.buf, `,"input":[`...)
	return nil
}

// instructions are the texts of the system message; the API takes no others.
func instructions(system *model.Message) (string, error) {
	var texts []string
	for i, b := range system.Blocks {
		t, ok := b.(*model.Text)
		if !ok {
			return "", invalidRequest(fmt.Sprintf("block %d of the instructions is not a text", i))
		}
		if t.Text != "" {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

func wrapEncode(what string, err error) error {
	if e, ok := err.(*model.Error); ok {
		return e
	}
	return invalidRequest("encode " + what + ": " + err.Error())
}
