package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/web/guard"
)

// errTimeout is the cause of the end of a context whose time is up.
var errTimeout = errors.New("the time for the fetch is up")

// trip is one fetch on its way from URL to URL.
type trip struct {
	f *Fetcher
	s *Snapshot
	// url is where it is, asked where it began.
	url, asked *url.URL
	// earlier is a snapshot to be revalidated, or nil.
	earlier *Snapshot
	fresh   bool
	// left is the time that is left for the network.
	left    time.Duration
	retried bool
}

// run follows the redirects to an outcome. Its errors are ends of the context.
func (t *trip) run(ctx context.Context) error {
	visited := make(map[string]bool)
	for {
		key := t.url.String()
		if err := t.f.guard.CheckURL(t.url); err != nil {
			t.s.refuse(err)
			return nil
		}
		if visited[key] {
			t.s.end(Unreachable, "the redirects lead back to where they were, as they do on sites that insist on cookies.", Signal{"redirect_loop", "network", clipFound(key)})
			return nil
		}
		if len(t.s.Redirects) > t.f.config.MaxRedirects {
			t.s.end(Unreachable, fmt.Sprintf("there are more than %d redirects.", t.f.config.MaxRedirects), Signal{Name: "too_many_redirects", Where: "network"})
			return nil
		}
		visited[key] = true
		next, again, err := t.step(ctx)
		if err != nil {
			return err
		}
		switch {
		case again:
			delete(visited, key)
		case next == nil:
			return nil
		default:
			t.url = next
		}
	}
}

// step makes one request. It returns where the answer leads, or that the same
// request is to be made again, or neither if the snapshot has its outcome.
func (t *trip) step(ctx context.Context) (next *url.URL, again bool, err error) {
	host := t.url.Hostname()
	var delay time.Duration
	if !t.f.config.IgnoreRobots {
		v, err := t.f.robots.check(ctx, t.url)
		if err != nil {
			return nil, false, err
		}
		if v.outcome != "" {
			t.s.FinalURL = t.url.String()
			t.s.end(v.outcome, v.reason, v.signals...)
			return nil, false, nil
		}
		delay = min(v.delay, t.f.config.CrawlDelayMax)
	}
	end, err := t.f.pacer.begin(ctx, host, delay)
	if err != nil {
		var wait *waitError
		if errors.As(err, &wait) {
			t.s.RetryAt = wait.until.UTC()
			t.s.end(RateLimited, wait.Error()+".", Signal{"retry_after", "limit", wait.until.UTC().Format(time.RFC3339)})
			return nil, false, nil
		}
		return nil, false, err
	}
	defer end()
	return t.ask(ctx)
}

// ask sends the request and reads the answer.
func (t *trip) ask(ctx context.Context) (next *url.URL, again bool, err error) {
	began := time.Now()
	defer func() { t.left -= time.Since(began) }()
	timed, cancel := context.WithTimeoutCause(ctx, t.left, errTimeout)
	defer cancel()
	t.s.Requests++
	t.s.FinalURL = t.url.String()
	resp, err := t.send(timed)
	if err != nil {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		t.s.fail(err, timed)
		return nil, false, nil
	}
	defer resp.Body.Close()
	t.s.Status, t.s.Proto, t.s.Header = resp.StatusCode, resp.Proto, publicHeader(resp.Header)

	if again := t.limited(resp); again {
		return nil, true, nil
	}
	if next := t.redirected(resp); next != nil || t.s.Outcome != "" {
		return next, false, nil
	}
	if resp.StatusCode == http.StatusNotModified && t.earlier != nil {
		t.unchanged()
		return nil, false, nil
	}
	stop := func(head []byte) string { return hopeless(head, resp.Header, t.url.Path) }
	if resp.StatusCode >= 300 {
		stop = nil
	}
	got := receive(resp.Body, resp.Header, t.f.config.MaxBytes, t.f.config.MaxRatio, stop)
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	return t.judge(got, resp), false, nil
}

// send sends one request, without cookies, referrer or credentials.
func (t *trip) send(ctx context.Context) (*http.Response, error) {
	req := &http.Request{Method: http.MethodGet, URL: t.url, Host: t.url.Host, Header: http.Header{
		"Accept":          {"text/html, application/xhtml+xml, application/pdf, application/xml;q=0.9, */*;q=0.8"},
		"Accept-Encoding": {acceptEncoding},
		"Accept-Language": {t.f.config.AcceptLanguage},
		"User-Agent":      {t.f.config.UserAgent},
	}}
	if t.fresh {
		req.Header.Set("Cache-Control", "no-cache")
	}
	if e := t.earlier; e != nil && e.FinalURL == t.url.String() && e.Outcome == OK && e.Renderer == "" {
		if tag := e.Header.Get("Etag"); tag != "" {
			req.Header.Set("If-None-Match", tag)
		}
		if at := e.Header.Get("Last-Modified"); at != "" {
			req.Header.Set("If-Modified-Since", at)
		}
	}
	t.s.RequestHeader = req.Header.Clone()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		t.s.RemoteAddr = i.Conn.RemoteAddr().String()
	}})
	return t.f.transport.RoundTrip(req.WithContext(ctx))
}

// limited notes a wish to be left alone, and tells whether the request is to be
// made again after it: once, and only where the host said when.
func (t *trip) limited(resp *http.Response) (again bool) {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return false
	}
	wait, stated := retryAfter(resp.Header, time.Now())
	if !stated {
		if resp.StatusCode == http.StatusServiceUnavailable {
			return false
		}
		wait = 10 * time.Second
	}
	until := time.Now().Add(min(wait, t.f.config.RetryAfterMax))
	t.f.pacer.leaveAlone(t.url.Hostname(), until)
	t.s.RetryAt = until.UTC()
	if stated && !t.retried && wait <= t.f.config.MaxWait {
		t.retried = true
		t.s.RetryAt = time.Time{}
		return true
	}
	return false
}

// retryAfter reads Retry-After: seconds, or a date (RFC 9110, section 10.2.3).
func retryAfter(h http.Header, now time.Time) (wait time.Duration, ok bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0, false
	}
	if strings.Trim(value, "0123456789") == "" {
		if len(value) > 9 {
			value = "999999999"
		}
		d, err := time.ParseDuration(value + "s")
		return d, err == nil
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(at.Sub(now), 0), true
}

// redirected returns where an answer leads, or nil if it leads nowhere. It sets the
// outcome for one that leads to what is no URL.
func (t *trip) redirected(resp *http.Response) *url.URL {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		t.s.end(ServerError, fmt.Sprintf("the status is %d, and the answer does not say where it leads.", resp.StatusCode), Signal{"no_location", "header", ""})
		return nil
	}
	io.CopyN(io.Discard, resp.Body, 4<<10) // lets the connection be used again
	return t.lead(resp.StatusCode, location)
}

// lead notes a redirect, and returns where it leads; it sets the outcome if that is
// no URL.
func (t *trip) lead(status int, location string) *url.URL {
	t.s.Redirects = append(t.s.Redirects, Redirect{t.url.String(), status, strings.ToValidUTF8(clip(location), "\ufffd")})
	ref, err := url.Parse(strings.TrimSpace(location))
	var next *url.URL
	if err == nil {
		next, err = parseURL(t.url.ResolveReference(ref).String())
	}
	if err != nil {
		t.s.refuse(&guard.Error{Object: "the target of a redirect", Code: "malformed", Reason: "it is not a well-formed URL"})
		return nil
	}
	return next
}

// unchanged takes the body of the earlier snapshot, which the host says is still
// the page. The header of that answer is brought up to date (RFC 9111, section 4.3.4).
func (t *trip) unchanged() {
	e := t.earlier
	header := publicHeader(e.Header)
	for name, values := range t.s.Header {
		if name != "Content-Encoding" && name != "Content-Length" && name != "Content-Type" && name != "Transfer-Encoding" {
			header[name] = values
		}
	}
	t.s.Header = header
	t.s.Outcome, t.s.Reason, t.s.Signals, t.s.Warnings = e.Outcome, e.Reason, e.Signals, e.Warnings
	t.s.MediaType, t.s.Codings, t.s.body, t.s.BodyRef, t.s.Size = e.MediaType, e.Codings, e.body, e.BodyRef, e.Size
	t.s.WireSize, t.s.WireRef = e.WireSize, e.WireRef
	t.s.Revalidated = e.Ref
}

// judge decides on an answer that was read. It returns where a page leads by
// itself, if it does.
func (t *trip) judge(got received, resp *http.Response) *url.URL {
	s := t.s
	s.WireSize, s.WireRef, s.Codings = got.wire, got.ref, got.codings
	switch {
	case got.limit != "":
		s.end(TooLarge, got.limit+".", Signal{"limit", "limit", clipFound(got.limit)})
		return nil
	case got.network != nil && isTimeout(got.network):
		s.end(Timeout, fmt.Sprintf("the answer did not end in time; %d bytes came.", got.wire), Signal{"body_timeout", "network", ""})
		return nil
	}
	if resp.StatusCode < 300 && got.unsupported != "" {
		s.MediaType = mediaType(got.body, resp.Header, t.url.Path)
		s.end(UnsupportedType, got.unsupported+", which no text is read from.", Signal{"type", "bytes", s.MediaType})
		return nil
	}
	s.setBody(got.body)
	s.MediaType = mediaType(got.body, resp.Header, t.url.Path)
	t.damage(got)
	if base := statusOutcome(resp.StatusCode); base != OK {
		t.refused(base, resp)
		return nil
	}
	switch {
	case len(bytes.TrimSpace(got.body)) == 0:
		s.end(Empty, "the answer has no body.", Signal{"no_body", "bytes", ""})
		if got.coding != nil {
			s.Reason = fmt.Sprintf("nothing of the body could be decoded: %v.", got.coding)
		}
		s.dropBody()
		return nil
	case !isReadable(s.MediaType):
		s.end(UnsupportedType, fmt.Sprintf("it is %s, which no text is read from.", s.MediaType), Signal{"type", "bytes", s.MediaType})
		s.dropBody()
		return nil
	}
	return t.judgePage(resp)
}

// damage notes what is not as it should be with a body.
func (t *trip) damage(got received) {
	if got.lie != "" {
		t.s.warn("encoding", fmt.Sprintf("the header says that the body is coded as %s, and it is not.", got.lie))
	}
	if got.network != nil {
		t.s.warn("truncated", fmt.Sprintf("the answer ended before its end: %v. What came is kept.", got.network))
	}
	if got.coding != nil {
		t.s.warn("damaged", fmt.Sprintf("the content coding is damaged: %v. What could be read before it is kept.", got.coding))
	}
}

// judgePage decides on a body that came with a status of success.
func (t *trip) judgePage(resp *http.Response) *url.URL {
	s := t.s
	if resp.StatusCode == http.StatusPartialContent {
		s.warn("truncated", "the host sent a part of the page, although the whole was asked for.")
	}
	if !isPage(s.MediaType) {
		s.end(OK, "the host sent a document.")
		return nil
	}
	p := look(s.body, resp.Header.Get("Content-Type"))
	if p.refresh != "" && p.prose < littleProse && p.visible < shellText {
		if next := t.lead(resp.StatusCode, p.refresh); next == nil || next.String() != t.url.String() {
			s.dropBody()
			s.Warnings = nil
			return next
		}
		s.Redirects = s.Redirects[:len(s.Redirects)-1] // it only loads itself anew
	}
	v := classify(seen{page: p, asked: t.asked, final: t.url, header: resp.Header, status: resp.StatusCode})
	if v.outcome == ScriptShell && s.cutShort() {
		v = verdict{Empty, "what came of the page before it broke off shows no text.", []Signal{{Name: "no_text", Where: "text"}}}
	}
	if v.outcome == OK {
		if sig, away := t.sentToFront(); away {
			s.end(NotFound, "the host leads from a page deep in the site to its front page, as it does for pages that are not there.", sig)
			return nil
		}
		v.reason = "the host sent a page with text."
	}
	s.end(v.outcome, v.reason, v.signals...)
	return nil
}

// cutShort tells whether the end of the body is missing.
func (s *Snapshot) cutShort() bool {
	return slices.ContainsFunc(s.Warnings, func(w extract.Warning) bool { return w.Code == "damaged" || w.Code == "truncated" })
}

// sentToFront tells whether a page deep in a site was asked for, and its front page
// was given.
func (t *trip) sentToFront() (Signal, bool) {
	if len(t.s.Redirects) == 0 || bare(t.asked.Hostname()) != bare(t.url.Hostname()) {
		return Signal{}, false
	}
	final := strings.Trim(t.url.Path, "/")
	deep := strings.Trim(t.asked.Path, "/")
	front := final == "" || len(final) == 2 && !strings.HasPrefix(deep, final+"/") || final == "index.html" || final == "index.php"
	name := path.Base(deep)
	isDeep := strings.Contains(deep, "/") || strings.Count(name, "-") >= 2
	if !front || !isDeep || t.url.RawQuery != "" {
		return Signal{}, false
	}
	return Signal{"redirected_to_front", "url", clipFound(t.asked.Path + " -> " + t.url.Path)}, true
}

// bare is a host without "www." or "m.".
func bare(host string) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(host), "www."), "m.")
}

// statusOutcome is what a status means by itself.
func statusOutcome(status int) Outcome {
	switch {
	case status == http.StatusNoContent || status == http.StatusResetContent:
		return Empty
	case status >= 200 && status < 300, status == http.StatusMultipleChoices:
		return OK
	}
	switch status {
	case http.StatusUnauthorized:
		return Login
	case http.StatusNotFound:
		return NotFound
	case http.StatusGone:
		return Gone
	case http.StatusRequestTimeout:
		return Timeout
	case http.StatusTooManyRequests:
		return RateLimited
	}
	if status >= 400 && status < 500 {
		return Blocked
	}
	return ServerError
}

// refused decides on an answer whose status is not one of success: the page that
// came with it may tell more.
func (t *trip) refused(base Outcome, resp *http.Response) {
	s := t.s
	status := Signal{"status", "status", fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))}
	reason := fmt.Sprintf("the host answered with status %d.", resp.StatusCode)
	if base == Empty {
		s.dropBody()
	}
	if isPage(s.MediaType) && (base == Blocked || base == ServerError || base == Login) {
		v := classify(seen{page: look(s.body, resp.Header.Get("Content-Type")), asked: t.asked, final: t.url, header: resp.Header, status: resp.StatusCode})
		if v.outcome == Blocked || v.outcome == Login && base == Blocked {
			s.end(v.outcome, v.reason, append([]Signal{status}, v.signals...)...)
			return
		}
	}
	s.end(base, reason, status)
}

// refuse ends the fetch of a URL that the guard refuses.
func (s *Snapshot) refuse(err error) {
	code := "address"
	var refused *guard.Error
	if errors.As(err, &refused) {
		code = refused.Code
	}
	s.end(ForbiddenAddress, sentence(err), Signal{code, "url", ""})
}

// fail ends the fetch of an answer that did not come.
func (s *Snapshot) fail(err error, ctx context.Context) {
	o, reason, signal := networkOutcome(err, ctx)
	s.end(o, reason, signal)
}

// networkOutcome tells what an error of the network means.
func networkOutcome(err error, ctx context.Context) (Outcome, string, Signal) {
	var refused *guard.Error
	var dns *net.DNSError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var op *net.OpError
	found := clipFound(err.Error())
	switch {
	case errors.As(err, &refused):
		return ForbiddenAddress, sentence(refused), Signal{refused.Code, "network", clipFound(refused.Object)}
	case isTimeout(err) || ctx.Err() != nil:
		return Timeout, "the host did not answer in time.", Signal{"timeout", "network", found}
	case errors.As(err, &dns):
		return Unreachable, "the name of the host could not be resolved.", Signal{"dns", "network", found}
	case errors.As(err, &cert), errors.As(err, &unknown), errors.As(err, &record), errors.As(err, &alert), strings.Contains(err.Error(), "tls:"):
		return Unreachable, "no secure connection to the host could be made.", Signal{"tls", "network", found}
	case errors.As(err, &op) && op.Op == "dial":
		return Unreachable, "the host could not be connected to.", Signal{"connection", "network", found}
	case strings.Contains(err.Error(), "malformed") || strings.Contains(err.Error(), "headers exceeded") || strings.Contains(err.Error(), "bad Content-Length"):
		return ServerError, "what the host answered is not HTTP.", Signal{"protocol", "network", found}
	}
	return Unreachable, "the connection to the host broke before it answered.", Signal{"connection", "network", found}
}

// sentence makes a sentence of an error.
func sentence(err error) string {
	s := strings.TrimSuffix(err.Error(), ".")
	return strings.ToValidUTF8(clip(s), "\ufffd") + "."
}
