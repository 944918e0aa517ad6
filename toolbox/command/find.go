package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/toolbox/files"
)

// folder resolves the working folder of a call.
func (r *runner) folder(name string) (string, error) {
	if name == "" {
		name = "."
	}
	ws, err := files.Open(files.Config{Dir: r.cfg.Dir, Reserved: r.cfg.Reserved})
	if err != nil {
		return "", err
	}
	defer ws.Close()
	below, err := ws.Path(name)
	if err != nil {
		return "", fmt.Errorf("dir: %w", err)
	}
	dir := filepath.Join(r.cfg.Dir, filepath.FromSlash(below))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("dir: %q is not a folder of the workspace; use one that exists, or leave dir out for the workspace itself", name)
	}
	return dir, nil
}

// program finds the file of a program that may be run; dir is the working folder.
func (r *runner) program(name, dir string, env []string) (string, error) {
	if name == "" {
		return "", errors.New("the program is empty; send its name, such as git")
	}
	if strings.ContainsRune(name, 0) {
		return "", errors.New("the program's name holds a NUL; leave it out")
	}
	if !r.cfg.AllowAny && !slices.ContainsFunc(r.cfg.Allow, func(allowed string) bool { return sameProgram(allowed, name) }) {
		hint := ""
		if strings.ContainsAny(name, " \t") {
			hint = "; send the program's name alone, and its arguments in args"
		}
		return "", fmt.Errorf("the program %q is not among those that may be run: %s%s", name, strings.Join(r.cfg.Allow, ", "), hint)
	}
	if strings.ContainsAny(name, `/\`) {
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		found, err := exec.LookPath(file)
		if err != nil {
			return "", fmt.Errorf("the program %q cannot be run: %s; check that the file exists and is executable", name, reason(err))
		}
		return found, nil
	}
	for _, folder := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // it would depend on where one is
		}
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("the program %q is not installed; use another, or tell the person", name)
}

// sameProgram tells whether a name is that of an allowed program.
func sameProgram(allowed, name string) bool {
	if !onWindows {
		return allowed == name
	}
	bare := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), ".exe") }
	return bare(allowed) == bare(name)
}

func lookup(env []string, name string) string {
	for _, item := range env {
		if value, ok := strings.CutPrefix(item, name+"="); ok {
			return value
		}
	}
	return ""
}

// reason is what the system says, without the path.
func reason(err error) string {
	var ee *exec.Error
	if errors.As(err, &ee) {
		err = ee.Err
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}
