package corpus

import (
	"sync"
	"testing"
)

// Searches at the same time share the glossary and the thesaurus, and must not
// write to them.
func TestSearchesAtOnce(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir(), Options{})
	update(t, x, lay(t, map[string]string{
		"a.md": "# Configuration\n\nThe maximum of a setting is its largest value.",
		"b.md": "# Disk\n\nFiles are kept on disk.",
	}), [4]int{2, 0, 0, 2})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for query := range glossary() {
				if _, err := x.Search(t.Context(), query, 5); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}
