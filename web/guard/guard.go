package guard

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Config is what a guard lets through. The zero value lets through the public web.
type Config struct {
	// Allow names what may be reached although it is not on the public web:
	// addresses ("127.0.0.1"), ranges ("10.1.0.0/16"), hosts ("wiki.lan") and all
	// hosts below a name (".lan"). A host that is named may resolve to any address,
	// and any port of what is named may be used. Defaults to nothing.
	Allow []string
	// Deny names hosts, and addresses and ranges as Allow does, that must not be
	// reached; it goes before Allow. ".example.org" is all hosts below that name,
	// and "example.org" is that host and all below it. Defaults to nothing.
	Deny []string
	// Dial opens a connection to an address that has passed, such as
	// "93.184.216.34:443". Defaults to a net.Dialer that checks the address of its
	// socket once more.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialTimeout is the time that one connection may take to open. Defaults to
	// 10 s.
	DialTimeout time.Duration
	// Only names the hosts that may be reached, as Deny does; no other may.
	// Defaults to all.
	Only []string
	// Ports are the only ports that may be used. Defaults to all but those of the
	// Fetch standard's list of bad ports and those of well-known databases and
	// control planes.
	Ports []uint16
	// Resolver finds the addresses of names. Defaults to net.DefaultResolver.
	Resolver Resolver
}

// Resolver finds the addresses of a host.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard checks URLs and addresses, and dials those that pass. It may be used by
// many goroutines at once.
type Guard struct {
	config            Config
	ranges            []special
	allow, deny, only hostList
}

// New returns a guard. It returns an error for an entry of a list that is neither a
// host nor an address nor a range.
func New(c Config) (*Guard, error) {
	c.Ports = slices.Clone(c.Ports)
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	if c.DialTimeout == 0 {
		c.DialTimeout = 10 * time.Second
	}
	g := &Guard{config: c, ranges: specials()}
	for _, l := range []struct {
		name    string
		entries []string
		to      *hostList
	}{{"Allow", c.Allow, &g.allow}, {"Deny", c.Deny, &g.deny}, {"Only", c.Only, &g.only}} {
		list, err := newHostList(l.entries)
		if err != nil {
			return nil, fmt.Errorf("new guard: %s: %w", l.name, err)
		}
		*l.to = list
	}
	return g, nil
}

// CheckURL returns an *[Error] if nothing may be fetched from u, before any name is
// resolved: another scheme than http and https, a user or password, a host that is
// local, refused or not written as one, an address that is not global, a port that
// is closed. A URL that passes may still be refused when it is dialled.
func (g *Guard) CheckURL(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return &Error{Object: "the URL", Code: "scheme", Reason: fmt.Sprintf("its scheme is %q", clip(u.Scheme)), Hint: "only http and https are fetched"}
	}
	if u.Opaque != "" {
		return &Error{Object: "the URL", Code: "malformed", Reason: "no // follows its scheme", Hint: "write it in full, such as https://example.org/page"}
	}
	if u.User != nil {
		return &Error{Object: "the URL", Code: "userinfo", Reason: "it has a user name or password in it", Hint: "leave out what stands before the @"}
	}
	port, bad := parsePort(u.Scheme, u.Port())
	if bad != nil {
		return bad
	}
	name, addr, err := canonicalHost(u.Hostname())
	if err != nil {
		return err
	}
	allowed, err := g.checkHost(name, addr)
	if err != nil {
		return err
	}
	if !allowed {
		allowed = addr.IsValid() && g.allow.hasAddr(addr)
	}
	return g.checkPort(port, allowed)
}

// CanonicalHost returns the host of a URL as it is looked up: in ASCII and lower
// case, without a dot at its end. It returns an *[Error] for what is no host.
func CanonicalHost(host string) (string, error) {
	name, _, err := canonicalHost(host)
	return name, err
}

// CheckAddr returns an *[Error] if an address must not be reached.
func (g *Guard) CheckAddr(a netip.Addr) error {
	if g.deny.hasAddr(a) {
		return &Error{Object: "address " + a.String(), Code: "denied", Reason: "it is on the list of what is denied"}
	}
	if g.allow.hasAddr(a) {
		return nil
	}
	if name := notGlobal(g.ranges, a); name != "" {
		return &Error{Object: "address " + a.String(), Code: "address", Reason: "it is not on the public web: " + name, Hint: allowHint}
	}
	return nil
}

// checkHost checks a host in its canonical form against the lists of names, and
// tells whether it is exempt from the rules for addresses and ports.
func (g *Guard) checkHost(name string, addr netip.Addr) (exempt bool, err error) {
	if g.deny.hasName(name, true) {
		return false, &Error{Object: "host " + name, Code: "denied", Reason: "it is on the list of hosts that are denied"}
	}
	if !g.only.empty() && !g.only.hasName(name, true) && !g.only.hasAddr(addr) {
		return false, &Error{Object: "host " + name, Code: "unlisted", Reason: "it is not on the list of the only hosts that may be reached"}
	}
	if addr.IsValid() {
		return false, g.CheckAddr(addr)
	}
	if g.allow.hasName(name, false) {
		return true, nil
	}
	if why := localName(name); why != "" {
		return false, &Error{Object: "host " + name, Code: "host", Reason: why, Hint: allowHint}
	}
	return false, nil
}

func (g *Guard) checkPort(port uint16, allowed bool) error {
	switch {
	case allowed:
		return nil
	case len(g.config.Ports) > 0:
		if !slices.Contains(g.config.Ports, port) {
			return &Error{Object: fmt.Sprintf("port %d", port), Code: "port", Reason: "it is not on the list of ports that may be used"}
		}
	case slices.Contains(closedPorts, port):
		return &Error{Object: fmt.Sprintf("port %d", port), Code: "port", Reason: "it belongs to a service other than the web", Hint: allowHint}
	}
	return nil
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// hostList is a list of hosts, addresses and ranges.
type hostList struct {
	names    []string // ".lan" is all below lan
	prefixes []netip.Prefix
}

func newHostList(entries []string) (hostList, error) {
	var l hostList
	for _, e := range entries {
		if p, err := netip.ParsePrefix(e); err == nil {
			l.prefixes = append(l.prefixes, p.Masked())
			continue
		}
		if a, err := netip.ParseAddr(strings.Trim(e, "[]")); err == nil {
			l.prefixes = append(l.prefixes, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
			continue
		}
		below := strings.HasPrefix(e, ".") || strings.HasPrefix(e, "*.")
		name, _, err := canonicalHost(strings.TrimPrefix(strings.TrimPrefix(e, "*"), "."))
		if err != nil || strings.ContainsAny(e, "/") {
			return l, fmt.Errorf("%q is neither a host nor an address nor a range; write %q, %q or %q", e, "example.org", "10.0.0.1", "10.0.0.0/8")
		}
		if below {
			name = "." + name
		}
		l.names = append(l.names, name)
	}
	return l, nil
}

func (l hostList) empty() bool { return len(l.names) == 0 && len(l.prefixes) == 0 }

func (l hostList) hasAddr(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsValid() && slices.ContainsFunc(l.prefixes, func(p netip.Prefix) bool { return p.Contains(a) })
}

// hasName tells whether a name is on the list; with below, one that is below a name
// of the list is too.
func (l hostList) hasName(name string, below bool) bool {
	return slices.ContainsFunc(l.names, func(e string) bool {
		return name == e || strings.HasPrefix(e, ".") && strings.HasSuffix(name, e) || below && strings.HasSuffix(name, "."+e)
	})
}
