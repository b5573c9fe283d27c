package worker

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/temporalproto"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/mailtemplate"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

var quickPayouts = activities.PayoutTiming{Remind: 24 * time.Hour, Returnable: 720 * time.Hour}

// payOut asks for a payout of the proceeds of a gift card; start says whether its
// workflow is started with it.
func (h *testCluster) payOut(cents int64, start bool) *payout.Payout {
	h.Helper()
	return h.payOutBy(false, cents, start)
}

// payOutBy requests a payout, which its customer has to confirm by a mailed link if byMail.
func (h *testCluster) payOutBy(byMail bool, cents int64, start bool) *payout.Payout {
	h.Helper()
	keys, err := secret.NewKeys(bytes.Repeat([]byte{9, 1}, secret.KeySize/2))
	require.NoError(h, err)
	account, err := payout.PayoutAccount{Kind: payout.AccountIBAN, Holder: "CANARY Holder", IBAN: "DE89370400440532013000"}.Check()
	require.NoError(h, err)
	h.exec(`UPDATE users SET first_name = 'Holder', last_name = 'Canary' WHERE id = $1`, h.customer)
	p, err := payout.RequestPayout(h.Context(), h.db, keys, payout.NewPayout{UserID: h.customer, Amount: money.FromInt(cents),
		Account: account, ByMail: byMail, TwoAbove: money.FromInt(2_000)})
	require.NoError(h, err)
	if start {
		require.NoError(h, h.client.StartCase(h.Context(), payout.KindPayout, p.ID))
	}
	return p
}

// rich gives the customer a balance.
func (h *testCluster) rich() {
	h.Helper()
	card := h.sell(canaryCode, true)
	h.cardIs(card.ID, giftcard.CardInReview)
	require.Equal(h, workflows.Done, h.decideCard(card.ID, giftcard.CardApprove, 10000).Code)
	require.Equal(h, "8000", h.balance().String())
	// Another person agrees with the value, so that the reviewer may approve what the balance pays.
	another := store.NewID()
	h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2 || '@example.com', true)`, another, another)
	h.exec(`UPDATE attestations SET second_by = $1, second_at = clock_now() WHERE customer_id = $2 AND second_by IS NULL`, another, h.customer)
}

func (h *testCluster) openPayout(id, kind, actor string) *casework.CaseDecision {
	h.Helper()
	in := casework.NewCaseDecision{Kind: kind, ActorID: actor, ActorRole: "finance", Reason: "the wherefore", Own: kind == payout.PayoutCancel}
	if kind == payout.PayoutConfirm {
		in.Data = payout.PayoutReference{Reference: "wire " + id}
	}
	if kind == payout.PayoutApprove {
		first, err := casework.WaitingApproval(h.Context(), h.db, payout.KindApproval, id)
		require.NoError(h, err)
		if first != nil {
			in.Seen = first.Version()
		}
	}
	decision, err := payout.OpenPayoutDecision(h.Context(), h.db, id, in)
	require.NoError(h, err)
	return decision
}

func (h *testCluster) decidePayout(id, kind, actor string) workflows.Outcome {
	h.Helper()
	decision := h.openPayout(id, kind, actor)
	outcome, decided, err := h.client.DecideCase(h.Context(), payout.KindPayout, id, kind, decision.ID, 40*time.Second)
	require.NoError(h, err)
	require.True(h, decided)
	return outcome
}

func (h *testCluster) payoutIs(id string, is func(p *payout.Payout) bool) {
	h.Helper()
	h.until("the payout to move", func() bool {
		p, err := payout.ReadPayout(h.Context(), h.db, id)
		require.NoError(h, err)
		return is(p)
	})
}

// second is another of staff.
func (h *testCluster) second() string {
	h.Helper()
	id := store.NewID()
	h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'second', 'second@example.com', true)`, id)
	return id
}

// wholeHistory waits for a payout's workflow to end: its history holds nothing
// of the account.
func (h *testCluster) wholeHistory(id, name string) {
	h.Helper()
	require.NoError(h, h.client.GetWorkflow(h.Context(), workflows.CaseID(payout.KindPayout, id), "").Get(h.Context(), nil))
	reader := h.client.GetWorkflowHistory(h.Context(), workflows.CaseID(payout.KindPayout, id), "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for reader.HasNext() {
		event, err := reader.Next()
		require.NoError(h, err)
		raw, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(event)
		require.NoError(h, err)
		require.NotContains(h, string(raw), "CANARY")
		require.NotContains(h, string(raw), "DE89")
		require.NotEqual(h, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, event.EventType, "its steps touch Postgres alone")
	}
	h.record(workflows.CaseID(payout.KindPayout, id), name)
}

func TestPayoutIsApprovedByTwoPaidAndForgotten(t *testing.T) {
	h := open(t)
	h.rich()
	second := h.second()
	p := h.payOut(3_000, true)
	require.Equal(t, "5000", h.balance().String())
	require.Equal(t, workflows.Done, h.decidePayout(p.ID, payout.PayoutApprove, h.staff).Code)
	require.Equal(t, workflows.Done, h.decidePayout(p.ID, payout.PayoutApprove, second).Code)
	require.Equal(t, workflows.Done, h.decidePayout(p.ID, payout.PayoutConfirm, h.staff).Code)
	h.books()
	h.advance(721 * time.Hour)
	h.sweep()
	h.payoutIs(p.ID, func(p *payout.Payout) bool { return p.ClosedAt != nil && p.SealedAccount == nil })
	h.wholeHistory(p.ID, "payout-paid")
	require.Equal(t, "5000", h.balance().String())

	back := h.payOut(2_000, true)
	require.Equal(t, workflows.Done, h.decidePayout(back.ID, payout.PayoutApprove, h.staff).Code)
	require.Equal(t, workflows.Done, h.decidePayout(back.ID, payout.PayoutConfirm, h.staff).Code)
	require.Equal(t, workflows.Done, h.decidePayout(back.ID, payout.PayoutReturn, h.staff).Code)
	h.wholeHistory(back.ID, "payout-returned")
	rejected := h.payOut(2_000, true)
	h.payoutIs(rejected.ID, func(p *payout.Payout) bool { return p.RemindAt != nil })
	decision := h.openPayout(rejected.ID, payout.PayoutApprove, h.cashier)
	h.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, h.customer)
	outcome, _, err := h.client.DecideCase(t.Context(), payout.KindPayout, rejected.ID, payout.PayoutApprove, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.Equal(t, "account_frozen", outcome.Code, "what changed since the decision counts")
	require.Equal(t, workflows.Done, h.decidePayout(rejected.ID, payout.PayoutReject, h.staff).Code)
	h.wholeHistory(rejected.ID, "payout-rejected")
	require.Equal(t, "5000", h.balance().String())
	h.books()
}

// No workflow was started or signalled, and it dies with Temporal's data: the sweep and the
// next decision start it from its row, and nothing is done twice.
func TestBar26SweepStartsPayoutsAndDeliversTheirDecisions(t *testing.T) {
	h := open(t)
	h.rich()
	p := h.payOut(1_500, false)
	h.sweep()
	h.payoutIs(p.ID, func(p *payout.Payout) bool { return p.RemindAt != nil })
	decision := h.openPayout(p.ID, payout.PayoutApprove, h.staff)
	h.record(h.sweep(), "sweep-payout-decision")
	h.payoutIs(p.ID, func(p *payout.Payout) bool { return p.Status == payout.PayoutApproved })
	outcome, decided, err := h.client.DecideCase(t.Context(), payout.KindPayout, p.ID, payout.PayoutApprove, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.True(t, outcome.OK(), "the same decision again attaches to the first: %+v", outcome)
	require.NoError(t, h.client.TerminateWorkflow(context.WithoutCancel(t.Context()), workflows.CaseID(payout.KindPayout, p.ID), "", "the test"))
	require.Equal(t, workflows.Done, h.decidePayout(p.ID, payout.PayoutConfirm, h.staff).Code)
	own := h.payOut(1_500, true)
	require.Equal(t, workflows.Done, h.decidePayout(own.ID, payout.PayoutCancel, h.customer).Code)
	h.wholeHistory(own.ID, "payout-cancelled")
	require.Equal(t, "6500", h.balance().String())
	h.books()
}

// Each mail about payouts arrives, once, for whom it is meant, and holds nothing
// of the account but its end.
func TestBar35PayoutMailsArriveOnceAndHoldNoSecret(t *testing.T) {
	h := open(t)
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'finance', 'test')`, h.staff)
	h.rich()
	kinds := mailtemplate.Kinds("en")
	paid, refused, unconfirmed := h.payOut(1_500, true), h.payOut(1_500, true), h.payOutBy(true, 1_500, true)
	late := func(n int) {
		h.advance(25 * time.Hour)
		h.sweep()
		h.until("reminders", func() bool {
			var reported int
			require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM matter_events WHERE kind IN ('approval_late', 'payment_late')`).Scan(&reported))
			return reported >= n
		})
	}
	h.payoutIs(refused.ID, func(p *payout.Payout) bool { return p.RemindAt != nil })
	h.payoutIs(paid.ID, func(p *payout.Payout) bool { return p.RemindAt != nil })
	h.deliverMails() // a link is mailed only before it expires
	late(2)
	h.payoutIs(unconfirmed.ID, func(p *payout.Payout) bool { return p.Status == payout.PayoutCancelled })
	require.Equal(t, workflows.Done, h.decidePayout(refused.ID, payout.PayoutReject, h.staff).Code)
	require.Equal(t, workflows.Done, h.decidePayout(paid.ID, payout.PayoutApprove, h.staff).Code)
	late(3)
	require.Equal(t, workflows.Done, h.decidePayout(paid.ID, payout.PayoutConfirm, h.staff).Code)
	require.Equal(t, workflows.Done, h.decidePayout(paid.ID, payout.PayoutReturn, h.staff).Code)
	h.deliverMails()
	for _, m := range payout.PayoutRules.Mailings {
		require.Contains(t, kinds, m.Kind, "a mail without a letter")
		var n int
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM mails WHERE kind = $1 AND sent_at IS NOT NULL`, m.Kind).Scan(&n))
		require.Positive(t, n, m.Kind)
	}
	for _, to := range []string{"customer@example.com", "staff@example.com"} {
		for _, mail := range h.mails(to) {
			require.Equal(t, 1, mail.Deliveries)
			for _, secret := range []string{"CANARY", "DE89", "0532013000", "<no value>", "the wherefore"} {
				require.NotContains(t, mail.Text+mail.HTML+mail.Subject, secret)
			}
		}
	}
}
