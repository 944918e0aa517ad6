package bench

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// durableAgents is how many agents BenchmarkDurableTurns runs at once.
const durableAgents = 100

// BenchmarkDurableTurns runs a hundred agents at once, whose model answers at
// once, on one SQLite file with full sync: what is left is the cost of being
// durable. A turn is a model call and, but for the last, the call of a tool that
// reads 1 KB. It counts when its outcome is on the disk.
//
// Beside the journal there is the way that it replaces: a checkpoint, which
// stores the whole history as one row in each turn. It has the same agents, in
// memory otherwise, the same driver and the same sync, and one sync a turn where
// the journal has two. It is measured with a transaction for each checkpoint, as
// is usual, and with one for all that come at the same time, as the journal's
// store does it.
func BenchmarkDurableTurns(b *testing.B) {
	ways := []struct {
		name   string
		open   func(testing.TB, string) keeper
		single bool
	}{
		{"journal", openJournal, false},
		{"checkpoint-grouped", func(tb testing.TB, path string) keeper { return openCheckpoints(tb, path, 512) }, false},
		{"checkpoint-single", func(tb testing.TB, path string) keeper { return openCheckpoints(tb, path, 1) }, true},
	}
	for _, turns := range []int{20, 100} {
		for _, way := range ways {
			if way.single && turns > 20 {
				continue // it takes more than a minute, and shows what the grouped one does
			}
			b.Run(fmt.Sprintf("turns=%d/%s", turns, way.name), func(b *testing.B) {
				resetPeak()
				kept, written, busy := int64(0), int64(0), int64(0)
				for b.Loop() {
					b.StopTimer()
					dir, err := os.MkdirTemp(b.TempDir(), "")
					if err != nil {
						b.Fatal(err)
					}
					path := filepath.Join(dir, "bench.db")
					k := way.open(b, path)
					writtenBefore, busyBefore := writtenBytes(b), cpuMicros(b)
					b.StartTimer()
					runDurable(b, k, turns)
					b.StopTimer()
					written += writtenBytes(b) - writtenBefore
					busy += cpuMicros(b) - busyBefore
					kept += k.close(b, turns)
					if err := os.RemoveAll(dir); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				all := float64(b.N * durableAgents * turns)
				b.ReportMetric(all/b.Elapsed().Seconds(), "turns/s")
				b.ReportMetric(float64(kept)/all, "kept-B/turn")
				b.ReportMetric(float64(written)/all, "written-B/turn")
				b.ReportMetric(float64(busy)/all, "cpu-µs/turn")
				b.ReportMetric(peakMB(b), "peak-MB")
			})
		}
	}
}

// keeper is a way to keep what agents do.
type keeper interface {
	// store is the agents' store.
	store() session.Store
	// save is called in each turn with the conversation so far; nil where the
	// store has all.
	save() func(ctx context.Context, messages []*model.Message) error
	// close checks that every turn of every agent is in the file, closes it, and
	// returns how many bytes the turns take.
	close(tb testing.TB, turns int) int64
}

func runDurable(tb testing.TB, k keeper, turns int) {
	reader := &readerModel{turns: turns, save: k.save()}
	agent, err := quarry.New(quarry.Config{
		Instructions: "Read on until you are done.",
		Limits:       quarry.Limits{ToolCalls: quarry.Unlimited, Turns: 10_000},
		Model:        reader,
		Store:        k.store(),
		Tools: []*quarry.Tool{quarry.NewTool(quarry.ToolSpec{
			Name: "read", Description: "Returns a page.", Effect: quarry.ReadOnly,
		}, func(context.Context, echoIn) (string, error) { return page, nil })},
	})
	if err != nil {
		tb.Fatal(err)
	}
	var running sync.WaitGroup
	for i := range durableAgents {
		running.Go(func() {
			result, err := agent.Run(tb.Context(), quarry.Input{Prompt: fmt.Sprintf("Begin, number %d.", i)})
			switch {
			case tb.Failed(): // one message is enough
			case err != nil:
				tb.Error(err)
			case !result.OK() || result.ToolCalls != turns-1:
				tb.Errorf("a run came to %s (%s) after %d of %d tool calls: %s", result.Subtype, result.Reason, result.ToolCalls, turns-1, result.Detail)
			}
		})
	}
	running.Wait()
	if got, want := reader.calls.Load(), int64(durableAgents*turns); got != want {
		tb.Fatalf("the model was asked %d times, want %d", got, want)
	}
}

var (
	thought = strings.Repeat("The page before does not say it; I read on. ", 6)[:250]
	page    = strings.Repeat("All work and no play makes Jack a dull boy.\n", 24)[:1024]
)

// readerModel calls the tool read in each turn but the last.
type readerModel struct {
	turns int
	save  func(context.Context, []*model.Message) error
	calls atomic.Int64
}

func (m *readerModel) Name() string { return "bench/reader" }

func (m *readerModel) Stream(ctx context.Context, req *model.Request) model.Stream {
	return func(yield func(model.Event, error) bool) {
		m.calls.Add(1)
		turn := len(req.Messages)/2 + 1
		resp := &model.Response{
			ID: fmt.Sprintf("msg_%d", turn), Model: m.Name(),
			Message:    model.NewMessage(model.RoleAssistant, &model.Text{Text: fmt.Sprintf("Page %d: %s", turn, thought)}), // no loop, as repeated text would be
			StopReason: model.StopEndTurn,
			Usage:      model.Usage{InputTokens: 100, OutputTokens: 20},
		}
		if turn < m.turns {
			resp.StopReason = model.StopToolUse
			resp.Message.Blocks = append(resp.Message.Blocks, &model.ToolUse{
				ID: fmt.Sprintf("toolu_%d", turn), Name: "read", Input: fmt.Appendf(nil, `{"step":%d}`, turn),
			})
		}
		if m.save != nil {
			if err := m.save(ctx, append(req.Messages[:len(req.Messages):len(req.Messages)], resp.Message)); err != nil {
				yield(model.Event{}, err)
				return
			}
		}
		yield(model.Event{Kind: model.EventDone, Response: resp}, nil)
	}
}

// journal keeps agents in the store of package sqlite.
type journal struct {
	*sqlite.Store
	path string
}

func openJournal(tb testing.TB, path string) keeper {
	store, err := sqlite.Open(tb.Context(), sqlite.Config{Path: path})
	if err != nil {
		tb.Fatal(err)
	}
	return &journal{store, path}
}

func (j *journal) store() session.Store { return j.Store }

func (j *journal) save() func(context.Context, []*model.Message) error { return nil }

func (j *journal) close(tb testing.TB, turns int) (kept int64) {
	if err := j.Store.Close(); err != nil {
		tb.Fatal(err)
	}
	db := openSQL(tb, j.path)
	defer db.Close()
	answers := 0
	row := db.QueryRow("SELECT sum(octet_length(data)), sum(kind = 'model_answered') FROM records")
	if err := row.Scan(&kept, &answers); err != nil || answers != durableAgents*turns {
		tb.Fatalf("the journal has %d answers, want %d: %v", answers, durableAgents*turns, err)
	}
	return kept
}

// checkpoints keep the whole conversation of an agent in each turn.
type checkpoints struct {
	db    *sql.DB
	queue chan *checkpoint
	// done is closed when the writer's goroutine has ended.
	done chan struct{}
}

type checkpoint struct {
	agent string
	turn  int
	data  []byte
	saved chan error
}

// openCheckpoints opens a file of checkpoints with the settings of package sqlite,
// and writes up to group of them in one transaction.
func openCheckpoints(tb testing.TB, path string, group int) keeper {
	c := &checkpoints{db: openSQL(tb, path), queue: make(chan *checkpoint), done: make(chan struct{})}
	for _, stmt := range []string{
		"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA fullfsync = 1", "PRAGMA checkpoint_fullfsync = 1", "PRAGMA journal_size_limit = 67108864",
		"CREATE TABLE checkpoints (agent TEXT NOT NULL, turn INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (agent, turn)) STRICT",
	} {
		if _, err := c.db.Exec(stmt); err != nil {
			tb.Fatal(err)
		}
	}
	insert, err := c.db.Prepare("INSERT INTO checkpoints (agent, turn, data) VALUES (?, ?, ?)")
	if err != nil {
		tb.Fatal(err)
	}
	go func() {
		defer close(c.done)
		defer insert.Close()
		for first := range c.queue {
			c.write(insert, first, group)
		}
	}()
	return c
}

// write stores a checkpoint, and those that wait by then, in one transaction.
func (c *checkpoints) write(insert *sql.Stmt, first *checkpoint, limit int) {
	group := []*checkpoint{first}
	_, err := c.db.Exec("BEGIN IMMEDIATE")
	for i := 0; i < len(group) && err == nil; i++ {
		_, err = insert.Exec(group[i].agent, group[i].turn, string(group[i].data))
		if len(group) < limit {
			select {
			case next, ok := <-c.queue:
				if ok {
					group = append(group, next)
				}
			default:
			}
		}
	}
	if err == nil {
		_, err = c.db.Exec("COMMIT")
	}
	for _, saved := range group {
		saved.saved <- err
	}
}

func (c *checkpoints) store() session.Store { return session.NewMemory() }

func (c *checkpoints) save() func(context.Context, []*model.Message) error {
	return func(_ context.Context, messages []*model.Message) error {
		data, err := json.Marshal(messages)
		if err != nil {
			return err
		}
		p := &checkpoint{agent: messages[0].Blocks.Text(), turn: len(messages) / 2, data: data, saved: make(chan error, 1)}
		c.queue <- p
		return <-p.saved
	}
}

func (c *checkpoints) close(tb testing.TB, turns int) (kept int64) {
	close(c.queue)
	<-c.done
	defer c.db.Close()
	rows, whole := 0, 0
	row := c.db.QueryRow("SELECT sum(octet_length(data)), count(*), sum(turn = ? AND json_array_length(data) = ?) FROM checkpoints", turns, 2*turns)
	if err := row.Scan(&kept, &rows, &whole); err != nil || rows != durableAgents*turns || whole != durableAgents {
		tb.Fatalf("there are %d checkpoints, want %d, and %d whole conversations, want %d: %v", rows, durableAgents*turns, whole, durableAgents, err)
	}
	return kept
}

// openSQL opens a database file for one connection at a time.
func openSQL(tb testing.TB, path string) *sql.DB {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

// resetPeak begins the peak of memory anew, where the system can.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// cpuMicros is the time that processors have spent on this process so far, in
// microseconds and to the hundredth of a second. It moves less than the clock's
// where others use the machine too.
func cpuMicros(tb testing.TB) int64 {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		tb.Skipf("processor time is read from /proc: %v", err)
	}
	// Behind the name, which is in parentheses, utime and stime are the 12th and
	// the 13th value, in ticks of 1/100 s; see proc(5).
	values := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var user, system int64
	if _, err := fmt.Sscan(string(values[11])+" "+string(values[12]), &user, &system); err != nil {
		tb.Fatal(err)
	}
	return (user + system) * 10_000
}

// writtenBytes is what this process has sent to disks so far.
func writtenBytes(tb testing.TB) (n int64) {
	stats, err := os.ReadFile("/proc/self/io")
	if err != nil {
		tb.Skipf("what is written is read from /proc: %v", err)
	}
	_, rest, ok := bytes.Cut(stats, []byte("\nwrite_bytes:"))
	if !ok {
		tb.Fatal("/proc/self/io has no write_bytes")
	}
	if _, err := fmt.Sscan(string(rest), &n); err != nil {
		tb.Fatal(err)
	}
	return n
}
