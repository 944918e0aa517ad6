package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
	store "github.com/quarry-sdk/quarry/session/sqlite"
)

// job is what a process is told to do, as a line of JSON on its stdin.
type job struct {
	// Path is the database file.
	Path string
	// Session is the session to begin or to go on with.
	Session string
	// Process names the process to the servers.
	Process string
	// Model and Ledger are the servers' addresses.
	Model, Ledger string
	// Stop says where the process stops, to be killed there.
	Stop stop
	// Gate says what the process waits before: "load" or "append". It says "ready"
	// and waits for a line.
	Gate string
	// Pages bounds the size of the database file; 0 for no bound.
	Pages int
	// Mount is a directory to mount a small file system of memory on, once, and
	// Leave the space that is left there, in KiB; below 0 all of it.
	Mount string
	Leave int
	// Tree runs the tree of agents.
	Tree bool
	// Journal asks for the journal in the report.
	Journal bool
	// Power is a file for the log of what SQLite does to the disk, from the
	// process's first job on.
	Power string
	// Pragma is what each new connection of SQLite is told.
	Pragma string
}

// stop is a point in a run. Without At and Record there is none.
type stop struct {
	// At counts the steps of the process: the appends, or the records if Split.
	At int
	// Record names a record; the step is then the one that has it. See nameOf.
	Record string
	// Before stops before the step is durable, and not after.
	Before bool
	// Split appends record by record, so that there is a point between any two.
	Split bool
	// Outcomes counts only records that are neither intents nor Resumed.
	Outcomes bool
	// Sync stops at a sync of the disk and not at the step: before the so-manieth
	// from the step on, or without a step from the beginning. It needs job.Power.
	Sync int
}

// report is what a process says about a job when it is done.
type report struct {
	Result *quarry.Result
	// Late tells that there was nothing to do any more.
	Late     bool
	Err      string
	Conflict bool
	// Appended are the numbers of the records that the process made durable.
	Appended []int64
	Journal  []session.Record
}

// The words that a process says: it stands at its stop, it waits at its gate, it
// is done and this is its report.
const (
	sayStopped = "stopped"
	sayReady   = "ready"
	sayDone    = "done "
)

// agentMain is the agent's process. It ends with its stdin.
func agentMain() int {
	var pragma atomic.Pointer[string]
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, _ string) error {
		if text := *pragma.Load(); text != "" {
			_, err := conn.ExecContext(context.Background(), text, nil)
			return err
		}
		return nil
	})
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	p := &process{lines: lines}
	defer p.close()
	for line := range lines {
		var j job
		if err := json.Unmarshal([]byte(line), &j); err != nil {
			fmt.Fprintln(os.Stderr, "job:", err)
			return 1
		}
		text := j.Pragma
		if j.Pages > 0 {
			text = fmt.Sprintf("PRAGMA max_page_count = %d", j.Pages)
		}
		pragma.Store(&text)
		r := report{}
		if err := p.do(&j, &r); err != nil {
			r.Err, r.Conflict = err.Error(), errors.Is(err, session.ErrConflict)
		}
		data, err := json.Marshal(r)
		if err != nil {
			fmt.Fprintln(os.Stderr, "report:", err)
			return 1
		}
		fmt.Println(sayDone + string(data))
	}
	return 0
}

// process is the agent's process.
type process struct {
	lines   <-chan string
	path    string
	store   session.Store
	mounted bool
	power   *powerLog
}

func (p *process) close() {
	if p.store != nil {
		p.store.Close()
	}
}

// do does a job as a command line would: it begins the session, goes on with
// it, or shows what it came to.
func (p *process) do(j *job, r *report) error {
	ctx := context.Background()
	if j.Mount != "" {
		if err := p.disk(j); err != nil {
			return err
		}
	}
	if j.Power != "" && p.power == nil {
		if err := p.logPower(j); err != nil {
			return err
		}
	}
	if p.path != j.Path {
		p.close()
		s, err := store.Open(ctx, store.Config{Path: j.Path})
		if err != nil {
			return err
		}
		p.store, p.path = s, j.Path
	}
	if j.Journal {
		defer func() { r.Journal, _ = load(ctx, p.store, j.Session) }()
	}
	if j.Gate == "load" {
		p.wait()
	}
	newAgent, prompt := newAgent, prompt
	if j.Tree {
		newAgent, prompt = newTree, treePrompt
	}
	agent, err := newAgent(j, &gate{Store: p.store, job: j, process: p, report: r})
	if err != nil {
		return err
	}
	in := quarry.Input{Session: j.Session}
	status := session.StatusIdle
	for info, err := range p.store.List(ctx, session.Filter{ID: j.Session}) {
		if err != nil {
			return err
		}
		status = info.Status
	}
	if status == session.StatusIdle {
		in.Prompt = prompt
	}
	if status != session.StatusDone {
		r.Result, err = agent.Run(ctx, in)
		if !errors.Is(err, quarry.ErrNothingToDo) {
			return err
		}
		// Another process has ended it since its status was read.
	}
	recs, err := load(ctx, p.store, j.Session)
	if err != nil {
		return err
	}
	ended, ok := recs[len(recs)-1].Event.(*session.Ended)
	if !ok {
		return errors.New("there is nothing to do, and no result")
	}
	r.Result, r.Late = &ended.Result, true
	return nil
}

// say tells the test something.
func (p *process) say(word string) { fmt.Println(word) }

// wait stands at the gate until the test opens it.
func (p *process) wait() {
	p.say(sayReady)
	<-p.lines
}

// stop stands still until the process is killed, or the test is gone.
func (p *process) stop() {
	p.say(sayStopped)
	for range p.lines {
	}
	os.Exit(3)
}

// logPower begins the log of what SQLite does.
func (p *process) logPower(j *job) (err error) {
	if p.power, err = newPowerLog(j.Power, p.stop); err != nil {
		return err
	}
	if j.Stop.At == 0 && j.Stop.Record == "" {
		p.power.stopAt(j.Stop.Sync)
	}
	return logPower(p.power)
}

// disk makes a small disk, and fills it but for what is to be left.
func (p *process) disk(j *job) error {
	if !p.mounted {
		if err := mount(j.Mount); err != nil {
			return fmt.Errorf("mount: %w", err)
		}
		p.mounted = true
	}
	filler := j.Mount + "/filler"
	if j.Leave < 0 {
		return os.Remove(filler)
	}
	return os.WriteFile(filler, []byte(strings.Repeat("full", (diskKiB-j.Leave)<<10/4)), 0o600)
}

// diskKiB is the size of the small disk.
const diskKiB = 1024

// gate is the store as the agent sees it: it stops or waits where the job says.
type gate struct {
	session.Store
	job     *job
	process *process
	report  *report
	// mu makes the steps of children one row; where one stops, all do.
	mu     sync.Mutex
	steps  int
	waited bool
}

// Append implements session.Store.
func (g *gate) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job.Gate == "append" && !g.waited {
		g.waited = true
		g.process.wait()
	}
	if !g.job.Stop.Split {
		return g.append(ctx, id, after, recs)
	}
	for i := range recs {
		if err := g.append(ctx, id, after+int64(i), recs[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// append is one step.
func (g *gate) append(ctx context.Context, id string, after int64, recs []session.Record) error {
	stop := &g.job.Stop
	counts := true
	switch recs[0].Event.(type) {
	case *session.Resumed, *session.ModelCalled, *session.ToolCalled:
		counts = !stop.Outcomes
	}
	if counts {
		g.steps++
	}
	here := counts && g.steps == stop.At
	for _, rec := range recs {
		here = here || nameOf(rec) == stop.Record
	}
	if here && stop.Sync > 0 {
		g.process.power.stopAt(stop.Sync)
		here = false
	}
	if here && stop.Before {
		g.process.stop()
	}
	if err := g.Store.Append(ctx, id, after, recs); err != nil {
		return err
	}
	g.process.power.durable(recs[len(recs)-1].Seq)
	for _, rec := range recs {
		g.report.Appended = append(g.report.Appended, rec.Seq)
	}
	if here {
		g.process.stop()
	}
	return nil
}

// nameOf names what a record says: a turn's answer, the outcome of a call.
func nameOf(rec session.Record) string {
	switch ev := rec.Event.(type) {
	case *session.ModelCalled:
		return fmt.Sprintf("%s %d", ev.Kind(), ev.Turn)
	case *session.ModelAnswered:
		return fmt.Sprintf("%s %d", ev.Kind(), ev.Turn)
	case *session.ToolCalled:
		return ev.Kind() + " " + ev.Name
	case *session.ToolAnswered:
		return ev.Kind() + " " + ev.Name
	}
	return rec.Event.Kind()
}

// load returns a session's journal.
func load(ctx context.Context, s session.Store, id string) (recs []session.Record, err error) {
	for rec, err := range s.Load(ctx, id, 0) {
		if errors.Is(err, session.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
	return recs, nil
}
