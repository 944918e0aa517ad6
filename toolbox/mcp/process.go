package mcp

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"
)

// inherited are the variables that a server's process gets of the program's
// environment; keys are not among them.
var inherited = []string{
	"APPDATA", "COMSPEC", "HOME", "HOMEDRIVE", "HOMEPATH", "LANG", "LC_ALL", "LC_CTYPE", "LOCALAPPDATA", "LOGNAME",
	"PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SHELL", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TERM",
	"TMP", "TMPDIR", "TZ", "USER", "USERNAME", "USERPROFILE",
}

// process is a server that was started. Reads and writes go to its stdout and
// stdin.
type process struct {
	cmd           *exec.Cmd
	stdin, stdout *os.File
	tail          *tail
	grace         time.Duration
	// exited is closed when the process has been waited for; err is then set.
	exited chan struct{}
	err    error
	close  sync.Once
}

// start runs the command in a process group of its own.
func start(cfg *Server, t *tail) (*process, error) {
	cmd := exec.Command(cfg.Command, cfg.Args...)
	cmd.Dir = cfg.Dir
	cmd.Env = environment(cfg.Env)
	cmd.Stderr = t
	// A child of the server may hold stderr open.
	cmd.WaitDelay = time.Second
	setGroup(cmd)
	childIn, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stdout, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), stdin.Close())
	}
	cmd.Stdin, cmd.Stdout = childIn, childOut
	err = cmd.Start()
	_ = childIn.Close()
	_ = childOut.Close()
	if err != nil {
		_ = stdin.Close()
		_ = stdout.Close()
		return nil, err
	}
	p := &process{cmd: cmd, stdin: stdin, stdout: stdout, tail: t, grace: cfg.grace, exited: make(chan struct{})}
	go p.wait()
	return p, nil
}

func environment(extra map[string]string) []string {
	env := []string{}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range extra {
		env = append(env, name+"="+v)
	}
	return env
}

// wait waits for the process, ends what is left of its group, and lets the
// reader have what is in the pipe, but not wait for more.
func (p *process) wait() {
	err := p.cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	p.err = err
	killGroup(p.cmd)
	_ = p.stdout.SetReadDeadline(time.Now().Add(time.Second))
	close(p.exited)
}

// Read implements stream.
func (p *process) Read(b []byte) (int, error) { return p.stdout.Read(b) }

// Write implements stream.
func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// SetWriteDeadline implements stream.
func (p *process) SetWriteDeadline(t time.Time) error { return p.stdin.SetWriteDeadline(t) }

// Close ends the process as the protocol wants it: it closes stdin and waits,
// asks the group to terminate and waits, and kills it. It returns when the process
// is gone.
func (p *process) Close() error {
	p.close.Do(func() {
		_ = p.stdin.Close()
		if !p.within() {
			terminateGroup(p.cmd)
			if !p.within() {
				killGroup(p.cmd)
			}
		}
		<-p.exited
		_ = p.stdout.Close()
	})
	return nil
}

// within waits for the end, as long as the grace is.
func (p *process) within() bool {
	timer := time.NewTimer(p.grace)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// ended says how the process ended, empty where it has not.
func (p *process) ended() string {
	select {
	case <-p.exited:
	default:
		return ""
	}
	if p.err != nil {
		return p.err.Error()
	}
	return "exit status 0"
}
