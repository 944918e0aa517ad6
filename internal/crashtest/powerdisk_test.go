package crashtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files are the files of a directory, by name.
type files map[string][]byte

// readFiles reads a directory, without the shared memory of the write-ahead log.
func readFiles(t *testing.T, dir string) files {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	fs := files{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "-shm") {
			continue
		}
		if fs[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return fs
}

// write writes the files into a new directory and returns the database's path.
func (fs files) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range fs {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "quarry.db")
}

// String tells the files' sizes.
func (fs files) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fs)) {
		fmt.Fprintf(&out, "%s (%d bytes, %08x) ", name, len(fs[name]), crc32.ChecksumIEEE(fs[name]))
	}
	return out.String()
}

// sectorSize is what a disk writes as a whole.
const sectorSize = 512

// disk is a directory as a log tells it: what a power cut keeps for certain, and
// what was done since. It is as bad as POSIX lets it be. A sync keeps one file's
// content, and a name that is new or gone only if it syncs the directory too.
type disk struct {
	// names are the files as the process sees them, synced those whose name is
	// kept, and entries the changes between.
	names, synced map[string]*diskFile
	entries       []change
	// durable is the last record that the store has called durable.
	durable int64
	ops     int
}

// diskFile is a file: the content that is kept, and the changes since.
type diskFile struct {
	synced  []byte
	changes []change
}

// change is an operation, with its place in the log. A file that is opened for the
// first time is new in its directory.
type change struct {
	op
	at   int
	file *diskFile
}

// fate says what a power cut makes of a change: the change itself, another one, or
// nothing.
type fate func(change) (op, bool)

func keepAll(c change) (op, bool) { return c.op, true }
func dropAll(change) (op, bool)   { return op{}, false }

// readLog reads the log of a process.
func readLog(t *testing.T, path string) (ops []op) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := json.NewDecoder(f); ; {
		var o op
		if err := in.Decode(&o); errors.Is(err, io.EOF) {
			return ops
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		ops = append(ops, o)
	}
}

// newDisk is a disk that has these files, all of them synced.
func newDisk(fs files) *disk {
	d := &disk{names: map[string]*diskFile{}}
	for name, data := range fs {
		d.names[name] = &diskFile{synced: bytes.Clone(data)}
	}
	d.syncDirectory()
	return d
}

// do does what a log says.
func (d *disk) do(o op) {
	d.ops++
	file := d.names[o.File]
	c := change{op: o, at: d.ops, file: file}
	switch o.Kind {
	case opOpen:
		if file == nil {
			c.file = &diskFile{}
			d.names[o.File] = c.file
			d.entries = append(d.entries, c)
		}
	case opWrite, opTruncate:
		file.changes = append(file.changes, c)
	case opSync:
		for _, c := range file.changes {
			file.synced = c.apply(file.synced)
		}
		file.changes = nil
		if o.Directory {
			d.syncDirectory()
		}
	case opDelete:
		delete(d.names, o.File)
		d.entries = append(d.entries, c)
		if o.Directory {
			d.syncDirectory()
		}
	case opDurable:
		d.durable = o.Seq
	}
}

func (d *disk) syncDirectory() { d.synced, d.entries = maps.Clone(d.names), nil }

// content is what a file has when each change since its sync has met its fate.
func (f *diskFile) content(fate fate) []byte {
	data := bytes.Clone(f.synced)
	for _, c := range f.changes {
		if o, ok := fate(c); ok {
			data = o.apply(data)
		}
	}
	return data
}

// apply changes the content of a file.
func (o *op) apply(data []byte) []byte {
	end := o.Offset + int64(len(o.Data))
	if missing := end - int64(len(data)); missing > 0 {
		data = append(data, make([]byte, missing)...)
	}
	if o.Kind == opTruncate {
		return data[:end]
	}
	copy(data[o.Offset:], o.Data)
	return data
}

// files are what is left when each change that is not synced has met its fate.
func (d *disk) files(fate fate) files {
	left := maps.Clone(d.synced)
	for _, c := range d.entries {
		if o, ok := fate(c); ok && o.Kind == opDelete {
			delete(left, o.File)
		} else if ok {
			left[o.File] = c.file
		}
	}
	fs := files{}
	for name, file := range left {
		fs[name] = file.content(fate)
	}
	return fs
}

// pending are the changes that are not synced: in a file, and in the directory.
func (d *disk) pending() (written, named int) {
	for _, file := range d.names {
		written += len(file.changes)
	}
	return written, len(d.entries)
}

// The ways in which the power is cut.
const (
	cutDrop   = "drop all"
	cutRandom = "random subset"
	cutTorn   = "torn"
)

var cuts = []string{cutDrop, cutRandom, cutTorn}

// tries is how many random outages of a kind are tried.
const tries = 2

// outages returns some of what a cut may leave.
func (d *disk) outages(cut string, random *rand.Rand) (left []files) {
	written, named := d.pending()
	switch {
	case cut == cutDrop || written+named == 0:
		return []files{d.files(dropAll)}
	case cut == cutRandom:
		for try := range tries { // it loses a half, and one of 16
			keep := make([]bool, d.ops+1)
			for i := range keep {
				keep[i] = random.IntN(2<<(3*try)) > 0
			}
			left = append(left, d.files(func(c change) (op, bool) { return c.op, keep[c.at] }))
		}
		return left
	}
	var last change
	for _, file := range d.names {
		for _, c := range file.changes {
			if c.Kind == opWrite && c.at > last.at {
				last = c
			}
		}
	}
	for kept := int64(0); kept < int64(len(last.Data)); kept += sectorSize - (last.Offset+kept)%sectorSize {
		left = append(left, d.files(func(c change) (op, bool) {
			if c.at == last.at {
				c.Data = c.Data[:kept]
			}
			return c.op, true
		}))
	}
	if left == nil {
		return []files{d.files(keepAll)} // nothing is being written
	}
	random.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
	return left[:min(tries, len(left))]
}
