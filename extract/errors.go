package extract

import "errors"

// Errors of documents that have no text to quote. They are matched with errors.Is;
// the error itself says more.
var (
	// ErrUnsupported is of bytes in no format that is known.
	ErrUnsupported = errors.New("unsupported format")
	// ErrDamaged is of bytes that claim a format and cannot be read in it.
	ErrDamaged = errors.New("damaged document")
	// ErrEncrypted is of a document that needs a password.
	ErrEncrypted = errors.New("the document needs a password")
	// ErrTooLarge is of a document that would take more memory, time or text than
	// the limits allow.
	ErrTooLarge = errors.New("the document exceeds a limit")
	// ErrEmpty is of a document without text.
	ErrEmpty = errors.New("no text in the document")
)
