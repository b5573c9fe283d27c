package provider

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Holding is what we have at a provider in one currency, in base units.
type Holding struct {
	Total money.Units // all of it, also what is held back or not yet settled
	Free  money.Units // what can be used now
}

// Clearing is the account at the card processor, in US cents.
type Clearing interface {
	Balance(ctx context.Context) (Holding, error)
}

// Withdrawals moves coin from the exchange to addresses that were registered
// there, each known by the name of its key.
type Withdrawals interface {
	// Holdings gives what we have at the exchange, by currency.
	Holdings(ctx context.Context) (map[money.Currency]Holding, error)
	// WithdrawalFee returns what a withdrawal would cost now. It moves nothing.
	WithdrawalFee(ctx context.Context, in WithdrawalInput) (WithdrawalQuote, error)
	// Withdraw sends one withdrawal. The exchange accepts no client id: sent twice it pays
	// twice. The caller has at most one open withdrawal for each asset and key, looks it up
	// (FindWithdrawals) before any further send, and after an unknown outcome sends nothing
	// again by itself.
	Withdraw(ctx context.Context, in WithdrawalInput) (reference string, err error)
	// FindWithdrawals lists the withdrawals of an asset by a key since a time,
	// requested by us or not.
	FindWithdrawals(ctx context.Context, asset money.Currency, key string, since time.Time) ([]Withdrawal, error)
}

// WithdrawalInput is one withdrawal.
type WithdrawalInput struct {
	Asset money.Currency
	// Key is the name of the registered address. Address, when set, must be the
	// key's, or the exchange refuses.
	Key, Address string
	// Amount leaves the account; its fee is included.
	Amount money.Units
	// MostFee is the highest fee we agree to; the exchange refuses a higher one.
	MostFee money.Units
}

// WithdrawalQuote is what a withdrawal would cost.
type WithdrawalQuote struct {
	Fee   money.Units
	Limit money.Units // the most that can be withdrawn now
}

// WithdrawalStatus is the state of a withdrawal.
type WithdrawalStatus string

// The states of a withdrawal. A settled one is not final.
const (
	WithdrawalPending WithdrawalStatus = "pending"
	WithdrawalHeld    WithdrawalStatus = "held" // the exchange keeps it back for now
	WithdrawalSettled WithdrawalStatus = "settled"
	WithdrawalDone    WithdrawalStatus = "done"
	WithdrawalFailed  WithdrawalStatus = "failed" // refused, called back or returned: the coin is on our account again
)

// Withdrawal is a withdrawal as the exchange reports it.
type Withdrawal struct {
	Reference string
	Status    WithdrawalStatus
	Sent      money.Units // what the receiver gets
	Fee       money.Units
	TxID      string // empty before it is on the network
	At        time.Time
}

// Amount is what left the account.
func (w Withdrawal) Amount() money.Units { return w.Sent.Add(w.Fee) }

// Receiving is what arrives in our wallets.
type Receiving interface {
	// Wallets lists the wallets we have, in a stable order.
	Wallets() []Wallet
	// ReceiveAddress is the address of a wallet: no order is sent to it.
	ReceiveAddress(ctx context.Context, wallet Wallet) (string, error)
	// Holding gives what a wallet holds.
	Holding(ctx context.Context, wallet Wallet) (Holding, error)
	// FindReceipt finds a transaction among what a wallet received since a time;
	// ErrNotFound if it has not been seen there (yet).
	FindReceipt(ctx context.Context, wallet Wallet, txID string, since time.Time) (Receipt, error)
}

// Receipt is coin that arrives in a wallet.
type Receipt struct {
	ID        string // the custodian's
	Amount    money.Units
	Confirmed bool
}
