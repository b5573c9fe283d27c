package kraken

import "github.com/shopspring/decimal"

// quote is the top of a pair's book; its depth is without end.
type quote struct {
	Ask, Bid decimal.Decimal
}

// priceFor is the price at which an order of that side would trade.
func (q quote) priceFor(side string) decimal.Decimal {
	if side == "buy" {
		return q.Ask
	}
	return q.Bid
}

// jump moves both sides by per cent, to the tick.
func (q quote) jump(percent decimal.Decimal, p pair) quote {
	factor := decimal.NewFromInt(1).Add(percent.Shift(-2))
	return quote{Ask: toTick(q.Ask.Mul(factor), p), Bid: toTick(q.Bid.Mul(factor), p)}
}

func toTick(price decimal.Decimal, p pair) decimal.Decimal {
	return price.Div(p.Tick).Round(0).Mul(p.Tick)
}

// terms are an order's fields that matching needs.
type terms struct {
	Side, Type, TIF string // TIF is GTC, IOC, GTD or FOK
	Limit           decimal.Decimal
	Volume          decimal.Decimal // still to fill
	Post            bool
}

// execution is what matching decides: how much trades at once at which price,
// and whether the rest stays in the book.
type execution struct {
	Price, Volume decimal.Decimal
	Rests         bool
	Problem       string // refused outright
}

// match matches an order against the quote. portion is the fraction of the volume that the
// book offers (1 unless a fault reduces it); worse is by how many per cent the trade is
// worse than the quote, never beyond the limit.
func match(t terms, q quote, p pair, portion, worse decimal.Decimal) execution {
	price := q.priceFor(t.Side)
	crosses := t.Type == "market" || !beyond(price, t.Limit, t.Side)
	if crosses && t.Post {
		return execution{Problem: errPostOrder}
	}
	if !crosses {
		return execution{Rests: t.TIF == "GTC" || t.TIF == "GTD"}
	}
	price = worsen(price, worse, t, p)
	volume := t.Volume.Mul(portion).Truncate(lotDecimals)
	if volume.GreaterThanOrEqual(t.Volume) {
		return execution{Price: price, Volume: t.Volume}
	}
	if t.TIF == "FOK" {
		return execution{}
	}
	return execution{Price: price, Volume: volume, Rests: t.Type == "limit" && t.TIF != "IOC"}
}

// beyond reports whether a price is worse than the limit for the side.
func beyond(price, limit decimal.Decimal, side string) bool {
	if side == "buy" {
		return price.GreaterThan(limit)
	}
	return price.LessThan(limit)
}

func worsen(price, percent decimal.Decimal, t terms, p pair) decimal.Decimal {
	if percent.IsZero() {
		return price
	}
	if t.Side == "sell" {
		percent = percent.Neg()
	}
	worse := quote{Ask: price, Bid: price}.jump(percent, p).priceFor(t.Side)
	if t.Type == "limit" && beyond(worse, t.Limit, t.Side) {
		return t.Limit
	}
	return worse
}

// costOf is the quote amount of a trade, rounded half up to the pair's cost
// decimals.
func costOf(price, volume decimal.Decimal) decimal.Decimal {
	return price.Mul(volume).Round(costDecimals)
}
