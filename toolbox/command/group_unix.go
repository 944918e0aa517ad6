//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// group is a program with all that it starts: a process group.
type group struct{ id int }

// prepare is called before the program is started.
func (g *group) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// started is called when the program has begun.
func (g *group) started(cmd *exec.Cmd) error {
	g.id = cmd.Process.Pid
	return nil
}

// kill ends all processes of the group that are left.
func (g *group) kill() {
	if g.id > 0 {
		_ = syscall.Kill(-g.id, syscall.SIGKILL)
	}
}

func (g *group) close() {}
