//go:build !unix && !windows

package command

import (
	"os"
	"os/exec"
)

// group is a program alone, where the system has nothing to hold together what it
// starts.
type group struct{ process *os.Process }

func (g *group) prepare(*exec.Cmd) {}

func (g *group) started(cmd *exec.Cmd) error {
	g.process = cmd.Process
	return nil
}

func (g *group) kill() {
	if g.process != nil {
		_ = g.process.Kill()
	}
}

func (g *group) close() {}
