//go:build linux || darwin || freebsd

package pdf

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// mapping is the memory of an instance outside of Go's heap: its addresses are
// reserved at once, its pages are taken when they are touched and given back when
// the instance ends, and growing copies nothing.
type mapping struct {
	bytes []byte
	heap  bool
}

func allocate(_, most uint64) experimental.LinearMemory {
	bytes, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return &mapping{heap: true}
	}
	return &mapping{bytes: bytes}
}

func (m *mapping) Reallocate(size uint64) []byte {
	if m.heap {
		if size > uint64(cap(m.bytes)) {
			m.bytes = append(m.bytes, make([]byte, size-uint64(len(m.bytes)))...)
		}
		m.bytes = m.bytes[:size]
		return m.bytes
	}
	if size > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[:size:len(m.bytes)]
}

func (m *mapping) Free() {
	if !m.heap && m.bytes != nil {
		_ = syscall.Munmap(m.bytes)
	}
	m.bytes = nil
}
