package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/mailtemplate"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/workflows"
)

// befriended signs up a friend of the customer's, who buys from now on: to the
// wallet that the customer themselves uses.
func (h *testCluster) befriended(subject string) (payee, friend string) {
	h.Helper()
	payee = h.customer
	h.write("card")
	code, err := referral.CodeOf(h.Context(), h.db, payee)
	require.NoError(h, err)
	user, err := account.SignIn(h.Context(), h.db, account.Claims{Issuer: "test", Subject: subject, Email: subject + "@example.org", EmailVerified: true, FirstName: "Canary"},
		referral.Arrival{Code: code, Bonus: money.FromInt(2500), Reward: money.FromInt(1000), Revocable: time.Hour})
	require.NoError(h, err)
	h.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, user.ID)
	h.customer = user.ID
	return payee, user.ID
}

// earns has the friend's first order sent, and gives their referral's reward.
func (h *testCluster) earns() (rewardID string) {
	h.Helper()
	o := h.paid()
	h.must(o.ID, workflows.Fulfill, nil)
	h.status(o.ID, order.StatusSent)
	require.NoError(h, h.db.Pool().QueryRow(h.Context(), `SELECT id FROM rewards WHERE friend_id = $1 AND kind = 'referral'`, h.customer).Scan(&rewardID))
	return rewardID
}

func (h *testCluster) rewardIs(id string, status referral.RewardStatus) {
	h.Helper()
	h.until("reward "+string(status), func() bool {
		at, err := referral.ReadRewardState(h.Context(), h.db, id)
		require.NoError(h, err)
		return at.Status == status
	})
}

// openReward writes a decision without signalling its workflow.
func (h *testCluster) openReward(id, kind string) *casework.CaseDecision {
	h.Helper()
	decision, err := referral.DecideReward(h.Context(), h.db, id, casework.NewCaseDecision{Kind: kind, ActorID: h.staff, ActorRole: "admin", Reason: "looked at"})
	require.NoError(h, err)
	return decision
}

func (h *testCluster) dollarsOf(user string) string {
	h.Helper()
	have, err := ledger.HoldingsOf(h.Context(), h.db, user)
	require.NoError(h, err)
	return money.USD.Format(have.Balance)
}

// A friend whose coin goes to the payee's own wallet: the reward is held, the sweep starts
// its workflow, and a decision is executed, also when its workflow was not signalled.
func TestBar24HeldRewardIsOwnedByItsWorkflow(t *testing.T) {
	h := open(t)
	payee, _ := h.befriended("fay")
	id := h.earns()
	h.rewardIs(id, referral.RewardHeld)
	h.sweep()
	require.Equal(t, "0.00", h.dollarsOf(payee))
	h.openReward(id, referral.RewardApprove)
	h.until("delivery", func() bool {
		h.record(h.sweep(), "sweep-matter-decision")
		return h.dollarsOf(payee) == "10.00"
	})
	h.record(workflows.CaseID(referral.Referral, id), "reward-approved")
	h.books()

	h.customer = payee
	h.befriended("gil")
	other := h.earns()
	h.rewardIs(other, referral.RewardHeld)
	decision := h.openReward(other, referral.RewardRefuse)
	outcome, decided, err := h.client.DecideCase(t.Context(), referral.Referral, other, referral.RewardRefuse, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided && outcome.OK(), "%+v", outcome)
	h.rewardIs(other, referral.RewardRefused)
	h.record(workflows.CaseID(referral.Referral, other), "reward-refused")
	require.Equal(t, "10.00", h.dollarsOf(payee))
	h.books()
}

// An identity that was withdrawn while the coin was sent, and is approved again: the sweep
// has the reward paid. A decision that no workflow waits for is refused.
func TestRewardIsPaidOnceItsFriendIsVerifiedAgain(t *testing.T) {
	h := open(t)
	payee, friend := h.befriended("hal")
	h.exec(`UPDATE orders SET dest_address = 'another' WHERE user_id = $1`, payee)
	o := h.paid()
	h.exec(`UPDATE rewards SET status = 'registered' WHERE friend_id = $1`, friend)
	h.must(o.ID, workflows.Fulfill, nil)
	h.status(o.ID, order.StatusSent)
	require.Equal(t, "0.00", h.dollarsOf(payee))
	h.exec(`UPDATE rewards SET status = 'active' WHERE friend_id = $1`, friend)
	h.until("payment", func() bool { h.sweep(); return h.dollarsOf(payee) == "10.00" })
	var id string
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT id FROM rewards WHERE friend_id = $1`, friend).Scan(&id))
	h.record(workflows.CaseID(referral.Referral, id), "reward-paid-late")
	h.exec(`INSERT INTO matter_decisions (id, matter, matter_id, kind, actor_id) VALUES (gen_random_uuid(), 'referral', $1, 'approve_reward', $2)`, id, h.staff)
	decision, err := casework.CaseDecisions.Of(referral.Referral).Open(t.Context(), h.db, id)
	require.NoError(t, err)
	outcome, decided, err := h.client.DecideCase(t.Context(), referral.Referral, id, referral.RewardApprove, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided && !outcome.OK())
	h.record(workflows.CaseID(referral.Referral, id), "reward-not-awaited")
	require.Equal(t, "10.00", h.dollarsOf(payee))
	h.books()
}

// Every mail about rewards arrives once: the payee's names no friend, and none contains a
// code, a wallet, or what staff wrote.
func TestBar35RewardMailsArriveOnceAndNameNoOne(t *testing.T) {
	h := open(t)
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'compliance', 'test')`, h.staff)
	payee, friend := h.befriended("fay")
	code, err := referral.CodeOf(t.Context(), h.db, payee)
	require.NoError(t, err)
	id := h.earns() // held, and the friend's own bonus paid
	h.rewardIs(id, referral.RewardHeld)
	decision := h.openReward(id, referral.RewardApprove)
	_, decided, err := h.client.DecideCase(t.Context(), referral.Referral, id, referral.RewardApprove, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	h.rewardIs(id, referral.RewardRewarded)
	var o string
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT id FROM orders WHERE user_id = $1`, friend).Scan(&o))
	_, err = order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: o, ActorID: h.staff, ActorRole: "admin", Reason: "a gesture"})
	require.NoError(t, err)
	_, err = h.client.RunRefund(t.Context(), o, 1, 40*time.Second)
	require.NoError(t, err)
	h.rewardIs(id, referral.RewardClawedBack)
	h.deliverMails()

	kinds := mailtemplate.Kinds("en")
	for _, m := range referral.Referral.Rules().Mailings {
		require.Contains(t, kinds, m.Kind, "a mail without a letter")
		var n, sent int
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT count(*), count(sent_at) FROM mails WHERE kind = $1`, m.Kind).Scan(&n, &sent))
		require.Equal(t, n, sent, m.Kind)
		require.Equal(t, map[string]int{"reward_held": 1, "referral_rewarded": 1, "signup_bonus_credited": 1, "reward_taken_back": 2}[m.Kind], n, m.Kind)
	}
	for to, private := range map[string][]string{"customer@example.com": {"fay", "Canary"}, "fay@example.org": {"customer@"}, "staff@example.com": {"fay", "Canary", "customer@"}} {
		mails := h.mails(to)
		require.NotEmpty(t, mails, to)
		for _, mail := range mails {
			require.Equal(t, 1, mail.Deliveries)
			for _, secret := range append(private, code, goodAddress, "looked at", "<no value>", "%!") {
				require.NotContains(t, mail.Text+mail.HTML+mail.Subject, secret, to)
			}
		}
	}
}
