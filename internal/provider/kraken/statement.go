package kraken

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var _ provider.Statements = (*Client)(nil)

// maxStatementPages bounds one statement: so many pages of fifty lines are more
// than a window of it ever holds.
const maxStatementPages = 2_000

// Statement lists the orders that ended with something bought or sold, and the lines of the
// account's ledger that are no trade. An order in a pair that we do not trade is listed with what it moved of what we
// hold, and an entry that cannot be read with the reason; neither keeps the others from being read. An order's cost and fee are rounded as its purchase
// is booked (ExchangeOrder); other lines towards zero. The rounded-off part is returned
// beside it.
func (c *Client) Statement(ctx context.Context, from, to time.Time) ([]provider.StatementLine, error) {
	lines, err := c.fills(ctx, from, to)
	if err != nil {
		return nil, err
	}
	moves, err := c.moves(ctx, from, to)
	if err != nil {
		return nil, err
	}
	lines = append(lines, moves...)
	slices.SortStableFunc(lines, func(a, b provider.StatementLine) int { return a.At.Compare(b.At) })
	return lines, nil
}

// pagePause is how long is waited before each further page: a page costs one or
// two points of a counter that orders need too, and that gains one a second at
// most, one in three at least (docs.kraken.com/api/docs/guides/spot-rest-ratelimits).
const pagePause = 3 * time.Second

// pages reads a list that is paged by offset, fifty at a time, newest first. What ends
// meanwhile lies behind its end; each reads one page and returns how many lines it had, and
// how many there are in all.
func (c *Client) pages(ctx context.Context, operation string, from, to time.Time, each func(form url.Values) (had, all int, err error)) error {
	seen := 0
	for range maxStatementPages {
		had, all, err := each(url.Values{
			"start": {strconv.FormatInt(from.Unix()-1, 10)}, // exclusive
			"end":   {strconv.FormatInt(to.Unix()+1, 10)},
			"ofs":   {strconv.Itoa(seen)},
		})
		if err != nil {
			return err
		}
		if seen += had; had == 0 || seen >= all {
			return nil
		}
		select {
		case <-time.After(pagePause):
		case <-ctx.Done():
			return c.notSent(operation, "given_up", ctx.Err())
		}
	}
	return c.unreadable(operation, "a statement of more pages than can be looked through")
}

// closedOrder is a closed order as a statement needs it.
type closedOrder struct {
	order
	Closed number `json:"closetm"`
}

func (c *Client) fills(ctx context.Context, from, to time.Time) ([]provider.StatementLine, error) {
	const operation = "ClosedOrders"
	var lines []provider.StatementLine
	err := c.pages(ctx, operation, from, to, func(form url.Values) (int, int, error) {
		var result struct {
			Closed map[string]json.RawMessage `json:"closed"`
			Count  int                        `json:"count"`
		}
		form.Set("closetime", "close")
		if err := c.private(ctx, operation, form, &result); err != nil {
			return 0, 0, err
		}
		for id, raw := range result.Closed {
			line, err := c.fill(ctx, id, raw, to)
			if err != nil {
				return 0, 0, err
			}
			if line != nil {
				lines = append(lines, *line)
			}
		}
		return len(result.Closed), result.Count, nil
	})
	return lines, err
}

// fill reads an order that bought or sold something: nil for one that did not, or that moved nothing we hold. One that
// cannot be read is a line as well, dated now if it has no date.
func (c *Client) fill(ctx context.Context, id string, raw json.RawMessage, now time.Time) (*provider.StatementLine, error) {
	line := &provider.StatementLine{ID: id, Kind: provider.LineFill, Subject: id, At: now}
	var o closedOrder
	if err := json.Unmarshal(raw, &o); err != nil {
		return unread(line, "an order in another form"), nil
	}
	line.At, line.State, line.Settled, line.Ours = momentOf(o.Closed), o.Status, true, o.ClOrdID
	if !o.VolExec.IsPositive() {
		return nil, nil
	}
	if _, known := finished[o.Status]; !known {
		return unread(line, "an order in the state "+o.Status), nil
	}
	if asset, ours := c.names.asset(o.Descr.Pair); ours {
		return line, c.ourFill(line, asset, o)
	}
	sides, err := c.foreign(ctx, o.Descr.Pair)
	switch {
	case isUnknownPair(err):
		return unread(line, "an order in the pair "+o.Descr.Pair), nil
	case err != nil:
		return nil, err
	case sides == currencies{}:
		return nil, nil
	}
	foreignFill(line, sides, o)
	return line, nil
}

// unread makes a line one that a person has to look at.
func unread(line *provider.StatementLine, why string) *provider.StatementLine {
	line.Unread, line.Settled = why, false
	moved(line, money.USD, decimal.Decimal{}, money.Units{})
	return line
}

// ourFill adds what an order in one of our pairs moved, rounded as its purchase is booked.
func (c *Client) ourFill(line *provider.StatementLine, asset money.Currency, o closedOrder) error {
	read, err := c.exchangeOrder("ClosedOrders", line.ID, o.order)
	if err != nil {
		return err
	}
	coins, cost, fee := o.VolExec.Decimal, o.Cost.Round(ledgerPlaces), o.Fee.Round(ledgerPlaces)
	if o.Descr.Side == "sell" {
		moved(line, asset, coins.Neg(), read.Filled.Neg())
		moved(line, money.USD, cost.Sub(fee), read.Cost.Sub(read.Fee))
		return nil
	}
	moved(line, asset, coins, read.Filled)
	moved(line, money.USD, cost.Add(fee).Neg(), read.Cost.Add(read.Fee).Neg())
	return nil
}

// foreignFill adds what an order in another pair moved of what we hold. Its fee is in the quoted currency.
func foreignFill(line *provider.StatementLine, sides currencies, o closedOrder) {
	base, quote := o.VolExec.Decimal, o.Cost.Add(o.Fee.Decimal).Neg()
	if o.Descr.Side == "sell" {
		base, quote = base.Neg(), o.Cost.Sub(o.Fee.Decimal)
	}
	if sides.quote == money.USD {
		quote = quote.Round(ledgerPlaces)
	}
	for currency, exact := range map[money.Currency]decimal.Decimal{sides.base: base, sides.quote: quote} {
		if currency != "" {
			moved(line, currency, exact, currency.FromDecimal(exact, money.Down))
		}
	}
}

// ledgerPlaces is how many places of a dollar the account's ledger has: an order is
// reported with more, and booked there with these.
const ledgerPlaces = 4

// moved records by how much a currency's balance changed: in base units, and the rounded-off
// part.
func moved(line *provider.StatementLine, currency money.Currency, exact decimal.Decimal, rounded money.Units) {
	if line.Moved == nil {
		line.Moved, line.Rest = map[money.Currency]money.Units{}, map[money.Currency]decimal.Decimal{}
	}
	line.Moved[currency] = rounded
	if rest := exact.Sub(currency.Decimal(rounded)).Shift(currency.Decimals()); !rest.IsZero() {
		line.Rest[currency] = rest
	}
}

// movesOf are the types of ledger lines that have a kind of their own here.
var movesOf = map[string]provider.LineKind{"deposit": provider.LineDeposit, "withdrawal": provider.LineWithdraw}

func (c *Client) moves(ctx context.Context, from, to time.Time) ([]provider.StatementLine, error) {
	const operation = "Ledgers"
	var lines []provider.StatementLine
	err := c.pages(ctx, operation, from, to, func(form url.Values) (int, int, error) {
		var result struct {
			Ledger map[string]json.RawMessage `json:"ledger"`
			Count  int                        `json:"count"`
		}
		if err := c.private(ctx, operation, form, &result); err != nil {
			return 0, 0, err
		}
		for id, raw := range result.Ledger {
			var l ledgerLine
			if err := json.Unmarshal(raw, &l); err != nil {
				line := &provider.StatementLine{ID: id, Kind: provider.LineOther, Subject: id, At: to}
				lines = append(lines, *unread(line, "a ledger entry in another form"))
				continue
			}
			if currency, ours := assetCodes[l.Asset]; ours && !strings.EqualFold(l.Type, "trade") {
				lines = append(lines, l.line(id, currency))
			}
		}
		return len(result.Ledger), result.Count, nil
	})
	return lines, err
}

// ledgerLine is a line of the account's ledger: the balance changes by the amount
// less the fee.
type ledgerLine struct {
	RefID  string `json:"refid"`
	Time   number `json:"time"`
	Type   string `json:"type"`
	Asset  string `json:"asset"`
	Amount number `json:"amount"`
	Fee    number `json:"fee"`
}

func (l ledgerLine) line(id string, currency money.Currency) provider.StatementLine {
	kind, known := movesOf[l.Type]
	subject := l.RefID
	if !known {
		kind, subject = provider.LineOther, id
	}
	line := provider.StatementLine{ID: id, Kind: kind, Subject: subject, At: momentOf(l.Time), State: l.Type, Settled: true}
	exact := l.Amount.Sub(l.Fee.Decimal)
	moved(&line, currency, exact, currency.FromDecimal(exact, money.Down))
	return line
}

// momentOf reads a unix time with fractions.
func momentOf(n number) time.Time {
	return time.UnixMicro(n.Mul(decimal.New(1, 6)).IntPart()).UTC()
}
