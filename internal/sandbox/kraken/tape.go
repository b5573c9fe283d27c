package kraken

import (
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// The tape is the market's public past, made up like the candles: one trade
// every tapeStep, whose number is how many steps there were since 1970.
const (
	tapeStep   = 7 * time.Second
	tapeTrades = 1000 // rows of Trades, unless count requests fewer
	tapeQuotes = 200  // rows of Spread
)

// since reads the mark after which a tape is requested: seconds, with or without a
// fraction, or the nanoseconds that Trades gives as "last". The zero time is none.
func since(f params) (time.Time, string) {
	text := f["since"]
	if text == "" {
		return time.Time{}, ""
	}
	if nanos, err := strconv.ParseInt(text, 10, 64); err == nil && nanos > 1<<40 {
		return time.Unix(0, nanos).UTC(), ""
	}
	at, err := parseStamp(text)
	if err != nil {
		return at, wrong("since")
	}
	return at, ""
}

// stepsOf are the times of at most n rows: the first ones behind the mark, or
// without one the last before now.
func stepsOf(after, now time.Time, n int) []time.Time {
	at := now.Truncate(tapeStep).Add(-time.Duration(n-1) * tapeStep)
	if !after.IsZero() {
		at = after.Truncate(tapeStep).Add(tapeStep)
	}
	times := []time.Time{}
	for ; !at.After(now) && len(times) < n; at = at.Add(tapeStep) {
		times = append(times, at)
	}
	return times
}

// trades is Trades: price, volume, time, side, kind, nothing and number of each,
// and as "last" the nanoseconds to go on from.
func (s *Simulator) trades(f params, now time.Time) (any, string) {
	p, problem := onePair(f)
	if problem != "" {
		return nil, problem
	}
	after, problem := since(f)
	if problem != "" {
		return nil, problem
	}
	n := tapeTrades
	if text := f["count"]; text != "" {
		count, err := strconv.Atoi(text)
		if err != nil || count < 1 || count > tapeTrades {
			return nil, wrong("count")
		}
		n = count
	}
	rows, last := [][]any{}, after
	for _, at := range stepsOf(after, now, n) {
		rows = append(rows, s.printed(p, at))
		last = at
	}
	return map[string]any{p.Key: rows, "last": strconv.FormatInt(last.UnixNano(), 10)}, ""
}

// printed is one row of the tape.
func (s *Simulator) printed(p pair, at time.Time) []any {
	n := noise(p, at.Unix())
	side, kind := "b", "m"
	if n%2 == 1 {
		side = "s"
	}
	if n%3 == 0 {
		kind = "l"
	}
	volume := decimal.New(1+n, -5)
	return []any{five(past(p, s.walkOf(p).anchor.Ask, at)), volume.StringFixed(lotDecimals), stamp(at), side, kind, "", at.UnixNano() / int64(tapeStep)}
}

// spread is Spread: time, bid and ask of each row, and as "last" the second to continue
// from.
func (s *Simulator) spread(f params, now time.Time) (any, string) {
	p, problem := onePair(f)
	if problem != "" {
		return nil, problem
	}
	after, problem := since(f)
	if problem != "" {
		return nil, problem
	}
	anchor := s.walkOf(p).anchor
	rows, last := [][]any{}, after
	for _, at := range stepsOf(after, now, tapeQuotes) {
		ask := past(p, anchor.Ask, at)
		rows = append(rows, []any{at.Unix(), five(ask.Sub(anchor.Ask.Sub(anchor.Bid))), five(ask)})
		last = at
	}
	return map[string]any{p.Key: rows, "last": max(0, last.Unix())}, ""
}
