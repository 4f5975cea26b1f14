// Command release writes the plugin, with the binaries of every platform, as
// the one commit of an orphan branch.
//
//	go run ./internal/tools/release [-branch release] [-repository URL] [-marketplace DIR] [-platform OS/ARCH]
//
// Everything comes from HEAD, so what is not committed is not released, and the
// same HEAD gives the same commit. It works on git's objects through an index
// of its own: the work tree, the index and the branch that is checked out stay
// as they are. Nothing is pushed.
//
// A marketplace that is added from the branch (URL#release) offers the plugin
// in it. With -marketplace it also writes a marketplace whose entry names the
// branch at a URL, by default this repository's file URL: that is the only form
// in which the client takes a branch of a repository on the same machine.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	branch := flags.String("branch", "release", "write the branch `NAME`")
	repository := flags.String("repository", "", "name `URL` in the marketplace (default: this repository's file URL)")
	only := flags.String("platform", "", "build for `OS/ARCH` alone (default: every platform)")
	market := flags.String("marketplace", "", "also write a marketplace below `DIR`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repo, err := open(".")
	if err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	made, err := repo.release(*branch, chosen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "branch %s is %s: omc-hook %s\n", *branch, made.commit, made.version)
	for _, b := range made.binaries {
		fmt.Fprintf(stdout, "  %-32s %5.2f MB\n", b.path, float64(b.size)/1e6)
	}
	if *market == "" {
		return nil
	}
	if *repository == "" {
		*repository = fileURL(repo.root)
	}
	if err := writeMarketplace(*market, *repository, *branch); err != nil {
		return err
	}
	folder, err := filepath.Abs(*market) // the client takes a/b for an address on the net
	if err != nil {
		return fmt.Errorf("find marketplace: %w", err)
	}
	fmt.Fprintf(stdout, "to install it: claude plugin install omc-hook --marketplace %q\n", folder)
	return nil
}
