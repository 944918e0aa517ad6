package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

func protocolError(message string) *model.Error {
	return &model.Error{Kind: model.ErrProtocol, Provider: Provider, Message: message}
}

func invalidRequest(message string) *model.Error {
	return &model.Error{Kind: model.ErrInvalidRequest, Provider: Provider, Message: message}
}

// streamError is an error that was reported within an answer of status 200: as
// an event, or as the error of a failed response.
func streamError(data []byte) *model.Error {
	e := envelope(data)
	e.Status = http.StatusOK
	e.Kind = kindOf(0, e.Code, e.Message)
	e.RetryAfter = waitInWords(e)
	return e
}

// statusError is an answer of a status of 400 or more.
func statusError(status int, header http.Header, body []byte) *model.Error {
	e := envelope(body)
	e.Status = status
	e.Kind = kindOf(status, e.Code, e.Message)
	for _, name := range [...]string{"X-Request-Id", "Apim-Request-Id", "Cf-Ray"} {
		if e.RequestID != "" {
			break
		}
		e.RequestID = header.Get(name)
	}
	if e.RetryAfter = apicall.RetryAfter(header); e.RetryAfter == 0 {
		e.RetryAfter = waitInWords(e)
	}
	if e.Message == "" {
		e.Message = http.StatusText(status)
	}
	return e
}

// envelope reads an error: {"error":{"message":…,"type":…,"code":…}}, the event
// that has these fields itself, and the forms in which gateways deviate.
func envelope(data []byte) *model.Error {
	e := &model.Error{Provider: Provider}
	data = bytes.TrimSpace(data)
	if !json.Valid(data) || !rawjson.IsObject(data) {
		e.Message = apicall.Snippet(data)
		return e
	}
	inner := rawjson.Field(data, "error")
	if rawjson.IsString(inner) {
		e.Message = rawjson.Str(inner)
	}
	if !rawjson.IsObject(inner) {
		inner = data
	}
	e.Code = rawjson.Str(rawjson.Field(inner, "code"))
	if kind := rawjson.Str(rawjson.Field(inner, "type")); e.Code == "" && kind != "error" {
		e.Code = kind
	}
	for _, obj := range [...][]byte{inner, data} {
		for _, key := range [...]string{"message", "detail"} {
			if e.Message == "" {
				e.Message = rawjson.Str(rawjson.Field(obj, key))
			}
		}
	}
	if e.Message == "" {
		e.Message = apicall.Snippet(data)
	}
	e.RequestID = rawjson.Str(rawjson.Field(data, "request_id"))
	return e
}

// kindOf classes an error by the API's own name of it, then by its status, and
// by its words where one name stands for several classes. Status is 0 within a
// stream. (https://platform.openai.com/docs/guides/error-codes)
func kindOf(status int, code, message string) model.ErrorKind {
	words := strings.ToLower(message)
	switch code {
	case "invalid_api_key", "authentication_error", "permission_error", "unsupported_country_region_territory", "ip_not_authorized":
		return model.ErrAuth
	case "insufficient_quota", "billing_hard_limit_reached", "billing_not_active":
		return model.ErrBilling
	case "model_not_found", "not_found_error", "DeploymentNotFound":
		return model.ErrNotFound
	case "context_length_exceeded":
		return model.ErrContextWindow
	case "request_too_large":
		return model.ErrTooLarge
	case "rate_limit_exceeded", "rate_limit_error", "tokens", "requests", "too_many_requests":
		return model.ErrRateLimited
	case "server_is_overloaded", "overloaded_error", "slow_down", "engine_overloaded":
		return model.ErrOverloaded
	case "timeout", "timeout_error":
		return model.ErrTimeout
	}
	switch {
	case strings.Contains(words, "context window"), strings.Contains(words, "maximum context length"):
		return model.ErrContextWindow
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.ErrAuth
	case status == http.StatusPaymentRequired:
		return model.ErrBilling
	case status == http.StatusNotFound:
		return model.ErrNotFound
	case status == http.StatusRequestEntityTooLarge:
		return model.ErrTooLarge
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return model.ErrTimeout
	case status == http.StatusTooManyRequests:
		return model.ErrRateLimited
	case status == http.StatusServiceUnavailable:
		return model.ErrOverloaded
	case status >= 400 && status < 500, code == "invalid_request_error", code == "invalid_prompt":
		return model.ErrInvalidRequest
	}
	return model.ErrServer
}

// waitInWords reads "Please try again in 1.5s" out of a rate limit's message:
// within a stream nothing else tells.
func waitInWords(e *model.Error) time.Duration {
	if e.Kind != model.ErrRateLimited {
		return 0
	}
	_, after, found := strings.Cut(e.Message, "try again in ")
	if !found {
		return 0
	}
	word, _, _ := strings.Cut(after, " ")
	wait, err := time.ParseDuration(strings.TrimRight(word, ".,"))
	if err != nil || wait < 0 || wait > 24*time.Hour {
		return 0
	}
	return wait
}
