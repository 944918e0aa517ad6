package hooks

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/quarry-sdk/quarry"
)

// Over says which calls are over a limit.
type Over struct {
	// Advice goes on after the reason, such as "call escalate": to the person whom
	// AskOver asks, or to the model that DenyOver refuses. Defaults to nothing for
	// AskOver; for DenyOver to words that tell the model to hand the case to a person
	// and not to split it.
	Advice string
	// Field is where the amount stands in the tool's input: a field's name, or
	// several divided by dots for objects in objects, such as "order.total".
	// Required.
	Field string
	// Limit is the largest amount that passes, as a decimal number such as "500" or
	// "499.99". Required.
	Limit string
	// Name is what the hook is called in journals. Defaults to the tool, the field
	// and the limit.
	Name string
	// Tool is the tool's name, or several divided by '|'. Required.
	Tool string
}

// AskOver makes a hook that has a person decide about calls over a limit, in every
// mode and whatever a rule allows. Where there is nobody to ask, neither by
// Config.Approver nor by Config.Park, such a call is denied.
//
// An amount is a JSON number or a string with one, with or without commas between
// thousands. It is compared exactly. One that is missing, negative, there twice or
// anything else is asked about too. The limit is about each call alone: what
// several calls come to is for the tool to count.
func AskOver(o Over) (quarry.Hook, error) { return o.hook(quarry.Ask, "") }

// DenyOver makes a hook that denies calls over a limit, and tells the model why and
// what to do instead. It decides as AskOver does.
func DenyOver(o Over) (quarry.Hook, error) {
	return o.hook(quarry.Deny, "a person has to decide this: hand the case over, and do not split it into smaller calls")
}

// hook checks the settings and makes the hook.
func (o Over) hook(decision quarry.Behavior, advice string) (quarry.Hook, error) {
	limit, err := o.check()
	if err != nil {
		return quarry.Hook{}, fmt.Errorf("hooks: a limit on calls: %w", err)
	}
	if o.Name == "" {
		o.Name = fmt.Sprintf("%s %s over %s", o.Tool, o.Field, o.Limit)
	}
	if o.Advice != "" {
		advice = strings.TrimRight(o.Advice, ".")
	}
	path := strings.Split(o.Field, ".")
	return quarry.Hook{
		Match: o.Tool,
		Name:  o.Name,
		On:    quarry.PreToolUse,
		Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
			written, amount, err := amountAt(in.Input, path)
			var reason string
			switch {
			case err != nil:
				reason = fmt.Sprintf("%s %v, so that it may be over the limit of %s", o.Field, err, o.Limit)
			case amount.Cmp(limit) > 0:
				reason = fmt.Sprintf("%s is %s, over the limit of %s", o.Field, written, o.Limit)
			default:
				return quarry.HookOutput{}, nil
			}
			if advice != "" {
				reason += "; " + advice
			}
			return quarry.HookOutput{Decision: decision, Reason: reason}, nil
		},
	}, nil
}

// check finds what is wrong with the settings, and reads the limit.
func (o *Over) check() (*big.Rat, error) {
	for name := range strings.SplitSeq(o.Tool, "|") {
		// With any other character Hook.Match would be a regular expression.
		if name == "" || strings.ContainsFunc(name, func(r rune) bool {
			return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		}) {
			return nil, fmt.Errorf("its Tool %q is no name of a tool, nor several divided by '|'", o.Tool)
		}
	}
	for field := range strings.SplitSeq(o.Field, ".") {
		if field == "" {
			return nil, fmt.Errorf("its Field %q names no field of the input; write one as \"amount\" or \"order.total\"", o.Field)
		}
	}
	if o.Limit == "" {
		return nil, errors.New("it has no Limit; write one as \"500\"")
	}
	limit, err := readAmount(o.Limit)
	if err != nil {
		return nil, fmt.Errorf("its Limit %w", err)
	}
	return limit, nil
}
