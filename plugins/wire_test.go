package plugins

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

// fill gives every field that v reaches a value of its own, so that one which a
// conversion forgets or swaps is missed.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint32:
		v.SetUint(uint64(*n) & 0o777)
	case reflect.Uint8:
		v.SetUint(uint64(*n%250 + 1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, n)
			fill(value, n)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("fill: teach me " + v.Kind().String())
	}
}

// cross sends a value over the wire and back.
func cross[T any, M proto.Message](t *testing.T, v T, to func(T) M, from func(M) T) T {
	t.Helper()
	b, err := proto.Marshal(to(v))
	if err != nil {
		t.Fatal(err)
	}
	var zero M
	m := zero.ProtoReflect().New().Interface().(M)
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
	return from(m)
}

func roundTrip[T any, M proto.Message](t *testing.T, to func(T) M, from func(M) T) {
	t.Helper()
	var empty, full T
	n := 0
	fill(reflect.ValueOf(&full).Elem(), &n)
	for _, v := range []T{empty, full} {
		if d := cmp.Diff(v, cross(t, v, to, from)); d != "" {
			t.Errorf("%T does not survive the wire (-sent +received):\n%s", v, d)
		}
	}
}

func TestEveryFieldCrossesTheWire(t *testing.T) {
	t.Parallel()
	roundTrip(t, toDescription, fromDescription)
	roundTrip(t, toMachine, fromMachine)
	roundTrip(t, toDetection, fromDetection)
	roundTrip(t, toRawEvent, fromRawEvent)
	roundTrip(t, toEvent, fromEvent)
	roundTrip(t, toReply, fromReply)
	roundTrip(t, toSourcesRequest, fromSourcesRequest)
	roundTrip(t, toSources, fromSources)
	roundTrip(t, toWrapRequest, fromWrapRequest)
	roundTrip(t, toWrapPlan, fromWrapPlan)
	roundTrip(t, toCompileRequest, fromCompileRequest)
	roundTrip(t, toCompiled, fromCompiled)
	roundTrip(t, toPruneRequest, fromPruneRequest)
	roundTrip(t, toPrunePlan, fromPrunePlan)
}

func TestNoToolsIsNotAllTools(t *testing.T) {
	t.Parallel()
	all := cross(t, surface.Server{}, toServer, fromServer)
	none := cross(t, surface.Server{EnabledTools: []string{}}, toServer, fromServer)
	if all.EnabledTools != nil || none.EnabledTools == nil || len(none.EnabledTools) != 0 {
		t.Errorf("nil arrives as %#v and empty as %#v", all.EnabledTools, none.EnabledTools)
	}
}

func TestBytesThatAreNotUTF8CrossTheWire(t *testing.T) {
	t.Parallel()
	odd := "/home/J\xfcrgen/\xff"
	s := surface.Sources{
		Files:   []string{odd},
		Servers: []surface.Server{{Name: odd, Env: map[string]string{odd: odd}}},
	}
	if d := cmp.Diff(s, cross(t, s, toSources, fromSources)); d != "" {
		t.Error(d)
	}
	ev := event.Event{Dir: odd}
	if d := cmp.Diff(ev, cross(t, ev, toEvent, fromEvent)); d != "" {
		t.Error(d)
	}
}

func TestAFingerprintSurvivesTheWire(t *testing.T) {
	t.Parallel()
	// nil and empty are one to the wire, so they must be one to a pin: else a
	// server changes by being asked for.
	for _, s := range []surface.Server{
		{Command: "npx", Args: []string{}, Env: map[string]string{}},
		{Command: "npx", Args: []string{"-y"}, EnvVars: []string{"A"}},
		{URL: "https://example.com", Headers: map[string]string{}},
	} {
		if got := cross(t, s, toServer, fromServer).Fingerprint(); got != s.Fingerprint() {
			t.Errorf("%+v: the fingerprint changed on the way", s)
		}
	}
}

func TestTheWireCarriesTheContractAndNoMore(t *testing.T) {
	t.Parallel()
	methods := pluginpb.File_plugins_host_proto.Services().ByName("Host").Methods()
	type whole interface {
		Adapter
		UsageReader
		Pruner
	}
	adapter := reflect.TypeFor[whole]()
	if methods.Len() != adapter.NumMethod() {
		t.Errorf("the service has %d methods and the contract %d", methods.Len(), adapter.NumMethod())
	}
	for i := range methods.Len() {
		name := string(methods.Get(i).Name())
		if _, ok := adapter.MethodByName(name); !ok {
			t.Errorf("the contract has no method %s", name)
		}
	}
}

func TestUsageSurvivesTheWire(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 1, 2, 3, 4, time.UTC)
	for _, u := range []Usage{{}, {
		Uses: []Use{
			{Kind: surface.KindTool, Server: "s", Name: "n", Session: "a", At: at, Failed: true},
			{Kind: surface.KindSkill, Name: "m", Through: true},
		},
		Sessions: 3, Since: at, Unseen: []string{"x"}, Sees: []surface.Kind{surface.KindTool},
	}} {
		if d := cmp.Diff(u, cross(t, u, toUsage, fromUsage)); d != "" {
			t.Error(d)
		}
	}
	req := UsageRequest{Machine: Machine{Home: "/h", Env: []string{"A=b"}}, Workspace: "/w"}
	if d := cmp.Diff(req, cross(t, req, toUsageRequest, fromUsageRequest)); d != "" {
		t.Error(d)
	}
}
