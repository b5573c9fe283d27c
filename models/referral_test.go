package models_test

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
)

// wrongRewards finds rewards whose money is not what their status says.
const wrongRewards = `
SELECT 'reward ' || reference || ' is ' || status || ' and moved ' || moved FROM (
  SELECT r.reference, r.status, r.amount, coalesce(sum(CASE WHEN p.event IN ('referral_rewarded', 'signup_bonus_credited') THEN p.amount
    WHEN p.event = 'reward_taken_back' THEN -p.amount END), 0) AS moved
    FROM rewards r LEFT JOIN postings p ON p.matter = 'referral' AND p.matter_id = r.id GROUP BY r.id) t
 WHERE moved <> CASE status WHEN 'rewarded' THEN amount ELSE 0 END`

// club is an order fixture with referrals.
type club struct {
	*orderFixture
	payee string // who brings them
	code  string
	n     int
}

func openClub(t *testing.T) *club {
	c := &club{orderFixture: openOrderFixture(t)}
	c.payee = c.user
	var err error
	c.code, err = referral.CodeOf(t.Context(), c.db, c.payee)
	require.NoError(t, err)
	return c
}

// arrives signs a customer in for the first time.
func (c *club) arrives(email string, a referral.Arrival) *people.User {
	c.Helper()
	c.n++
	a.Bonus, a.Reward, a.Revocable = money.FromInt(2500), money.FromInt(1000), 90*24*time.Hour
	claims := account.Claims{Issuer: "test", Subject: fmt.Sprintf("friend %d", c.n), Email: email, EmailVerified: true, FirstName: "Fay", LastName: "Friend"}
	user, err := account.SignIn(c.Context(), c.db, claims, a)
	require.NoError(c, err)
	again, err := account.SignIn(c.Context(), c.db, claims, a)
	require.NoError(c, err)
	require.Equal(c, user.ID, again.ID, "signing in again is no new account")
	return user
}

// friend comes by the link and is verified; what follows is about them.
func (c *club) friend() *people.User {
	c.Helper()
	user := c.arrives(fmt.Sprintf("fay%d@example.org", c.n), referral.Arrival{Code: c.code})
	c.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, user.ID)
	c.user = user.ID
	return user
}

// orders makes and pays an order of the friend's to a wallet of its own.
func (c *club) orders() {
	c.Helper()
	c.pay()
	c.exec(`UPDATE orders SET dest_address = 'wallet of ' || user_id WHERE id = $1`, c.order.ID)
}

func (c *club) sends() {
	c.Helper()
	c.do("fulfill", "buy", "start transfer", "broadcast")
}

func (c *club) rewards(friendID string) map[string]string {
	c.Helper()
	rows, err := c.db.Pool().Query(c.Context(), `SELECT kind, status FROM rewards WHERE friend_id = $1`, friendID)
	require.NoError(c, err)
	all := map[string]string{}
	var kind, status string
	_, err = pgx.ForEachRow(rows, []any{&kind, &status}, func() error { all[kind] = status; return nil })
	require.NoError(c, err)
	return all
}

func (c *club) has(userID string) string {
	c.Helper()
	have, err := ledger.HoldingsOf(c.Context(), c.db, userID)
	require.NoError(c, err)
	return money.USD.Format(have.Balance.Sub(have.Receivable))
}

// right checks the books, the counts, and every reward's money.
func (c *club) right() {
	c.Helper()
	c.balanced()
	rows, err := c.db.Pool().Query(c.Context(), wrongRewards)
	require.NoError(c, err)
	wrong, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c, err)
	require.Empty(c, wrong)
}

func (c *club) one(sql string, args ...any) (value string) {
	c.Helper()
	require.NoError(c, c.db.Pool().QueryRow(c.Context(), sql, args...).Scan(&value))
	return value
}

func TestBar24NoOneIsReferredByThemselvesOrInACircle(t *testing.T) {
	c := openClub(t)
	require.Regexp(t, `^[0-9A-HJKMNP-TV-Z]{8}$`, c.code)
	only := map[string]string{"signup_bonus": "registered"}
	for name, arrival := range map[string]struct{ email, code string }{
		"no link": {"a@example.org", ""}, "nobody's code": {"b@example.org", "ZZZZZZZZ"}, "no code at all": {"c@example.org", "'; DROP TABLE users"},
		"the same mailbox": {"C+again@example.com", c.code},
	} {
		require.Equal(t, only, c.rewards(c.arrives(arrival.email, referral.Arrival{Code: arrival.code}).ID), name)
	}
	typed := referral.Arrival{Code: " " + c.code[:4] + "-" + c.code[4:] + " "}
	friend := c.arrives("d@example.org", typed)
	require.Equal(t, map[string]string{"signup_bonus": "registered", "referral": "registered"}, c.rewards(friend.ID))

	// An existing account follows no link: not their friend's, which would close a circle, nor another's.
	theirs, err := referral.CodeOf(t.Context(), c.db, friend.ID)
	require.NoError(t, err)
	_, err = account.SignIn(t.Context(), c.db, account.Claims{Issuer: "test", Subject: "someone", Email: "c@example.com", EmailVerified: true}, referral.Arrival{Code: theirs, Reward: money.FromInt(1000), Bonus: money.FromInt(2500)})
	require.NoError(t, err)
	require.Empty(t, c.rewards(c.payee))

	// By any path: the database refuses circles of any length, a second payee, and oneself.
	third := c.arrives("e@example.org", referral.Arrival{Code: theirs})
	write := func(payee, friend string) error {
		_, err := c.db.Pool().Exec(t.Context(), `INSERT INTO rewards (id, reference, kind, user_id, friend_id, amount, revocable_seconds) VALUES (gen_random_uuid(), gen_random_uuid(), 'referral', $1, $2, 1000, 0)`, payee, friend)
		return err
	}
	require.ErrorContains(t, write(friend.ID, c.payee), "circle")
	require.ErrorContains(t, write(third.ID, c.payee), "circle")
	require.ErrorContains(t, write(c.payee, c.payee), "circle")
	require.ErrorContains(t, write(c.payee, third.ID), "rewards_friend_id_kind_key")
	c.right()
}

func TestBar24RewardIsPaidOnceWithTheFirstOrderThatIsSent(t *testing.T) {
	c := openClub(t)
	friend := c.friend()
	require.Equal(t, map[string]string{"signup_bonus": "active", "referral": "active"}, c.rewards(friend.ID), "verified")
	c.orders()
	c.do("fulfill", "buy", "start transfer")
	require.Equal(t, "0.00", c.has(friend.ID))
	job, err := order.CurrentTransfer(t.Context(), c.db, c.order.ID)
	require.NoError(t, err)
	var people sync.WaitGroup
	for range 8 { // received many times at once
		people.Go(func() {
			_, err := order.RecordTransfer(t.Context(), c.db, c.order.ID, job.Withdrawal.Generation, execution.TransferReading{ID: "t", TxID: "tx", Status: execution.TransferBroadcast}, time.Now())
			require.NoError(t, err)
		})
	}
	people.Wait()
	require.Equal(t, map[string]string{"signup_bonus": "rewarded", "referral": "rewarded"}, c.rewards(friend.ID))
	require.Equal(t, []string{"25.00", "10.00"}, []string{c.has(friend.ID), c.has(c.payee)})
	c.right()
	for kind, to := range map[string]string{"referral_rewarded": c.payee, "signup_bonus_credited": friend.ID} {
		require.Equal(t, "1", c.one(`SELECT CAST(count(*) AS text) FROM mails WHERE kind = $1 AND user_id = $2`, kind, to), kind)
	}
	c.orders() // their second
	c.sends()
	require.Equal(t, []string{"25.00", "10.00"}, []string{c.has(friend.ID), c.has(c.payee)})
	c.right()
}

func TestBar24RewardGoesWithTheOrdersMoney(t *testing.T) {
	c := openClub(t)
	for name, back := range map[string]func() error{
		"refunded":   func() error { return c.givesBack(51750) },
		"in parts":   func() error { return c.givesBack(6000) },
		"the bank's": func() error { return c.dispute(order.DisputeLost) },
	} {
		before := c.has(c.payee)
		friend := c.friend()
		c.orders()
		c.sends()
		require.NotEqual(t, before, c.has(c.payee), name)
		// What they were paid is spent; a clawback finds nothing.
		have, err := ledger.HoldingsOf(t.Context(), c.db, friend.ID)
		require.NoError(t, err)
		_, err = ClawBack(t.Context(), c.db, friend.ID, "spent by "+friend.ID, have.Balance)
		require.NoError(t, err)
		if name == "in parts" {
			require.NoError(t, c.givesBack(20000))
			require.Equal(t, "rewarded", c.rewards(friend.ID)["referral"], "the smaller part of the money is a gesture")
		}
		require.NoError(t, back(), name)
		require.Equal(t, map[string]string{"signup_bonus": "clawed_back", "referral": "clawed_back"}, c.rewards(friend.ID), name)
		require.Equal(t, before, c.has(c.payee), name)
		owes := map[string]string{"the bank's": "-542.50"}[name] // the price of the coin too
		require.Equal(t, cmp.Or(owes, "-25.00"), c.has(friend.ID), "what the balance lacks is owed: %s", name)
		require.Equal(t, "2", c.one(`SELECT CAST(count(*) AS text) FROM mails m JOIN matter_events e ON e.id = m.matter_event_id JOIN rewards r ON r.id = e.matter_id
			WHERE m.kind = 'reward_taken_back' AND r.friend_id = $1`, friend.ID))
		c.orders() // another order earns nothing any more
		c.sends()
		require.Equal(t, before, c.has(c.payee), name)
		c.right()
	}

	friend := c.friend() // refunded before it is sent: the promise waits for the next
	c.orders()
	c.do("refund")
	require.Equal(t, "active", c.rewards(friend.ID)["referral"])
	c.orders()
	c.sends()
	require.Equal(t, "rewarded", c.rewards(friend.ID)["referral"])
	owner, err := store.Open(t.Context(), c.dbs.Owner, store.Options{MaxConns: 1, AllowOwner: true})
	require.NoError(t, err)
	defer owner.Close()
	_, err = owner.Pool().Exec(t.Context(), "UPDATE clock SET ahead = ahead + interval '91 days'")
	require.NoError(t, err)
	require.NoError(t, c.givesBack(51750))
	require.Equal(t, "rewarded", c.rewards(friend.ID)["referral"], "after so long it is theirs")
	c.right()
}

// givesBack refunds some cents of the order's card.
func (c *club) givesBack(cents int64) error {
	row, err := c.part(cents)
	if err != nil {
		return err
	}
	if _, err := order.StartGiveBack(c.Context(), c.db, c.order.ID, row.Sequence); err != nil {
		return err
	}
	return order.RecordRefund(c.Context(), c.db, c.order.ID, row.Sequence, fmt.Sprintf("re_%s_%d", c.order.ID, row.Sequence), order.RefundSucceeded, "")
}

func TestBar24SignsOfOnePersonHoldARewardForStaff(t *testing.T) {
	c := openClub(t)
	held := func(friend string) (id string) {
		require.Equal(t, "held", c.rewards(friend)["referral"])
		return c.one(`SELECT CAST(id AS text) FROM rewards WHERE friend_id = $1 AND kind = 'referral'`, friend)
	}
	decide := func(id, kind, actor string) (string, error) {
		d, err := referral.DecideReward(t.Context(), c.db, id, casework.NewCaseDecision{Kind: kind, ActorID: actor, ActorRole: "admin", Reason: "looked at"})
		if err != nil {
			return "", err
		}
		return d.ID, nil
	}
	// The same browser and network at sign-up; the same wallet and card when it is earned.
	require.NoError(t, account.CreateSession(t.Context(), c.db, account.NewSession{TokenHash: []byte("theirs"), UserID: c.payee, IP: "203.0.113.7"}))
	friend := c.arrives("f@example.org", referral.Arrival{Code: c.code, IP: "203.0.113.7", BrowserOf: []byte("theirs")})
	c.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, friend.ID)
	c.pay() // the payee's own order
	c.user = friend.ID
	c.pay()
	c.sends()
	id := held(friend.ID)
	require.Equal(t, "{same_browser,same_network,same_wallet,same_card}", c.one(`SELECT CAST(signals AS text) FROM rewards WHERE id = $1`, id))
	require.Equal(t, "0.00", c.has(c.payee))

	for _, own := range []string{c.payee, friend.ID} {
		_, err := decide(id, referral.RewardApprove, own)
		require.Equal(t, store.CodeForbidden, store.CodeOf(err))
	}
	var taken atomic.Int64
	var decision atomic.Value
	var people sync.WaitGroup
	for range 6 {
		people.Go(func() {
			if d, err := decide(id, referral.RewardApprove, c.staff); err == nil {
				taken.Add(1)
				decision.Store(d)
			}
		})
	}
	people.Wait()
	require.EqualValues(t, 1, taken.Load())
	var paid atomic.Int64
	for range 6 {
		people.Go(func() {
			if err := referral.ApproveReward(t.Context(), c.db, id, decision.Load().(string)); err == nil {
				paid.Add(1)
			}
		})
	}
	people.Wait()
	require.EqualValues(t, 1, paid.Load())
	require.Equal(t, "10.00", c.has(c.payee))

	again := c.friend() // to a wallet that earned another customer's reward
	c.pay()
	c.sends()
	other := held(again.ID)
	d, err := decide(other, referral.RewardRefuse, c.staff)
	require.NoError(t, err)
	require.NoError(t, referral.RefuseReward(t.Context(), c.db, other, d))
	require.Equal(t, "refused", c.rewards(again.ID)["referral"])
	_, err = decide(other, referral.RewardApprove, c.staff)
	require.Equal(t, "reward_state", store.ReasonOf(err))

	late := c.friend() // held, and then its order is refunded: no payment is possible any more
	c.pay()
	c.sends()
	last := held(late.ID)
	d, err = decide(last, referral.RewardApprove, c.staff)
	require.NoError(t, err)
	require.NoError(t, c.givesBack(51750))
	require.Equal(t, "reward_state", store.ReasonOf(referral.ApproveReward(t.Context(), c.db, last, d)))
	require.Equal(t, "10.00", c.has(c.payee))
	c.right()
}

// Bar 18: staff approve a held reward while the order that earned it is being refunded. In either order nothing stays
// paid, and a late approval is refused with the reward's state.
func TestBar18ARewardIsApprovedAndItsOrderRefundedAtOnce(t *testing.T) {
	c := openClub(t)
	c.pay() // the payee's own order; their friends' coin is sent to the same wallet
	outcomes := map[string]int{}
	for i := range 8 {
		friend := c.friend()
		c.pay()
		c.sends()
		id := c.one(`SELECT CAST(id AS text) FROM rewards WHERE friend_id = $1 AND kind = 'referral' AND status = 'held'`, friend.ID)
		d, err := referral.DecideReward(t.Context(), c.db, id, casework.NewCaseDecision{Kind: referral.RewardApprove, ActorID: c.staff, ActorRole: "admin", Reason: "looked at"})
		require.NoError(t, err)
		row, err := c.part(51750)
		require.NoError(t, err)
		_, err = order.StartGiveBack(t.Context(), c.db, c.order.ID, row.Sequence)
		require.NoError(t, err)
		var both sync.WaitGroup
		var approved, refunded error
		begun := make(chan struct{}) // every other time the refund is first by a little
		both.Go(func() {
			if <-begun; i%2 == 1 {
				for c.rewards(friend.ID)["referral"] == "held" {
				}
			}
			approved = referral.ApproveReward(t.Context(), c.db, id, d.ID)
		})
		both.Go(func() {
			close(begun)
			refunded = order.RecordRefund(t.Context(), c.db, c.order.ID, row.Sequence, "re_"+id, order.RefundSucceeded, "")
		})
		both.Wait()
		require.NoError(t, refunded)
		became := c.rewards(friend.ID)["referral"]
		outcomes[became]++
		if became == "clawed_back" {
			require.NoError(t, approved)
		} else {
			require.Equal(t, "refused", became)
			require.Equal(t, store.CodeConflict, store.CodeOf(approved))
			require.EqualError(t, approved, "This reward needs no decision: it is refused")
		}
		require.Equal(t, "0.00", c.has(c.payee))
		require.Equal(t, "1", c.one(`SELECT count(*)::text FROM audit_log WHERE object_id = $1`, id))
	}
	c.right()
	require.GreaterOrEqual(t, outcomes["refused"], 4)
}

// A customer without mails about referrals is still notified of a clawback.
func TestMailsAboutRewardsCanBeDoneWithout(t *testing.T) {
	c := openClub(t)
	require.NoError(t, account.Choose(t.Context(), c.db, account.Preferences{UserID: c.payee, Language: "en", Muted: []string{casework.TopicReferrals}}))
	c.friend()
	c.orders()
	c.sends()
	require.Equal(t, "10.00", c.has(c.payee))
	require.NoError(t, c.givesBack(51750))
	require.Equal(t, "reward_taken_back", c.one(`SELECT string_agg(kind, ' ') FROM mails WHERE user_id = $1 AND matter_event_id IS NOT NULL`, c.payee))
}

// Nothing is paid into an account that is closed, whichever customer earned it; what may still be decided keeps an
// account from being closed.
func TestRewardOfAClosedAccountIsHeldAndNeverPaid(t *testing.T) {
	c := openClub(t)
	c.friend()
	c.orders()
	c.exec(`UPDATE users SET disabled_at = clock_now(), closed_at = clock_now() WHERE id = $1`, c.payee)
	c.sends()
	id := c.one(`SELECT CAST(id AS text) FROM rewards WHERE user_id = $1 AND kind = 'referral' AND status = 'held' AND signals = '{account_restricted}'`, c.payee)
	decision := casework.NewCaseDecision{Kind: referral.RewardApprove, ActorID: c.staff, ActorRole: "admin", Reason: "looked at"}
	_, err := referral.DecideReward(t.Context(), c.db, id, decision)
	require.Equal(t, "account_closed", store.ReasonOf(err))
	require.Equal(t, "0.00", c.has(c.payee))
	c.exec(`UPDATE users SET disabled_at = NULL, closed_at = NULL WHERE id = $1`, c.payee)
	_, err = privacy.AskToClose(t.Context(), c.db, c.payee)
	require.Equal(t, "open_referral", store.ReasonOf(err))
	decision.Kind = referral.RewardRefuse
	refusal, err := referral.DecideReward(t.Context(), c.db, id, decision)
	require.NoError(t, err)
	require.NoError(t, referral.RefuseReward(t.Context(), c.db, id, refusal.ID))
	_, err = privacy.AskToClose(t.Context(), c.db, c.payee)
	require.NoError(t, err)
	c.right()
}

// A customer whose verification was withdrawn while their order was being sent earns the reward once it is in force
// again.
func TestRewardWaitsForAnIdentityInForce(t *testing.T) {
	c := openClub(t)
	friend := c.friend()
	c.orders()
	c.do("fulfill", "buy", "start transfer")
	c.exec(`UPDATE kyc_records SET revoked_at = clock_now() WHERE user_id = $1`, friend.ID)
	require.Equal(t, "registered", c.rewards(friend.ID)["referral"])
	c.do("broadcast")
	require.Equal(t, "registered", c.rewards(friend.ID)["referral"])
	orphans := func() (ids []string) {
		found, err := casework.OrphanCases(t.Context(), c.db, 0, time.Hour, 10)
		require.NoError(t, err)
		for _, f := range found {
			ids = append(ids, f.ID)
		}
		return ids
	}
	require.Empty(t, orphans())
	c.exec(`UPDATE kyc_records SET revoked_at = NULL WHERE user_id = $1`, friend.ID)
	found := orphans()
	require.Len(t, found, 2, "the sweep finds what can be paid now")
	for _, id := range append(found, found...) {
		require.NoError(t, referral.PayEarnedReward(t.Context(), c.db, id))
	}
	require.Equal(t, []string{"25.00", "10.00"}, []string{c.has(friend.ID), c.has(c.payee)})
	require.Empty(t, orphans())
	c.right()
}

// Whatever happens to friends' orders: a reward's money is what its status says,
// it is paid at most once, and only while its order's money is ours.
func TestBar22RewardsFollowWhateverHappensToTheirOrders(t *testing.T) {
	c := openClub(t)
	statuses := map[string]bool{}
	all := func() bool {
		return statuses["referral active"] && statuses["referral rewarded"] && statuses["referral clawed_back"]
	}
	checkUntil(t, all, func(r *rapid.T) {
		friend := c.friend()
		for range rapid.IntRange(1, 2).Draw(r, "orders") {
			c.orders()
			for range rapid.IntRange(4, 14).Draw(r, "steps") {
				name := rapid.SampledFrom([]string{"refund", "refund part", "refund bounces", "refunded there", "dispute", "dispute lost", "dispute won", "die", "retry", "mark sent"}).Draw(r, "step")
				if rapid.IntRange(1, 10).Draw(r, "luck") > 3 {
					name = rapid.SampledFrom(goodDay[c.now().Status]).Draw(r, "good step")
				}
				err := c.actions(func(n int) int { return rapid.IntRange(1, n-1).Draw(r, "share") })[name]()
				if err != nil && store.CodeOf(err) != store.CodeConflict {
					r.Fatalf("%s: %v", name, err)
				}
			}
		}
		for kind, status := range c.rewards(friend.ID) {
			statuses[kind+" "+status] = true
		}
		var wrong string
		if err := c.db.Pool().QueryRow(t.Context(), wrongRewards+" LIMIT 1").Scan(&wrong); !errors.Is(err, pgx.ErrNoRows) {
			r.Fatalf("%s %v", wrong, err)
		}
		if totals, err := ledger.TrialBalance(t.Context(), c.db); err != nil || len(ledger.CheckTrialBalance(totals)) > 0 {
			r.Fatalf("%v %v", ledger.CheckTrialBalance(totals), err)
		}
	})
	c.right()
}

// A reward follows its order's money: it is paid again when the bank sends the refund back, or reinstates what it
// withdrew, and clawed back again with the next refund.
func TestRewardReturnsWithTheMoney(t *testing.T) {
	c := openClub(t)
	friend := c.friend()
	c.orders()
	c.sends()
	paid := c.has(c.payee)
	is := func(status, why string) {
		t.Helper()
		require.Equal(t, map[string]string{"signup_bonus": status, "referral": status}, c.rewards(friend.ID), why)
		c.right()
	}
	for range 2 {
		require.NoError(t, c.givesBack(40000))
		is("clawed_back", "refunded")
		require.NoError(t, c.bounce())
		is("rewarded", "the bank sent it back")
		require.Equal(t, paid, c.has(c.payee))
		c.exec(`UPDATE orders SET attention_reason = NULL, attention_since = NULL WHERE id = $1`, c.order.ID)
	}
	c.disputeIs(order.DisputeLost, money.Units{})
	is("clawed_back", "lost to the bank")
	c.disputeIs(order.DisputeLost, c.order.Total)
	is("rewarded", "reinstated")
	require.Equal(t, paid, c.has(c.payee))
	twice := c.order.Total.Add(c.order.Total)
	c.disputeMoves("", order.DisputeLost, twice, c.order.Total)
	is("clawed_back", "withdrawn again")
	c.disputeMoves("", order.DisputeLost, twice, twice)
	is("rewarded", "and reinstated")

	friend = c.friend() // an order that ends without coin earns nothing by a refund that bounces
	c.orders()
	c.sends()
	c.do("die", "refund")
	is("clawed_back", "ended")
	require.NoError(t, c.bounce())
	is("clawed_back", "the money is on their balance")
	require.Equal(t, "1", c.one(`SELECT CAST(count(*) AS text) FROM matter_events e JOIN rewards r ON r.id = e.matter_id
		WHERE e.kind = 'reward_taken_back' AND r.kind = 'referral' AND r.friend_id = $1`, friend.ID))
}
