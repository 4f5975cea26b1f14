package state

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"omc-hook/internal/modestate"
)

// The test binary runs itself as another process: childRole says what it is to
// do there, and childDir in which repository.
const (
	childRole = "OMC_HOOK_TEST_ROLE"
	childDir  = "OMC_HOOK_TEST_DIR"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childRole) {
	case "count":
		exit(childCounts())
	case "write":
		exit(childWrites())
	case "folder":
		exit(childFolder())
	}
	os.Exit(m.Run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(role, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

func childLocation() (Store, Location, error) {
	s := Store{Place: Place{ProjectDir: os.Getenv(childDir)}}
	loc, err := s.Locate(session)
	return s, loc, err
}

// countOne adds one to the number in the goal file.
func countOne(s Store, loc Location) error {
	return s.Update(loc, later(), goalNames, func(snap modestate.Snapshot) (Edit, error) {
		n := 0
		if file, ok := snap[goalFile]; ok {
			var err error
			if n, err = strconv.Atoi(string(file.Data)); err != nil {
				return Edit{}, fmt.Errorf("%w, fault %q", err, file.Fault)
			}
		}
		return Edit{Name: goalFile, Data: []byte(strconv.Itoa(n + 1))}, nil
	})
}

func childCounts() error {
	s, loc, err := childLocation()
	for range 50 {
		if err == nil {
			err = countOne(s, loc)
		}
	}
	return err
}

func TestUpdatesOfManyGoroutinesAreAllCounted(t *testing.T) {
	t.Parallel()
	s, loc := newSession(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 10 {
				if err := countOne(s, loc); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := content(t, filepath.Join(loc.Dir, goalFile)); got != "160" {
		t.Errorf("counted %s, want 160", got)
	}
}

func TestUpdatesOfManyProcessesAreAllCounted(t *testing.T) {
	t.Parallel()
	_, loc := newSession(t)
	var children []*exec.Cmd
	for range 8 {
		cmd := child("count", loc.Root)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if got := content(t, filepath.Join(loc.Dir, goalFile)); got != "400" {
		t.Errorf("counted %s, want 400", got)
	}
}

// wholeState is a content that shows a tear: a length and that many bytes.
func wholeState(n int) []byte {
	length := 1 + n*7919%40000
	return []byte(fmt.Sprintf("%d:%s", length, strings.Repeat(strconv.Itoa(n%10), length)))
}

func isWhole(data []byte) bool {
	head, body, ok := bytes.Cut(data, []byte(":"))
	length, err := strconv.Atoi(string(head))
	return ok && err == nil && len(body) == length && len(bytes.Trim(body, string(body[:1]))) == 0
}

// childWrites replaces the goal file for ever and says so after each time.
func childWrites() error {
	s, loc, err := childLocation()
	for n := 0; err == nil; n++ {
		err = s.Update(loc, later(), goalNames, func(snap modestate.Snapshot) (Edit, error) {
			if file, ok := snap[goalFile]; ok && !isWhole(file.Data) {
				return Edit{}, errors.New("the child read a torn file")
			}
			return Edit{Name: goalFile, Data: wholeState(n)}, nil
		})
		fmt.Println(n)
	}
	return err
}

// killAfter runs a child, reads a number of its lines, and kills it wherever it
// stands then.
func killAfter(t *testing.T, cmd *exec.Cmd, lines int) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	for range lines {
		if _, err := in.ReadString('\n'); err != nil {
			t.Error(err)
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
}

func TestAWriterThatIsKilledNeverLeavesATornFile(t *testing.T) {
	t.Parallel()
	s, loc := newSession(t)
	kills := 200
	if testing.Short() {
		kills = 40
	}
	for i := range kills {
		killAfter(t, child("write", loc.Root), 1+i%4)
		if file := s.Read(loc, goalNames)[goalFile]; file.Fault != "" || !isWhole(file.Data) {
			t.Fatalf("after kill %d: fault %q, %d bytes that are torn", i, file.Fault, len(file.Data))
		}
	}
	// The lock went with its holder, and what is left is swept.
	set(t, s, loc, Edit{Name: goalFile, Data: []byte("done")})
	s.Now = func() time.Time { return time.Now().Add(time.Hour) }
	if err := s.Sweep(loc); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tree(t, loc.Dir), " "); got != goalFile+"=done" {
		t.Errorf("session directory holds %q", got)
	}
}
