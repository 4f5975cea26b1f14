package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

const launcher = "bin/omc-hook"

// pluginPaths are what a person who installs the plugin gets, beside the
// binaries. Without .gitattributes a clone on Windows would break the launcher.
func pluginPaths() []string {
	return []string{"plugin.json", ".claude-plugin", "hooks", "skills", launcher, "LICENSE", "README.md", ".gitattributes"}
}

// platform is a system that a binary is built for.
type platform struct {
	os, arch string
	// start says that the binary also stands where the launcher does: on
	// Windows a hook starts a real program only.
	start bool
}

func platforms() []platform {
	return []platform{
		{os: "linux", arch: "amd64"},
		{os: "linux", arch: "arm64"},
		{os: "darwin", arch: "amd64"},
		{os: "darwin", arch: "arm64"},
		{os: "windows", arch: "amd64", start: true},
		{os: "windows", arch: "arm64"},
	}
}

// choose is the platform called os/arch, or every one for the empty name.
func choose(name string) ([]platform, error) {
	if name == "" {
		return platforms(), nil
	}
	for _, p := range platforms() {
		if p.os+"/"+p.arch == name {
			return []platform{p}, nil
		}
	}
	return nil, fmt.Errorf("no release is built for %q", name)
}

// binary is a file of the release.
type binary struct {
	path string
	size int64
}

// result says what a release made.
type result struct {
	commit, version string
	binaries        []binary
}

// release builds HEAD for the platforms and makes the branch.
func (r *repository) release(branch string, on []platform) (result, error) {
	scratch, err := os.MkdirTemp("", "omc-hook-release-")
	if err != nil {
		return result{}, fmt.Errorf("make scratch directory: %w", err)
	}
	defer os.RemoveAll(scratch)
	own := &repository{root: r.root, index: filepath.Join(scratch, "index")}
	source := filepath.Join(scratch, "source")
	if err := own.export(source); err != nil {
		return result{}, err
	}
	version, err := pluginVersion(filepath.Join(source, "plugin.json"))
	if err != nil {
		return result{}, err
	}
	made := result{version: version}
	if err := own.stageHead(pluginPaths()); err != nil {
		return result{}, err
	}
	for _, p := range on {
		binaries, err := own.addPlatform(p, source, version)
		if err != nil {
			return result{}, err
		}
		made.binaries = append(made.binaries, binaries...)
	}
	head, err := r.git("", "rev-parse", "HEAD")
	if err != nil {
		return result{}, err
	}
	made.commit, err = own.commit(fmt.Sprintf("omc-hook %s\n\nBuilt from %s.\n", version, head))
	if err != nil {
		return result{}, err
	}
	return made, r.setBranch(branch, made.commit)
}

// addPlatform builds one platform's binary and puts it where it belongs.
func (r *repository) addPlatform(p platform, source, version string) ([]binary, error) {
	exe := ""
	if p.os == "windows" {
		exe = ".exe"
	}
	folder := p.os + "-" + p.arch
	file := filepath.Join(filepath.Dir(source), folder+exe)
	if err := build(source, file, version, p); err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("measure binary: %w", err)
	}
	paths := []string{"bin/" + folder + "/omc-hook" + exe}
	if p.start {
		paths = append(paths, launcher+exe)
	}
	var made []binary
	for _, path := range paths {
		if err := r.stageBinary(file, path); err != nil {
			return nil, err
		}
		made = append(made, binary{path: path, size: info.Size()})
	}
	return made, nil
}

// build makes a static, stripped binary that holds no path of this machine.
func build(source, file, version string, p platform) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+version, "-o", file, "./cmd/omc-hook")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build for %s-%s: %w: %s", p.os, p.arch, err, out)
	}
	return nil
}

// pluginVersion reads the version from a manifest. It becomes a part of the
// linker's arguments, so that only plain versions pass.
func pluginVersion(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read manifest: %w", err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return "", fmt.Errorf("parse manifest: %w", err)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(manifest.Version) {
		return "", errors.New("read manifest: it has no version such as 1.2.3")
	}
	return manifest.Version, nil
}
