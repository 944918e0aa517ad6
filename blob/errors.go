package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
)

// ErrNotFound is wrapped by the error for a blob that is not there.
var ErrNotFound = errors.New("no such blob")

// DamagedError is returned by Get for a file whose bytes are not those that its
// name stands for.
type DamagedError struct {
	// Path is the file, Ref the blob that it should be.
	Path, Ref string
	// Found is the reference of what the file has in it.
	Found string
}

// Error names the blob, the file and the way out.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("get blob %s: the file %s is damaged: its bytes are those of %s (delete the file, then put the blob again or restore the file from a copy)", e.Ref, e.Path, e.Found)
}

// failure says what was done to what, what an error of the system means and how
// to mend it. The end of a context stays what it is.
func failure(op, object string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if problem, hint := explain(err); problem != "" {
		return fmt.Errorf("%s %s: %s: %w (%s)", op, object, problem, err, hint)
	}
	return fmt.Errorf("%s %s: %w", op, object, err)
}

func explain(err error) (problem, hint string) {
	switch {
	case isFull(err):
		return "the disk is full", "free some space and try again; what was put before is safe"
	case errors.Is(err, fs.ErrPermission):
		return "permission is denied", "give this user permission to read and write the folder and what is in it"
	case errors.Is(err, syscall.EROFS):
		return "the disk is read-only", "give the path of a folder that can be written"
	case errors.Is(err, syscall.ENOTDIR):
		return "a file is where a folder must be", "move the file away, or give the path of another folder"
	case errors.Is(err, syscall.EISDIR):
		return "a folder is where a file must be", "move the folder away"
	}
	return "", ""
}

// isFull tells that there is no space, or none left of the user's quota.
func isFull(err error) bool {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return false
	}
	if runtime.GOOS == "windows" {
		const handleDiskFull, diskFull = 39, 112
		return errno == handleDiskFull || errno == diskFull
	}
	return errno == syscall.ENOSPC || errno == syscall.EDQUOT
}
