package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"omc-hook/internal/loop/goal"
	"omc-hook/internal/plain"
	"omc-hook/internal/state"
)

// maxPut bounds the content that goal put writes.
const maxPut = 64 << 20

// goalPut gives one path new content if it still holds what the model saw, and
// puts it on record.
func goalPut(c *call) error {
	expect, err := c.expected()
	if err != nil {
		return err
	}
	data, err := c.readStdin(maxPut)
	if err != nil {
		return err
	}
	return c.keepOwned(func(o *owning) (goal.Own, error) {
		path, err := o.rel(c.args[0])
		if err != nil {
			return goal.Own{}, err
		}
		// Whose the path is has to be known before anything is written.
		if _, _, err := goal.Step(o.files.run, goal.Own{Paths: []goal.OwnedPath{{Path: path}}}, o.now); err != nil {
			return goal.Own{}, err
		}
		p, err := o.put(path, data, expect)
		return goal.Own{How: "goal put", Paths: []goal.OwnedPath{p}}, err
	})
}

// expected is the content that --expect names.
func (c *call) expected() (string, error) {
	hint := "omc-hook goal put PATH --expect=DIGEST --stdin; omc-hook goal own PATH prints the digest"
	expect := c.flags["expect"]
	if len(c.args) != 1 || expect == "" {
		return "", hinted{errors.New("name one path and what it is expected to hold"), hint}
	}
	if expect == goal.Absent {
		return expect, nil
	}
	expect = strings.ToLower(strings.TrimPrefix(expect, "sha256:"))
	if sum, err := hex.DecodeString(expect); err != nil || len(sum) != sha256.Size {
		return "", hinted{fmt.Errorf("--expect is a SHA-256 digest in 64 hexadecimal digits or %s", goal.Absent), hint}
	}
	return expect, nil
}

// put writes, unless the content stands there already: the command was killed
// before it could say so, and is given again.
func (o *owning) put(path string, data []byte, expect string) (goal.OwnedPath, error) {
	now, err := lookOwned(o.tree, path, o.now)
	if err != nil {
		return now, err
	}
	sum := sha256.Sum256(data)
	if now.SHA256 == hex.EncodeToString(sum[:]) {
		return now, nil
	}
	want := expect
	if want == goal.Absent {
		want = ""
	}
	if _, err = o.tree.Put(path, data, want); errors.Is(err, state.ErrExpected) {
		if again, lookErr := lookOwned(o.tree, path, o.now); lookErr == nil {
			now = again
		}
		return now, hinted{
			fmt.Errorf("%s holds %s where %s was expected; nothing was written", plain.Line(path, 200), now.SHA256, expect),
			"look at what changed there and who did it, before you write",
		}
	}
	if err != nil {
		return now, err
	}
	return lookOwned(o.tree, path, o.now)
}
