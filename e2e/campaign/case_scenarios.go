package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// scenarioStream is the generator of a plan's scenarios; strikes have stream 0.
const scenarioStream = 4_000_000

// scenarioKinds are what people do in a campaign who do not buy; a brisk one has the brief
// ones alone.
var scenarioKinds = slices.Concat(briefScenarios, weighted{{"referral_refused", 1}, {"referral_undone", 1},
	{"float", 1}, {"requoted_release", 1}}, scenarioChoices())

// briefScenarios are the month's, and those of campaignScenario that soon are over.
var briefScenarios = weighted{{"gift_card", 4}, {"voucher", 5}, {"voucher_void", 2}, {"batch_void", 1}, {"payout", 4}, {"payout_return", 3}, {"referral", 2},
	{"closure", 2}, {"ticket", 1}, {"deposit", 1}, {"bank", 1}, {"treasury_move", 1}, {"data_export", 1}, {"journal", 1}, {"leaver", 2}}

// scenarioChoices are the scenarios, drawn seldom: each plan has one of each.
func scenarioChoices() (list weighted) {
	for _, s := range scenarios {
		list = append(list, choice{s.kind, 1})
	}
	return list
}

// planScenarios has a scenario for every second order, and at least one of each kind: these first, then what is
// drawn.
func planScenarios(r *rand.Rand, kinds weighted, orders, customers int) []ScenarioAt {
	var list []ScenarioAt
	first := r.Perm(len(kinds))
	count := max((orders+1)/2, len(kinds))
	for i := range count {
		kind := kinds.pick(r)
		if i < len(first) {
			kind = kinds[first[i]].word
		}
		list = append(list, ScenarioAt{At: i * orders / count, Scenario: Scenario{Kind: kind, Customer: r.IntN(customers), Seed: r.Uint64()}})
	}
	return list
}

// scenarios starts each when its number of orders is half-way.
func (c *campaign) scenarios(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	for n, e := range c.plan.Errands {
		if c.halfWay(ctx, e.At) != nil {
			return
		}
		all.Go(func() { c.campaignScenario(ctx, e.Scenario, n) })
	}
}

// campaignScenario does what only a campaign's people do, and counts it once it is
// done; the rest is a month's too.
func (c *campaign) campaignScenario(ctx context.Context, e Scenario, n int) {
	c.calm(ctx)
	r := rand.New(rand.NewPCG(e.Seed, 2)) //nolint:gosec // to be repeated, not to be secret
	who, done := c.customers[e.Customer%len(c.customers)], false
	switch e.Kind {
	case "voucher_void", "batch_void":
		done = c.voidVoucher(ctx, r, e.Kind == "batch_void")
	case "payout_return":
		done = c.payOut(ctx, who, r).done() // staff have some of those that were paid returned
	case "referral", "referral_refused", "referral_undone":
		done = c.bringFriend(ctx, c.cardHolder(ctx, who), e, n)
	case "closure":
		done = c.closeAccount(ctx, e.Seed)
	case "leaver":
		done = c.leavesWithMoney(ctx, e.Seed, n)
	case "float":
		done = c.movesFloat(ctx, e.Seed, n)
	case "requoted_release":
		err := c.requotesBetweenReleases(ctx, e.Seed, n)
		if done = err == nil; !done {
			c.say("errand %s: %v", e.Kind, err)
			c.note(e.Kind, "%v", err)
		}
	case "journal":
		done = c.journal(ctx, e.Seed)
	case "treasury_move":
		done = insist(ctx, func() answer {
			return c.staff[0].post(ctx, "/api/admin/treasury/moves", fmt.Sprintf("move-%d", e.Seed),
				map[string]string{"asset": "BTC", "network": "bitcoin", "amount": "0.01", "reason": "as the campaign has it"})
		}).done()
	case "data_export":
		var asked struct{ Export struct{ ID string } }
		done = who.post(ctx, "/api/account/data", fmt.Sprintf("data-%d", e.Seed), nil).read(&asked) == nil && who.confirm(ctx, asked.Export.ID).done()
	default:
		i := slices.IndexFunc(scenarios, func(v scenario) bool { return v.kind == e.Kind })
		if i < 0 {
			c.scenario(ctx, e)
			return
		}
		done = c.runScenario(ctx, scenarios[i], e.Seed)
	}
	if done {
		c.count("errands " + e.Kind)
	} else {
		c.count("errands that were not finished: " + e.Kind)
	}
}

// voidVoucher makes a voucher, or two of one batch, and has staff void it.
func (c *campaign) voidVoucher(ctx context.Context, r *rand.Rand, batch bool) bool {
	var made struct{ ID, BatchID, Status string }
	key := fmt.Sprintf("voided-%d", r.Uint64())
	if insist(ctx, func() answer {
		return c.staff[0].post(ctx, "/api/admin/vouchers", key, map[string]string{"amount": "25", "currency": "USD"})
	}).read(&made) != nil {
		return false
	}
	why := map[string]string{"reason": "printed twice"}
	if !batch {
		return c.staff[0].post(ctx, "/api/admin/vouchers/"+made.ID+"/void", "", why).done()
	}
	path := "/api/admin/voucher-batches/" + made.BatchID + "/void"
	if !c.staff[0].post(ctx, path, "", why).done() {
		return false
	}
	c.staff[1].post(ctx, path+[]string{"/agree", "/refuse"}[r.IntN(2)], "", why) // where it takes two
	return true
}

// guestTime is how long an additional customer retries: a restored backup may have lost them.
const guestTime = 5 * time.Minute

// cardHolder is a customer who has paid an order by card: a friend with the same card may be the same person, and their
// reward is reviewed.
func (c *campaign) cardHolder(ctx context.Context, otherwise *browser) *browser {
	var mail string
	_ = c.database.QueryRow(ctx, `SELECT u.email FROM payments p JOIN users u ON u.id = p.user_id
		WHERE p.card_last4 = '4242' AND u.email LIKE 'campaign-%' LIMIT 1`).Scan(&mail) // no such customer yet
	for _, who := range c.customers {
		if who.mail == mail {
			return who
		}
	}
	return otherwise
}

// bringFriend has a new customer sign up by a referral link, verify and buy, and staff decide about the reward where it
// is held; or the friend's money is refunded before.
func (c *campaign) bringFriend(ctx context.Context, who *browser, e Scenario, n int) bool {
	var code struct{ ReferralURL string }
	if who.get(ctx, "/api/referrals/my-code", &code) != nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, guestTime)
	defer stop()
	friend := newBrowser(c.cluster, fmt.Sprintf("friend-%d@example.com", e.Seed), newPassword)
	if _, err := friend.open(ctx, code.ReferralURL); err != nil {
		return false
	}
	if err := errors.Join(friend.signUp(ctx), friend.passKYC(ctx)); err != nil {
		return false
	}
	c.joins(friend)
	l := c.guestOrder(friend, n, "card")
	if e.Kind == "referral_undone" {
		l.plan.After = "refund"
	}
	c.addLife(l)
	if l.run(ctx) != nil {
		return true
	}
	c.count("friends' orders at rest")
	verdict, decides := map[string]string{"referral": "approve", "referral_refused": "refuse"}[e.Kind]
	return !decides || c.judgeReward(ctx, friend.mail, verdict)
}

// judgeReward has staff decide about what a friend has earned, if it is held.
func (c *campaign) judgeReward(ctx context.Context, friend, verdict string) bool {
	var rows []struct{ ID, FriendEmail string }
	if c.staff[0].get(ctx, "/api/admin/referrals?status=held", &rows) != nil {
		return false
	}
	done := true
	for _, row := range rows {
		if row.FriendEmail == friend {
			done = insist(ctx, func() answer {
				return c.staff[0].post(ctx, "/api/admin/referrals/"+row.ID+"/"+verdict, "", map[string]string{"reason": "looked at the account"})
			}).done() && done
		}
	}
	return done
}

// closeAccount has a new customer sign up and close the account again; some of them cancel the closure.
func (c *campaign) closeAccount(ctx context.Context, seed uint64) bool {
	ctx, stop := context.WithTimeout(ctx, guestTime)
	defer stop()
	leaver := newBrowser(c.cluster, fmt.Sprintf("leaver-%d@example.com", seed), newPassword)
	if leaver.signUp(ctx) != nil {
		return false
	}
	c.joins(leaver)
	if !leaver.post(ctx, "/api/account/closure", "", map[string]string{}).done() {
		return false
	}
	return seed%3 > 0 || leaver.post(ctx, "/api/account/closure/cancel", "", nil).done()
}

// joins notes a customer whose mailbox is checked in the end as well.
func (t *cluster) joins(b *browser) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.guests = append(t.guests, b)
}

// staffWork works the queues of staff until the time is over.
func (c *campaign) staffWork(ctx context.Context) {
	r := generator(c.plan.Seed, scenarioStream+1)
	for pause(ctx, 3*time.Second) == nil {
		c.workQueues(ctx, r)
		c.workMoney(ctx)
		c.resolveBreaks(ctx)
		c.approveRecoveries(ctx)
		c.sendMovesAgain(ctx)
		for _, paid := range c.queue(ctx, "/api/admin/payouts?status=paid", "return") {
			if r.IntN(3) == 0 {
				c.staff[1].post(ctx, "/api/admin/payouts/"+paid.ID+"/return", "", map[string]string{"reason": "account closed"})
				c.count("payouts returned")
			}
		}
		for _, what := range []string{"payouts?status=requested", "treasury/moves?status=proposed"} { // what requires a second admin
			path, _, _ := strings.Cut("/api/admin/"+what, "?")
			for _, row := range c.cases(ctx, c.staff[1], "/api/admin/"+what, "approve") {
				if c.staff[1].post(ctx, path+"/"+row.ID+"/approve", "", c.staff[1].seen(ctx, row.ID, map[string]string{})).done() {
					c.count("second approvals of " + path)
				}
			}
		}
	}
}

// sendMovesAgain is the decision about moves that were begun and that the exchange does not show: its worker
// died before the withdrawal was requested, as a rule, and no lookup can prove that.
func (c *campaign) sendMovesAgain(ctx context.Context) {
	for _, move := range c.cases(ctx, c.staff[1], "/api/admin/treasury/moves?status=unknown", "resend") {
		if c.staff[1].post(ctx, "/api/admin/treasury/moves/"+move.ID+"/resolve", "", map[string]string{"outcome": "resend", "reason": "Kraken shows none"}).done() {
			c.count("moves of coin sent again")
		}
	}
}

// approveRecoveries is the second admin's approval of lost second factors, once their delay is over.
func (c *campaign) approveRecoveries(ctx context.Context) {
	for _, recovery := range c.allCases(ctx, c.staff[1], "/api/admin/recoveries", "approve") {
		c.staff[1].post(ctx, "/api/admin/recoveries/"+recovery.ID+"/approve", "", map[string]string{"reason": "vouched for"})
	}
}

// suspects is how many orders of an hour a campaign's risk rule lets pass.
const suspects = 7

// suspect makes two risk rules strict, and has what breaks them reviewed, so that
// compliance has work.
func (c *campaign) suspect(ctx context.Context) error {
	return errors.Join(c.rule(ctx, "threshold", nil), c.rule(ctx, "orders_per_hour", map[string]any{"most": suspects, "hours": 1, "score": 100}),
		c.rule(ctx, "failed_payments", map[string]any{"most": declinesReviewed, "score": 100}))
}

// rule turns a risk rule on.
func (c *campaign) rule(ctx context.Context, code string, change map[string]any) error {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	return persist(ctx, func(ctx context.Context) error {
		var rules []struct {
			Code                  string
			Most                  int64
			Hours, Score, Version int
		}
		if err := c.staff[0].get(ctx, "/api/admin/risk/rules", &rules); err != nil {
			return err
		}
		for _, r := range rules {
			if r.Code != code {
				continue
			}
			body := map[string]any{"enabled": true, "most": r.Most, "hours": r.Hours, "score": r.Score, "version": r.Version, "reason": "as the campaign has it"}
			maps.Copy(body, change)
			if got := c.staff[0].call(ctx, http.MethodPatch, "/api/admin/risk/rules/"+code, "", body); !got.done() {
				return fmt.Errorf("the rule %s is not changed: %d %s", code, got.status, got.body)
			}
			return nil
		}
		return errors.New("there is no rule " + code)
	})
}
