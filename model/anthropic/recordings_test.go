package anthropic

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

var update = flag.Bool("update", false, "rewrite the data files under testdata from what the code does; review the difference")

// recordingsDir is where the recordings of this API are; the test is skipped
// where they are not.
func recordingsDir(t testing.TB) string {
	t.Helper()
	return sharedtest.Path(t, "wire", "anthropic")
}

// recordings returns the names of all recordings, sorted, with their exchanges.
func recordings(t testing.TB, dir string) ([]string, map[string][]cassette.Exchange) {
	t.Helper()
	loadRecordings.Do(func() {
		loaded = map[string][]cassette.Exchange{}
		loadErr = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			exchanges, err := cassette.Load(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(dir, path)
			loaded[filepath.ToSlash(name)] = split(exchanges)
			return err
		})
	})
	if loadErr != nil {
		t.Fatal(loadErr)
	}
	return slices.Sorted(maps.Keys(loaded)), loaded
}

var (
	loadRecordings sync.Once
	loaded         map[string][]cassette.Exchange
	loadErr        error
)

// split makes one exchange of each answer where a recording has several answers
// one behind the other in one body.
func split(exchanges []cassette.Exchange) []cassette.Exchange {
	var out []cassette.Exchange
	for _, e := range exchanges {
		rest := e.Response.Body
		for {
			_, after, found := bytes.Cut(rest, []byte("data: {\"type\":\"message_stop\"}\n\n"))
			if !found || !bytes.HasPrefix(after, []byte("event: message_start\n")) {
				break
			}
			part := e
			part.Response.Body = rest[:len(rest)-len(after)]
			out = append(out, part)
			rest = after
		}
		e.Response.Body = rest
		out = append(out, e)
	}
	return out
}

// replay serves one recorded answer and returns what Stream makes of it.
func replay(t testing.TB, e cassette.Exchange) (events []model.Event, resp *model.Response, err error) {
	t.Helper()
	srv := cassette.NewPlayer(cassette.PlayerConfig{Exchanges: []cassette.Exchange{e}})
	defer srv.Close()
	m := testModel(t, srv.URL)
	defer m.CloseIdleConnections()
	for ev, err := range m.Stream(t.Context(), &model.Request{Messages: history(1)}) {
		if err != nil {
			return events, nil, err
		}
		events = append(events, ev)
		if ev.Kind == model.EventDone {
			resp = ev.Response
		}
	}
	return events, resp, nil
}

// counted serves one recorded count of tokens.
func counted(t testing.TB, e cassette.Exchange) (int64, error) {
	t.Helper()
	srv := cassette.NewPlayer(cassette.PlayerConfig{Exchanges: []cassette.Exchange{e}})
	defer srv.Close()
	m := testModel(t, srv.URL)
	defer m.CloseIdleConnections()
	return m.CountTokens(t.Context(), &model.Request{Messages: history(1)})
}

// facts states what an exchange decodes to, in one line.
func facts(events []model.Event, resp *model.Response, err error) string {
	var b strings.Builder
	if err != nil {
		e, ok := err.(*model.Error)
		if !ok {
			return fmt.Sprintf("untyped error %T", err)
		}
		fmt.Fprintf(&b, "error=%s status=%d code=%s request_id=%t partial=%t", e.Kind, e.Status, e.Code, e.RequestID != "", e.Partial != nil)
		return b.String()
	}
	fmt.Fprintf(&b, "stop=%s", resp.StopReason)
	if resp.StopSequence != "" {
		fmt.Fprintf(&b, ":%q", resp.StopSequence)
	}
	if resp.StopDetails != nil {
		fmt.Fprintf(&b, "+details")
	}
	b.WriteString(" blocks=")
	for i, block := range resp.Message.Blocks {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(describe(block))
	}
	u := resp.Usage
	fmt.Fprintf(&b, " in=%d out=%d read=%d write=%d", u.InputTokens, u.OutputTokens, u.CacheReadTokens, u.CacheWriteTokens)
	if u.CacheWrite1hTokens != 0 {
		fmt.Fprintf(&b, " write1h=%d", u.CacheWrite1hTokens)
	}
	if u.ReasoningTokens != 0 {
		fmt.Fprintf(&b, " reasoning=%d", u.ReasoningTokens)
	}
	for _, name := range slices.Sorted(maps.Keys(u.ServerToolCalls)) {
		fmt.Fprintf(&b, " %s=%d", name, u.ServerToolCalls[name])
	}
	if len(resp.Extra) > 0 {
		fmt.Fprintf(&b, " extra=%s", strings.Join(slices.Sorted(maps.Keys(resp.Extra)), ","))
	}
	unknown := 0
	for _, ev := range events {
		if ev.Kind == model.EventUnknown {
			unknown++
		}
	}
	if unknown > 0 {
		fmt.Fprintf(&b, " unknown_events=%d", unknown)
	}
	return b.String()
}

// describe names a block: its type on the wire, + for text that cites, ! for a
// call that is incomplete or a result that is an error, and * where raw JSON is
// kept beside the typed view.
func describe(block model.Block) string {
	s := block.BlockType()
	raw := block.RawJSON() != nil
	switch b := block.(type) {
	case *model.Text:
		if len(b.Citations) > 0 {
			s += fmt.Sprintf("+%d", len(b.Citations))
		}
	case *model.ToolUse:
		if b.Incomplete {
			s += "!"
		}
	case *model.ServerToolUse:
		s = b.Type
	case *model.ServerToolResult:
		s = b.Type
		if b.IsError {
			s += "!"
		}
	case *model.Unknown:
		s, raw = "unknown:"+b.Type, false
	}
	if raw {
		s += "*"
	}
	return s
}

// TestRecordings holds the facts of testdata/recordings.txt, which were checked
// against the recordings, against what decoding makes of them.
func TestRecordings(t *testing.T) {
	t.Parallel()
	dir := recordingsDir(t)
	names, all := recordings(t, dir)
	if len(names) != 76 {
		t.Errorf("%d recordings, expected 76", len(names))
	}
	var got strings.Builder
	for _, name := range names {
		fmt.Fprintln(&got, name)
		for i, e := range all[name] {
			if strings.Contains(e.Request.URL, "/count_tokens") {
				n, err := counted(t, e)
				if err != nil {
					fmt.Fprintf(&got, "\t%d %s\n", i, facts(nil, nil, err))
				} else {
					fmt.Fprintf(&got, "\t%d tokens=%d\n", i, n)
				}
				continue
			}
			events, resp, err := replay(t, e)
			fmt.Fprintf(&got, "\t%d %s\n", i, facts(events, resp, err))
			checkEvents(t, name, events, resp)
		}
	}
	golden(t, "recordings.txt", got.String())
}

// checkEvents holds the events of a stream against its response: the pieces add
// up to the blocks, and each block is announced once, in order.
func checkEvents(t *testing.T, name string, events []model.Event, resp *model.Response) {
	t.Helper()
	if resp == nil {
		return
	}
	pieces := map[int]string{}
	var blocks model.Blocks
	for i, ev := range events {
		switch ev.Kind {
		case model.EventText, model.EventThinking, model.EventInput:
			pieces[ev.Index] += ev.Text
		case model.EventBlock:
			if ev.Index != len(blocks) {
				t.Errorf("%s: block %d is announced as number %d", name, ev.Index, len(blocks))
			}
			blocks = append(blocks, ev.Block)
		case model.EventDone:
			if i != len(events)-1 {
				t.Errorf("%s: events after the end", name)
			}
		}
	}
	if !slices.Equal(blocks, resp.Message.Blocks) {
		t.Errorf("%s: the blocks of the events are not those of the response", name)
	}
	for i, block := range blocks {
		want := pieces[i]
		switch b := block.(type) {
		case *model.Text:
			if b.Text != want {
				t.Errorf("%s: block %d: pieces %q, text %q", name, i, want, b.Text)
			}
		case *model.Thinking:
			if b.Text != want {
				t.Errorf("%s: block %d: pieces %q, thinking %q", name, i, want, b.Text)
			}
		case *model.ToolUse:
			if want != "" && !b.Incomplete && string(b.Input) != strings.TrimSpace(want) {
				t.Errorf("%s: block %d: pieces %q, input %s", name, i, want, b.Input)
			}
		}
	}
}

// golden compares with a data file, or rewrites it under -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
