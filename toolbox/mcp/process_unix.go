//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// setGroup gives the process a group, so that what it starts ends with it, and
// so that Ctrl-C on the terminal does not reach it before the program decides.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
