package skills

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The limits of front matter.
const (
	maxFrontBytes       = 16 << 10
	maxNameChars        = 64
	maxDescriptionChars = 1024
)

// meta is the front matter. Other fields are allowed and not used.
type meta struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
}

// split separates the front matter from the body.
func split(text string) (head, body string, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", errors.New(`it does not begin with front matter; write a line "---", name and description, and another line "---" at its start`)
	}
	for at := 0; at < len(rest); {
		line, _, _ := strings.Cut(rest[at:], "\n")
		next := min(at+len(line)+1, len(rest))
		if strings.TrimRight(line, " \t") == "---" {
			if at > maxFrontBytes {
				return "", "", fmt.Errorf("its front matter has %d bytes and the limit is %d; make it shorter", at, maxFrontBytes)
			}
			return rest[:at], rest[next:], nil
		}
		at = next
	}
	return "", "", errors.New(`its front matter does not end; write a line "---" behind it`)
}

// parse reads and checks the front matter.
func parse(head string) (m meta, err error) {
	if err := yaml.Unmarshal([]byte(head), &m); err != nil {
		return m, fmt.Errorf("its front matter is not YAML: %s; put a value that holds a colon into quotes", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := checkName(m.Name); err != nil {
		return m, err
	}
	m.Description = strings.Join(strings.Fields(m.Description), " ")
	switch n := utf8.RuneCountInString(m.Description); {
	case n == 0:
		return m, errors.New("its front matter has no description; say what the skill does and when to use it")
	case n > maxDescriptionChars:
		return m, fmt.Errorf("its description has %d characters and the limit is %d; put the rest behind the front matter", n, maxDescriptionChars)
	}
	return m, nil
}

// checkName checks the name of a skill: letters a to z, digits, and single hyphens
// between them.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("its front matter has no name; give it that of the folder")
	case len(name) > maxNameChars:
		return fmt.Errorf("its name has %d characters and the limit is %d; use a shorter one", len(name), maxNameChars)
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--"):
		return fmt.Errorf("its name %q begins or ends with a hyphen, or has two in a row; use single ones between words", name)
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return fmt.Errorf("its name %q must be of the letters a to z, digits and hyphens", name)
		}
	}
	return nil
}
