//go:build !linux && !darwin && !freebsd

package pdf

import "github.com/tetratelabs/wazero/experimental"

// heap is the memory of an instance in Go's heap.
type heap struct{ bytes []byte }

func allocate(_, _ uint64) experimental.LinearMemory { return &heap{} }

func (h *heap) Reallocate(size uint64) []byte {
	if size > uint64(cap(h.bytes)) {
		h.bytes = append(h.bytes, make([]byte, size-uint64(len(h.bytes)))...)
	}
	h.bytes = h.bytes[:size]
	return h.bytes
}

func (h *heap) Free() { h.bytes = nil }
