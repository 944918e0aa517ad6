package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/guard"
	"github.com/quarry-sdk/quarry/web/webtest"
)

// host serves a page at all paths, and what it is given as robots.txt.
func host(robots string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			w.WriteHeader(status)
			io.WriteString(w, robots)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, story)
	}
}

func TestRobotsAreHonoured(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		robots string
		status int
		config web.Config
		want   web.Outcome
	}{
		{"no rule", "User-agent: *\nDisallow: /b", 200, web.Config{}, web.OK},
		{"a rule", "User-agent: *\nDisallow: /a", 200, web.Config{}, web.Robots},
		{"a rule for us", "User-agent: Quarry\nDisallow: /a\nUser-agent: *\nDisallow:", 200, web.Config{}, web.Robots},
		{"another agent", "User-agent: Quarry\nDisallow: /a\nUser-agent: *\nDisallow:", 200, web.Config{UserAgent: "Other/1"}, web.OK},
		{"ignored", "User-agent: *\nDisallow: /", 200, web.Config{IgnoreRobots: true}, web.OK},
		{"not there", "", 404, web.Config{}, web.OK},
		{"forbidden", "", 403, web.Config{}, web.OK},
		{"a server's error", "", 500, web.Config{}, web.Robots},
		{"too busy", "", 503, web.Config{}, web.Robots},
		{"too often", "", 429, web.Config{}, web.Robots},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := webtest.NewNet(t)
			n.Handle("site.example", host(x.robots, x.status))
			s := fetch(t, newFetcher(t, n, x.config), "http://site.example/a")
			if s.Outcome != x.want {
				t.Errorf("%s: %s (%s), want %s", x.name, s.Outcome, s.Reason, x.want)
			}
			if x.want == web.Robots && (s.Requests != 0 || len(s.Signals) != 1) {
				t.Errorf("%s: %d requests, signals %v", x.name, s.Requests, s.Signals)
			}
		})
	}
}

// TestRobotsOfRedirects checks the rules of each host on the way, one of whose
// robots.txt is on another host.
func TestRobotsOfRedirects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := webtest.NewNet(t)
		n.Handle("one.example", http.RedirectHandler("http://two.example/a", http.StatusFound))
		n.Handle("two.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://rules.example/robots.txt", http.StatusMovedPermanently)
		}))
		n.Handle("rules.example", host("User-agent: *\nDisallow: /a", 200))
		s := fetch(t, newFetcher(t, n, web.Config{}), "http://one.example/x")
		if s.Outcome != web.Robots || s.FinalURL != "http://two.example/a" || len(s.Redirects) != 1 {
			t.Errorf("%s at %s after %v (%s)", s.Outcome, s.FinalURL, s.Redirects, s.Reason)
		}
	})
}

// TestRobotsAreAskedForOnceADay counts the requests for robots.txt.
func TestRobotsAreAskedForOnceADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		n := webtest.NewNet(t)
		n.Handle("site.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				asked.Add(1)
			}
			host("", 404)(w, r)
		}))
		f := newFetcher(t, n, web.Config{HostConcurrency: 8})
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { fetch(t, f, fmt.Sprintf("http://site.example/%d", i)) })
		}
		all.Wait()
		if asked.Load() != 1 {
			t.Errorf("robots.txt was asked for %d times by eight", asked.Load())
		}
		time.Sleep(23 * time.Hour)
		fetch(t, f, "http://site.example/x")
		if asked.Load() != 1 {
			t.Error("robots.txt was asked for again within a day")
		}
		time.Sleep(2 * time.Hour)
		fetch(t, f, "http://site.example/y")
		if asked.Load() != 2 {
			t.Error("robots.txt was not asked for again after a day")
		}
	})
}

// clock notes when requests came, and how many were there at once.
type clock struct {
	mu       sync.Mutex
	start    time.Time
	at       []time.Duration
	now, max int
	takes    time.Duration
}

func (c *clock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	c.mu.Lock()
	c.at = append(c.at, time.Since(c.start))
	c.now++
	c.max = max(c.max, c.now)
	c.mu.Unlock()
	time.Sleep(c.takes)
	c.mu.Lock()
	c.now--
	c.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, story)
}

func TestHostsAreNotAskedTooOften(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		config web.Config
		takes  time.Duration
		hosts  int
		want   string
		most   int
	}{
		{"interval", web.Config{HostInterval: 2 * time.Second}, 0, 1, "[0s 2s 4s 6s]", 1},
		{"default interval", web.Config{HostInterval: 500 * time.Millisecond}, 0, 1, "[0s 500ms 1s 1.5s]", 1},
		{"concurrency of a host", web.Config{HostConcurrency: 2}, time.Second, 1, "[0s 0s 1s 1s]", 2},
		{"interval and concurrency", web.Config{HostInterval: 300 * time.Millisecond, HostConcurrency: 1}, time.Second, 1, "[0s 1s 2s 3s]", 1},
		{"concurrency of all", web.Config{MaxConcurrency: 1}, time.Second, 4, "[0s 1s 2s 3s]", 1},
		{"hosts apart", web.Config{HostInterval: time.Hour}, time.Second, 4, "[0s 0s 0s 0s]", 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := webtest.NewNet(t)
			c := &clock{start: time.Now(), takes: x.takes}
			for i := range x.hosts {
				n.Handle(fmt.Sprintf("h%d.example", i), c)
			}
			f := newFetcher(t, n, x.config)
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() { fetch(t, f, fmt.Sprintf("http://h%d.example/%d", i%x.hosts, i)) })
			}
			all.Wait()
			if got := fmt.Sprint(c.at); got != x.want || c.max != x.most {
				t.Errorf("%s: the requests came at %s, at most %d at once; want %s and %d", x.name, got, c.max, x.want, x.most)
			}
		})
	}
}

func TestCrawlDelayIsKept(t *testing.T) {
	t.Parallel()
	for delay, want := range map[string]time.Duration{"3": 3 * time.Second, "7200": 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			n := webtest.NewNet(t)
			n.Handle("site.example", host("User-agent: *\nCrawl-delay: "+delay, 200))
			f := newFetcher(t, n, web.Config{})
			began := time.Now()
			fetch(t, f, "http://site.example/1")
			fetch(t, f, "http://site.example/2")
			if got := time.Since(began); got != want {
				t.Errorf("with a delay of %s, the second page came after %v, want %v", delay, got, want)
			}
		})
	}
}

// limits answers with a status and Retry-After as long as it is not left alone.
func limits(status int, after string, until time.Time, asked *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		if time.Now().Before(until) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(status)
			return
		}
		io.WriteString(w, story)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		status int
		after  func(now time.Time) string
		free   time.Duration // when the host answers again
		config web.Config
		want   web.Outcome
		took   time.Duration
		asked  int64
	}{
		{"seconds", 429, func(time.Time) string { return "7" }, 7 * time.Second, web.Config{}, web.OK, 7 * time.Second, 2},
		{"seconds with 503", 503, func(time.Time) string { return "7" }, 7 * time.Second, web.Config{}, web.OK, 7 * time.Second, 2},
		{"a date", 429, func(now time.Time) string { return now.Add(9 * time.Second).UTC().Format(http.TimeFormat) }, 9 * time.Second, web.Config{}, web.OK, 9 * time.Second, 2},
		{"a date that has passed", 429, func(now time.Time) string { return now.Add(-time.Hour).UTC().Format(http.TimeFormat) }, 0, web.Config{}, web.OK, 0, 1},
		{"asked again only once", 429, func(time.Time) string { return "7" }, time.Hour, web.Config{}, web.RateLimited, 7 * time.Second, 2},
		{"too long", 429, func(time.Time) string { return "31" }, time.Hour, web.Config{}, web.RateLimited, 0, 1},
		{"long, and a patient caller", 429, func(time.Time) string { return "31" }, 31 * time.Second, web.Config{MaxWait: time.Minute}, web.OK, 31 * time.Second, 2},
		{"without a number", 429, func(time.Time) string { return "soon" }, time.Hour, web.Config{}, web.RateLimited, 0, 1},
		{"503 without a number", 503, func(time.Time) string { return "" }, time.Hour, web.Config{}, web.ServerError, 0, 1},
		{"a number without an end", 429, func(time.Time) string { return strings.Repeat("9", 400) }, time.Hour, web.Config{}, web.RateLimited, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := webtest.NewNet(t)
			var asked atomic.Int64
			began := time.Now()
			n.Handle("site.example", limits(x.status, x.after(began), began.Add(x.free), &asked))
			f := newFetcher(t, n, x.config)
			s := fetch(t, f, "http://site.example/a")
			if took := time.Since(began); s.Outcome != x.want || took != x.took || asked.Load() != x.asked || s.Requests != int(x.asked) {
				t.Errorf("%s: %s (%s) after %v and %d requests, want %s after %v and %d", x.name, s.Outcome, s.Reason, took, asked.Load(), x.want, x.took, x.asked)
			}
			if s.Outcome == web.RateLimited && s.RetryAt.IsZero() {
				t.Errorf("%s: nothing says when to ask again", x.name)
			}
		})
	}
}

// TestRetryAfterHoldsForAll checks that a wish to be left alone, told to one, is
// kept by the others, and that one without an end is not.
func TestRetryAfterHoldsForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := webtest.NewNet(t)
		var asked atomic.Int64
		began := time.Now()
		n.Handle("site.example", limits(429, "86400", began.Add(5*time.Minute), &asked))
		n.Handle("other.example", host("", 404))
		f := newFetcher(t, n, web.Config{RetryAfterMax: 10 * time.Minute})
		if s := fetch(t, f, "http://site.example/1"); s.Outcome != web.RateLimited {
			t.Fatalf("the first is %s", s.Outcome)
		}
		s := fetch(t, f, "http://site.example/2")
		if s.Outcome != web.RateLimited || s.Requests != 0 || !s.RetryAt.Equal(began.Add(10*time.Minute).UTC()) {
			t.Errorf("the second is %s after %d requests, to be asked again at %v", s.Outcome, s.Requests, s.RetryAt)
		}
		if s := fetch(t, f, "http://other.example/"); s.Outcome != web.OK {
			t.Errorf("another host is %s", s.Outcome)
		}
		if asked.Load() != 1 {
			t.Errorf("the host was asked %d times", asked.Load())
		}
		time.Sleep(9*time.Minute + 45*time.Second)
		if s := fetch(t, f, "http://site.example/3"); s.Outcome != web.OK || time.Since(began) != 10*time.Minute {
			t.Errorf("the third is %s after %v", s.Outcome, time.Since(began))
		}
	})
}

func TestCallersShareARequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := webtest.NewNet(t)
		c := &clock{start: time.Now(), takes: 10 * time.Second}
		n.Handle("site.example", c)
		f := newFetcher(t, n, web.Config{})
		impatient, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the first has left")
		var all sync.WaitGroup
		var got [3]*web.Snapshot
		all.Go(func() {
			if _, err := f.Fetch(impatient, web.Request{URL: "http://site.example/a"}); !errors.Is(err, gone) {
				t.Errorf("who left got %v", err)
			}
		})
		synctest.Wait()
		for i := range got {
			all.Go(func() { got[i] = fetch(t, f, "http://SITE.example:80/a#part") })
		}
		synctest.Wait()
		time.Sleep(time.Second)
		cancel(gone)
		all.Wait()
		if len(c.at) != 1 {
			t.Errorf("the host was asked %d times", len(c.at))
		}
		if got[0].Outcome != web.OK || got[0] != got[1] || got[1] != got[2] {
			t.Errorf("the snapshots are %v", got)
		}
	})
}

// TestLastCallerStopsTheRequest checks that a request that nobody waits for ends,
// and that the next caller does not get its error.
func TestLastCallerStopsTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := webtest.NewNet(t)
		ended := make(chan struct{}, 1)
		var slow atomic.Bool
		slow.Store(true)
		n.Handle("site.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" && slow.Load() {
				<-r.Context().Done()
				ended <- struct{}{}
				return
			}
			host("", 404)(w, r)
		}))
		f := newFetcher(t, n, web.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.Fetch(ctx, web.Request{URL: "http://site.example/a"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller got %v", err)
		}
		<-ended
		slow.Store(false)
		if s := fetch(t, f, "http://site.example/a"); s.Outcome != web.OK {
			t.Errorf("the next caller got %s: %s", s.Outcome, s.Reason)
		}
		if _, err := f.Fetch(ctx, web.Request{URL: "http://site.example/a"}); err == nil {
			t.Error("a context that has ended was let in")
		}
		if _, err := f.Fetch(t.Context(), web.Request{}); err == nil {
			t.Error("an empty URL was let in")
		}
	})
}

// TestNothingIsGivenAway checks what is sent: no cookies, no referrer, no
// credentials; and that what authenticates is not kept.
func TestNothingIsGivenAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var names []string
		n := webtest.NewNet(t)
		n.Handle("site.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			for name := range r.Header {
				names = append(names, name)
			}
			if r.UserAgent() != "Quarry/1 (+https://github.com/quarry-sdk/quarry)" {
				t.Errorf("the user agent is %q", r.UserAgent())
			}
			w.Header().Set("Set-Cookie", "session=secret")
			w.Header().Set("WWW-Authenticate", "Basic realm=secret")
			w.Header().Set("X-Kept", "yes")
			if r.URL.Path == "/a" {
				http.Redirect(w, r, "/b", http.StatusFound)
				return
			}
			host("", 404)(w, r)
		}))
		s := fetch(t, newFetcher(t, n, web.Config{}), "http://site.example/a")
		slices.Sort(names)
		if got := strings.Join(slices.Compact(names), " "); got != "Accept Accept-Encoding Accept-Language User-Agent" {
			t.Errorf("the headers %s were sent", got)
		}
		if s.Header.Get("X-Kept") != "yes" || strings.Contains(fmt.Sprint(s.Header), "secret") {
			t.Errorf("the header %v was kept", s.Header)
		}
	})
}

// TestNetworkFailures checks the outcomes of hosts that cannot be talked to.
func TestNetworkFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := webtest.NewNet(t)
		n.Resolve("nobody.example", []netip.Addr{netip.MustParseAddr("45.33.99.99")})
		n.Handle("plain.example", host("", 404))
		n.Handle("rude.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(conn, "hello, this is not HTTP\r\n\r\n")
			conn.Close()
		}))
		n.Handle("mute.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }))
		f := newFetcher(t, n, web.Config{IgnoreRobots: true})
		for _, x := range []struct {
			url    string
			want   web.Outcome
			signal string
		}{
			{"http://nowhere.example/", web.Unreachable, "dns"},
			{"http://nobody.example/", web.Unreachable, "connection"},
			{"https://plain.example/", web.Unreachable, "tls"},
			{"http://rude.example/", web.ServerError, "protocol"},
			{"http://mute.example/", web.Unreachable, "connection"},
		} {
			s := fetch(t, f, x.url)
			if s.Outcome != x.want || len(s.Signals) != 1 || s.Signals[0].Name != x.signal {
				t.Errorf("%s is %s (%s) with %v, want %s with %s", x.url, s.Outcome, s.Reason, s.Signals, x.want, x.signal)
			}
		}
	})
}

// TestCacheObeysGuard: what others have fetched who had leave for more is not given
// to those who have not.
func TestCacheObeysGuard(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<title>Inside</title><p>Words of the intranet, enough of them to be read as a page.</p>")
	}))
	defer srv.Close()
	blobs, err := blob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cache, err := web.NewFileCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		allow []string
		want  web.Outcome
	}{{[]string{"127.0.0.1"}, web.OK}, {nil, web.ForbiddenAddress}} {
		f, err := web.New(web.Config{Blobs: blobs, Cache: cache, Guard: guard.Config{Allow: tt.allow}, HostInterval: -1})
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Fetch(t.Context(), web.Request{URL: srv.URL + "/inside"})
		f.Close()
		if err != nil || s.Outcome != tt.want {
			t.Errorf("allowing %v: %v, %+v", tt.allow, err, s)
		}
	}
}
