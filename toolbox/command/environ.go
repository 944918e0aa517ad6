package command

import (
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// passed are the names of the environment that a program is given. Those that end
// in an underscore stand for all that begin so.
var passed = []string{
	"HOME", "LANG", "LANGUAGE", "LC_", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
}

// passedOnWindows are those that programs need there besides.
var passedOnWindows = []string{
	"ALLUSERSPROFILE", "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_ARCHITECTURE",
	"PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment is what a program is given of all, the names of extra replaced and
// added.
func environment(all []string, extra map[string]string, windows bool) []string {
	names := passed
	if windows {
		names = append(slices.Clone(names), passedOnWindows...)
	}
	env := map[string]string{}
	for _, item := range all {
		name, value, _ := strings.Cut(item, "=")
		key := name
		if windows {
			key = strings.ToUpper(name)
		}
		listed := slices.ContainsFunc(names, func(p string) bool {
			return key == p || strings.HasSuffix(p, "_") && strings.HasPrefix(key, p)
		})
		if listed && !secretName(name) && !secretValue(value) && !isSecretOf(all, value) {
			env[key] = value
		}
	}
	for name, value := range extra {
		if windows {
			name = strings.ToUpper(name)
		}
		env[name] = value
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

var (
	secretNames = lazyregexp.New(`(?i)(^|_|-)(api_?|access_?|secret_?|private_?|ssh_?|gpg_?|signing_?|encryption_?)?(key|keys|apikey|token|tokens|secret|secrets|password|passwd|passphrase|pass|pwd|credential|credentials|creds|auth|authorization|cookie|bearer|pat|dsn)($|_|-|[0-9])`)
	secretWords = lazyregexp.New(`(?i)(api_?key|apitoken|accesskey|secretkey|privatekey|authtoken|secret|password|passwd|passphrase|credential)`)
	// secretForms are how keys look that are in use.
	secretForms = lazyregexp.New(`\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|\b(AKIA|ASIA)[A-Z0-9]{16}\b|AIza[A-Za-z0-9_-]{30,}|xox[abprs]-[A-Za-z0-9-]{10,}|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.|-----BEGIN [A-Z ]*PRIVATE KEY|[a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s@]+@`)
)

// secretName tells whether a variable is a secret by its name. PWD is the working
// folder.
func secretName(name string) bool {
	if strings.EqualFold(name, "PWD") || strings.EqualFold(name, "OLDPWD") {
		return false
	}
	return secretNames().MatchString(name) || secretWords().MatchString(name)
}

// secretValue tells whether a value looks like a key or holds a password.
func secretValue(value string) bool { return secretForms().MatchString(value) }

// The lengths from which on a value is taken for that of a secret, and is looked
// for in others: a short one may be a word.
const (
	minSecretBytes = 8
	minInnerBytes  = 16
)

// isSecretOf tells whether a value is, or holds, that of a variable which is a
// secret by its name.
func isSecretOf(all []string, value string) bool {
	for _, item := range all {
		name, secret, _ := strings.Cut(item, "=")
		if len(secret) < minSecretBytes || !secretName(name) {
			continue
		}
		if value == secret || len(secret) >= minInnerBytes && strings.Contains(value, secret) {
			return true
		}
	}
	return false
}

var onWindows = runtime.GOOS == "windows"
