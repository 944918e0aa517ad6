package office

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// archive is the parts of a file, with what may still be unpacked of them.
type archive struct {
	ctx   context.Context
	parts map[string]*zip.File
	left  int64
	max   int64
}

// openArchive lists the parts. Names are compared without regard to case and to a
// leading slash, as OPC does; two parts of one name make a file that different
// programs read differently, and are refused.
func openArchive(ctx context.Context, data []byte, maxParts int, maxUnpacked int64) (*archive, error) {
	if n := bytes.Count(data, []byte("PK\x01\x02")); n > maxParts {
		return nil, fmt.Errorf("%w: the file has %d parts, the limit is %d; raise Config.MaxParts", extract.ErrTooLarge, n, maxParts)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: open it as a zip file: %w", extract.ErrDamaged, err)
	}
	a := &archive{ctx: ctx, parts: make(map[string]*zip.File, len(z.File)), left: maxUnpacked, max: maxUnpacked}
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		name := key(f.Name)
		if a.parts[name] != nil {
			return nil, fmt.Errorf("%w: it has two parts of the name %q", extract.ErrDamaged, f.Name)
		}
		a.parts[name] = f
	}
	return a, nil
}

// key is the name of a part by which it is found.
func key(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, "\\", "/")), "/"))
}

// resolve returns the name of a part that another one refers to.
func resolve(from, target string) string {
	if strings.HasPrefix(target, "/") {
		return key(target)
	}
	return key(path.Join("/", path.Dir(from), target))
}

func (a *archive) has(name string) bool { return a.parts[key(name)] != nil }

// open opens a part; what is read of it counts.
func (a *archive) open(name string) (io.ReadCloser, error) {
	f := a.parts[key(name)]
	if f == nil {
		return nil, fmt.Errorf("%w: it has no part %q", extract.ErrDamaged, name)
	}
	if f.Flags&1 != 0 {
		return nil, fmt.Errorf("%w: its part %q is encrypted", extract.ErrEncrypted, name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: open its part %q: %w", extract.ErrDamaged, name, err)
	}
	return &part{r, a, name}, nil
}

// part is an open part.
type part struct {
	io.ReadCloser
	archive *archive
	name    string
}

func (p *part) Read(b []byte) (int, error) {
	if p.archive.ctx.Err() != nil {
		return 0, context.Cause(p.archive.ctx)
	}
	n, err := p.ReadCloser.Read(b)
	p.archive.left -= int64(n)
	if p.archive.left < 0 {
		return 0, fmt.Errorf("%w: its parts unpack to more than %d bytes; raise Config.MaxUnpacked", extract.ErrTooLarge, p.archive.max)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: unpack its part %q: %w", extract.ErrDamaged, p.name, err)
	}
	return n, err
}

// all reads a part whole.
func (a *archive) all(name string) ([]byte, error) {
	r, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
