package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

func (d *decoder) protocol(message string) *model.Error {
	return &model.Error{Kind: model.ErrProtocol, Provider: d.origin, Message: message}
}

func (m *Model) invalid(message string) *model.Error {
	return &model.Error{Kind: model.ErrInvalidRequest, Provider: m.origin, Message: message}
}

// failed is an error that was reported within an answer of status 200.
func (d *decoder) failed(data []byte) *model.Error {
	e := envelope(data)
	status := 0
	if n, err := strconv.Atoi(e.Code); err == nil && n >= 400 && n < 600 {
		status = n // OpenRouter reports the status that it got
	}
	e.Provider, e.Status = d.origin, http.StatusOK
	e.Kind = kindOf(status, e.Code, e.Message)
	e.Err = advice(e)
	return e
}

// statusError is an answer of a status that is no success.
func statusError(origin string, status int, header http.Header, body []byte) *model.Error {
	e := envelope(body)
	e.Provider, e.Status = origin, status
	e.Kind = kindOf(status, e.Code, e.Message)
	if e.RequestID == "" {
		e.RequestID = requestID(header)
	}
	if wait := apicall.RetryAfter(header); wait > 0 {
		e.RetryAfter = wait
	}
	if e.Message == "" {
		e.Message = http.StatusText(status)
	}
	e.Err = advice(e)
	return e
}

// requestID is what the server's support asks for.
func requestID(h http.Header) string {
	for _, name := range [...]string{"X-Request-Id", "Request-Id", "Apim-Request-Id", "X-Generation-Id", "Inference-Id", "Cf-Ray"} {
		if id := h.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// envelope reads the body of an error: {"error":{"message":…,"type":…,"code":…}}
// and the many other forms.
func envelope(data []byte) *model.Error {
	e := &model.Error{}
	data = bytes.TrimSpace(data)
	if !json.Valid(data) {
		e.Message = apicall.Snippet(data)
		return e
	}
	for item := range rawjson.Elements(data) {
		data = item // Gemini puts its errors into a list
		break
	}
	inner := rawjson.Field(data, "error")
	if rawjson.IsString(inner) {
		e.Message = rawjson.Str(inner)
	}
	if !rawjson.IsObject(inner) {
		inner = data
	}
	if e.Code = rawjson.Str(rawjson.Field(inner, "code")); e.Code == "" {
		e.Code = rawjson.Str(rawjson.Field(inner, "type"))
	}
	if e.Code == "" {
		e.Code = rawjson.Str(rawjson.Field(inner, "status"))
	}
	if n := rawjson.Field(inner, "code"); e.Code == "" && rawjson.Int(n) != 0 {
		e.Code = string(n)
	}
	for _, key := range [...]string{"message", "detail", "msg"} {
		if e.Message == "" {
			e.Message = words(rawjson.Field(inner, key))
		}
	}
	if e.Message == "" {
		e.Message = apicall.Snippet(data)
	}
	// Groq shows what the model wrote in place of a call.
	if wrote := rawjson.Str(rawjson.Field(inner, "failed_generation")); wrote != "" {
		e.Message += " (the model wrote: " + apicall.Snippet([]byte(wrote)) + ")"
	}
	// OpenRouter passes the words of the provider behind it on.
	meta := rawjson.Field(inner, "metadata")
	if raw := rawjson.Str(rawjson.Field(meta, "raw")); raw != "" {
		e.Message += ": " + apicall.Snippet([]byte(raw))
	}
	if e.RequestID = rawjson.Str(rawjson.Field(data, "request_id")); e.RequestID == "" {
		e.RequestID = rawjson.Str(rawjson.Field(inner, "request_id"))
	}
	e.RetryAfter = retryAfterBody(e.Message, inner, meta)
	return e
}

// words returns a message: a string, or the lists of FastAPI, whose elements
// tell where a field of the request is wrong.
func words(raw []byte) string {
	if rawjson.IsString(raw) {
		return rawjson.Str(raw)
	}
	if rawjson.IsNull(raw) {
		return ""
	}
	return apicall.Snippet(raw)
}

// kindsOfCodes are the servers' own names of errors.
var kindsOfCodes = map[string]model.ErrorKind{
	"invalid_api_key": model.ErrAuth, "authentication_error": model.ErrAuth, "invalid_authentication_error": model.ErrAuth,
	"permission_error": model.ErrAuth, "permission_denied": model.ErrAuth, "unauthorized": model.ErrAuth, "forbidden": model.ErrAuth,
	"insufficient_quota": model.ErrBilling, "billing_hard_limit_reached": model.ErrBilling, "billing_not_active": model.ErrBilling,
	"insufficient_balance": model.ErrBilling, "exceeded_current_quota_error": model.ErrBilling,
	"context_length_exceeded": model.ErrContextWindow, "exceed_context_size_error": model.ErrContextWindow, "context_window_exceeded": model.ErrContextWindow,
	"model_not_found": model.ErrNotFound, "not_found_error": model.ErrNotFound, "not_found": model.ErrNotFound, "resource_not_found_error": model.ErrNotFound,
	"rate_limit_error": model.ErrRateLimited, "rate_limit_reached_error": model.ErrRateLimited, "resource_exhausted": model.ErrRateLimited,
	"overloaded_error": model.ErrOverloaded, "engine_overloaded_error": model.ErrOverloaded, "capacity_exceeded": model.ErrOverloaded, "unavailable": model.ErrOverloaded, "unavailable_error": model.ErrOverloaded,
	"timeout_error": model.ErrTimeout, "timeout": model.ErrTimeout, "deadline_exceeded": model.ErrTimeout,
	"request_too_large": model.ErrTooLarge,
	// The model wrote no call that fits its tool; asked again, it may.
	"tool_use_failed":       model.ErrServer,
	"unsupported_parameter": model.ErrInvalidRequest, "unsupported_value": model.ErrInvalidRequest,
}

// windowWords are how servers say that a conversation does not fit.
var windowWords = []string{
	"context length", "context window", "context size", "context limit", "maximum context", "max context", "max_model_len",
	"prompt is too long", "prompt too long", "input is too long", "too many input tokens", "exceeds the maximum number of tokens",
	"input token count", "reduce the length of the messages",
}

// kindOf classes an error by the server's own name of it, then by its words
// where one status stands for several classes, then by its status, which is 0
// within a stream that tells none.
func kindOf(status int, code, message string) model.ErrorKind {
	code = strings.ToLower(code)
	if kind, ok := kindsOfCodes[code]; ok {
		return kind
	}
	said := strings.ToLower(message)
	has := func(list ...string) bool {
		for _, w := range list {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	if status == 0 || status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError {
		switch {
		case has(windowWords...):
			return model.ErrContextWindow
		case has("insufficient balance", "credit balance", "billing", "exceeded your current quota"):
			return model.ErrBilling
		case has("api key not valid", "invalid api key", "incorrect api key"):
			return model.ErrAuth
		}
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.ErrAuth
	case status == http.StatusPaymentRequired:
		return model.ErrBilling
	case status == http.StatusNotFound, status >= 300 && status < 400:
		return model.ErrNotFound
	case status == http.StatusRequestEntityTooLarge:
		return model.ErrTooLarge
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout, status == 524:
		return model.ErrTimeout
	case status == http.StatusTooManyRequests:
		if has("insufficient balance", "exceeded your current quota", "insufficient_quota") {
			return model.ErrBilling
		}
		return model.ErrRateLimited
	case status == 529, status == http.StatusServiceUnavailable:
		return model.ErrOverloaded
	case status == 0 && (code == "rate_limit_exceeded" || has("rate limit")):
		return model.ErrRateLimited
	case status == 0 && has("overloaded", "capacity"):
		return model.ErrOverloaded
	case code == "invalid_request_error", code == "badrequesterror", code == "invalid_argument", status >= 400 && status < 500:
		return model.ErrInvalidRequest
	}
	return model.ErrServer
}

// mends are what to set where a server refuses a field.
var mends = []struct{ words, mend string }{
	{"'max_tokens'", `set Quirks.MaxTokensField to "max_completion_tokens"`},
	{"max_completion_tokens", `set Quirks.MaxTokensField to "max_tokens"`},
	{"stream_options", "set Quirks.NoStreamOptions"},
	{"parallel_tool_calls", "set Quirks.NoParallelField"},
	{"reasoning_effort", `set Quirks.EffortField to "none"`},
	{"reasoning_content", `set Quirks.ThinkingBack to "none"`},
	{"reasoning", `set Quirks.ThinkingBack to "none"`},
	{"response_format", "unset Quirks.OutputSchema"},
	{"additionalproperties", "name the keyword in Quirks.DropKeywords"},
	{"$schema", "name the keyword in Quirks.DropKeywords"},
	{"strict", "unset Quirks.Strict"},
	{"developer", `set Quirks.SystemRole to "system"`},
	{"system role", `set Quirks.SystemRole to "user"`},
	{"--jinja", "start llama.cpp with --jinja"},
}

// advice is how to mend a refusal of a field, in the place of a cause; nil where
// nothing is known.
func advice(e *model.Error) error {
	said := strings.ToLower(e.Message)
	refused := e.Kind == model.ErrInvalidRequest && (strings.Contains(said, "support") || strings.Contains(said, "unknown") ||
		strings.Contains(said, "unrecognized") || strings.Contains(said, "not permitted") || strings.Contains(said, "extra inputs"))
	for _, m := range mends {
		if strings.Contains(said, m.words) && (refused || m.words == "--jinja") {
			return errors.New(m.mend)
		}
	}
	return nil
}
