package skills

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// fileName is the file that makes a folder a skill.
const fileName = "SKILL.md"

// The defaults of a Config.
const (
	DefaultMaxFileBytes   = 256 << 10
	DefaultMaxPromptBytes = 16 << 10
)

// Config says where the skills are. At least one of Dirs and FS is needed.
type Config struct {
	// Dirs are folders on disk, whose folders are skills.
	Dirs []string
	// FS are file systems whose top folders are skills, such as an embed.FS after
	// fs.Sub.
	FS []fs.FS
	// MaxFileBytes is up to which size a file of a skill is read. Defaults to
	// DefaultMaxFileBytes.
	MaxFileBytes int64
	// MaxPromptBytes bounds what Prompt returns; what does not fit is listed by its
	// name alone. Defaults to DefaultMaxPromptBytes.
	MaxPromptBytes int
}

// Skill is what is known of a skill at the start.
type Skill struct {
	Name        string
	Description string
	// File is where its SKILL.md is, for people.
	File string

	fsys fs.FS // its folder
}

// Problem is a skill that was left out.
type Problem struct {
	// File is its SKILL.md, or its folder.
	File string
	// Reason says what is wrong and how to mend it.
	Reason string
}

func (p Problem) String() string { return p.File + ": " + p.Reason }

// Set is the skills of an agent. It may be used by any number of agents.
type Set struct {
	cfg      Config
	skills   []Skill // in the order of their names
	problems []Problem
	roots    []*os.Root
}

// Open finds the skills. Broken ones are left out, see [Set.Problems]; two of one
// name are an error.
func Open(cfg Config) (*Set, error) {
	if len(cfg.Dirs) == 0 && len(cfg.FS) == 0 {
		return nil, errors.New("skills: there is nowhere to look; set Config.Dirs or Config.FS")
	}
	if cfg.MaxFileBytes < 0 || cfg.MaxPromptBytes < 0 {
		return nil, errors.New("skills: a limit is negative; use 0 for its default")
	}
	cfg.MaxFileBytes = cmp.Or(cfg.MaxFileBytes, DefaultMaxFileBytes)
	cfg.MaxPromptBytes = cmp.Or(cfg.MaxPromptBytes, DefaultMaxPromptBytes)
	s := &Set{cfg: cfg}
	if err := s.find(); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Set) find() error {
	for _, dir := range s.cfg.Dirs {
		root, err := os.OpenRoot(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("skills: the folder %q does not exist; make it, or take it out of Config.Dirs", dir)
		}
		if err != nil {
			return fmt.Errorf("skills: open the folder of skills: %w", err)
		}
		s.roots = append(s.roots, root)
		err = s.scan(root.FS(), func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }, func(name string) (fs.FS, error) {
			below, err := root.OpenRoot(name)
			if err != nil {
				return nil, err
			}
			s.roots = append(s.roots, below)
			return below.FS(), nil
		})
		if err != nil {
			return fmt.Errorf("skills: read the folder %q: %w", dir, err)
		}
	}
	for i, fsys := range s.cfg.FS {
		if fsys == nil {
			return fmt.Errorf("skills: Config.FS[%d] is nil; take it out", i)
		}
		err := s.scan(fsys, func(name string) string { return fmt.Sprintf("FS[%d]:%s", i, name) }, func(name string) (fs.FS, error) { return fs.Sub(fsys, name) })
		if err != nil {
			return fmt.Errorf("skills: read Config.FS[%d]: %w", i, err)
		}
	}
	slices.SortStableFunc(s.skills, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(s.skills); i++ {
		if a, b := s.skills[i-1], s.skills[i]; a.Name == b.Name {
			return fmt.Errorf("skills: there are two skills %q, in %s and in %s; rename one of the folders and the name in its front matter, or remove it", a.Name, a.File, b.File)
		}
	}
	return nil
}

// scan looks through the top folders of a file system. show names a file for
// people, open returns a folder of it.
func (s *Set) scan(fsys fs.FS, show func(string) string, open func(string) (fs.FS, error)) error {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || (!e.IsDir() && e.Type()&fs.ModeSymlink == 0) {
			continue
		}
		if info, err := fs.Stat(fsys, name); err == nil && !info.IsDir() {
			continue // a link to a file
		}
		skill := Skill{Name: name, File: show(path.Join(name, fileName))}
		if skill.fsys, err = open(name); err != nil {
			s.problems = append(s.problems, Problem{show(name), "it cannot be opened: " + reason(err) + "; a link may not lead out of the folder of skills: name the folder that it leads to in Config.Dirs"})
			continue
		}
		if err := s.describe(&skill); err != nil {
			s.problems = append(s.problems, Problem{skill.File, err.Error()})
			continue
		}
		s.skills = append(s.skills, skill)
	}
	return nil
}

// describe reads the front matter of a skill.
func (s *Set) describe(skill *Skill) error {
	text, err := s.read(skill, fileName)
	if errors.Is(err, fs.ErrNotExist) {
		entries, _ := fs.ReadDir(skill.fsys, ".")
		for _, e := range entries {
			if strings.EqualFold(e.Name(), fileName) {
				return fmt.Errorf("the file is called %s; rename it to %s", e.Name(), fileName)
			}
		}
		return fmt.Errorf("the folder has no %s; write one, or let the folder's name begin with an underscore to have it passed over", fileName)
	}
	if err != nil {
		return err
	}
	head, body, err := split(text)
	if err != nil {
		return err
	}
	m, err := parse(head)
	if err != nil {
		return err
	}
	if m.Name != skill.Name {
		return fmt.Errorf("its name is %q and its folder's is %q; make them the same", m.Name, skill.Name)
	}
	if strings.TrimSpace(body) == "" {
		return errors.New("there is nothing behind the front matter; write the instructions there")
	}
	skill.Description = m.Description
	return nil
}

// Close releases the folders. Calls of the tools fail from then on.
func (s *Set) Close() error {
	var err error
	for _, root := range s.roots {
		err = errors.Join(err, root.Close())
	}
	return err
}

// Skills returns the skills in the order of their names.
func (s *Set) Skills() []Skill { return slices.Clone(s.skills) }

// Problems returns the skills that were left out, in the order in which they were
// found.
func (s *Set) Problems() []Problem { return slices.Clone(s.problems) }

// Prompt is what goes into the system prompt: the names and descriptions of the
// skills; "" where there are none.
func (s *Set) Prompt() string {
	if len(s.skills) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Skills\n\nInstructions for special tasks. Where one of these fits what you are to do, load it with %s before you begin, and follow it.\n\n", SkillName)
	var names []string
	for _, skill := range s.skills {
		line := fmt.Sprintf("- %s: %s\n", skill.Name, skill.Description)
		if names != nil || b.Len()+len(line) > s.cfg.MaxPromptBytes {
			names = append(names, skill.Name)
			continue
		}
		b.WriteString(line)
	}
	if names != nil {
		fmt.Fprintf(&b, "\nFurther skills, by their names only: %s.\n", strings.Join(names, ", "))
	}
	return b.String()
}
