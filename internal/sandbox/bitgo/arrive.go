package bitgo

import (
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// arrive begins a receipt: the network has the transaction, and confirms it as
// it does a send.
func (s *Simulator) arrive(tx *sandbox.Tx, w wallet, amount decimal.Decimal, txID string, now time.Time) error {
	t := &transfer{
		ID: randomHex(16), Coin: w.Coin.Ticker, Wallet: w.ID, TxID: txID, Type: "receive", State: stateUnconfirmed,
		Recipients: []recipient{{Address: receiveAddress(w), Amount: amount}}, Created: now, Signed: now, Visible: now,
	}
	if err := adjust(tx, w, func(f *funds) { f.In = f.In.Add(amount) }); err != nil {
		return err
	}
	if err := t.save(tx); err != nil {
		return err
	}
	return s.enqueueWebhook(tx, t, now)
}

// symbol is the asset of a ticker, such as USDT of trx:usdt.
func symbol(ticker string) string { return strings.ToUpper(ticker[strings.Index(ticker, ":")+1:]) }

// receive books coin that another party sent to one of our wallets.
func (s *Simulator) receive(tx *sandbox.Tx, d sandbox.Coin) (ours bool, err error) {
	for _, w := range s.wallets {
		if symbol(w.Coin.Ticker) != d.Asset || w.Coin.Chain.Network != d.Network || receiveAddress(w) != d.Address {
			continue
		}
		txID := d.TxID
		if w.Coin.Chain.Kind == "eth" {
			txID = "0x" + txID
		}
		return true, s.arrive(tx, w, d.Amount.Shift(w.Coin.Decimals), txID, d.At)
	}
	return false, nil
}

// deliver hands a confirmed send to others who have addresses in our world. Coin
// for a wallet of our own stays outside, as it always has: one transaction is
// one transfer here.
func (s *Simulator) deliver(tx *sandbox.Tx, t *transfer, at time.Time) error {
	if t.Type != "send" {
		return nil
	}
	c := coins[t.Coin]
	for _, r := range t.Recipients {
		if s.owns(r.Address) {
			continue
		}
		err := s.world.Chain.Deliver(tx, sandbox.Coin{
			Asset: symbol(t.Coin), Network: c.Chain.Network, Address: r.Address, Amount: r.Amount.Shift(-c.Decimals), TxID: t.TxID, At: at,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Simulator) owns(address string) bool {
	for _, w := range s.wallets {
		if strings.EqualFold(receiveAddress(w), address) {
			return true
		}
	}
	return false
}

func (s *Simulator) showReceipts(rw http.ResponseWriter, r *http.Request) {
	receipts := []map[string]string{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		return each(tx, bucketTransfer, "", func(_ string, t transfer) error {
			if t.Type == "receive" {
				receipts = append(receipts, map[string]string{"id": t.ID, "coin": t.Coin, "txid": t.TxID, "amount": t.amount().String(), "state": t.State})
			}
			return nil
		})
	})
	if err != nil {
		s.world.Done(rw, r, "", err)
		return
	}
	sandbox.WriteJSON(rw, http.StatusOK, receipts)
}

// OwnAddress is where coin of a wallet is sent to; empty when there is no such
// wallet.
func (s *Simulator) OwnAddress(ticker string) string {
	w, open := s.wallets[ticker]
	if !open {
		return ""
	}
	return receiveAddress(w)
}
