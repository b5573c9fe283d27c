package models_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/migrations"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// statement is what one person attests about the office's customer.
func (o *office) statement(kind dualcontrol.Kind, by string, cents int64) dualcontrol.Attestation {
	amount := money.FromInt(cents)
	return dualcontrol.Attestation{Kind: kind, By: by, Customer: o.user, Subject: dualcontrol.Ref{Kind: "test", ID: string(kind)}, Amount: &amount,
		Source: dualcontrol.Ref{Kind: "test", ID: store.NewID()}}
}

func (o *office) attests(a dualcontrol.Attestation) dualcontrol.Ref {
	o.Helper()
	require.NoError(o, dualcontrol.Attest(o.Context(), o.db, a))
	return a.Source
}

// Whoever credited a balance alone releases nothing that was taken from it since, under whatever account, until another person
// seconds the credit, the credit is withdrawn, or thirty days have passed. Everyone else does, and so do both for value
// that was taken from the balance before.
func TestCreditsBarTheirAuthors(t *testing.T) {
	o := openOffice(t)
	alias := o.alias("t+again@example.com")
	now, err := o.db.Now(t.Context())
	require.NoError(t, err)
	payout := func(by string) error {
		return dualcontrol.CheckRelease(t.Context(), o.db, dualcontrol.Release{Action: dualcontrol.ApprovePayout, Actors: []string{by}, Customer: o.user, Balance: true})
	}
	require.NoError(t, payout(o.cashier))
	source := o.attests(o.statement(dualcontrol.CardValue, o.cashier, 100))
	for _, by := range []string{o.cashier, alias} {
		require.ErrorIs(t, payout(by), dualcontrol.ErrOwnCredit)
	}
	require.NoError(t, payout(o.second))
	before := dualcontrol.Release{Action: dualcontrol.ApprovePayout, Actors: []string{o.cashier}, Customer: o.user, Balance: true, Spent: now.Add(-1)}
	require.NoError(t, dualcontrol.CheckRelease(t.Context(), o.db, before))
	card := dualcontrol.Release{Action: dualcontrol.Fulfill, Actors: []string{o.cashier}, Customer: o.user, Subject: dualcontrol.OrderRef(store.NewID())}
	require.NoError(t, dualcontrol.CheckRelease(t.Context(), o.db, card), "a card pays this order")

	require.NoError(t, dualcontrol.Second(t.Context(), o.db, source, o.second))
	require.NoError(t, payout(o.cashier))
	other := o.attests(o.statement(dualcontrol.Credit, o.cashier, 100))
	require.ErrorIs(t, payout(o.cashier), dualcontrol.ErrOwnCredit)
	require.NoError(t, dualcontrol.Withdraw(t.Context(), o.db, other))
	require.NoError(t, payout(o.cashier))
}

// The sweep refuses each decision that its workflow no longer expects. A refusal withdraws the attestation of an open
// decision, and keeps the attestation of an executed decision.
func TestRefusalKeepsExecutedAttestations(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	own := func() error { return o.fulfils(o.cashier) }
	refused, err := o.confirms(o.cashier, o.order.Total, 1_000_000, "A")
	require.NoError(t, err)
	require.NoError(t, order.RefuseDecision(t.Context(), o.db, refused.ID, "not_awaited"))
	executed, err := o.confirms(o.cashier, o.order.Total, 1_000_000, "B")
	require.NoError(t, err)
	o.books(executed)
	require.Equal(t, order.StatusPaymentApproved, o.now().Status)
	require.NoError(t, order.RefuseDecision(t.Context(), o.db, executed.ID, "not_awaited"))
	withdrawn := func(d *order.Decision) (is bool) {
		const query = "SELECT withdrawn_at IS NOT NULL FROM attestations WHERE source_id = $1"
		require.NoError(t, o.db.Pool().QueryRow(t.Context(), query, d.ID).Scan(&is))
		return is
	}
	require.True(t, withdrawn(refused))
	require.False(t, withdrawn(executed))
	require.Equal(t, "own_receipt", store.ReasonOf(own()))
}

// refunds opens a refund of part of the order by a person, to the balance.
func (o *office) refunds(who string, cents, limit int64) error {
	amount, most := money.FromInt(cents), money.FromInt(limit)
	_, err := order.OpenRefund(o.Context(), o.db, order.NewRefund{OrderID: o.order.ID, Amount: &amount, To: order.RefundToBalance,
		ActorID: who, ActorRole: "finance", Reason: "a gesture", StaffAlone: &most})
	return err
}

// A refund to the balance of an order that goes on credits its customer: all of the coin is still sent. Whoever refunded
// it alone releases nothing that the balance pays, and the refund counts in the sum of the day. That holds whatever
// paid the order, and not for a refund that ends it.
func TestRefundWithCoinBarsAuthor(t *testing.T) {
	for _, method := range []string{"card", "domestic_wire"} {
		t.Run(method, func(t *testing.T) {
			o := openOffice(t)
			payout := func(by string) error {
				return dualcontrol.CheckRelease(t.Context(), o.db, dualcontrol.Release{Action: dualcontrol.ApprovePayout, Actors: []string{by},
					Customer: o.user, Balance: true})
			}
			paid := func() {
				if method == "card" {
					o.pay()
					row, err := o.part(100)
					require.NoError(t, err)
					_, err = order.StartGiveBack(t.Context(), o.db, o.order.ID, row.Sequence)
					require.NoError(t, err)
					require.NoError(t, order.RefundRefused(t.Context(), o.db, o.order.ID, row.Sequence, "expired_or_canceled_card"))
					return
				}
				o.take(method)
				d, err := o.confirms(o.third, o.order.Total, 10_000_000, "R-"+o.order.ID)
				require.NoError(t, err)
				o.books(d)
			}
			paid()
			require.ErrorIs(t, o.refunds(o.cashier, 500, 499), dualcontrol.ErrSecondPerson)
			require.NoError(t, o.refunds(o.cashier, 500, 500))
			require.ErrorIs(t, payout(o.cashier), dualcontrol.ErrOwnCredit, "before the coin is sent")
			require.NoError(t, payout(o.second))
			sum, err := dualcontrol.AloneBy(t.Context(), o.db, o.cashier)
			require.NoError(t, err)
			require.Equal(t, "500", sum.String())

			paid()
			most := o.order.Total
			_, err = order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionRefund, ActorID: o.second,
				ActorRole: "finance", Reason: "changed their mind", Data: order.RefundWish{To: order.RefundToBalance}, StaffAlone: &most})
			require.NoError(t, err)
			require.NoError(t, payout(o.second), "the refund ends the order")
			sum, err = dualcontrol.AloneBy(t.Context(), o.db, o.second)
			require.NoError(t, err)
			require.Equal(t, most.String(), sum.String())
		})
	}
}

// A refusal by the risk review refunds a card payment to the card: it counts toward no sum.
func TestRefusedCardOrderCountsNothing(t *testing.T) {
	o := openOffice(t)
	o.pay()
	o.exec(`UPDATE orders SET under_review = true WHERE id = $1`, o.order.ID)
	o.exec(`INSERT INTO risk_reviews (id, order_id, user_id, address_key, score, reasons) VALUES ($1, $2, $3, 'x', 100, '{shared_address}')`,
		store.NewID(), o.order.ID, o.user)
	officer := store.Actor{ActorID: o.cashier, ActorRole: "compliance", Reason: "on a list"}
	plenty := money.FromInt(100_000_000)
	_, _, err := customer.RefuseReview(t.Context(), o.db, o.openReview(), officer, plenty, &plenty)
	require.NoError(t, err)
	sum, err := dualcontrol.AloneBy(t.Context(), o.db, o.cashier)
	require.NoError(t, err)
	require.Equal(t, "0", sum.String())
}

// Whoever confirmed an order's receipt does not lift its hold: the coin leaves by it.
func TestReceiptAttestorCannotResume(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	d, err := o.confirms(o.cashier, o.order.Total, 10_000_000, "A")
	require.NoError(t, err)
	o.books(d)
	resume := func(by string) (*order.Decision, error) {
		return order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionResume, ActorID: by, ActorRole: "admin"})
	}
	hold := func() {
		d, err := order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionHold, ActorID: o.cashier, ActorRole: "admin", Reason: "asked to"})
		require.NoError(t, err)
		require.NoError(t, order.HoldOrder(t.Context(), o.db, o.order.ID, d.ID, true))
	}
	hold()
	_, err = resume(o.cashier)
	require.ErrorIs(t, err, dualcontrol.ErrOwnReceipt)
	d, err = resume(o.second)
	require.NoError(t, err)
	receipt := o.statement(dualcontrol.Receipt, o.second, 100)
	receipt.Subject = dualcontrol.OrderRef(o.order.ID)
	o.attests(receipt)
	require.ErrorIs(t, order.HoldOrder(t.Context(), o.db, o.order.ID, d.ID, false), dualcontrol.ErrOwnReceipt, "they confirmed one meanwhile")
	require.True(t, o.now().Held)
}

// A Fulfill that does not reserve coin seconds no identity.
func TestBlockedFulfillSecondsNoIdentity(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	receipt, err := o.confirms(o.third, o.order.Total, 10_000_000, "A")
	require.NoError(t, err)
	o.books(receipt)
	o.attests(dualcontrol.Attestation{Kind: dualcontrol.Identity, By: o.cashier, Customer: o.user, Subject: dualcontrol.Ref{Kind: "identity", ID: o.user},
		Source: dualcontrol.Ref{Kind: "test", ID: store.NewID()}})
	reserve := func(kind string) {
		d, err := order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: kind, ActorID: o.second, ActorRole: "admin"})
		require.NoError(t, err)
		require.NoError(t, order.Reserve(t.Context(), o.db, o.order.ID, d.ID, 100))
	}
	seconded := func() int {
		return o.count(`SELECT count(*) FROM attestations WHERE kind = 'identity' AND second_by IS NOT NULL`)
	}
	o.exec(`UPDATE markets SET priced_at = clock_now() - interval '2 hours'`)
	reserve(order.DecisionFulfill)
	require.Equal(t, order.StatusPaymentApproved, o.now().Status)
	require.Zero(t, seconded())
	o.exec(`UPDATE markets SET priced_at = clock_now()`)
	reserve(order.DecisionRetry)
	require.Equal(t, order.StatusFulfilling, o.now().Status)
	require.Equal(t, 1, seconded())
}

// A seconded receipt bars both people from its order, and neither from the customer's balance.
func TestReceiptsBarBothAttestors(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	receipt := o.statement(dualcontrol.Receipt, o.cashier, 100)
	receipt.Subject, receipt.Proposed = dualcontrol.OrderRef(o.order.ID), true
	require.NoError(t, dualcontrol.Second(t.Context(), o.db, o.attests(receipt), o.second))
	for _, action := range []dualcontrol.Action{dualcontrol.Fulfill, dualcontrol.Retry, dualcontrol.AmendAddress, dualcontrol.MarkSent, dualcontrol.ReleaseReview} {
		for _, by := range []string{o.cashier, o.second} {
			require.ErrorIs(t, dualcontrol.CheckRelease(t.Context(), o.db, order.ReleaseOf(o.order, action, o.third, by)), dualcontrol.ErrOwnReceipt, action)
		}
		require.NoError(t, dualcontrol.CheckRelease(t.Context(), o.db, order.ReleaseOf(o.order, action, o.third)), action)
	}
	payout := dualcontrol.Release{Action: dualcontrol.ApprovePayout, Actors: []string{o.cashier}, Customer: o.user, Balance: true}
	require.NoError(t, dualcontrol.CheckRelease(t.Context(), o.db, payout))
}

// Whoever approved an identity alone is barred until another person has released value to the customer: a decision that is not
// executed does not count.
func TestIdentitiesBarUntilAnotherReleases(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	o.attests(dualcontrol.Attestation{Kind: dualcontrol.Identity, By: o.cashier, Customer: o.user, Subject: dualcontrol.Ref{Kind: "identity", ID: o.user},
		Source: dualcontrol.Ref{Kind: "test", ID: store.NewID()}})
	fulfill := func(by string, executes bool) error {
		release := order.ReleaseOf(o.order, dualcontrol.Fulfill, by)
		release.Executes = executes
		return dualcontrol.CheckRelease(o.Context(), o.db, release)
	}
	require.ErrorIs(t, fulfill(o.cashier, true), dualcontrol.ErrOwnIdentity)
	require.NoError(t, fulfill(o.second, false))
	require.ErrorIs(t, fulfill(o.cashier, true), dualcontrol.ErrOwnIdentity, "nothing was executed")
	require.NoError(t, fulfill(o.second, true))
	require.NoError(t, fulfill(o.cashier, true))
}

// What rests on one person's statement within a day counts over all customers and both accounts of the person; what is proposed,
// seconded or withdrawn does not.
func TestStaffLimitCountsEveryStatement(t *testing.T) {
	o := openOffice(t)
	alias := o.alias("t+again@example.com")
	o.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'finance', 'test'), ($2, 'finance', 'test') ON CONFLICT DO NOTHING`, o.cashier, alias)
	limit := money.FromInt(1000)
	check := func(by string, cents int64) error {
		return dualcontrol.CheckStaffLimit(o.Context(), o.db, by, money.FromInt(cents), &limit)
	}
	seconded := o.attests(o.statement(dualcontrol.Receipt, o.cashier, 300))
	withdrawn := o.attests(o.statement(dualcontrol.BreakBooked, alias, 300))
	o.attests(o.statement(dualcontrol.Batch, alias, 400))
	proposed := o.statement(dualcontrol.CardValue, o.cashier, 900)
	proposed.Proposed = true
	o.attests(proposed)
	for _, by := range []string{o.cashier, alias} {
		tx := func() error {
			return o.db.Tx(o.Context(), func(tx *store.DB) error {
				return dualcontrol.CheckStaffLimit(o.Context(), tx, by, money.FromInt(1), &limit)
			})
		}
		require.ErrorIs(t, tx(), dualcontrol.ErrSecondPerson)
	}
	require.NoError(t, check(o.second, 1000))
	require.NoError(t, dualcontrol.Second(t.Context(), o.db, seconded, o.second))
	require.NoError(t, dualcontrol.Withdraw(t.Context(), o.db, withdrawn))
	require.NoError(t, check(o.cashier, 600))
	require.ErrorIs(t, check(o.cashier, 601), dualcontrol.ErrSecondPerson)
}

// An attestation is never changed, and nothing deletes one.
func TestAttestationsAreAppendOnly(t *testing.T) {
	o := openOffice(t)
	require.NoError(t, dualcontrol.Second(t.Context(), o.db, o.attests(o.statement(dualcontrol.Credit, o.cashier, 5)), o.second))
	owner := o.asOwner(t)
	for _, change := range []string{"UPDATE attestations SET amount = 1", "UPDATE attestations SET by_id = second_by, second_by = NULL, second_at = NULL",
		"UPDATE attestations SET second_by = NULL, second_at = NULL", "UPDATE attestations SET at = at - interval '31 days'", "DELETE FROM attestations", "TRUNCATE attestations"} {
		_, err := owner.Exec(t.Context(), change)
		require.Error(t, err, change)
	}
}

// The migration writes for the rows of before the attestations that the actions write now.
func TestBackfillWritesWhatActionsWrite(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	paid := o.order.Total
	cents, _ := paid.Int64()
	d, err := o.confirms(o.cashier, paid, cents*10, "A")
	require.NoError(t, err)
	o.books(d)
	made, err := o.agrees(o.asks(o.cashier, money.FromInt(4000), "surplus"), o.second)
	require.NoError(t, err)
	o.books(made.Decision)
	o.take("domestic_wire")
	o.asks(o.second, money.FromInt(4000), "open")

	const rows = `SELECT concat_ws(' ', kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id, proposed, second_by) FROM attestations ORDER BY 1`
	text, err := fs.ReadFile(migrations.Files, "00190_attestations.sql")
	require.NoError(t, err)
	_, backfill, _ := strings.Cut(string(text), "-- What rests on one person's statement today.")
	backfill, _, _ = strings.Cut(backfill, "-- +goose Down")
	tx, err := o.asOwner(t).Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	read := func() []string {
		found, err := tx.Query(t.Context(), rows)
		require.NoError(t, err)
		lines, err := pgx.CollectRows(found, pgx.RowTo[string])
		require.NoError(t, err)
		return lines
	}
	want := read()
	require.Len(t, want, 3)
	_, err = tx.Exec(t.Context(), "ALTER TABLE attestations DISABLE TRIGGER keep_attestation; DELETE FROM attestations")
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), backfill[strings.Index(backfill, "INSERT"):])
	require.NoError(t, err)
	require.Equal(t, want, read())
	var credited int
	require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM attestations WHERE credited_at IS NOT NULL").Scan(&credited))
	require.Equal(t, 2, credited, "both receipts of the order whose surplus was credited")
}
