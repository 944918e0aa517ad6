package files

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// kept is a file or folder that the tools cannot touch.
type kept struct {
	parts []string
	// secret tells that it is one of Config.Secret, not the state of the agent.
	secret bool
}

// keptOf reads the path of one; ok is false where it is not below the workspace.
func keptOf(name string) (k kept, ok bool) {
	name = path.Clean(filepath.ToSlash(name))
	k.parts = strings.Split(name, "/")
	return k, filepath.IsLocal(filepath.FromSlash(name)) && name != "."
}

func (k *kept) path() string { return path.Join(k.parts...) }

// refuse is the error of a path that leads to it.
func (k *kept) refuse(asked string) error {
	if k.secret {
		return fmt.Errorf("the path %q leads to %s, which is kept from these tools: it can be neither read nor written; go on without it", short(asked), k.path())
	}
	return fmt.Errorf("the path %q is in %s, which is reserved for the agent's own state: it can be neither read nor written; use another folder of the workspace", short(asked), k.path())
}

// keptByInfo finds what is kept by what it is, whatever its name; nil where it is
// none of them.
func (w *Workspace) keptByInfo(info fs.FileInfo) *kept {
	for i := range w.kept {
		if is, err := w.root.Stat(w.kept[i].path()); err == nil && os.SameFile(info, is) {
			return &w.kept[i]
		}
	}
	return nil
}

// keptByName finds what is kept by its name, for where it does not exist yet, in
// the folder of these names.
func (w *Workspace) keptByName(names []string, name string) *kept {
	for i := range w.kept {
		want := w.kept[i].parts
		if len(names)+1 != len(want) || !sameName(name, want[len(want)-1]) {
			continue
		}
		same := true
		for j, have := range names {
			same = same && sameName(have, want[j])
		}
		if same {
			return &w.kept[i]
		}
	}
	return nil
}
