package kraken

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var _ provider.Withdrawals = (*Client)(nil)

// accountBalance is one line of BalanceEx.
type accountBalance struct {
	Balance    number `json:"balance"`
	Credit     number `json:"credit"`
	CreditUsed number `json:"credit_used"`
	HoldTrade  number `json:"hold_trade"`
}

// Holdings gives what we own of each asset, and what of it is free to trade: the
// balance and any credit left, less what open orders hold. Fractions of a base
// unit are dropped.
func (c *Client) Holdings(ctx context.Context) (map[money.Currency]provider.Holding, error) {
	var result map[string]accountBalance
	if err := c.private(ctx, "BalanceEx", url.Values{}, &result); err != nil {
		return nil, err
	}
	out := map[money.Currency]provider.Holding{}
	for code, b := range result {
		currency, known := assetCodes[code]
		if !known {
			continue
		}
		free := b.Balance.Add(b.Credit.Decimal).Sub(b.CreditUsed.Decimal).Sub(b.HoldTrade.Decimal)
		have := out[currency]
		out[currency] = provider.Holding{Total: have.Total.Add(currency.FromDecimal(b.Balance.Decimal, money.Down)),
			Free: have.Free.Add(currency.FromDecimal(free, money.Down))}
	}
	return out, nil
}

// funding are the fields common to all calls about one withdrawal.
func (c *Client) funding(operation string, in provider.WithdrawalInput) (url.Values, error) {
	if _, known := assetCodes[string(in.Asset)]; !known || in.Key == "" {
		return nil, c.refuse(operation, "no_withdraw_key")
	}
	return url.Values{"asset": {altname(in.Asset)}, "key": {in.Key}, "amount": {in.Asset.Decimal(in.Amount).String()}}, nil
}

// WithdrawalFee reads what a withdrawal would cost now.
func (c *Client) WithdrawalFee(ctx context.Context, in provider.WithdrawalInput) (provider.WithdrawalQuote, error) {
	const operation = "WithdrawInfo"
	form, err := c.funding(operation, in)
	if err != nil {
		return provider.WithdrawalQuote{}, err
	}
	var result struct {
		Fee   *number `json:"fee"`
		Limit *number `json:"limit"`
	}
	if err := c.private(ctx, operation, form, &result); err != nil {
		return provider.WithdrawalQuote{}, err
	}
	if result.Fee == nil || result.Limit == nil || result.Fee.IsNegative() {
		return provider.WithdrawalQuote{}, c.unreadable(operation, "a withdrawal without a fee or a limit")
	}
	return provider.WithdrawalQuote{Fee: in.Asset.FromDecimal(result.Fee.Decimal, money.Up), Limit: in.Asset.FromDecimal(result.Limit.Decimal, money.Down)}, nil
}

// Withdraw requests one withdrawal.
func (c *Client) Withdraw(ctx context.Context, in provider.WithdrawalInput) (string, error) {
	const operation = "Withdraw"
	form, err := c.funding(operation, in)
	if err != nil {
		return "", err
	}
	form.Set("max_fee", in.Asset.Decimal(in.MostFee).String())
	if in.Address != "" {
		form.Set("address", in.Address)
	}
	var result struct {
		RefID string `json:"refid"`
	}
	if err := c.private(ctx, operation, form, &result); err != nil {
		return "", err
	}
	if result.RefID == "" {
		return "", c.unreadable(operation, "a withdrawal without a reference")
	}
	return result.RefID, nil
}

// withdrawal holds the fields of a withdrawal that we read.
type withdrawal struct {
	RefID  string  `json:"refid"`
	Key    string  `json:"key"`
	TxID   *string `json:"txid"`
	Amount number  `json:"amount"` // what the receiver gets
	Fee    number  `json:"fee"`
	Time   number  `json:"time"`
	Status string  `json:"status"`
	Prop   string  `json:"status-prop"`
}

// withdrawalStates maps Kraken's states to ours; Partial is a withdrawal that Kraken
// splits, and still processes. A state that is not here is pending: the withdrawal
// exists, and nothing more is known of it.
var withdrawalStates = map[string]provider.WithdrawalStatus{
	"Initial": provider.WithdrawalPending,
	"Pending": provider.WithdrawalPending,
	"Partial": provider.WithdrawalPending,
	"Settled": provider.WithdrawalSettled,
	"Success": provider.WithdrawalDone,
	"Failure": provider.WithdrawalFailed,
}

// withdrawalProps are the additions that change what the state means. One that was returned
// to us is no success, whatever its state.
var withdrawalProps = map[string]provider.WithdrawalStatus{
	"canceled": provider.WithdrawalFailed,
	"return":   provider.WithdrawalFailed,
	"onhold":   provider.WithdrawalHeld,
}

// FindWithdrawals lists the withdrawals by a key since a time, newest first. One that was
// just requested may be missing for a moment: nothing found once proves nothing.
func (c *Client) FindWithdrawals(ctx context.Context, asset money.Currency, key string, since time.Time) ([]provider.Withdrawal, error) {
	const operation = "WithdrawStatus"
	if _, known := assetCodes[string(asset)]; !known || key == "" {
		return nil, c.refuse(operation, "no_withdraw_key")
	}
	var rows []withdrawal
	form := url.Values{"asset": {altname(asset)}, "start": {strconv.FormatInt(since.Add(-searchBack).Unix(), 10)}}
	if err := c.private(ctx, operation, form, &rows); err != nil {
		return nil, err
	}
	var found []provider.Withdrawal
	for _, row := range rows {
		// A row that names no key may be by any of them.
		if row.Key != "" && row.Key != key {
			continue
		}
		read, err := c.readWithdrawal(operation, asset, row)
		if err != nil {
			return nil, err
		}
		found = append(found, read)
	}
	return found, nil
}

func (c *Client) readWithdrawal(operation string, asset money.Currency, row withdrawal) (provider.Withdrawal, error) {
	if row.RefID == "" {
		return provider.Withdrawal{}, c.unreadable(operation, "a withdrawal without a reference")
	}
	status := cmp.Or(withdrawalStates[row.Status], provider.WithdrawalPending)
	if by, changed := withdrawalProps[row.Prop]; changed {
		status = by
	}
	out := provider.Withdrawal{Reference: row.RefID, Status: status, Sent: asset.FromDecimal(row.Amount.Decimal, money.Down),
		At: time.Unix(row.Time.IntPart(), 0).UTC()}
	// What left the account is exact; the two parts of it are rounded so that
	// they add up to it.
	out.Fee = asset.FromDecimal(row.Amount.Add(row.Fee.Decimal), money.Up).Sub(out.Sent)
	if row.TxID != nil {
		out.TxID = *row.TxID
	}
	return out, nil
}
