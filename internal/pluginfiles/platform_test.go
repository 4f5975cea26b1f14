//go:build unix

package pluginfiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// machine is what the launcher can look at; an empty text is an absent file.
type machine struct {
	arch, cpuinfo, uname string
	macos                bool
	env                  []string
	bash                 bool // told by bash alone, which knows the machine it was built for
}

const (
	intel = "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu lm\n"
	arm   = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
	arm32 = "processor\t: 0\nmodel name\t: ARMv7 Processor rev 3 (v7l)\nCPU implementer\t: 0x41\n"
	s390  = "vendor_id       : IBM/S390\n# processors    : 2\n"
)

func TestLauncherChoosesThePlatform(t *testing.T) {
	windows := func(more ...string) []string { return append([]string{"OS=Windows_NT"}, more...) }
	tests := []struct {
		name string
		on   machine
		want string // a part of the fault where the platform has no binary
	}{
		{name: "Linux on amd64", on: machine{arch: "x86_64\n", uname: "wrong"}, want: "linux-amd64"},
		{name: "Linux on arm64", on: machine{arch: "aarch64\n", uname: "wrong"}, want: "linux-arm64"},
		{name: "Linux on another machine", on: machine{arch: "riscv64\n", cpuinfo: intel}, want: "no binary for linux-riscv64"},
		{name: "older Linux on amd64", on: machine{cpuinfo: intel, uname: "wrong"}, want: "linux-amd64"},
		{name: "older Linux on arm64", on: machine{cpuinfo: arm, uname: "wrong"}, want: "linux-arm64"},
		{name: "older Linux on 32-bit ARM", on: machine{cpuinfo: arm32, uname: "armv7l"}, want: "no binary for linux-armv7l"},
		{name: "older Linux on s390x", on: machine{cpuinfo: s390, uname: "s390x"}, want: "no binary for linux-s390x"},
		{name: "Linux without /proc", on: machine{uname: "aarch64"}, want: "linux-arm64"},
		{name: "FreeBSD", on: machine{uname: "amd64"}, want: "linux-amd64"},
		{name: "nothing to look at", on: machine{}, want: "no binary for linux-"},
		{name: "macOS without bash on arm64", on: machine{macos: true, uname: "arm64"}, want: "darwin-arm64"},
		{name: "macOS without bash on amd64", on: machine{macos: true, uname: "x86_64"}, want: "darwin-amd64"},
		{name: "macOS with bash on arm64", on: machine{macos: true, uname: "wrong", bash: true, env: []string{"MACHTYPE=arm64-apple-darwin23"}}, want: "darwin-arm64"},
		{name: "macOS with bash on amd64", on: machine{macos: true, uname: "wrong", bash: true, env: []string{"MACHTYPE=x86_64-apple-darwin23"}}, want: "darwin-amd64"},
		{name: "Windows on amd64", on: machine{cpuinfo: arm, env: windows("PROCESSOR_ARCHITECTURE=AMD64")}, want: "windows-amd64"},
		{name: "Windows on arm64", on: machine{cpuinfo: intel, env: windows("PROCESSOR_ARCHITECTURE=ARM64")}, want: "windows-arm64"},
		{name: "32-bit shell on Windows", on: machine{env: windows("PROCESSOR_ARCHITECTURE=x86", "PROCESSOR_ARCHITEW6432=AMD64")}, want: "windows-amd64"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inEachShell(t, func(t *testing.T, shell []string) {
				if tt.on.macos && tt.on.bash != (filepath.Base(shell[0]) == "bash") {
					t.Skip("the other shells are asked in another case")
				}
				root := t.TempDir()
				launcher := install(t, root, "linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64")
				disguise(t, launcher, t.TempDir(), tt.on)
				got := run(t, "/", append(tt.on.env, "PATH=/nonexistent"), "", append(shell, launcher, "status")...)
				if got.Status != 0 {
					if !strings.Contains(got.Stderr, tt.want) {
						t.Errorf("fault: got %q, want %q", got.Stderr, tt.want)
					}
					return
				}
				if folder := parse(t, got).Folder; folder != tt.want {
					t.Errorf("folder: got %s, want %s", folder, tt.want)
				}
			})
		})
	}
}

// disguise rewrites a copy of the launcher so that it looks at the files of a
// made-up machine in dir.
func disguise(t *testing.T, launcher, dir string, on machine) {
	t.Helper()
	raw, err := os.ReadFile(launcher)
	if err != nil {
		t.Fatal(err)
	}
	fake := func(name string) string { return filepath.Join(dir, name) }
	text := strings.NewReplacer(
		"/proc/sys/kernel/arch", fake("arch"),
		"/proc/cpuinfo", fake("cpuinfo"),
		"/usr/bin/uname", fake("uname"),
		"/bin/uname", fake("absent"),
		"/System/Library", fake("System"),
	).Replace(string(raw))
	for name, want := range map[string]int{"arch": 1, "cpuinfo": 2, "uname": 1, "absent": 1, "System": 1} {
		if got := strings.Count(text, fake(name)); got != want {
			t.Fatalf("launcher: looks at %s %d times, want %d", name, got, want)
		}
	}
	for name, content := range map[string]string{"arch": on.arch, "cpuinfo": on.cpuinfo, "uname": script(on.uname)} {
		if content != "" {
			write(t, fake(name), content, 0o755)
		}
	}
	if on.macos {
		if err := os.Mkdir(fake("System"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, launcher, text, 0o755)
}

// script is a program that prints one line, or nothing for none.
func script(line string) string {
	if line == "" {
		return ""
	}
	return "#!/bin/sh\necho " + line + "\n"
}
