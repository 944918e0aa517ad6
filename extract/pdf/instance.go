package pdf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/api"
)

// instance is a live PDFium. One goroutine uses it at a time. After an error of a
// call it is broken and only fit to be closed.
type instance struct {
	pdfium  pdfium.Pdfium
	module  api.Module
	exports map[string]api.Function
	stack   [8]uint64
	scratch uint32 // scratchSize bytes for results
}

const scratchSize = 4096

var errMemory = errors.New("PDFium ran out of its memory")

func newInstance(pdfium pdfium.Pdfium, module api.Module) *instance {
	return &instance{pdfium: pdfium, module: module, exports: make(map[string]api.Function)}
}

// call calls a function of PDFium's C interface. It returns when ctx ends, too.
func (in *instance) call(ctx context.Context, name string, args ...uint64) (result uint64, err error) {
	f := in.exports[name]
	if f == nil {
		f = in.module.ExportedFunction(name)
		if f == nil {
			return 0, fmt.Errorf("PDFium has no function %s", name)
		}
		in.exports[name] = f
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v", name, p)
		}
	}()
	copy(in.stack[:], args)
	if err := f.CallWithStack(ctx, in.stack[:]); err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return 0, fmt.Errorf("%s: %w", name, firstLine(err))
	}
	return in.stack[0], nil
}

// store copies bytes into the instance; they live as long as it does.
func (in *instance) store(ctx context.Context, data []byte) (uint32, error) {
	p, err := in.call(ctx, "malloc", uint64(len(data))+1)
	if err != nil {
		return 0, err
	}
	if uint32(p) == 0 || !in.module.Memory().Write(uint32(p), data) || !in.module.Memory().WriteByte(uint32(p)+uint32(len(data)), 0) {
		return 0, errMemory
	}
	return uint32(p), nil
}

// buffer is the address of the scratch memory.
func (in *instance) buffer(ctx context.Context) (uint32, error) {
	if in.scratch == 0 {
		p, err := in.store(ctx, make([]byte, scratchSize-1))
		if err != nil {
			return 0, err
		}
		in.scratch = p
	}
	return in.scratch, nil
}

// wide calls a function whose last two arguments are a buffer and its length in
// bytes, which it fills with UTF-16 and a zero, and which returns the length wanted.
// What is longer than the scratch memory counts as absent.
func (in *instance) wide(ctx context.Context, name string, args ...uint64) (string, error) {
	raw, err := in.narrow(ctx, name, args...)
	units := make([]uint16, 0, len(raw)/2)
	for ; len(raw) >= 2; raw = raw[2:] {
		u := binary.LittleEndian.Uint16(raw)
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units)), err
}

// narrow is wide for bytes.
func (in *instance) narrow(ctx context.Context, name string, args ...uint64) ([]byte, error) {
	p, err := in.buffer(ctx)
	if err != nil {
		return nil, err
	}
	n, err := in.call(ctx, name, append(args, uint64(p), scratchSize)...)
	if err != nil || uint32(n) > scratchSize {
		return nil, err
	}
	raw, _ := in.module.Memory().Read(p, uint32(n))
	return raw, nil
}

func (in *instance) float32(p uint32) float64 {
	f, _ := in.module.Memory().ReadFloat32Le(p)
	return float64(f)
}

func (in *instance) float64(p uint32) float64 {
	f, _ := in.module.Memory().ReadFloat64Le(p)
	return f
}

func (in *instance) uint32(p uint32) uint32 {
	n, _ := in.module.Memory().ReadUint32Le(p)
	return n
}

// close frees the instance.
func (in *instance) close() {
	if in != nil {
		_ = in.pdfium.Close()
	}
}
