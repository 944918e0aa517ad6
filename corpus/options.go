package corpus

import "fmt"

// Options are the settings of an index. The zero value is the documented default.
type Options struct {
	// MaxFileBytes is the size in bytes above which a file is skipped. Defaults to 20 MiB.
	MaxFileBytes int64
	// OnProgress is called by Update, on its goroutine, after each file that it has read anew: with the number of files
	// done, those that are unchanged or skipped included, and the number of all. Defaults to nil.
	OnProgress func(done, total int)
	// PassageSize is the length in bytes that a passage aims at. Passages lie side by side and never overlap, so that the
	// figures of a document are the sums of its passages'. Changing it makes the next Update read every file again.
	// Defaults to 1,200.
	PassageSize int
}

func (o Options) filled() (Options, error) {
	if o.MaxFileBytes == 0 {
		o.MaxFileBytes = 20 << 20
	}
	if o.PassageSize == 0 {
		o.PassageSize = 1200
	}
	switch {
	case o.MaxFileBytes < 0:
		return o, fmt.Errorf("corpus options: MaxFileBytes is %d; use 0 for the default or a positive number", o.MaxFileBytes)
	case o.PassageSize < 100:
		return o, fmt.Errorf("corpus options: PassageSize is %d; use 0 for the default or at least 100", o.PassageSize)
	}
	return o, nil
}
