package web

import (
	"strings"
	"testing"
	"time"
)

func TestRobotsRules(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, file string
		allowed    string // paths, separated by blanks
		forbidden  string
	}{
		{"empty", "", "/ /a", ""},
		{"all", "User-agent: *\nDisallow: /", "/robots.txt", "/ /a /a?b"},
		{"nothing", "User-agent: *\nDisallow:", "/ /a", ""},
		{"ours before all", "User-agent: *\nDisallow: /\n\nUser-agent: quarry\nDisallow: /x", "/ /a", "/x /x/y /xy"},
		{"case and version", "USER-AGENT: QUARRY/2.1\nDISALLOW: /x", "/a /X", "/x"},
		{"not a longer name", "User-agent: quarrybot\nDisallow: /", "/a", ""},
		{"groups of one name", "User-agent: quarry\nDisallow: /x\n\nUser-agent: b\nDisallow: /\n\nUser-agent: quarry\nDisallow: /y", "/a", "/x /y"},
		{"one group of two names", "User-agent: b\nUser-agent: quarry\nDisallow: /x", "/a", "/x"},
		{"other records between names", "User-agent: quarry\nSitemap: https://site.example/s.xml\nUser-agent: b\nDisallow: /x", "/a", "/x"},
		{"longest rule", "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c", "/ /a/b /a/b/d", "/a /a/x /a/b/c"},
		{"equal rules allow", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", ""},
		{"wildcards", "User-agent: *\nDisallow: /*.gif$\nDisallow: /p*/edit\nAllow: /*/ok.gif$", "/a.gif?x /x/ok.gif /p/view", "/a.gif /x/b.gif /page/7/edit"},
		{"query", "User-agent: *\nDisallow: /search?q=\nDisallow: /*?print", "/search /search?x", "/search?q=a /a?print=1"},
		{"encoded paths", "User-agent: *\nDisallow: /stra%c3%9fe\nDisallow: /käse\nDisallow: /%7Ejoe/\nDisallow: /a%2fb", "/a/b", "/stra%C3%9Fe /k%C3%A4se /~joe/x /a%2Fb"},
		{"comments, blanks, line ends", "# all\r\n  User-agent : *  # everybody\r\r\n Disallow :  /x # not here\r\n", "/a", "/x"},
		{"byte order mark", "\ufeffUser-agent: *\nDisallow: /x", "/a", "/x"},
		{"rules before any name", "Disallow: /\nUser-agent: *\nDisallow: /x", "/a", "/x"},
		{"a page instead", "<!doctype html><html><body>Not found: no such file</body></html>", "/ /a", ""},
		{"nonsense", "\x00\x01:::\n::\nUser-agent\nDisallow /\n", "/ /a", ""},
		{"behind the limit", strings.Repeat("# filler\n", robotsMaxBytes/9+1) + "User-agent: *\nDisallow: /", "/ /a", ""},
		{"many stars", "User-agent: *\nDisallow: /" + strings.Repeat("*a", 5000) + "$", "/" + strings.Repeat("a", 4000), ""},
	} {
		rules := parseRobots([]byte(x.file), "quarry")
		for path := range strings.FieldsSeq(x.allowed) {
			if ok, rule := rules.allowed(path); !ok {
				t.Errorf("%s: %.40s is forbidden by %.40q", x.name, path, rule.path)
			}
		}
		for path := range strings.FieldsSeq(x.forbidden) {
			if ok, _ := rules.allowed(path); ok {
				t.Errorf("%s: %s is allowed", x.name, path)
			}
		}
	}
}

func TestCrawlDelay(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]time.Duration{
		"User-agent: *\nCrawl-delay: 2.5\nDisallow: /x":                       2500 * time.Millisecond,
		"User-agent: *\nCrawl-delay: 9\n\nUser-agent: Quarry\nCrawl-delay: 1": time.Second,
		"User-agent: *\nCrawl-delay: -1":                                      0,
		"User-agent: *\nCrawl-delay: NaN":                                     0,
		"User-agent: *\nCrawl-delay: 1e99":                                    0,
		"User-agent: other\nCrawl-delay: 7":                                   0,
	} {
		if got := parseRobots([]byte(file), "quarry").delay; got != want {
			t.Errorf("%q: the delay is %v, want %v", file, got, want)
		}
	}
}

func FuzzRobots(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /*a*$\nCrawl-delay: 1"), "/a%2fb?c")
	f.Fuzz(func(t *testing.T, file []byte, path string) {
		rules := parseRobots(file, "quarry")
		for _, r := range rules.rules {
			if r.path == "" {
				t.Error("an empty rule was kept")
			}
		}
		rules.allowed(path)
		if n := normalPath(path); normalPath(n) != n {
			t.Errorf("normalPath(%q) = %q, which is not normal", path, n)
		}
	})
}

func FuzzLook(f *testing.F) {
	f.Add([]byte("<title>Just a moment...</title><p hidden>x<form><input type=password>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		classify(signCase{}.seen(string(page)))
	})
}
