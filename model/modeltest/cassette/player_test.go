package cassette_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

func answer(body string) cassette.Exchange {
	return cassette.Exchange{Response: cassette.Response{
		Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}, "X-Id": {"7"}}, Body: []byte(body)}}
}

// ask posts to a player and tells all that came.
func ask(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Post(url+"/v1/x?y=1", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	s := resp.Status + " " + resp.Header.Get("Retry-After") + resp.Header.Get("X-Id") + " " + string(body)
	if err != nil {
		s += " (" + err.Error() + ")"
	}
	return s
}

func TestPlayer(t *testing.T) {
	t.Parallel()
	p := cassette.NewPlayer(cassette.PlayerConfig{
		Exchanges: []cassette.Exchange{answer("data: 1\n\ndata: 2\n\n"), answer("data: 3\n\n")},
		Faults: map[int]cassette.Fault{
			1: {Status: 429, RetryAfter: 7 * time.Second},
			2: {CutAfter: 6},
			3: {CutAfter: 6, Ends: true},
			4: {Status: 400, Body: "no"},
		},
		Delay: time.Millisecond, EventDelay: time.Millisecond,
	})
	defer p.Close()
	var got []string
	for range 7 {
		got = append(got, ask(t, p.URL))
	}
	want := []string{
		"200 OK 7 data: 1\n\ndata: 2\n\n",
		`429 Too Many Requests 7 {"type":"error","error":{"type":"rate_limit_error","message":"Too Many Requests"}}`,
		"200 OK 7 data:  (unexpected EOF)",
		"200 OK 7 data: ",
		"400 Bad Request  no",
		"200 OK 7 data: 3\n\n",
		`400 Bad Request  {"type":"error","error":{"type":"invalid_request_error","message":"the recording has 2 exchanges, and all were played"}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var exchanges []int
	for _, played := range p.Played() {
		exchanges = append(exchanges, played.Exchange)
		if played.Path != "/v1/x?y=1" || string(played.Body) != "{}" {
			t.Errorf("played: %+v", played)
		}
	}
	if diff := cmp.Diff([]int{0, -1, 1, 1, -1, 1, -1}, exchanges); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPlayerRepeats(t *testing.T) {
	t.Parallel()
	p := cassette.NewPlayer(cassette.PlayerConfig{
		Exchanges: []cassette.Exchange{answer("data: 1\n\n"), answer("data: 2\n\n")}, Repeat: true, ChunkBytes: 1})
	defer p.Close()
	for i, want := range []string{"1", "2", "1"} {
		if got := ask(t, p.URL); got != "200 OK 7 data: "+want+"\n\n" {
			t.Errorf("request %d: %s", i, got)
		}
	}
}

// TestPlayerCloses: closing does not wait for a delay.
func TestPlayerCloses(t *testing.T) {
	t.Parallel()
	p := cassette.NewPlayer(cassette.PlayerConfig{Exchanges: []cassette.Exchange{answer("x")}, Delay: time.Hour})
	failed := make(chan error)
	go func() {
		resp, err := http.Get(p.URL)
		if err == nil {
			resp.Body.Close()
		}
		failed <- err
	}()
	for len(p.Played()) == 0 {
		runtime.Gosched()
	}
	p.Close()
	if err := <-failed; err == nil {
		t.Error("an answer, although the player was closed")
	}
}
