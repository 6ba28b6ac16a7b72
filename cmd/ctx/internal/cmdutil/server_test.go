package cmdutil

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// change gives v another value, of whatever kind it is.
func change(t *testing.T, v reflect.Value) {
	t.Helper()
	other := func(of reflect.Type) reflect.Value { return reflect.ValueOf("OTHER").Convert(of) }
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "OTHER")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, other(v.Type().Elem())))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("Authorization"), other(v.Type().Elem()))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct:
		for i := range v.NumField() {
			change(t, v.Field(i))
		}
	default:
		t.Fatalf("no other value of a %s", v.Type())
	}
}

// What changes a fingerprint asks for a new approval, and whoever is asked has to
// see it.
func TestAnApprovalShowsAllThatItCovers(t *testing.T) {
	shown := func(s surface.Server) string {
		return strings.Join(append([]string{Start(s)}, Details(s)...), "\n")
	}
	header := map[string]string{"Authorization": "TOKEN"}
	for _, tt := range []struct {
		base   surface.Server
		unused []string // by a server of this kind
	}{
		{surface.Server{Transport: surface.Stdio, Command: "npx", Args: []string{"-y", "notes"}, HeaderEnv: header}, []string{"URL"}},
		{surface.Server{Transport: surface.HTTP, URL: "https://notes.example/mcp", HeaderEnv: header}, []string{"Command", "Args"}},
	} {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[surface.Server]()) {
			s := tt.base
			change(t, reflect.ValueOf(&s).Elem().FieldByIndex(f.Index))
			if slices.Contains(tt.unused, f.Name) || s.Fingerprint() == tt.base.Fingerprint() {
				continue
			}
			if shown(s) == shown(tt.base) {
				t.Errorf("%s: another %s is approved unseen:\n%s", tt.base.Transport, f.Name, shown(s))
			}
		}
	}
}
