package session

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// renameTries is how often Rename looks for the end of a journal to which
// another process appends.
const renameTries = 100

// Rename gives a session another title at the time now. It may be one that is
// being worked on: whoever does goes on undisturbed.
func Rename(ctx context.Context, store Store, id, title string, now time.Time) error {
	var err error
	for range renameTries {
		last := int64(0)
		for info, err := range store.List(ctx, Filter{ID: id}) {
			if err != nil {
				return fmt.Errorf("rename session %q: %w", id, err)
			}
			last = info.Last
		}
		if last == 0 {
			return fmt.Errorf("rename session %q: %w", id, ErrNotFound)
		}
		err = store.Append(ctx, id, last, []Record{{Seq: last + 1, Time: now.UTC(), Event: &Renamed{Title: title}}})
		if !errors.Is(err, ErrConflict) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("rename session %q: %w", id, err)
	}
	return nil
}
