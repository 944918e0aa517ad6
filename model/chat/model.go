package chat

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/model"
)

// Model is a model behind a server of the Chat Completions API. It is made by
// [New].
type Model struct {
	cfg      Config // with the key
	name     string
	origin   string // what the messages of this server name as their provider
	url      *url.URL
	client   *http.Client
	profiles atomic.Pointer[profile]
}

// profile is how requests are written, and the key under which messages keep
// what was written so.
type profile struct {
	quirks *Quirks
	origin string
	key    string
	// The same message could also stand within a conversation.
	systemKey string
}

var (
	_ model.Model          = (*Model)(nil)
	_ model.OutputEnforcer = (*Model)(nil)
)

// New returns a model. It sends nothing.
//
// It fails with [ErrNoBaseURL] or [ErrNoKey] where there is no address or no key
// to use, and with an error that names the field where the configuration is
// wrong.
func New(cfg Config) (*Model, error) {
	cfg, u, row, err := cfg.filled()
	if err != nil {
		return nil, err
	}
	quirks, who, origin := &unknown, "chat", u.Host
	if row != nil {
		quirks, who, origin = &row.Quirks, row.Name, row.Name
	}
	if cfg.Quirks != nil {
		quirks = cfg.Quirks.clone()
		if err := quirks.check(); err != nil {
			return nil, err
		}
	}
	m := &Model{
		cfg: cfg, name: who + "/" + cfg.Model, origin: "chat/" + origin, url: u, client: cfg.HTTPClient,
	}
	if m.client == nil {
		m.client = &http.Client{
			Transport: apicall.NewTransport(),
			// The key must not follow a redirection to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	m.profiles.Store(newProfile(m.origin, quirks))
	return m, nil
}

func newProfile(origin string, q *Quirks) *profile {
	data, err := json.Marshal(q)
	if err != nil {
		panic("chat: encode quirks: " + err.Error()) // strings and bools always can be
	}
	key := origin + " " + string(data)
	return &profile{quirks: q, origin: origin, key: key, systemKey: key + " system"}
}

// Name returns the provider and the model's name, as "groq/llama-3.3-70b"; the
// provider is "chat" for a server that is in no row of [Providers].
func (m *Model) Name() string { return m.name }

// String is Name. It keeps the key out of formatted output.
func (m *Model) String() string { return m.name }

// GoString is Name. It keeps the key out of formatted output.
func (m *Model) GoString() string { return m.name }

// EnforcesOutput implements [model.OutputEnforcer].
func (m *Model) EnforcesOutput() bool { return m.profiles.Load().quirks.OutputSchema }

// Quirks returns a copy of what is known of the server's departures: those of
// the configuration, of its host, or of its first answer.
func (m *Model) Quirks() *Quirks { return m.profiles.Load().quirks.clone() }

// CloseIdleConnections closes the connections that wait for a next request.
func (m *Model) CloseIdleConnections() { m.client.CloseIdleConnections() }

// Stream implements [model.Model]. A stream that is ranged over a second time
// fails: it would be a second, paid call.
func (m *Model) Stream(ctx context.Context, req *model.Request) model.Stream {
	used := false
	return func(yield func(model.Event, error) bool) {
		if used {
			yield(model.Event{}, m.invalid("the stream was ranged over already"))
			return
		}
		used = true
		m.run(ctx, req, yield)
	}
}

// learn takes the quirks of the provider that an answer showed.
func (m *Model) learn(row *Provider) {
	m.profiles.Store(newProfile(m.origin, &row.Quirks))
}
