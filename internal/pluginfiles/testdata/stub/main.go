// Command stub stands in for the plugin's binary: it prints how it was started.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// call is what the stub prints, as one JSON document.
type call struct {
	Folder   string   // the platform's, such as linux-amd64
	Args     []string // without "exit" and "stdin"
	Launcher string
	Stdin    string
}

// main ends with the status that an argument exit=N asks for, and reads its
// input where an argument is "stdin".
func main() {
	got := call{Folder: filepath.Base(filepath.Dir(os.Args[0])), Launcher: os.Getenv("OMC_HOOK_LAUNCHER")}
	status := 0
	for _, arg := range os.Args[1:] {
		if text, ok := strings.CutPrefix(arg, "exit="); ok {
			status, _ = strconv.Atoi(text)
			continue
		}
		if arg == "stdin" {
			raw, _ := io.ReadAll(os.Stdin)
			got.Stdin = string(raw)
			continue
		}
		got.Args = append(got.Args, arg)
	}
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}
