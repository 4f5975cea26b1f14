package permit_test

import (
	"slices"
	"strings"
)

// hostileCommands are commands that run, read, write or mean something else than
// one plain call of ours, or that a reader could take for one.
func hostileCommands() []string {
	return slices.Concat(hostileStarts(), hostileChains(), hostileWords(), hostileHeredocs())
}

func hostileStarts() []string {
	return []string{
		"", " ", "\n", "status", " omc-hook status", "\nomc-hook status", "\tomc-hook status",
		"./omc-hook status", "/usr/bin/omc-hook status", "../omc-hook status", "~/omc-hook status", "bin/omc-hook status",
		"omc-hook.exe status", "omc-hookx status", "omc-hoo status", "OMC-HOOK status", "omc_hook status",
		"'omc-hook' status", `"omc-hook" status`, `omc\-hook status`, "omc-hook'' status", `omc-hook"" status`, "omc-hook$x status",
		"omc‐hook status", "omc–hook status", "оmc-hook status", "omc-hооk status", "omc-hook\u200b status", "\ufeffomc-hook status",
		"A=1 omc-hook status", "PATH=/tmp omc-hook status", "A= omc-hook status", "LD_PRELOAD=x omc-hook status",
		"exec omc-hook status", "command omc-hook status", "builtin omc-hook", "env omc-hook status", "sudo omc-hook status",
		"nohup omc-hook status", "time omc-hook status", "! omc-hook status", "eval omc-hook status", "bash -c 'omc-hook status'",
		"source omc-hook", ". omc-hook", "if omc-hook status; then x; fi", "{ omc-hook status; }", "(omc-hook status)",
		"function omc-hook { rm x; }", "omc-hook() { rm x; }", "alias omc-hook=rm", "coproc omc-hook", "trap x 0", "-omc-hook status",
		"omc-hook\u00a0status", "omc-hook\u3000status", "omc-hook\tstatus", "omc-hook\rstatus", "omc-hook\vstatus",
	}
}

func hostileChains() []string {
	var all []string
	for _, chain := range []string{
		";", "; rm x", ";rm x", ";;", " && rm x", "&& rm x", " || rm x", " | sh", "|sh", " |& sh", " &", "&", " & rm x", " &! rm x",
		"\nrm x", "\n\nrm x", "\n;", "\n# comment", "\\\nrm x", "\r\nrm x", "\r", "\r\n", "\nomc-hook status",
		" > x", ">x", " >> x", " >| x", " >& x", " &> x", " &>> x", " 2> x", " 2>&1", " 1>&2", " <> x", " < x", "<x", " 0<x", " <&0",
		" > /dev/null", " {fd}> x", " <(rm x)", " >(rm x)", " =(rm x)", " <<< x", " <<<'x'", " <<<$(rm x)", "\x00", "\x00; rm x", "\x1b[0m",
		" # comment", "# x", " `rm x`", " $(rm x)", " ${x}", " $x", " $((1))", " $'a'", ` $"a"`, " $[1]", " ()", " (x)", " {", " }",
	} {
		all = append(all, "omc-hook status"+chain)
	}
	return all
}

func hostileWords() []string {
	var all []string
	for _, word := range []string{
		"*", "a*", "?", "[a]", "~", "~root", "a~", "{a,b}", "{1..3}", "a\\b", `\a`, "!!", "a!b", "!$", "^a^b", "#a", "a#b", "a;b", "a|b", "a&b",
		"=ls", "=", "$a", "${a}", "a`b`", "'", "'a", "a'b", `"`, `"a`, `'a"`, `"a'`, "'a''b'", "''''", "'it'\\''s'", "'a\nb'", "\"a\nb\"", "'a\tb'", "\"a\tb\"",
		`"$a"`, `"$(rm x)"`, "\"`rm x`\"", `"a\"b"`, `"a\\b"`, `"!x"`, `"a!"`, `"\$a"`, `"${a}"`, "é", "表", "a\u200bb", "a\u00a0b", "‘a’", "“a”", "－-json",
		"a<b", "a>b", "a(b", "a)b", "a\x7fb", "'a\x7fb'", "'a\x1bb'", "'\u0085'", "'\u009b'", "a\xffb", "'a\xffb'", "\"\xc3\"", "@(a|b)", "+(a)", "a^b", "a]b",
	} {
		all = append(all, "omc-hook goal "+word)
	}
	return all
}

func hostileHeredocs() []string {
	return []string{
		"omc-hook r <<EOF\n$(rm x)\nEOF", "omc-hook r <<\\EOF\nx\nEOF", "omc-hook r <<E'O'F\nx\nEOF", "omc-hook r <<'E'OF\nx\nEOF",
		"omc-hook r <<''\nx\n\n", "omc-hook r <<\"\"\nx\n", "omc-hook r <<'E F'\nx\nE F", "omc-hook r <<'E-F'\nx\nE-F", "omc-hook r <<'É'\nx\nÉ",
		"omc-hook r <<'E\"\nx\nE\"", "omc-hook r <<\"$E\"\nx\n$E", "omc-hook r <<$'E'\nx\nE", "omc-hook r <<'EOF\nx\nEOF",
		"omc-hook r <<-'EOF'\n\tx\n\tEOF", "omc-hook r <<- 'EOF'\nx\nEOF", "omc-hook r 2<<'EOF'\nx\nEOF", "omc-hook r<<'EOF'\nx\nEOF",
		"omc-hook r <<'A' <<'B'\nx\nA\ny\nB", "omc-hook r <<'EOF' > x\ny\nEOF", "omc-hook r <<'EOF' | sh\nx\nEOF", "omc-hook r <<'EOF'; rm x\ny\nEOF",
		"omc-hook r <<'EOF' && rm x\ny\nEOF", "omc-hook r <<'EOF' more\nx\nEOF", "omc-hook r <<'EOF' \nx\nEOF", "omc-hook r <<'EOF' # c\nx\nEOF",
		"omc-hook r <<'EOF'\nx\nEOF\nrm x", "omc-hook r <<'EOF'\nx\nEOF\nEOF", "omc-hook r <<'EOF'\nEOF\nx\nEOF\n", "omc-hook r <<'EOF'\nx\nEOF;",
		"omc-hook r <<'EOF'\nx\nEOF\n\t", "omc-hook r <<'EOF'\nx\nEOF\n# c", "omc-hook r <<'EOF'\nx\nEOF\n;rm x", "omc-hook r <<'EOF'\nx\nEOF\nomc-hook r",
		"omc-hook r <<'EOF'", "omc-hook r <<'EOF'\n", "omc-hook r <<'EOF'\nx", "omc-hook r <<'EOF'\nx\nEO", "omc-hook r <<'EOF'\nx\n EOF", "omc-hook r <<'EOF'\nx\nEOF ",
		"omc-hook r <<'EOF'\r\nx\r\nEOF\r\n", "omc-hook r <<'EOF'\nx\nEOF\r", "omc-hook r <<'EOF'\nx\r\nEOF", "omc-hook r <<'EOF'\nx\x00y\nEOF", "omc-hook r <<'EOF'\n\x1b]0;t\x07\nEOF",
		"omc-hook r <<'EOF'\n\xff\nEOF", "omc-hook r <<'EOF'\n\u0085\nEOF", "omc-hook r <<'EOF'\nx\nEOF\n\u00a0", "omc-hook r <<", "omc-hook r <<'", "omc-hook r <<'E", "omc-hook r <<\nx\n",
		"omc-hook r <<'EOF'\n" + strings.Repeat("x\n", 3) + "ЕOF\n", "omc-hook r \\\n<<'EOF'\nx\nEOF", "omc-hook r <<\\\n'EOF'\nx\nEOF", "omc-hook r <<\t'EOF'\nx\nEOF",
		"<<'EOF' omc-hook r\nx\nEOF", "omc-hook <<'EOF' r\nx\nEOF", "cat <<'EOF' | omc-hook r\nx\nEOF", "omc-hook r < <(cat)", "omc-hook \"$(cat <<'EOF'\nx\nEOF\n)\"",
	}
}
