package hooks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/toolbox/hooks"
)

func TestOver(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field, limit, input string
		// want is a part of the reason; "" lets the call pass.
		want string
	}{
		{"amount", "500", `{"amount": 499.99}`, ""},
		{"amount", "500", `{"amount": 500}`, ""},
		{"amount", "500", `{"amount": 500.00}`, ""},
		{"amount", "500", `{"amount": 5e2}`, ""},
		{"amount", "500", `{"amount": 0}`, ""},
		{"amount", "500", `{"amount": "500"}`, ""},
		{"amount", "1,500", `{"amount": " 1,200.50 "}`, ""},
		{"amount", "500", `{"amount": 500.01}`, "amount is 500.01, over the limit of 500"},
		{"amount", "500", `{"amount": "500.01"}`, "amount is 500.01, over"},
		{"amount", "500", `{"amount": "1,200"}`, "amount is 1,200, over"},
		{"amount", "500", `{"amount": 5.1e2}`, "amount is 5.1e2, over"},
		// As a float64 the first is 0.1 and the second 500.
		{"amount", "0.1", `{"amount": 0.1000000000000000001}`, "over"},
		{"amount", "500", `{"amount": 500.00000000000000000001}`, "over"},
		{"amount", "9007199254740992", `{"amount": 9007199254740993}`, "over"},

		{"amount", "500", `{}`, "amount is missing, so that it may be over the limit of 500"},
		{"amount", "500", `{"total": 1}`, "is missing"},
		{"amount", "500", ``, "is missing"},
		{"amount", "500", `null`, "is missing"},
		{"amount", "500", `[1]`, "is missing"},
		{"amount", "500", `{"amount": null}`, `is no number: "null"`},
		{"amount", "500", `{"amount": ""}`, "is no number"},
		{"amount", "500", `{"amount": true}`, "is no number"},
		{"amount", "500", `{"amount": [1]}`, "is no number"},
		{"amount", "500", `{"amount": "12 EUR"}`, "is no number"},
		{"amount", "500", `{"amount": "1,20"}`, "is no number"},
		{"amount", "500", `{"amount": "0x10"}`, "is no number"},
		{"amount", "500", `{"amount": "1/3"}`, "is no number"},
		{"amount", "500", `{"amount": "1_0"}`, "is no number"},
		{"amount", "500", `{"amount": 1e999999999}`, "is no number"},
		{"amount", "500", `{"amount": 1e-99999}`, "is no number"},
		{"amount", "500", `{"amount": "` + strings.Repeat("0", 100) + `"}`, "is too long"},
		{"amount", "500", `{"amount": -1}`, "is negative: -1"},
		{"amount", "500", `{"amount": 1, "note": 2`, "cannot be read"},

		// encoding/json would fill a struct's field from the last of these.
		{"amount", "500", `{"amount": 1, "amount": 1000}`, "is there twice"},
		{"amount", "500", `{"amount": 1, "Amount": 1000}`, "is there twice"},
		{"amount", "500", `{"AMOUNT": 1000}`, "over"},

		{"order.total.value", "500", `{"order": {"total": {"value": "500"}}}`, ""},
		{"order.total.value", "500", `{"order": {"total": {"value": 501}}, "value": 1}`, "order.total.value is 501, over"},
		{"order.total", "500", `{"order": 1}`, "is missing"},
		{"order.total", "500", `{"order": [{"total": 1}]}`, "is missing"},
		{"order.total", "500", `{"order.total": 1}`, "is missing"},
	} {
		o := hooks.Over{Tool: "refund", Field: test.field, Limit: test.limit}
		for decision, make := range map[quarry.Behavior]func(hooks.Over) (quarry.Hook, error){quarry.Ask: hooks.AskOver, quarry.Deny: hooks.DenyOver} {
			hook, err := make(o)
			if err != nil {
				t.Fatal(err)
			}
			out, err := hook.Run(t.Context(), &quarry.HookInput{Tool: "refund", Input: json.RawMessage(test.input)})
			switch {
			case err != nil:
				t.Errorf("%s: %v", test.input, err)
			case test.want == "" && (out.Decision != "" || out.Reason != ""):
				t.Errorf("%s of %s: %+v, want no opinion", test.limit, test.input, out)
			case test.want != "" && (out.Decision != decision || !strings.Contains(out.Reason, test.want)):
				t.Errorf("%s of %s: %+v, want %s because %q", test.limit, test.input, out, decision, test.want)
			}
		}
	}
}

func TestOverSettings(t *testing.T) {
	t.Parallel()
	good := hooks.Over{Tool: "refund|mcp__shop__pay-out", Field: "amount", Limit: "500"}
	hook, err := hooks.AskOver(good)
	if err != nil || hook.Match != good.Tool || hook.On != quarry.PreToolUse || hook.Name != "refund|mcp__shop__pay-out amount over 500" {
		t.Errorf("got %+v, %v", hook, err)
	}
	for want, change := range map[string]func(*hooks.Over){
		`Tool "" is no name`:         func(o *hooks.Over) { o.Tool = "" },
		`Tool "*" is no name`:        func(o *hooks.Over) { o.Tool = "*" },
		`Tool "refund|" is no name`:  func(o *hooks.Over) { o.Tool = "refund|" },
		`Field "" names no field`:    func(o *hooks.Over) { o.Field = "" },
		`Field "a..b" names no`:      func(o *hooks.Over) { o.Field = "a..b" },
		"it has no Limit":            func(o *hooks.Over) { o.Limit = "" },
		`Limit is no number: "many"`: func(o *hooks.Over) { o.Limit = "many" },
		"Limit is negative: -1":      func(o *hooks.Over) { o.Limit = "-1" },
	} {
		bad := good
		change(&bad)
		for _, make := range []func(hooks.Over) (quarry.Hook, error){hooks.AskOver, hooks.DenyOver} {
			if _, err := make(bad); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

// What the settings say goes to the person or to the model.
func TestOverWords(t *testing.T) {
	t.Parallel()
	o := hooks.Over{Tool: "refund", Field: "amount", Limit: "500", Name: "refunds"}
	in := &quarry.HookInput{Input: json.RawMessage(`{"amount": 600}`)}
	reason := func(hook quarry.Hook, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		if hook.Name != "refunds" {
			t.Errorf("the name is %s", hook.Name)
		}
		out, err := hook.Run(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out.Reason
	}
	if got := reason(hooks.AskOver(o)); got != "amount is 600, over the limit of 500" {
		t.Errorf("got %s", got)
	}
	if got := reason(hooks.DenyOver(o)); !strings.Contains(got, "do not split it") {
		t.Errorf("got %s", got)
	}
	o.Advice = "call escalate"
	for _, got := range []string{reason(hooks.AskOver(o)), reason(hooks.DenyOver(o))} {
		if got != "amount is 600, over the limit of 500; call escalate" {
			t.Errorf("got %s", got)
		}
	}
}
