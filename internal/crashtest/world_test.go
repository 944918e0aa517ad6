package crashtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// call is a call of a tool, as it came to the ledger.
type call struct {
	process, tool, key string
	attempt            int
}

// ask is a call of the model, as it came to the server.
type ask struct {
	process, session string
	turn             int
	request          *model.Request
}

// world is what the agents' processes act upon: a model, a ledger, and a disk.
type world struct {
	model  *modeltest.Server
	ledger *httptest.Server
	path   string

	mu    sync.Mutex
	posts []call
	// park names a turn of the model or a tool, whose first call is left without
	// an answer until release is closed; parked is closed when it is there.
	park    string
	parked  chan struct{}
	release chan struct{}
}

// newWorld makes a world; the call that park names gets no answer.
func newWorld(t *testing.T, park string) *world {
	w := &world{
		path: filepath.Join(t.TempDir(), "quarry.db"),
		park: park, parked: make(chan struct{}), release: make(chan struct{}),
	}
	turns := script()
	w.model = modeltest.NewServer(modeltest.ServerConfig{APIKey: "test-key", Script: modeltest.Script{
		modeltest.Func(func(ctx context.Context, req *model.Request) (*modeltest.Turn, error) {
			turn := turnOf(req)
			if turn > len(turns) {
				return nil, fmt.Errorf("the script has no turn %d", turn)
			}
			return turns[turn-1], w.stay(ctx, "model "+strconv.Itoa(turn))
		}),
	}})
	t.Cleanup(w.model.Close)
	w.ledger = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.ledger.Close)
	return w
}

// turnOf tells which turn a request asks for.
func turnOf(req *model.Request) int {
	turn := 1
	for _, m := range req.Messages {
		if m.Role == model.RoleAssistant {
			turn++
		}
	}
	return turn
}

// stay keeps the call that is to be parked, until it is released or its caller
// is gone.
func (w *world) stay(ctx context.Context, name string) error {
	w.mu.Lock()
	here := w.park == name
	if here {
		w.park = ""
	}
	w.mu.Unlock()
	if !here {
		return nil
	}
	close(w.parked)
	select {
	case <-w.release:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// serve is the ledger.
func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // the process was killed
	}
	attempt, _ := strconv.Atoi(r.Header.Get(headerAttempt))
	tool := strings.TrimPrefix(r.URL.Path, "/")
	w.mu.Lock()
	w.posts = append(w.posts, call{r.Header.Get(headerProcess), tool, r.Header.Get(headerKey), attempt})
	w.mu.Unlock()
	if w.stay(r.Context(), tool) == nil {
		fmt.Fprint(rw, tool, " is done. ", strings.Repeat(tool+" ", 400))
	}
}

// called returns the calls that came to the ledger.
func (w *world) called() []call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.posts)
}

// asked returns the calls of the model, which must all be what a provider takes.
func (w *world) asked(t *testing.T) (asks []ask) {
	t.Helper()
	for _, r := range w.model.Requests() {
		if r.Request == nil {
			// A request that the process was killed in the middle of is none.
			if json.Valid(r.Body) {
				t.Errorf("the model refuses %s", r.Body)
			}
			continue
		}
		if err := modeltest.CheckHistory(r.Request.Messages); err != nil {
			t.Error(err)
		}
		asks = append(asks, ask{r.Header.Get(headerProcess), r.Header.Get(headerSession), turnOf(r.Request), r.Request})
	}
	return asks
}

// journal reads a session from a copy of the files: opening them would repair
// them after a crash, which the next process has to do itself.
func (w *world) journal(t *testing.T, id string) ([]session.Record, session.Info) {
	t.Helper()
	if _, err := os.Stat(w.path); os.IsNotExist(err) {
		return nil, session.Info{}
	}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: copyOf(t, w.path)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	recs, err := load(t.Context(), s, id)
	if err != nil {
		t.Fatal(err)
	}
	return recs, infoOf(t, s, id)
}

// copyOf copies a database with its log, as they are now; a file that is not there
// is none.
func copyOf(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err == nil {
			if err := os.WriteFile(filepath.Join(dir, "quarry.db"+suffix), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return filepath.Join(dir, "quarry.db")
}

// infoOf returns a session's summary.
func infoOf(t *testing.T, s session.Store, id string) (found session.Info) {
	t.Helper()
	for info, err := range s.List(t.Context(), session.Filter{ID: id}) {
		if err != nil {
			t.Fatal(err)
		}
		found = info
	}
	return found
}

// child is an agent's process, as the test sees it.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string
	stderr bytes.Buffer
	ended  bool
}

// startChild starts a process; prepare may change its command.
func startChild(t *testing.T, prepare func(*exec.Cmd)) (*child, error) {
	c := &child{t: t, cmd: exec.Command(os.Args[0]), lines: make(chan string)}
	// The race detector would sleep for a second at the end of each process.
	c.cmd.Env = append(os.Environ(), agentEnv+"=1", "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	c.cmd.Stderr = &c.stderr
	if prepare != nil {
		prepare(c.cmd)
	}
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.lines)
		out := bufio.NewReader(stdout)
		for {
			line, err := out.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		if !c.ended {
			c.kill()
		}
	})
	return c, nil
}

// tell writes a line to the process.
func (c *child) tell(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.stdin, line); err != nil {
		c.t.Fatalf("%v\n%s", err, c.stderr.String())
	}
}

// give gives the process a job.
func (c *child) give(j *job) {
	c.t.Helper()
	data, err := json.Marshal(j)
	if err != nil {
		c.t.Fatal(err)
	}
	c.tell(string(data))
}

// hear waits for what the process says next.
func (c *child) hear() string {
	c.t.Helper()
	line, ok := <-c.lines
	if !ok {
		c.fail()
	}
	return line
}

// fail reports that the process ended by itself.
func (c *child) fail() {
	c.t.Helper()
	c.ended = true
	err := c.cmd.Wait()
	c.t.Fatalf("the process ended: %v\n%s", err, c.stderr.String())
}

// done reads a report.
func (c *child) done(line string) *report {
	c.t.Helper()
	var r report
	data, ok := strings.CutPrefix(line, sayDone)
	if !ok {
		c.t.Fatalf("the process says %q", line)
	}
	if err := json.Unmarshal([]byte(data), &r); err != nil {
		c.t.Fatal(err)
	}
	return &r
}

// kill kills the process, with SIGKILL where there are signals.
func (c *child) kill() {
	c.ended = true
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Error(err)
	}
	for range c.lines {
	}
	if err := c.cmd.Wait(); err == nil {
		c.t.Error("the process ended by itself before it was killed")
	}
	c.quiet()
}

// end lets the process end, and checks that it does so well.
func (c *child) end() {
	c.t.Helper()
	c.ended = true
	c.stdin.Close()
	for line := range c.lines {
		c.t.Errorf("the process says %q", line)
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Error(err)
	}
	c.quiet()
}

// quiet checks that the process had nothing to complain of, such as a data race.
func (c *child) quiet() {
	if c.stderr.Len() > 0 {
		c.t.Errorf("a process says:\n%s", c.stderr.String())
	}
}
