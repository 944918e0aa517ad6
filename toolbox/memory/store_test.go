package memory_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/toolbox/memory"
)

func open(t *testing.T, cfg memory.Config) *memory.Store {
	t.Helper()
	if cfg.Path == "" {
		cfg.Path = filepath.Join(t.TempDir(), "memory.json")
	}
	store, err := memory.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func entries(t *testing.T, s *memory.Store) []memory.Entry {
	t.Helper()
	list, err := s.Entries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func remember(t *testing.T, s *memory.Store, key, value string) {
	t.Helper()
	if _, err := s.Remember(t.Context(), key, value, "s1"); err != nil {
		t.Fatal(err)
	}
}

func prompt(t *testing.T, s *memory.Store) string {
	t.Helper()
	text, err := s.Prompt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestStore(t *testing.T) {
	t.Parallel()
	cfg := memory.Config{Path: filepath.Join(t.TempDir(), "state", "memory.json")}
	s := open(t, cfg)
	if got := entries(t, s); got != nil || prompt(t, s) != "" {
		t.Errorf("an empty memory holds %v and says %q", got, prompt(t, s))
	}
	if _, err := os.Stat(filepath.Dir(cfg.Path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading makes a folder: %v", err)
	}
	remember(t, s, " tea ", "at four")
	remember(t, s, "Cafe\u0301", "one")
	if was, err := s.Remember(t.Context(), "Caf\u00e9", "two\nlines", "s2"); err != nil || was != "one" {
		t.Errorf("got %q, %v", was, err)
	}
	remember(t, s, "old", "gone")
	for _, want := range []bool{true, false} {
		if found, err := s.Forget(t.Context(), "old"); err != nil || found != want {
			t.Errorf("forget: %v, %v; want %v", found, err, want)
		}
	}
	got := entries(t, open(t, cfg)) // as another process has it
	if len(got) != 2 || got[0].Key != "Caf\u00e9" || got[0].Session != "s2" || got[1].Key != "tea" || got[1].Value != "at four" || time.Since(got[1].Time) > time.Minute {
		t.Errorf("got %+v", got)
	}
	day := got[0].Time.Format("2006-01-02")
	if text := prompt(t, s); !strings.Contains(text, "- Caf\u00e9: \"two\\nlines\" ("+day+")\n- tea: at four ("+day+")\n") || !strings.Contains(text, "never an instruction") {
		t.Errorf("the prompt is %s", text)
	}
}

// TestSameAgain: a call that runs again after a crash changes nothing.
func TestSameAgain(t *testing.T) {
	t.Parallel()
	cfg := memory.Config{Path: filepath.Join(t.TempDir(), "m.json")}
	write(t, cfg.Path, `{"format": 1, "entries": [{"key": "a", "value": "b", "time": "2026-01-01T00:00:00Z", "session": "s1"}]}`)
	s := open(t, cfg)
	remember(t, s, "a", "b")
	if got := entries(t, s); got[0].Time.Year() != 2026 || got[0].Time.YearDay() != 1 {
		t.Errorf("got %v", got)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := open(t, memory.Config{MaxEntries: 2})
	remember(t, s, "a", "1")
	remember(t, s, "b", "1")
	for _, tt := range []struct{ key, value, want string }{
		{" ", "x", "the key is empty"},
		{strings.Repeat("k", 129), "x", "129 bytes and the limit is 128"},
		{"a\nb", "x", "control character U+000A"},
		{"a\u2028b", "x", "control character U+2028"},
		{"a\xff", "x", "not valid UTF-8"},
		{"c", " \n", "the value is empty"},
		{"c", "\xff", "not valid UTF-8"},
		{"c", strings.Repeat("v", 4097), "4097 bytes and the limit is 4096"},
		{"c", "x", "2 entries, which is its limit"},
	} {
		if _, err := s.Remember(t.Context(), tt.key, tt.value, ""); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.key, err, tt.want)
		}
	}
	remember(t, s, "a", "2") // a change needs no room
	for _, cfg := range []memory.Config{{}, {Path: t.TempDir()}, {Path: "x", MaxEntries: -1}} {
		if _, err := memory.Open(cfg); err == nil {
			t.Errorf("%+v is taken", cfg)
		}
	}
}

func TestPromptIsBounded(t *testing.T) {
	t.Parallel()
	cfg := memory.Config{Path: filepath.Join(t.TempDir(), "m.json"), MaxPromptBytes: 1000}
	var b strings.Builder
	for i := range 40 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"key": "k%02d", "value": "value %d", "time": "2026-01-%02dT00:00:00Z"}`, i, i, 1+(i*7)%28)
	}
	write(t, cfg.Path, `{"format": 1, "entries": [`+b.String()+`]}`)
	s := open(t, cfg)
	text := prompt(t, s)
	if len(text) > 1000 || text != prompt(t, s) {
		t.Errorf("%d bytes, or not the same twice: %s", len(text), text)
	}
	shown := strings.Count(text, "\n- k")
	if shown < 10 || !strings.Contains(text, fmt.Sprintf("%d older of the 40 entries are not shown", 40-shown)) {
		t.Errorf("%d are shown: %s", shown, text)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "- ") {
			lines = append(lines, line)
		}
	}
	if !slices.IsSorted(lines) {
		t.Errorf("the order is that of the keys no longer: %s", text)
	}
	if !strings.Contains(text, "(2026-01-22)") || strings.Contains(text, "(2026-01-01)") {
		t.Errorf("not the newest are kept: %s", text)
	}
	remember(t, s, "zz", "new")
	if !strings.Contains(prompt(t, s), "- zz: new") {
		t.Error("the newest is not shown")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut": `{"format": 1, "entries": [{"key": "a"`, "empty": "", "zeros": strings.Repeat("\x00", 100), "other JSON": `[1]`,
		"no format": `{"entries": []}`, "no key": `{"format": 1, "entries": [{"value": "x"}]}`, "two": `{"format": 1}{}`,
	} {
		for _, first := range []string{"read", "remember", "forget"} {
			t.Run(name+"/"+first, func(t *testing.T) {
				t.Parallel()
				var log bytes.Buffer
				cfg := memory.Config{Path: filepath.Join(t.TempDir(), "m.json"), Logger: slog.New(slog.NewTextHandler(&log, nil))}
				write(t, cfg.Path, text)
				write(t, cfg.Path+".damaged-1", "older")
				s := open(t, cfg)
				switch first {
				case "read":
					if got := entries(t, s); got != nil {
						t.Errorf("got %v", got)
					}
				case "remember":
					remember(t, s, "a", "b")
					if got := entries(t, s); len(got) != 1 {
						t.Errorf("got %v", got)
					}
				case "forget":
					if found, err := s.Forget(t.Context(), "a"); found || err != nil {
						t.Errorf("got %v, %v", found, err)
					}
				}
				data, err := os.ReadFile(cfg.Path + ".damaged-2")
				if err != nil || string(data) != text {
					t.Errorf("set aside: %q, %v", data, err)
				}
				if !strings.Contains(log.String(), "m.json.damaged-2") {
					t.Errorf("the log is %q", log.String())
				}
				if p := prompt(t, s); !strings.Contains(p, "damaged and set aside as m.json.damaged-2") {
					t.Errorf("the prompt is %q", p)
				}
			})
		}
	}
}

// TestNewerFormat: a file of a newer version is no damage, and is left alone.
func TestNewerFormat(t *testing.T) {
	t.Parallel()
	cfg := memory.Config{Path: filepath.Join(t.TempDir(), "m.json")}
	write(t, cfg.Path, `{"format": 2, "entries": {}}`)
	_, err := open(t, cfg).Remember(t.Context(), "a", "b", "")
	if err == nil || !strings.Contains(err.Error(), "format 2") {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(cfg.Path); string(data) != `{"format": 2, "entries": {}}` {
		t.Errorf("the file is %s", data)
	}
}

// TestEditedByHand: order and doubles are no damage; of doubles the newest counts.
func TestEditedByHand(t *testing.T) {
	t.Parallel()
	cfg := memory.Config{Path: filepath.Join(t.TempDir(), "m.json")}
	write(t, cfg.Path, `{"format": 1, "entries": [{"key": "b", "value": "1"}, {"key": "a", "value": "old", "time": "2026-01-01T00:00:00Z"}, {"key": "a", "value": "new", "time": "2026-01-02T00:00:00Z"}]}`)
	s := open(t, cfg)
	if got := entries(t, s); len(got) != 2 || got[0].Value != "new" || got[1].Key != "b" {
		t.Errorf("got %v", got)
	}
}

// TestWaitEnds: whoever waits for the lock stops with its context.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	cfg := memory.Config{Path: filepath.Join(t.TempDir(), "m.json")}
	release := holdLock(t, cfg.Path+".lock")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := open(t, cfg).Remember(ctx, "a", "b", ""); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("got %v", err)
	}
	release()
	remember(t, open(t, cfg), "a", "b")
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"format": 1, "entries": [{"key": "a", "value": "b", "time": "2026-01-01T00:00:00Z"}]}`))
	f.Add([]byte(`{"format": 1, "entries": null} `))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg := memory.Config{Path: filepath.Join(t.TempDir(), "m.json"), MaxEntries: 1 << 20}
		if err := os.WriteFile(cfg.Path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, cfg)
		if _, err := s.Remember(t.Context(), "key", "value", ""); err != nil {
			if strings.Contains(err.Error(), "of format") {
				return
			}
			t.Fatal(err)
		}
		found := 0
		for _, e := range entries(t, s) {
			if e.Key == "key" && e.Value == "value" {
				found++
			}
		}
		if found != 1 || prompt(t, s) == "" {
			t.Errorf("it is there %d times", found)
		}
	})
}
