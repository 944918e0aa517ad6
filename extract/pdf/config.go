package pdf

import (
	"errors"
	"fmt"
	"time"
)

// Config says how PDF files are read. The zero value is good for most; the limits
// hold for each document.
type Config struct {
	// CacheDir is a folder of this user alone for the compiled reader, some 20 MB.
	// With it, the first PDF of the next process waits a third of a second instead
	// of some seconds. It is created if it is absent. Defaults to no cache.
	CacheDir string
	// Instances bounds how many documents are read at the same time; others wait.
	// Defaults to 2.
	Instances int
	// MaxBytes bounds the size of a file. Defaults to 64 MiB.
	MaxBytes int
	// MaxMemory bounds the memory in bytes that a file and everything in it may take
	// while it is read; at least 32 MiB, at most 4 GiB. Defaults to 192 MiB.
	MaxMemory int64
	// MaxPages bounds how many pages are read. What follows is left out, with a
	// warning. Defaults to 2000.
	MaxPages int
	// MaxText bounds the text in bytes. What follows is left out, with a warning.
	// Defaults to 16 MiB.
	MaxText int
	// PageTime bounds the time for one page. A page that takes longer has no text
	// and cannot be quoted. Defaults to 4 seconds.
	PageTime time.Duration
	// Password opens an encrypted document; it is tried as it is and prepared by
	// RFC 4013, as PDF 2.0 wants it. Documents that need none ignore it.
	Password string
	// Time bounds the time for the document, waiting for an instance and the first
	// start of the reader left out. Pages that were not reached are left out, with a
	// warning. Defaults to 9 seconds.
	Time time.Duration
}

const wasmPage = 64 << 10

func (c Config) filled() (Config, error) {
	if c.Instances == 0 {
		c.Instances = 2
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 64 << 20
	}
	if c.MaxMemory == 0 {
		c.MaxMemory = 192 << 20
	}
	if c.MaxPages == 0 {
		c.MaxPages = 2000
	}
	if c.MaxText == 0 {
		c.MaxText = 16 << 20
	}
	if c.PageTime == 0 {
		c.PageTime = 4 * time.Second
	}
	if c.Time == 0 {
		c.Time = 9 * time.Second
	}
	if c.Instances < 0 || c.MaxBytes < 0 || c.MaxPages < 0 || c.MaxText < 0 || c.PageTime < 0 || c.Time < 0 {
		return c, errors.New("pdf: a limit of the config is negative; leave it zero for its default")
	}
	if c.MaxMemory < 32<<20 || c.MaxMemory > 4<<30 {
		return c, fmt.Errorf("pdf: MaxMemory is %d bytes; it must be between 32 MiB and 4 GiB", c.MaxMemory)
	}
	return c, nil
}
