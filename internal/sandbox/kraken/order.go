package kraken

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// order is an order as the store keeps it. Status is open, closed, canceled or
// expired; a canceled or expired one may have filled in part.
type order struct {
	TxID, Account, Pair string
	Side, Type, TIF     string
	ClientID            string
	UserRef             *int32
	Limit, Volume       decimal.Decimal
	Asked               decimal.Decimal // the volume in quote currency, with viqc
	Filled, Cost, Fee   decimal.Decimal
	Flags, Reason       string
	Status              string
	Opened, Closed      time.Time
	Expires, Visible    time.Time
	Held                decimal.Decimal // of the asset it pays with
	Starved             bool            // the book ran dry under it: waits for a new price
	Trades              []string
}

func (o *order) key() string { return o.Account + "/" + o.TxID }

// left is the volume still to fill.
func (o *order) left() decimal.Decimal { return o.Volume.Sub(o.Filled) }

// flagged reports whether the order has the oflag.
func (o *order) flagged(flag string) bool {
	for f := range strings.SplitSeq(o.Flags, ",") {
		if f == flag {
			return true
		}
	}
	return false
}

// pays is the asset an order on the pair gives away.
func (o *order) pays(p pair) string {
	if o.Side == "buy" {
		return p.Quote
	}
	return p.Base
}

// describe is Kraken's sentence for an order.
func (o *order) describe(p pair) string {
	volume := o.Volume
	if o.flagged("viqc") {
		volume = o.Asked
	}
	sentence := fmt.Sprintf("%s %s %s @ %s", o.Side, volume.StringFixed(lotDecimals), p.Alt, o.Type)
	if o.Type == "limit" {
		sentence += " " + o.Limit.StringFixed(p.PriceDecimals)
	}
	return sentence
}

// view is the order as lookups show it.
func (o *order) view(withTrades bool) map[string]any {
	p, _ := findPair(o.Pair)
	average := decimal.Zero
	if o.Filled.IsPositive() {
		average = o.Cost.DivRound(o.Filled, p.PriceDecimals)
	}
	limit := decimal.Zero
	if o.Type == "limit" {
		limit = o.Limit
	}
	v := map[string]any{
		"refid": nil, "userref": o.UserRef, "cl_ord_id": nil, "status": o.Status, "reason": nil,
		"opentm": stamp(o.Opened), "starttm": 0, "expiretm": stamp(o.Expires),
		"descr": map[string]string{
			"pair": p.Alt, "aclass": "forex", "type": o.Side, "ordertype": o.Type,
			"price": limit.StringFixed(p.PriceDecimals), "price2": "0", "leverage": "none", "order": o.describe(p), "close": "",
		},
		"vol": o.Volume.StringFixed(lotDecimals), "vol_exec": o.Filled.StringFixed(lotDecimals),
		"cost": o.Cost.StringFixed(costDecimals), "fee": o.Fee.StringFixed(costDecimals),
		"price": average.StringFixed(p.PriceDecimals), "stopprice": "0.00000", "limitprice": "0.00000",
		"misc": "", "oflags": o.Flags,
	}
	if o.ClientID != "" {
		v["cl_ord_id"] = o.ClientID
	}
	if o.Status != "open" {
		v["closetm"] = stamp(o.Closed)
	}
	if o.Reason != "" {
		v["reason"] = o.Reason
	}
	if withTrades && len(o.Trades) > 0 {
		v["trades"] = o.Trades
	}
	return v
}

// save writes the order and the indexes its status belongs to.
func (o *order) save(tx *sandbox.Tx) error {
	if err := tx.Put(bucketOrder, o.key(), o); err != nil {
		return err
	}
	if o.ClientID != "" {
		if err := tx.Put(bucketClientID, o.Account+"/"+o.ClientID+"/"+o.TxID, o.TxID); err != nil {
			return err
		}
	}
	if o.Status == "open" {
		return tx.Put(bucketOpen, o.key(), o.Pair)
	}
	if err := tx.Delete(bucketOpen, o.key()); err != nil {
		return err
	}
	return tx.Put(bucketClosed, strings.Join([]string{o.Account, newestFirst(o.Closed), o.TxID}, "/"), o.TxID)
}

// load reads an order of the account.
func load(tx *sandbox.Tx, account, txid string) (*order, bool, error) {
	var o order
	found, err := tx.Get(bucketOrder, account+"/"+txid, &o)
	return &o, found, err
}

// loadAll reads the orders with the ids.
func loadAll(tx *sandbox.Tx, account string, txids []string) ([]*order, error) {
	list := make([]*order, 0, len(txids))
	for _, txid := range txids {
		o, found, err := load(tx, account, txid)
		if err != nil {
			return nil, err
		}
		if found {
			list = append(list, o)
		}
	}
	return list, nil
}

// openIDs are the account's open orders; of one pair unless pair is empty.
func openIDs(tx *sandbox.Tx, account, pair string) (txids []string, err error) {
	err = tx.Each(bucketOpen, account+"/", func(key string, raw []byte) error {
		var of string
		if err := json.Unmarshal(raw, &of); err != nil {
			return err
		}
		if pair == "" || of == pair {
			txids = append(txids, strings.TrimPrefix(key, account+"/"))
		}
		return nil
	})
	return txids, err
}

// clientIDs are the orders that ever had the cl_ord_id.
func clientIDs(tx *sandbox.Tx, account, clientID string) (txids []string, err error) {
	prefix := account + "/" + clientID + "/"
	err = tx.Each(bucketClientID, prefix, func(key string, _ []byte) error {
		txids = append(txids, strings.TrimPrefix(key, prefix))
		return nil
	})
	return txids, err
}

// stamp is a time written as Kraken does: seconds with a fraction, a JSON
// number; 0 for none.
type stamp time.Time

// MarshalJSON writes seconds to the tenth of a microsecond.
func (s stamp) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("0"), nil
	}
	return fmt.Appendf(nil, "%d.%07d", t.Unix(), t.Nanosecond()/100), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *stamp) UnmarshalJSON(raw []byte) error {
	t, err := parseStamp(string(raw))
	*s = stamp(t)
	return err
}

// parseStamp reads unix seconds with or without a fraction.
func parseStamp(text string) (time.Time, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 40)
	if err != nil || seconds < 0 {
		return time.Time{}, fmt.Errorf("not a unix time: %q", text)
	}
	if seconds == 0 && fraction == "" {
		return time.Time{}, nil
	}
	nanos, err := strconv.ParseUint((fraction + "000000000")[:9], 10, 32)
	if err != nil {
		return time.Time{}, fmt.Errorf("not a unix time: %q", text)
	}
	return time.Unix(seconds, int64(nanos)).UTC(), nil
}

// second is a time in whole seconds, as payouts and deposits report it; typed clients read
// it as an integer.
type second time.Time

// MarshalJSON writes unix seconds.
func (s second) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Time(s).Unix(), 10), nil
}

// UnmarshalJSON reads them, with or without a fraction.
func (s *second) UnmarshalJSON(raw []byte) error {
	t, err := parseStamp(string(raw))
	*s = second(t)
	return err
}

const idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// newID makes an id such as OQCLML-BW3P3-BUCMWZ; kind is its first letter.
func newID(kind string) string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw)
	for i, b := range raw {
		raw[i] = idLetters[b&31]
	}
	return kind + string(raw[:5]) + "-" + string(raw[5:10]) + "-" + string(raw[10:])
}
