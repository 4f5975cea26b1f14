package disk_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"omc-hook/internal/disk"
)

func TestADigestIsThatOfTheContent(t *testing.T) {
	tests := []struct {
		name  string
		data  string
		limit int64
		want  error
	}{
		{"an empty file", "", 10, nil},
		{"text with carriage returns", "a\r\nb\r\n", 10, nil},
		{"bytes of no text", "\x00\xff\xfe", 10, nil},
		{"as large as the limit", "0123456789", 10, nil},
		{"larger than the limit", "0123456789x", 10, disk.ErrTooLarge},
		{"50 MB", strings.Repeat("0123456789abcdef", 50<<16), 1 << 30, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, []byte(tt.data), 0o640); err != nil {
				t.Fatal(err)
			}
			got, err := disk.Real().Digest(path, tt.limit)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got error %v, want %v", err, tt.want)
			}
			sum := sha256.Sum256([]byte(tt.data))
			if err == nil && (got.SHA256 != hex.EncodeToString(sum[:]) || got.Size != int64(len(tt.data))) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAnotherFileOfTheSameContentHasAnotherIdentity(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows tells no identity without another open")
	}
	d, path := disk.Real(), filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("same"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := d.Digest(path, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Replace(path, []byte("same"), false); err != nil {
		t.Fatal(err)
	}
	after, err := d.Digest(path, 10)
	if err != nil || before.SHA256 != after.SHA256 || before.Identity == after.Identity {
		t.Errorf("before %+v, after %+v, %v", before, after, err)
	}
}

func TestWhatPeopleWorkOnKeepsItsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has one bit of them")
	}
	d, dir := disk.Real(), t.TempDir()
	path := filepath.Join(dir, "run.sh")
	if err := d.CreatePublic(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := d.CreatePublic(path, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second file of the name: %v", err)
	}
	reference := filepath.Join(dir, "reference")
	if err := os.WriteFile(reference, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want, _ := os.Stat(reference)
	if got, _ := os.Stat(path); got.Mode() != want.Mode() {
		t.Errorf("a new file has mode %v, want the %v of the umask", got.Mode(), want.Mode())
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := d.ReplaceAs(path, []byte("two"), 0o755, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.Stat(path); got.Mode().Perm() != 0o755 {
		t.Errorf("the replaced file has mode %v", got.Mode())
	}
	stop := errors.New("stop")
	if err := d.ReplaceAs(path, []byte("three"), 0o755, func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "two" {
		t.Errorf("the file holds %q", data)
	}
}
