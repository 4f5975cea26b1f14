package pluginfiles

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type person struct {
	Name string `json:"name"`
}

type manifest struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Author      person   `json:"author"`
	License     string   `json:"license"`
	Keywords    []string `json:"keywords"`
	Network     struct {
		Hosts []string `json:"hosts"`
	} `json:"network"`
}

type marketplace struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Owner       person  `json:"owner"`
	Plugins     []entry `json:"plugins"`
}

type entry struct {
	Name        string   `json:"name"`
	Source      string   `json:"source"`
	Description string   `json:"description"`
	Category    string   `json:"category"`
	Keywords    []string `json:"keywords"`
}

// The client reads the manifest in .claude-plugin only; people and other tools
// look for it at the top.
func TestBothManifestsHaveTheSameBytes(t *testing.T) {
	top, inner := read(t, "plugin.json"), read(t, ".claude-plugin/plugin.json")
	if diff := cmp.Diff(string(top), string(inner)); diff != "" {
		t.Errorf("plugin.json and .claude-plugin/plugin.json differ (-top +inner):\n%s", diff)
	}
}

func TestManifestNamesItselfAndReachesNoHost(t *testing.T) {
	var got manifest
	decode(t, "plugin.json", &got)
	if got.Name != "omc-hook" || got.License != "MIT" || got.Author.Name == "" || got.Description == "" {
		t.Errorf("manifest: got %+v, want a name, a licence, an author and a description", got)
	}
	if version := regexp.MustCompile(`^\d+\.\d+\.\d+$`); !version.MatchString(got.Version) {
		t.Errorf("version: got %q, want three numbers", got.Version)
	}
	if got.Network.Hosts == nil || len(got.Network.Hosts) != 0 {
		t.Errorf("network hosts: got %v, want an empty list", got.Network.Hosts)
	}
}

// The plugin is the folder that holds the marketplace, so that a marketplace
// added from the branch release installs that branch, and one added from a
// checkout installs what was built there. A version here would hide the
// manifest's.
func TestMarketplaceOffersThePluginOfItsOwnFolder(t *testing.T) {
	var plugin manifest
	decode(t, "plugin.json", &plugin)
	var got marketplace
	decode(t, ".claude-plugin/marketplace.json", &got)
	want := []entry{{
		Name: plugin.Name, Source: "./", Description: plugin.Description,
		Category: "workflow", Keywords: plugin.Keywords,
	}}
	if diff := cmp.Diff(want, got.Plugins); diff != "" {
		t.Errorf("plugins (-want +got):\n%s", diff)
	}
	if got.Name != plugin.Name || got.Owner != plugin.Author {
		t.Errorf("marketplace: got %q of %q, want %q of %q", got.Name, got.Owner.Name, plugin.Name, plugin.Author.Name)
	}
}
