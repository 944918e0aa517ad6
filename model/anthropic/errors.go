package anthropic

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

func protocolError(message string) *model.Error {
	return &model.Error{Kind: model.ErrProtocol, Provider: Provider, Message: message}
}

func invalidRequest(message string) *model.Error {
	return &model.Error{Kind: model.ErrInvalidRequest, Provider: Provider, Message: message}
}

// streamError is an error that was reported within an answer of status 200.
func streamError(data []byte) *model.Error {
	e := envelope(data)
	e.Status = http.StatusOK
	e.Kind = kindOf(0, e.Code, e.Message)
	return e
}

// statusError is an answer of a status of 400 or more.
func statusError(status int, header http.Header, body []byte) *model.Error {
	e := envelope(body)
	e.Status = status
	e.Kind = kindOf(status, e.Code, e.Message)
	for _, name := range [...]string{"Request-Id", "X-Request-Id", "Cf-Ray"} {
		if e.RequestID != "" {
			break
		}
		e.RequestID = header.Get(name)
	}
	e.RetryAfter = retryAfter(header)
	if e.Message == "" {
		e.Message = http.StatusText(status)
	}
	return e
}

// envelope reads an error body: {"type":"error","error":{"type":…,"message":…},
// "request_id":…}, and the forms in which gateways deviate from it.
func envelope(data []byte) *model.Error {
	e := &model.Error{Provider: Provider}
	data = bytes.TrimSpace(data)
	if !json.Valid(data) || !isObject(data) {
		e.Message = snippet(data)
		return e
	}
	inner := field(data, "error")
	switch {
	case isObject(inner):
		e.Code = str(field(inner, "type"))
		e.Message = str(field(inner, "message"))
		if e.Code == "" {
			e.Code = str(field(inner, "code"))
		}
	case isString(inner):
		e.Message = str(inner)
	}
	for _, key := range [...]string{"message", "detail"} {
		if e.Message == "" {
			e.Message = str(field(data, key))
		}
	}
	if e.Message == "" {
		e.Message = snippet(data)
	}
	if e.RequestID = str(field(data, "request_id")); e.RequestID == "" {
		e.RequestID = str(field(inner, "request_id"))
	}
	return e
}

// snippet is the beginning of a body that has no known form, as one line.
func snippet(body []byte) string {
	const limit = 300
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 4*limit)]), "\ufffd")), " ")
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return s
}

// kindOf classes an error by the API's own name of it, then by its status, and
// by its words where one name stands for several classes. Status is 0 within a
// stream. (https://docs.anthropic.com/en/api/errors)
func kindOf(status int, code, message string) model.ErrorKind {
	switch code {
	case "authentication_error", "permission_error":
		return model.ErrAuth
	case "billing_error":
		return model.ErrBilling
	case "not_found_error":
		return model.ErrNotFound
	case "request_too_large":
		return model.ErrTooLarge
	case "rate_limit_error":
		return model.ErrRateLimited
	case "overloaded_error":
		return model.ErrOverloaded
	case "timeout_error":
		return model.ErrTimeout
	// What Bedrock says within a stream.
	case "throttlingException":
		return model.ErrRateLimited
	case "serviceUnavailableException", "modelNotReadyException":
		return model.ErrOverloaded
	case "modelTimeoutException":
		return model.ErrTimeout
	case "validationException":
		status = http.StatusBadRequest
	}
	words := strings.ToLower(message)
	switch {
	case code == "invalid_request_error" || status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge:
		switch {
		case strings.Contains(words, "prompt is too long"),
			strings.Contains(words, "exceed context limit"),
			strings.Contains(words, "context window"):
			return model.ErrContextWindow
		case strings.Contains(words, "credit balance"), strings.Contains(words, "billing"):
			return model.ErrBilling
		case status == http.StatusRequestEntityTooLarge:
			return model.ErrTooLarge
		}
		return model.ErrInvalidRequest
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.ErrAuth
	case status == http.StatusPaymentRequired:
		return model.ErrBilling
	case status == http.StatusNotFound:
		return model.ErrNotFound
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return model.ErrTimeout
	case status == http.StatusTooManyRequests:
		return model.ErrRateLimited
	case status == 529, status == http.StatusServiceUnavailable:
		return model.ErrOverloaded
	case status >= 400 && status < 500:
		return model.ErrInvalidRequest
	}
	return model.ErrServer
}

// retryAfter reads how long the API asks to wait; 0 if it does not say.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e6 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t).Round(time.Second))
	}
	return 0
}
