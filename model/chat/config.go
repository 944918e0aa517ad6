package chat

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

const defaultIdleTimeout = 5 * time.Minute

// Errors of [New].
var (
	// ErrNoBaseURL: neither Config.BaseURL nor OPENAI_BASE_URL is set. There is no
	// default, because prompts that are meant for a server of one's own must not
	// go to another by a mere omission.
	ErrNoBaseURL = errors.New("no base URL: set Config.BaseURL or OPENAI_BASE_URL, for example to http://localhost:11434/v1")
	// ErrNoKey: the server takes no request without a key, and there is none.
	ErrNoKey = errors.New("no API key")
)

// Config says which model to call, and how to reach it.
type Config struct {
	// APIKey authenticates the caller. Defaults to the value of the environment
	// variable APIKeyEnv; empty where the server asks for none. Surrounding white
	// space is ignored.
	APIKey string
	// APIKeyEnv names the environment variable that holds the key. Defaults to
	// the customary one of the provider, such as OPENAI_API_KEY, and only if the
	// base URL has that provider's host: a key never goes to another.
	APIKeyEnv string
	// BaseURL is the address below which chat/completions is found, such as
	// "http://localhost:11434/v1". An address without a path is taken to end in
	// /v1. Defaults to OPENAI_BASE_URL.
	BaseURL string
	// Headers are sent with each request; they win over the headers set here.
	// Defaults to none.
	Headers http.Header
	// HTTPClient sends the requests. It should have no Timeout, which would bound
	// the whole stream. Defaults to a client of this Model's own.
	HTTPClient *http.Client
	// IdleTimeout is how long the server may stay silent, before its answer begins
	// or within it, until the call fails with [model.ErrTimeout]. Negative means
	// for ever. Defaults to 5 minutes.
	IdleTimeout time.Duration
	// MaxTokens bounds the answers to requests that name no bound of their own.
	// Negative leaves the bound to the server. Defaults to
	// [model.DefaultMaxTokens].
	MaxTokens int
	// Model is the model's name, such as "qwen3". Required.
	Model string
	// Provider names a row of [Providers]. Defaults to the row of the base URL's
	// host, else to none: the first answer may then tell.
	Provider string
	// Quirks says how the server bends the API. Defaults to those of the
	// provider's row; [QuirksOf] returns them, to change one.
	Quirks *Quirks
}

// filled returns a validated copy of c with its defaults filled in, its base URL
// parsed, and its provider's row.
func (c Config) filled() (Config, *url.URL, *Provider, error) {
	if c.Model == "" {
		return c, nil, nil, errors.New("no model: set Config.Model, for example to \"qwen3\"")
	}
	if c.BaseURL == "" {
		c.BaseURL = os.Getenv("OPENAI_BASE_URL")
	}
	if c.BaseURL == "" {
		return c, nil, nil, ErrNoBaseURL
	}
	u, err := url.Parse(strings.TrimSpace(c.BaseURL))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The address itself is not quoted: people keep secrets in addresses.
		return c, nil, nil, errors.New("the base URL is not an http or https address")
	}
	byHost := providerOfHost(u.Hostname())
	row := byHost
	if c.Provider != "" {
		if row = providerNamed(c.Provider); row == nil {
			return c, nil, nil, fmt.Errorf("no provider %q: use one of %s, or leave Config.Provider empty", c.Provider, strings.Join(providerNames(), ", "))
		}
	}
	if c.APIKeyEnv == "" && byHost != nil {
		c.APIKeyEnv = byHost.KeyEnv
	}
	if err := c.fillKey(byHost != nil && byHost.KeyEnv != ""); err != nil {
		return c, nil, nil, err
	}
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	if path == "" {
		path = "/v1"
	}
	u.Path = path + "/chat/completions"
	if c.IdleTimeout == 0 {
		c.IdleTimeout = defaultIdleTimeout
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = model.DefaultMaxTokens
	}
	c.Headers = c.Headers.Clone()
	return c, u, row, nil
}

func (c *Config) fillKey(required bool) error {
	if c.APIKey == "" && c.APIKeyEnv != "" {
		c.APIKey = os.Getenv(c.APIKeyEnv)
	}
	c.APIKey = strings.TrimSpace(c.APIKey)
	if c.APIKey == "" && required && c.Headers.Get("Authorization") == "" {
		return fmt.Errorf("%w: set %s or Config.APIKey", ErrNoKey, c.APIKeyEnv)
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the API key has characters that no key has (white space, or beyond ASCII): copy it again")
	}
	return nil
}
