// Command omc-hook is the Stop hook of the plugin and the bookkeeper of its
// loops. Everything it does is in internal/cli.
package main

import (
	"os"
	"runtime"
	"time"

	"omc-hook/internal/cli"
	"omc-hook/internal/disk"
)

// version is set at link time.
var version = "dev"

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Env{
		Version: version, GOOS: runtime.GOOS,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Getwd: os.Getwd, Now: time.Now, Started: time.Now(),
		Disk: disk.Real(), Exit: os.Exit,
	}))
}
