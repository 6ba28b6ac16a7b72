package surface

import "testing"

func TestFingerprintCoversWhatRunsAndNothingElse(t *testing.T) {
	t.Parallel()
	base := Server{Name: "a", Transport: Stdio, Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"K": "${V}"}}
	with := func(change func(*Server)) Server {
		s := base
		change(&s)
		return s
	}
	same := map[string]Server{
		"another name":           with(func(s *Server) { s.Name = "b" }),
		"another scope":          with(func(s *Server) { s.Scope = ScopeProject }),
		"another place":          with(func(s *Server) { s.Place = Place{File: "/f", Line: 3} }),
		"switched off":           with(func(s *Server) { s.Disabled = true }),
		"empty headers for none": with(func(s *Server) { s.Headers = map[string]string{} }),
		"empty lists for none":   with(func(s *Server) { s.EnvVars = []string{}; s.HeaderEnv = map[string]string{} }),
	}
	for name, s := range same {
		if s.Fingerprint() != base.Fingerprint() {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	differ := map[string]Server{
		"transport":   with(func(s *Server) { s.Transport = HTTP }),
		"command":     with(func(s *Server) { s.Command = "node" }),
		"args":        with(func(s *Server) { s.Args = []string{"-y x"} }),
		"env value":   with(func(s *Server) { s.Env = map[string]string{"K": "v"} }),
		"no env":      with(func(s *Server) { s.Env = nil }),
		"env vars":    with(func(s *Server) { s.EnvVars = []string{"K"} }),
		"cwd":         with(func(s *Server) { s.Cwd = "/x" }),
		"url":         with(func(s *Server) { s.URL = "https://x" }),
		"headers":     with(func(s *Server) { s.Headers = map[string]string{"K": "${V}"} }),
		"header env":  with(func(s *Server) { s.HeaderEnv = map[string]string{"K": "${V}"} }),
		"bearer env":  with(func(s *Server) { s.BearerEnv = "T" }),
		"headers cmd": with(func(s *Server) { s.HeadersCmd = "true" }),
	}
	seen := map[string]string{base.Fingerprint(): "the base"}
	for name, s := range differ {
		if other, ok := seen[s.Fingerprint()]; ok {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[s.Fingerprint()] = name
	}
}
