package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// events renders a stream from short lines: action, package, test, output.
func events(lines ...[4]string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(`{"Action":"` + l[0] + `","Package":"` + l[1] + `","Test":"` + l[2] + `","Output":"` + l[3] + `"}` + "\n")
	}
	return b.String()
}

func TestSummaryOfARun(t *testing.T) {
	tests := []struct {
		name   string
		in     string
		status int
		want   []string
		absent []string
	}{
		{
			name: "a run without a fault shows packages only",
			in: events([4]string{"start", "a"}, [4]string{"run", "a", "TestA"}, [4]string{"output", "a", "TestA", `=== RUN\n`},
				[4]string{"pass", "a", "TestA"}, [4]string{"skip", "a", "TestB"}, [4]string{"output", "a", "", `PASS\n`},
				[4]string{"output", "a", "", `ok  \ta\t0.1s\n`}, [4]string{"pass", "a"}),
			want: []string{"ok  \ta\t0.1s\n", "1 passed, 0 failed, 1 skipped\n"}, absent: []string{"PASS\n", "=== RUN"},
		},
		{
			name: "a failed test shows what it printed",
			in: events([4]string{"output", "a", "TestA", `why\n`}, [4]string{"fail", "a", "TestA"},
				[4]string{"pass", "a", "TestB"}, [4]string{"fail", "a"}),
			status: 1, want: []string{"why\n", "1 passed, 1 failed, 0 skipped\n"},
		},
		{
			name: "a package that does not build is a failure",
			in: `{"ImportPath":"a","Action":"build-output","Output":"a.go:1: broken\n"}` + "\n" +
				events([4]string{"output", "a", "", `FAIL\ta [build failed]\n`}, [4]string{"fail", "a"}),
			status: 1, want: []string{"a.go:1: broken\n", "FAIL\ta [build failed]\n", "0 passed, 1 failed, 0 skipped\n"},
		},
		{
			name: "a package that breaks outside of its tests shows what hung in the air",
			in: events([4]string{"pass", "a", "TestA"}, [4]string{"output", "a", "TestB", `panic: late\n`},
				[4]string{"fail", "a"}),
			status: 1, want: []string{"panic: late\n", "1 passed, 1 failed, 0 skipped\n"},
		},
		{
			name:   "a package that does not end is a failure",
			in:     events([4]string{"start", "a"}, [4]string{"pass", "a", "TestA"}, [4]string{"output", "a", "TestB", `half\n`}),
			status: 1, want: []string{"half\n", "FAIL\ta [did not end]\n", "1 passed, 1 failed, 0 skipped\n"},
		},
		{
			name: "what is no event is passed on, and nothing is not a success",
			in:   "go: cannot find main module\n", status: 1,
			want: []string{"go: cannot find main module\n", "0 passed, 0 failed, 0 skipped\n"},
		},
		{
			name: "only skipped tests are no success", status: 1,
			in:   events([4]string{"skip", "a", "TestA"}, [4]string{"pass", "a"}),
			want: []string{"0 passed, 0 failed, 1 skipped\n"},
		},
		{
			name: "a last line without an end counts",
			in:   strings.TrimSuffix(events([4]string{"pass", "a", "TestA"}, [4]string{"pass", "a"}), "\n"),
			want: []string{"1 passed, 0 failed, 0 skipped\n"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			if got := run(nil, strings.NewReader(tt.in), &stdout, &stderr); got != tt.status {
				t.Errorf("status: got %d (%s), want %d", got, stderr.String(), tt.status)
			}
			got := stdout.String()
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("output: got %q, want %q in it", got, want)
				}
			}
			for _, absent := range tt.absent {
				if strings.Contains(got, absent) {
					t.Errorf("output: got %q, want no %q in it", got, absent)
				}
			}
			if last := tt.want[len(tt.want)-1]; !strings.HasSuffix(got, last) {
				t.Errorf("last line: got %q, want %q", got, last)
			}
		})
	}
}

func TestTotalAddsUpRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "total")
	in := events([4]string{"pass", "a", "TestA"}, [4]string{"skip", "a", "TestB"}, [4]string{"pass", "a"})
	for _, want := range []string{"1 passed, 0 failed, 1 skipped\n", "2 passed, 0 failed, 2 skipped\n"} {
		var stdout, stderr strings.Builder
		if got := run([]string{"-total", file}, strings.NewReader(in), &stdout, &stderr); got != 0 || stdout.String() != want {
			t.Errorf("run: got status %d and %q (%s), want 0 and %q", got, stdout.String(), stderr.String(), want)
		}
	}
}

func TestUnreadableTotalIsAFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "total")
	if err := os.WriteFile(file, []byte("some text"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := events([4]string{"pass", "a", "TestA"}, [4]string{"pass", "a"})
	var stdout, stderr strings.Builder
	if got := run([]string{"-total", file}, strings.NewReader(in), &stdout, &stderr); got != 1 || !strings.Contains(stderr.String(), file) {
		t.Errorf("run: got status %d and %q, want 1 and the file's name", got, stderr.String())
	}
}

func TestUnknownFlagIsAFailure(t *testing.T) {
	var stdout, stderr strings.Builder
	if got := run([]string{"-nonsense"}, strings.NewReader(""), &stdout, &stderr); got != 1 {
		t.Errorf("status: got %d, want 1", got)
	}
}
