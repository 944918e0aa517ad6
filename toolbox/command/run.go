package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// maxStdinBytes bounds what a program is given to read.
const maxStdinBytes = 1 << 20

// drain is how long the outputs of a program that has ended are waited for: where
// a process that left the group holds them open.
const drain = 2 * time.Second

// command is what is to be run for a call.
func (r *runner) command(in commandIn) (*exec.Cmd, error) {
	if len(in.Stdin) > maxStdinBytes {
		return nil, fmt.Errorf("stdin has %d bytes and the limit is %d; write it to a file and name that", len(in.Stdin), maxStdinBytes)
	}
	dir, err := r.folder(in.Dir)
	if err != nil {
		return nil, err
	}
	name, args := in.Program, in.Args
	if r.cfg.Shell != "" {
		name, args = r.cfg.Shell, []string{"-c", in.Command}
		if base := strings.TrimSuffix(strings.ToLower(filepath.Base(r.cfg.Shell)), ".exe"); base == "cmd" {
			args[0] = "/c"
		}
	}
	for i, arg := range args {
		if strings.ContainsRune(arg, 0) {
			return nil, fmt.Errorf("args[%d] holds a NUL; no program can be given that", i)
		}
	}
	words := append([]string{in.Program, in.Command}, in.Args...)
	if err := r.checkWords(dir, words); err != nil {
		return nil, err
	}
	env := environment(os.Environ(), r.cfg.Env, onWindows)
	file, err := r.program(name, dir, env)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(file, args...)
	cmd.Args[0] = name
	cmd.Dir, cmd.Env = dir, env
	return cmd, nil
}

// perform runs a program until it ends, or ctx does, and ends what it leaves. The
// error is the cause of ctx where that ended it; the result then has what it wrote
// by then.
func (r *runner) perform(ctx context.Context, cmd *exec.Cmd, stdin string) (*Result, error) {
	var p pipes
	if err := p.open(cmd); err != nil {
		return nil, fmt.Errorf("make the program's pipes: %w", err)
	}
	defer p.close()
	var g group
	g.prepare(cmd)
	began := time.Now()
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the program %q cannot be started: %s", cmd.Args[0], reason(err))
	}
	defer g.close()
	p.closeTheirs()
	if err := g.started(cmd); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("the program %q cannot be kept together with what it starts: %w", cmd.Args[0], err)
	}
	var out, errs output
	out.max, errs.max = r.cfg.MaxOutputBytes, r.cfg.MaxOutputBytes
	p.copy(stdin, &out, &errs)

	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	var err error
	select {
	case err = <-exited:
	case <-ctx.Done():
		g.kill()
		<-exited
		err = context.Cause(ctx)
	}
	g.kill() // what it has left
	p.drain()
	res := &Result{
		ExitCode: cmd.ProcessState.ExitCode(), Duration: time.Since(began),
		Stdout: out.String(), StdoutBytes: out.bytes, Stderr: errs.String(), StderrBytes: errs.bytes,
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
		if res.ExitCode < 0 {
			res.Signal = strings.TrimPrefix(exit.String(), "signal: ")
		}
	}
	return res, err
}

// pipes are what connects a program with the one that runs it.
type pipes struct {
	theirs, ours []*os.File // stdin, stdout, stderr
	copying      sync.WaitGroup
}

func (p *pipes) open(cmd *exec.Cmd) error {
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeTheirs()
			p.close()
			return err
		}
		if i == 0 {
			p.theirs, p.ours = append(p.theirs, r), append(p.ours, w)
		} else {
			p.theirs, p.ours = append(p.theirs, w), append(p.ours, r)
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.theirs[0], p.theirs[1], p.theirs[2]
	return nil
}

// copy feeds and reads the program, on goroutines that drain waits for.
func (p *pipes) copy(stdin string, out, errs *output) {
	p.copying.Go(func() {
		_, _ = io.WriteString(p.ours[0], stdin) // a program need not read it
		_ = p.ours[0].Close()
	})
	p.copying.Go(func() { _, _ = io.Copy(out, p.ours[1]) })
	p.copying.Go(func() { _, _ = io.Copy(errs, p.ours[2]) })
}

// drain waits for the goroutines; for those whose pipe somebody else holds open no
// longer than a moment.
func (p *pipes) drain() {
	_ = p.ours[0].Close()
	timer := time.AfterFunc(drain, p.close)
	defer timer.Stop()
	p.copying.Wait()
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close()
	}
}

func (p *pipes) close() {
	for _, f := range p.ours {
		_ = f.Close()
	}
}
