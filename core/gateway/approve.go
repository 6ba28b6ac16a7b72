package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Asker is who asks the user about a call.
type Asker int

const (
	GatewayAsks Asker = iota // the host asks about no call
	HostAsks                 // about a tool of the gateway's; it knows of none behind it
	HookAsks                 // ours, before each call, about the tool that is meant
)

// verdict says whether a call may be made, and whether the user is to be asked
// who has not been by now.
func (r *Rules) verdict(t listing.Tool) gate.Verdict {
	if r.Asker == GatewayAsks {
		return r.Gate.Approval(t.Server, t.Name, tier(t))
	}
	v := r.Gate.Rule(t.Server, t.Name)
	switch {
	case r.Asker == HookAsks && v.Decision == event.Ask:
		return gate.Verdict{}
	case r.unasked && v.Decision == event.NoOpinion && tier(t) == authority.Destructive:
		// Who always allows the gateway's tool has not allowed all that it can do.
		return gate.Verdict{Decision: event.Ask, Reason: "it is destructive, and no rule of the user's names it"}
	}
	return v
}

// permit applies the user's rules to one call. It returns the refusal, or nil
// when the call may be made.
func (g *Gateway) permit(ctx context.Context, rules *Rules, t listing.Tool, arguments json.RawMessage) json.RawMessage {
	v := rules.verdict(t)
	switch v.Decision {
	case event.Allow, event.NoOpinion:
		return nil
	case event.Deny:
		return denied(t, v)
	}
	call, err := g.described(t, arguments)
	if err != nil {
		return refuse("%s was not called: %s, and %v. Call it with other arguments, or the user can set this tool's approval in the host's configuration.", t.ID(), v.Reason, err)
	}
	if g.opts.Approvals.TakeCall(call.Session, call.Server, call.Tool, call.ArgsHash) {
		return nil
	}
	if g.upstream.canAsk() {
		allowed, err := g.ask(ctx, call)
		if err == nil {
			if allowed {
				return nil
			}
			return refuse("the user declined %s: it was not called", t.ID())
		}
		g.log.Warn("the host could not ask its user", "tool", t.ID(), "error", err)
	}
	if _, err := g.opts.Approvals.RequestCall(call); err != nil {
		g.log.Error("approval not requested", "tool", t.ID(), "error", err)
	}
	return refuse("%s was not called: %s, and this host cannot ask the user here. The user can allow this one call by running \"ctx approve\" in a terminal, after which the same call goes through, or set this tool's approval in the host's configuration.", t.ID(), v.Reason)
}

func denied(t listing.Tool, v gate.Verdict) json.RawMessage {
	return refuse("%s is denied by %s", t.ID(), v.Reason)
}

// described is a call as the user is asked about it: in one line that names every
// argument, and whole.
func (g *Gateway) described(t listing.Tool, arguments json.RawMessage) (trust.Call, error) {
	all, err := argumentsOf(arguments)
	if err != nil {
		return trust.Call{}, err
	}
	summary, err := show(all, mostSummary)
	if err != nil {
		return trust.Call{}, err
	}
	whole, err := show(all, mostShown)
	if err != nil {
		return trust.Call{}, err
	}
	return trust.Call{
		Session:   g.session(),
		Server:    t.Server,
		Tool:      t.Name,
		ArgsHash:  hash(arguments),
		Summary:   strings.Join(append([]string{t.ID()}, summary...), " "),
		Arguments: strings.Join(whole, "\n"),
	}, nil
}

// ask shows the user what would be called, through the host. The form has no
// fields: accepting it is the answer, which a terminal can give as well, and a
// host whose user has switched all questions off accepts such a form by itself.
func (g *Gateway) ask(ctx context.Context, call trust.Call) (allowed bool, err error) {
	raw, err := g.host.Call(ctx, "elicitation/create", encode(map[string]any{
		"message":         "Allow this call? " + call.Summary,
		"requestedSchema": json.RawMessage(`{"type":"object","properties":{}}`),
	}))
	if err != nil {
		return false, err
	}
	var reply struct {
		Action string `json:"action"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return false, fmt.Errorf("answer to elicitation/create: %w", err)
	}
	return reply.Action == "accept", nil
}

// hash is of arguments in which no name stands twice, see [argumentsOf]: the
// canonical form keeps one of such members, and the server is sent both.
func hash(arguments json.RawMessage) string {
	sum := sha256.Sum256([]byte(listing.Canonical(arguments)))
	return hex.EncodeToString(sum[:])
}
