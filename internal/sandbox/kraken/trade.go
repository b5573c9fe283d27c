package kraken

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// trade is one fill of an order.
type trade struct {
	ID      string          `json:"-"`
	Order   string          `json:"ordertxid"`
	Pair    string          `json:"pair"`
	Time    stamp           `json:"time"`
	Side    string          `json:"type"`
	Type    string          `json:"ordertype"`
	Price   decimal.Decimal `json:"price"`
	Cost    decimal.Decimal `json:"cost"`
	Fee     decimal.Decimal `json:"fee"`
	Volume  decimal.Decimal `json:"vol"`
	Margin  decimal.Decimal `json:"margin"`
	Lever   string          `json:"leverage"`
	Number  int64           `json:"trade_id"`
	Misc    string          `json:"misc"`
	Maker   bool            `json:"maker"`
	PosTxID string          `json:"postxid"`
}

// trade fills volume of the order at the price: order, balances, ledger, volume
// and effect count together. The fee is in quote currency; with fcib it is
// charged in base.
func (s *Simulator) trade(tx *sandbox.Tx, who account, o *order, p pair, price, volume, rate decimal.Decimal, maker bool, now time.Time) error {
	cost := costOf(price, volume)
	fee := cost.Mul(rate).Round(costDecimals)
	t := trade{
		ID: newID("T"), Order: o.TxID, Pair: p.Key, Time: stamp(now), Side: o.Side, Type: o.Type,
		Price: price, Cost: cost, Fee: fee, Volume: volume, Maker: maker, PosTxID: newID("T"), Lever: "0",
		Number: now.UnixNano() / int64(tapeStep),
	}
	o.Filled, o.Cost, o.Fee = o.Filled.Add(volume), o.Cost.Add(cost), o.Fee.Add(fee)
	o.Trades = append(o.Trades, t.ID)
	if err := tx.Put(bucketTrade, strings.Join([]string{who.Name, newestFirst(now), t.ID}, "/"), t); err != nil {
		return err
	}
	if err := settle(tx, who, o, p, t, volume.Mul(rate), now); err != nil {
		return err
	}
	if err := addVolume(tx, who, now, cost); err != nil {
		return err
	}
	s.setLast(p, price)
	return s.world.Effects.Count(tx, "kraken", "fill", o.subject())
}

// settle books the two sides of a trade. The order's whole hold is on the
// balance it pays with, so the trade cannot overdraw it.
func settle(tx *sandbox.Tx, who account, o *order, p pair, t trade, baseFee decimal.Decimal, now time.Time) error {
	quoteFee := t.Fee
	if o.flagged("fcib") {
		quoteFee = decimal.Zero
	} else {
		baseFee = decimal.Zero
	}
	quoteAmount, baseAmount := t.Cost.Neg(), t.Volume
	if o.Side == "sell" {
		quoteAmount, baseAmount = t.Cost, t.Volume.Neg()
	}
	if err := book(tx, who, now, "trade", t.ID, p.Quote, quoteAmount, quoteFee); err != nil {
		return err
	}
	return book(tx, who, now, "trade", t.ID, p.Base, baseAmount, baseFee)
}

// subject is the identity effects are counted under.
func (o *order) subject() string {
	if o.ClientID != "" {
		return o.ClientID
	}
	return o.TxID
}

// sweepOpen fills the resting orders the price has reached, as maker at their limit, and
// ends the expired ones. fresh means that a price was just set, which brings volume to
// orders that found the book empty.
func (s *Simulator) sweepOpen(tx *sandbox.Tx, now time.Time, fresh bool) error {
	for _, who := range s.accounts {
		txids, err := openIDs(tx, who.Name, "")
		if err != nil {
			return err
		}
		resting, err := loadAll(tx, who.Name, txids)
		if err != nil {
			return err
		}
		for _, o := range resting {
			if err := s.sweepOrder(tx, who, o, now, fresh); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Simulator) sweepOrder(tx *sandbox.Tx, who account, o *order, now time.Time, fresh bool) error {
	p, _ := findPair(o.Pair)
	if !o.Expires.IsZero() && !o.Expires.After(now) {
		return s.end(tx, who, o, p, "expired", "", o.Expires)
	}
	if (o.Starved && !fresh) || beyond(s.quoteOf(p).priceFor(o.Side), o.Limit, o.Side) {
		return nil
	}
	rate, err := rateOf(tx, who, now, true)
	if err != nil {
		return err
	}
	if err := s.trade(tx, who, o, p, o.Limit, o.left(), rate, true, now); err != nil {
		return err
	}
	return s.end(tx, who, o, p, "closed", "", now)
}
