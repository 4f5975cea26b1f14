package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// fileURL is the URL of a folder on this machine.
func fileURL(dir string) string {
	path := filepath.ToSlash(dir)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// writeMarketplace writes a marketplace whose one plugin comes from a branch of
// the repository at a URL.
func writeMarketplace(dir, repository, branch string) error {
	market := map[string]any{
		"name":        "omc-hook",
		"description": "omc-hook from the branch " + branch + ".",
		"owner":       map[string]any{"name": "omc-hook authors"},
		"plugins": []any{map[string]any{
			"name":   "omc-hook",
			"source": map[string]any{"source": "url", "url": repository, "ref": branch},
		}},
	}
	raw, err := json.MarshalIndent(market, "", "  ")
	if err != nil {
		return fmt.Errorf("encode marketplace: %w", err)
	}
	path := filepath.Join(dir, ".claude-plugin", "marketplace.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make marketplace directory: %w", err)
	}
	if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
		return fmt.Errorf("write marketplace: %w", err)
	}
	return nil
}
