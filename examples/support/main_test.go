package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSupport(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	for _, test := range []struct{ name, message, want string }{
		{"one over the limit", "ada@example.org: 1001 came broken, 1002 never came.", `
The agent says: I have looked. The lamp of 2025-03-05T12:00:00Z was delivered on 2025-03-09, the driver noted a broken box. The desk of 2025-03-06T12:00:00Z was lost by the carrier on 2025-03-11T09:30:00+01:00.
Refunded: 49.90 euros for order 1001 (broken)
Waits for a person: refund {"order_id":"1002","amount":"620.00","reason":"lost"}, because amount is 620.00, over the limit of 100
`},
		{"none over the limit", "ada@example.org: 1001 came broken.", `
The agent says: 49.90 euros for order 1001 are on their way.
Refunded: 49.90 euros for order 1001 (broken)
`},
		{"nothing to refund", "ada@example.org: I do not like the chair of 1003.", `
The agent says: I have looked. The chair of 2025-03-07T12:00:00Z was delivered on 2025-03-12.
`},
		{"no order named", "ada@example.org: It came broken.", `
The agent says: Which order is it?
`},
		{"a stranger", "bob@example.org: 1001 came broken.", `
The agent says: I do not find you: there is no customer bob@example.org; ask for the address of the account
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := run(t.Context(), test.message, &out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), out.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRefund(t *testing.T) {
	t.Parallel()
	s := newShop()
	for _, in := range []refundIn{{"1001", "50", ""}, {"1001", "-1", ""}, {"1001", "0", ""}, {"1001", "all", ""}, {"9999", "1", ""}} {
		if said, err := s.refund(t.Context(), in); err == nil {
			t.Errorf("%v: %s", in, said)
		}
	}
	if _, err := s.refund(t.Context(), refundIn{"1001", "20", ""}); err != nil {
		t.Error(err)
	}
	if said, err := s.refund(t.Context(), refundIn{"1001", "20", ""}); err == nil {
		t.Errorf("an order is refunded twice: %s", said)
	}
}
