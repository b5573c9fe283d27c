package activities

import (
	"context"
	"errors"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models"
)

// Statements reads what one provider says happened on our account. Each process
// that holds a key has one, for the holder it speaks to.
type Statements struct {
	DB       *models.DB
	Holder   models.Holder
	Provider provider.Statements
}

// StatementRead is what one reading brought.
type StatementRead struct {
	News int  `json:"news"` // lines that are new, or say something new
	More bool `json:"more"` // there is more to read
}

// ReadStatement reads the next window of the statement and stores it. Dying
// anywhere here is reading the window again.
func (a *Statements) ReadStatement(ctx context.Context) (StatementRead, error) {
	window, err := a.DB.StatementWindow(ctx, a.Holder)
	if err != nil {
		return StatementRead{}, err
	}
	lines, err := a.Provider.Statement(ctx, window.From, window.To)
	if err != nil {
		return StatementRead{}, err
	}
	told := make([]models.StatementLine, 0, len(lines))
	for _, l := range lines {
		told = append(told, models.StatementLine{ID: l.ID, Kind: string(l.Kind), Key: string(l.Kind) + ":" + l.Subject, At: l.At, State: l.State, Settled: l.Settled,
			Network: l.Network, Ours: l.Ours, TxID: l.TxID, Replaces: l.Replaces, Moved: l.Moved, Rest: l.Rest})
	}
	news, err := a.DB.TakeStatement(ctx, a.Holder, window, told)
	return StatementRead{News: news, More: window.More}, err
}

// Reconciliation compares statements and books.
type Reconciliation struct {
	DB *models.DB
	// Grace is how long book and statement may differ before that is a break.
	Grace time.Duration
}

// Compare books what confirmed although it was declared dead, takes up what was booked,
// and opens and closes breaks.
func (a *Reconciliation) Compare(ctx context.Context) (models.BooksCompared, error) {
	failed := a.DB.BookRevived(ctx)
	done, err := a.DB.Reconcile(ctx, a.Grace)
	return done, errors.Join(failed, err)
}
