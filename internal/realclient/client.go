//go:build linux

package realclient

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// DefaultVersion is the client's version that the tests run against unless
// CLAUDE_CODE_VERSION names another.
const DefaultVersion = "2.1.332"

// fetchTime bounds the download of a package, which is up to 100 MB.
const fetchTime = 10 * time.Minute

// Version returns the version of the client under test.
func Version() string { return setting("CLAUDE_CODE_VERSION", DefaultVersion) }

// Package is an npm package that is fetched once and kept.
type Package struct {
	Name, Version string
	// Cache is the directory's name below the user's cache; CacheVar is the
	// variable that puts it elsewhere.
	Cache, CacheVar string
}

// client is the package of the client itself.
func client() Package {
	return Package{
		Name: "@anthropic-ai/claude-code-linux-x64", Version: Version(),
		Cache: "claude-code", CacheVar: "CLAUDE_CODE_CACHE",
	}
}

// OMC is oh-my-claudecode, whose hooks run beside the plugin's for many people.
func OMC() Package {
	return Package{
		Name: "oh-my-claude-sisyphus", Version: setting("OMC_VERSION", "5.5.0"),
		Cache: "omc", CacheVar: "OMC_CACHE",
	}
}

func setting(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// Fetched returns the directory of a package that was given to [Main], or
// skips (fails, where the client is required) the test.
func (w *World) Fetched(p Package) string {
	w.t.Helper()
	dir, err := p.dir()
	if err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		unavailable(w.t, fmt.Sprintf("%s is not fetched: %v", p.Name, err))
	}
	return dir
}

// locateClient fetches the client where needed and returns its binary.
func locateClient() (string, error) {
	if runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("no client is known for %s", runtime.GOARCH)
	}
	p := client()
	if err := p.fetch(); err != nil {
		return "", err
	}
	dir, err := p.dir()
	return filepath.Join(dir, "claude"), err
}

// dir is where the unpacked package lies.
func (p Package) dir() (string, error) {
	if p.Version != filepath.Base(p.Version) || strings.HasPrefix(p.Version, ".") {
		return "", fmt.Errorf("version %q is not a version", p.Version)
	}
	cache := os.Getenv(p.CacheVar)
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, p.Cache)
	}
	return filepath.Abs(filepath.Join(cache, p.Version, "package"))
}

// fetch unpacks the package beside its place and moves it there, so that
// another test process sees the whole of it or nothing.
func (p Package) fetch() error {
	target, err := p.dir()
	if err != nil {
		return err
	}
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(target), "fetch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := p.unpack(scratch); err != nil {
		return fmt.Errorf("fetching %s: %w", p.Name, err)
	}
	if err := os.Rename(filepath.Join(scratch, "package"), target); err != nil {
		if _, statErr := os.Stat(target); statErr == nil {
			return nil // another process was first
		}
		return err
	}
	return nil
}

func (p Package) unpack(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", p.Name+"@"+p.Version)
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w: %s", err, out)
	}
	tarballs, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		return fmt.Errorf("npm pack left %d archives", len(tarballs))
	}
	tar := exec.CommandContext(ctx, "tar", "xzf", tarballs[0])
	tar.Dir = dir
	if out, err := tar.CombinedOutput(); err != nil {
		return fmt.Errorf("tar: %w: %s", err, out)
	}
	return nil
}
