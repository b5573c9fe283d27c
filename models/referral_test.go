package models_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// wrongRewards finds rewards whose money is not what their status says.
const wrongRewards = `
SELECT 'reward ' || reference || ' is ' || status || ' and moved ' || moved FROM (
  SELECT r.reference, r.status, r.amount, coalesce(sum(CASE WHEN p.event IN ('referral_rewarded', 'signup_bonus_credited') THEN p.amount
    WHEN p.event = 'reward_taken_back' THEN -p.amount END), 0) AS moved
    FROM rewards r LEFT JOIN postings p ON p.matter = 'referral' AND p.matter_id = r.id GROUP BY r.id) t
 WHERE moved <> CASE status WHEN 'rewarded' THEN amount ELSE 0 END`

// club is a desk that customers bring their friends to.
type club struct {
	*desk
	payee string // who brings them
	code  string
	n     int
}

func openClub(t *testing.T) *club {
	c := &club{desk: openDesk(t)}
	c.payee = c.user
	var err error
	c.code, err = c.db.CodeOf(t.Context(), c.payee)
	require.NoError(t, err)
	return c
}

// arrives signs somebody in for the first time.
func (c *club) arrives(email string, a models.Arrival) *models.User {
	c.Helper()
	c.n++
	a.Bonus, a.Reward, a.Revocable = money.FromInt(2500), money.FromInt(1000), 90*24*time.Hour
	claims := models.Claims{Issuer: "test", Subject: fmt.Sprintf("friend %d", c.n), Email: email, EmailVerified: true, FirstName: "Fay", LastName: "Friend"}
	user, err := c.db.SignIn(c.Context(), claims, a)
	require.NoError(c, err)
	again, err := c.db.SignIn(c.Context(), claims, a)
	require.NoError(c, err)
	require.Equal(c, user.ID, again.ID, "signing in again is no new account")
	return user
}

// friend comes by the link and is verified; what follows is about them.
func (c *club) friend() *models.User {
	c.Helper()
	user := c.arrives(fmt.Sprintf("fay%d@example.org", c.n), models.Arrival{Code: c.code})
	c.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, user.ID)
	c.user = user.ID
	return user
}

// orders takes and pays an order of the friend's to a wallet of its own.
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
	have, err := c.db.HoldingsOf(c.Context(), userID)
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

func TestBar24NobodyIsReferredByThemselvesOrInACircle(t *testing.T) {
	c := openClub(t)
	require.Regexp(t, `^[0-9A-HJKMNP-TV-Z]{8}$`, c.code)
	only := map[string]string{"signup_bonus": "registered"}
	for name, arrival := range map[string]struct{ email, code string }{
		"no link": {"a@example.org", ""}, "nobody's code": {"b@example.org", "ZZZZZZZZ"}, "no code at all": {"c@example.org", "'; DROP TABLE users"},
		"the same mailbox": {"C+again@example.com", c.code},
	} {
		require.Equal(t, only, c.rewards(c.arrives(arrival.email, models.Arrival{Code: arrival.code}).ID), name)
	}
	typed := models.Arrival{Code: " " + c.code[:4] + "-" + c.code[4:] + " "}
	friend := c.arrives("d@example.org", typed)
	require.Equal(t, map[string]string{"signup_bonus": "registered", "referral": "registered"}, c.rewards(friend.ID))

	// Who has an account follows no link: not their friend's, which would close a circle, nor another's.
	theirs, err := c.db.CodeOf(t.Context(), friend.ID)
	require.NoError(t, err)
	_, err = c.db.SignIn(t.Context(), models.Claims{Issuer: "test", Subject: "someone", Email: "c@example.com", EmailVerified: true}, models.Arrival{Code: theirs, Reward: money.FromInt(1000), Bonus: money.FromInt(2500)})
	require.NoError(t, err)
	require.Empty(t, c.rewards(c.payee))

	// Whoever writes the row: the database refuses circles of any length, a second payee, and oneself.
	third := c.arrives("e@example.org", models.Arrival{Code: theirs})
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
	job, err := c.db.CurrentTransfer(t.Context(), c.order.ID)
	require.NoError(t, err)
	var people sync.WaitGroup
	for range 8 { // told many times at once
		people.Go(func() {
			_, err := c.db.RecordTransfer(t.Context(), c.order.ID, job.Withdrawal.Generation, models.TransferReading{ID: "t", TxID: "tx", Status: models.TransferBroadcast}, time.Now())
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
		"the bank's": func() error { return c.dispute(models.DisputeLost) },
	} {
		before := c.has(c.payee)
		friend := c.friend()
		c.orders()
		c.sends()
		require.NotEqual(t, before, c.has(c.payee), name)
		// What they were paid is spent; a clawback finds nothing.
		have, err := c.db.HoldingsOf(t.Context(), friend.ID)
		require.NoError(t, err)
		_, err = c.db.ClawBack(t.Context(), friend.ID, "spent by "+friend.ID, have.Balance)
		require.NoError(t, err)
		if name == "in parts" {
			require.NoError(t, c.givesBack(20000))
			require.Equal(t, "rewarded", c.rewards(friend.ID)["referral"], "the smaller part of the money is a gesture")
		}
		require.NoError(t, back(), name)
		require.Equal(t, map[string]string{"signup_bonus": "clawed_back", "referral": "clawed_back"}, c.rewards(friend.ID), name)
		require.Equal(t, before, c.has(c.payee), name)
		require.Equal(t, "-25.00", c.has(friend.ID), "what the balance lacks is owed: %s", name)
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
	owner, err := models.Open(t.Context(), c.dbs.Owner, models.Options{MaxConns: 1, AllowOwner: true})
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
	if _, err := c.db.StartGiveBack(c.Context(), c.order.ID, row.Sequence); err != nil {
		return err
	}
	return c.db.RecordRefund(c.Context(), c.order.ID, row.Sequence, fmt.Sprintf("re_%s_%d", c.order.ID, row.Sequence), models.RefundSucceeded, "")
}

func TestBar24SignsOfOnePersonHoldARewardForStaff(t *testing.T) {
	c := openClub(t)
	held := func(friend string) (id string) {
		require.Equal(t, "held", c.rewards(friend)["referral"])
		return c.one(`SELECT CAST(id AS text) FROM rewards WHERE friend_id = $1 AND kind = 'referral'`, friend)
	}
	decide := func(id, kind, actor string) (string, error) {
		d, err := c.db.DecideReward(t.Context(), id, models.NewMatterDecision{Kind: kind, ActorID: actor, ActorRole: "admin", Reason: "looked at"})
		if err != nil {
			return "", err
		}
		return d.ID, nil
	}
	// The same browser and network at sign-up; the same wallet and card when it is earned.
	require.NoError(t, c.db.CreateSession(t.Context(), models.NewSession{TokenHash: []byte("theirs"), UserID: c.payee, IP: "203.0.113.7"}))
	friend := c.arrives("f@example.org", models.Arrival{Code: c.code, IP: "203.0.113.7", BrowserOf: []byte("theirs")})
	c.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, friend.ID)
	c.pay() // the payee's own order
	c.user = friend.ID
	c.pay()
	c.sends()
	id := held(friend.ID)
	require.Equal(t, "{same_browser,same_network,same_wallet,same_card}", c.one(`SELECT CAST(signals AS text) FROM rewards WHERE id = $1`, id))
	require.Equal(t, "0.00", c.has(c.payee))

	for _, own := range []string{c.payee, friend.ID} {
		_, err := decide(id, models.RewardApprove, own)
		require.Equal(t, models.CodeForbidden, models.CodeOf(err))
	}
	var taken atomic.Int64
	var decision atomic.Value
	var people sync.WaitGroup
	for range 6 {
		people.Go(func() {
			if d, err := decide(id, models.RewardApprove, c.staff); err == nil {
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
			if err := c.db.ApproveReward(t.Context(), id, decision.Load().(string)); err == nil {
				paid.Add(1)
			}
		})
	}
	people.Wait()
	require.EqualValues(t, 1, paid.Load())
	require.Equal(t, "10.00", c.has(c.payee))

	again := c.friend() // to a wallet that somebody else's reward was earned with
	c.pay()
	c.sends()
	other := held(again.ID)
	d, err := decide(other, models.RewardRefuse, c.staff)
	require.NoError(t, err)
	require.NoError(t, c.db.RefuseReward(t.Context(), other, d))
	require.Equal(t, "refused", c.rewards(again.ID)["referral"])
	_, err = decide(other, models.RewardApprove, c.staff)
	require.Equal(t, "reward_state", models.ReasonOf(err))

	late := c.friend() // held, and then its order is refunded: nobody can pay it any more
	c.pay()
	c.sends()
	last := held(late.ID)
	d, err = decide(last, models.RewardApprove, c.staff)
	require.NoError(t, err)
	require.NoError(t, c.givesBack(51750))
	require.Equal(t, "reward_state", models.ReasonOf(c.db.ApproveReward(t.Context(), last, d)))
	require.Equal(t, "10.00", c.has(c.payee))
	c.right()
}

// Bar 18: staff approve a held reward while the order that earned it is being
// refunded. Whichever comes first, nothing is paid for good, and the approval
// that came too late is told what became of the reward.
func TestBar18ARewardIsApprovedAndItsOrderRefundedAtOnce(t *testing.T) {
	c := openClub(t)
	c.pay() // the payee's own order; their friends' coin goes to the same wallet
	outcomes := map[string]int{}
	for i := range 8 {
		friend := c.friend()
		c.pay()
		c.sends()
		id := c.one(`SELECT CAST(id AS text) FROM rewards WHERE friend_id = $1 AND kind = 'referral' AND status = 'held'`, friend.ID)
		d, err := c.db.DecideReward(t.Context(), id, models.NewMatterDecision{Kind: models.RewardApprove, ActorID: c.staff, ActorRole: "admin", Reason: "looked at"})
		require.NoError(t, err)
		row, err := c.part(51750)
		require.NoError(t, err)
		_, err = c.db.StartGiveBack(t.Context(), c.order.ID, row.Sequence)
		require.NoError(t, err)
		var both sync.WaitGroup
		var approved, refunded error
		begun := make(chan struct{}) // every other time the refund is first by a little
		both.Go(func() {
			if <-begun; i%2 == 1 {
				for c.rewards(friend.ID)["referral"] == "held" {
				}
			}
			approved = c.db.ApproveReward(t.Context(), id, d.ID)
		})
		both.Go(func() {
			close(begun)
			refunded = c.db.RecordRefund(t.Context(), c.order.ID, row.Sequence, "re_"+id, models.RefundSucceeded, "")
		})
		both.Wait()
		require.NoError(t, refunded)
		became := c.rewards(friend.ID)["referral"]
		outcomes[became]++
		if became == "clawed_back" {
			require.NoError(t, approved)
		} else {
			require.Equal(t, "refused", became)
			require.Equal(t, models.CodeConflict, models.CodeOf(approved))
			require.EqualError(t, approved, "This reward needs no decision: it is refused")
		}
		require.Equal(t, "0.00", c.has(c.payee))
		require.Equal(t, "1", c.one(`SELECT count(*)::text FROM audit_log WHERE object_id = $1`, id))
	}
	c.right()
	require.GreaterOrEqual(t, outcomes["refused"], 4)
}

// Who wants no mails about referrals is told all the same that money was taken.
func TestMailsAboutRewardsCanBeDoneWithout(t *testing.T) {
	c := openClub(t)
	require.NoError(t, c.db.Choose(t.Context(), models.Preferences{UserID: c.payee, Language: "en", Muted: []string{models.TopicReferrals}}))
	c.friend()
	c.orders()
	c.sends()
	require.Equal(t, "10.00", c.has(c.payee))
	require.NoError(t, c.givesBack(51750))
	require.Equal(t, "reward_taken_back", c.one(`SELECT string_agg(kind, ' ') FROM mails WHERE user_id = $1 AND matter_event_id IS NOT NULL`, c.payee))
}

// Nothing is paid into an account that is closed, whoever earned it; what may
// still be decided keeps an account from being closed.
func TestRewardOfAClosedAccountIsHeldAndNeverPaid(t *testing.T) {
	c := openClub(t)
	c.friend()
	c.orders()
	c.exec(`UPDATE users SET disabled_at = clock_now(), closed_at = clock_now() WHERE id = $1`, c.payee)
	c.sends()
	id := c.one(`SELECT CAST(id AS text) FROM rewards WHERE user_id = $1 AND kind = 'referral' AND status = 'held' AND signals = '{account_restricted}'`, c.payee)
	decision := models.NewMatterDecision{Kind: models.RewardApprove, ActorID: c.staff, ActorRole: "admin", Reason: "looked at"}
	_, err := c.db.DecideReward(t.Context(), id, decision)
	require.Equal(t, "account_closed", models.ReasonOf(err))
	require.Equal(t, "0.00", c.has(c.payee))
	c.exec(`UPDATE users SET disabled_at = NULL, closed_at = NULL WHERE id = $1`, c.payee)
	_, err = c.db.AskToClose(t.Context(), c.payee)
	require.Equal(t, "open_referral", models.ReasonOf(err))
	decision.Kind = models.RewardRefuse
	refusal, err := c.db.DecideReward(t.Context(), id, decision)
	require.NoError(t, err)
	require.NoError(t, c.db.RefuseReward(t.Context(), id, refusal.ID))
	_, err = c.db.AskToClose(t.Context(), c.payee)
	require.NoError(t, err)
	c.right()
}

// Somebody whose verification was withdrawn while their order was being sent
// earns what was promised when it is in force again.
func TestRewardWaitsForAnIdentityInForce(t *testing.T) {
	c := openClub(t)
	friend := c.friend()
	c.orders()
	c.do("fulfill", "buy", "start transfer")
	c.exec(`UPDATE kyc_records SET revoked_at = clock_now() WHERE user_id = $1`, friend.ID)
	require.Equal(t, "registered", c.rewards(friend.ID)["referral"])
	c.do("broadcast")
	require.Equal(t, "registered", c.rewards(friend.ID)["referral"])
	strays := func() (ids []string) {
		found, err := c.db.StrayMatters(t.Context(), 0, time.Hour, 10)
		require.NoError(t, err)
		for _, f := range found {
			ids = append(ids, f.ID)
		}
		return ids
	}
	require.Empty(t, strays())
	c.exec(`UPDATE kyc_records SET revoked_at = NULL WHERE user_id = $1`, friend.ID)
	found := strays()
	require.Len(t, found, 2, "the sweep finds what can be paid now")
	for _, id := range append(found, found...) {
		require.NoError(t, c.db.PayEarnedReward(t.Context(), id))
	}
	require.Equal(t, []string{"25.00", "10.00"}, []string{c.has(friend.ID), c.has(c.payee)})
	require.Empty(t, strays())
	c.right()
}

// Whatever happens to friends' orders: a reward's money is what its status says,
// it is paid at most once, and only while its order's money is ours.
func TestBar22RewardsFollowWhateverHappensToTheirOrders(t *testing.T) {
	c := openClub(t)
	statuses := map[string]bool{}
	wanted := []string{"referral active", "referral rewarded", "referral clawed_back"}
	unseen := func(status string) bool { return !statuses[status] }
	live := func(r *rapid.T) {
		friend := c.friend()
		for range rapid.IntRange(1, 2).Draw(r, "orders") {
			c.orders()
			for range rapid.IntRange(4, 14).Draw(r, "steps") {
				name := rapid.SampledFrom([]string{"refund", "refund part", "refund bounces", "refunded there", "dispute", "dispute lost", "dispute won", "die", "retry", "mark sent"}).Draw(r, "step")
				if rapid.IntRange(1, 10).Draw(r, "luck") > 3 {
					name = rapid.SampledFrom(goodDay[c.now().Status]).Draw(r, "good step")
				}
				err := c.actions(func(n int) int { return rapid.IntRange(1, n-1).Draw(r, "share") })[name]()
				if err != nil && models.CodeOf(err) != models.CodeConflict {
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
		if totals, err := c.db.TrialBalance(t.Context()); err != nil || len(models.CheckTrialBalance(totals)) > 0 {
			r.Fatalf("%v %v", models.CheckTrialBalance(totals), err)
		}
	}
	for range 4 { // one in twenty rounds of a hundred lives takes no reward back
		if rapid.Check(t, live); !slices.ContainsFunc(wanted, unseen) {
			break
		}
	}
	c.right()
	for _, status := range wanted {
		require.True(t, statuses[status], "some were %s", status)
	}
}
