package kraken

import (
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// walk is the price of a pair: it wanders round the anchor, which is what was
// last set, by no more than walkBound ten-thousandths.
type walk struct {
	quote  quote
	anchor quote
	last   decimal.Decimal
}

const (
	walkEvery = time.Second
	walkStep  = 2  // ten-thousandths a step, at most
	walkBound = 30 // ten-thousandths from the anchor, at most
)

// quoteOf is the pair's ask and bid now.
func (s *Simulator) quoteOf(p pair) quote {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book[p.Key].quote
}

func (s *Simulator) walkOf(p pair) walk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book[p.Key]
}

func (s *Simulator) setLast(p pair, price decimal.Decimal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.book[p.Key]
	w.last = price
	s.book[p.Key] = w
}

// setPrice anchors the pair at the quote; the store keeps it.
func (s *Simulator) setPrice(tx *sandbox.Tx, p pair, q quote) error {
	switch {
	case !q.Bid.IsPositive() || q.Ask.LessThan(q.Bid):
		return errors.New("ask and bid are positive, and the ask is not below the bid")
	case !q.Ask.Mod(p.Tick).IsZero() || !q.Bid.Mod(p.Tick).IsZero():
		return fmt.Errorf("prices of %s are multiples of %s", p.Alt, p.Tick)
	}
	if err := tx.Put(bucketPrice, p.Key, q); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book[p.Key] = walk{quote: q, anchor: q, last: q.Ask}
	return nil
}

// jumped applies a price_jump fault: the quote moves by that many per cent, for
// everyone, until the walk or the control page changes it.
func (s *Simulator) jumped(p pair, percent string) quote {
	by := amountOr(percent, decimal.Zero)
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.book[p.Key]
	if !by.IsZero() && by.GreaterThan(decimal.NewFromInt(-90)) {
		w.quote = w.quote.jump(by, p)
		w.anchor, w.last = w.quote, w.quote.Ask
		s.book[p.Key] = w
	}
	return w.quote
}

// walkPrices moves every pair by one random step each second, unless frozen.
func (s *Simulator) walkPrices(set settings, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if set.Frozen || now.Sub(s.walked) < walkEvery {
		return
	}
	s.walked = now
	for _, p := range pairs {
		w := s.book[p.Key]
		step := s.random.Int64N(2*walkStep+1) - walkStep
		moved := toTick(w.quote.Ask.Add(w.anchor.Ask.Mul(decimal.New(step, -4))), p)
		room := w.anchor.Ask.Mul(decimal.New(walkBound, -4))
		if moved.Sub(w.anchor.Ask).Abs().GreaterThan(room) {
			continue
		}
		w.quote = quote{Ask: moved, Bid: moved.Sub(w.anchor.Ask.Sub(w.anchor.Bid))}
		w.last = w.quote.Ask
		s.book[p.Key] = w
	}
}
