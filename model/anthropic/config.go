package anthropic

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/quarry-sdk/quarry/model"
)

// Provider is the name of this provider in messages, errors and model names.
const Provider = "anthropic"

const (
	defaultBaseURL     = "https://api.anthropic.com/"
	defaultVersion     = "2023-06-01"
	defaultIdleTimeout = 5 * time.Minute
	placeholderKey     = "replace_with_your_api_key"
)

// Errors of [New] about the key.
var (
	// ErrNoKey: neither Config.APIKey nor ANTHROPIC_API_KEY is set.
	ErrNoKey = errors.New("no Anthropic API key: set ANTHROPIC_API_KEY or Config.APIKey")
	// ErrPlaceholderKey: the key is the one of the example configuration.
	ErrPlaceholderKey = errors.New("the Anthropic API key is still the placeholder " + placeholderKey + ": put a real key in its place")
)

// Config says which model to call, and how to reach it.
type Config struct {
	// APIKey authenticates the caller. Defaults to ANTHROPIC_API_KEY. Surrounding
	// white space is ignored.
	APIKey string
	// BaseURL is the address below which v1/messages is found. Defaults to
	// ANTHROPIC_BASE_URL, else to the official address; or to the platform's.
	BaseURL string
	// Betas are sent in the anthropic-beta header. Defaults to none.
	Betas []string
	// HTTPClient sends the requests. It should have no Timeout, which would bound
	// the whole stream. Defaults to a client of this Model's own, with a
	// connection pool that is wide enough for many calls at once.
	HTTPClient *http.Client
	// Headers are sent with each request; they win over the headers set here.
	// Defaults to none.
	Headers http.Header
	// IdleTimeout is how long the API may stay silent, before its answer begins
	// or within it, until the call fails with [model.ErrTimeout]. Negative means
	// for ever. Defaults to 5 minutes.
	IdleTimeout time.Duration
	// MaxTokens bounds the answers to requests that name no bound of their own.
	// Defaults to [model.DefaultMaxTokens].
	MaxTokens int
	// Model is the model's name, such as "claude-sonnet-4-5". Required.
	Model string
	// Platform is the cloud through which the model is reached; packages bedrock and
	// vertex below this one make it. No key is needed then, and the environment is
	// read by the platform alone. Defaults to the Anthropic API.
	Platform Platform
	// Version is the anthropic-version header. Defaults to "2023-06-01", the
	// version whose format this package reads and writes. Since "2026-10-21" the
	// API refuses sampling temperatures.
	Version string
}

// Platform is a cloud that serves Claude models under addresses and signatures of
// its own. The zero value is the Anthropic API.
type Platform struct {
	// Name begins the names of its models, as in "bedrock/NAME".
	Name string
	// Options turn a request of the official SDK into the platform's.
	Options []option.RequestOption
}

// filled returns a validated copy of c with its defaults filled in.
func (c Config) filled() (Config, error) {
	if c.Model == "" {
		return c, errors.New("no model: set Config.Model, for example to \"claude-sonnet-4-5\"")
	}
	var err error
	if c.Platform.Options == nil {
		c, err = c.ownAPI()
	} else {
		err = c.platform()
	}
	if err == nil {
		c.BaseURL, err = baseURL(c.BaseURL)
	}
	if err != nil {
		return c, err
	}
	if c.IdleTimeout == 0 {
		c.IdleTimeout = defaultIdleTimeout
	}
	if c.MaxTokens < 0 {
		return c, fmt.Errorf("max tokens is %d; it cannot be negative", c.MaxTokens)
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = model.DefaultMaxTokens
	}
	if c.Version == "" {
		c.Version = defaultVersion
	}
	c.Headers = c.Headers.Clone()
	return c, nil
}

// ownAPI fills in what the Anthropic API needs.
func (c Config) ownAPI() (Config, error) {
	if c.APIKey == "" {
		c.APIKey = os.Getenv("ANTHROPIC_API_KEY")
	}
	c.APIKey = strings.TrimSpace(c.APIKey)
	switch c.APIKey {
	case "":
		return c, ErrNoKey
	case placeholderKey:
		return c, ErrPlaceholderKey
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return c, errors.New("the Anthropic API key has characters that no key has (white space, or beyond ASCII): copy it again")
	}
	if c.BaseURL == "" {
		c.BaseURL = os.Getenv("ANTHROPIC_BASE_URL")
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	c.Platform.Name = Provider
	return c, nil
}

// platform checks what a platform needs.
func (c *Config) platform() error {
	switch {
	case c.Platform.Name == "":
		return errors.New("the platform has no name; set Platform.Name")
	case c.APIKey != "":
		return fmt.Errorf("there is a key of the Anthropic API, which the platform %s takes none of; leave Config.APIKey empty", c.Platform.Name)
	}
	return nil
}

// baseURL checks an address and makes its path end before v1.
func baseURL(address string) (string, error) {
	if address == "" {
		return "", nil // the platform's own
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The address itself is not quoted: people keep secrets in addresses.
		return "", errors.New("the base URL is not an http or https address")
	}
	// The path is v1/messages whether or not the base URL ends in /v1.
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") + "/"
	return u.String(), nil
}
