package treasury

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Treasury is our own money at the providers: the balances they report, those that the books expect, whether they
// cover our commitments, and moves of coin from the exchange to a wallet (treasury_move.go).

// Wallet names one of our wallets.
type Wallet struct {
	Asset   money.Currency
	Network string
}

// String is the wallet in an alert's subject: BTC on bitcoin.
func (w Wallet) String() string { return string(w.Asset) + " on " + w.Network }

// CoinOf is the settings' and the custodian's name of a wallet's coin; empty when we have none.
func CoinOf(w Wallet) string {
	for _, known := range w.Asset.Wallets() {
		if known.Network == w.Network {
			return known.Name
		}
	}
	return ""
}

// walletOf is the wallet of a coin's name in settings; its zero value when we have none.
func walletOf(coin string) Wallet {
	for _, w := range OurWallets() {
		if CoinOf(w) == coin {
			return w
		}
	}
	return Wallet{}
}

// OurWallets lists our wallets, in a stable order.
func OurWallets() []Wallet {
	var all []Wallet
	for _, asset := range money.Assets {
		for _, known := range asset.Wallets() {
			all = append(all, Wallet{asset, known.Network})
		}
	}
	return all
}

// Threshold is when a wallet is low, and what it is filled up to.
type Threshold struct{ Low, Target money.Units }

// TreasuryLimits are the thresholds of the wallets that are filled from the exchange. A wallet without one is read,
// and never moved to.
type TreasuryLimits map[Wallet]Threshold

// ParseTreasuryLimits reads whole coins by coin, as settings give them. Every
// wallet has both or neither, and the target is the higher.
func ParseTreasuryLimits(low, target map[string]string) (TreasuryLimits, error) {
	limits := TreasuryLimits{}
	for coin, text := range target {
		w := walletOf(coin)
		least, bad := w.Asset.Parse(low[coin])
		most, worse := w.Asset.Parse(text)
		if w.Asset == "" || bad != nil || worse != nil || least.Sign() < 0 || most.Cmp(least) <= 0 {
			return nil, fmt.Errorf("%q must be one of our coins, with a number of coins in both and the target above", coin)
		}
		limits[w] = Threshold{Low: least, Target: most}
	}
	for coin := range low {
		if _, both := limits[walletOf(coin)]; !both {
			return nil, fmt.Errorf("%q has no target", coin)
		}
	}
	return limits, nil
}

// InTransitAccount is coin on its way from the exchange to a wallet.
func InTransitAccount(network string) string { return "coin_in_transit:" + network }

// TreasuryReading is what a provider said it holds, and what the books said at that moment. The account is a ledger
// account; of a wallet it is the sum of what can be sent and what is reserved.
type TreasuryReading struct {
	Account  string
	Currency money.Currency
	Held     money.Units // all of it
	Free     money.Units // what can be used at once
	Expected money.Units
	// Less and More are what was in transit: the account may lack the one and have the other already, though neither
	// is booked.
	Less, More money.Units
	ReadAt     time.Time
}

// Difference is what the account has beyond what the books expect.
func (r *TreasuryReading) Difference() money.Units { return r.Held.Sub(r.Expected) }

// Explained reports whether what is in transit can account for the difference.
func (r *TreasuryReading) Explained() bool {
	d := r.Difference()
	return d.Cmp(r.More) <= 0 && d.Neg().Cmp(r.Less) <= 0
}

// Held is what a provider holds of one currency.
type Held struct {
	Currency    money.Currency
	Total, Free money.Units
}

// StoreReadings keeps what a provider has just said of an account, with what the
// books say now, and adds it to the history. A currency that it does not name is
// not touched.
func StoreReadings(ctx context.Context, db *store.DB, account string, held []Held) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		books, err := PlatformBalances(ctx, tx, booked(account)...)
		if err != nil {
			return err
		}
		under, err := underWay(ctx, tx, account)
		if err != nil {
			return err
		}
		for _, h := range held {
			var expected money.Units
			for _, part := range booked(account) {
				expected = expected.Add(books[part][h.Currency])
			}
			err := tx.ORM(ctx).Exec(`WITH read AS (INSERT INTO treasury_readings (account, currency, held, free, expected, less, more, read_at)
				  VALUES (?, ?, ?, ?, ?, ?, ?, clock_now()) ON CONFLICT (account, currency) DO UPDATE SET held = excluded.held, free = excluded.free,
				  expected = excluded.expected, less = excluded.less, more = excluded.more, read_at = excluded.read_at RETURNING *)
				INSERT INTO treasury_history (account, currency, read_at, held, expected) SELECT account, currency, read_at, held, expected FROM read ON CONFLICT DO NOTHING`,
				account, h.Currency, h.Total, h.Free, expected, under[h.Currency].less, under[h.Currency].more).Error
			if err != nil {
				return fmt.Errorf("store a reading of %s: %w", account, err)
			}
		}
		return nil
	})
}

// booked are the ledger accounts of one account at a provider.
func booked(account string) []string {
	if network, is := strings.CutPrefix(account, ledger.WalletAccount("")); is {
		return []string{account, ledger.ReservedAccount(network)}
	}
	return []string{account}
}

// TreasuryReadings reads the last reading of each account.
func TreasuryReadings(ctx context.Context, db *store.DB) ([]TreasuryReading, error) {
	var rows []TreasuryReading
	if err := db.ORM(ctx).Order("account, currency").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read what providers hold: %w", err)
	}
	return rows, nil
}

// PlatformBalances reads the balances of several platform accounts at one moment, from the last roll-up and what was
// booked since.
func PlatformBalances(ctx context.Context, db *store.DB, accounts ...string) (map[string]map[money.Currency]money.Units, error) {
	var rows []struct {
		Account  string
		Currency money.Currency
		Balance  money.Units
	}
	err := db.ORM(ctx).Raw(`WITH past AS (SELECT coalesce(max(through_id), 0) AS id FROM account_rollups)
		SELECT account, currency, sum(amount) AS balance FROM (
		  SELECT account, currency, balance AS amount FROM account_rollups WHERE account = ANY(@accounts)
		  UNION ALL SELECT to_account, currency, amount FROM postings WHERE id > (SELECT id FROM past) AND to_account = ANY(@accounts)
		  UNION ALL SELECT from_account, currency, -amount FROM postings WHERE id > (SELECT id FROM past) AND from_account = ANY(@accounts)) m
		 GROUP BY account, currency`, map[string]any{"accounts": pq.StringArray(accounts)}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read balances: %w", err)
	}
	out := map[string]map[money.Currency]money.Units{}
	for _, account := range accounts {
		out[account] = map[money.Currency]money.Units{}
	}
	for _, row := range rows {
		out[row.Account][row.Currency] = row.Balance
	}
	return out, nil
}

// flow is what is in transit out of an account and into it.
type flow struct{ less, more money.Units }

// underWay is what a provider may have done already and the books do not know yet, by currency. Each query reads open
// rows alone.
func underWay(ctx context.Context, db *store.DB, account string) (map[money.Currency]flow, error) {
	query := map[string]string{
		ledger.AccountClearing: `SELECT 'USD' AS currency, (SELECT coalesce(sum(amount), 0) FROM refunds WHERE done_at IS NULL AND send_started_at IS NOT NULL AND destination = 'card') AS less,
			(SELECT coalesce(sum(amount), 0) FROM payments WHERE admin_approval_status = 'pending' AND authorised_at IS NOT NULL AND captured_at IS NULL AND capture_started_at IS NOT NULL) AS more`,
		// Of what was bought since the statement was read two parts of a cent each
		// are not booked back yet (bookRests).
		ledger.AccountExchange: `WITH buying AS (
			SELECT e.* FROM orders o JOIN exchange_orders e ON e.order_id = o.id WHERE o.status = 'fulfilling' AND o.closed_at IS NULL AND e.send_started_at IS NOT NULL AND e.done_at IS NULL
			UNION ALL SELECT e.* FROM voucher_redemptions r JOIN exchange_orders e ON e.redemption_id = r.id WHERE r.status = 'fulfilling' AND r.closed_at IS NULL AND e.send_started_at IS NOT NULL AND e.done_at IS NULL)
			SELECT currency, sum(less) AS less, sum(more) AS more FROM (
			  SELECT asset AS currency, 0 AS less, asked AS more FROM buying
			  UNION ALL SELECT 'USD', ceil(asked / power(CAST(10 AS numeric), ` + money.DecimalsSQL("asset") + `) * limit_price * 100), 0 FROM buying
			  UNION ALL SELECT 'USD', 0, 2 * count(*) FROM exchange_orders WHERE done_at > coalesce((SELECT read_to FROM polls WHERE name = 'statement kraken'), '-infinity')
			  UNION ALL SELECT asset, greatest(differing - amount, 0), greatest(amount - differing, 0) FROM treasury_moves WHERE status = 'differs' AND settled_at IS NULL
			  UNION ALL SELECT asset, 0, amount FROM treasury_moves WHERE closed_at IS NULL AND status IN ('sending', 'unknown')) f GROUP BY currency`,
	}[account]
	if network, is := strings.CutPrefix(account, ledger.WalletAccount("")); is {
		return flows(ctx, db, `SELECT currency, sum(less) AS less, sum(more) AS more FROM (
			SELECT w.asset AS currency, w.amount AS less, 0 AS more FROM orders o JOIN withdrawals w ON w.order_id = o.id
			 WHERE o.status = 'filled' AND o.closed_at IS NULL AND o.network = @network AND w.send_started_at IS NOT NULL AND w.status IN ('requested', 'awaiting_approval', 'signed')
			UNION ALL SELECT w.asset, w.amount, 0 FROM voucher_redemptions r JOIN withdrawals w ON w.redemption_id = r.id
			 WHERE r.status = 'filled' AND r.closed_at IS NULL AND r.network = @network AND w.send_started_at IS NOT NULL AND w.status IN ('requested', 'awaiting_approval', 'signed')
			UNION ALL SELECT asset, 0, amount FROM treasury_moves WHERE closed_at IS NULL AND status = 'sent' AND network = @network
			UNION ALL SELECT asset, 0, greatest(amount, differing) FROM treasury_moves WHERE status = 'differs' AND network = @network) f GROUP BY currency`, map[string]any{"network": network})
	}
	if query == "" {
		return nil, errors.New("no provider holds " + account)
	}
	return flows(ctx, db, query)
}

func flows(ctx context.Context, db *store.DB, query string, names ...any) (map[money.Currency]flow, error) {
	var rows []struct {
		Currency   money.Currency
		Less, More money.Units
	}
	if err := db.ORM(ctx).Raw(query, names...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("read what is under way: %w", err)
	}
	out := map[money.Currency]flow{}
	for _, row := range rows {
		out[row.Currency] = flow{row.Less, row.More}
	}
	return out, nil
}
