package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// Money is an amount in billionths of a US dollar, so that sums are exact. In
// JSON it is a number of dollars, -1 for Unbounded.
type Money int64

// USD returns the amount of so many dollars, rounded to a billionth.
func USD(dollars float64) Money {
	nanos := math.Round(dollars * 1e9)
	if nanos >= math.MaxInt64 {
		return math.MaxInt64
	}
	return Money(nanos)
}

// USD is the amount in dollars.
func (m Money) USD() float64 { return float64(m) / 1e9 }

// String is the amount in dollars, such as "0.25 USD".
func (m Money) String() string {
	return strconv.FormatFloat(m.USD(), 'f', -1, 64) + " USD"
}

// MarshalJSON implements json.Marshaler.
func (m Money) MarshalJSON() ([]byte, error) {
	if m == Unbounded {
		return []byte("-1"), nil
	}
	return strconv.AppendFloat(nil, m.USD(), 'f', -1, 64), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Money) UnmarshalJSON(data []byte) error {
	dollars, err := strconv.ParseFloat(string(data), 64)
	if err != nil {
		return fmt.Errorf("an amount of money is no number: %s", data)
	}
	if *m = USD(dollars); dollars < 0 {
		*m = Unbounded
	}
	return nil
}

// Amounts is how much there is of everything that a budget bounds: what may be
// used, or what was. Where it says what may be used, Unbounded is no bound.
type Amounts struct {
	// Turns counts calls of models.
	Turns int64 `json:"turns"`
	// ToolCalls counts calls of tools.
	ToolCalls int64 `json:"tool_calls"`
	// Tokens counts tokens in and out, cached ones included.
	Tokens int64 `json:"tokens"`
	// InputTokens counts those of Tokens that were sent, OutputTokens the others.
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	// USD is what the models cost.
	USD Money `json:"usd"`
	// Searches and Fetches count calls of tools of these kinds, and the providers'
	// own.
	Searches int64 `json:"searches"`
	Fetches  int64 `json:"fetches"`
	// Children counts child sessions.
	Children int64 `json:"children"`
}

// Unbounded is the amount that is never used up.
const Unbounded = -1

// Quantity is one kind of Amounts.
type Quantity struct {
	// Name is the quantity's name in JSON, and in the reasons of results behind
	// "max_".
	Name string
	// Of returns where the quantity is in an Amounts.
	Of func(*Amounts) *int64
}

// Quantities are all kinds of Amounts, in their order.
var Quantities = []Quantity{
	{"turns", func(a *Amounts) *int64 { return &a.Turns }},
	{"tool_calls", func(a *Amounts) *int64 { return &a.ToolCalls }},
	{"tokens", func(a *Amounts) *int64 { return &a.Tokens }},
	{"input_tokens", func(a *Amounts) *int64 { return &a.InputTokens }},
	{"output_tokens", func(a *Amounts) *int64 { return &a.OutputTokens }},
	{"usd", func(a *Amounts) *int64 { return (*int64)(&a.USD) }},
	{"searches", func(a *Amounts) *int64 { return &a.Searches }},
	{"fetches", func(a *Amounts) *int64 { return &a.Fetches }},
	{"children", func(a *Amounts) *int64 { return &a.Children }},
}

// Text is an amount of the quantity for people.
func (q *Quantity) Text(n int64) string {
	if q.Name == "usd" {
		return Money(n).String()
	}
	return strconv.FormatInt(n, 10)
}

// Add adds b to a.
func (a *Amounts) Add(b *Amounts) {
	for i := range Quantities {
		*Quantities[i].Of(a) += *Quantities[i].Of(b)
	}
}

// Sub takes b from a, where a is bounded; less than nothing is nothing.
func (a *Amounts) Sub(b *Amounts) {
	for i := range Quantities {
		if n := Quantities[i].Of(a); *n != Unbounded {
			*n = max(0, *n-*Quantities[i].Of(b))
		}
	}
}

// Bound lowers a to b, where b is bounded.
func (a *Amounts) Bound(b *Amounts) {
	for i := range Quantities {
		n, m := Quantities[i].Of(a), *Quantities[i].Of(b)
		if *n == Unbounded || m != Unbounded && m < *n {
			*n = m
		}
	}
}

// Budget is what a session may use for each prompt, its children's use included.
type Budget struct {
	Amounts
	// Depth is how many generations of children there may be below the session.
	Depth int `json:"depth"`
}

// Spent is what was used for a prompt, by the session and its children.
type Spent struct {
	Amounts
	// Unpriced counts responses whose price is not known: the sum of money is
	// then too small.
	Unpriced int `json:"unpriced,omitempty"`
	// Lost counts model calls whose outcome a crash or an interruption lost. They
	// may have been billed, and nobody knows how much.
	Lost int `json:"lost,omitempty"`
	// Agents tells who used it, Tools by what; both are sorted by name.
	Agents []AgentSpent `json:"agents,omitempty"`
	Tools  []ToolSpent  `json:"tools,omitempty"`
}

// AgentSpent is what the sessions of one agent used of one model.
type AgentSpent struct {
	Agent string `json:"agent"`
	// Model is the model that was asked, as PROVIDER/NAME.
	Model    string      `json:"model"`
	Turns    int64       `json:"turns"`
	Usage    model.Usage `json:"usage"`
	USD      Money       `json:"usd"`
	Unpriced int         `json:"unpriced,omitempty"`
}

// ToolSpent is what one tool used.
type ToolSpent struct {
	Tool string `json:"tool"`
	// Calls counts them, Errors those that ended with an error.
	Calls  int64 `json:"calls"`
	Errors int64 `json:"errors,omitempty"`
	// USD is what the child sessions cost that the tool stands for.
	USD Money `json:"usd"`
}

// Add adds what another session used to s.
func (s *Spent) Add(t *Spent) {
	s.Amounts.Add(&t.Amounts)
	s.Unpriced += t.Unpriced
	s.Lost += t.Lost
	for i := range t.Agents {
		a := &t.Agents[i]
		row := s.Agent(a.Agent, a.Model)
		row.Turns += a.Turns
		row.Usage.Add(&a.Usage)
		row.USD += a.USD
		row.Unpriced += a.Unpriced
	}
	for i := range t.Tools {
		a := &t.Tools[i]
		row := s.Tool(a.Tool)
		row.Calls += a.Calls
		row.Errors += a.Errors
		row.USD += a.USD
	}
}

// Agent returns the row of an agent and a model. It stays valid until the next
// one is asked for.
func (s *Spent) Agent(agent, model string) *AgentSpent {
	i, found := slices.BinarySearchFunc(s.Agents, AgentSpent{Agent: agent, Model: model}, func(a, b AgentSpent) int {
		return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.Model, b.Model))
	})
	if !found {
		s.Agents = slices.Insert(s.Agents, i, AgentSpent{Agent: agent, Model: model})
	}
	return &s.Agents[i]
}

// Tool returns the row of a tool. It stays valid until the next one is asked for.
func (s *Spent) Tool(tool string) *ToolSpent {
	i, found := slices.BinarySearchFunc(s.Tools, ToolSpent{Tool: tool}, func(a, b ToolSpent) int {
		return strings.Compare(a.Tool, b.Tool)
	})
	if !found {
		s.Tools = slices.Insert(s.Tools, i, ToolSpent{Tool: tool})
	}
	return &s.Tools[i]
}

// Clone returns a copy that shares nothing with s.
func (s *Spent) Clone() Spent {
	c := *s
	c.Agents = nil
	for i := range s.Agents {
		row := s.Agents[i]
		var usage model.Usage
		usage.Add(&row.Usage)
		row.Usage = usage
		c.Agents = append(c.Agents, row)
	}
	c.Tools = slices.Clone(s.Tools)
	return c
}

// Cost is the price of it all; known is false where a part of it is not.
func (s *Spent) Cost() (usd Money, known bool) { return s.USD, s.Unpriced == 0 && s.Lost == 0 }
