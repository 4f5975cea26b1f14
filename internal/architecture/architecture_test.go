// Package architecture holds no code: its tests hold what the packages of this
// module may import, and what the hook may link.
package architecture

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "omc-hook"

// pure lists the packages that are functions of bytes and values, below
// internal. Packages of a workflow lie below loop.
var pure = []string{
	"hook", "modestate", "decide", "loop", "loop/goal", "ledger", "prompt", "transcript", "permit", "gitrepo", "strictjson", "plain", "testcount",
}

// shell lists the packages that touch the world, or that test and build, with
// what lies below them.
var shell = []string{"architecture", "authority", "cli", "disk", "endurance", "gitrun", "ladder", "pluginfiles", "realclient", "state", "tools"}

// impure are the packages of the standard library that a pure package does not
// import, with what lies below them.
var impure = []string{"os", "net", "syscall", "math/rand", "crypto/rand", "io/ioutil", "path/filepath", "plugin", "runtime", "log", "testing"}

// libraries are what pure packages import besides the standard library.
var libraries = []string{"github.com/tidwall/gjson", "github.com/tidwall/sjson"}

// unlinked are packages that omc-hook does not link, and why.
var unlinked = []struct{ path, reason string }{
	{"net", "the hook talks to nobody; linking it costs 2.5 ms at each start"},
	{"crypto/tls", "as net"},
	{"text/template", "0.9 ms, and its reflection keeps all methods in the binary"},
	{"html/template", "as text/template"},
	{"regexp", "compiled ones cost 2 ms at each start; the texts here need none"},
	{"log", "stderr of a hook stays empty"},
	{"log/slog", "0.4 ms"},
	{"encoding/gob", "0.7 ms of tables at start"},
	{"go/ast", "tools only"},
	{"testing", "tests only"},
	{"database/sql", "state is files that people can read"},
	{"plugin", "one static binary"},
	{"runtime/cgo", "one static binary"},
	{"github.com/modelcontextprotocol/go-sdk", "3.7 ms and 5 MB; omh-memory has it"},
	{"github.com/spf13/cobra", "2 ms; the flags are of the standard library"},
	{"github.com/urfave/cli", "1.1 ms; as cobra"},
	{"github.com/google/go-cmp", "tests only"},
	{"pgregory.net/rapid", "tests only"},
	{"github.com/rogpeppe/go-internal", "tests only"},
}

// listed is what go list tells of one package.
type listed struct {
	ImportPath, Dir string
	Imports         []string
	GoFiles         []string
}

func goList(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Imports,GoFiles"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	var list []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// name is the path of one of our packages below internal, "" for any other.
func name(importPath string) string {
	short, found := strings.CutPrefix(importPath, module+"/internal/")
	if !found {
		return ""
	}
	return short
}

func workflow(name string) bool { return strings.HasPrefix(name, "loop/") }

// within reports whether p is root or lies below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

func TestEveryPackageIsListedAsPureOrShell(t *testing.T) {
	var found []string
	for _, p := range goList(t, "./internal/...") {
		n := name(p.ImportPath)
		found = append(found, n)
		world := slices.ContainsFunc(shell, func(root string) bool { return within(n, root) })
		if slices.Contains(pure, n) == world {
			t.Errorf("%s is not in exactly one of the lists", n)
		}
	}
	for _, n := range pure {
		if !slices.Contains(found, n) {
			t.Errorf("%s is listed as pure and does not exist", n)
		}
	}
}

func TestPurePackagesImportPureOnes(t *testing.T) {
	for _, p := range goList(t, "./internal/...") {
		if !slices.Contains(pure, name(p.ImportPath)) {
			continue
		}
		for _, imported := range p.Imports {
			standard := !strings.Contains(strings.Split(imported, "/")[0], ".") && !within(imported, module)
			switch {
			case within(imported, module) && !slices.Contains(pure, name(imported)):
				t.Errorf("%s imports %s, which is not pure", p.ImportPath, imported)
			case standard && slices.ContainsFunc(impure, func(root string) bool { return within(imported, root) }):
				t.Errorf("%s imports %s", p.ImportPath, imported)
			case !standard && !within(imported, module) && !slices.Contains(libraries, imported):
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// clock are the functions of package time that read or follow the clock.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "LoadLocation", "Local"}

func TestPurePackagesHaveNoClock(t *testing.T) {
	for _, p := range goList(t, "./internal/...") {
		if !slices.Contains(pure, name(p.ImportPath)) {
			continue
		}
		for _, file := range p.GoFiles {
			eachSelector(t, filepath.Join(p.Dir, file), func(pkg, selected string) {
				if pkg == "time" && slices.Contains(clock, selected) {
					t.Errorf("%s/%s uses time.%s", p.ImportPath, file, selected)
				}
			})
		}
	}
}

// eachSelector calls f with each name that the file takes from a package.
func eachSelector(t *testing.T, file string, f func(pkg, selected string)) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]string{}
	for _, spec := range tree.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		local := path.Base(imported)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		imports[local] = imported
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				f(imports[id.Name], s.Sel.Name)
			}
		}
		return true
	})
}

func TestWorkflowsKnowNeitherEachOtherNorDecide(t *testing.T) {
	for _, p := range goList(t, "./internal/loop/...") {
		for _, imported := range p.Imports {
			if n := name(imported); n == "decide" || workflow(n) && imported != p.ImportPath {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

func TestStateKnowsNoWorkflowAndNoRule(t *testing.T) {
	for _, p := range goList(t, "-deps", "./internal/state", "./internal/modestate", "./internal/loop", "./internal/ledger") {
		if n := name(p.ImportPath); n == "decide" || n == "cli" || workflow(n) {
			t.Errorf("%s is below state, modestate, loop or ledger", p.ImportPath)
		}
	}
}

func TestOnlyTheCommandsAndTheRulesKnowTheWorkflows(t *testing.T) {
	for _, p := range goList(t, "./...") {
		for _, imported := range p.Imports {
			if n := name(p.ImportPath); workflow(name(imported)) && n != "cli" && n != "decide" {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

func TestTheHookLinksNothingThatItPaysForAtEachStop(t *testing.T) {
	for _, p := range goList(t, "-deps", "./cmd/omc-hook") {
		for _, u := range unlinked {
			if within(p.ImportPath, u.path) {
				t.Errorf("omc-hook links %s (%s)", p.ImportPath, u.reason)
			}
		}
	}
}

// What stands at the top of a package is ready before main and costs each Stop.
func TestNothingRunsBeforeMain(t *testing.T) {
	for _, p := range goList(t, "./cmd/omc-hook", "./internal/...") {
		if within(name(p.ImportPath), "tools") || name(p.ImportPath) == "realclient" {
			continue
		}
		for _, file := range p.GoFiles {
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range tree.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
					t.Errorf("%s/%s has an init function", p.ImportPath, file)
				}
			}
		}
	}
}
