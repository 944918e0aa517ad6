package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/quarry-sdk/quarry/corpus"
)

// corpusFile names the file beside an index that says what it is an index of.
const corpusFile = "corpus.json"

// corpusInfo is what corpusFile holds.
type corpusInfo struct {
	Name string `json:"name"`
	// Folder is the absolute path of the documents.
	Folder string `json:"folder"`
}

// corpusDir is the folder of a corpus: its info and its index.
func (a *app) corpusDir(name string) string { return filepath.Join(a.home(), "corpora", name) }

// checkCorpusName tells what is wrong with a name, which becomes a folder.
func checkCorpusName(name string) error {
	bad := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._- ", r)
	}
	if name == "" || len(name) > 100 || strings.HasPrefix(name, ".") || strings.ContainsFunc(name, bad) {
		return usagef("the corpus name %q must be of letters, digits, blanks, '.', '_' and '-', not begin with '.', and have at most 100 bytes", name)
	}
	return nil
}

// corpusNameOf derives the name of a folder that was given none: its last
// element, and a hash of its path that keeps two such folders apart.
func corpusNameOf(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	base := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, filepath.Base(folder))
	if len(base) > 40 {
		base = strings.ToValidUTF8(base[:40], "")
	}
	return base + "-" + hex.EncodeToString(sum[:4])
}

// corpusNameFor returns the name of a corpus that is an index of the folder, or
// the one to give it.
func (a *app) corpusNameFor(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	corpora, err := a.corpora()
	if err != nil {
		return "", err
	}
	for _, info := range corpora {
		if info.Folder == abs {
			return info.Name, nil
		}
	}
	return corpusNameOf(abs), nil
}

// corpora lists what has been indexed, by name.
func (a *app) corpora() ([]corpusInfo, error) {
	entries, err := os.ReadDir(filepath.Join(a.home(), "corpora"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var infos []corpusInfo
	for _, e := range entries {
		info, err := a.corpusInfo(e.Name())
		if err != nil {
			return nil, err
		}
		if info != nil {
			infos = append(infos, *info)
		}
	}
	return infos, nil
}

// updateCorpus builds or updates the index of a folder.
func (a *app) updateCorpus(ctx context.Context, name, folder string) (*corpus.Index, *corpus.Report, error) {
	info, err := a.checkFolder(name, folder)
	if err != nil {
		return nil, nil, err
	}
	fresh := false
	if _, err := os.Stat(a.corpusDir(name)); errors.Is(err, fs.ErrNotExist) {
		fresh = true
	}
	index, err := a.openIndex(ctx, name, corpus.Options{})
	if err != nil {
		return nil, nil, err
	}
	report, err := a.updateIndex(ctx, index, info)
	if err != nil {
		index.Close()
		if fresh {
			os.RemoveAll(a.corpusDir(name))
		}
		return nil, report, err
	}
	return index, report, nil
}

// checkFolder tells what is wrong with indexing a folder under a name, and
// returns the two.
func (a *app) checkFolder(name, folder string) (corpusInfo, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return corpusInfo{}, err
	}
	if info, err := os.Stat(abs); err != nil {
		return corpusInfo{}, usagef("the folder %s cannot be read: %w; name a folder of documents", folder, plainPathError(err))
	} else if !info.IsDir() {
		return corpusInfo{}, usagef("%s is not a folder; name the folder that holds the documents", folder)
	}
	if err := checkCorpusName(name); err != nil {
		return corpusInfo{}, err
	}
	if known, err := a.corpusInfo(name); err != nil {
		return corpusInfo{}, err
	} else if known != nil && known.Folder != abs {
		return corpusInfo{}, usagef("the corpus %q is an index of %s; choose another --name, or delete %s", name, known.Folder, a.corpusDir(name))
	}
	return corpusInfo{Name: name, Folder: abs}, nil
}

// openIndex opens the index of a corpus, which is empty if there is none yet.
func (a *app) openIndex(ctx context.Context, name string, opts corpus.Options) (*corpus.Index, error) {
	var err error
	if opts.Formats, err = a.fileFormats(); err != nil {
		return nil, err
	}
	index, err := corpus.Open(ctx, filepath.Join(a.corpusDir(name), "index"), opts)
	if err != nil {
		return nil, fmt.Errorf("open the index of corpus %q: %w", name, err)
	}
	return index, nil
}

// updateIndex makes the index of a corpus mirror its folder.
func (a *app) updateIndex(ctx context.Context, index *corpus.Index, info corpusInfo) (*corpus.Report, error) {
	report, err := index.Update(ctx, info.Folder)
	if errors.Is(err, corpus.ErrNothingToIndex) {
		return report, usagef("%w", err)
	}
	if err != nil {
		return report, fmt.Errorf("index %s: %w", info.Folder, err)
	}
	return report, a.saveCorpusInfo(info)
}

// plainPathError leaves the path out of a file error, where the message around
// it names the path.
func plainPathError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// corpusInfo returns nil for a corpus that is not there.
func (a *app) corpusInfo(name string) (*corpusInfo, error) {
	path := filepath.Join(a.corpusDir(name), corpusFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var info corpusInfo
	if err := json.Unmarshal(data, &info); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; delete %s and index again", path, err, a.corpusDir(name))
	}
	return &info, nil
}

func (a *app) saveCorpusInfo(info corpusInfo) error {
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(a.corpusDir(info.Name), corpusFile)
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data)+"\n" {
		return nil
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// findCorpus returns what --corpus names: a corpus that was indexed under this
// name, without its folder, or else a folder and the name that it has or gets.
func (a *app) findCorpus(arg string) (corpusInfo, error) {
	if arg == "" {
		return corpusInfo{}, usagef("there is no corpus; add --corpus DIR, or --corpus NAME after quarry index DIR --name NAME")
	}
	if checkCorpusName(arg) == nil {
		info, err := a.corpusInfo(arg)
		if err != nil {
			return corpusInfo{}, err
		}
		if info != nil {
			return corpusInfo{Name: arg}, nil
		}
	}
	info, err := os.Stat(arg)
	if err != nil || !info.IsDir() {
		return corpusInfo{}, usagef("there is no corpus named %q and no such folder%s", arg, a.knownCorpora())
	}
	name, err := a.corpusNameFor(arg)
	if err != nil {
		return corpusInfo{}, err
	}
	return corpusInfo{Name: name, Folder: arg}, nil
}

// openCorpus opens what --corpus names: a corpus by its name, or a folder, which
// is indexed, or brought up to date, first.
func (a *app) openCorpus(ctx context.Context, arg string) (index *corpus.Index, name string, err error) {
	found, err := a.findCorpus(arg)
	if err != nil {
		return nil, "", err
	}
	if found.Folder == "" {
		index, err = a.openIndex(ctx, found.Name, corpus.Options{})
		return index, found.Name, err
	}
	index, report, err := a.updateCorpus(ctx, found.Name, found.Folder)
	if err != nil {
		return nil, "", err
	}
	if n := len(report.Skipped); n > 0 && !a.flags.machine() {
		a.note("%s skipped; quarry index %s lists them", plural(n, "file"), arg)
	}
	return index, found.Name, nil
}

// knownCorpora lists the names for an error message.
func (a *app) knownCorpora() string {
	infos, err := a.corpora()
	if err != nil || len(infos) == 0 {
		return "; index a folder first: quarry index DIR --name NAME"
	}
	names := make([]string, 0, len(infos))
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return "; the corpora are: " + strings.Join(names, ", ")
}
