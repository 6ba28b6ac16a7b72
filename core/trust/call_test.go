package trust

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var deletion = Call{Session: "s1", Server: "github", Tool: "delete_repo", ArgsHash: "h1", Summary: "delete acme/site"}

func take(s *Store, c Call) bool { return s.TakeCall(c.Session, c.Server, c.Tool, c.ArgsHash) }

func TestACallIsMadeOnceAndOnlyAfterItsApproval(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	code, err := s.RequestCall(deletion)
	must(t, err)
	if take(s, deletion) {
		t.Error("a call that was only asked for was made")
	}
	if l := s.ListCalls(); len(l) != 1 || l[0].Code != code || l[0].Call != deletion {
		t.Errorf("waiting: %+v", l)
	}
	got, err := s.ApproveCall(" " + strings.ToUpper(code) + "\n")
	if err != nil || got != deletion {
		t.Errorf("approved %+v, %v", got, err)
	}
	if l := s.ListCalls(); len(l) != 0 {
		t.Errorf("approved and still waiting: %+v", l)
	}
	for name, other := range map[string]Call{
		"of another session":     {Session: "s2", Server: "github", Tool: "delete_repo", ArgsHash: "h1"},
		"of another server":      {Session: "s1", Server: "gitlab", Tool: "delete_repo", ArgsHash: "h1"},
		"of another tool":        {Session: "s1", Server: "github", Tool: "delete_org", ArgsHash: "h1"},
		"with other arguments":   {Session: "s1", Server: "github", Tool: "delete_repo", ArgsHash: "h2"},
		"with nothing but zeros": {},
	} {
		if take(s, other) {
			t.Errorf("the approval counted for a call %s", name)
		}
	}
	if !take(s, deletion) {
		t.Error("an approved call was refused")
	}
	if take(s, deletion) {
		t.Error("an approved call was made twice")
	}
}

func TestACodeIsGoodOnceAndForTenMinutes(t *testing.T) {
	t.Parallel()
	s, now := store(t)
	var unknown *UnknownCodeError
	if _, err := s.ApproveCall("abcde-fghij"); !errors.As(err, &unknown) || unknown.Hint() == "" {
		t.Errorf("a code of nobody's: %v", err)
	}
	code, err := s.RequestCall(deletion)
	must(t, err)
	*now = now.Add(9 * time.Minute)
	if again, err := s.RequestCall(deletion); err != nil || again != code {
		t.Errorf("asked again: %s, %v, want %s", again, err, code)
	}
	*now = now.Add(time.Minute)
	if _, err := s.ApproveCall(code); !errors.As(err, &unknown) {
		t.Errorf("after ten minutes: %v", err)
	}
	if l := s.ListCalls(); len(l) != 0 {
		t.Errorf("after ten minutes: %+v", l)
	}

	code, err = s.RequestCall(deletion)
	must(t, err)
	_, err = s.ApproveCall(code)
	must(t, err)
	if _, err := s.ApproveCall(code); !errors.As(err, &unknown) {
		t.Errorf("approved twice: %v", err)
	}
	*now = now.Add(10 * time.Minute)
	if take(s, deletion) {
		t.Error("an approval of ten minutes ago counted")
	}
}

func TestCodesDifferAndRequestsAreBounded(t *testing.T) {
	t.Parallel()
	s, now := store(t)
	seen := map[string]bool{}
	for i := range mostCalls + 5 {
		*now = now.Add(time.Second)
		c := deletion
		c.ArgsHash = fmt.Sprint(i)
		code, err := s.RequestCall(c)
		must(t, err)
		if seen[code] || len(code) != 11 {
			t.Errorf("code %q", code)
		}
		seen[code] = true
	}
	l := s.ListCalls()
	if len(l) != mostCalls || l[0].ArgsHash != "5" {
		t.Errorf("%d wait, from %s", len(l), l[0].ArgsHash)
	}
}

func TestArgumentsAreKeptToBeReadAndNotForever(t *testing.T) {
	t.Parallel()
	s, now := store(t)
	for i := range mostText>>16 + 2 {
		*now = now.Add(time.Second)
		c := deletion
		c.ArgsHash, c.Arguments = fmt.Sprint(i), strings.Repeat("<", 64<<10)
		_, err := s.RequestCall(c)
		must(t, err)
	}
	l := s.ListCalls()
	if len(l) != mostText>>16 || l[len(l)-1].ArgsHash != "9" || len(l[0].Arguments) != 64<<10 {
		t.Fatalf("%d wait", len(l))
	}
	last := l[len(l)-1]
	got, err := s.Waiting(" " + strings.ToUpper(last.Code))
	if err != nil || got != last {
		t.Errorf("to be read: %.100v, %v", got, err)
	}
	if c, err := s.ApproveCall(last.Code); err != nil || c != last.Call {
		t.Errorf("approved %.100v, %v", c, err)
	}
	if kept := s.view().Calls[last.Code]; kept.Arguments != "" || !take(s, last.Call) {
		t.Errorf("%d bytes are kept of what has been approved", len(kept.Arguments))
	}
	var unknown *UnknownCodeError
	if _, err := s.Waiting(last.Code); !errors.As(err, &unknown) {
		t.Errorf("a call that was made waits: %v", err)
	}
}

func TestOneApprovalIsOneCallHoweverManyAsk(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	code, err := s.RequestCall(deletion)
	must(t, err)
	_, err = s.ApproveCall(code)
	must(t, err)
	var made atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if take(s, deletion) {
				made.Add(1)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
}
