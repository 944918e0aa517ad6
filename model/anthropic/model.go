package anthropic

import (
	"context"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/model"
)

// Model is a Claude model. It is made by [New].
type Model struct {
	cfg    Config // with the key
	name   string
	client sdk.Client
	http   *http.Client
}

var _ model.Model = (*Model)(nil)

// New returns a model. It sends nothing.
//
// It fails with [ErrNoKey] or [ErrPlaceholderKey] where there is no key to use,
// and with an error that names the field where the configuration is wrong.
func New(cfg Config) (*Model, error) {
	cfg, err := cfg.filled()
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg, name: cfg.Platform.Name + "/" + cfg.Model, http: cfg.HTTPClient}
	if m.http == nil {
		m.http = &http.Client{Transport: apicall.NewTransport()}
	}
	opts := []option.RequestOption{
		// The environment was read by Config; retrying belongs to the caller.
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		option.WithMaxRetries(0),
		option.WithHeader("Anthropic-Version", cfg.Version),
	}
	if cfg.Platform.Options == nil {
		// The SDK's own key option sends a bearer token, which the gateways of this
		// API version do not know.
		opts = append(opts, option.WithHTTPClient(doer{m.http}), option.WithHeader("X-Api-Key", cfg.APIKey))
	} else {
		// It signs what is sent, and so has to see the client itself.
		opts = append(opts, option.WithHTTPClient(m.http))
		opts = append(opts, cfg.Platform.Options...)
	}
	if cfg.BaseURL != "" {
		opts = append(opts, option.WithBaseURL(cfg.BaseURL))
	}
	if len(cfg.Betas) > 0 {
		opts = append(opts, option.WithHeader("Anthropic-Beta", strings.Join(cfg.Betas, ",")))
	}
	for name, values := range cfg.Headers {
		opts = append(opts, option.WithHeaderDel(name))
		for _, v := range values {
			opts = append(opts, option.WithHeaderAdd(name, v))
		}
	}
	m.client = sdk.NewClient(opts...)
	return m, nil
}

// Name returns "anthropic/", or the platform's name, and the model's name.
func (m *Model) Name() string { return m.name }

// String is Name. It keeps the key out of formatted output.
func (m *Model) String() string { return m.name }

// GoString is Name. It keeps the key out of formatted output.
func (m *Model) GoString() string { return m.name }

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
