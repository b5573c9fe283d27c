package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// The ledger is double entry by construction: one posting moves an amount from one account to another, so each
// currency always sums to zero. A balance is credits less debits, so that assets and expenses are positive,
// liabilities, income and equity negative; the postings of each event are in docs/ledger.md and postings.go.

// Platform accounts. Customers' accounts are made by CustomerBalance, CustomerReserved and CustomerReceivable.
const (
	AccountPrepaid     = "prepaid_orders"       // captured, not delivered
	AccountUnallocated = "unallocated_receipts" // money that matches no order yet
	AccountUnplaced    = "unplaced_receipts"    // money that belongs to no order yet (unplaced.go)
	AccountClearing    = "stripe_clearing"
	AccountBank        = "bank_clearing"
	AccountExchange    = "exchange" // dollars and coin at the exchange
	AccountConversion  = "conversion"
	AccountFees        = "fees_earned"
	AccountTrading     = "trading_difference"
	AccountRounding    = "rounding" // parts of a cent that have added up
	AccountProviderFee = "provider_fees"
	AccountNetworkFee  = "network_fees"
	AccountPromotions  = "promotions"
	AccountChargebacks = "chargebacks"
	AccountGoodwill    = "goodwill"
	AccountLosses      = "losses" // coin of transfers that were declared dead and confirmed
	AccountEquity      = "equity"
	AccountGiftCards   = "gift_card_inventory" // cards we paid for, at that cost
	AccountClosed      = "closed_accounts"     // owed to customers whose accounts are closed
	AccountVouchers    = "voucher_liability"   // vouchers that can still be redeemed
)

// WalletAccount is the coin we can send on a network.
func WalletAccount(network string) string { return "wallet:" + network }

// ReservedAccount is the coin promised to orders being fulfilled.
func ReservedAccount(network string) string { return "wallet_reserved:" + network }

// CustomerBalance is what we owe a customer and they may spend.
func CustomerBalance(userID string) string { return "customer:" + userID + ":balance" }

// CustomerReserved is what we owe a customer and is promised to something.
func CustomerReserved(userID string) string { return "customer:" + userID + ":reserved" }

// CustomerReceivable is what a customer owes us: a claim that their balance did
// not cover (clawBack). Later credits pay it first.
func CustomerReceivable(userID string) string { return "customer:" + userID + ":receivable" }

// Posting moves Amount (> 0, base units) from one account to another.
type Posting struct {
	From, To string
	Currency money.Currency
	Amount   money.Units
}

// StoredPosting is a posting as the ledger keeps it.
type StoredPosting struct {
	ID          int64 `gorm:"primaryKey"`
	At          time.Time
	GroupKey    string
	Line        int
	Event       string
	FromAccount string
	ToAccount   string
	Currency    money.Currency
	Amount      money.Units
	OrderID     *string
	GiftCardID  *string
	Matter      *string
	MatterID    *string
	Bank        *BankLine `gorm:"-"` // on pages of the ledger, of the bank's account
}

// TableName implements GORM's Tabler.
func (StoredPosting) TableName() string { return "postings" }

// Kinds of what postings are about, beside the kinds of cases.
const (
	OfOrder    = "order"
	OfGiftCard = "gift_card"
)

// About names a group of postings by its effect on an order, a gift card or a case:
// posting it twice is refused, so an effect is never booked twice.
func About(of, id, event, group string) StoredPosting {
	about := StoredPosting{Event: event, GroupKey: of + ":" + id + ":" + group}
	switch of {
	case OfOrder:
		about.OrderID = &id
	case OfGiftCard:
		about.GiftCardID = &id
	default:
		about.Matter, about.MatterID = &of, &id
	}
	return about
}

// PostingsOf reads what was booked about an order, a gift card or a case, in order.
func PostingsOf(ctx context.Context, db *store.DB, of, id string) ([]StoredPosting, error) {
	var rows []StoredPosting
	about := About(of, id, "", "")
	about.GroupKey = ""
	if err := db.ORM(ctx).Where(&about).Order("id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read postings: %w", err)
	}
	return rows, nil
}

// Post writes a group of postings. Lines of zero are left out, so that a rule
// can name every leg it may have.
func Post(ctx context.Context, db *store.DB, event, group string, orderID *string, lines []Posting) error {
	return PostAbout(ctx, db, StoredPosting{Event: event, GroupKey: group, OrderID: orderID}, lines)
}

// PostAbout is post for whatever the group, its event and its object are.
func PostAbout(ctx context.Context, db *store.DB, about StoredPosting, lines []Posting) error {
	args := []any{about.GroupKey, about.Event, about.OrderID, about.GiftCardID, about.Matter, about.MatterID}
	var rows []string
	for _, p := range lines {
		if p.Amount.IsZero() {
			continue
		}
		n := len(args)
		rows = append(rows, fmt.Sprintf("($1, %d, $2, $3, $4, $5, $6, $%d, $%d, $%d, $%d)", len(rows)+1, n+1, n+2, n+3, n+4))
		args = append(args, p.From, p.To, string(p.Currency), p.Amount)
	}
	if len(rows) == 0 {
		return nil
	}
	return db.Later(ctx, store.Write{Table: "postings", Args: args, Fails: unbooked, Query: `INSERT INTO postings (group_key, line, event, order_id, gift_card_id, matter, matter_id, from_account, to_account, currency, amount)
		VALUES ` + strings.Join(rows, ", ")})
}

// unbooked says why the ledger refuses postings.
func unbooked(err error) error {
	switch {
	case store.Violates(err, "postings_group_key_line_key"):
		return store.Conflict("already_posted", "This is already booked")
	case store.Violates(err, "balance_not_negative"):
		return store.Conflict("insufficient_balance", "The balance is too low")
	}
	return nil
}

// OpenCustomerAccounts makes a customer's three ledger accounts if they are not
// there yet.
func OpenCustomerAccounts(ctx context.Context, db *store.DB, userID string) error {
	err := db.ORM(ctx).Exec(`INSERT INTO accounts (code, kind, user_id, protected)
		VALUES (?, 'liability', ?, true), (?, 'liability', ?, true), (?, 'asset', ?, true) ON CONFLICT DO NOTHING`,
		CustomerBalance(userID), userID, CustomerReserved(userID), userID, CustomerReceivable(userID), userID).Error
	if err != nil {
		return fmt.Errorf("open customer accounts: %w", err)
	}
	return nil
}

// BalanceOf12 is the balance of account $1 in currency $2.
const BalanceOf12 = `WITH rolled AS (SELECT through_id, balance FROM account_rollups WHERE account = $1 AND currency = $2)
	SELECT coalesce((SELECT balance FROM rolled), 0)
	     + coalesce((SELECT sum(amount) FROM postings WHERE to_account = $1 AND currency = $2
	                    AND id > coalesce((SELECT through_id FROM rolled), 0)), 0)
	     - coalesce((SELECT sum(amount) FROM postings WHERE from_account = $1 AND currency = $2
	                    AND id > coalesce((SELECT through_id FROM rolled), 0)), 0)`

// AccountBalance is the balance of one account in one currency, from the last
// roll-up and the postings since.
func AccountBalance(ctx context.Context, db *store.DB, account string, currency money.Currency) (money.Units, error) {
	var balance money.Units
	err := db.Row(ctx, BalanceOf12, account, string(currency)).Scan(&balance)
	if err != nil {
		return money.Units{}, fmt.Errorf("read balance of %s: %w", account, err)
	}
	return balance, nil
}

// AccountTotal is one line of the trial balance.
type AccountTotal struct {
	Account   string
	Kind      string
	Currency  money.Currency
	Balance   money.Units
	Protected bool
}

// OnWrongSide reports whether a protected account is where it must never be.
func (t *AccountTotal) OnWrongSide() bool {
	return t.Protected && (t.Kind == "asset" && t.Balance.Sign() < 0 || t.Kind == "liability" && t.Balance.Sign() > 0)
}

// TrialBalance is every account's balance at this moment, from the postings
// alone. Each currency sums to zero, and no protected account is on its wrong
// side (CheckTrialBalance).
func TrialBalance(ctx context.Context, db *store.DB) ([]AccountTotal, error) {
	var totals []AccountTotal
	err := db.ORM(ctx).Raw(`
		SELECT a.code AS account, a.kind, a.protected, m.currency, sum(m.amount) AS balance
		  FROM (SELECT to_account AS account, currency, amount FROM postings
		        UNION ALL SELECT from_account, currency, -amount FROM postings) m
		  JOIN accounts a ON a.code = m.account
		 GROUP BY a.code, a.kind, a.protected, m.currency ORDER BY a.code, m.currency`).Scan(&totals).Error
	if err != nil {
		return nil, fmt.Errorf("read trial balance: %w", err)
	}
	return totals, nil
}

// CheckTrialBalance says what is wrong with a trial balance, a sentence each;
// nothing when it is in order.
func CheckTrialBalance(totals []AccountTotal) []string {
	var wrong []string
	sums := map[money.Currency]money.Units{}
	for _, t := range totals {
		sums[t.Currency] = sums[t.Currency].Add(t.Balance)
		if t.OnWrongSide() {
			wrong = append(wrong, fmt.Sprintf("%s is on its wrong side by %s %s", t.Account, t.Currency.Format(t.Balance.Abs()), t.Currency))
		}
	}
	for currency, sum := range sums {
		if !sum.IsZero() {
			wrong = append(wrong, fmt.Sprintf("%s does not sum to zero: %s", currency, currency.Format(sum)))
		}
	}
	return wrong
}

// SeedFloat books the coin and dollars that the company brings in at the start,
// once per group name. It is how the wallet float gets into the ledger.
func SeedFloat(ctx context.Context, db *store.DB, group string, lines []Posting) error {
	err := db.Tx(ctx, func(tx *store.DB) error { return postFloat(ctx, tx, group, lines) })
	if store.ReasonOf(err) == "already_posted" {
		return nil
	}
	return err
}

// postFloat posts the float of a group; it returns the conflict already_posted if the group was booked before.
func postFloat(ctx context.Context, tx *store.DB, group string, lines []Posting) error {
	return Post(ctx, tx, "float_seeded", "float:"+group, nil, lines)
}

// SeedFloatByCommand is SeedFloat with a line of the audit log, which names the operator and the amounts. It reports
// whether it booked them: the same group is booked once.
func SeedFloatByCommand(
	ctx context.Context, db *store.DB, group string, lines []Posting, operator string,
) (booked bool, err error) {
	after := map[string]any{"by": operator}
	for _, line := range lines {
		after[fmt.Sprintf("%s %s", line.To, line.Currency)] = line.Currency.Format(line.Amount)
	}
	err = db.Tx(ctx, func(tx *store.DB) error {
		if err := postFloat(ctx, tx, group, lines); err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorRole: "system", Action: "float_seeded", ObjectKind: "float",
			ObjectID: group, After: after})
	})
	if store.ReasonOf(err) == "already_posted" {
		return false, nil
	}
	return err == nil, err
}
