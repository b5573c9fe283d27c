package activities

import (
	"context"
	"errors"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
)

// Statements reads one provider's statement of our account. Each process that holds a key
// has one, for its provider.
type Statements struct {
	DB       *store.DB
	Holder   ledger.Provider
	Provider provider.Statements
}

// StatementRead is what one reading brought.
type StatementRead struct {
	News int  `json:"news"` // lines that are new or changed
	More bool `json:"more"` // there is more to read
}

// ReadStatement reads the next window of the statement and stores it. Dying
// anywhere here is reading the window again.
func (a *Statements) ReadStatement(ctx context.Context) (StatementRead, error) {
	window, err := reconciliation.StatementWindow(ctx, a.DB, a.Holder)
	if err != nil {
		return StatementRead{}, err
	}
	lines, err := a.Provider.Statement(ctx, window.From, window.To)
	if err != nil {
		return StatementRead{}, err
	}
	reported := make([]reconciliation.StatementLine, 0, len(lines))
	for _, l := range lines {
		line := reconciliation.StatementLine{ID: l.ID, Kind: string(l.Kind), Key: string(l.Kind) + ":" + l.Subject, At: l.At, State: l.State, Settled: l.Settled,
			Network: l.Network, Ours: l.Ours, TxID: l.TxID, Replaces: l.Replaces, Moved: l.Moved, Rest: l.Rest}
		if l.Unread != "" {
			line.Kind, line.State, line.Settled = reconciliation.Unread, l.Unread, false
		}
		reported = append(reported, line)
	}
	news, err := reconciliation.TakeStatement(ctx, a.DB, a.Holder, window, reported)
	return StatementRead{News: news, More: window.More}, err
}

// Reconciliation compares statements and books.
type Reconciliation struct {
	DB *store.DB
	// Grace is how long book and statement may differ before that is a break.
	Grace time.Duration
}

// Compare books transfers that confirmed although declared dead, matches what was booked,
// and opens and closes breaks.
func (a *Reconciliation) Compare(ctx context.Context) (reconciliation.BooksCompared, error) {
	failed := correction.BookRevived(ctx, a.DB)
	done, err := reconciliation.Reconcile(ctx, a.DB, a.Grace)
	return done, errors.Join(failed, err)
}
