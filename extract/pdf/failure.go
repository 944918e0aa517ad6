package pdf

import (
	"errors"
	"strings"
)

// firstLine drops the stack of the module from an error of the runtime.
func firstLine(err error) error {
	line, _, found := strings.Cut(err.Error(), "\n")
	if !found {
		return err
	}
	return errors.New(strings.TrimSpace(line))
}
