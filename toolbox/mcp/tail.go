package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
)

// How much of what a server writes beside the protocol is kept for errors.
const (
	tailLines = 10
	tailLine  = 300
)

// tail keeps the last lines that a server wrote, without its secrets.
type tail struct {
	server  string
	secrets *redactor
	log     *slog.Logger

	mu      sync.Mutex
	lines   []string
	partial []byte
}

// Write takes what comes on stderr.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.partial = append(t.partial, p...)
	for {
		line, rest, found := bytes.Cut(t.partial, []byte("\n"))
		if !found {
			break
		}
		t.add("stderr", line)
		t.partial = rest
	}
	// A line without end is taken in pieces.
	if len(t.partial) > 64<<10 {
		t.add("stderr", t.partial)
		t.partial = nil
	}
	t.partial = bytes.Clone(t.partial)
	return len(p), nil
}

// noise takes a line of stdout that is no message.
func (t *tail) noise(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add("stdout", line)
}

// add keeps a line; the caller holds the lock.
func (t *tail) add(from string, line []byte) {
	text := strings.TrimSpace(strings.ToValidUTF8(t.secrets.clean(string(line)), "\uFFFD"))
	if text == "" {
		return
	}
	if t.log != nil {
		t.log.LogAttrs(context.Background(), slog.LevelDebug, "mcp server wrote", slog.String("server", t.server), slog.String("to", from), slog.String("line", text))
	}
	if len(text) > tailLine {
		text = strings.ToValidUTF8(text[:tailLine], "") + "…"
	}
	if from == "stdout" {
		text = "(on stdout) " + text
	}
	t.lines = append(t.lines, text)
	if len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}

// String is what was kept, as the end of an error.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.partial) > 0 {
		t.add("stderr", t.partial)
		t.partial = nil
	}
	if len(t.lines) == 0 {
		return ""
	}
	return "; it wrote last:\n" + strings.Join(t.lines, "\n")
}
