package goal

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tidwall/gjson"

	"omc-hook/internal/strictjson"
)

// instructionFiles are the files in which a repository instructs its
// contributors, people and agents.
var instructionFiles = [...]string{
	"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "CONTRIBUTING.md", ".github/copilot-instructions.md",
}

// commandFiles tell how a repository is built and tested.
var commandFiles = [...]struct {
	name     string
	commands func(data []byte) []string
}{
	{"Makefile", makeTargets},
	{"go.mod", always("go vet ./...", "go test ./...")},
	{"package.json", npmScripts},
	{"Cargo.toml", always("cargo clippy", "cargo test")},
	{"pyproject.toml", always("pytest -q")},
	{"pom.xml", always("mvn -q test")},
	{"build.gradle", always("gradle test")},
	{"build.gradle.kts", always("gradle test")},
}

// ProjectFiles are the files below the root that a preflight looks for.
func ProjectFiles() []string {
	names := append([]string(nil), instructionFiles[:]...)
	for _, f := range commandFiles {
		names = append(names, f.name)
	}
	return names
}

// Instructions lists the instruction files among found with a digest each.
func Instructions(found map[string][]byte) []string {
	var list []string
	for _, name := range instructionFiles {
		if data, ok := found[name]; ok {
			sum := sha256.Sum256(data)
			list = append(list, name+" sha256:"+hex.EncodeToString(sum[:6]))
		}
	}
	return list
}

// Commands lists the verification commands that the files among found suggest.
// They are candidates for the model, never run by the binary from here.
func Commands(found map[string][]byte) []string {
	var list []string
	for _, f := range commandFiles {
		if data, ok := found[f.name]; ok {
			list = append(list, f.commands(data)...)
		}
	}
	return list
}

func always(commands ...string) func([]byte) []string {
	return func([]byte) []string { return commands }
}

func makeTargets(data []byte) []string {
	var list []string
	for _, target := range []string{"test", "check", "lint"} {
		if strings.HasPrefix(string(data), target+":") || strings.Contains(string(data), "\n"+target+":") {
			list = append(list, "make "+target)
		}
	}
	return list
}

func npmScripts(data []byte) []string {
	if strictjson.CheckObject(data, maxEntryDepth) != nil {
		return nil
	}
	var list []string
	for _, script := range []string{"test", "lint", "typecheck"} {
		if gjson.GetBytes(data, "scripts."+script).Exists() {
			list = append(list, "npm run "+script)
		}
	}
	return list
}
