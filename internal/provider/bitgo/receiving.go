package bitgo

import (
	"context"
	"net/url"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var _ provider.Receiving = (*Client)(nil)

// The paging of receipts: pages of so many, and at most so many pages.
const (
	receiptsPerPage = "100"
	receiptPages    = 20
)

// Holding gives what a wallet holds: all of it, with what is on its way in and
// without what has left, and what of it can be sent now.
func (c *Client) Holding(ctx context.Context, w provider.Wallet) (provider.Holding, error) {
	const operation = "wallet"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return provider.Holding{}, err
	}
	var wallet struct {
		Balance   string `json:"balanceString"`
		Spendable string `json:"spendableBalanceString"`
	}
	if err := c.get(ctx, operation, path+"?allTokens=true", &wallet); err != nil {
		return provider.Holding{}, err
	}
	total, wrong := money.ParseUnits(wallet.Balance)
	free, wrongToo := money.ParseUnits(wallet.Spendable)
	if wrong != nil || wrongToo != nil {
		return provider.Holding{}, c.unreadable(operation, "a wallet without its balances")
	}
	return provider.Holding{Total: total, Free: free}, nil
}

// FindReceipt finds a transaction among what a wallet received since a time. One
// transaction may pay a wallet in several parts, which are one receipt.
func (c *Client) FindReceipt(ctx context.Context, w provider.Wallet, txID string, since time.Time) (provider.Receipt, error) {
	const operation = "find_receipt"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return provider.Receipt{}, err
	}
	query := url.Values{"type": {"receive"}, "dateGte": {since.UTC().Format(time.RFC3339)}, "limit": {receiptsPerPage}}
	var found provider.Receipt
	for range receiptPages {
		var list struct {
			Transfers []transfer `json:"transfers"`
			Next      string     `json:"nextBatchPrevId"`
		}
		if err := c.get(ctx, operation, path+"/transfer?"+query.Encode(), &list); err != nil {
			return provider.Receipt{}, err
		}
		for _, t := range list.Transfers {
			if t.TxID == "" || money.TransactionKey(t.TxID) != money.TransactionKey(txID) {
				continue
			}
			if found, err = c.receipt(operation, w, t, found); err != nil {
				return provider.Receipt{}, err
			}
		}
		if list.Next == "" {
			return found, foundAny(found)
		}
		query.Set("prevId", list.Next)
	}
	return provider.Receipt{}, c.unreadable(operation, "more receipts than can be looked through")
}

func foundAny(r provider.Receipt) error {
	if r.ID == "" {
		return provider.ErrNotFound
	}
	return nil
}

// receipt adds a transfer to what was found of its transaction before. It is
// confirmed when every part is.
func (c *Client) receipt(operation string, w provider.Wallet, t transfer, before provider.Receipt) (provider.Receipt, error) {
	read, err := c.transfer(operation, w, t)
	if err != nil {
		return provider.Receipt{}, err
	}
	confirmed := read.Status == provider.TransferConfirmed
	if before.ID == "" {
		return provider.Receipt{ID: read.ID, Amount: read.Amount, Confirmed: confirmed}, nil
	}
	return provider.Receipt{ID: before.ID, Amount: before.Amount.Add(read.Amount), Confirmed: before.Confirmed && confirmed}, nil
}
