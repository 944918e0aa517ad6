package modeltest

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// ServerConfig says what a [Server] answers and how it behaves. The zero value is
// a server whose script is empty.
type ServerConfig struct {
	// APIKey is the key that requests must bring, as x-api-key or as a bearer
	// token. Defaults to none: every request is let in.
	APIKey string
	// ChunkBytes cuts the body of a stream into chunks of that many bytes,
	// wherever that is. Defaults to 0: chunks end with an event.
	ChunkBytes int
	// Delay is the time before the first byte of each answer. Defaults to none.
	Delay time.Duration
	// EventsPerChunk is how many events of a stream go out at once. Defaults to 1.
	EventsPerChunk int
	// Loop answers instead of the script, if it is set; see [ToolLoop].
	Loop *Loop
	// ModelName is the model that answers claim to be from. Defaults to the one
	// that the request names.
	ModelName string
	// PieceRunes is the length of the pieces of a text. Defaults to 12.
	PieceRunes int
	// Script is what the server says, one turn for each accepted request of any
	// conversation; [EachConversation] or a [Func] tells conversations apart.
	Script Script
}

// Server is a loopback HTTP server that speaks the Anthropic Messages API
// (POST /v1/messages), OpenAI's Responses API (POST /v1/responses) and the Chat
// Completions API (POST /v1/chat/completions), as JSON and as server-sent events. It
// checks requests and refuses them in the words of the real ones.
type Server struct {
	// URL is the base URL: "http://127.0.0.1:41231".
	URL string

	cfg    ServerConfig
	http   *http.Server
	player player
	served chan struct{} // closed when the accept loop has ended

	mu       sync.Mutex
	closed   bool
	handlers sync.WaitGroup
	received []*Received
}

// Received is a request that came to a [Server].
type Received struct {
	// Body is the body as it came.
	Body []byte
	// Header is the header, with the key redacted.
	Header http.Header
	// Path is the path and the query.
	Path string
	// Request is the body as a request of package model; nil if it was refused
	// before it could be read. A cache breakpoint is not in it, see Body.
	Request *model.Request

	keyMatched bool
}

// KeyMatched tells whether the request brought the server's APIKey.
func (r *Received) KeyMatched() bool { return r.keyMatched }

// NewServer starts a server. The caller has to Close it. Like httptest, it panics
// if there is no port to listen on.
func NewServer(cfg ServerConfig) *Server {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(fmt.Sprintf("modeltest: listen on loopback: %v", err))
	}
	cfg.Script = slices.Clone(cfg.Script)
	s := &Server{
		URL:    "http://" + listener.Addr().String(),
		cfg:    cfg,
		served: make(chan struct{}),
	}
	s.http = &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // always an error, once closed
	}()
	return s
}

// Close ends all connections and waits for the requests on them.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	_ = s.http.Close()
	<-s.served
	s.handlers.Wait()
}

// Requests returns the requests that came so far, refused ones included. With a
// Loop nothing is recorded.
func (s *Server) Requests() []*Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// Unplayed is the number of turns of the script that no request has reached.
func (s *Server) Unplayed() int { return s.player.left(s.cfg.Script) }

// enter counts a request in; false if the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.handlers.Add(1)
	return true
}

// ServeHTTP implements [http.Handler], for tests that need no connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.handlers.Done()

	switch r.URL.Path {
	case chatPath:
		s.serveChat(w, r)
		return
	case responsesPath:
		s.serveResponses(w, r)
		return
	}
	s.converse(w, r, &api{
		admit: s.admit, fail: writeError, tooLarge: "Request exceeds the maximum size",
		decode: func(body []byte) (*request, reply, error) {
			req, stream, err := decodeRequest(body)
			return req, func(turn *Turn, resp *model.Response, parts []part) {
				s.write(r.Context(), w, turn, resp, parts, stream)
			}, err
		},
	})
}

// reply sends the answer of a turn.
type reply func(turn *Turn, resp *model.Response, parts []part)

// api is how a server speaks one API, for one request.
type api struct {
	// admit refuses a request by its method and its key.
	admit func(r *http.Request, keyMatched bool) error
	// fail answers with an error, and tooLarge is what is said of a large body.
	fail     func(w http.ResponseWriter, err error)
	tooLarge string
	// decode reads the body, and returns how it is answered.
	decode func(body []byte) (*request, reply, error)
	// suits tells what the API cannot say of a turn; nil where it can say all.
	suits func(turn *Turn) error
}

// converse answers a request from the loop or the script, in the words of an API.
func (s *Server) converse(w http.ResponseWriter, r *http.Request, a *api) {
	if s.cfg.Loop != nil {
		if err := a.admit(r, s.keyMatched(r)); err != nil {
			a.fail(w, err)
			return
		}
		s.cfg.Loop.serve(w, r, s.cfg.Delay)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	rec := s.record(r, body)
	if refused := a.admit(r, rec.keyMatched); refused != nil {
		a.fail(w, refused)
		return
	}
	if err != nil {
		var large *http.MaxBytesError
		if !errors.As(err, &large) {
			panic(http.ErrAbortHandler) // the client broke off
		}
		a.fail(w, &model.Error{Kind: model.ErrTooLarge, Message: a.tooLarge})
		return
	}
	req, answer, err := a.decode(body)
	if err != nil {
		a.fail(w, err)
		return
	}
	s.mu.Lock()
	rec.Request = req.Request
	s.mu.Unlock()
	turn, err := s.player.play(r.Context(), s.cfg.Script, req.Request)
	if err == nil && a.suits != nil {
		err = a.suits(turn)
	}
	if err != nil {
		if r.Context().Err() != nil {
			panic(http.ErrAbortHandler)
		}
		a.fail(w, err)
		return
	}
	if !wait(r.Context(), s.cfg.Delay+turn.delay) {
		panic(http.ErrAbortHandler)
	}
	name := s.cfg.ModelName
	if name == "" {
		name = req.model
	}
	resp, parts := turn.answer(name, req.Request)
	answer(turn, resp, parts)
}

// maxBody is the size up to which the API reads requests.
const maxBody = 32 << 20

// admit checks what can be checked without the body.
func (s *Server) admit(r *http.Request, keyMatched bool) error {
	switch {
	case r.URL.Path != "/v1/messages":
		return &model.Error{Kind: model.ErrNotFound, Message: "Not Found"}
	case r.Method != http.MethodPost:
		return &model.Error{Kind: model.ErrInvalidRequest, Status: http.StatusMethodNotAllowed, Message: "Method Not Allowed"}
	case s.cfg.APIKey != "" && key(r) == "":
		return &model.Error{Kind: model.ErrAuth, Message: "x-api-key header is required"}
	case s.cfg.APIKey != "" && !keyMatched:
		return &model.Error{Kind: model.ErrAuth, Message: "invalid x-api-key"}
	case r.Header.Get("Anthropic-Version") == "":
		return &model.Error{Kind: model.ErrInvalidRequest, Message: "anthropic-version: header is required"}
	}
	return nil
}

func key(r *http.Request) string {
	if k := r.Header.Get("X-Api-Key"); k != "" {
		return k
	}
	k, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return k
}

func (s *Server) keyMatched(r *http.Request) bool {
	return s.cfg.APIKey != "" && subtle.ConstantTimeCompare([]byte(key(r)), []byte(s.cfg.APIKey)) == 1
}

func (s *Server) record(r *http.Request, body []byte) *Received {
	rec := &Received{Body: body, Header: r.Header.Clone(), Path: r.URL.RequestURI(), keyMatched: s.keyMatched(r)}
	for _, name := range []string{"X-Api-Key", "Authorization"} {
		if rec.Header.Get(name) != "" {
			rec.Header.Set(name, "REDACTED")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, rec)
	return rec
}

// write sends a turn.
func (s *Server) write(ctx context.Context, w http.ResponseWriter, turn *Turn, resp *model.Response, parts []part, stream bool) {
	for name, values := range turn.header {
		w.Header()[name] = values
	}
	var frames []frame
	switch {
	case len(parts) > 0 && parts[0].fail != nil:
		writeError(w, parts[0].fail)
		return
	case stream:
		frames = encodeStream(resp, parts, s.cfg.PieceRunes)
	default:
		for _, p := range parts {
			if p.fail != nil {
				writeError(w, p.fail)
				return
			}
			if p.hang {
				frames = append(frames, frame{hang: true})
			}
		}
		frames = append(frames, frame{data: encodeResponse(resp)})
	}
	w.Header().Set("Request-Id", requestID(resp.ID))
	s.send(ctx, w, turn, frames, stream)
}

// send writes the frames of a turn, cut and in chunks as it is configured.
func (s *Server) send(ctx context.Context, w http.ResponseWriter, turn *Turn, frames []frame, stream bool) {
	limit, ok := turn.cut.limit(frames)
	if !ok {
		writeError(w, scriptError(errors.New("the turn has no character of several bytes to cut")))
		return
	}
	if stream {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	} else {
		w.Header().Set("Content-Type", "application/json")
		if limit >= 0 && turn.cut.where != cutClean {
			w.Header().Set("Content-Length", fmt.Sprint(len(frames[len(frames)-1].data)))
		}
	}
	out := chunker{w: w, bytes: s.cfg.ChunkBytes, events: max(1, s.cfg.EventsPerChunk), left: limit}
	for _, f := range frames {
		if f.hang {
			out.flush()
			turn.hang(ctx.Done())
			panic(http.ErrAbortHandler)
		}
		if !out.write(f.data) {
			break
		}
	}
	out.flush()
	if out.failed || (out.left == 0 && turn.cut.where != cutClean) {
		panic(http.ErrAbortHandler)
	}
}

func requestID(id string) string {
	_, hash, _ := strings.Cut(id, "_")
	return "req_" + hash
}

// chunker writes a body in chunks and stops at a limit.
type chunker struct {
	w             http.ResponseWriter
	bytes, events int
	left          int // bytes that may still be written; negative for all
	failed        bool

	buf   bytes.Buffer
	count int // events in buf
}

// write adds an event; false once no more may be written.
func (c *chunker) write(event []byte) bool {
	if c.left >= 0 && len(event) >= c.left {
		event = event[:c.left]
	}
	if c.left >= 0 {
		c.left -= len(event)
	}
	c.buf.Write(event)
	c.count++
	if c.bytes > 0 {
		for c.buf.Len() >= c.bytes {
			c.send(c.buf.Next(c.bytes))
		}
	} else if c.count >= c.events {
		c.flush()
	}
	return c.left != 0 && !c.failed
}

// flush sends what is left.
func (c *chunker) flush() {
	if c.buf.Len() > 0 {
		c.send(c.buf.Next(c.buf.Len()))
	}
	c.count = 0
}

func (c *chunker) send(data []byte) {
	if c.failed {
		return
	}
	if _, err := c.w.Write(data); err != nil {
		c.failed = true
		return
	}
	if f, ok := c.w.(http.Flusher); ok {
		f.Flush()
	}
}
