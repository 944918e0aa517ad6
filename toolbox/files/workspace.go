package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/quarry-sdk/quarry"
)

// The names of the tools.
const (
	ReadName  = "read_file"
	WriteName = "write_file"
	EditName  = "edit_file"
	ListName  = "list_files"
	GlobName  = "glob"
	GrepName  = "grep"
)

// The defaults of a Config.
const (
	DefaultReserved      = ".quarry"
	DefaultMaxFileBytes  = 32 << 20
	DefaultMaxReadBytes  = 32 << 10
	DefaultMaxWriteBytes = 4 << 20
	DefaultMaxEntries    = 500
	DefaultMaxMatches    = 200
)

// Config describes a workspace. Only Dir is required.
type Config struct {
	// Dir is the workspace: a folder that exists.
	Dir string
	// MaxEntries bounds the names that one call of list_files or glob shows.
	// Defaults to DefaultMaxEntries.
	MaxEntries int
	// MaxFileBytes is up to which size a file is read, searched or edited.
	// Defaults to DefaultMaxFileBytes.
	MaxFileBytes int64
	// MaxMatches bounds the lines that one call of grep shows. Defaults to
	// DefaultMaxMatches.
	MaxMatches int
	// MaxReadBytes bounds what one call of read_file shows. Defaults to
	// DefaultMaxReadBytes.
	MaxReadBytes int
	// MaxWriteBytes is up to which size a file is written. Defaults to
	// DefaultMaxWriteBytes.
	MaxWriteBytes int64
	// Reserved is the folder below Dir that the tools cannot touch: the state of
	// the agent itself. Defaults to DefaultReserved.
	Reserved string
	// Secret are further files and folders below Dir that the tools cannot touch, nor
	// show, such as ".env". They need not be there. Defaults to none.
	Secret []string
}

// Workspace is a folder whose files an agent may use. It may be used by any
// number of agents at the same time.
type Workspace struct {
	cfg     Config
	root    *os.Root
	abs     string // where the workspace is, for hints only
	kept    []kept
	windows bool // names must fit Windows

	// writing keeps one write from looking at a file while another changes it.
	writing sync.Mutex
}

// Open opens a workspace. Its error says what is wrong with the Config.
func Open(cfg Config) (*Workspace, error) {
	if cfg.Dir == "" {
		return nil, errors.New("files: there is no workspace; set Config.Dir to a folder")
	}
	if cfg.Reserved == "" {
		cfg.Reserved = DefaultReserved
	}
	orDefault(&cfg.MaxEntries, DefaultMaxEntries)
	orDefault(&cfg.MaxFileBytes, DefaultMaxFileBytes)
	orDefault(&cfg.MaxMatches, DefaultMaxMatches)
	orDefault(&cfg.MaxReadBytes, DefaultMaxReadBytes)
	orDefault(&cfg.MaxWriteBytes, DefaultMaxWriteBytes)
	if cfg.MaxEntries < 0 || cfg.MaxFileBytes < 0 || cfg.MaxMatches < 0 || cfg.MaxReadBytes < 0 || cfg.MaxWriteBytes < 0 {
		return nil, errors.New("files: a limit is negative; use 0 for its default")
	}
	w := &Workspace{cfg: cfg, windows: runtime.GOOS == "windows"}
	for i, name := range append([]string{cfg.Reserved}, cfg.Secret...) {
		k, ok := keptOf(name)
		if !ok && i == 0 {
			return nil, fmt.Errorf("files: the reserved folder %q is not below the workspace; name it by its path from there, such as %q", name, DefaultReserved)
		}
		if !ok {
			return nil, fmt.Errorf("files: the secret %q is not below the workspace; name it by its path from there, such as \".env\"", name)
		}
		k.secret = i > 0
		w.kept = append(w.kept, k)
	}
	var err error
	w.root, err = os.OpenRoot(cfg.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("files: the workspace %q does not exist; make the folder first", cfg.Dir)
	}
	if err != nil {
		return nil, fmt.Errorf("files: open the workspace: %w", err)
	}
	if w.abs, err = filepath.Abs(cfg.Dir); err != nil {
		w.abs = cfg.Dir
	}
	return w, nil
}

func orDefault[T comparable](v *T, or T) {
	var zero T
	if *v == zero {
		*v = or
	}
}

// Close releases the workspace. Calls of its tools fail from then on.
func (w *Workspace) Close() error { return w.root.Close() }

// Tools returns the six tools of the workspace, in the order of the package's
// documentation. Leave out those that an agent is not to have.
func (w *Workspace) Tools() []*quarry.Tool {
	return []*quarry.Tool{w.readTool(), w.writeTool(), w.editTool(), w.listTool(), w.globTool(), w.grepTool()}
}

// Path returns the one spelling of a path that its file has in the tools'
// results: relative to the workspace, with slashes and without links. The file
// need not exist, but the folders above it must. The error for a path that the
// tools would refuse is theirs.
func (w *Workspace) Path(name string) (string, error) {
	p, err := w.resolve(name, false)
	if err != nil {
		return "", err
	}
	defer p.close()
	return p.path, nil
}

// current is the hash that a file has now, "" where it is gone.
func (w *Workspace) current(_ context.Context, name string) (string, error) {
	p, err := w.resolve(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer p.close()
	if p.info == nil {
		return "", nil
	}
	data, err := w.load(p)
	if err != nil {
		return "", err
	}
	return hashOf(data), nil
}
