package modeltest

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// chatPath is where a [Server] speaks the Chat Completions API.
const chatPath = "/v1/chat/completions"

// serveChat answers a request of the Chat Completions API from the same script.
func (s *Server) serveChat(w http.ResponseWriter, r *http.Request) {
	s.converse(w, r, &api{
		admit: s.admitChat, fail: writeChatError, tooLarge: "Request exceeds the maximum size",
		decode: func(body []byte) (*request, reply, error) {
			req, err := decodeChat(body)
			if err != nil {
				return nil, nil, err
			}
			return &request{Request: req.Request, model: req.model}, func(turn *Turn, resp *model.Response, parts []part) {
				s.writeChat(r.Context(), w, turn, &chatAnswer{resp: resp, parts: parts, pieceRunes: s.cfg.PieceRunes, usage: req.usage}, req.stream)
			}, nil
		},
	})
}

// admitChat checks what can be checked without the body.
func (s *Server) admitChat(r *http.Request, keyMatched bool) error {
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case r.Method != http.MethodPost:
		return &model.Error{Kind: model.ErrInvalidRequest, Status: http.StatusMethodNotAllowed, Message: "Not allowed to " + r.Method + " on " + chatPath + "."}
	case s.cfg.APIKey != "" && bearer == "":
		return &model.Error{Kind: model.ErrAuth, Message: "You didn't provide an API key."}
	case s.cfg.APIKey != "" && !keyMatched:
		return &model.Error{Kind: model.ErrAuth, Code: "invalid_api_key", Message: "Incorrect API key provided."}
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return chatInvalid("Invalid Content-Type header: expected application/json.")
	}
	return nil
}

// writeChat sends a turn.
func (s *Server) writeChat(ctx context.Context, w http.ResponseWriter, turn *Turn, a *chatAnswer, stream bool) {
	for name, values := range turn.header {
		w.Header()[name] = values
	}
	if err := a.speakable(); err != nil {
		writeChatError(w, err)
		return
	}
	var frames []frame
	if stream {
		frames = a.stream()
	} else {
		for _, p := range a.parts {
			if p.fail != nil {
				writeChatError(w, p.fail)
				return
			}
			if p.hang {
				frames = append(frames, frame{hang: true})
			}
		}
		frames = append(frames, frame{data: encode(a.whole())})
	}
	w.Header().Set("X-Request-Id", requestID(a.resp.ID))
	s.send(ctx, w, turn, frames, stream)
}

// chatErrorDetail gives the status and the envelope's inner part of an error.
func chatErrorDetail(err *model.Error) (int, map[string]any) {
	status, kind, code := http.StatusInternalServerError, "server_error", ""
	switch err.Kind {
	case model.ErrAuth:
		status, kind, code = http.StatusUnauthorized, "invalid_request_error", "invalid_api_key"
	case model.ErrBilling:
		status, kind, code = http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota"
	case model.ErrInvalidRequest:
		status, kind = http.StatusBadRequest, "invalid_request_error"
	case model.ErrContextWindow:
		status, kind, code = http.StatusBadRequest, "invalid_request_error", "context_length_exceeded"
	case model.ErrNotFound:
		status, kind, code = http.StatusNotFound, "invalid_request_error", "model_not_found"
	case model.ErrTooLarge:
		status, kind = http.StatusRequestEntityTooLarge, "invalid_request_error"
	case model.ErrRateLimited:
		status, kind, code = http.StatusTooManyRequests, "requests", "rate_limit_exceeded"
	case model.ErrOverloaded:
		status, code = http.StatusServiceUnavailable, "overloaded_error"
	case model.ErrTimeout:
		status, code = http.StatusGatewayTimeout, "timeout_error"
	}
	message := err.Message
	if message == "" && err.Kind == model.ErrContextWindow {
		message = "This model's maximum context length is 128000 tokens. However, your messages resulted in 200001 tokens."
	}
	if err.Status != 0 {
		status = err.Status
	}
	if err.Code != "" {
		code = err.Code
	}
	detail := map[string]any{"message": message, "type": kind, "param": nil, "code": nil}
	if code != "" {
		detail["code"] = code
	}
	return status, detail
}

// writeChatError answers with the error envelope.
func writeChatError(w http.ResponseWriter, failure error) {
	err, ok := failure.(*model.Error)
	if !ok {
		err = &model.Error{Kind: model.ErrServer, Message: failure.Error()}
	}
	switch err.Kind {
	case model.ErrTransport:
		panic(http.ErrAbortHandler)
	case model.ErrProtocol:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><body>Welcome</body></html>"))
		return
	}
	status, detail := chatErrorDetail(err)
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
