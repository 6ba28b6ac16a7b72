package tap

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A package is pinned when its version is exact; a tag or a range is none.
var (
	npmPinned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(@[^@/]+/)?[^@/]+@v?\d+\.\d+\.\d+([-+][\w.+-]+)?$`) })
	pyPinned  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w.-]+(\[[\w,.-]+\])?(==|@)\d[\w.!+*-]*$`) })
	inShell   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(npx|bunx|uvx)\b([^;&|\n]*)`) })
)

// takesValue are the options of the runners whose value is not the package.
var takesValue = []string{"--with", "--from", "--package", "-p", "--python", "--index", "--registry", "--cache", "--prefix", "-c", "--call", "--userconfig"}

// unpinned names the packages that a command line fetches without an exact
// version. It also looks into the text that is given to a shell.
func unpinned(command string, args []any) []string {
	var words []string
	for _, a := range args {
		text, _ := a.(string)
		words = append(words, text)
	}
	runner := command[strings.LastIndexByte(command, '/')+1:]
	switch runner {
	case "npx", "bunx", "uvx":
		return unpinnedOf(runner, words)
	case "sh", "bash", "zsh", "dash":
		var found []string
		for _, text := range words {
			for _, m := range inShell().FindAllStringSubmatch(text, -1) {
				found = append(found, unpinnedOf(m[1], shellWords(m[2]))...)
			}
		}
		return found
	}
	return nil
}

// unpinnedOf looks at the package that a runner's words name: the value of
// --from or --package where there is one, else the first word.
func unpinnedOf(runner string, words []string) []string {
	pinned := npmPinned
	if runner == "uvx" {
		pinned = pyPinned
	}
	name := ""
	for i := 0; i < len(words) && name == ""; i++ {
		option, value, joined := strings.Cut(words[i], "=")
		switch {
		case !strings.HasPrefix(option, "-"):
			name = words[i]
		case slices.Contains(takesValue, option):
			if !joined && i+1 < len(words) {
				i++
				value = words[i]
			}
			if option == "--from" || option == "--package" || option == "-p" && runner == "npx" {
				name = value
			}
		}
	}
	if name == "" || pinned().MatchString(name) || local(name) {
		return nil
	}
	return []string{name}
}

// local is a package that is a path or an address, or that a variable names.
func local(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.Contains(name, "://") || strings.ContainsAny(name, "${")
}

// shellWords splits a command line at spaces, quotes kept together.
func shellWords(text string) []string {
	var words []string
	var word strings.Builder
	quote := rune(0)
	open := false
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}
