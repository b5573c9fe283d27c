package kraken

import (
	"hash/fnv"
	"time"

	"github.com/shopspring/decimal"
)

// window sums up the trading of a span of time. The past is derived from the pair and the
// time alone, so that every call returns the same history; only its end is the real price.
type window struct {
	open, high, low, close, volume decimal.Decimal
	count                          int64
}

// average simulates the volume-weighted price.
func (w window) average() decimal.Decimal {
	return decimal.Sum(w.open, w.high, w.low, w.close).Div(decimal.NewFromInt(4))
}

// window covers [from, to); when it reaches the present it ends at the last
// trade.
func (s *Simulator) window(p pair, from, to time.Time) window {
	now := s.walkOf(p)
	w := window{open: past(p, now.anchor.Ask, from), close: past(p, now.anchor.Ask, to)}
	if s.world.Clock.Now().Sub(to) < time.Second {
		w.close = now.last
	}
	w.high, w.low = decimal.Max(w.open, w.close), decimal.Min(w.open, w.close)
	for at := from.Truncate(time.Hour).Add(time.Hour); at.Before(to) && to.Sub(from) <= 25*time.Hour; at = at.Add(time.Hour) {
		price := past(p, now.anchor.Ask, at)
		w.high, w.low = decimal.Max(w.high, price), decimal.Min(w.low, price)
	}
	seconds := max(1, int64(to.Sub(from).Seconds()))
	w.count = 1 + seconds/7
	w.volume = decimal.New(seconds, -3).Add(decimal.New(noise(p, from.Unix()), -6))
	return w
}

// past is the made-up price at a time: a line between hourly points that lie
// within one per cent of the anchor.
func past(p pair, anchor decimal.Decimal, at time.Time) decimal.Decimal {
	hour, second := at.Unix()/3600, at.Unix()%3600
	offset := noise(p, hour)*(3600-second) + noise(p, hour+1)*second
	return toTick(anchor.Add(anchor.Mul(decimal.New(offset/3600-10_000, -6))), p)
}

// noise is a fixed number below 20,000 for the pair and n.
func noise(p pair, n int64) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.Key + time.Unix(n, 0).UTC().Format(time.RFC3339)))
	return int64(h.Sum64() % 20_000)
}
