package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

var errClosed = errors.New("pdf: the reader is closed")

// engine is PDFium as a WebAssembly module: compiled once, when the first document
// comes, and instantiated for each document anew, so that nothing of one document
// can reach the text of another. The module sees no files and no environment.
type engine struct {
	config Config

	starting sync.Once
	started  chan struct{} // closed when pool or err is set
	pool     pdfium.Pool
	cache    wazero.CompilationCache
	err      error

	slots chan struct{} // one for each instance that may live

	// birth is held while an instance is made; the listener puts its module in born.
	birth sync.Mutex
	born  api.Module

	closing sync.Once
	closed  chan struct{}
	users   sync.WaitGroup // documents being read, under gate
	gate    sync.Mutex
}

func newEngine(config Config) *engine {
	return &engine{
		config:  config,
		started: make(chan struct{}),
		slots:   make(chan struct{}, config.Instances),
		closed:  make(chan struct{}),
	}
}

// start compiles the module.
func (e *engine) start() {
	defer close(e.started)
	defer func() {
		if p := recover(); p != nil {
			e.err = fmt.Errorf("pdf: start PDFium: %v", p)
		}
	}()
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithCloseOnContextDone(true).
		WithMemoryLimitPages(uint32(e.config.MaxMemory / wasmPage))
	if e.config.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(e.config.CacheDir)
		if err != nil {
			e.err = fmt.Errorf("pdf: open the folder of compiled code %q: %w", e.config.CacheDir, err)
			return
		}
		e.cache = cache
		config = config.WithCompilationCache(cache)
	}
	// The context lives as long as the pool; each call into the module has its own.
	ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(allocate))
	ctx = experimental.WithFunctionListenerFactory(ctx, listeners{e})
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	pool, err := webassembly.Init(webassembly.Config{
		Context:       ctx,
		FSConfig:      wazero.NewFSConfig(),
		MaxTotal:      e.config.Instances,
		RuntimeConfig: config,
		Stderr:        io.Discard,
		Stdout:        io.Discard,
	})
	if err != nil {
		e.err = fmt.Errorf("pdf: start PDFium: %w", err)
		return
	}
	e.pool = pool
	if e.config.CacheDir == "" {
		debug.FreeOSMemory() // compiling takes 300 MB for some seconds
	}
}

// enter waits for the module and a free place for an instance. Whoever entered must
// leave.
func (e *engine) enter(ctx context.Context) error {
	e.gate.Lock()
	select {
	case <-e.closed:
		e.gate.Unlock()
		return errClosed
	default:
		e.users.Add(1)
	}
	e.gate.Unlock()
	e.starting.Do(func() { go e.start() })
	err := func() error {
		select {
		case <-e.started:
			if e.err != nil {
				return e.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		select {
		case e.slots <- struct{}{}:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}()
	if err != nil {
		e.users.Done()
	}
	return err
}

func (e *engine) leave() {
	<-e.slots
	e.users.Done()
}

// instance makes a fresh instance; the caller has entered.
func (e *engine) instance(ctx context.Context) (*instance, error) {
	e.birth.Lock()
	defer e.birth.Unlock()
	e.born = nil
	pdfium, err := e.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("pdf: make an instance of PDFium: %w", err)
	}
	if e.born == nil {
		_ = pdfium.Close()
		return nil, errors.New("pdf: PDFium started without its first call; this version of go-pdfium is not supported")
	}
	return newInstance(pdfium, e.born), nil
}

// close waits for the documents that are being read and frees the module.
func (e *engine) close() error {
	var err error
	e.closing.Do(func() {
		e.gate.Lock()
		close(e.closed)
		e.gate.Unlock()
		e.users.Wait()
		ran := true
		e.starting.Do(func() { ran = false })
		if !ran {
			return
		}
		<-e.started
		if e.pool != nil {
			err = e.pool.Close()
		}
		if e.cache != nil {
			err = errors.Join(err, e.cache.Close(context.Background()))
		}
	})
	return err
}

// listeners hears the first call into a new instance, which is the only way that
// the library leaves open to reach the module and call it with contexts of our own,
// without a wrapper's allocations for every letter.
type listeners struct{ engine *engine }

const firstCall = "FPDF_InitLibrary"

func (l listeners) NewFunctionListener(def api.FunctionDefinition) experimental.FunctionListener {
	for _, name := range def.ExportNames() {
		if name == firstCall {
			return experimental.FunctionListenerFunc(func(_ context.Context, mod api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
				l.engine.born = mod
			})
		}
	}
	return nil
}
