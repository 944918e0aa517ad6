package fictional

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/webtest"
)

var update = flag.Bool("update", false, "write testdata anew")

// Each page, fetched over the loopback interface, ends as it should.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	site, err := Listen(Config{SlowPage: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	fetcher, err := web.New(web.Config{Guard: site.Guard(), HostInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer fetcher.Close()
	var got strings.Builder
	for _, at := range site.URLs() {
		s, err := fetcher.Fetch(t.Context(), web.Request{URL: at})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s\t%s\n", s.Outcome, at)
	}
	for _, at := range []string{"http://elsewhere.example/", "https://www.lena-hartwig.example/"} {
		if s, err := fetcher.Fetch(t.Context(), web.Request{URL: at}); err != nil || s.Outcome != web.Unreachable {
			t.Errorf("%s: %v, %v; nothing else should be reached", at, s.Outcome, err)
		}
	}
	const file = "testdata/outcomes.tsv"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// The outcomes are those of the traps, so that the table is not merely what came out.
func TestOutcomesOfTraps(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/outcomes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	_, truth := world(t)
	want := map[string]web.Outcome{
		"bot_check": web.Blocked, "consent_wall": web.ConsentWall, "dead_link": web.NotFound, "gone": web.Gone, "login": web.Login,
		"robots": web.Robots, "script_shell": web.ScriptShell, "soft_404": web.NotFound,
	}
	walls := 0
	for line := range strings.Lines(string(table)) {
		outcome, at, _ := strings.Cut(strings.TrimSpace(line), "\t")
		expected := web.OK
		for _, trap := range truth.Traps {
			if o := want[trap.Kind]; trap.URL == at && o != "" {
				expected = o
				walls++
			}
		}
		if web.Outcome(outcome) != expected {
			t.Errorf("%s: %s, want %s", at, outcome, expected)
		}
	}
	if walls < 10 {
		t.Errorf("%d walls", walls)
	}
}

// The slow page waits as long as it is told to, and a request that ends does not wait.
func TestSlowPage(t *testing.T) {
	t.Parallel()
	_, truth := world(t)
	i := slices.IndexFunc(truth.Traps, func(trap Trap) bool { return trap.Kind == "slow" })
	for _, x := range []struct {
		config Config
		want   web.Outcome
		took   time.Duration
	}{
		{Config{}, web.OK, 2 * time.Second},
		{Config{SlowPage: time.Hour}, web.Timeout, 15 * time.Second},
		{Config{SlowPage: -1, Latency: 300 * time.Millisecond}, web.OK, 600 * time.Millisecond}, // robots.txt, too
	} {
		synctest.Test(t, func(t *testing.T) {
			w, err := New(x.config)
			if err != nil {
				t.Fatal(err)
			}
			n := webtest.NewNet(t)
			for _, host := range w.Hosts() {
				n.Handle(host, w)
			}
			fetcher, err := web.New(web.Config{Guard: n.Guard(), HostInterval: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer fetcher.Close()
			start := time.Now()
			s, err := fetcher.Fetch(t.Context(), web.Request{URL: truth.Traps[i].URL})
			if err != nil || s.Outcome != x.want {
				t.Fatalf("%+v: %v, %v", x.config, s, err)
			}
			if took := time.Since(start); took != x.took {
				t.Errorf("%+v: took %s, want %s", x.config, took, x.took)
			}
		})
	}
}
