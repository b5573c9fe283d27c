package worker

import (
	"context"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/custodians"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
)

// SendWith has the process send coin with a custodian, read its statement and its
// wallets. It refuses one that is not the database's.
func (p *Process) SendWith(ctx context.Context, name ledger.Provider, custodian custodians.Custodian, timing activities.Timing, caps execution.Caps) error {
	if err := ledger.ExpectProvider(ctx, p.DB, ledger.Custody, name); err != nil {
		return err
	}
	p.Activities(&activities.Custody{DB: p.DB, Name: name, Provider: custodian, Timing: timing, Caps: caps},
		&activities.Statements{DB: p.DB, Holder: name, Provider: custodian},
		&activities.TreasuryCustody{DB: p.DB, Provider: custodian})
	return nil
}
