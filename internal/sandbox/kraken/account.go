package kraken

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// balance is what an account owns of an asset, of which Hold waits in open
// orders.
type balance struct {
	Total, Hold decimal.Decimal
}

func (b balance) free() decimal.Decimal { return b.Total.Sub(b.Hold) }

// balanceOf reads one balance.
func balanceOf(tx *sandbox.Tx, who account, code string) (b balance, err error) {
	_, err = tx.Get(bucketBalance, who.Name+"/"+code, &b)
	return b, err
}

// hold changes what is on hold; a negative amount releases.
func hold(tx *sandbox.Tx, who account, code string, amount decimal.Decimal) error {
	b, err := balanceOf(tx, who, code)
	if err != nil {
		return err
	}
	b.Hold = b.Hold.Add(amount)
	return tx.Put(bucketBalance, who.Name+"/"+code, b)
}

// entry is a line of the account's ledger. The balance changes by Amount − Fee.
type entry struct {
	ID      string          `json:"-"`
	RefID   string          `json:"refid"`
	Time    stamp           `json:"time"`
	Type    string          `json:"type"`
	Subtype string          `json:"subtype"`
	Class   string          `json:"aclass"`
	Asset   string          `json:"asset"`
	Amount  decimal.Decimal `json:"amount"`
	Fee     decimal.Decimal `json:"fee"`
	Balance decimal.Decimal `json:"balance"`
}

// book moves a balance and writes the ledger line for it, both rounded to the
// asset's decimals.
func book(tx *sandbox.Tx, who account, at time.Time, kind, ref, code string, amount, fee decimal.Decimal) error {
	a, known := findAsset(code)
	if !known {
		return fmt.Errorf("no asset %s", code)
	}
	amount, fee = amount.Round(a.Decimals), fee.Round(a.Decimals)
	b, err := balanceOf(tx, who, code)
	if err != nil {
		return err
	}
	b.Total = b.Total.Add(amount).Sub(fee)
	if b.Total.IsNegative() {
		return fmt.Errorf("%s of %s would fall below zero", code, who.Name)
	}
	if err := tx.Put(bucketBalance, who.Name+"/"+code, b); err != nil {
		return err
	}
	e := entry{ID: newID("L"), RefID: ref, Time: stamp(at), Type: kind, Class: "currency", Asset: code, Amount: amount, Fee: fee, Balance: b.Total}
	return tx.Put(bucketLedger, strings.Join([]string{who.Name, newestFirst(at), e.ID}, "/"), e)
}

// balances is Balance: every asset the account has some of.
func (s *Simulator) balances(c *call) (any, error) {
	result := map[string]string{}
	for _, a := range assets {
		b, err := balanceOf(c.tx, c.who, a.Code)
		if err != nil {
			return nil, err
		}
		if !b.Total.IsZero() {
			result[a.Code] = b.Total.StringFixed(a.Decimals)
		}
	}
	return result, nil
}

// extendedBalances is BalanceEx: balances with what is on hold for orders.
func (s *Simulator) extendedBalances(c *call) (any, error) {
	result := map[string]map[string]string{}
	for _, a := range assets {
		b, err := balanceOf(c.tx, c.who, a.Code)
		if err != nil {
			return nil, err
		}
		if b.Total.IsZero() {
			continue
		}
		none := decimal.Zero.StringFixed(a.Decimals)
		result[a.Code] = map[string]string{
			"balance": b.Total.StringFixed(a.Decimals), "hold_trade": b.Hold.StringFixed(a.Decimals),
			"credit": none, "credit_used": none,
		}
	}
	return result, nil
}

// tradeBalance is TradeBalance: what everything is worth in USD at the bid.
func (s *Simulator) tradeBalance(c *call) (any, error) {
	sum := decimal.Zero
	for _, a := range assets {
		b, err := balanceOf(c.tx, c.who, a.Code)
		if err != nil {
			return nil, err
		}
		worth := b.Total
		for _, p := range pairs {
			if p.Base == a.Code {
				worth = worth.Mul(s.quoteOf(p).Bid)
			}
		}
		if a.Code != "ZEUR" {
			sum = sum.Add(worth)
		}
	}
	worth, none := sum.StringFixed(4), "0.0000"
	return map[string]string{"eb": worth, "tb": worth, "m": none, "uv": none, "n": none, "c": none, "v": none, "e": worth, "mf": worth}, nil
}

// openPositions is OpenPositions: none, for nothing is traded on margin here.
func openPositions(*call) (any, error) { return map[string]any{}, nil }

// volumeOf is the account's traded USD of the last thirty days.
func volumeOf(tx *sandbox.Tx, who account, now time.Time) (sum decimal.Decimal, err error) {
	from := who.Name + "/" + now.AddDate(0, 0, -30).Format(time.DateOnly)
	err = tx.Each(bucketVolume, who.Name+"/", func(key string, raw []byte) error {
		if key <= from {
			return nil
		}
		var day decimal.Decimal
		if err := json.Unmarshal(raw, &day); err != nil {
			return err
		}
		sum = sum.Add(day)
		return nil
	})
	return sum, err
}

// addVolume counts a trade into the account's volume of the day.
func addVolume(tx *sandbox.Tx, who account, now time.Time, cost decimal.Decimal) error {
	key := who.Name + "/" + now.Format(time.DateOnly)
	var day decimal.Decimal
	if _, err := tx.Get(bucketVolume, key, &day); err != nil {
		return err
	}
	return tx.Put(bucketVolume, key, day.Add(cost))
}

// tradeVolume is TradeVolume: the volume and the fees it gives for each pair.
func (s *Simulator) tradeVolume(c *call) (any, error) {
	volume, err := volumeOf(c.tx, c.who, c.now)
	if err != nil {
		return nil, err
	}
	wanted, problem := pairsNamed(c.fields["pair"])
	if problem != "" {
		return nil, refusal(problem)
	}
	if c.fields["pair"] == "" {
		wanted = nil
	}
	tier, next := tierFor(volume)
	taker, maker := map[string]any{}, map[string]any{}
	for _, p := range wanted {
		taker[p.Key] = feeLine(tier, next, func(t feeTier) string { return t.Taker })
		maker[p.Key] = feeLine(tier, next, func(t feeTier) string { return t.Maker })
	}
	return map[string]any{"currency": "ZUSD", "volume": volume.StringFixed(4), "fees": taker, "fees_maker": maker}, nil
}

func feeLine(tier feeTier, next int64, percent func(feeTier) string) map[string]any {
	four := func(text string) string { return decimal.RequireFromString(text).StringFixed(4) }
	line := map[string]any{
		"fee": four(percent(tier)), "minfee": four(percent(feeTiers[len(feeTiers)-1])), "maxfee": four(percent(feeTiers[0])),
		"nextfee": nil, "nextvolume": nil, "tiervolume": decimal.NewFromInt(tier.Volume).StringFixed(4),
	}
	for _, step := range feeTiers {
		if next != 0 && step.Volume == next {
			line["nextfee"], line["nextvolume"] = four(percent(step)), decimal.NewFromInt(next).StringFixed(4)
		}
	}
	return line
}
