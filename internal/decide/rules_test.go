package decide

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/RULES.md")

func TestEachRuleDecidesItsCaseAndNotTheNearOne(t *testing.T) {
	var got, want []string
	for _, r := range Rules() {
		want = append(want, r.ID)
	}
	for _, c := range ruleCases() {
		got = append(got, c.id)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("rules and cases (-rules +cases):\n%s", diff)
	}
	for _, c := range ruleCases() {
		t.Run(c.id, func(t *testing.T) {
			w := going()
			c.match(w)
			if v := w.stop(); v.Rule != c.id {
				t.Errorf("got rule %s (%s)", v.Rule, v.Detail)
			}
			w = going()
			c.near(w)
			if v := w.stop(); v.Rule == c.id {
				t.Errorf("the near case: got rule %s (%s)", v.Rule, v.Detail)
			}
		})
	}
}

func TestOfTwoNeighboursTheFirstDecides(t *testing.T) {
	cases := ruleCases()
	for i := range cases[1:] {
		first, second := cases[i], cases[i+1]
		t.Run(first.id+" before "+second.id, func(t *testing.T) {
			w := going()
			second.match(w)
			first.match(w)
			s := prepare(w.input())
			_, firstMatches := rules[i].match(s)
			_, secondMatches := rules[i+1].match(s)
			if both := firstMatches && secondMatches; both != (first.apart == "") {
				t.Errorf("the first matches: %v, the second: %v; apart: %q", firstMatches, secondMatches, first.apart)
			}
			if v := w.stop(); v.Rule != first.id {
				t.Errorf("got rule %s (%s), want %s", v.Rule, v.Detail, first.id)
			}
		})
	}
}

func TestRuleNamesAreUniqueAndSaidInWords(t *testing.T) {
	seen := map[string]bool{NotDurable: true}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("the id %s occurs twice", r.ID)
		}
		seen[r.ID] = true
		if r.ID == "" || strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz-") != "" || r.When == "" || r.Then == "" {
			t.Errorf("rule %q: when %q, then %q", r.ID, r.When, r.Then)
		}
	}
}

// docs/RULES.md is this list; go test ./internal/decide -update writes it.
func TestTheDocumentOfTheRulesIsCurrent(t *testing.T) {
	const path = "../../docs/RULES.md"
	var out strings.Builder
	out.WriteString("# The rules of a Stop\n\n" +
		"omc-hook asks these rules in this order; the first that matches decides. `omc-hook why` names the rule of the last Stop.\n" +
		"This file is written by `go test ./internal/decide -update`.\n\n" +
		"| # | rule | when | then |\n|--:|---|---|---|\n")
	for i, r := range Rules() {
		fmt.Fprintf(&out, "| %d | `%s` | %s | %s |\n", i+1, r.ID, r.When, r.Then)
	}
	fmt.Fprintf(&out, "\nThe trace also knows `%s`: a rule went on, and its count could not be put on disk. "+
		"What is not bounded durably is not continued: the turn ends, with a note.\n", NotDurable)
	want := out.String()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
		t.Errorf("docs/RULES.md is stale; go test ./internal/decide -update writes it (-want +got):\n%s", diff)
	}
}
