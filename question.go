package quarry

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/quarry-sdk/quarry/session"
)

// Question is what the function of a tool asks a person.
type Question struct {
	// Text is the question.
	Text string `json:"question"`
	// Choices are answers to choose from, where there are such.
	Choices []string `json:"choices,omitempty"`
	// Schema is the JSON Schema of the answer, an object; nil for a text.
	Schema json.RawMessage `json:"schema,omitempty"`
	// From names who asks, such as a server; the text is then its word.
	From string `json:"from,omitempty"`
}

// Reply is the answer to a Question.
type Reply struct {
	// Declined tells that the person said no, or that there is nobody to ask; Note
	// says more.
	Declined bool
	Note     string
	// Text is the answer in words, Content that to the question's Schema.
	Text    string
	Content json.RawMessage
}

// ErrUnanswered is the error of [Call.Ask] where the answer has to be waited for.
var ErrUnanswered = errors.New("the question waits for a person")

// Ask asks a person. Where the answer is not there yet, it returns ErrUnanswered:
// the function must then undo what it must not do twice, and return. The question
// is journaled and put to the person, or parks the run, as an approval does; when it
// is answered, the function is called again for the same call, and Ask returns the
// answer. So a function that asks should ask before it acts.
//
// Questions are told apart by what they say. Where there is nobody to ask, the
// answer is that it is declined.
func (c *Call) Ask(q Question) (Reply, error) {
	asked, err := json.Marshal(q)
	if err != nil {
		return Reply{}, fmt.Errorf("the question cannot be journaled: %w", err)
	}
	return c.asks.ask(asked, len(q.Schema) > 0)
}

// asks are the questions of a tool's function in one call.
type asks struct {
	// answered are those that were answered before.
	answered []session.Inquiry
	// nobody tells that there is nobody to ask.
	nobody bool

	mu sync.Mutex
	// used are those of answered that were asked again; open is the first that has
	// no answer.
	used []bool
	open json.RawMessage
}

func (a *asks) ask(q json.RawMessage, typed bool) (Reply, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.used == nil {
		a.used = make([]bool, len(a.answered))
	}
	for i := range a.answered {
		if a.used[i] || string(a.answered[i].Question) != string(q) {
			continue
		}
		a.used[i] = true
		g := a.answered[i].Given
		if typed {
			return Reply{Declined: len(g.Input) == 0, Note: g.Note, Content: g.Input}, nil
		}
		return Reply{Declined: !g.Allow && g.Answer == "", Note: g.Note, Text: g.Answer}, nil
	}
	if a.nobody {
		return Reply{Declined: true, Note: "there is nobody to ask"}, nil
	}
	if a.open == nil {
		a.open = q
	}
	return Reply{}, ErrUnanswered
}

// waiting is the question that the call waits for, nil where it does not.
func (a *asks) waiting() json.RawMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open
}

// inquiry is a question of a tool's function, and where it stands.
type inquiry struct {
	question json.RawMessage
	asked    *session.ApprovalAsked
	asking   bool
	given    *session.ApprovalGiven
}

// inquiry is the question of the call that has no answer; nil where there is none.
func (c *toolCall) inquiry() *inquiry {
	if n := len(c.inquiries); n > 0 && c.inquiries[n-1].given == nil {
		return &c.inquiries[n-1]
	}
	return nil
}

// isAsking tells whether a person is being asked about the call, or for it.
func (c *toolCall) isAsking() bool {
	q := c.inquiry()
	return c.asking && c.given == nil || q != nil && q.asking
}

// answers are the questions of the call's function that were answered.
func (c *toolCall) answers() (answered []session.Inquiry) {
	for i := range c.inquiries {
		if q := &c.inquiries[i]; q.given != nil {
			answered = append(answered, session.Inquiry{Question: q.question, Given: q.given})
		}
	}
	return answered
}

// toolWaiting folds that the function of a call waits for an answer.
func (l *loop) toolWaiting(ev *session.ToolWaiting) error {
	c, err := l.call(ev.Turn, ev.Index)
	if err != nil {
		return err
	}
	if c.state != callRunning || c.child != nil {
		return fmt.Errorf("call %d of turn %d asks a person, and does not run", ev.Index, ev.Turn)
	}
	c.state, c.used = callDue, ev.Spent
	c.inquiries = append(c.inquiries, inquiry{question: ev.Question})
	return nil
}

// inquire puts the question of a call's function to a person.
func (l *loop) inquire(c *toolCall, q *inquiry) permit {
	if q.asking || q.asked != nil && !l.approver {
		return permit{wait: true}
	}
	var said Question
	reason := "the tool asks"
	if json.Unmarshal(q.question, &said) == nil && said.From != "" {
		reason = said.From + " asks"
	}
	in := l.preInput(c)
	in.Input, in.Reason = q.question, reason
	if told, eff := l.hook(Notification, c.index, in); told == nil {
		return waitFor(eff)
	}
	asked := &session.ApprovalAsked{
		Turn: c.turn, Index: c.index, ID: c.use.ID, Name: c.name, Question: true, Input: q.question, Reason: reason, Attempt: 1, Inquiry: len(c.inquiries),
	}
	if q.asked != nil {
		asked.Attempt = q.asked.Attempt + 1
	}
	if l.approver {
		return permit{wait: true, effect: &session.AskPerson{Asked: asked}}
	}
	return permit{wait: true, event: asked}
}

// fitsQuestion tells why an answer does not fit the question of a tool's function.
func fitsQuestion(asked *session.ApprovalAsked, answer *Answer) error {
	var q Question
	if asked.Inquiry == 0 || json.Unmarshal(asked.Input, &q) != nil || len(q.Schema) == 0 {
		return nil
	}
	switch {
	case len(answer.Input) == 0 && answer.Text == "" && !answer.Allow:
		return nil // declined
	case len(answer.Input) == 0:
		return fmt.Errorf("%w: %s takes JSON of the schema %s; give it as the input", ErrAnswer, asked.Name, clip(string(q.Schema), 2000))
	}
	schema, err := newToolSchema(reflect.TypeFor[struct{}](), q.Schema)
	if err != nil {
		return nil // whoever asks checks the answer
	}
	if err := schema.validate(answer.Input); err != nil {
		return fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return nil
}
