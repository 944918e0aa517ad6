package fictional

import (
	"bytes"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/web/search"
)

// SearchHost is the host of the search engine, which answers like a SearXNG instance at
// /search. It is the base of a provider of package search: "http://" + SearchHost.
const SearchHost = "search.example"

// Web is the whole web: a handler that answers for every host by the name in the request.
// It may be used by many goroutines at once, and on a network in memory as well: its waits
// are timers that end with the request.
type Web struct {
	config Config
	pages  map[string]*page
	hosts  []string
	index  *search.Index
}

// New returns the web. The error is of embedded data that cannot be read.
func New(c Config) (*Web, error) {
	pages, err := loadPages()
	if err != nil {
		return nil, err
	}
	return &Web{config: c.filled(), pages: pages, hosts: hostsOf(pages), index: indexPages(pages)}, nil
}

// Hosts returns the names of the hosts, that of the search engine included.
func (w *Web) Hosts() []string {
	hosts := append([]string{SearchHost}, w.hosts...)
	slices.Sort(hosts)
	return hosts
}

// URLs returns the addresses at which something is or was: pages, walls, redirects, pages
// that are gone, and links that are known to be dead. It leaves out robots.txt.
func (w *Web) URLs() []string {
	urls := slices.Sorted(maps.Keys(w.pages))
	return slices.DeleteFunc(urls, func(u string) bool { return strings.HasSuffix(u, "/robots.txt") })
}

// ServeHTTP implements [http.Handler].
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !pause(r, w.config.Latency) {
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(rw, "this web is for reading", http.StatusMethodNotAllowed)
		return
	}
	host := hostOf(r)
	if host == SearchHost {
		w.serveSearch(rw, r)
		return
	}
	p := w.pages["http://"+host+r.URL.Path]
	if p == nil {
		if !slices.Contains(w.hosts, host) {
			http.Error(rw, "no host of this name is here", http.StatusMisdirectedRequest)
			return
		}
		http.NotFound(rw, r)
		return
	}
	if p.Slow && !pause(r, w.config.SlowPage) {
		return
	}
	p.serve(rw, r)
}

func (p *page) serve(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", p.kind)
	switch {
	case p.Location != "":
		http.Redirect(rw, r, p.Location, p.Status)
	case p.Status == http.StatusOK:
		rw.Header().Set("ETag", p.tag)
		http.ServeContent(rw, r, "", time.Time{}, bytes.NewReader(p.body))
	default:
		rw.WriteHeader(p.Status)
		if r.Method == http.MethodGet {
			rw.Write(p.body)
		}
	}
}

// hostOf is the host that a request names, without its port.
func hostOf(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(host)
}

// pause waits; it reports false if the request ended before.
func pause(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
