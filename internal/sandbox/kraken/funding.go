package kraken

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// method is how an asset leaves the exchange.
type method struct {
	Asset, Name, Network string
	Fee, Minimum         string
}

var methods = []method{
	{"XXBT", "Bitcoin", "Bitcoin", "0.00002", "0.0001"},
	{"XETH", "Ether", "Ethereum", "0.0004", "0.002"},
	{"USDT", "Tether USD (ERC20)", "Ethereum", "2", "5"},
	{"USDC", "USDC (ERC20)", "Ethereum", "1", "5"},
	{"ZUSD", "FedWire", "FedWire", "4", "20"},
}

// withdrawal is a payout and its fate: Initial, Pending, Settled, Success, or
// Failure; Prop is what Kraken calls status-prop.
type withdrawal struct {
	Method  string          `json:"method"`
	Network string          `json:"network"`
	Class   string          `json:"aclass"`
	Asset   string          `json:"asset"`
	RefID   string          `json:"refid"`
	TxID    *string         `json:"txid"`
	Info    string          `json:"info"`
	Amount  decimal.Decimal `json:"amount"`
	Fee     decimal.Decimal `json:"fee"`
	Time    second          `json:"time"`
	Status  string          `json:"status"`
	Prop    string          `json:"status-prop,omitempty"`
	Key     string          `json:"key"`
}

// payout is a withdrawal in the store.
type payout struct {
	withdrawal
	Fate    string    `json:"_fate"`    // the fault that was armed for it
	Visible time.Time `json:"_visible"` // lookups miss it before
	Began   time.Time `json:"_began"`   // to the nanosecond
}

// began is when the payout was requested.
func (w payout) began() time.Time {
	if w.Began.IsZero() {
		return time.Time(w.Time)
	}
	return w.Began
}

// withdrawalSteps are when a withdrawal reaches each status, in sixths of the
// time from the request to the last one.
var withdrawalSteps = []struct {
	status string
	sixths time.Duration
}{{"Success", 6}, {"Settled", 4}, {"Pending", 1}}

// maxPayouts are the rows of a WithdrawStatus; payoutMark begins its cursors.
const (
	maxPayouts = 500
	payoutMark = "payouts:"
)

// withdrawalTime is how long a withdrawal lasts unless the control page changes it, in
// seconds.
const withdrawalTime = 12

// ask checks what WithdrawInfo and Withdraw have in common.
func (c *call) ask() (m method, address string, amount decimal.Decimal, problem error) {
	a, known := findAsset(c.fields["asset"])
	if !known {
		return m, "", amount, refusal(errFundingAsset)
	}
	at := slices.IndexFunc(methods, func(m method) bool { return m.Asset == a.Code })
	if at < 0 {
		return m, "", amount, refusal(errFundingMethod)
	}
	m = methods[at]
	found, err := c.tx.Get(bucketAddress, a.Code+"/"+c.fields["key"], &address)
	if err != nil {
		return m, "", amount, err
	}
	if !found {
		return m, "", amount, refusal(errWithdrawKey)
	}
	if !amountForm.MatchString(c.fields["amount"]) {
		return m, "", amount, refusal(wrong("amount"))
	}
	amount = decimal.RequireFromString(c.fields["amount"])
	if amount.LessThan(decimal.RequireFromString(m.Minimum)) || !amount.Equal(amount.Truncate(a.Decimals)) {
		return m, "", amount, refusal(errFundingAmount)
	}
	return m, address, amount, nil
}

// withdrawInfo is WithdrawInfo: what a payout would cost. amount is what the receiver gets,
// the fee deducted.
func (s *Simulator) withdrawInfo(c *call) (any, error) {
	m, _, amount, err := c.ask()
	if err != nil {
		return nil, err
	}
	b, err := balanceOf(c.tx, c.who, m.Asset)
	if err != nil {
		return nil, err
	}
	fee := decimal.RequireFromString(m.Fee)
	return map[string]string{"method": m.Name, "limit": b.free().String(), "amount": amount.Sub(fee).String(), "fee": fee.String()}, nil
}

// withdraw is Withdraw. It has no identity of the client's: sent twice, it pays
// twice.
func (s *Simulator) withdraw(c *call) (any, error) {
	m, address, amount, err := c.ask()
	if err != nil {
		return nil, err
	}
	fee := decimal.RequireFromString(m.Fee)
	switch {
	case c.fields["address"] != "" && c.fields["address"] != address:
		return nil, refusal(wrong("address"))
	case c.fields["max_fee"] != "" && fee.GreaterThan(amountOr(c.fields["max_fee"], decimal.Zero)):
		return nil, refusal(errFundingMaxFee)
	}
	b, err := balanceOf(c.tx, c.who, m.Asset)
	if err != nil {
		return nil, err
	}
	if amount.GreaterThan(b.free()) || !amount.GreaterThan(fee) {
		return nil, refusal(errFundingAmount)
	}
	w := payout{Fate: c.trick.payout, Began: c.now, Visible: c.now.Add(time.Duration(c.trick.lag) * time.Second), withdrawal: withdrawal{
		Method: m.Name, Network: m.Network, Class: "currency", Asset: m.Asset, RefID: newID("F"), Info: address,
		Amount: amount.Sub(fee), Fee: fee, Time: second(c.now), Status: "Initial", Key: c.fields["key"],
	}}
	if err := book(c.tx, c.who, c.now, "withdrawal", w.RefID, m.Asset, w.Amount.Neg(), fee); err != nil {
		return nil, err
	}
	key := strings.Join([]string{c.who.Name, newestFirst(c.now), w.RefID}, "/")
	if err := c.tx.Put(bucketMoving, key, m.Asset); err != nil {
		return nil, err
	}
	if err := c.tx.Put(bucketWithdrawal, key, w); err != nil {
		return nil, err
	}
	return map[string]string{"refid": w.RefID}, s.world.Effects.Count(c.tx, "kraken", "withdraw", w.RefID)
}

// withdrawStatus is WithdrawStatus: an array, newest first.
func (s *Simulator) withdrawStatus(c *call) (any, error) {
	start, end, err := s.span(c)
	if err != nil {
		return nil, err
	}
	code := ""
	if c.fields["asset"] != "" {
		a, known := findAsset(c.fields["asset"])
		if !known {
			return nil, refusal(errFundingAsset)
		}
		code = a.Code
	}
	rows := []withdrawal{}
	first, most, err := c.pageOfPayouts()
	if err != nil {
		return nil, err
	}
	err = c.tx.Each(bucketWithdrawal, c.who.Name+"/", func(_ string, raw []byte) error {
		var w payout
		if err := json.Unmarshal(raw, &w); err != nil {
			return err
		}
		at := w.began()
		fits := (code == "" || code == w.Asset) && (c.fields["method"] == "" || c.fields["method"] == w.Method)
		if fits && at.After(start) && (end.IsZero() || !at.After(end)) && !c.now.Before(w.Visible) {
			rows = append(rows, w.withdrawal)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rest := rows[min(first, len(rows)):]
	rows = rest[:min(most, len(rest))]
	if c.fields.on("cursor") {
		var next *string
		if len(rest) > most {
			next = payoutCursor(first + most)
		}
		return map[string]any{"withdrawals": rows, "next_cursor": next}, nil
	}
	return rows, nil
}

// pageOfPayouts reads where a page of WithdrawStatus begins and how long it may
// be. A cursor is true for the first page, then what the page before gave.
func (c *call) pageOfPayouts() (first, most int, err error) {
	most = maxPayouts
	if text := c.fields["limit"]; text != "" {
		if most, err = strconv.Atoi(text); err != nil || most < 1 || most > maxPayouts {
			return 0, 0, refusal(wrong("limit"))
		}
	}
	cursor := c.fields["cursor"]
	if !c.fields.on("cursor") || cursor == "1" || strings.EqualFold(cursor, "true") {
		return 0, most, nil
	}
	raw, err := base64.URLEncoding.DecodeString(cursor)
	if err == nil {
		first, err = strconv.Atoi(strings.TrimPrefix(string(raw), payoutMark))
	}
	if err != nil || first < 0 {
		return 0, 0, refusal(wrong("cursor"))
	}
	return first, most, nil
}

func payoutCursor(first int) *string {
	text := base64.URLEncoding.EncodeToString([]byte(payoutMark + strconv.Itoa(first)))
	return &text
}

// withdrawMethods is WithdrawMethods: how assets leave, of one if given.
func (s *Simulator) withdrawMethods(c *call) (any, error) {
	code := ""
	if name := c.fields["asset"]; name != "" {
		a, known := findAsset(name)
		if !known {
			return nil, refusal(errFundingAsset)
		}
		code = a.Code
	}
	rows := []map[string]string{}
	for _, m := range methods {
		if code == "" || code == m.Asset {
			rows = append(rows, map[string]string{"asset": m.Asset, "method": m.Name, "network": m.Network, "minimum": m.Minimum})
		}
	}
	return rows, nil
}

// withdrawCancel is WithdrawCancel: true while the payout has not settled; the money is
// returned.
func (s *Simulator) withdrawCancel(c *call) (any, error) {
	a, known := findAsset(c.fields["asset"])
	if !known {
		return nil, refusal(errFundingAsset)
	}
	var key string
	var w payout
	err := c.tx.Each(bucketWithdrawal, c.who.Name+"/", func(k string, raw []byte) error {
		if !strings.HasSuffix(k, "/"+c.fields["refid"]) {
			return nil
		}
		key = k
		return json.Unmarshal(raw, &w)
	})
	switch {
	case err != nil:
		return nil, err
	case key == "" || w.Asset != a.Code:
		return nil, refusal(errFundingReference)
	case w.Status != "Initial" && w.Status != "Pending":
		return false, nil
	}
	return true, giveBack(c.tx, c.who, key, w, c.now, "canceled")
}

// giveBack ends a payout that did not happen.
func giveBack(tx *sandbox.Tx, who account, key string, w payout, now time.Time, why string) error {
	w.Status, w.Prop = "Failure", why
	if err := book(tx, who, now, "withdrawal", w.RefID, w.Asset, w.Amount.Add(w.Fee), decimal.Zero); err != nil {
		return err
	}
	if err := tx.Delete(bucketMoving, key); err != nil {
		return err
	}
	return tx.Put(bucketWithdrawal, key, w)
}

// withdrawAddresses is WithdrawAddresses: the registered keys.
func (s *Simulator) withdrawAddresses(c *call) (any, error) {
	rows := []map[string]any{}
	err := c.tx.Each(bucketAddress, "", func(key string, raw []byte) error {
		code, name, _ := strings.Cut(key, "/")
		var address string
		if err := json.Unmarshal(raw, &address); err != nil {
			return err
		}
		for _, m := range methods {
			if m.Asset == code {
				rows = append(rows, map[string]any{"address": address, "asset": code, "method": m.Name, "key": name, "verified": true})
			}
		}
		return nil
	})
	return rows, err
}

// moveWithdrawals walks payouts on with the time.
func (s *Simulator) moveWithdrawals(tx *sandbox.Tx, now time.Time) error {
	set, err := s.settings(tx)
	if err != nil {
		return err
	}
	var keys []string
	err = tx.Each(bucketMoving, "", func(key string, _ []byte) error {
		keys = append(keys, key)
		return nil
	})
	for _, key := range keys {
		if err == nil {
			err = s.moveWithdrawal(tx, key, time.Duration(set.Payouts)*time.Second, now)
		}
	}
	return err
}

func (s *Simulator) moveWithdrawal(tx *sandbox.Tx, key string, whole time.Duration, now time.Time) error {
	var w payout
	if _, err := tx.Get(bucketWithdrawal, key, &w); err != nil {
		return err
	}
	before := w.Status
	for _, step := range withdrawalSteps {
		if now.Sub(w.began()) >= step.sixths*whole/6 {
			w.Status = step.status
			break
		}
	}
	late := w.Status != "Initial" && w.Status != "Pending"
	switch {
	case late && w.Fate == "withdrawal_failed":
		name, _, _ := strings.Cut(key, "/")
		return giveBack(tx, account{Name: name}, key, w, now, "return")
	case w.Fate == "withdrawal_held" && w.Status != "Initial":
		w.Status, w.Prop = "Pending", "onhold"
	}
	if w.Status == before {
		return nil
	}
	if w.TxID == nil && w.Status != "Pending" {
		txid := chainID(w.RefID)
		w.TxID = &txid
	}
	if w.Status == "Success" {
		if err := tx.Delete(bucketMoving, key); err != nil {
			return err
		}
		if err := s.world.Chain.Deliver(tx, w.delivery(now)); err != nil {
			return err
		}
	}
	return tx.Put(bucketWithdrawal, key, w)
}

// delivery is the coin that is on the network now.
func (w *payout) delivery(now time.Time) sandbox.Coin {
	a, _ := findAsset(w.Asset)
	asset := a.Alt
	if asset == "XBT" {
		asset = "BTC"
	}
	return sandbox.Coin{Asset: asset, Network: strings.ToLower(w.Network), Address: w.Info, Amount: w.Amount, TxID: *w.TxID, At: now}
}

// Register gives the account a withdrawal key, as its owner did on the
// exchange's own pages.
func (s *Simulator) Register(asset, key, address string) error {
	a, known := findAsset(asset)
	if !known {
		return fmt.Errorf("no asset %q", asset)
	}
	return s.world.Store.Update(func(tx *sandbox.Tx) error { return tx.Put(bucketAddress, a.Code+"/"+key, address) })
}
