package skills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry"
)

// The names of the tools.
const (
	SkillName = "skill"
	FileName  = "skill_file"
)

// maxFiles bounds the files of a skill that its text lists.
const maxFiles = 200

// Tools returns skill and skill_file; nil where there are no skills.
func (s *Set) Tools() []*quarry.Tool {
	if len(s.skills) == 0 {
		return nil
	}
	result := int(min(s.cfg.MaxFileBytes, 1<<30)) + 16<<10
	return []*quarry.Tool{
		quarry.NewTool(quarry.ToolSpec{
			Current: s.current,
			Description: "Loads the instructions of a skill. Use it when a skill of the list fits what you are to do, before you begin; once is enough. " +
				"It does nothing else: carry the instructions out with your other tools.",
			Effect:         quarry.ReadOnly,
			Keep:           true,
			MaxResultBytes: result,
			Name:           SkillName,
			Scope:          quarry.Scope{Kind: quarry.ScopeName, Field: "name"},
		}, s.load),
		quarry.NewTool(quarry.ToolSpec{
			Current: s.current,
			Description: "Reads a file of a skill's folder. Use it for the files that the skill's instructions name; " +
				"for the instructions themselves, use " + SkillName + ".",
			Effect:         quarry.ReadOnly,
			MaxResultBytes: result,
			Name:           FileName,
			Scope:          quarry.Scope{Kind: quarry.ScopeName, Field: "name"},
		}, s.loadFile),
	}
}

type skillIn struct {
	Name string `json:"name" jsonschema:"the skill, as the list names it"`
}

type fileIn struct {
	Name string `json:"name" jsonschema:"the skill, as the list names it"`
	Path string `json:"path" jsonschema:"the file, relative to the skill's folder, such as templates/letter.md"`
}

// load is the tool skill.
func (s *Set) load(ctx context.Context, in skillIn) (string, error) {
	skill, err := s.skill(in.Name)
	if err != nil {
		return "", err
	}
	text, err := s.read(skill, fileName)
	if err != nil {
		return "", fmt.Errorf("the skill %q cannot be loaded: %w", skill.Name, err)
	}
	_, body, err := split(text)
	if err != nil {
		return "", fmt.Errorf("the skill %q cannot be loaded: %w", skill.Name, err)
	}
	noteRead(ctx, skill.Name, fileName, text)
	var b strings.Builder
	fmt.Fprintf(&b, "The skill %q:\n\n%s\n", skill.Name, strings.TrimSpace(body))
	if names, more := skill.files(); names != nil {
		fmt.Fprintf(&b, "\n[Its files, which %s reads:\n", FileName)
		for _, name := range names {
			b.WriteString(name + "\n")
		}
		if more {
			b.WriteString("and more\n")
		}
		b.WriteString("]\n")
	}
	return b.String(), nil
}

// loadFile is the tool skill_file.
func (s *Set) loadFile(ctx context.Context, in fileIn) (string, error) {
	skill, err := s.skill(in.Name)
	if err != nil {
		return "", err
	}
	text, err := s.read(skill, in.Path)
	if errors.Is(err, fs.ErrNotExist) {
		names, _ := skill.files()
		return "", fmt.Errorf("the skill %q has no file %q; its files are: %s", skill.Name, in.Path, strings.Join(append([]string{fileName}, names...), ", "))
	}
	if err != nil {
		return "", err
	}
	noteRead(ctx, skill.Name, path.Clean(in.Path), text)
	return text, nil
}

// skill finds a skill; the error for an unknown name names those there are.
func (s *Set) skill(name string) (*Skill, error) {
	var names []string
	for i := range s.skills {
		if s.skills[i].Name == name {
			return &s.skills[i], nil
		}
		names = append(names, s.skills[i].Name)
	}
	return nil, fmt.Errorf("there is no skill %q; the skills are: %s", name, strings.Join(names, ", "))
}

// read reads a file of a skill's folder, as text. The error for one that is not
// there is fs.ErrNotExist.
func (s *Set) read(skill *Skill, name string) (string, error) {
	clean := path.Clean(name)
	if name == "" || strings.Contains(name, `\`) || !fs.ValidPath(clean) {
		return "", fmt.Errorf("the path %q leads out of the skill's folder; use a path relative to it, with slashes, such as templates/letter.md", name)
	}
	if err := noLinks(skill.fsys, clean); err != nil {
		return "", err
	}
	f, err := skill.fsys.Open(clean)
	if err != nil {
		return "", plainly(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", plainly(name, err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%q is not a file; use the path of a file in the skill's folder", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, s.cfg.MaxFileBytes+1))
	if err != nil {
		return "", plainly(name, err)
	}
	if int64(len(data)) > s.cfg.MaxFileBytes {
		return "", fmt.Errorf("%q has more than %d bytes, which is the limit for files of skills", name, s.cfg.MaxFileBytes)
	}
	if !utf8.Valid(data) || slices.Contains(data, 0) {
		return "", fmt.Errorf("%q is not text (%d bytes); it can be used by programs only", name, len(data))
	}
	return string(data), nil
}

// noLinks refuses a path with a link or something special in it. On disk the
// system keeps links inside besides; other file systems may follow them anywhere.
func noLinks(fsys fs.FS, name string) error {
	parts := strings.Split(name, "/")
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		info, err := fs.Lstat(fsys, at)
		if err != nil {
			return plainly(at, err)
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			return fmt.Errorf("%q is a link or something else that is neither a file nor a folder; use another path", at)
		}
	}
	return nil
}

// plainly says what the system refuses, without the place of the folder.
func plainly(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q does not exist: %w", name, fs.ErrNotExist)
	}
	return fmt.Errorf("%q cannot be read: %s", name, reason(err))
}

func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

// files lists the files of the folder but SKILL.md; nil where there are none.
func (skill *Skill) files() (names []string, more bool) {
	_ = fs.WalkDir(skill.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read is not listed
		case name != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && name != fileName:
			if len(names) == maxFiles {
				more = true
				return fs.SkipAll
			}
			names = append(names, name)
		}
		return nil
	})
	return names, more
}

// noteRead tells the journal which content of a file the session knows.
func noteRead(ctx context.Context, skill, name, text string) {
	if call, ok := quarry.CallFrom(ctx); ok {
		call.Read("skill "+skill+"/"+name, hashOf(text))
	}
}

// current is the hash that a file has now, "" where it is gone.
func (s *Set) current(_ context.Context, source string) (string, error) {
	name, file, _ := strings.Cut(strings.TrimPrefix(source, "skill "), "/")
	skill, err := s.skill(name)
	if err != nil {
		return "", nil
	}
	text, err := s.read(skill, file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return hashOf(text), err
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
