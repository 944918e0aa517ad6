package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/quarry-sdk/quarry"
)

type writeIn struct {
	Path    string `json:"path" jsonschema:"the file, relative to the workspace"`
	Content string `json:"content" jsonschema:"the whole content that the file is to have"`
}

// writeOut is the typed output of write_file.
type writeOut struct {
	version
	// Was is the length of the file before; -1 where it did not exist.
	Was int `json:"was"`
	// Same tells that the file had this content already.
	Same bool `json:"same,omitempty"`
}

// ToolText is what the model reads.
func (o *writeOut) ToolText() string {
	switch {
	case o.Was < 0:
		return fmt.Sprintf("Wrote %s to %s, a new file.", count(o.Bytes, "byte"), o.Path)
	case o.Same:
		return fmt.Sprintf("%s holds these %s.", o.Path, count(o.Bytes, "byte"))
	}
	return fmt.Sprintf("Wrote %s to %s, in place of the %d that it had.", count(o.Bytes, "byte"), o.Path, o.Was)
}

func (w *Workspace) writeTool() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Current: w.current,
		Description: "Writes a whole file of the workspace, and makes the folders above it. A file that exists is replaced, if you have read it in this session as it is now. " +
			"Use it for new files and to write a file anew; to change a part of one, use " + EditName + ".",
		Edits:      true,
		Effect:     quarry.Keyed,
		Idempotent: true,
		KeyField:   "path",
		Name:       WriteName,
		Scope:      quarry.Scope{Kind: quarry.ScopePath, Field: "path"},
	}, func(ctx context.Context, in writeIn) (*writeOut, error) {
		call, _ := quarry.CallFrom(ctx)
		return w.write(call, in)
	})
}

func (w *Workspace) write(call *quarry.Call, in writeIn) (*writeOut, error) {
	if err := w.fits(len(in.Content)); err != nil {
		return nil, err
	}
	if strings.HasSuffix(in.Path, "/") {
		return nil, fmt.Errorf("the path %q ends in a slash; name a file, and the folders above it are made", short(in.Path))
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	p, err := w.resolve(in.Path, true)
	if err != nil {
		return nil, err
	}
	defer p.close()
	data := []byte(in.Content)
	out := &writeOut{version: version{p.path, len(data), hashOf(data)}, Was: -1}
	if p.info != nil {
		if p.isDir() {
			return nil, fmt.Errorf("%q is a folder; name a file in it, such as %q", p.path, strings.TrimPrefix(p.path+"/notes.md", "./"))
		}
		old, err := w.load(p)
		if err != nil {
			return nil, err
		}
		out.Was = len(old)
		hash := hashOf(old)
		if out.Same = hash == out.SHA256; !out.Same {
			if err := mayChange(call, p.path, hash); err != nil {
				return nil, err
			}
		}
	}
	if !out.Same {
		if err := replace(call, p, data); err != nil {
			return nil, err
		}
	}
	noteRead(call, &out.version)
	return out, nil
}

func (w *Workspace) fits(n int) error {
	if int64(n) > w.cfg.MaxWriteBytes {
		return fmt.Errorf("the file would have %d bytes and the limit is %d; write less, or several files", n, w.cfg.MaxWriteBytes)
	}
	return nil
}

// replace writes a file aside, in its own folder, and puts it in its place.
func replace(call *quarry.Call, p *place, data []byte) error {
	perm := fs.FileMode(0o644)
	if p.info != nil {
		perm = p.info.Mode().Perm()
	}
	temp, err := tempName(call, p.dir)
	if err != nil {
		return plainly(p.path, err)
	}
	if err := writeAside(p.dir, temp, data, perm, p.info != nil); err != nil {
		_ = p.dir.Remove(temp)
		return plainly(p.path, err)
	}
	if err := p.dir.Rename(temp, p.name); err != nil {
		_ = p.dir.Remove(temp)
		return plainly(p.path, err)
	}
	if f, err := p.dir.Open("."); err == nil {
		_ = f.Sync() // not every system can; the file's own bytes are safe
		_ = f.Close()
	}
	return nil
}

func writeAside(dir *os.Root, name string, data []byte, perm fs.FileMode, keep bool) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && keep {
		err = f.Chmod(perm) // whatever the mask of new files
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// The names of files that are being written.
const (
	tempPrefix = ".quarry-"
	tempSuffix = ".tmp"
)

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// tempName is where a call writes aside. It is made of the call's key, so that
// what a crash has left is found and removed when the call runs again; and of the
// attempt, so that an attempt which was given up, and is still at work, cannot put
// the file of another in place.
func tempName(call *quarry.Call, dir *os.Root) (string, error) {
	if call == nil {
		return tempPrefix + strings.ToLower(rand.Text()) + tempSuffix, nil
	}
	name := func(attempt int) string {
		return fmt.Sprintf("%s%s-%d%s", tempPrefix, hashOf([]byte(call.Key))[:16], attempt, tempSuffix)
	}
	for attempt := 1; attempt <= call.Attempt; attempt++ {
		if err := dir.Remove(name(attempt)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return name(call.Attempt), nil
}
