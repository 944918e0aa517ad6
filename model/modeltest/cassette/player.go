package cassette

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// PlayerConfig says what a [Player] plays and how it behaves.
type PlayerConfig struct {
	// ChunkBytes cuts bodies into chunks of that many bytes, wherever that is.
	// Defaults to 0: each event of a stream is a chunk of its own.
	ChunkBytes int
	// Delay is the time before the first byte of each answer. Defaults to none.
	Delay time.Duration
	// EventDelay is the time before each further chunk. Defaults to none.
	EventDelay time.Duration
	// Exchanges are played one after the other, a request each.
	Exchanges []Exchange
	// Faults are what goes wrong, by the number of the request, from 0.
	Faults map[int]Fault
	// Repeat begins anew when all exchanges were played. Defaults to an error that
	// says how many there are.
	Repeat bool
}

// Fault is what goes wrong with a request. One with a Status takes the place of an
// answer, one without breaks the recorded answer. In both cases the next request
// gets what this one missed.
type Fault struct {
	// Status is the HTTP status that is answered, such as 429 or 529.
	Status int
	// Body is the body of that answer. Defaults to an error in the words that the
	// APIs have in common.
	Body string
	// RetryAfter is the wait that is asked for, in whole seconds. Defaults to none.
	RetryAfter time.Duration
	// CutAfter is the number of bytes of the recorded body after which the
	// connection breaks.
	CutAfter int
	// Ends makes the body end there, as if that were all of it.
	Ends bool
}

// Played is a request that came to a [Player].
type Played struct {
	// Body is the request's body as it came.
	Body []byte
	// Exchange is the index of the exchange that answered; -1 if none did.
	Exchange int
	// Path is the path and the query.
	Path string
}

// Player is a loopback HTTP server that answers from a recording.
type Player struct {
	// URL is the base URL: "http://127.0.0.1:41231".
	URL string

	cfg    PlayerConfig
	closed chan struct{}
	srv    *httptest.Server

	mu     sync.Mutex
	next   int // exchange
	played []Played
}

// NewPlayer starts a player. The caller has to Close it. Like httptest, it panics
// if there is no port to listen on.
func NewPlayer(cfg PlayerConfig) *Player {
	p := &Player{cfg: cfg, closed: make(chan struct{})}
	p.srv = httptest.NewServer(p)
	p.URL = p.srv.URL
	return p
}

// Close ends all connections and waits for the requests on them.
func (p *Player) Close() {
	close(p.closed)
	p.srv.CloseClientConnections()
	p.srv.Close()
}

// Played returns the requests that came so far.
func (p *Player) Played() []Played {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.played)
}

// ServeHTTP implements [http.Handler].
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client broke off
	}
	exchange, fault := p.take(r, body)
	if !p.wait(r, p.cfg.Delay) {
		panic(http.ErrAbortHandler)
	}
	switch {
	case fault.Status != 0:
		fault.write(w)
	case exchange == nil:
		refuse := Fault{Status: http.StatusBadRequest, Body: errorBody("invalid_request_error",
			fmt.Sprintf("the recording has %d exchanges, and all were played", len(p.cfg.Exchanges)))}
		refuse.write(w)
	default:
		p.play(w, r, &exchange.Response, fault)
	}
}

// take notes a request and returns the exchange that answers it.
func (p *Player) take(r *http.Request, body []byte) (*Exchange, Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	note := Played{Body: body, Exchange: -1, Path: r.URL.RequestURI()}
	fault := p.cfg.Faults[len(p.played)]
	if p.cfg.Repeat && len(p.cfg.Exchanges) > 0 {
		p.next %= len(p.cfg.Exchanges)
	}
	var exchange *Exchange
	if fault.Status == 0 && p.next < len(p.cfg.Exchanges) {
		note.Exchange, exchange = p.next, &p.cfg.Exchanges[p.next]
		if fault.CutAfter == 0 {
			p.next++
		}
	}
	p.played = append(p.played, note)
	return exchange, fault
}

// wait is false if the client has left.
func (p *Player) wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-p.closed:
	}
	return false
}

func (p *Player) play(w http.ResponseWriter, r *http.Request, resp *Response, fault Fault) {
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	body, broken := resp.Body, fault.CutAfter > 0 && fault.CutAfter < len(resp.Body)
	if broken {
		body = body[:fault.CutAfter]
	}
	w.WriteHeader(resp.Status)
	flush := http.NewResponseController(w)
	for i := 0; len(body) > 0; i++ {
		if i > 0 && !p.wait(r, p.cfg.EventDelay) {
			panic(http.ErrAbortHandler)
		}
		n := p.chunk(body)
		if _, err := w.Write(body[:n]); err != nil {
			return // the client has left
		}
		_ = flush.Flush() // the next write meets the same error
		body = body[n:]
	}
	if broken && !fault.Ends {
		panic(http.ErrAbortHandler)
	}
}

// chunk is the length of the next chunk of a body.
func (p *Player) chunk(body []byte) int {
	if p.cfg.ChunkBytes > 0 {
		return min(p.cfg.ChunkBytes, len(body))
	}
	if i := bytes.Index(body, []byte("\n\n")); i >= 0 {
		return i + 2
	}
	return len(body)
}

func (f *Fault) write(w http.ResponseWriter) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(f.RetryAfter.Seconds())))
	}
	body := f.Body
	if body == "" {
		body = errorBody(errorType(f.Status), http.StatusText(f.Status))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	_, _ = io.WriteString(w, body) // an error is the client's going
}

// errorBody is an error that Anthropic's and OpenAI's clients read.
func errorBody(kind, message string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
}

func errorType(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status == 529:
		return "overloaded_error"
	case status >= 500:
		return "api_error"
	}
	return "invalid_request_error"
}
