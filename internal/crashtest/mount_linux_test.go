package crashtest

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// mount mounts a file system of memory of diskKiB.
func mount(dir string) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", diskKiB))
}

// private lets a command mount what nobody else sees, without being root.
func private(cmd *exec.Cmd) bool {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return true
}
