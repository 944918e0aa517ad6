package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
)

// Progress is how far a call is.
type Progress struct {
	// Server and Tool are the names that the server has.
	Server, Tool string
	// Call is the call; it is nil where the tool is called outside of a run.
	Call *quarry.Call
	// Progress is what is done, of Total, which is 0 where it is not known.
	Progress, Total float64
	// Message is the server's word on it.
	Message string
}

// Elicitation is what a server asks the person in the middle of a call. The text
// is the server's: data, never instructions.
type Elicitation struct {
	// Server is the server's name.
	Server string
	// Call is the call in which it asks. It is nil where the server has several
	// calls under way, or none.
	Call *quarry.Call
	// Message says what is wanted and why.
	Message string
	// Schema is the JSON Schema of what is asked for: an object with fields that
	// are no objects. It is nil where URL is set.
	Schema json.RawMessage
	// URL is an address that the person is asked to open. Show it before it is
	// opened, and accept when what is to be done there is done: a call that the
	// server has refused for the want of it is then made again.
	URL string
}

// Action is what a person did with an Elicitation.
type Action string

// The actions.
const (
	// Accept sends Answer.Content.
	Accept Action = "accept"
	// Decline says no.
	Decline Action = "decline"
	// Cancel leaves it open.
	Cancel Action = "cancel"
)

// Answer answers an Elicitation. A nil answer declines.
type Answer struct {
	Action Action
	// Content are the fields that Schema asks for, where the action is Accept.
	Content map[string]any
}

// Sampling is what a server asks a model. The texts are the server's.
type Sampling struct {
	// Server is the server's name.
	Server string
	// Call is the call in which it asks. It is nil where the server has several
	// calls under way, or none.
	Call *quarry.Call
	// System is the system prompt that the server wants, empty where it wants none.
	System string
	// Messages are the conversation.
	Messages []*model.Message
	// MaxTokens bounds the answer, Temperature is that of sampling, 0 where the
	// server does not say, and Stop are texts to stop at.
	MaxTokens   int64
	Temperature float64
	Stop        []string
}

// Sampled is the answer of a model.
type Sampled struct {
	// Model is the model's name, Text what it said.
	Model, Text string
	// Stop says why it stopped: "endTurn", "stopSequence" or "maxTokens". Defaults
	// to "endTurn".
	Stop string
}

// client makes the SDK's client for one connection.
func (s *server) client(l *link) *sdk.Client {
	caps := &sdk.ClientCapabilities{
		Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}},
	}
	opts := &sdk.ClientOptions{
		Capabilities: caps,
		ElicitationHandler: func(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			ctx, stop := l.bind(ctx)
			defer stop()
			return s.elicit(ctx, req.Params)
		},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.markStale() },
	}
	if len(s.cfg.Roots) > 0 {
		//lint:ignore SA1019 servers ask for roots as long as the protocol has them
		caps.RootsV2 = &sdk.RootCapabilities{}
	}
	if s.cfg.AllowSampling && s.own.cfg.Sample != nil {
		//lint:ignore SA1019 servers sample as long as the protocol lets them
		opts.CreateMessageHandler = func(ctx context.Context, req *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			ctx, stop := l.bind(ctx)
			defer stop()
			return s.sample(ctx, req)
		}
	}
	who := s.own.cfg.Client
	c := sdk.NewClient(&who, opts)
	for _, root := range s.cfg.Roots {
		//lint:ignore SA1019 servers ask for roots as long as the protocol has them
		c.AddRoots(&sdk.Root{URI: rootURI(root)})
	}
	return c
}

// rootURI is the address of a folder.
func rootURI(root string) string {
	if u, err := url.Parse(root); err == nil && u.Scheme == "file" {
		return root
	}
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	root = filepath.ToSlash(root)
	if root != "" && root[0] != '/' {
		root = "/" + root // a drive
	}
	return (&url.URL{Scheme: "file", Path: root}).String()
}

// sample asks the callback.
//
//lint:ignore SA1019 servers sample as long as the protocol lets them
func (s *server) sample(ctx context.Context, req *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	p := req.Params
	ask := &Sampling{Server: s.name, System: p.SystemPrompt, MaxTokens: p.MaxTokens, Temperature: p.Temperature, Stop: p.StopSequences}
	if f := s.tap.only(); f != nil {
		ask.Call = f.call
	}
	for _, m := range p.Messages {
		msg, err := messageOf(string(m.Role), m.Content)
		if err != nil {
			return nil, err
		}
		ask.Messages = append(ask.Messages, msg)
	}
	answer, err := s.own.cfg.Sample(ctx, ask)
	if err != nil || answer == nil {
		// What went wrong here is no matter of the server's.
		return nil, errors.New("the model could not be asked")
	}
	if answer.Stop == "" {
		answer.Stop = "endTurn"
	}
	//lint:ignore SA1019 servers sample as long as the protocol lets them
	return &sdk.CreateMessageResult{Role: "assistant", Model: answer.Model, Content: &sdk.TextContent{Text: answer.Text}, StopReason: answer.Stop}, nil
}

// elicit asks the callback, and the run's person where there is none; where the
// answer is nil, it declines.
func (s *server) elicit(ctx context.Context, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	declined := &sdk.ElicitResult{Action: string(Decline)}
	ask := &Elicitation{Server: s.name, Message: p.Message, URL: p.URL}
	if p.RequestedSchema != nil {
		var err error
		if ask.Schema, err = json.Marshal(p.RequestedSchema); err != nil {
			return nil, err
		}
	}
	f := s.tap.only()
	if f != nil {
		ask.Call = f.call
	}
	if s.own.cfg.Elicit == nil {
		return s.askPerson(f, ask)
	}
	answer, err := s.own.cfg.Elicit(ctx, ask)
	switch {
	case err != nil:
		// What went wrong here is no matter of the server's.
		return nil, errors.New("the question could not be put to the person")
	case answer == nil:
		return declined, nil
	}
	return &sdk.ElicitResult{Action: string(answer.Action), Content: answer.Content}, nil
}

// opening is the answer to a question about an address.
const opening = "done"

// askPerson asks the run's person. Where the answer has to be waited for, the call
// is ended, and made again with the answer.
func (s *server) askPerson(f *flight, ask *Elicitation) (*sdk.ElicitResult, error) {
	declined := &sdk.ElicitResult{Action: string(Decline)}
	if f == nil || f.call == nil {
		return declined, nil // nobody knows for which call
	}
	q := quarry.Question{Text: ask.Message, Schema: ask.Schema, From: "the MCP server " + s.name}
	if ask.URL != "" {
		q.Text, q.Choices = fmt.Sprintf("%s (open %s, and say %s when it is)", ask.Message, ask.URL, opening), []string{opening}
	}
	reply, err := f.call.Ask(q)
	switch {
	case errors.Is(err, quarry.ErrUnanswered):
		s.tap.wait(f)
		return &sdk.ElicitResult{Action: string(Cancel)}, nil
	case err != nil || reply.Declined:
		return declined, nil
	}
	answer := &sdk.ElicitResult{Action: string(Accept)}
	if reply.Content != nil && json.Unmarshal(reply.Content, &answer.Content) != nil {
		return declined, nil
	}
	return answer, nil
}

// opened handles a call that is refused until the person has opened addresses:
// it puts each to the person, and tells whether all were accepted.
func (s *server) opened(ctx context.Context, err error) bool {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != sdk.CodeURLElicitationRequired {
		return false
	}
	var data struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(wire.Data, &data) != nil || len(data.Elicitations) == 0 {
		return false
	}
	for _, ask := range data.Elicitations {
		if ask == nil || ask.URL == "" {
			return false
		}
		answer, err := s.elicit(ctx, ask)
		if err != nil || answer.Action != string(Accept) {
			return false
		}
	}
	return true
}

// progress hands on what a server says of a call.
func (s *server) progress(f *flight, p *progressParams) {
	s.own.cfg.OnProgress(Progress{
		Server: s.name, Tool: f.tool, Call: f.call,
		Progress: p.Progress, Total: p.Total, Message: p.Message,
	})
}
