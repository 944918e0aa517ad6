package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// plainly says in the tools' terms what the system refuses, without the path of
// the workspace.
func plainly(name string, err error) error {
	name = short(name)
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the system does not permit the use of %q; use another path, or tell the person", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("a name in %q is too long for the file system; use a shorter one", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q is gone: another process removed it at this moment; look what is there now and try again: %w", name, fs.ErrNotExist)
	case errors.Is(err, os.ErrClosed):
		return errors.New("the workspace is closed; nothing can be read or written any more")
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return fmt.Errorf("%q: %w", name, err)
}

// notFoundError is for a path at which there is nothing.
type notFoundError struct{ path, hint string }

func (e *notFoundError) Error() string {
	return fmt.Sprintf("there is no %q in the workspace; %s", e.path, e.hint)
}

func (e *notFoundError) Unwrap() error { return fs.ErrNotExist }

// notFound says what is missing, and what its folder has that looks like it.
func notFound(dir *os.Root, name string) error {
	hint := fmt.Sprintf("find out what there is with %s or %s", ListName, GlobName)
	entries, _, err := readDir(dir)
	if err != nil {
		return &notFoundError{name, hint}
	}
	for _, e := range entries {
		if sameName(e.Name(), path.Base(name)) {
			hint = fmt.Sprintf("did you mean %q, whose name differs in case or in the form of its characters only?", path.Join(path.Dir(name), e.Name()))
		}
	}
	return &notFoundError{name, hint}
}

// kindOf names what is neither a file nor a folder.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "something special, such as a junction"
}
