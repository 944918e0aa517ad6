package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/extractive"
)

// person asks whoever sits at the terminal.
type person struct {
	in    io.Reader
	out   io.Writer
	style style
	// one keeps two questions apart.
	one sync.Mutex
	// lines gets what is typed, once reading has begun.
	begin sync.Once
	lines chan string
}

// newPerson returns nil where nobody sits at a terminal.
func (a *app) newPerson() *person {
	f, ok := a.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &person{in: f, out: a.stderr, style: styleOf(a.stderr), lines: make(chan string)}
}

var errNoTerminal = errors.New("the terminal is gone")

// read returns the next line. A read of a terminal cannot be stopped, so that one
// goroutine reads as long as the process lives.
func (p *person) read(ctx context.Context) (string, error) {
	p.begin.Do(func() {
		go func() {
			defer close(p.lines)
			for s := bufio.NewScanner(p.in); s.Scan(); {
				p.lines <- s.Text()
			}
		}()
	})
	select {
	case l, ok := <-p.lines:
		if !ok {
			return "", errNoTerminal
		}
		return strings.TrimSpace(l), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (p *person) say(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// ask is a quarry.Config.Approver.
func (p *person) ask(ctx context.Context, ask quarry.Approval) (quarry.Answer, error) {
	p.one.Lock()
	defer p.one.Unlock()
	if ask.Question {
		return p.question(ctx, &ask)
	}
	p.say("\n%s\n", p.style.bold(line(fmt.Sprintf("%s wants to call %s: %s", ask.Agent, ask.Name, ask.Reason), 1000)))
	var input any
	if json.Unmarshal(ask.Input, &input) == nil {
		if pretty, err := json.MarshalIndent(input, "  ", "  "); err == nil {
			p.say("  %s\n", clean(string(pretty)))
		}
	}
	answer := quarry.Answer{Allow: true, By: "terminal"}
	for {
		p.say("Allow it once (y), always (a), with another input (e), or not (n)? ")
		l, err := p.read(ctx)
		if err != nil {
			return quarry.Answer{}, err
		}
		switch strings.ToLower(l) {
		case "y", "yes":
			return answer, nil
		case "a", "always":
			answer.Always, err = p.rule(ctx, ask.Name)
			return answer, err
		case "e", "edit":
			answer.Input, err = p.input(ctx)
			return answer, err
		case "n", "no":
			p.say("What is the model to be told (empty for nothing)? ")
			note, err := p.read(ctx)
			return quarry.Answer{Note: note, By: "terminal"}, err
		}
	}
}

// rule reads a rule that allows.
func (p *person) rule(ctx context.Context, tool string) (string, error) {
	for {
		p.say("By which rule (empty for %s)? ", tool)
		l, err := p.read(ctx)
		if err != nil {
			return "", err
		}
		if l == "" {
			l = tool
		}
		if err = checkRule(l); err == nil {
			return l, nil
		}
		p.say("%s\n", oneLine(err.Error()))
	}
}

// input reads the arguments that a call is to have instead.
func (p *person) input(ctx context.Context) (json.RawMessage, error) {
	for {
		p.say("The whole input, as JSON in one line: ")
		l, err := p.read(ctx)
		if err != nil {
			return nil, err
		}
		if json.Valid([]byte(l)) {
			return json.RawMessage(l), nil
		}
		p.say("That is no JSON.\n")
	}
}

// question asks what the model wants to know.
func (p *person) question(ctx context.Context, ask *quarry.Approval) (quarry.Answer, error) {
	in, err := questionOf(ask.Input)
	if err != nil {
		return quarry.Answer{}, fmt.Errorf("the question cannot be read: %w", err)
	}
	who := ask.Agent
	if in.From != "" {
		who = in.From
	}
	p.say("\n%s\n", p.style.bold(clean(who+" asks: "+in.Text)))
	if len(in.Schema) > 0 {
		return p.form(ctx, in.Schema)
	}
	for i, c := range in.Choices {
		p.say("  %d) %s\n", i+1, line(c, 200))
	}
	for {
		p.say("> ")
		l, err := p.read(ctx)
		if err != nil {
			return quarry.Answer{}, err
		}
		if n, err := strconv.Atoi(l); err == nil && n >= 1 && n <= len(in.Choices) {
			l = in.Choices[n-1]
		}
		if l != "" {
			return quarry.Answer{Text: l, By: "terminal"}, nil
		}
	}
}

// checkRule tells what is wrong with a rule that is to allow.
func checkRule(rule string) error {
	_, err := quarry.New(quarry.Config{Model: extractive.New(), Permissions: &quarry.Permissions{Allow: []string{rule}}})
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), `agent "agent": `))
	}
	return nil
}
