package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkWords refuses what names something that is protected: the program, its
// arguments or the line for the shell, as they are used in dir. It sees paths that
// are written down, and none that a program or a shell makes up.
func (r *runner) checkWords(dir string, words []string) error {
	for _, word := range words {
		for _, path := range pathsIn(word, r.cfg.Shell != "") {
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if r.isProtected(path) {
				return fmt.Errorf("%q names what belongs to the program that runs you, which no command may touch; leave it out", clip(word))
			}
		}
	}
	return nil
}

// clip bounds what an error repeats.
func clip(word string) string {
	const most = 200
	if len(word) <= most {
		return word
	}
	return strings.ToValidUTF8(word[:most], "") + "…"
}

// pathsIn are the parts of a word that may be paths: --file=PATH, @PATH, -fPATH,
// HOST:PATH, and, in a line for a shell, each of its words.
func pathsIn(word string, shell bool) (paths []string) {
	divides := "=:,@"
	if shell {
		divides += " \t\r\n\"'`;|&<>(){}$"
		word = strings.ReplaceAll(word, `\`, "") // as the shell reads it
	}
	parts := strings.FieldsFunc(word, func(c rune) bool { return strings.ContainsRune(divides, c) })
	for _, part := range append(parts, word) {
		if len(part) > 2 && part[0] == '-' && part[1] != '-' {
			paths = append(paths, part[2:])
		}
		if rest, ok := strings.CutPrefix(part, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				part = filepath.Join(home, rest)
			}
		}
		paths = append(paths, part)
	}
	return paths
}

// isProtected tells whether a path is, or leads into, something that is protected.
// In doubt it does.
func (r *runner) isProtected(path string) bool {
	forms := []string{filepath.Clean(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		forms = append(forms, real)
	}
	for _, form := range forms {
		for above := form; ; above = filepath.Dir(above) {
			info, err := os.Stat(above)
			for _, p := range r.cfg.Protected {
				if strings.EqualFold(above, p) {
					return true
				}
				if its, itsErr := os.Stat(p); err == nil && itsErr == nil && os.SameFile(info, its) {
					return true
				}
			}
			if above == filepath.Dir(above) {
				break
			}
		}
	}
	return false
}
