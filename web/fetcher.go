package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/web/guard"
)

// maxURL is the longest URL in bytes that is fetched.
const maxURL = 8 << 10

// Fetcher fetches pages. All agents of a program should share one, because it is
// what keeps them from asking a host too often. It may be used by many goroutines
// at once. Use [New] to get one.
type Fetcher struct {
	config    Config
	guard     *guard.Guard
	transport *http.Transport
	pacer     *pacer
	robots    *robotsCache
	flights   flights[*Snapshot]
	product   string
}

// New returns a fetcher. It returns an error for a value that cannot be meant.
func New(c Config) (*Fetcher, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	g, err := guard.New(c.Guard)
	if err != nil {
		return nil, fmt.Errorf("new fetcher: %w", err)
	}
	product := productName(c.UserAgent)
	if product == "" {
		return nil, fmt.Errorf("new fetcher: the user agent %q does not begin with a name (write it as %q)", clip(c.UserAgent), "Name/1.0 (+https://example.org/about)")
	}
	f := &Fetcher{config: c, guard: g, pacer: newPacer(c), product: product}
	f.transport = &http.Transport{
		// No proxy: one would dial addresses that the guard has not seen.
		Proxy:                  nil,
		DialContext:            g.DialContext,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConnsPerHost:    c.HostConcurrency,
		MaxIdleConns:           2 * c.MaxConcurrency,
		MaxResponseHeaderBytes: 256 << 10,
		ResponseHeaderTimeout:  c.HeaderTimeout,
		TLSHandshakeTimeout:    10 * time.Second,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.RootCAs},
	}
	f.robots = newRobotsCache(f)
	return f, nil
}

// Close closes the connections that wait for further requests.
func (f *Fetcher) Close() { f.transport.CloseIdleConnections() }

// Fetch fetches a page. Whatever the network and the host do, it returns a snapshot
// with a typed outcome; an error means that the context has ended, that the URL is
// empty, or that the store of snapshots failed. Callers that ask for the same page
// at the same time share one request and one snapshot.
func (f *Fetcher) Fetch(ctx context.Context, r Request) (*Snapshot, error) {
	raw := strings.TrimSpace(r.URL)
	if raw == "" {
		return nil, errors.New("fetch: the URL is empty (give an absolute one, such as https://example.org/page)")
	}
	u, err := parseURL(raw)
	if err != nil {
		now := time.Now().UTC()
		s := &Snapshot{Version: SnapshotVersion, URL: strings.ToValidUTF8(clip(raw), "\ufffd"), Started: now, Finished: now}
		s.refuse(err)
		return s, f.keep(ctx, s)
	}
	key := u.String()
	if r.Fresh {
		key = "fresh " + key
	}
	return f.flights.do(ctx, key, func(ctx context.Context) (*Snapshot, error) {
		return f.fetch(ctx, u, r.Fresh)
	})
}

// parseURL parses a URL, and drops its fragment. The error is a *guard.Error.
func parseURL(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, &guard.Error{Object: "the URL", Code: "malformed", Reason: fmt.Sprintf("it has %d bytes, and no more than %d are taken", len(raw), maxURL)}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, &guard.Error{Object: "the URL", Code: "malformed", Reason: "it is not well-formed", Hint: "write it in full, such as https://example.org/page"}
	}
	if u.Scheme == "" {
		return nil, &guard.Error{Object: "the URL", Code: "malformed", Reason: "it has no scheme", Hint: "write it in full, such as https://example.org/page"}
	}
	u.Fragment, u.RawFragment = "", ""
	return normalURL(u), nil
}

// normalURL writes what is the same to every server the same: the host as it is
// looked up, no port that is the scheme's own, "/" for no path.
func normalURL(u *url.URL) *url.URL {
	if u.Opaque != "" || u.Host == "" {
		return u
	}
	host, err := guard.CanonicalHost(u.Hostname())
	if err != nil {
		return u // the guard says what is wrong with it
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && (u.Scheme != "http" || port != "80") && (u.Scheme != "https" || port != "443") {
		host += ":" + port
	}
	u.Host = host
	if u.Path == "" {
		u.Path = "/"
	}
	return u
}

// fetch returns the snapshot of the day, or makes one.
func (f *Fetcher) fetch(ctx context.Context, u *url.URL, fresh bool) (*Snapshot, error) {
	var earlier *Snapshot
	if !fresh {
		known, err := f.known(ctx, u.String())
		if err != nil {
			return nil, err
		}
		renders := f.config.Renderer != nil && known != nil && known.Outcome == ScriptShell && known.Renderer == ""
		if known != nil && sameDay(known.Finished, time.Now()) && !renders {
			return known, nil
		}
		earlier = known
	}
	s := &Snapshot{Version: SnapshotVersion, URL: u.String(), Started: time.Now().UTC()}
	t := &trip{f: f, s: s, url: u, asked: u, earlier: earlier, fresh: fresh, left: f.config.Timeout}
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	if s.Outcome == ScriptShell && f.config.Renderer != nil {
		if err := f.render(ctx, s); err != nil {
			return nil, err
		}
	}
	s.Finished = time.Now().UTC()
	if err := f.keep(ctx, s); err != nil {
		return nil, err
	}
	f.config.Logger.InfoContext(ctx, "fetched", "url", clip(s.URL), "outcome", s.Outcome, "status", s.Status, "bytes", s.Size, "took", s.Finished.Sub(s.Started))
	return s, nil
}

// known returns the newest snapshot of a URL, or nil. One that cannot be read any
// more counts as none.
func (f *Fetcher) known(ctx context.Context, url string) (*Snapshot, error) {
	if f.config.Blobs == nil {
		return nil, nil
	}
	e, ok, err := f.config.Cache.Get(ctx, url)
	if err != nil || !ok {
		return nil, err
	}
	s, err := Open(ctx, f.config.Blobs, e.Ref)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil || s.URL != url {
		f.config.Logger.WarnContext(ctx, "a snapshot of the cache is gone", "url", clip(url), "ref", e.Ref, "err", err)
		return nil, nil
	}
	if !f.reachable(s) {
		return nil, nil
	}
	return s, nil
}

// reachable tells whether the guard would let a snapshot be fetched that others have
// fetched, who may have had leave for more. What is not known any more is the host
// that an allowed name stood for.
func (f *Fetcher) reachable(s *Snapshot) bool {
	addresses := []string{s.URL, s.FinalURL}
	for _, r := range s.Redirects {
		addresses = append(addresses, r.URL)
	}
	for _, a := range addresses {
		if a == "" {
			continue
		}
		if u, err := parseURL(a); err != nil || f.guard.CheckURL(u) != nil {
			return false
		}
	}
	if len(f.config.Guard.Allow) > 0 {
		return true
	}
	remote, err := netip.ParseAddrPort(s.RemoteAddr)
	return err != nil || f.guard.CheckAddr(remote.Addr()) == nil
}

// keep stores a snapshot, and makes it the newest of its URL if its outcome is not
// one of the moment.
func (f *Fetcher) keep(ctx context.Context, s *Snapshot) error {
	if f.config.Blobs == nil {
		return nil
	}
	if err := Save(ctx, f.config.Blobs, s); err != nil {
		return err
	}
	if !s.Outcome.settled() {
		return nil
	}
	return f.config.Cache.Put(ctx, s.URL, CacheEntry{s.Ref, s.Finished})
}

// sameDay tells whether two times are on one day in UTC.
func sameDay(a, b time.Time) bool {
	return a.UTC().Format(time.DateOnly) == b.UTC().Format(time.DateOnly)
}

// render has the scripts of a page run, and judges what they made of it.
func (f *Fetcher) render(ctx context.Context, s *Snapshot) error {
	made, err := f.config.Renderer.Render(ctx, s.FinalURL)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		s.warn("not_rendered", fmt.Sprintf("the scripts of the page could not be run: %v", err))
		return nil
	}
	if int64(len(made.HTML)) > f.config.MaxBytes {
		s.warn("not_rendered", "what the scripts made of the page is too large")
		return nil
	}
	final, err := parseURL(made.FinalURL)
	if err == nil {
		err = f.guard.CheckURL(final)
	}
	if err != nil {
		s.warn("not_rendered", fmt.Sprintf("the scripts led to another page: %v", err))
		return nil
	}
	if f.config.Blobs != nil {
		if _, err := f.config.Blobs.Put(ctx, s.body); err != nil {
			return fmt.Errorf("save snapshot of %s: %w", clip(s.URL), err)
		}
	}
	s.Unrendered, s.Renderer, s.FinalURL = s.BodyRef, made.Renderer, final.String()
	s.setBody(made.HTML)
	s.MediaType = "text/html"
	asked, _ := url.Parse(s.URL)
	judged := classify(seen{page: look(made.HTML, "text/html; charset=utf-8"), asked: asked, final: final, status: s.Status})
	if judged.outcome == OK {
		judged.reason = "the page has text after its scripts have run."
	}
	s.end(judged.outcome, judged.reason, judged.signals...)
	return nil
}
