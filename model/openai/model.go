package openai

import (
	"context"
	"net/http"
	"net/url"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/model"
)

// Model is a model of the Responses API. It is made by [New].
type Model struct {
	cfg     Config // with the key
	name    string
	service responses.ResponseService
	http    *http.Client
	chain   *chain // nil unless Config.PreviousResponse
}

var (
	_ model.Model          = (*Model)(nil)
	_ model.OutputEnforcer = (*Model)(nil)
)

// New returns a model. It sends nothing.
//
// It fails with [ErrNoKey] or [ErrPlaceholderKey] where there is no key to use,
// and with an error that names the field where the configuration is wrong.
func New(cfg Config) (*Model, error) {
	cfg, err := cfg.filled()
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg, name: Provider + "/" + cfg.Model, http: cfg.HTTPClient}
	if m.http == nil {
		m.http = &http.Client{Transport: apicall.NewTransport()}
	}
	if cfg.PreviousResponse {
		m.chain = newChain()
	}
	// The service alone, and not the SDK's client: that links every API that the
	// company has, and reads more of the environment than the two names that this
	// package promises to read.
	opts := []option.RequestOption{
		option.WithMaxRetries(0), // retrying belongs to the caller
		option.WithBaseURL(cfg.BaseURL),
		option.WithHTTPClient(doer{m.http}),
		option.WithAPIKey(cfg.APIKey),
		option.WithHeader("Accept", "text/event-stream"),
	}
	base, err := url.Parse(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	// Azure's version is in the address, where the SDK would lose it.
	for name, values := range base.Query() {
		for _, v := range values {
			opts = append(opts, option.WithQueryAdd(name, v))
		}
	}
	for name, values := range cfg.Headers {
		opts = append(opts, option.WithHeaderDel(name))
		for _, v := range values {
			opts = append(opts, option.WithHeaderAdd(name, v))
		}
	}
	m.service = responses.NewResponseService(opts...)
	return m, nil
}

// Name returns "openai/" and the model's name.
func (m *Model) Name() string { return m.name }

// String is Name. It keeps the key out of formatted output.
func (m *Model) String() string { return m.name }

// GoString is Name. It keeps the key out of formatted output.
func (m *Model) GoString() string { return m.name }

// EnforcesOutput implements [model.OutputEnforcer]. The API enforces schemas for
// every model that it serves; one that its strict mode cannot take is sent as a
// wish (see the package's comment), and the answer has to be checked.
func (m *Model) EnforcesOutput() bool { return true }

// CloseIdleConnections closes the connections that wait for a next request.
func (m *Model) CloseIdleConnections() { m.http.CloseIdleConnections() }

// Stream implements [model.Model]. A stream that is ranged over a second time
// fails: it would be a second, paid call.
func (m *Model) Stream(ctx context.Context, req *model.Request) model.Stream {
	used := false
	return func(yield func(model.Event, error) bool) {
		if used {
			yield(model.Event{}, invalidRequest("the stream was ranged over already"))
			return
		}
		used = true
		m.run(ctx, req, yield)
	}
}
