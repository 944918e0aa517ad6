package files

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The limits of a path.
const (
	maxPathBytes  = 4096
	maxPathDepth  = 64
	maxPathLinks  = 40
	pathsRelative = "paths are relative to the workspace and use slashes, such as notes/today.md"
)

// splitPath returns the parts of a path that a model has sent, without "." and
// "..". It refuses what can't be a path inside the workspace by its looks alone;
// dir is where the workspace is, to recognise its own absolute path.
func splitPath(name, dir string, windows bool) ([]string, error) {
	switch {
	case name == "":
		return nil, errors.New(`the path is empty; ` + pathsRelative + `, and "." is the workspace itself`)
	case len(name) > maxPathBytes:
		return nil, fmt.Errorf("the path has %d bytes and the limit is %d; use shorter names", len(name), maxPathBytes)
	case !utf8.ValidString(name):
		return nil, fmt.Errorf("the path %q is not valid UTF-8; copy it from a result of %s or %s", name, ListName, GlobName)
	case strings.Contains(name, `\`):
		return nil, fmt.Errorf("the path %q holds a backslash; %s", name, pathsRelative)
	case strings.HasPrefix(name, "/") || hasVolume(name):
		return nil, fmt.Errorf("the path %q is absolute; %s", name, absoluteHint(name, dir))
	case name == "~" || strings.HasPrefix(name, "~/"):
		return nil, fmt.Errorf("the path %q means a home folder, which is outside the workspace; %s", name, pathsRelative)
	}
	clean := path.Clean(name)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return nil, leaves(name)
	}
	if clean == "." {
		return nil, nil
	}
	parts := strings.Split(clean, "/")
	if len(parts) > maxPathDepth {
		return nil, fmt.Errorf("the path %q has %d folders below each other and the limit is %d", short(name), len(parts), maxPathDepth)
	}
	for _, part := range parts {
		if why := badName(part, windows); why != "" {
			return nil, fmt.Errorf("the path %q cannot be used: %s", name, why)
		}
	}
	return parts, nil
}

func leaves(name string) error {
	return fmt.Errorf("the path %q leads out of the workspace, where nothing can be read or written; %s. Choose one inside", short(name), pathsRelative)
}

// hasVolume recognises "C:" and the like at the start of a path, on any system.
func hasVolume(name string) bool {
	return len(name) >= 2 && name[1] == ':' && ('a' <= name[0]|0x20 && name[0]|0x20 <= 'z')
}

// absoluteHint says what to send instead of an absolute path.
func absoluteHint(name, dir string) string {
	dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
	if below, ok := strings.CutPrefix(path.Clean(name), dir+"/"); ok && dir != "" {
		return fmt.Sprintf("paths are relative to the workspace: use %q", below)
	}
	return pathsRelative
}

// badName says why a name of a file or folder is refused, "" where it is not.
func badName(name string, windows bool) string {
	for _, r := range name {
		if r < ' ' || r == 0x7f {
			return fmt.Sprintf("the name %q holds the control character %U; leave it out", name, r)
		}
	}
	if !windows {
		return ""
	}
	if i := strings.IndexAny(name, `<>:"|?*`); i >= 0 {
		return fmt.Sprintf("the name %q holds %q, which Windows does not allow; use letters, digits, '-', '_' and '.'", name, name[i])
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return fmt.Sprintf("the name %q ends in %q, which Windows does not allow; leave that out", name, name[len(name)-1])
	}
	if deviceName(name) {
		return fmt.Sprintf("the name %q is that of a device on Windows; use another", name)
	}
	return ""
}

// deviceName tells whether Windows takes a name for a device, whatever its
// extension.
func deviceName(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if port, ok := strings.CutPrefix(base, "COM"); ok {
		return portNumber(port)
	}
	port, ok := strings.CutPrefix(base, "LPT")
	return ok && portNumber(port)
}

// portNumber tells whether s is one of the digits that name a port; Windows takes
// superscripts for them too.
func portNumber(s string) bool {
	return len([]rune(s)) == 1 && strings.ContainsAny(s, "0123456789¹²³")
}

// sameName tells whether some file system takes two names for the same: by case,
// by Unicode form, by characters that it ignores, by dots and blanks at the end.
func sameName(a, b string) bool { return a == b || strings.EqualFold(plain(a), plain(b)) }

func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(name))
	return strings.TrimRight(name, ". ")
}

// short cuts what is repeated in an error.
func short(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
