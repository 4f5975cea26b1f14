package modestate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"omc-hook/internal/modestate"
)

// Field case 47.
func TestOnlyTheBooleanTrueIsActive(t *testing.T) {
	tests := []struct {
		value        string
		active, read bool
	}{
		{"true", true, true},
		{"false", false, true},
		{"null", false, true},
		{`"true"`, false, false},
		{`"false"`, false, false},
		{"0", false, false},
		{"1", false, false},
		{"{}", false, false},
		{"[true]", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			got, err := modestate.Parse([]byte(replaced(t, foreign, `"active":true`, `"active":`+tt.value)))
			if (err == nil) != tt.read || got.Active != tt.active {
				t.Errorf("got active %v, error %v; want %v, read %v", got.Active, err, tt.active, tt.read)
			}
		})
	}
	if got, err := modestate.Parse([]byte(`{"iteration":3}`)); err != nil || got.Active {
		t.Errorf("without the field: got active %v, error %v", got.Active, err)
	}
}

// Field case 15: the bound.
func TestABoundThatCannotBeReadIsNoBound(t *testing.T) {
	tests := []struct {
		value string
		want  int64
	}{
		{"10", 10},
		{"0", 0},
		{"-1", 0},
		{"null", 0},
		{`"10"`, 0},
		{`"010"`, 0},
		{"1e400", 0},
		{"1e1", 0},
		{"9223372036854775808", 0},
		{"9223372036854775807", 0},
		{"10.9", 0},
		{"{}", 0},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			got, err := modestate.Parse([]byte(replaced(t, foreign, `"max_iterations":10`, `"max_iterations":`+tt.value)))
			if err != nil {
				t.Fatal(err)
			}
			if got.HasMax != (tt.want > 0) || got.HasMax && got.MaxIterations != tt.want {
				t.Errorf("got %d (there: %v), want %d", got.MaxIterations, got.HasMax, tt.want)
			}
		})
	}
}

// Field case 15: the counter.
func TestACounterThatCannotBeReadIsAFault(t *testing.T) {
	for _, value := range []string{"-5", `"7"`, "7.5", "7.0", "7e0", "9223372036854775807", "9223372036854775808", "1000001", "null", "true", "[]", `"010"`} {
		t.Run(value, func(t *testing.T) {
			if got, err := modestate.Parse([]byte(replaced(t, foreign, `"iteration":3`, `"iteration":`+value))); err == nil {
				t.Errorf("got iteration %d, want a fault", got.Iteration)
			}
		})
	}
	if _, err := modestate.Parse([]byte(`{"active":true}`)); err == nil {
		t.Error("without the field: got no fault")
	}
	if got, err := modestate.Parse([]byte(replaced(t, foreign, `"iteration":3`, `"iteration":1000000`))); err != nil || got.Iteration != 1_000_000 {
		t.Errorf("the largest counter: got %d, error %v", got.Iteration, err)
	}
}

// Field case 22: times.
func TestTimesAreRFC3339WithAZoneOrNone(t *testing.T) {
	tests := []struct {
		name, value string
		want        time.Time
	}{
		{"UTC", `"2026-03-01T12:00:00Z"`, noon()},
		{"an offset", `"2026-03-01T21:00:00+09:00"`, noon()},
		{"nanoseconds", `"2026-03-01T12:00:00.123456789Z"`, noon().Add(123456789)},
		{"a year ahead", `"2027-04-05T12:00:00Z"`, time.Date(2027, 4, 5, 12, 0, 0, 0, time.UTC)},
		{"no zone", `"2026-03-01T12:00:00"`, time.Time{}},
		{"a leap second", `"2016-12-31T23:59:60Z"`, time.Time{}},
		{"a word", `"yesterday"`, time.Time{}},
		{"an empty string", `""`, time.Time{}},
		{"zero", `0`, time.Time{}},
		{"seconds", `1772366400`, time.Time{}},
		{"milliseconds", `1772366400000`, time.Time{}},
		{"null", `null`, time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := modestate.Parse([]byte(replaced(t, foreign, `"2026-03-01T11:59:00Z"`, tt.value)))
			if err != nil {
				t.Fatal(err)
			}
			if !got.UpdatedAt.Equal(tt.want) {
				t.Errorf("got %v, want %v", got.UpdatedAt, tt.want)
			}
		})
	}
}

// The absence of a bound must not continue what the bound would have refused.
func TestAStateOfThisBuildLacksNoField(t *testing.T) {
	nullable := map[string]bool{}
	empty, err := modestate.Parse(modestate.New(modestate.State{}))
	if err != nil {
		t.Fatal(err)
	}
	gjson.ParseBytes(empty.Raw).ForEach(func(key, value gjson.Result) bool {
		nullable[key.String()] = value.Type == gjson.Null
		return true
	})
	whole := string(modestate.New(full()))
	for _, line := range strings.Split(whole, "\n") {
		name, _, found := strings.Cut(strings.Trim(line, ` "`), `"`)
		if !found || name == "schema" || name == "last_checked_at" {
			continue
		}
		without := strings.Replace(strings.Replace(whole, line+"\n", "", 1), ",\n}", "\n}", 1)
		if _, err := modestate.Parse([]byte(without)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: got error %v", name, err)
		}
		comma := strings.Repeat(",", strings.Count(line[len(line)-1:], ","))
		null := strings.Replace(whole, line, fmt.Sprintf("%q: null%s", name, comma), 1)
		_, err := modestate.Parse([]byte(null))
		if mayBe := nullable[name] || name == "max_iterations"; (err == nil) != mayBe {
			t.Errorf("%s null: got error %v, want allowed %v", name, err, mayBe)
		}
	}
}

func TestEveryFieldOfTheWrongTypeIsAFault(t *testing.T) {
	lenient := map[string]bool{
		"max_iterations": true, "started_at": true, "updated_at": true, "last_checked_at": true, "background_since": true,
	}
	whole := string(modestate.New(full()))
	for _, line := range strings.Split(whole, "\n") {
		name, _, found := strings.Cut(strings.Trim(line, ` "`), `"`)
		if !found {
			continue
		}
		comma := strings.Repeat(",", strings.Count(line[len(line)-1:], ","))
		odd := strings.Replace(whole, line, fmt.Sprintf("%q: 1.5%s", name, comma), 1)
		if _, err := modestate.Parse([]byte(odd)); (err == nil) != lenient[name] {
			t.Errorf("%s is 1.5: got error %v", name, err)
		}
	}
}

func TestTheNestedFieldsAreChecked(t *testing.T) {
	whole := string(modestate.New(full()))
	tests := []struct{ name, old, next string }{
		{"a pause without a cause", `"cause":"rate-limit"`, `"cause":""`},
		{"a pause whose cause is no text", `"cause":"rate-limit"`, `"cause":7`},
		{"a high-water mark that is no number", `{"lease":3,"iteration":2}`, `{"lease":3,"iteration":"2"}`},
		{"a high-water mark without a lease", `{"lease":3,"iteration":2}`, `{"iteration":2}`},
		{"a count of answers that is negative", `"count":2`, `"count":-2`},
		{"an event seen without a count", `"times":1`, `"time":1`},
		{"a count of records that is no number", `"records":4`, `"records":null`},
		{"a deadline that cannot be read", `"deadline": "`, `"deadline": "x`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := modestate.Parse([]byte(replaced(t, whole, tt.old, tt.next))); err == nil {
				t.Error("got no fault")
			}
		})
	}
}

func TestAPauseWhoseEndCannotBeReadWaitsForThePerson(t *testing.T) {
	state := `{"iteration":0,"paused":{"cause":"rate-limit","until":"soon"}}`
	got, err := modestate.Parse([]byte(state))
	if diff := cmp.Diff(modestate.Pause{Cause: "rate-limit"}, got.Paused); diff != "" || err != nil {
		t.Errorf("error %v, pause (-want +got):\n%s", err, diff)
	}
}
