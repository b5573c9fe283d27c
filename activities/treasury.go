package activities

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

// Treasury are the steps of treasury that only touch Postgres.
type Treasury struct {
	DB     *store.DB
	Limits treasury.Thresholds
	// Again is the delay after a refusal before the next proposal.
	Again time.Duration
	// LookAgain is the interval between lookups of a withdrawal of unknown outcome.
	LookAgain time.Duration
}

// LoadMove reads a move's state.
func (a *Treasury) LoadMove(ctx context.Context, id string) (treasury.MoveState, error) {
	return treasury.LoadMove(ctx, a.DB, id)
}

// StuckMove queues for staff a withdrawal whose outcome could not be determined in time.
func (a *Treasury) StuckMove(ctx context.Context, id string) (treasury.MoveState, error) {
	job, err := treasury.ReadMoveJob(ctx, a.DB, id)
	if err == nil && !job.Done && !job.Send {
		err = treasury.MarkMoveUnknown(ctx, a.DB, id, a.LookAgain)
	}
	return afterMove(ctx, a.DB, id, err)
}

// ProposeMoves proposes moves to the wallets that are low.
func (a *Treasury) ProposeMoves(ctx context.Context) error {
	return treasury.ProposeLowMoves(ctx, a.DB, a.Limits, a.Again)
}

// afterMove reads a move's state after a step.
func afterMove(ctx context.Context, db *store.DB, id string, err error) (treasury.MoveState, error) {
	if err != nil {
		return treasury.MoveState{}, err
	}
	return treasury.ReadMoveState(ctx, db, id)
}

// TreasuryClearing reads our account at the card processor.
type TreasuryClearing struct {
	DB    *store.DB
	Cards provider.Clearing
}

// ReadClearing keeps what the card processor holds.
func (a *TreasuryClearing) ReadClearing(ctx context.Context) error {
	have, err := a.Cards.Balance(ctx)
	if err != nil {
		return err
	}
	return treasury.StoreReadings(ctx, a.DB, ledger.AccountClearing, []treasury.Held{{Currency: money.USD, Total: have.Total, Free: have.Free}})
}

// TreasuryExchange reads our account at the exchange, and withdraws from it.
type TreasuryExchange struct {
	DB       *store.DB
	Exchange provider.Withdrawals
	Timing   Timing
	// Keys are the names of the registered addresses, by the custodian's name for
	// the coin; Addresses, where given, are what they must stand for.
	Keys, Addresses map[string]string
}

// ReadExchange keeps what the exchange holds. A currency it does not name is one
// we have nothing of.
func (a *TreasuryExchange) ReadExchange(ctx context.Context) error {
	have, err := a.Exchange.Holdings(ctx)
	if err != nil {
		return err
	}
	var held []treasury.Held
	for _, currency := range append([]money.Currency{money.USD}, money.Assets...) {
		held = append(held, treasury.Held{Currency: currency, Total: have[currency].Total, Free: have[currency].Free})
	}
	return treasury.StoreReadings(ctx, a.DB, ledger.AccountExchange, held)
}

// TreasuryCustody reads our wallets, and finds the receipts in them.
type TreasuryCustody struct {
	DB       *store.DB
	Provider provider.Receiving
}

// ReadWallets keeps what each wallet holds. One that cannot be read does not keep
// the others from it.
func (a *TreasuryCustody) ReadWallets(ctx context.Context) error {
	var failures []error
	for _, w := range a.Provider.Wallets() {
		have, err := a.Provider.Holding(ctx, w)
		if err == nil {
			err = treasury.StoreReadings(ctx, a.DB, ledger.WalletAccount(w.Network), []treasury.Held{{Currency: w.Asset, Total: have.Total, Free: have.Free}})
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// receiptMargin is how far before the send a receipt may be dated, for clocks that
// disagree.
const receiptMargin = time.Hour

// ReceiveMove polls a move's wallet until its coin has arrived.
func (a *TreasuryCustody) ReceiveMove(ctx context.Context, id string) (treasury.MoveState, error) {
	m, err := treasury.ReadMove(ctx, a.DB, id)
	if err != nil || m.Status != treasury.MoveSent || m.SettledAt == nil {
		return afterMove(ctx, a.DB, id, err)
	}
	found, err := a.Provider.FindReceipt(ctx, provider.Wallet{Asset: m.Asset, Network: m.Network}, *m.TxID, m.FirstSentAt.Add(-receiptMargin))
	switch {
	case errors.Is(err, provider.ErrNotFound):
		return treasury.MoveState{}, notYet("not_seen")
	case err == nil && !found.Confirmed:
		return treasury.MoveState{}, notYet("unconfirmed")
	case err == nil:
		err = treasury.MarkMoveArrived(ctx, a.DB, id, found.ID, found.Amount)
	}
	state, err := afterMove(ctx, a.DB, id, err)
	if err == nil && state.Status == treasury.MoveSent {
		err = notYet("not_seen") // staff requested another lookup meanwhile
	}
	return state, err
}

// FollowMove polls a move's withdrawal until the exchange has finished it.
func (a *TreasuryExchange) FollowMove(ctx context.Context, id string) (treasury.MoveState, error) {
	m, err := treasury.ReadMove(ctx, a.DB, id)
	if err != nil || m.Status != treasury.MoveSent || m.SettledAt != nil {
		return afterMove(ctx, a.DB, id, err)
	}
	list, err := a.Exchange.FindWithdrawals(ctx, m.Asset, *m.WithdrawKey, *m.FirstSentAt)
	if err != nil {
		return treasury.MoveState{}, err
	}
	reading := treasury.WithdrawalReading{Missing: true}
	if i := slices.IndexFunc(list, func(w provider.Withdrawal) bool { return w.Reference == *m.ExchangeRef }); i >= 0 {
		w := list[i]
		reading = treasury.WithdrawalReading{Done: w.Status == provider.WithdrawalDone, Failed: w.Status == provider.WithdrawalFailed, Held: w.Status == provider.WithdrawalHeld,
			Amount: w.Amount(), Fee: w.Fee, TxID: w.TxID}
	}
	news, err := treasury.RecordMove(ctx, a.DB, id, reading)
	if err == nil && !news {
		err = notYet("under_way")
	}
	return afterMove(ctx, a.DB, id, err)
}
