package loader

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/skill"
)

// gapShare is the gap between the two best skills, as a share of the span
// between the cosine at which the model alone would activate a capability and
// the one at which it would suggest some.
const gapShare = 0.4

// Similar implements [Taps]. The thresholds are the model's own, as they were
// calibrated for the model alone; zero where there is none in time.
func (e *Engine) Similar(ctx context.Context, text string, phrases []string) ([]float64, skill.Thresholds, error) {
	if len(phrases) == 0 {
		return nil, skill.Thresholds{}, nil
	}
	e.Start()
	select {
	case <-e.ready:
	case <-ctx.Done():
		return nil, skill.Thresholds{}, nil
	}
	type answer struct {
		cosines []float64
		err     error
	}
	done := make(chan answer, 1) // phrases that are new to the model may keep it busy for long
	go func() {
		cosines, err := e.router.Similar(context.WithoutCancel(ctx), text, phrases)
		done <- answer{cosines, err}
	}()
	var cosines []float64
	select {
	case a := <-done:
		if a.err != nil {
			return nil, skill.Thresholds{}, a.err
		}
		cosines = a.cosines
	case <-ctx.Done():
	}
	if cosines == nil {
		return nil, skill.Thresholds{}, nil
	}
	alone := e.router.Baseline("semantic")
	return cosines, skill.Thresholds{Floor: alone.ActivateAt, Gap: gapShare * (alone.ActivateAt - alone.SuggestAt)}, nil
}
