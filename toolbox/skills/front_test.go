package skills

import (
	"testing"
	"unicode/utf8"
)

// FuzzFront: whatever stands in a SKILL.md, it is read or refused.
func FuzzFront(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\n---\nbody\n")
	f.Add("\ufeff---\r\nname: a\r\n---\r\n")
	f.Add("---\n---\n")
	f.Add("---\nname: &a [*a]\n---\n")
	f.Add("---\nname: a\ndescription: |\n  x\n  ---\n---")
	f.Fuzz(func(t *testing.T, text string) {
		head, body, err := split(text)
		if err != nil {
			return
		}
		if len(head)+len(body) > len(text) {
			t.Errorf("%d and %d bytes of %d", len(head), len(body), len(text))
		}
		m, err := parse(head)
		if err != nil {
			return
		}
		if checkName(m.Name) != nil || m.Description == "" || utf8.RuneCountInString(m.Description) > maxDescriptionChars {
			t.Errorf("got %+v", m)
		}
	})
}
