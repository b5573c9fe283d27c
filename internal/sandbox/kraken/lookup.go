package kraken

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	pageSize = 50 // rows of ClosedOrders, TradesHistory and Ledgers
	maxQuery = 50 // ids in one QueryOrders
)

var txidForm = regexp.MustCompile(`^[OTL][A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{6}$`)

// errEnough ends a walk over keys early.
var errEnough = errors.New("enough")

// queryOrders is QueryOrders: orders by id. One that does not show yet is left
// out; an id that never was is an error.
func (s *Simulator) queryOrders(c *call) (any, error) {
	txids := strings.Split(c.fields["txid"], ",")
	if c.fields["txid"] == "" || len(txids) > maxQuery {
		return nil, refusal(wrong("txid"))
	}
	result := map[string]any{}
	for _, txid := range txids {
		txid = strings.TrimSpace(txid)
		o, found, err := load(c.tx, c.who.Name, txid)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, refusal(errInvalidOrder)
		}
		if c.shows(o) {
			result[txid] = o.view(c.fields.on("trades"))
		}
	}
	return result, nil
}

// shows applies the lag of lookups, and the userref filter.
func (c *call) shows(o *order) bool {
	if o.Visible.After(c.now) {
		return false
	}
	want := c.fields["userref"]
	return want == "" || (o.UserRef != nil && strconv.Itoa(int(*o.UserRef)) == want)
}

// openOrders is OpenOrders, by cl_ord_id or userref if given.
func (s *Simulator) openOrders(c *call) (any, error) {
	txids, err := openIDs(c.tx, c.who.Name, "")
	if id := c.fields["cl_ord_id"]; id != "" && err == nil {
		txids, err = clientIDs(c.tx, c.who.Name, id)
	}
	if err != nil {
		return nil, err
	}
	orders, err := loadAll(c.tx, c.who.Name, txids)
	if err != nil {
		return nil, err
	}
	open := map[string]any{}
	for _, o := range orders {
		if o.Status == "open" && c.shows(o) {
			open[o.TxID] = o.view(c.fields.on("trades"))
		}
	}
	return map[string]any{"open": open}, nil
}

// closedOrders is ClosedOrders: newest first, fifty from ofs on; count is how many there
// are in all. start is exclusive, end inclusive; both are unix times or ids of orders,
// which stand for their opening. closetime determines whether opening, closing or both must
// lie between them.
func (s *Simulator) closedOrders(c *call) (any, error) {
	start, end, err := s.span(c)
	if err != nil {
		return nil, err
	}
	kind := c.fields["closetime"]
	if kind != "" && kind != "open" && kind != "close" && kind != "both" {
		return nil, refusal(wrong("closetime"))
	}
	orders, err := s.closedSince(c, start)
	if err != nil {
		return nil, err
	}
	orders = slices.DeleteFunc(orders, func(o *order) bool {
		return o.Status == "open" || !c.shows(o) || !within(o, kind, start, end)
	})
	slices.SortStableFunc(orders, func(a, b *order) int { return b.Closed.Compare(a.Closed) })
	closed := map[string]any{}
	for _, o := range page(orders, c.fields["ofs"]) {
		closed[o.TxID] = o.view(c.fields.on("trades"))
	}
	return map[string]any{"closed": closed, "count": len(orders)}, nil
}

// closedSince are the orders that may have closed after start: those of the
// cl_ord_id when one is given.
func (s *Simulator) closedSince(c *call, start time.Time) ([]*order, error) {
	if id := c.fields["cl_ord_id"]; id != "" {
		txids, err := clientIDs(c.tx, c.who.Name, id)
		if err != nil {
			return nil, err
		}
		return loadAll(c.tx, c.who.Name, txids)
	}
	var txids []string
	err := c.tx.Each(bucketClosed, c.who.Name+"/", func(key string, _ []byte) error {
		parts := strings.Split(key, "/")
		if !timeOf(parts[1]).After(start) {
			return errEnough
		}
		txids = append(txids, parts[2])
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return loadAll(c.tx, c.who.Name, txids)
}

func within(o *order, kind string, start, end time.Time) bool {
	in := func(t time.Time) bool { return t.After(start) && (end.IsZero() || !t.After(end)) }
	switch kind {
	case "open":
		return in(o.Opened)
	case "close":
		return in(o.Closed)
	}
	return in(o.Opened) && in(o.Closed)
}

// span reads start and end.
func (s *Simulator) span(c *call) (start, end time.Time, err error) {
	if start, err = s.moment(c, "start"); err != nil {
		return start, end, err
	}
	end, err = s.moment(c, "end")
	return start, end, err
}

func (s *Simulator) moment(c *call, field string) (time.Time, error) {
	text := c.fields[field]
	if txidForm.MatchString(text) {
		o, found, err := load(c.tx, c.who.Name, text)
		if err == nil && !found {
			err = refusal(wrong(field))
		}
		return o.Opened, err
	}
	if text == "" {
		return time.Time{}, nil
	}
	at, err := parseStamp(text)
	if err != nil {
		return at, refusal(wrong(field))
	}
	return at, nil
}

// page is fifty rows from the offset.
func page[T any](rows []T, offset string) []T {
	n, err := strconv.Atoi(offset)
	if err != nil || n < 0 {
		n = 0
	}
	n = min(n, len(rows))
	return rows[n:min(n+pageSize, len(rows))]
}

// cancelOrder is CancelOrder by txid, userref or cl_ord_id.
func (s *Simulator) cancelOrder(c *call) (any, error) {
	if c.set.Status == "maintenance" {
		return nil, refusal(errUnavailable)
	}
	orders, err := s.named(c)
	if err != nil {
		return nil, err
	}
	orders = slices.DeleteFunc(orders, func(o *order) bool { return o.Status != "open" })
	if len(orders) == 0 {
		return nil, refusal(errUnknownOrder)
	}
	if err := s.cancel(c, orders); err != nil {
		return nil, err
	}
	return map[string]any{"count": len(orders), "pending": false}, nil
}

// cancelAll is CancelAll: every open order ends.
func (s *Simulator) cancelAll(c *call) (any, error) {
	txids, err := openIDs(c.tx, c.who.Name, "")
	if err != nil {
		return nil, err
	}
	return s.cancelMany(c, txids)
}

// cancelBatch is CancelOrderBatch: up to fifty orders by txid or userref in orders, or by
// their own ids in cl_ord_ids. Those that have ended do not count.
func (s *Simulator) cancelBatch(c *call) (any, error) {
	named, own := commaList(c.fields["orders"]), commaList(c.fields["cl_ord_ids"])
	if n := len(named) + len(own); n == 0 || n > maxQuery {
		return nil, refusal(wrong("orders"))
	}
	txids := []string{}
	for _, id := range own {
		more, err := clientIDs(c.tx, c.who.Name, id)
		if err != nil {
			return nil, err
		}
		txids = append(txids, more...)
	}
	open, err := openIDs(c.tx, c.who.Name, "")
	if err != nil {
		return nil, err
	}
	resting, err := loadAll(c.tx, c.who.Name, open)
	for _, o := range resting {
		ref := ""
		if o.UserRef != nil {
			ref = strconv.Itoa(int(*o.UserRef))
		}
		if slices.Contains(named, o.TxID) || (ref != "" && slices.Contains(named, ref)) {
			txids = append(txids, o.TxID)
		}
	}
	if err != nil {
		return nil, err
	}
	return s.cancelMany(c, txids)
}

func commaList(text string) []string {
	return slices.DeleteFunc(strings.Split(text, ","), func(one string) bool { return one == "" })
}

// cancelMany ends those of the orders that are open, and counts them.
func (s *Simulator) cancelMany(c *call, txids []string) (any, error) {
	if c.set.Status == "maintenance" {
		return nil, refusal(errUnavailable)
	}
	slices.Sort(txids)
	orders, err := loadAll(c.tx, c.who.Name, slices.Compact(txids))
	if err != nil {
		return nil, err
	}
	orders = slices.DeleteFunc(orders, func(o *order) bool { return o.Status != "open" || !c.shows(o) })
	return map[string]any{"count": len(orders)}, s.cancel(c, orders)
}

// cancel ends open orders at their owner's wish.
func (s *Simulator) cancel(c *call, orders []*order) error {
	l := c.set.limitsOf(c.who)
	for _, o := range orders {
		p, _ := findPair(o.Pair)
		if !s.counters.add("engine/"+c.who.Key+"/"+p.Key, cancelPoints(c.now.Sub(o.Opened)), l.engine, l.engineDecay, c.now) {
			return refusal(errOrderRate)
		}
	}
	for _, o := range orders {
		p, _ := findPair(o.Pair)
		if err := s.end(c.tx, c.who, o, p, "canceled", "User requested", c.now); err != nil {
			return err
		}
	}
	return nil
}

// named are the orders a cancellation speaks of.
func (s *Simulator) named(c *call) ([]*order, error) {
	txids := []string{c.fields["txid"]}
	var err error
	switch {
	case c.fields["cl_ord_id"] != "":
		txids, err = clientIDs(c.tx, c.who.Name, c.fields["cl_ord_id"])
	case c.fields["txid"] == "":
		return nil, refusal(wrong("txid"))
	case !txidForm.MatchString(c.fields["txid"]):
		c.fields["userref"] = c.fields["txid"]
		txids, err = openIDs(c.tx, c.who.Name, "")
	}
	if err != nil {
		return nil, err
	}
	orders, err := loadAll(c.tx, c.who.Name, txids)
	return slices.DeleteFunc(orders, func(o *order) bool { return !c.shows(o) }), err
}

// report reads an account's bucket newest first, between start and end, and shows a page of
// the rows that keep accepts.
func report[T any](c *call, bucket string, start, end time.Time, keep func(id string, row T) bool) (rows map[string]T, count int, err error) {
	type named struct {
		id  string
		row T
	}
	var all []named
	err = c.tx.Each(bucket, c.who.Name+"/", func(key string, raw []byte) error {
		parts := strings.Split(key, "/")
		at := timeOf(parts[1])
		if !at.After(start) {
			return errEnough
		}
		if !end.IsZero() && at.After(end) {
			return nil
		}
		n := named{id: parts[2]}
		if err := json.Unmarshal(raw, &n.row); err != nil {
			return err
		}
		if keep(n.id, n.row) {
			all = append(all, n)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, 0, err
	}
	rows = map[string]T{}
	for _, n := range page(all, c.fields["ofs"]) {
		rows[n.id] = n.row
	}
	return rows, len(all), nil
}

// tradesHistory is TradesHistory.
func (s *Simulator) tradesHistory(c *call) (any, error) {
	start, end, err := s.span(c)
	if err != nil {
		return nil, err
	}
	rows, count, err := report(c, bucketTrade, start, end, func(string, trade) bool { return true })
	return map[string]any{"trades": rows, "count": count}, err
}

// queryTrades is QueryTrades: trades by id.
func (s *Simulator) queryTrades(c *call) (any, error) {
	wanted := strings.Split(c.fields["txid"], ",")
	rows, _, err := report(c, bucketTrade, time.Time{}, time.Time{}, func(id string, _ trade) bool { return slices.Contains(wanted, id) })
	return rows, err
}

// ledgers is Ledgers, of some assets and one type if given.
func (s *Simulator) ledgers(c *call) (any, error) {
	start, end, err := s.span(c)
	if err != nil {
		return nil, err
	}
	var codes []string
	for name := range strings.SplitSeq(c.fields["asset"], ",") {
		if a, known := findAsset(name); known {
			codes = append(codes, a.Code)
		} else if name != "" && name != "all" {
			return nil, refusal(errUnknownAsset)
		}
	}
	kind := c.fields["type"]
	rows, count, err := report(c, bucketLedger, start, end, func(_ string, e entry) bool {
		return (len(codes) == 0 || slices.Contains(codes, e.Asset)) && (kind == "" || kind == "all" || kind == e.Type)
	})
	return map[string]any{"ledger": rows, "count": count}, err
}

// queryLedgers is QueryLedgers: ledger lines by id.
func (s *Simulator) queryLedgers(c *call) (any, error) {
	wanted := strings.Split(c.fields["id"], ",")
	rows, _, err := report(c, bucketLedger, time.Time{}, time.Time{}, func(id string, _ entry) bool { return slices.Contains(wanted, id) })
	return rows, err
}
