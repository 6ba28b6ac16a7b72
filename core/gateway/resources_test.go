package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
)

func raws(items ...string) []json.RawMessage {
	var all []json.RawMessage
	for _, i := range items {
		all = append(all, json.RawMessage(i))
	}
	return all
}

// withResources gives two servers resources and prompts that collide in part.
func withResources(_ *Options, _ *Rules, f *fakeBackends) {
	offers := json.RawMessage(`{"resources":{"subscribe":true},"prompts":{},"completions":{}}`)
	f.listings["a"] = listing.Listing{Server: "a", Offers: offers,
		Resources: raws(`{"uri":"doc://x","name":"ax","x-own":1.0e3}`, `{"uri":"doc://a","name":"a"}`),
		Templates: raws(`{"uriTemplate":"a://{id}","name":"t"}`),
		Prompts:   raws(`{"name":"review","description":"A"}`, `{"name":"plan"}`)}
	f.listings["b"] = listing.Listing{Server: "b", Offers: offers,
		Resources: raws(`{"uri":"doc://x","name":"bx"}`),
		Prompts:   raws(`{"name":"review","description":"B"}`)}
}

var twoLibraries = map[string][]string{"a": nil, "b": nil}

func TestResourcesOfAllServersAreReadWhereTheyAre(t *testing.T) {
	t.Parallel()
	b := serve(t, twoLibraries, withResources)
	b.initialize(`{}`)
	list := string(b.must("resources/list", ""))
	for _, want := range []string{`"uri":"doc://x","name":"ax","x-own":1.0e3`, `"uri":"b+doc://x"`, `"uri":"doc://a"`} {
		if !strings.Contains(list, want) {
			t.Errorf("%s is not in %s", want, list)
		}
	}
	if got := string(b.must("resources/templates/list", "")); !strings.Contains(got, `a://{id}`) {
		t.Errorf("templates: %s", got)
	}
	for uri, want := range map[string]string{
		"doc://x":   `a resources/read {"uri":"doc://x"}`,
		"b+doc://x": `b resources/read {"uri":"doc://x"}`,
		"a://7":     `a resources/read {"uri":"a://7"}`,
	} {
		b.must("resources/read", `{"uri":"`+uri+`"}`)
		if got := b.backends.seen(); got[len(got)-1] != want {
			t.Errorf("%s: %s", uri, got[len(got)-1])
		}
	}
	b.must("resources/subscribe", `{"uri":"b+doc://x"}`)
	b.backends.client.Notify("b", "notifications/resources/updated", json.RawMessage(`{"uri":"doc://x"}`))
	if got := b.host.notes(); !slices.Contains(got, `notifications/resources/updated {"uri":"b+doc://x"}`) {
		t.Errorf("told %q", got)
	}
}

func TestAnUnlistedResourceIsLookedForEverywhere(t *testing.T) {
	t.Parallel()
	b := serve(t, twoLibraries, withResources)
	b.backends.answer = func(_ context.Context, server, _ string, _ json.RawMessage, _ func(json.RawMessage)) (json.RawMessage, error) {
		if server == "a" {
			return nil, rpc.Errorf(-32002, "not mine")
		}
		return json.RawMessage(`{"contents":[]}`), nil
	}
	b.initialize(`{}`)
	b.must("resources/read", `{"uri":"new://thing"}`)
	if _, err := b.request("resources/read", `{"uri":"a://gone"}`); err == nil || err.Error() != "not mine (-32002)" {
		t.Errorf("the owner's own error became %v", err)
	}
	if _, err := b.request("resources/read", `{}`); err == nil {
		t.Error("no uri")
	}
}

func TestPromptsCollideUnderNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := serve(t, twoLibraries, withResources)
	b.initialize(`{}`)
	list := string(b.must("prompts/list", ""))
	for _, want := range []string{`"name":"a__review"`, `"name":"b__review"`, `{"name":"plan"}`} {
		if !strings.Contains(list, want) {
			t.Errorf("%s is not in %s", want, list)
		}
	}
	b.must("prompts/get", `{"name":"b__review","arguments":{"k":"v"}}`)
	b.must("completion/complete", `{"ref":{"type":"ref/prompt","name":"a__review"},"argument":{"name":"k","value":"v"}}`)
	b.must("completion/complete", `{"ref":{"type":"ref/resource","uri":"a://{id}"},"argument":{"name":"id","value":""}}`)
	want := []string{
		`b prompts/get {"arguments":{"k":"v"},"name":"review"}`,
		`a completion/complete {"argument":{"name":"k","value":"v"},"ref":{"name":"review","type":"ref/prompt"}}`,
		`a completion/complete {"ref":{"type":"ref/resource","uri":"a://{id}"},"argument":{"name":"id","value":""}}`,
	}
	if got := b.backends.seen(); !slices.Equal(got, want) {
		t.Errorf("forwarded %q", got)
	}
	if _, err := b.request("prompts/get", `{"name":"review"}`); err == nil {
		t.Error("an ambiguous name was taken")
	}
}

func TestOfADeniedServerNothingIsLeft(t *testing.T) {
	t.Parallel()
	b := serve(t, twoLibraries, withResources)
	b.initialize(`{}`)
	b.policy.deny("b", "*")
	for _, method := range []string{"resources/list", "prompts/list"} {
		if got := string(b.must(method, "")); strings.Contains(got, `"bx"`) || strings.Contains(got, "b__review") {
			t.Errorf("%s: %s", method, got)
		}
	}
	if _, err := b.request("prompts/get", `{"name":"b__review"}`); err == nil {
		t.Error("its prompt was got")
	}
	b.must("resources/read", `{"uri":"b+doc://x"}`)
	for _, r := range b.backends.seen() {
		if strings.HasPrefix(r, "b ") {
			t.Errorf("forwarded %s", r)
		}
	}
}

func TestOnlyWhatServersOfferIsAdvertised(t *testing.T) {
	t.Parallel()
	has := func(raw json.RawMessage, capability string) bool {
		var r struct {
			Capabilities map[string]json.RawMessage `json:"capabilities"`
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		_, ok := r.Capabilities[capability]
		return ok
	}
	plain := serve(t, twoServers).initialize(`{}`)
	rich := serve(t, twoLibraries, withResources).initialize(`{}`)
	unknown := serve(t, map[string][]string{"new": nil}).initialize(`{}`)
	for _, capability := range []string{"resources", "prompts", "completions"} {
		if has(plain, capability) || !has(rich, capability) || !has(unknown, capability) {
			t.Errorf("%s: %v, %v, %v", capability, has(plain, capability), has(rich, capability), has(unknown, capability))
		}
	}
}

func TestServersSeeAsMuchOfTheHostAsItDeclares(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.host.answer = func(method string, _ json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"from":"` + method + `"}`), nil
	}
	b.initialize(`{"roots":{"listChanged":true},"elicitation":{"form":{}},"tasks":{},"experimental":{"x":1}}`)
	if got := string(b.backends.client.Capabilities()); got != `{"elicitation":{"form":{}},"roots":{"listChanged":true}}` {
		t.Errorf("declared %s", got)
	}
	for method, forwarded := range map[string]bool{"roots/list": true, "elicitation/create": true, "sampling/createMessage": false, "tasks/list": false, "ping": true} {
		_, err := b.backends.client.Request(context.Background(), "fs", method, nil)
		if (err == nil) != forwarded {
			t.Errorf("%s: %v", method, err)
		}
	}
	b.Notification("notifications/roots/list_changed", nil)
	for deadline := time.Now().Add(time.Minute); len(b.backends.seen()) < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the servers were not told of new roots")
		}
	}
}
