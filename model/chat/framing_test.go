package chat

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

// outcome is everything that a consumer sees of a stream.
func outcome(t testing.TB, s model.Stream) string {
	t.Helper()
	var b strings.Builder
	for ev, err := range s {
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) || e.Kind == "" {
				t.Fatalf("untyped error %T: %v", err, err)
			}
			fmt.Fprintf(&b, "error %s\n", e.Kind)
			continue
		}
		switch ev.Kind {
		case model.EventBlock:
			data, err := model.Blocks{ev.Block}.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %d %s\n", ev.Kind, ev.Index, data)
		case model.EventDone:
			fmt.Fprintf(&b, "done %s %s %s %s\n", ev.Response.StopReason, ev.Response.Usage.Raw, ev.Response.ID, ev.Response.Model)
		default:
			fmt.Fprintf(&b, "%s %d %q %s\n", ev.Kind, ev.Index, ev.Text, ev.Raw)
		}
	}
	return b.String()
}

// recordedStreams calls f with each recorded stream of this API.
func recordedStreams(t *testing.T, f func(name string, body []byte)) {
	t.Helper()
	names, all := recordings(t)
	n := 0
	for _, name := range names {
		for i, e := range all[name] {
			if isStream(e) {
				n++
				f(fmt.Sprintf("%s[%d]", name, i), e.Response.Body)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d streams", n)
	}
	t.Logf("%d streams", n)
}

func isStream(e cassette.Exchange) bool {
	return strings.HasPrefix(e.Response.Header.Get("Content-Type"), eventStream) && e.Response.Status == 200
}

// TestFraming: however a stream is cut, framed and filled up, it says the same.
func TestFraming(t *testing.T) {
	t.Parallel()
	recordedStreams(t, func(name string, body []byte) {
		play := func(pieces ...string) string {
			return outcome(t, offline(t, Config{}, request(), eventStream, pieces...))
		}
		want := play(string(body))
		for how, pieces := range cassette.Framings(string(body)) {
			if got := play(pieces...); got != want {
				t.Errorf("%s, %s (-want +got):\n%s", name, how, cmp.Diff(want, got))
			}
		}
	})
}

// TestTruncated: a stream that ends anywhere ends in a typed error, or it had
// told everything but the usage.
func TestTruncated(t *testing.T) {
	t.Parallel()
	failed, whole := 0, 0
	recordedStreams(t, func(name string, body []byte) {
		_, want, wantErr := collect(offline(t, Config{}, request(), eventStream, string(body)))
		check := func(n int) {
			_, got, err := collect(offline(t, Config{}, request(), eventStream, string(body[:n])))
			if err != nil {
				failed++
				var e *model.Error
				if !errors.As(err, &e) || e.Kind == "" {
					t.Errorf("%s cut at byte %d: untyped error %v", name, n, err)
				}
				return
			}
			whole++
			if wantErr != nil {
				// An answer that was complete before the error came.
				if got.StopReason != model.StopMaxTokens {
					t.Errorf("%s cut at byte %d: no error, but %s", name, n, got.StopReason)
				}
				return
			}
			if diff := cmp.Diff(said(t, want), said(t, got)); diff != "" {
				t.Errorf("%s cut at byte %d: an answer that is not whole (-want +got):\n%s", name, n, diff)
			}
			if got.Usage.Raw != nil && !bytes.Equal(got.Usage.Raw, want.Usage.Raw) {
				t.Errorf("%s cut at byte %d: another usage: %s", name, n, got.Usage.Raw)
			}
		}
		for i, at := range cassette.Cuts(string(body), 50, 3) {
			if !raceEnabled || i%10 == 0 {
				check(at)
			}
		}
	})
	t.Logf("%d cut streams failed, %d had told everything", failed, whole)
}

// said is what counts of an answer.
func said(t testing.TB, resp *model.Response) string {
	t.Helper()
	data, err := resp.Message.Blocks.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(resp.StopReason) + " " + string(data)
}

// TestDamaged: a stream with a few wrong bytes ends, in an answer or in a typed
// error. It is a small FuzzStream that runs each time.
func TestDamaged(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range slower(3000) {
		data := []byte(richStream)
		for range 1 + rnd.IntN(3) {
			i := rnd.IntN(len(data))
			switch rnd.IntN(4) {
			case 0:
				data[i] = byte(rnd.IntN(256))
			case 1:
				data = append(data[:i], data[min(len(data), i+rnd.IntN(40)):]...)
			case 2:
				data = append(data[:i:i], append([]byte{"{}[]\",:\\\n\r"[rnd.IntN(10)]}, data[i:]...)...)
			case 3:
				j := rnd.IntN(len(data))
				data[i], data[j] = data[j], data[i]
			}
			if len(data) == 0 {
				break
			}
		}
		outcome(t, offline(t, Config{}, request(), eventStream, string(data)))
	}
}
