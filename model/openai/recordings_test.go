package openai

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/internal/sharedtest"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

var update = flag.Bool("update", false, "rewrite the data files under testdata from what the code does; review the difference")

// recordingsDir is where the recordings of this API are; the test is skipped
// where they are not.
func recordingsDir(t testing.TB) string {
	t.Helper()
	return sharedtest.Path(t, "wire", "openai-responses")
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
	begin := []byte("\n\nevent: response.created\n")
	var out []cassette.Exchange
	for _, e := range exchanges {
		for {
			at := bytes.Index(e.Response.Body, begin)
			if at < 0 {
				break
			}
			part := e
			part.Response.Body = e.Response.Body[:at+2]
			out = append(out, part)
			e.Response.Body = e.Response.Body[at+2:]
		}
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

// describe names a block: its type, + and the number of citations for text that
// cites, ! for a call that is incomplete or a result that is an error, * where
// the raw item is kept with it, and ~ for a further part of an item.
func describe(block model.Block) string {
	s := block.BlockType()
	raw := block.RawJSON()
	switch b := block.(type) {
	case *model.Text:
		if len(b.Citations) > 0 {
			s += fmt.Sprintf("+%d", len(b.Citations))
		}
		if raw != nil && string(rawjson.Field(raw, "type")) != `"message"` {
			return s + "~"
		}
	case *model.ToolUse:
		if b.Incomplete {
			s += "!"
		}
	case *model.ServerToolUse:
		s = b.Type
	case *model.ServerToolResult:
		s = b.Type + ":result"
		if b.IsError {
			s += "!"
		}
	case *model.Unknown:
		s = "unknown:" + b.Type
	}
	if raw != nil {
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
	if len(names) != 54 {
		t.Errorf("%d recordings, expected 54", len(names))
	}
	var got strings.Builder
	for _, name := range names {
		fmt.Fprintln(&got, name)
		for i, e := range all[name] {
			events, resp, err := replay(t, e)
			fmt.Fprintf(&got, "\t%d %s\n", i, facts(events, resp, err))
			if why := otherEndpoint(e); why != "" {
				fmt.Fprintf(&got, "\t\t(%s)\n", why)
			}
			checkEvents(t, name, events, resp)
		}
	}
	golden(t, "recordings.txt", got.String())
}

// checkEvents holds the events of a stream against its response: the pieces add
// up to the blocks, and each block is announced once.
func checkEvents(t *testing.T, name string, events []model.Event, resp *model.Response) {
	t.Helper()
	if resp == nil {
		return
	}
	pieces := map[int]string{}
	blocks := make(model.Blocks, len(resp.Message.Blocks))
	for i, ev := range events {
		switch ev.Kind {
		case model.EventText, model.EventThinking, model.EventInput:
			pieces[ev.Index] += ev.Text
			if blocks[ev.Index] != nil {
				t.Errorf("%s: a piece of block %d came behind it", name, ev.Index)
			}
		case model.EventBlock:
			if blocks[ev.Index] != nil {
				t.Errorf("%s: block %d is announced twice", name, ev.Index)
			}
			blocks[ev.Index] = ev.Block
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

// otherEndpoint says why the answer of an exchange is none to a request that
// this package makes; empty if it is.
func otherEndpoint(e cassette.Exchange) string {
	u, err := url.Parse(e.Request.URL)
	switch path := strings.TrimSuffix(u.Path, "/"); {
	case err != nil || e.Request.URL == "" || e.Request.Method == http.MethodPost && strings.HasSuffix(path, "/responses"):
		return ""
	default:
		return "not an answer to a request of ours: " + e.Request.Method + " " + path[strings.LastIndex(path, "/v1"):]
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
