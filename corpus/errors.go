package corpus

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrClosed: the index was closed.
	ErrClosed = errors.New("index is closed")
	// ErrDamaged: files of the index are missing or changed. Delete its directory and index the folder again.
	ErrDamaged = errors.New("index is damaged")
	// ErrLocked: another Update is writing the index. Searching is possible meanwhile.
	ErrLocked = errors.New("index is being updated by another process")
	// ErrNoDocument: no document has the id; the error is a *NoDocumentError, which names near ones.
	ErrNoDocument = errors.New("no such document")
	// ErrNoFolder: the folder to index does not exist or is no folder.
	ErrNoFolder = errors.New("not a folder")
	// ErrNothingToIndex: the folder holds no file that can be read as a document. The report says why for each.
	ErrNothingToIndex = errors.New("nothing to index")
	// ErrVersion: the index was written in another format. Delete its directory and index the folder again.
	ErrVersion = errors.New("index has another format version")
)

// NoDocumentError says that a document is not in the index, and which ones are named nearly so. It wraps ErrNoDocument.
type NoDocumentError struct {
	// ID is what was asked for.
	ID string
	// Near holds up to five ids that resemble it, best first.
	Near []string
}

func (e *NoDocumentError) Error() string {
	msg := fmt.Sprintf("document %q: %v", e.ID, ErrNoDocument)
	if len(e.Near) > 0 {
		msg += fmt.Sprintf("; near ones: %s", strings.Join(e.Near, ", "))
	}
	return msg
}

func (e *NoDocumentError) Unwrap() error { return ErrNoDocument }

// mendable adds what a person can do about an index that cannot be used.
func mendable(dir string, err error) error {
	return fmt.Errorf("index %s: %w; delete the directory and index the folder again", dir, err)
}
