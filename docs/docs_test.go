package manual_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/internal/cli"
)

// page is a Markdown file, taken apart.
type page struct {
	path     string // from the project's root
	prose    string // without fenced blocks
	headings []heading
	blocks   []block
}

type heading struct {
	level int
	text  string
}

// block is a fenced block.
type block struct {
	language, text string
	line           int
}

// load reads the pages of the manual, those at the project's root and those of the
// examples.
func load(t *testing.T) map[string]*page {
	t.Helper()
	pages := make(map[string]*page)
	for _, pattern := range []string{"../*.md", "../examples/*.md", "*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no pages match %s (%v)", pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.ToSlash(filepath.Join("docs", path))
			pages[name] = parse(name, string(data))
		}
	}
	return pages
}

var headingLine = regexp.MustCompile(`^(#{1,6}) +(.*?) *#*$`)

func parse(path, text string) *page {
	p := &page{path: path}
	var prose strings.Builder
	var open *block
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			open = &block{language: strings.Trim(line, " `"), line: n}
			continue
		case fence:
			p.blocks = append(p.blocks, *open)
			open = nil
			continue
		case open != nil:
			open.text += line + "\n"
			continue
		}
		if m := headingLine.FindStringSubmatch(line); m != nil {
			p.headings = append(p.headings, heading{len(m[1]), m[2]})
		}
		prose.WriteString(line + "\n")
	}
	p.prose = prose.String()
	return p
}

// anchors are the names of the headings in links, made as GitHub makes them.
func (p *page) anchors() map[string]bool {
	set := make(map[string]bool)
	for _, h := range p.headings {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r):
				return unicode.ToLower(r)
			}
			return -1
		}, h.text)
		name := slug
		for i := 1; set[name]; i++ {
			name = fmt.Sprintf("%s-%d", slug, i)
		}
		set[name] = true
	}
	return set
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks checks that each relative link leads to a file, and to a heading
// where it names one.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages := load(t)
	for _, p := range pages {
		for _, m := range link.FindAllStringSubmatch(p.prose, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			to := p.path
			if target != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(p.path), target))
			}
			if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", p.path, m[1])
				continue
			}
			if anchor != "" && (pages[to] == nil || !pages[to].anchors()[anchor]) {
				t.Errorf("%s: the link %s names a heading that %s does not have", p.path, m[1], to)
			}
		}
	}
}

// TestIndexNamesEveryPage checks that the manual's first page leads to all.
func TestIndexNamesEveryPage(t *testing.T) {
	t.Parallel()
	pages := load(t)
	for name := range pages {
		file, ok := strings.CutPrefix(name, "docs/")
		if ok && file != "README.md" && !strings.Contains(pages["docs/README.md"].prose, "]("+file+")") {
			t.Errorf("docs/README.md has no link to %s", file)
		}
	}
}

var span = regexp.MustCompile("`(quarry [^`]+)`")

// TestCommands checks that each command line of the pages names a command and
// flags that are there.
func TestCommands(t *testing.T) {
	pages := load(t)
	t.Chdir(t.TempDir()) // away from any .env
	known := make(map[string]map[string]bool)
	lines := 0
	for _, p := range pages {
		var list []string
		for _, b := range p.blocks {
			for line := range strings.Lines(b.text) {
				line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
				line = strings.Replace(line, "go run ./cmd/quarry", "quarry", 1)
				if b.language != "go" && strings.HasPrefix(line, "quarry ") {
					list = append(list, line)
				}
			}
		}
		for _, m := range span.FindAllStringSubmatch(p.prose, -1) {
			list = append(list, m[1])
		}
		for _, line := range list {
			lines++
			if problem := checkCommand(t, line, known); problem != "" {
				t.Errorf("%s: %q: %s", p.path, line, problem)
			}
		}
	}
	if lines < 20 {
		t.Errorf("only %d command lines were found", lines)
	}
}

// checkCommand returns what is wrong with a command line. It asks each command
// for its help once.
func checkCommand(t *testing.T, line string, known map[string]map[string]bool) string {
	words := split(line)[1:]
	command := "quarry"
	for depth := 0; depth < len(words) && depth < 2; depth++ {
		if strings.HasPrefix(words[depth], "-") || depth == 1 && words[0] != "sessions" {
			break
		}
		command += " " + words[depth]
	}
	flags, ok := known[command]
	if !ok {
		flags = helpOf(t, command)
		known[command] = flags
	}
	if flags == nil {
		return "there is no such command"
	}
	for _, w := range words {
		if name, _, _ := strings.Cut(w, "="); strings.HasPrefix(w, "-") && !flags[name] {
			return command + " has no flag " + name
		}
	}
	return ""
}

var flag = regexp.MustCompile(`(?m)^ +(?:(-\w), )?(--[\w-]+)`)

// helpOf returns the flags of a command, nil if there is no such command.
func helpOf(t *testing.T, command string) map[string]bool {
	var out bytes.Buffer
	args := append(strings.Fields(command)[1:], "--help")
	code := cli.Run(t.Context(), args, strings.NewReader(""), &out, io.Discard)
	_, usage, _ := strings.Cut(out.String(), "Usage:\n  ")
	usage, _, _ = strings.Cut(usage, "\n")
	if code != 0 || !strings.HasPrefix(usage+" ", command+" ") {
		return nil
	}
	flags := make(map[string]bool)
	for _, m := range flag.FindAllStringSubmatch(out.String(), -1) {
		flags[m[1]], flags[m[2]] = true, true
	}
	return flags
}

// split takes a command line apart, up to a pipe or a redirection.
func split(line string) []string {
	var words []string
	var word strings.Builder
	quoted, begun := false, false
	for _, r := range line {
		switch {
		case r == '"':
			quoted, begun = !quoted, true
		case quoted:
			word.WriteRune(r)
		case r == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		case r == '|' || r == '>' || r == ';' || r == '&' || r == '#':
			if begun {
				words = append(words, word.String())
			}
			return words
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// TestSnippets compiles the programs of the pages and parses the rest of their
// Go code.
func TestSnippets(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	// An overlay lets one go command see each program as a package of the module;
	// as one that is not main, so that nothing is linked.
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	dir := t.TempDir()
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json")}
	for _, p := range load(t) {
		for _, b := range p.blocks {
			switch {
			case b.language != "go":
				continue
			case !strings.HasPrefix(b.text, "package "):
				parseSnippet(t, p, &b)
				continue
			}
			name := fmt.Sprintf("snippet%d", len(overlay.Replace))
			written := filepath.Join(dir, name+".txt")
			_, body, _ := strings.Cut(b.text, "\n")
			text := fmt.Sprintf("package snippet\n//line %s:%d\n%s", filepath.Join(root, p.path), b.line+2, body)
			if err := os.WriteFile(written, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[filepath.Join(root, "docs", name, "snippet.go")] = written
			args = append(args, "./docs/"+name)
		}
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(args[2], data, 0o600); err != nil {
		t.Fatal(err)
	}
	if len(overlay.Replace) < 5 {
		t.Errorf("only %d programs were found", len(overlay.Replace))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
}

// parseSnippet checks that src can stand in a function, or beside one.
func parseSnippet(t *testing.T, p *page, b *block) {
	t.Helper()
	src := b.text
	if strings.HasPrefix(src, "func ") {
		src = "}\n" + src + "func _() {"
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "snippet.go", "package p; func _() {\n"+src+"}", 0); err != nil {
		t.Errorf("%s, the code at line %d: %v", p.path, b.line, err)
	}
}

// TestChinese checks that the Chinese README has the headings and the code of the
// English one.
func TestChinese(t *testing.T) {
	t.Parallel()
	pages := load(t)
	english, chinese := pages["README.md"], pages["README.zh-CN.md"]
	if english == nil || chinese == nil {
		t.Fatal("one of the two is missing")
	}
	levels := func(p *page) (list []int) {
		for _, h := range p.headings {
			list = append(list, h.level)
		}
		return list
	}
	if diff := cmp.Diff(levels(english), levels(chinese)); diff != "" {
		t.Errorf("the levels of the headings differ (-English +Chinese):\n%s", diff)
	}
	code := func(p *page) (list []string) {
		for _, b := range p.blocks {
			list = append(list, b.language+"\n"+b.text)
		}
		return list
	}
	if diff := cmp.Diff(code(english), code(chinese)); diff != "" {
		t.Errorf("the code differs (-English +Chinese):\n%s", diff)
	}
	if slices.Equal(english.headings, chinese.headings) {
		t.Error("the Chinese README is not in Chinese")
	}
}

var testName = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")

// TestNamedTestsExist checks that the tests that pages rely on are there.
func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	there := make(map[string]bool)
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(data, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range load(t) {
		for _, m := range testName.FindAllStringSubmatch(p.prose, -1) {
			if !there[m[1]] {
				t.Errorf("%s names %s, which is no test", p.path, m[1])
			}
		}
	}
}

var (
	codeSpan = regexp.MustCompile("`[^`]+`")
	// selector is a name of a package, or a field or a method of a type.
	selector = regexp.MustCompile(`\b([A-Za-z]\w*)\.([A-Z]\w*)`)
)

// TestIdentifiers checks that each name that pages give as one of a package of
// the module, or as a field or a method of one of its types, is there. A package of
// another module that is named like one of ours is not told apart.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	api := declared(t)
	checked := 0
	for _, p := range load(t) {
		texts := codeSpan.FindAllString(p.prose, -1)
		for _, b := range p.blocks {
			if b.language == "go" {
				texts = append(texts, b.text)
			}
		}
		for _, text := range texts {
			for _, m := range selector.FindAllStringSubmatch(text, -1) {
				if api[m[1]] == nil {
					continue
				}
				checked++
				if !has(api, m[1], m[2], 3) {
					t.Errorf("%s names %s, which is not there", p.path, m[0])
				}
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d names were found", checked)
	}
}

// has tells whether a package or a type has a name, by itself or by a type that it
// embeds or is another name of, which are those with false.
func has(api map[string]map[string]bool, of, name string, depth int) bool {
	if _, ok := api[of][name]; ok {
		return true
	}
	for other, own := range api[of] {
		if !own && depth > 0 && has(api, other, name, depth-1) {
			return true
		}
	}
	return false
}

// declared returns what the packages of the module export, and what their exported
// types have. Types of one name are taken together.
func declared(t *testing.T) map[string]map[string]bool {
	t.Helper()
	api := make(map[string]map[string]bool)
	add := func(of, name string, own bool) {
		if api[of] == nil {
			api[of] = make(map[string]bool)
		}
		if ast.IsExported(name) {
			api[of][name] = own || api[of][name]
		}
	}
	private := []string{"../cmd", "../docs", "../examples", "../internal"}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(private, filepath.ToSlash(path)) || d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := file.Name.Name
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil {
					add(pkg, n.Name.Name, true)
				} else if of := nameOf(n.Recv.List[0].Type); ast.IsExported(of) {
					add(of, n.Name.Name, true)
				}
				return false
			case *ast.ValueSpec:
				for _, name := range n.Names {
					add(pkg, name.Name, true)
				}
				return false
			case *ast.TypeSpec:
				if n.Name.IsExported() {
					add(pkg, n.Name.Name, true)
					members(n, add)
				}
				return false
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// members adds the fields of a type, or the methods of an interface, and what it
// embeds or is another name of.
func members(spec *ast.TypeSpec, add func(of, name string, own bool)) {
	var fields []*ast.Field
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		fields = typ.Fields.List
	case *ast.InterfaceType:
		fields = typ.Methods.List
	default:
		add(spec.Name.Name, nameOf(typ), false)
	}
	for _, field := range fields {
		for _, name := range field.Names {
			add(spec.Name.Name, name.Name, true)
		}
		if field.Names == nil {
			add(spec.Name.Name, nameOf(field.Type), false)
		}
	}
}

// nameOf is the name of a type without its package, its pointer and its parameters.
func nameOf(typ ast.Expr) string {
	switch typ := typ.(type) {
	case *ast.Ident:
		return typ.Name
	case *ast.SelectorExpr:
		return typ.Sel.Name
	case *ast.StarExpr:
		return nameOf(typ.X)
	case *ast.IndexExpr:
		return nameOf(typ.X)
	}
	return ""
}
