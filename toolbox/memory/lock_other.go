//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package memory

import (
	"errors"
	"os"
)

func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

func unlock(*os.File) {}
