package surface

import "github.com/ctx-sidecar/ctx/core/tokens"

// Cost is a price: tokens, and the bytes of UTF-8 text behind them.
type Cost struct {
	Resident int `json:"resident"`  // in every request
	Deferred int `json:"deferred"`  // loaded by the host when it thinks fit
	OnDemand int `json:"on_demand"` // read when used

	Bytes         int `json:"resident_bytes"`
	DeferredBytes int `json:"deferred_bytes"`
	OnDemandBytes int `json:"on_demand_bytes"`
}

// Plus is the price of both.
func (c Cost) Plus(d Cost) Cost {
	return Cost{
		c.Resident + d.Resident, c.Deferred + d.Deferred, c.OnDemand + d.OnDemand,
		c.Bytes + d.Bytes, c.DeferredBytes + d.DeferredBytes, c.OnDemandBytes + d.OnDemandBytes,
	}
}

func (c Cost) less(d Cost) Cost {
	return Cost{
		c.Resident - d.Resident, c.Deferred - d.Deferred, c.OnDemand - d.OnDemand,
		c.Bytes - d.Bytes, c.DeferredBytes - d.DeferredBytes, c.OnDemandBytes - d.OnDemandBytes,
	}
}

// Counter counts the tokens of a text. Each record is counted on its own.
type Counter func(text string) int

// bytes4 is the counter where no other is asked for.
func bytes4(text string) int { return tokens.Bytes4(len(text)) }

func (c Counter) resident(text string) Cost {
	return Cost{Resident: c(text), Bytes: len(text)}
}

func (c Counter) deferred(text string) Cost {
	return Cost{Deferred: c(text), DeferredBytes: len(text)}
}
