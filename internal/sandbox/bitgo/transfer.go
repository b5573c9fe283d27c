package bitgo

import (
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// The states of providers §3.3 that the simulator uses.
const (
	statePendingApproval = "pendingApproval"
	stateRejected        = "rejected"
	stateSigned          = "signed"
	stateUnconfirmed     = "unconfirmed"
	stateConfirmed       = "confirmed"
	stateFailed          = "failed"
	stateReplaced        = "replaced"
	stateRemoved         = "removed"
)

const heightUnconfirmed = 999_999_999

// recipient is one output of a send.
type recipient struct {
	Address string
	Amount  decimal.Decimal
}

// transfer is money into or out of a wallet, as the store keeps it.
type transfer struct {
	ID, Coin, Wallet   string
	TxID               string // empty before it is signed
	SequenceID         string
	Type               string // send or receive
	State              string
	Comment            string
	Recipients         []recipient
	Fee                decimal.Decimal // base units of the chain's own coin
	Approval           string
	Creator            string
	Created, Signed    time.Time
	Confirmed, Visible time.Time
	Fate               string        // its end instead of being confirmed
	Final              bool          // a removed one stays removed, and its coin is back
	Dies               bool          // a removed one fails in the end
	Unmined            time.Duration // no block includes it for so long
	Replaces           []string
	ReplacedBy         []string
	History            []event
}

// event is a line of a transfer's history.
type event struct {
	Date   time.Time `json:"date"`
	Action string    `json:"action"`
	User   string    `json:"user,omitempty"`
}

// amount is what the recipients get together.
func (t *transfer) amount() decimal.Decimal {
	sum := decimal.Zero
	for _, r := range t.Recipients {
		sum = sum.Add(r.Amount)
	}
	return sum
}

// minedAt is when it is confirmed first, or ends otherwise.
func (t *transfer) minedAt(p transitions) time.Time { return t.Signed.Add(max(p.Confirmed, t.Unmined)) }

// final reports whether the state no longer changes by itself.
func (t *transfer) final() bool {
	switch t.State {
	case stateConfirmed, stateFailed, stateReplaced, stateRejected, statePendingApproval:
		return true
	case stateRemoved:
		return t.Final
	}
	return false
}

// become changes the state and records it.
func (t *transfer) become(state string, at time.Time) {
	t.State = state
	t.History = append(t.History, event{Date: at, Action: state})
}

// save writes the transfer and the indexes its state belongs to.
func (t *transfer) save(tx *sandbox.Tx) error {
	if err := tx.Put(bucketTransfer, t.ID, t); err != nil {
		return err
	}
	listed := strings.Join([]string{t.Coin, t.Wallet, newestFirst(t.Created), t.ID}, "/")
	if err := tx.Put(bucketListed, listed, t.ID); err != nil {
		return err
	}
	if t.TxID != "" {
		if err := tx.Put(bucketTx, t.TxID, t.ID); err != nil {
			return err
		}
	}
	if t.final() {
		return tx.Delete(bucketMoving, t.ID)
	}
	return tx.Put(bucketMoving, t.ID, t.Coin)
}

// newestFirst is a key part that sorts later times first.
func newestFirst(at time.Time) string { return fmt.Sprintf("%019d", 1<<62-at.UnixNano()) }

// confirmations counts blocks since the one it is in.
func (t *transfer) confirmations(now time.Time, block time.Duration) int64 {
	if t.State != stateConfirmed {
		return 0
	}
	if block <= 0 {
		return 6
	}
	return 1 + int64(now.Sub(t.Confirmed)/block)
}

// value is the change of the wallet's coin: with the fee when it is paid in it.
func (t *transfer) value() decimal.Decimal {
	switch {
	case t.Type == "receive":
		return t.amount()
	case coins[t.Coin].Chain.Kind == "btc":
		return t.amount().Add(t.Fee).Neg()
	}
	return t.amount().Neg()
}

func (t *transfer) baseValue() decimal.Decimal {
	if t.Type == "receive" {
		return t.amount()
	}
	return t.amount().Neg()
}

// view is the transfer as answers show it.
func (t *transfer) view(now time.Time, p transitions) map[string]any {
	height := int64(heightUnconfirmed)
	if t.State == stateConfirmed {
		height = blocksAtStart + t.Confirmed.Unix()/600%100_000
	}
	entries := []map[string]any{{"address": t.source(), "wallet": t.Wallet, "valueString": t.value().String(), "isChange": false, "isPayGo": false}}
	for _, r := range t.Recipients {
		entries = append(entries, map[string]any{"address": r.Address, "valueString": r.Amount.String(), "isChange": false, "isPayGo": false})
	}
	v := map[string]any{
		"id": t.ID, "coin": t.Coin, "wallet": t.Wallet, "walletType": "hot", "enterprise": newID("enterprise"),
		"txid": t.TxID, "normalizedTxHash": t.TxID, "height": height, "date": t.Created.Format(time.RFC3339Nano),
		"confirmations": t.confirmations(now, p.Block), "type": t.Type,
		"valueString": t.value().String(), "baseValueString": t.baseValue().String(), "intendedValueString": t.value().String(),
		"feeString": t.Fee.String(), "payGoFeeString": "0", "state": t.State, "history": t.History, "comment": t.Comment,
		"entries": entries, "replaces": orEmpty(t.Replaces), "replacedBy": orEmpty(t.ReplacedBy), "coinSpecific": map[string]any{},
		"metadata": []any{}, "instant": false, "isReward": false, "tags": []string{t.Wallet},
	}
	if coins[t.Coin].exact() { // whose numbers would not be exact
		v["value"], v["baseValue"] = t.value().IntPart(), t.baseValue().IntPart()
	}
	if t.SequenceID != "" {
		v["sequenceId"] = t.SequenceID
	}
	if t.Approval != "" {
		v["pendingApproval"] = t.Approval
	}
	return v
}

func (t *transfer) source() string {
	return receiveAddress(wallet{ID: t.Wallet, Coin: coins[t.Coin]})
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// newTxID makes a transaction id of the coin's chain.
func newTxID(c coin) string {
	if c.Chain.Kind == "eth" {
		return "0x" + randomHex(32)
	}
	return randomHex(32)
}

func loadTransfer(tx *sandbox.Tx, id string) (*transfer, bool, error) {
	var t transfer
	found, err := tx.Get(bucketTransfer, id, &t)
	return &t, found, err
}
