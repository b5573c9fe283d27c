package activities

import (
	"context"
	"errors"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// Every step of a record ends with its error, or with the state that the record has then. A step that executed its
// decision in an earlier run has no error.
var (
	afterOrder    = after(order.ReadOrderState)
	afterVoucher  = after(voucher.ReadVoucherState)
	afterPayout   = after(payout.ReadPayoutState)
	afterReward   = after(referral.ReadRewardState)
	afterRecovery = after(account.ReadRecoveryState)
	afterReview   = after(readKYCState)
)

func after[S any](read func(context.Context, *store.DB, string) (S, error)) func(context.Context, *store.DB, string, error) (S, error) {
	return func(ctx context.Context, db *store.DB, id string, err error) (none S, _ error) {
		if err != nil && !errors.Is(err, casework.ErrDecisionExecuted) {
			return none, err
		}
		return read(ctx, db, id)
	}
}
