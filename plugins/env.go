package plugins

import "strings"

// adapterEnv is the part of the user's environment that an adapter's process is
// given. What it must know of the user comes with each request, in
// Machine.Env; a token in the environment is no concern of its process.
func adapterEnv(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "PATH", name == "HOME", name == "TMPDIR", name == "LANG", name == "CTX_LOG",
			strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "XDG_"):
			out = append(out, kv)
		}
	}
	return out
}
