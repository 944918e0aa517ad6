package search_test

import (
	"testing"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/web/search"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ address, want string }{
		{"https://example.org/a", "example.org/a"},
		{"http://www.Example.org:80/a/", "example.org/a"},
		{"https://example.org/", "example.org"},
		{"https://example.org", "example.org"},
		{"https://example.org:8443/a", "example.org:8443/a"},
		{"https://example.org/a?utm_source=x&b=2&a=1&fbclid=y#part", "example.org/a?a=1&b=2"},
		{"https://example.org/a?UTM_Medium=x", "example.org/a"},
		{"https://example.org/a?id=7&gclid=1", "example.org/a?id=7"},
		{"https://example.org/a?at_campaign=64", "example.org/a"},
		{"https://example.org/a?at=64", "example.org/a?at=64"},
		{"https://amp.example.org/a", "example.org/a"},
		{"https://example.org/a/amp/", "example.org/a"},
		{"https://example.org/a.amp", "example.org/a"},
		{"https://example.org/a?amp=1", "example.org/a"},
		{"https://example.org/a?outputType=amp", "example.org/a"},
		{"https://www.google.com/amp/s/www.example.org/a", "example.org/a"},
		{"https://www-example-org.cdn.ampproject.org/c/s/www.example.org/a", "example.org/a"},
		{"https://example-org.cdn.ampproject.org/v/example.org/a", "example.org/a"},
		{"https://m.example.org/a", "example.org/a"},
		{"https://mobile.example.co.uk/a", "example.co.uk/a"},
		{"https://en.m.wikipedia.org/wiki/Go_(game)", "en.wikipedia.org/wiki/Go_(game)"},
		{"https://en.wikipedia.org/wiki/Go_%28game%29", "en.wikipedia.org/wiki/Go_(game)"},
		{"https://m.media", "m.media"},
		{"https://example.org/%7ejane/caf%c3%a9", "example.org/~jane/caf%C3%A9"},
		{"https://example.org/~jane/café", "example.org/~jane/caf%C3%A9"},
		{"https://example.org/a/../b//c", "example.org/b/c"},
		{"https://example.org/a/index.html", "example.org/a"},
		{"https://example.org./a", "example.org/a"},
		{"https://[2001:db8::1]:443/a", "[2001:db8::1]/a"},
		{"https://10.0.0.1/a", "10.0.0.1/a"},
		{"https://www.google.com/search?q=a", "google.com/search?q=a"},
		{"  https://example.org/a ", "example.org/a"},
		{"mailto:a@example.org", "mailto:a@example.org"},
		{"not a url", "not a url"},
		{"https://example.org/%zz", "https://example.org/%zz"},
	} {
		if got := search.Key(tt.address); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.address, got, tt.want)
		}
	}
}

// FuzzKey: a key of a key's page is the same key.
func FuzzKey(f *testing.F) {
	f.Add("https://en.m.wikipedia.org/wiki/Go_%28game%29?utm_source=a#b")
	f.Add("https://www.google.com/amp/s/www.example.org/a")
	f.Fuzz(func(t *testing.T, address string) {
		key := search.Key(address)
		if key == address || !utf8.ValidString(address) {
			return
		}
		if again := search.Key("https://" + key); again != key {
			t.Fatalf("%q became %q, then %q", address, key, again)
		}
	})
}
