package permit_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"omc-hook/internal/permit"
)

// commands draws a command that Parse accepts.
func commands() *rapid.Generator[string] {
	word := rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.OneOf(
			rapid.StringMatching(`[A-Za-z0-9_./:,@%+-][A-Za-z0-9_./:=,@%+-]{0,8}`),
			rapid.StringMatching(`'[ -&(-~é表]{0,8}'[a-z]`),
			rapid.StringMatching(`"[ #%-\[\]-_a-~é表]{0,8}"`),
		), 1, 3)
		return strings.Join(pieces.Draw(t, "pieces"), "")
	})
	return rapid.Custom(func(t *rapid.T) string {
		words := append([]string{permit.Program}, rapid.SliceOfN(word, 0, 5).Draw(t, "words")...)
		command := strings.Join(words, " ")
		if rapid.Bool().Draw(t, "heredoc") {
			delimiter := rapid.StringMatching(`[A-Z_]{3,5}9`).Draw(t, "delimiter")
			body := rapid.StringMatching("([ -~\té表]{0,20}\n){0,4}").Draw(t, "body")
			command += " <<'" + delimiter + "'\n" + body + delimiter
		}
		return command + rapid.SampledFrom([]string{"", "\n", "\n \n"}).Draw(t, "end")
	})
}

// mutated draws a command with up to three hostile edits in it.
func mutated(t *rapid.T) string {
	command := commands().Draw(t, "command")
	token := rapid.SampledFrom([]string{
		"'", `"`, "`", "$", "$(touch pwn)", "${x}", ";", "&", "|", "\n", "\r", "\t", " ", "\\", "!", "#", "*", "?", "~", "=", "(", ")", "{", "}",
		"<", ">", "<<", "<<<", "<<-", "<<'EOF'", ">pwn", "\nEOF\n", "EOF", "''", `""`, "\x00", "\x1b", "é", "\u2028", "\xff", "touch pwn", "\n touch pwn\n", "2", "omc-hook",
	})
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(command)).Draw(t, "at")
		end := at
		switch rapid.IntRange(0, 3).Draw(t, "edit") {
		case 0: // delete
			end = min(len(command), at+rapid.IntRange(1, 4).Draw(t, "deleted"))
			command = command[:at] + command[end:]
			continue
		case 1: // replace
			end = min(len(command), at+1)
		case 2: // repeat what stands there
			to := min(len(command), at+rapid.IntRange(1, 30).Draw(t, "repeated"))
			command = command[:to] + command[at:]
			continue
		}
		command = command[:at] + token.Draw(t, "token") + command[end:]
	}
	return command
}

func TestShellsAgreeWithWhatIsAccepted(t *testing.T) {
	oracle := newShellOracle(t)
	rapid.Check(t, func(t *rapid.T) {
		command := commands().Draw(t, "command")
		call, err := permit.Parse(command)
		if err != nil {
			t.Fatalf("Parse(%q): %v", command, err)
		}
		oracle.agrees(t, command, call)
	})
}

func TestShellsAgreeWithWhatIsAcceptedOfMutations(t *testing.T) {
	oracle := newShellOracle(t)
	rapid.Check(t, func(t *rapid.T) {
		for range 6 {
			command := mutated(t)
			call, err := permit.Parse(command)
			if err != nil {
				continue
			}
			oracle.agrees(t, command, call)
		}
	})
}
