package gateway

import (
	"fmt"
	"testing"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func BenchmarkCatalogUnderAProfile(b *testing.B) {
	var all []listing.Listing
	rules := &Rules{}
	for s := range 100 {
		l := listing.Listing{Server: fmt.Sprintf("server%d", s)}
		for i := range 100 {
			l.Tools = append(l.Tools, []byte(fmt.Sprintf(`{"name":"list_things_%d_%d","description":"Lists the things of a project in the database.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`, s, i)))
		}
		all = append(all, l)
		rules.Servers = append(rules.Servers, surface.Server{Name: l.Server, Transport: surface.Stdio, Command: "x"})
	}
	p, err := profile.Find(config.Surface{}, "local-dev")
	if err != nil {
		b.Fatal(err)
	}
	for name, g := range map[string]*gate.Gate{"none": gate.New(surface.Sources{}), "local-dev": gate.New(surface.Sources{}).Under(&p)} {
		b.Run(name, func(b *testing.B) {
			rules.Gate = g
			for b.Loop() {
				newCatalog(rules, all)
			}
		})
	}
}
