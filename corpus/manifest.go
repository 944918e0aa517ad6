package corpus

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sort"
)

// formatVersion changes whenever an index written before can no longer be read rightly: the layout of the files, the
// analysis of the text, the fields.
const formatVersion = 2

// head is the file CURRENT: which generation of the index is valid.
type head struct {
	Format     int    `json:"format"`
	Generation string `json:"generation"`
}

// manifest describes one generation. It is read as a whole when the index opens.
type manifest struct {
	PassageSize int        `json:"passage_size"`
	Docs        []docEntry `json:"docs"` // in the order of their paths
	Files       []fileSum  `json:"files"`
}

// docEntry is what is known of a document without reading it.
type docEntry struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Title  string `json:"title"`
	Format string `json:"format"`
	Hash   string `json:"hash"`
	Bytes  int    `json:"bytes"`  // length of the canonical text
	Cuts   []int  `json:"cuts"`   // ends of the passages
	Words  []int  `json:"words"`  // terms of the body, per passage
	Linked []int  `json:"linked"` // bytes in hyperlinks, per passage

	Anchors    int    `json:"anchors,omitempty"`     // terms in the texts of the links to the document
	AnchorHash string `json:"anchor_hash,omitempty"` // of those texts
}

// fileSum guards a file of the generation against damage.
type fileSum struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc32c"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sums lists the files of a generation's store.
func sums(dir string) ([]fileSum, error) {
	var list []fileSum
	err := filepath.WalkDir(filepath.Join(dir, storeName), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		s, err := sum(p)
		if err != nil {
			return err
		}
		s.Name = filepath.ToSlash(rel)
		list = append(list, s)
		return nil
	})
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list, err
}

func sum(name string) (fileSum, error) {
	f, err := os.Open(name)
	if err != nil {
		return fileSum{}, err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	n, err := io.Copy(h, f)
	return fileSum{Size: n, CRC: h.Sum32()}, err
}

// verify checks every file that the manifest names.
func (m *manifest) verify(dir string) error {
	for _, want := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(want.Name)) {
			return fmt.Errorf("%w: the manifest names %q", ErrDamaged, want.Name)
		}
		got, err := sum(filepath.Join(dir, filepath.FromSlash(want.Name)))
		if err != nil {
			return fmt.Errorf("%w: %s: %s", ErrDamaged, want.Name, plainError(err))
		}
		if got.Size != want.Size || got.CRC != want.CRC {
			return fmt.Errorf("%w: %s has changed since it was written", ErrDamaged, want.Name)
		}
	}
	return nil
}

// check refuses a manifest whose figures cannot be.
func (m *manifest) check() error {
	for _, d := range m.Docs {
		last := 0
		for _, c := range d.Cuts {
			if c <= last {
				return fmt.Errorf("%w: the passages of %s do not follow each other", ErrDamaged, d.ID)
			}
			last = c
		}
		if last != d.Bytes || len(d.Linked) != len(d.Cuts) || len(d.Words) != len(d.Cuts) {
			return fmt.Errorf("%w: the passages of %s do not cover it", ErrDamaged, d.ID)
		}
	}
	return nil
}

// readJSON reads a file of the index. A missing file is the caller's to judge, a mangled one is damage.
func readJSON(name string, into any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%w: %s: %s", ErrDamaged, filepath.Base(name), err)
	}
	return nil
}

// writeJSON writes a file so that after a crash there is the old one or the new one.
func writeJSON(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	tmp := name + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, name)
	}
	return err
}
