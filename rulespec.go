package quarry

import (
	"net/url"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// fitsPath tells whether a pattern as in a .gitignore file fits a path in the
// workspace, or one of the folders above it. A path that leaves the workspace is
// fit by patterns that begin with "//", which are absolute, and by no other. In
// doubt about case, a strict pattern fits.
func fitsPath(pattern, name string, strict bool) bool {
	absolute := strings.HasPrefix(name, "/")
	name = path.Clean(strings.ReplaceAll(norm.NFC.String(name), `\`, "/"))
	pattern = norm.NFC.String(pattern)
	if strict {
		name, pattern = strings.ToLower(name), strings.ToLower(pattern)
	}
	if rest, ok := strings.CutPrefix(pattern, "//"); ok {
		if !absolute {
			return false
		}
		pattern, name = rest, strings.TrimPrefix(name, "/")
	} else if absolute || name == ".." || strings.HasPrefix(name, "../") {
		return false
	}
	if name == "." || name == "" {
		name = "."
	}
	pattern = strings.TrimPrefix(pattern, "./")
	folder := strings.HasSuffix(pattern, "/")
	pattern = strings.TrimSuffix(pattern, "/")
	anchored := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if !anchored {
		pattern = "**/" + pattern
	}
	want, parts := strings.Split(pattern, "/"), strings.Split(name, "/")
	// The path itself, or a folder that it is in.
	for n := len(parts); n > 0; n-- {
		if n == len(parts) && folder {
			continue
		}
		if fitsParts(want, parts[:n]) {
			return true
		}
	}
	return false
}

// fitsParts matches the parts of a pattern with those of a path; "**" is any
// number of parts.
func fitsParts(want, parts []string) bool {
	// at[n] tells whether what came of the pattern so far fits the first n parts.
	at := make([]bool, len(parts)+1)
	at[0] = true
	for _, w := range want {
		next := make([]bool, len(parts)+1)
		open := false
		for n := range next {
			switch {
			case w == "**":
				open = open || at[n]
				next[n] = open
			case n > 0 && at[n-1]:
				ok, err := path.Match(w, parts[n-1])
				next[n] = ok && err == nil
			}
		}
		at = next
	}
	return at[len(parts)]
}

// fitsURL tells whether a specifier "domain:HOST" fits the host of a URL. A host
// that begins with "*." stands for what is below it, and no other '*' crosses a
// dot. A strict one fits a URL that cannot be read.
func fitsURL(spec, raw string, strict bool) bool {
	want, ok := strings.CutPrefix(spec, "domain:")
	if !ok {
		return false
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Hostname() == "" {
		return strict
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	want = strings.TrimSuffix(strings.ToLower(want), ".")
	if below, ok := strings.CutPrefix(want, "*."); ok {
		return strings.HasSuffix(host, "."+below) && len(host) > len(below)+1
	}
	labels, wants := strings.Split(host, "."), strings.Split(want, ".")
	if len(labels) != len(wants) {
		return false
	}
	for i := range labels {
		if !wild(wants[i], labels[i], false) {
			return false
		}
	}
	return true
}

// fitsCommand tells whether a specifier fits a command. One for a shell is split
// into its parts: a rule that allows must fit each of them, and fits none that has
// a substitution or sets a variable; one that denies or asks needs one part only.
func fitsCommand(spec, command string, shell, strict bool) bool {
	parts, plain := []string{strings.TrimSpace(command)}, true
	if shell {
		parts, plain = splitCommand(command)
	}
	if !strict && !plain {
		return false
	}
	fits := 0
	for _, part := range parts {
		bare, assigned := withoutAssignments(part)
		if assigned && !strict {
			return false
		}
		if fitsWords(spec, bare) || strict && (fitsWords(spec, unwrapped(bare)) || fitsWords(spec, path.Base(firstWord(bare))+strings.TrimPrefix(bare, firstWord(bare)))) {
			fits++
		}
	}
	if strict {
		return fits > 0
	}
	return fits > 0 && fits == len(parts)
}

// fitsWords matches one simple command. ":*" or " *" at the end is the command
// alone, or followed by more words.
func fitsWords(spec, command string) bool {
	for _, end := range []string{":*", " *"} {
		if prefix, ok := strings.CutSuffix(spec, end); ok && !strings.Contains(prefix, "*") {
			return command == prefix || strings.HasPrefix(command, prefix+" ")
		}
	}
	return wild(spec, command, false)
}

// splitCommand splits a shell's line at what joins commands, outside quotes. Plain
// tells that there is no substitution, redirection or group in it; the contents of
// substitutions are parts too.
func splitCommand(line string) (parts []string, plain bool) {
	plain = true
	var part strings.Builder
	flush := func() {
		if text := strings.TrimSpace(part.String()); text != "" {
			parts = append(parts, text)
		}
		part.Reset()
	}
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
			part.WriteByte(c)
		case c == '\\' && i+1 < len(line):
			part.WriteString(line[i : i+2])
			i++
		case c == '`' || c == '$' && i+1 < len(line) && line[i+1] == '(':
			plain = false
			flush()
			if c == '$' {
				i++
			}
		case quote == '"':
			if c == '"' {
				quote = 0
			}
			part.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
			part.WriteByte(c)
		case c == ';' || c == '&' || c == '|' || c == '\n':
			flush()
		case c == '(' || c == ')' || c == '{' || c == '}' || c == '<' || c == '>':
			plain = false
			flush()
		default:
			part.WriteByte(c)
		}
	}
	if quote != 0 {
		plain = false
	}
	flush()
	return parts, plain
}

// withoutAssignments takes leading assignments of variables off a command.
func withoutAssignments(command string) (bare string, assigned bool) {
	for {
		word := firstWord(command)
		name, _, ok := strings.Cut(word, "=")
		if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool {
			return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		}) {
			return command, assigned
		}
		command, assigned = strings.TrimSpace(strings.TrimPrefix(command, word)), true
	}
}

// wrappers are programs that run the command behind them.
var wrappers = map[string]bool{"command": true, "env": true, "exec": true, "nice": true, "nohup": true, "sudo": true, "time": true, "timeout": true, "xargs": true}

// unwrapped takes wrappers and their options off a command.
func unwrapped(command string) string {
	for wrappers[path.Base(firstWord(command))] {
		command = strings.TrimSpace(strings.TrimPrefix(command, firstWord(command)))
		for {
			word := firstWord(command)
			if word == "" || !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") && (word[0] < '0' || word[0] > '9') {
				break
			}
			command = strings.TrimSpace(strings.TrimPrefix(command, word))
		}
	}
	return command
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}
