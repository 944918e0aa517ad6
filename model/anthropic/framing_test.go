package anthropic

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

// streams returns the recorded answers that are streams, by name.
func streams(t *testing.T) map[string]string {
	t.Helper()
	names, all := recordings(t, recordingsDir(t))
	out := map[string]string{}
	for _, name := range names {
		for i, e := range all[name] {
			if strings.HasPrefix(e.Response.Header.Get("Content-Type"), "text/event-stream") && e.Response.Status == 200 {
				out[fmt.Sprintf("%s[%d]", name, i)] = string(e.Response.Body)
			}
		}
	}
	if len(out) < 40 {
		t.Errorf("only %d streams", len(out))
	}
	t.Logf("%d streams", len(out))
	return out
}

// TestFraming: however a recorded stream is cut, framed and filled up, it says the
// same.
func TestFraming(t *testing.T) {
	t.Parallel()
	for name, stream := range streams(t) {
		want := outcome(t, offline(t, stream))
		ways := cassette.Framings(stream)
		ways["pings"] = []string{strings.ReplaceAll(stream, "\n\n", "\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n")}
		for how, pieces := range ways {
			if got := outcome(t, offline(t, pieces...)); got != want {
				t.Errorf("%s, %s (-want +got):\n%s", name, how, cmp.Diff(want, got))
			}
		}
	}
}

// TestTruncatedRecordings: a recorded stream that ends behind any of its events,
// or anywhere, is a typed error, and no call of it would be run but one that the
// whole stream has; or the stream had told everything.
func TestTruncatedRecordings(t *testing.T) {
	t.Parallel()
	failed, whole := 0, 0
	for name, stream := range streams(t) {
		want, wantErr := offline(t, stream).Collect()
		if wantErr != nil {
			continue // a stream that reports an error
		}
		for i, at := range cassette.Cuts(stream, 50, 5) {
			if raceEnabled && i%10 != 0 {
				continue
			}
			resp, err := offline(t, stream[:at]).Collect()
			if err == nil {
				whole++
				if diff := cmp.Diff(said(t, want), said(t, resp)); diff != "" {
					t.Errorf("%s ended at byte %d: an answer that is not whole (-want +got):\n%s", name, at, diff)
				}
				continue
			}
			failed++
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != model.ErrTransport || !e.Retryable() {
				t.Errorf("%s ended at byte %d: %#v", name, at, err)
				continue
			}
			if e.Partial == nil {
				continue
			}
			for _, use := range e.Partial.Message.Blocks.ToolUses() {
				if !use.Incomplete && !contains(want, use) {
					t.Errorf("%s ended at byte %d: a call would be run that the whole stream does not have: %s", name, at, use.Input)
				}
			}
		}
	}
	if failed < 1000 && !raceEnabled || whole == 0 {
		t.Errorf("%d cut streams failed, %d had told everything", failed, whole)
	}
	t.Logf("%d cut streams failed, %d had told everything", failed, whole)
}

// said is what counts of an answer.
func said(t testing.TB, resp *model.Response) string {
	t.Helper()
	data, err := resp.Message.Blocks.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %s %s", resp.StopReason, resp.Usage.Raw, data)
}

func contains(resp *model.Response, use *model.ToolUse) bool {
	for _, u := range resp.Message.Blocks.ToolUses() {
		if u.ID == use.ID && string(u.Input) == string(use.Input) {
			return true
		}
	}
	return false
}
