package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// maxDialled is how many addresses of a name are tried.
const maxDialled = 8

// DialContext resolves the host of address, checks every address that it stands
// for, and connects to the first that may be reached and answers. Addresses that
// may not be reached are passed over; if there is no other, the error is an
// *[Error]. It fits http.Transport.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &Error{Object: clip(address), Code: "malformed", Reason: "it is not a host and a port"}
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, &Error{Object: "port " + clip(port), Code: "port", Reason: "it is not a port"}
	}
	name, addr, err := canonicalHost(host)
	if err != nil {
		return nil, err
	}
	exempt, err := g.checkHost(name, addr)
	if err != nil {
		return nil, err
	}
	if err := g.checkPort(uint16(number), exempt || g.allow.hasAddr(addr)); err != nil {
		return nil, err
	}
	addrs := []netip.Addr{addr}
	if !addr.IsValid() {
		if addrs, err = g.resolve(ctx, name, exempt); err != nil {
			return nil, err
		}
	}
	return g.dialFirst(ctx, network, addrs, port, exempt)
}

// resolve returns the addresses of a name that may be reached.
func (g *Guard) resolve(ctx context.Context, name string, exempt bool) ([]netip.Addr, error) {
	// The dot at the end keeps the resolver from trying the search domains of a
	// local network.
	query := name
	if strings.Contains(name, ".") {
		query += "."
	}
	found, err := g.config.Resolver.LookupNetIP(ctx, "ip", query)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", name, err)
	}
	var first error
	var passed []netip.Addr
	for _, a := range found {
		a = a.Unmap()
		if err := g.CheckAddr(a); err != nil && (!exempt || g.deny.hasAddr(a)) {
			var refused *Error
			if first == nil && errors.As(err, &refused) {
				refused.Object = fmt.Sprintf("%s at %s", name, a)
				first = refused
			}
			continue
		}
		passed = append(passed, a)
	}
	if len(passed) == 0 {
		if first == nil {
			first = &net.DNSError{Err: "no address", Name: name, IsNotFound: true}
		}
		return nil, first
	}
	return passed[:min(len(passed), maxDialled)], nil
}

// dialFirst connects to the first address that answers.
func (g *Guard) dialFirst(ctx context.Context, network string, addrs []netip.Addr, port string, exempt bool) (net.Conn, error) {
	var first error
	for _, a := range addrs {
		conn, err := g.dial(ctx, network, net.JoinHostPort(a.String(), port), exempt)
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

func (g *Guard) dial(ctx context.Context, network, address string, exempt bool) (net.Conn, error) {
	if g.config.Dial != nil {
		ctx, cancel := context.WithTimeout(ctx, g.config.DialTimeout)
		defer cancel()
		return g.config.Dial(ctx, network, address)
	}
	dialer := net.Dialer{Timeout: g.config.DialTimeout}
	if !exempt {
		dialer.Control = g.Control
	}
	return dialer.DialContext(ctx, network, address)
}

// Control refuses a socket whose address must not be reached. It fits net.Dialer,
// for those who dial by themselves.
func (g *Guard) Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Error{Object: clip(address), Code: "malformed", Reason: "it is not an address and a port"}
	}
	return g.CheckAddr(at.Addr())
}
