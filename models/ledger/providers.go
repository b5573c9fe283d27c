package ledger

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Reconciliation compares the providers' statements of our accounts with the ledger, by effect: a capture, a refund,
// a purchase, a transfer. Each effect has a key on both sides (reconciliation_books.go) and one row with its two
// sums, so that differences are found by an index; it blocks no order, and reads each line and posting once,
// afterwards.

// Provider is a provider that holds money or coin of ours.
type Provider string

// The providers there are adapters for.
const (
	ProviderStripe Provider = "stripe"
	ProviderKraken Provider = "kraken"
	ProviderBitGo  Provider = "bitgo"
)

// Name is the provider's name as people write it.
func (h Provider) Name() string {
	if name := map[Provider]string{ProviderStripe: "Stripe", ProviderKraken: "Kraken", ProviderBitGo: "BitGo"}[h]; name != "" {
		return name
	}
	return string(h)
}

// Capability is what an installation has a provider for.
type Capability string

// The capabilities whose provider holds money or coin and has a statement.
const (
	Payments Capability = "payments"
	Exchange Capability = "exchange"
	Custody  Capability = "custody"
)

// ProviderOf is an SQL expression: the provider that this installation has for a capability.
func ProviderOf(c Capability) string {
	return "(SELECT name FROM providers WHERE capability = '" + string(c) + "')"
}

// Providers reads the installation's providers, the card processor first and the
// custodian last.
func Providers(ctx context.Context, db *store.DB) (all []Provider, err error) {
	err = db.ORM(ctx).Raw("SELECT name FROM providers ORDER BY array_position(ARRAY['payments', 'exchange', 'custody'], capability)").Scan(&all).Error
	if err != nil {
		return nil, fmt.Errorf("read providers: %w", err)
	}
	return all, nil
}

// ExpectProvider refuses a process whose provider of a capability is not the installation's.
func ExpectProvider(ctx context.Context, db *store.DB, c Capability, name Provider) error {
	var is Provider
	if err := db.Row(ctx, "SELECT name FROM providers WHERE capability = $1", c).Scan(&is); err != nil {
		return fmt.Errorf("read the provider of %s: %w", c, err)
	}
	if is != name {
		return fmt.Errorf("the provider of %s is %s here and %s in the database: run api migrate with the same settings", c, name, is)
	}
	return nil
}

// SetProvider makes a provider the one of a capability, as the schema's owner. Transfers of an earlier one stay with
// it, and must have ended.
func SetProvider(ctx context.Context, owner *pgx.Conn, c Capability, name Provider) error {
	var open bool
	err := owner.QueryRow(ctx, `WITH changed AS (SELECT name FROM providers WHERE capability = $1 AND name <> $2),
			open AS (SELECT FROM changed JOIN withdrawals w ON w.provider = changed.name WHERE w.status IN ('requested', 'awaiting_approval', 'signed', 'broadcast') LIMIT 1),
			done AS (UPDATE providers SET name = $2 WHERE capability = $1 AND EXISTS (SELECT FROM changed) AND NOT EXISTS (SELECT FROM open))
		SELECT EXISTS (SELECT FROM open)`, c, name).Scan(&open)
	if err != nil {
		return fmt.Errorf("set the provider of %s: %w", c, err)
	}
	if open {
		return fmt.Errorf("the provider of %s cannot become %s: transfers of the present one have not ended", c, name)
	}
	return nil
}

// StatementPoll names the reading of the provider's statement among polls.
func (h Provider) StatementPoll() string { return "statement " + string(h) }

// Account is the ledger's account of what a provider has of us, on a network where
// it is a wallet.
func (h Provider) Account(network string) string {
	switch h {
	case ProviderStripe:
		return AccountClearing
	case ProviderKraken:
		return AccountExchange
	}
	return WalletAccount(network)
}

// MovedPostings are for what changed at a provider by an amount: into its account
// when more is there, out of it when less; the other account bears it.
func MovedPostings(holder, other string, currency money.Currency, amount money.Units) []Posting {
	if amount.Sign() < 0 {
		return []Posting{{From: holder, To: other, Currency: currency, Amount: amount.Neg()}}
	}
	return []Posting{{From: other, To: holder, Currency: currency, Amount: amount}}
}

// DollarAccounts hold dollars alone.
var DollarAccounts = []string{AccountChargebacks, AccountGoodwill, AccountBank, AccountUnallocated}
