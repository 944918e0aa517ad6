package guard_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"testing"

	"github.com/quarry-sdk/quarry/web/guard"
)

// TestPublicAddresses checks that what is on the public web may be reached, right
// beside the ranges that may not.
func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255", "198.20.0.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.17",
		"2606:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001::1", "2003::1", "2001:200::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8",
		"2a00:1450::5efe:8.8.8.8",
	} {
		if err := g.CheckAddr(netip.MustParseAddr(a)); err != nil {
			t.Error(err)
		}
	}
	if err := g.CheckAddr(netip.Addr{}); err == nil {
		t.Error("no address passed")
	}
}

// TestDialContext checks what is dialled, and that errors of the network stay what
// they are.
func TestDialContext(t *testing.T) {
	t.Parallel()
	var dialled []string
	g, err := guard.New(guard.Config{
		Allow: []string{"intranet.lan"},
		Resolver: names{
			"site.example.": {"10.0.0.1", "93.184.216.34", "2606:4700::1"}, "inside.example.": {"10.0.0.1"}, "intranet.lan.": {"10.0.0.2"},
		},
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = append(dialled, address)
			return nil, errors.New("nobody answers")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][]string{
		"site.example:443":    {"93.184.216.34:443", "[2606:4700::1]:443"},
		"SITE.example.:443":   {"93.184.216.34:443", "[2606:4700::1]:443"},
		"inside.example:443":  nil,
		"intranet.lan:6379":   {"10.0.0.2:6379"},
		"8.8.8.8:80":          {"8.8.8.8:80"},
		"[::ffff:8.8.8.8]:80": {"[::ffff:8.8.8.8]:80"},
		"8.8.8.8:22":          nil,
		"127.0.0.1:80":        nil,
		"0x7f.1:80":           nil,
		"nowhere.example:80":  nil,
		"nonsense":            nil,
		"8.8.8.8:http":        nil,
	} {
		dialled = nil
		if _, err := g.DialContext(t.Context(), "tcp", address); err == nil {
			t.Errorf("%s was connected to", address)
		}
		if len(dialled) != len(want) {
			t.Errorf("%s: %v was dialled, want %v", address, dialled, want)
			continue
		}
		for i := range want {
			if dialled[i] != want[i] {
				t.Errorf("%s: %v was dialled, want %v", address, dialled, want)
			}
		}
	}
	var dns *net.DNSError
	if _, err := g.DialContext(t.Context(), "tcp", "nowhere.example:80"); !errors.As(err, &dns) {
		t.Errorf("a name that is not there gives %v", err)
	}
}

type names map[string][]string

func (n names) LookupNetIP(_ context.Context, _, host string) (list []netip.Addr, err error) {
	for _, a := range n[host] {
		list = append(list, netip.MustParseAddr(a))
	}
	if list == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return list, nil
}

func FuzzCheckURL(f *testing.F) {
	for _, raw := range []string{"http://127.0.0.1/", "http://[::ffff:10.0.0.1]:80/", "http://①②⑦.1/", "http://a@b/", "https://example.org."} {
		f.Add(raw)
	}
	g, err := guard.New(guard.Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		if err != nil || g.CheckURL(u) != nil {
			return
		}
		name, err := guard.CanonicalHost(u.Hostname())
		if err != nil {
			t.Fatalf("%q passed, and its host has no name: %v", raw, err)
		}
		if again, err := guard.CanonicalHost(name); err != nil || again != name {
			t.Errorf("the name of %q is %q, and the name of that %q (%v)", raw, name, again, err)
		}
		if a, err := netip.ParseAddr(name); err == nil && g.CheckAddr(a) != nil {
			t.Errorf("%q passed with the address %s", raw, a)
		}
	})
}
