package e2e

import (
	"context"
	"net/http"
	"sync"
	"testing"
)

// rewardScenarios are a friend's first order, and its rewards: those that are paid and reversed with its money, and
// those that are held for an admin. The rest of an order's path is killed in elsewhere.
var rewardScenarios = []caseScenario{
	{name: "rewards that are earned, and taken back", customer: func(t *testing.T) *visitor { return introduced(t).friend(t) },
		drive: func(ctx context.Context, b *buyer) error {
			o := b.buys(b.what)
			return steps(ctx, o.sentByCard, b.rewardIs("rewarded"), o.refundsAll, b.rewardIs("clawed_back"))
		}, only: []string{"RecordTransfer", "RecordRefund"}},
	{name: "a reward that is held, and approved", customer: func(t *testing.T) *visitor { return introduced(t).friend(t) },
		drive: func(ctx context.Context, b *buyer) error {
			payee := &buyer{customer: referrer.visitor, staff: b.staff, what: b.what}
			return steps(ctx, payee.ask, payee.order, b.buys(b.what).sentByCard, b.rewardIs("held"), b.decidesReward("approve", "rewarded"))
		}, only: []string{"ApproveReward"}},
	{name: "a reward that is held, and refused", customer: func(t *testing.T) *visitor { return introduced(t).friend(t) },
		drive: func(ctx context.Context, b *buyer) error {
			payee := &buyer{customer: referrer.visitor, staff: b.staff, what: b.what}
			return steps(ctx, payee.ask, payee.order, b.buys(b.what).sentByCard, b.rewardIs("held"), b.decidesReward("refuse", "refused"))
		}, only: []string{"RefuseReward"}},
}

// referrer is the referrer of all friends in these tests. A friend whose coin is sent to a wallet of the referrer's may
// be the referrer.
var referrer struct {
	once    sync.Once
	visitor *visitor
	link    string
}

type introduction struct{ link string }

func introduced(t *testing.T) introduction {
	t.Helper()
	referrer.once.Do(func() {
		referrer.visitor = verified(t).sendingOnce()
		var code struct{ ReferralURL string }
		referrer.visitor.get("/api/referrals/my-code", &code)
		referrer.link = code.ReferralURL
	})
	return introduction{referrer.link}
}

// friend follows the link, signs up and is verified.
func (i introduction) friend(t *testing.T) *visitor {
	t.Helper()
	v := newVisitor(t)
	v.open(i.link)
	v.signUp()
	v.passKYC()
	return v
}

// buys is the same customer with an order of their own.
func (b *buyer) buys(what purchase) *buyer {
	return &buyer{customer: b.customer, staff: b.staff, what: what}
}

// sentByCard takes an order from its price until the network has confirmed it.
func (b *buyer) sentByCard(ctx context.Context) error {
	return steps(ctx, b.ask, b.order, b.authorise, b.process, b.fulfil, b.arrives)
}

// reward is the one that is paid for bringing the customer.
func (b *buyer) reward(ctx context.Context) (id, status string) {
	_ = database.QueryRow(ctx, "SELECT id, status FROM rewards WHERE friend_id = $1 AND kind = 'referral'", b.id).Scan(&id, &status) // repeated
	return id, status
}

func (b *buyer) rewardIs(there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return await(ctx, "a reward that is "+there, func() bool { _, at := b.reward(ctx); return at == there })
	}
}

// decidesReward has staff decide about the reward until it stands where that
// leads.
func (b *buyer) decidesReward(kind, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "a reward that is "+there, func() bool { _, at := b.reward(ctx); return at == there }, func() {
			id, _ := b.reward(ctx)
			b.staff.try(ctx, http.MethodPost, "/api/admin/referrals/"+id+"/"+kind, "", reason("looked at"), nil)
		})
	}
}
