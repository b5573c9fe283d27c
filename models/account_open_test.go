package models_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/store"
)

// endsOtherwise are tables about people or orders whose rows come to an end, and
// why an account may be closed over one that has not.
var endsOtherwise = map[string]string{
	"account_closures": "is the closing itself", "data_exports": "ends with the account", "role_proposals": "a member of staff closes no account",
	"two_factor_recoveries": "is a matter", "tickets": "closing the account ends it", "kyc_events": "history", "kyc_proposals": "lapses as the account closes", "matter_events": "history", "order_events": "history",
	"backup_codes": "go with the account", "consents": "are done when they are there", "devices": "go with the account", "second_factors": "goes with the account", "sessions": "go with the account",
	"customer_notes": "is only erased", "order_notes": "is only erased", "evidence": "is only erased", "gift_card_images": "is only erased",
	"exchange_orders": "is open with its order or redemption", "withdrawals": "is open with its order or redemption", "payments": "is open with its order",
	"histories": "is kept beside", "histories_due": "is kept beside", "idempotency_keys": "is an answer kept", "mails": "is sent after closing as well",
	"reconciled_effects": "is our own comparison", "webhook_inbox": "is a notice", "risk_reviews": "is open with its order or redemption",
	"rewards": "is the matter earned_rewards", "stranded_credits": "comes after closing only", "receipts": "is done when it is there", "money_proposals": "what it pays a closed account is kept apart",
	"unplaced_money": "is nobody's yet", "mailed_links": "is open with its subject", "confirmed_addresses": "is only deleted", "held_addresses": "waits with its order, and goes with the account", "receipt_returns": "is done when it is there",
	"coin_offers":      "waits with its order",
	"surpluses":        "while it is held, the receipt that it is of keeps the account open",
	"recalls":          "is done when it is there",
	"gift_card_claims": "is done when it is there; what it left owed keeps the account open",
}

// Every kind of open record keeps its customer's account open, or is listed here with a reason.
func TestNothingOpenIsForgottenWhenAnAccountIsClosed(t *testing.T) {
	s := openShop(t)
	queries, tables := OpenQueries()
	for _, list := range queries {
		for _, query := range list {
			for _, found := range regexp.MustCompile(`(?:FROM|JOIN) ([a-z_]+)`).FindAllStringSubmatch(query, -1) {
				tables = append(tables, found[1])
			}
		}
	}
	rows, err := s.db.Pool().Query(t.Context(), `SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND (column_name IN ('user_id', 'order_id', 'status') OR column_name LIKE '%\_at' AND column_name NOT IN ('created_at', 'updated_at'))
		GROUP BY 1 HAVING bool_or(column_name IN ('user_id', 'order_id')) AND bool_or(column_name NOT IN ('user_id', 'order_id'))`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		require.True(t, slices.Contains(tables, name) || endsOtherwise[name] != "", "does an open row of %s keep its customer's account open?", name)
	}
	require.NoError(t, rows.Err())
}

// Each thing that is in progress refuses the closing, with a sentence of its own.
func TestWhatIsUnderWayKeepsAnAccountOpen(t *testing.T) {
	d := openOrderFixture(t)
	sent := func() { // an order that is over, so that it keeps nothing open itself
		d.take("domestic_wire")
		d.exec(`UPDATE orders SET status = 'sent', paid_at = clock_now(), sent_at = clock_now(), confirmed_at = clock_now(), closed_at = clock_now(), txid = 'x' WHERE id = $1`, d.order.ID)
	}
	refund := func(status string) func() {
		return func() {
			sent()
			d.exec(`INSERT INTO refunds (order_id, sequence, user_id, amount, destination, status, key, carrier, origin) VALUES ($1::text::uuid, 1, $2, 100, 'card', $3, $1::text, 'own', 'ours')`, d.order.ID, d.user, status)
		}
	}
	cases := map[string]func(){
		"balance": func() { d.credit(cents(100)) },
		"order":   func() { d.take("domestic_wire") },
		"approval": func() {
			sent()
			_, err := order.Propose(t.Context(), d.db, order.NewProposal{OrderID: d.order.ID, Kind: order.DecisionRefund, Reason: "too much", ActorID: d.staff, ActorRole: "admin", Amount: ptr(cents(100))})
			require.NoError(t, err)
		},
		"receipt": func() {
			sent()
			d.exec(`INSERT INTO postings (group_key, line, event, order_id, from_account, to_account, currency, amount) VALUES ('t', 1, 'money_received', $1, 'unallocated_receipts', 'bank_clearing', 'USD', 5)`, d.order.ID)
		},
		"refund": refund("pending"), "refund ": refund("requested"),
	}
	for code, make := range cases {
		t.Run(code, func(t *testing.T) {
			d.user = store.NewID()
			d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1::text::uuid, 'test', $1::text, 'c@example.com', true)`, d.user)
			d.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, d.user)
			require.NoError(t, ledger.OpenCustomerAccounts(t.Context(), d.db, d.user))
			make()
			_, err := privacy.AskToClose(t.Context(), d.db, d.user)
			require.Equal(t, "open_"+strings.TrimSpace(code), store.ReasonOf(err), "%v", err)
		})
	}
}

func ptr[T any](v T) *T { return &v }

// shut closes the customer's account, as CloseAccount does, whatever is open.
func (s *shop) shut() {
	s.Helper()
	s.exec(`UPDATE users SET closed_at = clock_now(), disabled_at = clock_now() WHERE id = $1`, s.user)
}

func (s *shop) stranded() (sum money.Units) {
	s.Helper()
	rows, _, err := correction.StrandedCredits(s.Context(), s.db, correction.StrandedOpen, store.Page{OldestFirst: true, Limit: 100})
	require.NoError(s, err)
	for _, row := range rows {
		sum = sum.Add(row.Left())
	}
	return sum
}

// No money ends on the balance of a closed account, by whatever way it comes; it is
// owed from an account of its own, in a queue.
func TestMoneyForAClosedAccountWaitsForStaff(t *testing.T) {
	d := openOrderFixture(t)
	total := money.Units{}
	came := func(amount money.Units, how string) {
		t.Helper()
		total = total.Add(amount)
		require.True(t, d.balance().IsZero(), how)
		require.Equal(t, total, d.stranded(), how)
		owed, err := ledger.AccountBalance(t.Context(), d.db, ledger.AccountClosed, money.USD)
		require.NoError(t, err)
		require.Equal(t, total, owed.Neg(), how)
	}
	d.take("domestic_wire")
	late := d.order
	d.expires()
	d.take("domestic_wire")
	over := d.order
	require.NoError(t, d.arrives(over.Total, "paid"))
	d.take("domestic_wire")
	kept := d.order
	require.NoError(t, d.arrives(kept.Total.Add(cents(2000)), "over"))
	d.shut()

	d.order = late
	require.NoError(t, d.arrivesOn(time.Now().UTC().Format(time.DateOnly), late.Total, "after the end"))
	require.Equal(t, order.AttentionLate, *d.now().AttentionReason, "nobody is there to buy for")
	require.NoError(t, d.reverse())
	came(late.Total, "late money")
	d.order = over
	require.NoError(t, d.arrives(cents(300), "twice"))
	refund, err := d.decide(order.DecisionRefund, nil)
	require.NoError(t, err)
	_, err = order.StartRefund(t.Context(), d.db, over.ID, refund)
	require.NoError(t, err)
	total = total.Add(over.Total)
	came(cents(300), "an order refunded to the balance, and money beyond it")
	d.order = kept
	d.settles(true)
	came(cents(2000), "what is left over")
	d.credit(cents(500))
	came(cents(500), "a gift card, a reward, a bonus")
	_, err = ClawBack(t.Context(), d.db, d.user, "debt", cents(200))
	require.NoError(t, err)
	d.credit(cents(500))
	came(cents(300), "what they owe is paid first")
	d.balanced()
}

// A bank returns a payout after its customer's account is closed.
func TestAPayoutReturnedToAClosedAccountIsPaidBackByTwo(t *testing.T) {
	p := openTill(t)
	p.earn(150_000)
	row, err := p.ask(150_000)
	require.NoError(t, err)
	require.NoError(t, p.decide(row.ID, payout.PayoutApprove, 0))
	require.NoError(t, p.decide(row.ID, payout.PayoutApprove, 1))
	require.NoError(t, p.decide(row.ID, payout.PayoutConfirm, 0))
	p.shut()
	require.NoError(t, p.decide(row.ID, payout.PayoutReturn, 0))
	rows, _, err := correction.StrandedCredits(t.Context(), p.db, correction.StrandedOpen, store.Page{OldestFirst: true, Limit: 10})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, "150000", rows[0].Amount.String())
	back := func(who, reference string) error {
		_, err := correction.PayBackStranded(t.Context(), p.db, correction.PayBack{ID: rows[0].ID, Reference: reference, TwoAbove: money.FromInt(100_000),
			By: store.Actor{ActorID: who, ActorRole: "finance", Reason: "to the account it came from",
				Seen: versionOf(t.Context(), p.db, correction.KindClosedCredit, rows[0].ID)}})
		return err
	}
	closedOwes := func() string {
		owed, err := ledger.AccountBalance(t.Context(), p.db, ledger.AccountClosed, money.USD)
		require.NoError(t, err)
		return owed.Neg().String()
	}
	require.Equal(t, "own_account", store.ReasonOf(back(p.user, "B1")))
	require.Equal(t, "required", store.ReasonOf(back(p.staff[0], " ")))
	require.Equal(t, "own_credit", store.ReasonOf(back(p.staff[0], "B1")), "the return is on their word alone")
	p.exec(`UPDATE attestations SET second_by = $1, second_at = clock_now() WHERE by_id = $2 AND kind = 'payout_returned'`, p.staff[1], p.staff[0])
	require.Equal(t, "bank_reference_used", store.ReasonOf(back(p.staff[0], "BANK "+row.ID)))
	require.NoError(t, back(p.staff[0], "B1"))
	require.Equal(t, "150000", closedOwes(), "one person alone moves nothing")
	require.Equal(t, "second_person", store.ReasonOf(back(p.staff[0], "B1")))
	require.Equal(t, "other_reference", store.ReasonOf(back(p.staff[1], "B2")))
	require.NoError(t, back(p.staff[1], "b1"))
	require.Equal(t, "0", closedOwes())
	require.Equal(t, "paid_back", store.ReasonOf(back(p.staff[1], "B1")))
	require.True(t, p.stranded().IsZero())
	require.Equal(t, 2, count(p.shop, `SELECT count(*) FROM audit_log WHERE object_kind = 'stranded_credit'`))
}
