package execution

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// LockWallet serializes promises of a wallet's coin until the transaction ends.
func LockWallet(ctx context.Context, db *store.DB, wallet string, asset money.Currency) error {
	if err := db.LockKey(ctx, wallet+":"+string(asset)); err != nil {
		return fmt.Errorf("lock wallet: %w", err)
	}
	return nil
}

// ShortFloat says that the wallet float does not hold the coin; "" when it does.
func ShortFloat(ctx context.Context, db *store.DB, network string, asset money.Currency, amount money.Units) (string, error) {
	wallet := ledger.WalletAccount(network)
	if err := LockWallet(ctx, db, wallet, asset); err != nil {
		return "", err
	}
	float, err := ledger.AccountBalance(ctx, db, wallet, asset)
	if err != nil {
		return "", err
	}
	if float.Cmp(amount) < 0 {
		return casework.AttentionFloat, nil
	}
	return "", nil
}

// AddressKey is the form lists are compared in: lower case where the network
// ignores case.
func AddressKey(network, address string) string {
	lower := strings.ToLower(address)
	if money.NetworkOf(network).Folds || strings.HasPrefix(lower, "bc1") {
		return lower
	}
	return address
}
