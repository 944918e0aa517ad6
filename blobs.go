package quarry

import "context"

// Blobs keep bytes by their hash; package blob has one in files.
type Blobs interface {
	// Put keeps data and returns its name, which is the same for the same data. It
	// returns when the data is durable.
	Put(ctx context.Context, data []byte) (ref string, err error)
	// ReadAt returns up to n bytes from off on, and the size of the whole.
	ReadAt(ctx context.Context, ref string, off int64, n int) (data []byte, size int64, err error)
}
