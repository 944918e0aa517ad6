package web_test

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/guard"
	"github.com/quarry-sdk/quarry/web/webtest"
)

// forbidden are URLs that must not be fetched, whether they are asked for or
// redirected to. Names below .rebind and the like are resolved by the test.
var forbidden = []struct{ url, code string }{
	// Loopback, in all the ways that some program reads it.
	{"http://127.0.0.1/", "address"},
	{"http://127.8.9.10/", "address"},
	{"http://127.0.0.1./", "address"},
	{"https://127.0.0.1:8443/", "address"},
	{"http://2130706433/", "number"},
	{"http://017700000001/", "number"},
	{"http://0177.0.0.1/", "number"},
	{"http://0x7f.0.0.1/", "number"},
	{"http://0x7f000001/", "number"},
	{"http://0X7F.1/", "number"},
	{"http://127.1/", "number"},
	{"http://127.0.1/", "number"},
	{"http://0/", "number"},
	{"http://0x/", "number"},
	{"http://127.0.0.1.1/", "number"},
	{"http://256.256.256.256/", "number"},
	{"http://0000127.0.0.1/", "number"},
	{"http://１２７.０.０.１/", "address"},
	{"http://127。0。0。1/", "address"},
	{"http://①②⑦.⓪.⓪.①/", "address"},
	{"http://localhost/", "host"},
	{"http://LOCALHOST:8080/", "host"},
	{"http://localhost./", "host"},
	{"http://ｌｏｃａｌｈｏｓｔ/", "host"},
	{"http://a.localhost/", "host"},
	{"http://[::1]/", "address"},
	{"http://[0:0:0:0:0:0:0:1]/", "address"},
	{"http://[::]/", "address"},
	{"http://0.0.0.0/", "address"},
	{"http://0.1.2.3/", "address"},
	// Addresses of IPv6 that carry one of IPv4.
	{"http://[::ffff:127.0.0.1]/", "address"},
	{"http://[::ffff:7f00:1]/", "address"},
	{"http://[::ffff:169.254.169.254]/", "address"},
	{"http://[::ffff:10.0.0.1]/", "address"},
	{"http://[::127.0.0.1]/", "address"},
	{"http://[::a9fe:a9fe]/", "address"},
	{"http://[64:ff9b::127.0.0.1]/", "address"},
	{"http://[64:ff9b::a9fe:a9fe]/", "address"},
	{"http://[64:ff9b::10.1.2.3]/", "address"},
	{"http://[64:ff9b:1::8.8.8.8]/", "address"},
	{"http://[2002:7f00:1::]/", "address"},
	{"http://[2002:a9fe:a9fe::1]/", "address"},
	{"http://[2001:0:53aa:64c:0:fbfe:80ff:fffe]/", "address"},
	{"http://[2a00:1450::5efe:10.0.0.1]/", "address"},
	{"http://[2a00:1450::200:5efe:127.0.0.1]/", "address"},
	// Private, shared, link-local and reserved ranges, and metadata services.
	{"http://10.0.0.1/", "address"},
	{"http://10.255.255.255/", "address"},
	{"http://172.16.0.1/", "address"},
	{"http://172.31.255.254/", "address"},
	{"http://192.168.1.1/", "address"},
	{"http://100.64.0.1/", "address"},
	{"http://100.127.255.254/", "address"},
	{"http://100.100.100.200/latest/meta-data/", "address"},
	{"http://169.254.0.1/", "address"},
	{"http://169.254.169.254/latest/meta-data/iam/security-credentials/", "address"},
	{"http://169.254.170.2/v2/credentials", "address"},
	{"http://168.63.129.16/machine?comp=goalstate", "address"},
	{"http://192.0.0.192/opc/v2/instance/", "address"},
	{"http://2852039166/", "number"},
	{"http://0xA9FEA9FE/", "number"},
	{"http://metadata.google.internal/computeMetadata/v1/", "host"},
	{"http://metadata/", "host"},
	{"http://[fd00:ec2::254]/latest/meta-data/", "address"},
	{"http://[fe80::1]/", "address"},
	{"http://[fe80::1%25eth0]/", "address"},
	{"http://[fc00::1]/", "address"},
	{"http://[fdff:ffff::1]/", "address"},
	{"http://[fec0::1]/", "address"},
	{"http://192.0.2.7/", "address"},
	{"http://198.51.100.7/", "address"},
	{"http://203.0.113.7/", "address"},
	{"http://198.18.0.1/", "address"},
	{"http://198.19.255.255/", "address"},
	{"http://192.88.99.1/", "address"},
	{"http://192.31.196.1/", "address"},
	{"http://192.52.193.1/", "address"},
	{"http://192.175.48.1/", "address"},
	{"http://224.0.0.1/", "address"},
	{"http://239.255.255.250:1900/", "address"},
	{"http://240.0.0.1/", "address"},
	{"http://255.255.255.255/", "address"},
	{"http://[ff02::1]/", "address"},
	{"http://[2001:db8::1]/", "address"},
	{"http://[3fff::1]/", "address"},
	{"http://[100::1]/", "address"},
	{"http://[100:0:0:1::1]/", "address"},
	{"http://[5f00::1]/", "address"},
	{"http://[2001:10::1]/", "address"},
	{"http://[4000::1]/", "address"},
	{"http://[::ffff:0:127.0.0.1]/", "address"},
	// Names of local networks.
	{"http://intranet/", "host"},
	{"http://printer.local/", "host"},
	{"http://router.home.arpa/", "host"},
	{"http://db.internal/", "host"},
	{"http://abc.onion/", "host"},
	// Names that resolve to what they must not.
	{"http://private.example/", "address"},
	{"http://mapped.example/", "address"},
	{"http://nat64.example/", "address"},
	{"http://metadata.example/", "address"},
	{"http://all-private.example/", "address"},
	// User names, ports, schemes and what is no URL.
	{"http://public.example@127.0.0.1/", "userinfo"},
	{"http://127.0.0.1@public.example/", "userinfo"},
	{"http://user:secret@public.example/", "userinfo"},
	{"http://@public.example/", "userinfo"},
	{"http://public.example:22/", "port"},
	{"http://public.example:25/", "port"},
	{"http://public.example:6379/", "port"},
	{"http://public.example:11211/", "port"},
	{"http://public.example:0/", "port"},
	{"http://public.example:65536/", "port"},
	{"http://public.example:99999999999999999999/", "port"},
	{"ftp://public.example/", "scheme"},
	{"file:///etc/passwd", "scheme"},
	{"gopher://127.0.0.1:6379/_FLUSHALL", "scheme"},
	{"javascript:alert(1)", "scheme"},
	{"data:text/html,hello", "scheme"},
	{"unix:///var/run/docker.sock", "scheme"},
	{"http:127.0.0.1/", "malformed"},
	{"http:///etc/passwd", "host"},
	{"http://", "host"},
	{"http://:80/", "host"},
	{"http://127.0.0.1\\@public.example/", ""},
	{"http://public.example%2f@127.0.0.1/", ""},
	{"http://%31%32%37.0.0.1/", ""},
	{"http://127.0.0.1%00.public.example/", ""},
	{"http://public.example\r\nHost: x/", "malformed"},
	{"http://[::1/", "malformed"},
	{"http://[v1.x]/", "malformed"},
	{"http://[127.0.0.1]/", ""},
	{"http://a..public.example/", "host"},
	{"http://" + strings.Repeat("a", 9000) + ".example/", "malformed"},
}

// forbiddenNet is a network whose public host redirects to what the query says.
func forbiddenNet(t *testing.T) *webtest.Net {
	n := webtest.NewNet(t)
	n.Handle("public.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header()["Location"] = []string{to}
			w.WriteHeader(http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<p>This is a page of the public web, and everybody may read it.</p>"))
	}))
	answer := func(addrs ...string) (list []netip.Addr) {
		for _, a := range addrs {
			list = append(list, netip.MustParseAddr(a))
		}
		return list
	}
	n.Resolve("private.example", answer("10.0.0.7"))
	n.Resolve("mapped.example", answer("::ffff:127.0.0.1"))
	n.Resolve("nat64.example", answer("64:ff9b::7f00:1"))
	n.Resolve("metadata.example", answer("169.254.169.254"))
	n.Resolve("all-private.example", answer("192.168.0.1", "fe80::1", "::1"))
	return n
}

func TestForbiddenAddresses(t *testing.T) {
	t.Parallel()
	if len(forbidden) < 60 {
		t.Errorf("there are only %d cases", len(forbidden))
	}
	for _, x := range forbidden {
		synctest.Test(t, func(t *testing.T) {
			n := forbiddenNet(t)
			f := newFetcher(t, n, web.Config{})
			s := fetch(t, f, x.url)
			if s.Outcome != web.ForbiddenAddress || len(s.Signals) == 0 || s.Reason == "" {
				t.Errorf("%.60q ended as %s: %s", x.url, s.Outcome, s.Reason)
				return
			}
			if code := s.Signals[0].Name; x.code != "" && code != x.code {
				t.Errorf("%.60q was refused by the rule %q (%s), want %q", x.url, code, s.Reason, x.code)
			}
			if d := n.Dialled(); len(d) > 0 {
				t.Errorf("%.60q: %v was dialled", x.url, d)
			}
		})
	}
}

func TestForbiddenRedirects(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, x := range forbidden {
		if strings.ContainsAny(x.url, "\r\n") || strings.HasPrefix(x.url, "http:127") || len(x.url) > 8000 {
			continue // a server cannot say it, or it is relative
		}
		tried++
		synctest.Test(t, func(t *testing.T) {
			n := forbiddenNet(t)
			f := newFetcher(t, n, web.Config{IgnoreRobots: true})
			s, err := f.Fetch(t.Context(), web.Request{URL: "http://public.example/?to=" + queryEscape(x.url)})
			if err != nil {
				t.Fatal(err)
			}
			if s.Outcome != web.ForbiddenAddress || len(s.Redirects) != 1 {
				t.Errorf("a redirect to %.60q ended as %s: %s", x.url, s.Outcome, s.Reason)
			}
			for _, d := range n.Dialled() {
				if !strings.HasPrefix(d, "45.33.") {
					t.Errorf("a redirect to %.60q: %s was dialled", x.url, d)
				}
			}
		})
	}
	t.Logf("%d redirects", tried)
}

// TestNamesThatChange checks that a name is refused by what is dialled, although it
// resolved to an innocent address before.
func TestNamesThatChange(t *testing.T) {
	t.Parallel()
	public := netip.MustParseAddr("45.33.0.1")
	evil := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("::1"), netip.MustParseAddr("64:ff9b::a00:1")}
	for _, bad := range evil {
		synctest.Test(t, func(t *testing.T) {
			n := webtest.NewNet(t)
			n.Handle("other.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "close") // so that the name is resolved again
				http.Redirect(w, r, "/again", http.StatusFound)
			}))
			n.Resolve("rebind.example", []netip.Addr{public}, []netip.Addr{public}, []netip.Addr{bad})
			f := newFetcher(t, n, web.Config{})
			s := fetch(t, f, "http://rebind.example/start")
			if s.Outcome != web.ForbiddenAddress {
				t.Errorf("a name that turned to %s ended as %s: %s", bad, s.Outcome, s.Reason)
			}
			for _, d := range n.Dialled() {
				if !strings.HasPrefix(d, "45.33.0.1:") {
					t.Errorf("%s was dialled", d)
				}
			}
			if len(n.Dialled()) == 0 {
				t.Error("the name was not reached at first")
			}
		})
	}
}

// TestMixedAnswers checks that of several addresses only those are dialled that may
// be.
func TestMixedAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := forbiddenNet(t)
		n.Resolve("mixed.example", []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("45.33.0.1"), netip.MustParseAddr("10.0.0.1")})
		f := newFetcher(t, n, web.Config{})
		if s := fetch(t, f, "http://mixed.example/"); s.Outcome != web.OK {
			t.Errorf("the outcome is %s: %s", s.Outcome, s.Reason)
		}
		if d := n.Dialled(); slices.ContainsFunc(d, func(a string) bool { return a != "45.33.0.1:80" }) {
			t.Errorf("%v were dialled", d)
		}
	})
}

// TestSocketIsCheckedAgain checks the last line: a dialler that is given an address
// that no check has seen.
func TestSocketIsCheckedAgain(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []string{"127.0.0.1:80", "[::1]:80", "[fe80::1%lo]:80", "10.0.0.1:443", "nonsense"} {
		if err := g.Control("tcp", a, nil); err == nil {
			t.Errorf("a socket to %s passed", a)
		}
	}
	if err := g.Control("tcp", "93.184.216.34:443", nil); err != nil {
		t.Error(err)
	}
}

func TestHostLists(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		guard guard.Config
		url   string
		want  web.Outcome
	}{
		{"allowed host", guard.Config{Allow: []string{"private.example"}}, "http://private.example:9200/", web.Unreachable}, // nobody is at its address
		{"allowed range", guard.Config{Allow: []string{"10.0.0.0/8"}}, "http://private.example/", web.Unreachable},
		{"allowed address", guard.Config{Allow: []string{"127.0.0.1"}}, "http://127.0.0.1:6379/", web.Unreachable},
		{"allowed names below", guard.Config{Allow: []string{".lan"}}, "http://wiki.lan/", web.Unreachable},
		{"not the name itself", guard.Config{Allow: []string{".lan"}}, "http://lan/", web.ForbiddenAddress},
		{"another range", guard.Config{Allow: []string{"10.1.0.0/16"}}, "http://private.example/", web.ForbiddenAddress},
		{"denied host", guard.Config{Deny: []string{"public.example"}}, "http://public.example/", web.ForbiddenAddress},
		{"denied host by another case", guard.Config{Deny: []string{"public.example"}}, "http://PUBLIC.example./", web.ForbiddenAddress},
		{"denied domain", guard.Config{Deny: []string{"example"}}, "http://public.example/", web.ForbiddenAddress},
		{"denied address", guard.Config{Deny: []string{"45.33.0.0/16"}}, "http://public.example/", web.ForbiddenAddress},
		{"denied address of an allowed host", guard.Config{Allow: []string{"public.example"}, Deny: []string{"45.33.0.1"}}, "http://public.example/", web.ForbiddenAddress},
		{"only others", guard.Config{Only: []string{"other.example"}}, "http://public.example/", web.ForbiddenAddress},
		{"only this", guard.Config{Only: []string{"public.example"}}, "http://public.example/", web.OK},
		{"no lookalike", guard.Config{Only: []string{"public.example"}}, "http://notpublic.example/", web.ForbiddenAddress},
		{"another port", guard.Config{Ports: []uint16{443}}, "http://public.example/", web.ForbiddenAddress},
		{"this port", guard.Config{Ports: []uint16{80}}, "http://public.example/", web.OK},
		{"any web port", guard.Config{}, "http://public.example:8080/", web.OK},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := forbiddenNet(t)
			n.Resolve("wiki.lan", []netip.Addr{netip.MustParseAddr("192.168.7.7")})
			x.guard.Resolver, x.guard.Dial = n, n.Dial
			f, err := web.New(web.Config{Guard: x.guard})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if s := fetch(t, f, x.url); s.Outcome != x.want {
				t.Errorf("%s: %s ended as %s (%s), want %s", x.name, x.url, s.Outcome, s.Reason, x.want)
			}
		})
	}
	for _, entry := range []string{"", "10.0.0.0/99", "a b", "http://x.example/"} {
		if _, err := web.New(web.Config{Guard: guard.Config{Allow: []string{entry}}}); err == nil {
			t.Errorf("the entry %q was taken", entry)
		}
	}
}

// TestNoProxyOfTheEnvironment checks that a proxy, which would dial unseen, is not
// used.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	synctest.Test(t, func(t *testing.T) {
		f := newFetcher(t, forbiddenNet(t), web.Config{})
		if s := fetch(t, f, "http://public.example/"); s.Outcome != web.OK {
			t.Errorf("the outcome is %s: %s", s.Outcome, s.Reason)
		}
	})
}
