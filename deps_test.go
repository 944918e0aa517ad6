package quarry_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/quarry-sdk/quarry"

// area is a part of the module and what it may import of the others. The rules
// are those of the design: model <- session <- quarry <- toolbox <- research <-
// server, eval, temporal <- internal/cli.
type area struct {
	// name is a package's path below the module, "." for the core; with "/" at
	// its end, all packages below it. The longest name that fits a package counts.
	name string
	// imports are the names of other areas; "*" is all.
	imports []string
	// family lets the packages of the area import each other. Otherwise only a
	// parent and what is below it may.
	family bool
	// why tells the reason of the rule.
	why string
}

// lazyRegexp is a leaf that any package but the core's may import.
const lazyRegexp = "internal/lazyregexp"

// providerLeaves are what the providers have in common below the Model
// interface; nothing else may import them.
var providerLeaves = []string{"internal/apicall", "internal/rawjson", "internal/sse"}

var areas = []area{
	{"model", nil, false, "messages and the Model interface are the ground under everything, so that a provider needs nothing else"},
	{"model/", []string{"model"}, false, "a provider knows the Model interface and nothing of agents, sessions or other providers"},
	{"session", []string{"model"}, false, "journals and the engine serve any machine; they must not know agents"},
	{"session/", []string{"session", "model"}, false, "a store knows journals and nothing of agents or other stores"},
	{".", []string{"model", "session"}, false, "the core never imports a provider, a store's driver, a tool or research: whoever links it chooses those"},
	{"evidence", nil, false, "verification is pure, so that anyone can repeat it offline"},
	{"blob", nil, false, "bytes by their hash need nothing of ours"},
	{"blob/", []string{"blob"}, false, "a blob driver knows the blob interface only"},
	{"extract", nil, true, "the text of a document depends on its bytes alone, so that anyone can read it again"},
	{"extract/", []string{"extract"}, true, "the text of a document depends on its bytes alone, so that anyone can read it again"},
	{"extract/internal/measure", []string{"internal/"}, true, "it is a measure of tests alone, on data that is not in the project"},
	{"web", []string{"evidence", "blob", "extract", "extract/"}, true, "fetching knows sources and bytes, and nothing of agents"},
	{"web/", []string{"web", "evidence", "blob", "extract", "extract/"}, true, "fetching knows sources and bytes, and nothing of agents"},
	{"corpus", []string{"evidence", "blob", "extract", "extract/"}, true, "searching documents knows nothing of agents"},
	{"corpus/", []string{"corpus", "evidence", "blob", "extract", "extract/"}, true, "searching documents knows nothing of agents"},
	{"toolbox", tools, true, "tools use the SDK, the web and corpora; they know nothing of research"},
	{"toolbox/", tools, true, "tools use the SDK, the web and corpora; they know nothing of research"},
	{"research", jobs, true, "research is the SDK's first customer: it uses its public API and no provider"},
	{"research/", jobs, true, "research is the SDK's first customer: it uses its public API and no provider"},
	{"eval", programs, true, "evaluation runs what it is given; only internal/cli links everything"},
	{"eval/", programs, true, "evaluation runs what it is given; only internal/cli links everything"},
	{"server", programs, true, "the server runs what it is given; only internal/cli links everything"},
	{"server/", programs, true, "the server runs what it is given; only internal/cli links everything"},
	{"temporal", programs, true, "the driver runs what it is given; only internal/cli links everything"},
	{"temporal/", programs, true, "the driver runs what it is given; only internal/cli links everything"},
	{"docs", nil, true, "the manual is data"},
	{"docs/", nil, true, "the manual is data"},
	{"internal/cli", []string{"*"}, true, ""},
	{"internal/cli/", []string{"*"}, true, ""},
	{"cmd/", []string{"internal/cli", "internal/cli/"}, false, "main is under 30 lines; the commands are in internal/cli"},
	{lazyRegexp, nil, false, "it is a helper without dependencies"},
	{"internal/apicall", nil, false, "it is a helper without dependencies"},
	{"internal/sse", nil, false, "it is a helper without dependencies"},
	{"internal/rawjson", nil, false, "it is a helper without dependencies"},
	// Of tests, examples and measurements only; nothing that ships imports them.
	{"internal/", []string{"*"}, false, ""},
	{"examples/", []string{"*"}, false, ""},
	{"bench/", []string{"*"}, false, ""},
}

var (
	tools    = []string{".", "model", "session", "web", "web/", "corpus", "corpus/", "evidence", "blob", "extract", "extract/"}
	jobs     = append(slices.Clone(tools), "toolbox", "toolbox/")
	programs = append(slices.Clone(jobs), "research", "research/")
)

// outside are the only modules of others that these packages may import.
var outside = []struct {
	pkg     string
	modules []string
	why     string
}{
	{"model", nil, "every user of the SDK links it"},
	{"session", []string{"github.com/oklog/ulid/v2"}, "every user of the SDK links it"},
	{".", []string{"github.com/google/jsonschema-go", "golang.org/x/text"}, "every user of the SDK links it"},
	{"evidence", []string{"golang.org/x/text"}, "verification must be easy to audit"},
	{"model/openai", []string{
		"github.com/openai/openai-go/v3/option", "github.com/openai/openai-go/v3/responses",
	}, "the SDK's client would link every API of the company, some twenty megabytes"},
}

// impure are packages of the standard library that reach the outside world.
var impure = []string{"database/sql", "io/ioutil", "log", "net", "net/http", "os", "os/exec", "os/signal", "plugin", "syscall", "unsafe"}

// pure are the packages that must not import those: what they know of the
// world, they are given.
var pure = []string{"model", "session", ".", "evidence"}

func TestDependencies(t *testing.T) {
	t.Parallel()
	imports := moduleImports(t)
	for pkg, imported := range imports {
		from := areaOf(pkg)
		if from == nil {
			t.Errorf("package %s is in no area; say in deps_test.go and in the design what it may import", pkg)
			continue
		}
		for _, imp := range imported {
			below, ours := strings.CutPrefix(imp, modulePath)
			if !ours {
				for _, problem := range checkOutside(pkg, imp) {
					t.Error(problem)
				}
				continue
			}
			target := strings.TrimPrefix(below, "/")
			if target == "" {
				target = "."
			}
			to := areaOf(target)
			if to != nil && !from.allows(pkg, target, to) {
				t.Errorf("%s imports %s. It may import of this module: %s; %s.", pkg, target, list(from.imports), from.why)
			}
		}
	}
	if len(imports) < 5 {
		t.Errorf("only %d packages are found: %v", len(imports), imports)
	}
}

// TestNothingHidesBehindTheCore closes over the imports, so that the rules hold
// for what an agent's author links, and not for the first step only.
func TestNothingHidesBehindTheCore(t *testing.T) {
	t.Parallel()
	imports := moduleImports(t)
	for pkg, allowed := range map[string][]string{
		".":        {".", "model", "session"},
		"session":  {"session", "model"},
		"model":    {"model"},
		"evidence": {"evidence"},
	} {
		seen := map[string]bool{}
		var walk func(string)
		walk = func(p string) {
			if seen[p] {
				return
			}
			seen[p] = true
			if !slices.Contains(allowed, p) {
				t.Errorf("%s links %s; it may link of this module: %s", pkg, p, list(allowed))
			}
			for _, imp := range imports[p] {
				if below, ours := strings.CutPrefix(imp, modulePath); ours {
					walk(path.Clean(strings.TrimPrefix(below, "/")))
				}
			}
		}
		walk(pkg)
	}
}

// The rules are tested on imports that are wrong, so that they do not pass by
// finding nothing.
func TestDependencyRulesBite(t *testing.T) {
	t.Parallel()
	tests := []struct {
		from, to string
		want     bool
	}{
		{".", "model", true},
		{".", "model/anthropic", false},
		{".", "session/sqlite", false},
		{".", "toolbox/docs", false},
		{".", "research", false},
		{"session", ".", false},
		{"session/sqlite", "session", true},
		{"session/sqlite", "session/postgres", false},
		{"model/openai", "model/anthropic", false},
		{"model/modeltest/cassette", "model/modeltest", true},
		{"evidence", "blob", false},
		{"toolbox/docs", "corpus", true},
		{"toolbox/docs", "research", false},
		{"research", "toolbox/docs", true},
		{"research", "model/anthropic", false},
		{"server", "research", true},
		{"server", "session/postgres", false},
		{"corpus", ".", false},
		{"internal/cli", "model/anthropic", true},
		{"cmd/quarry", "internal/cli", true},
		{"cmd/quarry", "model/anthropic", false},
		{"toolbox/docs", "internal/sharedtest", false},
		{"corpus", lazyRegexp, true},
		{".", lazyRegexp, false},
		{"model/openai", "internal/sse", true},
		{"model/openai", "internal/cli", false},
		{"model", "internal/sse", false},
		{"research", "internal/rawjson", false},
	}
	for _, test := range tests {
		if got := areaOf(test.from).allows(test.from, test.to, areaOf(test.to)); got != test.want {
			t.Errorf("%s may import %s: %v, want %v", test.from, test.to, got, test.want)
		}
	}
	for _, imp := range []string{"net/http", "os", "github.com/other/module"} {
		if len(checkOutside(".", imp)) == 0 {
			t.Errorf("the core may import %s", imp)
		}
	}
	if areaOf("util") != nil {
		t.Error("a package of no area has one")
	}
}

func (a *area) allows(pkg, target string, to *area) bool {
	if slices.Contains(a.imports, "*") || slices.Contains(a.imports, to.name) {
		return true
	}
	if to.name == lazyRegexp {
		return pkg != "." && pkg != "session" && pkg != "model"
	}
	if slices.Contains(providerLeaves, to.name) {
		return strings.HasPrefix(pkg, "model/")
	}
	if strings.TrimSuffix(a.name, "/") == strings.TrimSuffix(to.name, "/") && a.family {
		return true
	}
	return a == to && (strings.HasPrefix(pkg, target+"/") || strings.HasPrefix(target, pkg+"/"))
}

// areaOf finds the longest name that fits.
func areaOf(pkg string) *area {
	var best *area
	for i := range areas {
		a := &areas[i]
		fits := pkg == a.name || (strings.HasSuffix(a.name, "/") && strings.HasPrefix(pkg, a.name))
		if fits && (best == nil || len(a.name) > len(best.name)) {
			best = a
		}
	}
	return best
}

// checkOutside checks an import that is not of this module.
func checkOutside(pkg, imp string) (problems []string) {
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") { // the standard library
		if slices.Contains(pure, pkg) && slices.Contains(impure, imp) {
			problems = append(problems, fmt.Sprintf("%s imports %s. It does no I/O: it is given what it needs of the world.", pkg, imp))
		}
		return problems
	}
	for _, rule := range outside {
		if rule.pkg == pkg && !slices.ContainsFunc(rule.modules, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") }) {
			problems = append(problems, fmt.Sprintf("%s imports %s. It may import of other modules: %s; %s.", pkg, imp, list(rule.modules), rule.why))
		}
	}
	return problems
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// moduleImports reads what each package imports, tests left out. Nested modules
// and testdata are no part of it.
func moduleImports(t *testing.T) map[string][]string {
	t.Helper()
	imports := make(map[string][]string)
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			name := d.Name()
			nested, _ := filepath.Glob(filepath.Join(file, "go.mod"))
			if file != "." && (name == "testdata" || name == "vendor" || name[0] == '.' || name[0] == '_' || nested != nil) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if imports[pkg] == nil {
			imports[pkg] = []string{}
		}
		for _, spec := range parsed.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[pkg] = append(imports[pkg], imp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}
