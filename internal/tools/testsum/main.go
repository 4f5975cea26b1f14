// Command testsum reads what go test -json prints and writes the go runner's
// own summary: a line for each package, the output of each failed test, and a
// last line "N passed, N failed, N skipped".
//
//	go test -json ./... | go run ./internal/tools/testsum [-total FILE]
//
// It ends with 1 when a test or a package failed, when a package did not end,
// and when no test ran, so that a pipeline needs no status of go test. With
// -total, FILE keeps the counts of earlier runs, and the last line adds them up.
// It runs no test itself.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("testsum", flag.ContinueOnError)
	flags.SetOutput(stderr)
	total := flags.String("total", "", "add the counts to those in `FILE`")
	if err := flags.Parse(args); err != nil {
		return 1
	}
	out := bufio.NewWriter(stdout)
	sum := summary{out: out, packages: map[string]*pkg{}}
	err := sum.read(stdin)
	if err == nil {
		err = sum.finish()
	}
	counts := sum.counts
	if *total != "" {
		added, addErr := add(*total, counts)
		if addErr != nil {
			err = addErr
		}
		counts = added
	}
	fmt.Fprintln(out, counts)
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	if err != nil {
		fmt.Fprintf(stderr, "testsum: %v\n", err)
		return 1
	}
	if sum.counts.failed > 0 {
		return 1
	}
	return 0
}
