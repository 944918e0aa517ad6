package web

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"time"

	"github.com/quarry-sdk/quarry/web/guard"
)

// Config says how pages are fetched. The zero value fetches from the public web and
// keeps nothing.
type Config struct {
	// AcceptLanguage is the header Accept-Language. Defaults to "en, *;q=0.5".
	AcceptLanguage string
	// Blobs keep the snapshots. Without them nothing is kept, cached or
	// revalidated. Defaults to nil.
	Blobs Blobs
	// Cache tells which snapshot of a URL is the newest. It is not used without
	// Blobs. Defaults to one in memory, of at most 10,000 URLs.
	Cache Cache
	// CrawlDelayMax bounds the Crawl-delay of a robots.txt. Defaults to 10 s.
	CrawlDelayMax time.Duration
	// Guard says which addresses may be reached. Defaults to the public web.
	Guard guard.Config
	// HeaderTimeout is how long a request may wait for the header of its answer.
	// Defaults to 15 s.
	HeaderTimeout time.Duration
	// HostConcurrency is how many requests to one host run at the same time.
	// Defaults to 2.
	HostConcurrency int
	// HostInterval is the time from the start of one request to a host to the start
	// of the next. Defaults to 500 ms; negative means none.
	HostInterval time.Duration
	// IgnoreRobots fetches what robots.txt asks not to fetch, for owners of a host
	// and those who have their leave. Defaults to false.
	IgnoreRobots bool
	// Logger is told of each fetch at its end. Defaults to none.
	Logger *slog.Logger
	// MaxBytes is how large a body may be, on the wire and after the content
	// codings are taken off. Defaults to 20 MiB.
	MaxBytes int64
	// MaxConcurrency is how many requests run at the same time. Defaults to 16.
	MaxConcurrency int
	// MaxRatio is how many times larger than what was received a body may be that
	// is longer than 1 MiB. Defaults to 200.
	MaxRatio int
	// MaxRedirects is how many redirects are followed. Defaults to 10.
	MaxRedirects int
	// MaxWait is how long a request waits for its turn at a host that asked to be
	// left alone; what would have to wait longer ends as [RateLimited]. It also
	// bounds the wait before the one repetition of a request that was answered with
	// 429 or 503 and Retry-After. Defaults to 30 s.
	MaxWait time.Duration
	// Renderer runs the scripts of pages that end as [ScriptShell]. Defaults to
	// nil: they stay so.
	Renderer Renderer
	// RetryAfterMax bounds how long a host is left alone that asks for it. Defaults
	// to 10 min.
	RetryAfterMax time.Duration
	// RootCAs are the authorities whose certificates of hosts are believed. Defaults
	// to those of the system.
	RootCAs *x509.CertPool
	// Timeout is the time that a fetch may take, from the first request to the end
	// of the body, redirects included and waits for its turn at a host not.
	// Defaults to 30 s.
	Timeout time.Duration
	// UserAgent is the header User-Agent; its first product is the name that is
	// looked for in robots.txt. Defaults to "Quarry/1
	// (+https://github.com/quarry-sdk/quarry)".
	UserAgent string
}

// Renderer runs the scripts of a page; web/render has one.
type Renderer interface {
	// Render returns the page at a URL after its scripts have run. Its errors end
	// the fetch as what it would have been without.
	Render(ctx context.Context, url string) (*Rendered, error)
}

// Rendered is a page after its scripts have run.
type Rendered struct {
	// HTML is the page.
	HTML []byte
	// FinalURL is where it was in the end.
	FinalURL string
	// Renderer is the program and its version, such as "chromium/128.0.6613.119".
	Renderer string
}

// Request is a page to fetch.
type Request struct {
	// Fresh asks the host even if the page was fetched on the same day, and asks
	// for the whole page even if an earlier one is known.
	Fresh bool
	// URL is an absolute URL of http or https.
	URL string
}

// filled returns the config with its defaults.
func (c Config) filled() (Config, error) {
	for _, v := range []struct {
		name string
		bad  bool
	}{
		{"CrawlDelayMax", c.CrawlDelayMax < 0}, {"HeaderTimeout", c.HeaderTimeout < 0}, {"HostConcurrency", c.HostConcurrency < 0},
		{"MaxBytes", c.MaxBytes < 0}, {"MaxConcurrency", c.MaxConcurrency < 0}, {"MaxRatio", c.MaxRatio < 0},
		{"MaxRedirects", c.MaxRedirects < 0}, {"MaxWait", c.MaxWait < 0}, {"RetryAfterMax", c.RetryAfterMax < 0},
		{"Timeout", c.Timeout < 0},
	} {
		if v.bad {
			return c, errors.New("new fetcher: " + v.name + " is negative (leave it out for its default)")
		}
	}
	orDuration(&c.CrawlDelayMax, 10*time.Second)
	orDuration(&c.HeaderTimeout, 15*time.Second)
	orDuration(&c.HostInterval, 500*time.Millisecond)
	orDuration(&c.MaxWait, 30*time.Second)
	orDuration(&c.RetryAfterMax, 10*time.Minute)
	orDuration(&c.Timeout, 30*time.Second)
	c.HostInterval = max(c.HostInterval, 0)
	c.HostConcurrency = orInt(c.HostConcurrency, 2)
	c.MaxConcurrency = orInt(c.MaxConcurrency, 16)
	c.MaxRatio = orInt(c.MaxRatio, 200)
	c.MaxRedirects = orInt(c.MaxRedirects, 10)
	if c.MaxBytes == 0 {
		c.MaxBytes = 20 << 20
	}
	if c.AcceptLanguage == "" {
		c.AcceptLanguage = "en, *;q=0.5"
	}
	if c.UserAgent == "" {
		c.UserAgent = "Quarry/1 (+https://github.com/quarry-sdk/quarry)"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Cache == nil {
		c.Cache = newMemoryCache(10_000)
	}
	return c, nil
}

func orDuration(d *time.Duration, def time.Duration) {
	if *d == 0 {
		*d = def
	}
}

func orInt(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}
