package anthropic

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

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
	e.RetryAfter = apicall.RetryAfter(header)
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
	if !json.Valid(data) || !rawjson.IsObject(data) {
		e.Message = apicall.Snippet(data)
		return e
	}
	inner := rawjson.Field(data, "error")
	switch {
	case rawjson.IsObject(inner):
		e.Code = rawjson.Str(rawjson.Field(inner, "type"))
		e.Message = rawjson.Str(rawjson.Field(inner, "message"))
		if e.Code == "" {
			e.Code = rawjson.Str(rawjson.Field(inner, "code"))
		}
	case rawjson.IsString(inner):
		e.Message = rawjson.Str(inner)
	}
	for _, key := range [...]string{"message", "detail"} {
		if e.Message == "" {
			e.Message = rawjson.Str(rawjson.Field(data, key))
		}
	}
	if e.Message == "" {
		e.Message = apicall.Snippet(data)
	}
	if e.RequestID = rawjson.Str(rawjson.Field(data, "request_id")); e.RequestID == "" {
		e.RequestID = rawjson.Str(rawjson.Field(inner, "request_id"))
	}
	return e
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
