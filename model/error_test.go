package model

import (
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestErrorError(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err       *Error
		want      string
		retryable bool
	}{
		{&Error{Kind: ErrAuth, Provider: "anthropic", Status: 401, Message: "invalid x-api-key"}, "anthropic: auth (HTTP 401): invalid x-api-key (check the API key of this provider)", false},
		{&Error{Kind: ErrBilling}, "billing (add credit to the account)", false},
		{&Error{Kind: ErrInvalidRequest, Status: 400, Message: "max_tokens: Field required"}, "invalid request (HTTP 400): max_tokens: Field required", false},
		{&Error{Kind: ErrNotFound, Message: "model: x"}, "not found: model: x (check the model's name and the base URL)", false},
		{&Error{Kind: ErrTooLarge}, "too large", false},
		{&Error{Kind: ErrContextWindow, Message: "prompt is too long"}, "context window: prompt is too long (shorten the conversation or use a model with a larger window)", false},
		{&Error{Kind: ErrRateLimited}, "rate limited (try again later)", true},
		{&Error{Kind: ErrRateLimited, RetryAfter: 90 * time.Second}, "rate limited (try again in 1m30s)", true},
		{&Error{Kind: ErrOverloaded, Status: 529, Message: "Overloaded"}, "overloaded (HTTP 529): Overloaded (try again later)", true},
		{&Error{Kind: ErrServer}, "server (try again later)", true},
		{&Error{Kind: ErrTimeout, Message: "no byte in 1m0s"}, "timeout: no byte in 1m0s", true},
		{&Error{Kind: ErrTransport, Err: io.ErrUnexpectedEOF}, "transport: unexpected EOF (check the connection and the base URL)", true},
		{&Error{Kind: ErrTransport, Message: "read: unexpected EOF", Err: io.ErrUnexpectedEOF}, "transport: read: unexpected EOF (check the connection and the base URL)", true},
		{&Error{Kind: ErrProtocol, Message: "no JSON"}, "protocol: no JSON", false},
		{&Error{Kind: "brand_new", Message: "m"}, "brand new: m", false},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
		if got := tc.err.Retryable(); got != tc.retryable {
			t.Errorf("%s: retryable is %v", tc.want, got)
		}
	}
}

func TestErrorUnwrap(t *testing.T) {
	t.Parallel()
	if err := error(&Error{Kind: ErrTransport, Err: io.ErrUnexpectedEOF}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is not found")
	}
}

// An error goes through the journal, except for its cause.
func TestErrorRoundTrip(t *testing.T) {
	t.Parallel()
	want := &Error{
		Kind: ErrOverloaded, Provider: "anthropic", Status: 529, Code: "overloaded_error", Message: "Overloaded",
		RequestID: "req_1", RetryAfter: 3 * time.Second,
		Partial: &Response{ID: "msg_1", Message: NewMessage(RoleAssistant, &Text{Text: "half"}), Usage: Usage{InputTokens: 3}},
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := new(Error)
	if err := json.Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, ignoreEncodings); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

var ignoreEncodings = cmp.FilterPath(func(p cmp.Path) bool {
	field, ok := p.Last().(cmp.StructField)
	return ok && field.Name() == "encodings"
}, cmp.Ignore())
