package activate

import "math"

// A raw score says little without those of the others: of each feature the
// scorer sees the six numbers of relative for a candidate, and the five of
// summary for "none". Weights are ordered by these, then by feature.
const (
	relatives = 6
	summaries = 5
)

// stat is one feature over the whole field.
type stat struct {
	mean, deviation float64
	best, second    float64
	inside          float64 // the best of those that the session's domain has, 0 of none
}

func summarise(rows [][]float64, outside []bool, features int) []stat {
	stats := make([]stat, features)
	n := float64(len(rows))
	for j := range stats {
		s := stat{best: math.Inf(-1), second: math.Inf(-1)}
		inside := math.Inf(-1)
		for i, row := range rows {
			s.mean += row[j] / n
			if !outside[i] {
				inside = max(inside, row[j])
			}
			if x := row[j]; x > s.best {
				s.best, s.second = x, s.best
			} else if x > s.second {
				s.second = x
			}
		}
		for _, row := range rows {
			s.deviation += (row[j] - s.mean) * (row[j] - s.mean) / n
		}
		// Below this the field agrees, and the share of a deviation is noise.
		s.deviation = math.Sqrt(s.deviation) + 1e-3
		if len(rows) == 1 {
			s.second = s.mean // a lone candidate has no rival
		}
		if !math.IsInf(inside, -1) {
			s.inside = inside
		}
		stats[j] = s
	}
	return stats
}

// relative is a score as it is, against the mean, in deviations, against the
// best rival, and against the best in the session's domain: the latter in one
// place for a candidate of the domain, in another for one outside.
func (s stat) relative(x float64, outside bool) [relatives]float64 {
	rival := s.best
	if x == s.best {
		rival = s.second
	}
	r := [relatives]float64{x, x - s.mean, (x - s.mean) / s.deviation / 4, x - rival}
	if outside {
		r[5] = x - s.inside
	} else {
		r[4] = x - s.inside
	}
	return r
}

// summary is how far the best is ahead, and what the field is like.
func (s stat) summary() [summaries]float64 {
	return [summaries]float64{s.best, s.best - s.second, (s.best - s.mean) / s.deviation / 4, s.mean, s.deviation}
}
