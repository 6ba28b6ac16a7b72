package activate

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// crowd is shop among many other capabilities, which make any scorer less sure.
func crowd() []Candidate {
	all := append([]Candidate{}, shop...)
	for i, subject := range []string{"invoices", "recipes", "sensors", "tickets", "lectures", "vessels", "contracts", "orchards"} {
		all = append(all, Candidate{
			Name: fmt.Sprintf("other%d", i), Title: subject, Description: "All that there is to do with " + subject + ".",
			Triggers: []string{"look up the " + subject, "which " + subject + " changed this week", "write a new one of the " + subject},
		})
	}
	return all
}

func TestATriggerOfOneCapabilityActivatesIt(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	for _, c := range crowd() {
		domain := "" // one that may have it
		if len(c.Domains) > 0 {
			domain = c.Domains[0]
		}
		for _, trigger := range c.Triggers {
			prompt := strings.ToUpper(trigger[:1]) + trigger[1:] + "!"
			d := decide(t, r, Request{Prompt: prompt, Domain: domain, Candidates: crowd()})
			if d.Outcome != Activate || d.Winner != c.Name {
				t.Errorf("%q, a trigger of %s: %s %s (%s)", prompt, c.Name, d.Outcome, d.Winner, d.Reason)
			}
			sum := d.None
			for _, s := range d.Scores {
				sum += s.Probability
			}
			if !(math.Abs(sum-1) <= 1e-9) {
				t.Errorf("%q: all probabilities are %v together", prompt, sum)
			}
		}
	}
}

func TestATriggerOfTwoIsNobodys(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	all := crowd()
	shared := all[0].Triggers[0]
	before := decide(t, r, Request{Prompt: shared + " now", Candidates: all})
	all = append(all, Candidate{Name: "twin", Triggers: []string{shared}})
	d := decide(t, r, Request{Prompt: shared, Candidates: all})
	if d.Scores[0].Probability >= certain {
		t.Errorf("%s has %v, and %s has the same trigger", d.Scores[0].Name, d.Scores[0].Probability, all[len(all)-1].Name)
	}
	if before.Scores[0].Probability == certain {
		t.Error("a prompt that says more than the trigger is taken for it")
	}
}

func TestATriggerOutOfTheDomainStaysShut(t *testing.T) {
	t.Parallel()
	all := crowd()
	all[0].Domains = []string{"elsewhere"}
	d := decide(t, lexicalRouter(t), Request{Prompt: all[0].Triggers[0], Domain: "here", Candidates: all})
	if d.Outcome != Silence || d.Scores[0].Gate != OutOfDomain {
		t.Errorf("%s (%s)", d.Outcome, d.Reason)
	}
}
