package tap

import "testing"

// FuzzFiles reads any text as every kind of file: nothing panics, what is wrong
// has a place in the text, and no server is taken over without a name.
func FuzzFiles(f *testing.F) {
	f.Add("triggers = [\"a b\", 7]\ndomains = 3\n")
	f.Add(provide("db", "db-mcp") + "env = { A = \"{{ENV:B}}\" }\n[mcp.servers.headers]\nx = 1\n")
	f.Add("mcp = { servers = [ { name = \"a\", args = [[1], 2] }, 3 ] }\n[deps]\nrequire = [\"a/b\"]\n")
	f.Add("[[mcp.servers]]\n[[mcp.servers.env]]\n[[mcp.servers]]\nname='x'")
	f.Add("\ufeff# Title: x\r\ntriggers = [\r\n\"a\"\r\n]\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, problem := parse("x.toml", text)
		if problem != nil {
			return
		}
		r := parseRouting(d)
		for _, trigger := range r.triggers {
			looksLikeLabel(trigger)
		}
		p := parseProvider(d)
		l := &linter{root: "/nowhere", triggers: map[string]where{}, orphans: map[string]bool{}}
		l.routing(d)
		l.provider(d, p)
		for _, s := range p.servers {
			if s.Name == "" || s.Unstartable == "" && s.Command == "" && s.URL == "" {
				t.Errorf("%+v", s)
			}
			Missing(s.Server, nil)
		}
		for _, p := range d.problems {
			if p.Line < 0 || p.Column < 0 || p.Text == "" || p.Rule == "" {
				t.Errorf("%+v", p)
			}
		}
	})
}
