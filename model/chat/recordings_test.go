package chat

import (
	"bytes"
	"errors"
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

// otherWire are the recordings below openai-chat and compat that are not of this
// API, with what they are. They are in the table all the same: what they come to
// here is a typed error.
var otherWire = map[string]string{
	"compat/0xPlaygrounds+rig/ollama/streaming_grammar/parallel_tool_calls.yaml":                                           "Ollama's own API, /api/chat",
	"compat/prism-php+prism/ollama/stream-with-thinking-enabled-1.sse":                                                     "Ollama's own API, /api/chat",
	"compat/tmc+langchaingo/ollama/ollamaclient/TestClient_GenerateChatStream.httprr":                                      "Ollama's own API, /api/chat",
	"openai-chat/0xPlaygrounds+rig/openai/error_envelope/nonexistent_model_streaming_error_preserves_status_and_body.yaml": "the Responses API, whose error has the same form",
}

// recordings returns the names of all recordings, sorted, with their exchanges;
// the test is skipped where they are not.
func recordings(t testing.TB) ([]string, map[string][]cassette.Exchange) {
	t.Helper()
	dir := sharedtest.Path(t, "wire")
	loadRecordings.Do(func() {
		loaded = map[string][]cassette.Exchange{}
		for _, sub := range []string{"openai-chat", "compat"} {
			loadErr = errors.Join(loadErr, filepath.WalkDir(filepath.Join(dir, sub), func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				exchanges, err := cassette.Load(path)
				if err != nil {
					return err
				}
				name, err := filepath.Rel(dir, path)
				loaded[filepath.ToSlash(name)] = exchanges
				return err
			}))
		}
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

// replay serves one recorded answer and returns what Stream makes of it.
func replay(t testing.TB, provider string, e cassette.Exchange) (events []model.Event, resp *model.Response, err error) {
	t.Helper()
	srv := cassette.NewPlayer(cassette.PlayerConfig{Exchanges: []cassette.Exchange{e}})
	defer srv.Close()
	m := testModel(t, srv.URL, provider)
	defer m.CloseIdleConnections()
	return collect(m.Stream(t.Context(), &model.Request{Messages: history(1)}))
}

func collect(s model.Stream) (events []model.Event, resp *model.Response, err error) {
	for ev, err := range s {
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

// providerOf is the row of the host that a recording's request went to; empty if
// it has none.
func providerOf(e cassette.Exchange) string {
	for _, p := range providers {
		for _, h := range p.Hosts {
			if strings.Contains(e.Request.URL, "//"+h+"/") || h[0] == '.' && strings.Contains(e.Request.URL, h+"/") {
				return p.Name
			}
		}
	}
	return ""
}

// facts states what an exchange decodes to, in one line.
func facts(events []model.Event, resp *model.Response, err error) string {
	var b strings.Builder
	if err != nil {
		e, ok := err.(*model.Error)
		if !ok {
			return fmt.Sprintf("untyped error %T", err)
		}
		fmt.Fprintf(&b, "error=%s status=%d code=%s", e.Kind, e.Status, e.Code)
		if e.RequestID != "" {
			b.WriteString(" request_id")
		}
		if e.RetryAfter > 0 {
			fmt.Fprintf(&b, " retry=%s", e.RetryAfter)
		}
		if e.Partial != nil {
			fmt.Fprintf(&b, " partial=%s", describeAll(e.Partial.Message.Blocks))
		}
		if e.Err != nil {
			fmt.Fprintf(&b, " (%v)", e.Err)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "stop=%s", resp.StopReason)
	if resp.StopDetails != nil {
		b.WriteString("+details")
	}
	b.WriteString(" blocks=" + describeAll(resp.Message.Blocks))
	u := resp.Usage
	if u.Raw == nil {
		b.WriteString(" no_usage")
	} else {
		fmt.Fprintf(&b, " in=%d out=%d read=%d write=%d", u.InputTokens, u.OutputTokens, u.CacheReadTokens, u.CacheWriteTokens)
	}
	if u.ReasoningTokens != 0 {
		fmt.Fprintf(&b, " reasoning=%d", u.ReasoningTokens)
	}
	for _, name := range slices.Sorted(maps.Keys(u.ServerToolCalls)) {
		fmt.Fprintf(&b, " %s=%d", name, u.ServerToolCalls[name])
	}
	fmt.Fprintf(&b, " extra=%s", strings.Join(slices.Sorted(maps.Keys(resp.Extra)), ","))
	for _, ev := range events {
		if ev.Kind == model.EventUnknown {
			b.WriteString(" unknown_event")
		}
	}
	return b.String()
}

func describeAll(blocks model.Blocks) string {
	names := make([]string, len(blocks))
	for i, b := range blocks {
		names[i] = describe(b)
	}
	return strings.Join(names, ",")
}

// describe names a block: its type and size, + for text that cites, ! for a call
// that is incomplete, and * where raw JSON is kept beside the typed view.
func describe(block model.Block) string {
	s := block.BlockType()
	raw := block.RawJSON() != nil
	switch b := block.(type) {
	case *model.Text:
		s += fmt.Sprintf("(%d)", len(b.Text))
		if len(b.Citations) > 0 {
			s += fmt.Sprintf("+%d", len(b.Citations))
		}
	case *model.Thinking:
		s += fmt.Sprintf("(%d)", len(b.Text))
		if b.Signature != "" {
			s += "signed"
		}
	case *model.ToolUse:
		s += ":" + b.Name + string(b.Input)
		if b.Incomplete {
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
	names, all := recordings(t)
	if len(names) != 60 {
		t.Errorf("%d recordings, expected 60", len(names))
	}
	var got strings.Builder
	for _, name := range names {
		fmt.Fprintln(&got, name)
		if what := otherWire[name]; what != "" {
			fmt.Fprintf(&got, "\t# %s\n", what)
		}
		for i, e := range all[name] {
			provider := rowOf(name, e)
			events, resp, err := replay(t, provider, e)
			fmt.Fprintf(&got, "\t%d %s %s\n", i, or(provider, "-"), facts(events, resp, err))
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
			if want != "" && !b.Incomplete && !bytes.Equal(b.Input, []byte(strings.TrimSpace(want))) {
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
