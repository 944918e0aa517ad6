package openai

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

// Provider is the name of this provider in messages, errors and model names.
const Provider = "openai"

const (
	defaultBaseURL     = "https://api.openai.com/v1/"
	defaultIdleTimeout = 5 * time.Minute
	placeholderKey     = "replace_with_your_api_key"
)

// Errors of [New] about the key.
var (
	// ErrNoKey: neither Config.APIKey nor OPENAI_API_KEY is set.
	ErrNoKey = errors.New("no OpenAI API key: set OPENAI_API_KEY or Config.APIKey")
	// ErrPlaceholderKey: the key is the one of the example configuration.
	ErrPlaceholderKey = errors.New("the OpenAI API key is still the placeholder " + placeholderKey + ": put a real key in its place")
)

// Config says which model to call, and how to reach it.
type Config struct {
	// APIKey authenticates the caller. Defaults to OPENAI_API_KEY. Surrounding
	// white space is ignored.
	APIKey string
	// BaseURL is the address below which responses is found; one without a path
	// gets the path /v1. Defaults to OPENAI_BASE_URL, else to the official address.
	BaseURL string
	// HTTPClient sends the requests. It should have no Timeout, which would bound
	// the whole stream. Defaults to a client of this Model's own, with a
	// connection pool that is wide enough for many calls at once.
	HTTPClient *http.Client
	// Headers are sent with each request, such as OpenAI-Organization and
	// OpenAI-Project; they win over the headers set here. Defaults to none.
	Headers http.Header
	// IdleTimeout is how long the API may stay silent, before its answer begins
	// or within it, until the call fails with [model.ErrTimeout]. Negative means
	// for ever. Defaults to 5 minutes.
	IdleTimeout time.Duration
	// MaxTokens bounds the answers to requests that name no bound of their own.
	// Defaults to [model.DefaultMaxTokens].
	MaxTokens int
	// Model is the model's name, such as "gpt-5". Required.
	Model string
	// PreviousResponse lets the API keep the answers (store) and sends, where the
	// conversation goes on from one that this Model gave, its id and the newer
	// messages only. All of it is sent where no such answer is known: after a
	// restart, or when earlier messages were replaced. Defaults to sending all.
	PreviousResponse bool
	// Reasoning tells whether the model reasons, so that the API is asked for the
	// encrypted form of its reasoning, which other models refuse. Defaults to what
	// the model's name says: that of an o1, o3, o4 or gpt-5 model, or a later one,
	// but for those made for chat.
	Reasoning *bool
}

// filled returns a validated copy of c with its defaults filled in.
func (c Config) filled() (Config, error) {
	if c.APIKey == "" {
		c.APIKey = os.Getenv("OPENAI_API_KEY")
	}
	c.APIKey = strings.TrimSpace(c.APIKey)
	switch c.APIKey {
	case "":
		return c, ErrNoKey
	case placeholderKey:
		return c, ErrPlaceholderKey
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return c, errors.New("the OpenAI API key has characters that no key has (white space, or beyond ASCII): copy it again")
	}
	if c.Model == "" {
		return c, errors.New("no model: set Config.Model, for example to \"gpt-5\"")
	}
	if c.BaseURL == "" {
		c.BaseURL = os.Getenv("OPENAI_BASE_URL")
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The address itself is not quoted: people keep secrets in addresses.
		return c, errors.New("the base URL is not an http or https address")
	}
	if u.Path = strings.TrimRight(u.Path, "/") + "/"; u.Path == "/" {
		u.Path = "/v1/"
	}
	c.BaseURL = u.String()
	if c.IdleTimeout == 0 {
		c.IdleTimeout = defaultIdleTimeout
	}
	if c.MaxTokens < 0 {
		return c, fmt.Errorf("max tokens is %d; it cannot be negative", c.MaxTokens)
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = model.DefaultMaxTokens
	}
	if c.Reasoning == nil {
		reasons := reasonsByName(c.Model)
		c.Reasoning = &reasons
	}
	c.Headers = c.Headers.Clone()
	return c, nil
}

// reasonsByName tells whether a model of that name reasons. Gateways put the
// maker before the name, as in "openai/o3".
func reasonsByName(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	if strings.Contains(name, "-chat") {
		return false
	}
	if len(name) >= 2 && name[0] == 'o' && name[1] >= '1' && name[1] <= '9' {
		return true
	}
	version, ok := strings.CutPrefix(name, "gpt-")
	if !ok {
		return strings.HasPrefix(name, "codex-") || strings.HasPrefix(name, "computer-use-")
	}
	return version != "" && version[0] >= '5' && version[0] <= '9'
}
