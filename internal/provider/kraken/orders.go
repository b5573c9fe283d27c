package kraken

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// searchBack is how far before the first send a lookup begins, for clocks that disagree.
const searchBack = 2 * time.Minute

// deadlineLayout is RFC 3339 with milliseconds.
const deadlineLayout = "2006-01-02T15:04:05.000Z07:00"

// maxPages bounds a walk through closed orders.
const maxPages = 20

// Buy sends one limit order that fills at once, in part or not at all. The
// limit must be a multiple of the pair's tick, the amount of its lot.
func (c *Client) Buy(ctx context.Context, in provider.BuyInput) (string, error) {
	const operation = "AddOrder"
	if !in.Asset.IsAsset() {
		return "", c.refuse(operation, "unknown_pair")
	}
	form := url.Values{
		"pair":        {market(in.Asset)},
		"type":        {"buy"},
		"ordertype":   {"limit"},
		"timeinforce": {"IOC"},
		"price":       {in.Limit.String()},
		"volume":      {in.Asset.Decimal(in.Amount).String()},
		"cl_ord_id":   {in.ClientID},
		"deadline":    {in.Deadline.UTC().Format(deadlineLayout)},
	}
	var result struct {
		TxID []string `json:"txid"`
	}
	if err := c.private(ctx, operation, form, &result); err != nil {
		return "", err
	}
	if len(result.TxID) != 1 || result.TxID[0] == "" {
		return "", c.unreadable(operation, "an order without exactly one id")
	}
	return result.TxID[0], nil
}

// order holds the fields of an order that we read.
type order struct {
	ClOrdID string `json:"cl_ord_id"`
	Status  string `json:"status"`
	VolExec number `json:"vol_exec"`
	Cost    number `json:"cost"`
	Fee     number `json:"fee"`
	Descr   struct {
		Pair string `json:"pair"`
		Side string `json:"type"`
	} `json:"descr"`
}

// FindOrder searches open, then closed orders. Kraken shows a new order after a moment
// only: ErrNotFound once proves nothing.
//
// Two filled orders under one id mean that coin was bought twice; that is an error with the
// code duplicate_orders, for staff to review.
func (c *Client) FindOrder(ctx context.Context, clientID string, since time.Time) (provider.ExchangeOrder, error) {
	found, again := c.resume(clientID)
	if !again {
		var err error
		if found, err = c.openOrders(ctx, clientID); err != nil {
			return provider.ExchangeOrder{}, err
		}
	}
	closed, err := c.closedOrders(ctx, clientID, since)
	if err != nil {
		c.suspend(clientID, found, err)
		return provider.ExchangeOrder{}, err
	}
	for id, o := range closed {
		found[id] = o // the later state of the two
	}
	return c.choose(found)
}

// suspend keeps the first half of a lookup whose second half Kraken refused under its rate
// limit; the next lookup of the same order continues from there. A new lookup would read
// open orders again: of many at once (after a crash, say) these cheaper first halves would
// use up the limit that each second half needs, and none would complete.
func (c *Client) suspend(clientID string, open map[string]order, err error) {
	var said *provider.Error
	if errors.As(err, &said) && said.Code == "rate_limited" {
		c.halves.Store(clientID, open)
	}
}

// resume returns the first half of a suspended lookup, once.
func (c *Client) resume(clientID string) (open map[string]order, suspended bool) {
	half, suspended := c.halves.LoadAndDelete(clientID)
	if suspended {
		open, suspended = half.(map[string]order)
	}
	return open, suspended
}

// choose returns the order that filled, or else any of those that did not.
func (c *Client) choose(found map[string]order) (provider.ExchangeOrder, error) {
	const operation = "FindOrder"
	if len(found) == 0 {
		return provider.ExchangeOrder{}, provider.ErrNotFound
	}
	ids := make([]string, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	best, filled := ids[0], 0
	for _, id := range ids {
		if found[id].VolExec.IsPositive() {
			best = id
			filled++
		}
	}
	if filled > 1 {
		return provider.ExchangeOrder{}, &provider.Error{
			Class: provider.Unknown, Provider: providerName, Operation: operation,
			Code: "duplicate_orders", Detail: strings.Join(ids, " "),
		}
	}
	return c.exchangeOrder(operation, best, found[best])
}

func (c *Client) openOrders(ctx context.Context, clientID string) (map[string]order, error) {
	var result struct {
		Open map[string]json.RawMessage `json:"open"`
	}
	if err := c.private(ctx, "OpenOrders", url.Values{"cl_ord_id": {clientID}}, &result); err != nil {
		return nil, err
	}
	return c.only("OpenOrders", clientID, result.Open)
}

func (c *Client) closedOrders(ctx context.Context, clientID string, since time.Time) (map[string]order, error) {
	found, seen := map[string]order{}, 0
	for range maxPages {
		var result struct {
			Closed map[string]json.RawMessage `json:"closed"`
			Count  int                        `json:"count"`
		}
		form := url.Values{
			"cl_ord_id": {clientID},
			"start":     {strconv.FormatInt(since.Add(-searchBack).Unix(), 10)},
			"ofs":       {strconv.Itoa(seen)},
		}
		if err := c.private(ctx, "ClosedOrders", form, &result); err != nil {
			return nil, err
		}
		ours, err := c.only("ClosedOrders", clientID, result.Closed)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, ours)
		seen += len(result.Closed)
		if len(result.Closed) == 0 || seen >= result.Count {
			return found, nil
		}
	}
	return nil, c.unreadable("ClosedOrders", "more closed orders than can be looked through")
}

// only keeps what really bears the id, should a filter have been passed over, and reads nothing else.
func (c *Client) only(operation, clientID string, all map[string]json.RawMessage) (map[string]order, error) {
	out := map[string]order{}
	for id, raw := range all {
		var named struct {
			ClOrdID string `json:"cl_ord_id"`
		}
		if json.Unmarshal(raw, &named) != nil || !strings.EqualFold(named.ClOrdID, clientID) {
			continue
		}
		var o order
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, c.unreadable(operation, "an order in another form")
		}
		out[id] = o
	}
	return out, nil
}

// ReadOrder reads one order by Kraken's id.
func (c *Client) ReadOrder(ctx context.Context, orderID string) (provider.ExchangeOrder, error) {
	const operation = "QueryOrders"
	var result map[string]order
	err := c.private(ctx, operation, url.Values{"txid": {orderID}}, &result)
	if isUnknownOrder(err) {
		return provider.ExchangeOrder{}, provider.ErrNotFound
	}
	if err != nil {
		return provider.ExchangeOrder{}, err
	}
	o, ok := result[orderID]
	if !ok {
		return provider.ExchangeOrder{}, provider.ErrNotFound
	}
	return c.exchangeOrder(operation, orderID, o)
}

func isUnknownOrder(err error) bool {
	var e *provider.Error
	return errors.As(err, &e) &&
		(strings.HasPrefix(e.Detail, "EOrder:Unknown order") || strings.HasPrefix(e.Detail, "EOrder:Invalid order"))
}

// finished are the states in which an order no longer changes; the others are
// pending and open.
var finished = map[string]bool{"closed": true, "canceled": true, "expired": true, "pending": false, "open": false}

func (c *Client) exchangeOrder(operation, id string, o order) (provider.ExchangeOrder, error) {
	done, known := finished[o.Status]
	if !known {
		return provider.ExchangeOrder{}, c.unreadable(operation, "an order in an unknown state")
	}
	asset, known := c.names.asset(o.Descr.Pair)
	if !known {
		return provider.ExchangeOrder{}, c.unreadable(operation, "an order in an unknown pair")
	}
	return provider.ExchangeOrder{
		ID:       id,
		ClientID: o.ClOrdID,
		Done:     done,
		Filled:   asset.FromDecimal(o.VolExec.Decimal, money.Down),
		Cost:     money.USD.FromDecimal(o.Cost.Decimal, money.Up),
		Fee:      money.USD.FromDecimal(o.Fee.Decimal, money.Up),
	}, nil
}

// Balances gives what is free to trade (counted as Holdings describes).
func (c *Client) Balances(ctx context.Context) (map[money.Currency]money.Units, error) {
	holdings, err := c.Holdings(ctx)
	if err != nil {
		return nil, err
	}
	out := map[money.Currency]money.Units{}
	for currency, have := range holdings {
		out[currency] = have.Free
	}
	return out, nil
}
