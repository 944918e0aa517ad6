package modeltest

import (
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/quarry-sdk/quarry/model"
)

// responsesPath is where the Responses API is found.
const responsesPath = "/v1/responses"

// serveResponses answers a request of the Responses API.
func (s *Server) serveResponses(w http.ResponseWriter, r *http.Request) {
	s.converse(w, r, &api{
		admit: s.admitResponses, fail: writeResponsesError, tooLarge: "Request body too large",
		decode: func(body []byte) (*request, reply, error) {
			req, stream, err := decodeResponsesRequest(body)
			return req, func(turn *Turn, resp *model.Response, parts []part) {
				s.writeResponse(w, r, turn, resp, parts, stream)
			}, err
		},
		suits: func(turn *Turn) error {
			if turn.stop == model.StopSequence {
				return scriptError(errors.New("the Responses API has no stop sequences: leave StopAt out of the turn"))
			}
			return nil
		},
	})
}

// writeResponse sends a turn.
func (s *Server) writeResponse(w http.ResponseWriter, r *http.Request, turn *Turn, resp *model.Response, parts []part, stream bool) {
	for name, values := range turn.header {
		w.Header()[name] = values
	}
	var frames []frame
	switch {
	case len(parts) > 0 && parts[0].fail != nil:
		writeResponsesError(w, parts[0].fail)
		return
	case stream:
		frames = responsesStream(resp, parts, s.cfg.PieceRunes)
	default:
		for _, p := range parts {
			if p.fail != nil {
				writeResponsesError(w, p.fail)
				return
			}
			if p.hang {
				frames = append(frames, frame{hang: true})
			}
		}
		frames = append(frames, frame{data: encode(finalResponse(resp))})
	}
	w.Header().Set("X-Request-Id", requestID(resp.ID))
	s.send(r.Context(), w, turn, frames, stream)
}

// admitResponses checks what can be checked without the body.
func (s *Server) admitResponses(r *http.Request, keyMatched bool) error {
	switch {
	case r.Method != http.MethodPost:
		return &model.Error{Kind: model.ErrInvalidRequest, Status: http.StatusMethodNotAllowed, Message: "Not allowed to " + r.Method + " on " + responsesPath + "."}
	case s.cfg.APIKey != "" && key(r) == "":
		return &model.Error{Kind: model.ErrAuth, Message: "You didn't provide an API key."}
	case s.cfg.APIKey != "" && !keyMatched:
		return &model.Error{Kind: model.ErrAuth, Message: "Incorrect API key provided."}
	}
	return nil
}

// responsesError is the inner part of the API's error envelope.
type responsesError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// responsesErrorOf gives the status and the envelope's inner part of an error.
func responsesErrorOf(err *model.Error) (int, responsesError) {
	status, kind, code := http.StatusInternalServerError, "server_error", "server_error"
	switch err.Kind {
	case model.ErrAuth:
		status, kind, code = http.StatusUnauthorized, "invalid_request_error", "invalid_api_key"
	case model.ErrBilling:
		status, kind, code = http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota"
	case model.ErrInvalidRequest:
		status, kind, code = http.StatusBadRequest, "invalid_request_error", ""
	case model.ErrContextWindow:
		status, kind, code = http.StatusBadRequest, "invalid_request_error", "context_length_exceeded"
	case model.ErrNotFound:
		status, kind, code = http.StatusNotFound, "invalid_request_error", "model_not_found"
	case model.ErrTooLarge:
		status, kind, code = http.StatusRequestEntityTooLarge, "invalid_request_error", "request_too_large"
	case model.ErrRateLimited:
		status, kind, code = http.StatusTooManyRequests, "tokens", "rate_limit_exceeded"
	case model.ErrOverloaded:
		status, kind, code = http.StatusServiceUnavailable, "server_error", "server_is_overloaded"
	case model.ErrTimeout:
		status, kind, code = http.StatusGatewayTimeout, "server_error", "timeout"
	}
	out := responsesError{Message: err.Message, Type: kind}
	if out.Message == "" && err.Kind == model.ErrContextWindow {
		out.Message = "Your input exceeds the context window of this model. Please adjust your input and try again."
	}
	if err.Status != 0 {
		status = err.Status
	}
	if err.Code != "" && err.Code != kind {
		code = err.Code
	}
	if code != "" {
		out.Code = &code
	}
	return status, out
}

// writeResponsesError answers with the error envelope.
func writeResponsesError(w http.ResponseWriter, failure error) {
	err, ok := failure.(*model.Error)
	if !ok {
		err = &model.Error{Kind: model.ErrServer, Message: failure.Error()}
	}
	if err.Kind == model.ErrTransport || err.Kind == model.ErrProtocol {
		writeError(w, err) // these have no envelope
		return
	}
	status, detail := responsesErrorOf(err)
	id := err.RequestID
	if id == "" {
		id = "req_modeltest"
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Request-Id", id)
	if err.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(err.RetryAfter.Seconds()))))
	}
	w.WriteHeader(status)
	_, _ = w.Write(encode(map[string]any{"error": detail}))
}
