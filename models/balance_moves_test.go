package models_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// holds is what the customer has and owes, in cents.
func (s *shop) holds() (balance, owed int64) {
	s.Helper()
	have, err := ledger.HoldingsOf(s.Context(), s.db, s.user)
	require.NoError(s, err)
	balance, _ = have.Balance.Int64()
	owed, _ = have.Receivable.Int64()
	return balance, owed
}

// Any sequence of credits and clawbacks: a clawback debits what is there and books the rest as owed, and later
// credits pay that first. No customer has and owes at once, and no cent is lost between the two.
func TestBar22CreditsAndClawbacksNetToTheCent(t *testing.T) {
	s := openShop(t)
	round := 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		s.user = store.NewID()
		s.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, 'x@example.com', true)`, s.user, "owner "+s.user)
		var balance, owed int64
		for step := range rapid.IntRange(1, 12).Draw(r, "steps") {
			cents := rapid.Int64Range(0, 5000).Draw(r, "cents")
			group := fmt.Sprintf("%d:%d", round, step)
			if rapid.Bool().Draw(r, "credit") {
				netted, err := Credit(t.Context(), s.db, s.user, group, money.FromInt(cents))
				require.NoError(r, err)
				paid := min(cents, owed)
				require.Equal(r, fmt.Sprint(paid), netted.String())
				owed, balance = owed-paid, balance+cents-paid
			} else {
				rest, err := ClawBack(t.Context(), s.db, s.user, group, money.FromInt(cents))
				require.NoError(r, err)
				there := min(cents, balance)
				require.Equal(r, fmt.Sprint(cents-there), rest.String())
				balance, owed = balance-there, owed+cents-there
			}
			has, owes := s.holds()
			require.Equal(r, []int64{balance, owed}, []int64{has, owes})
			require.False(r, has > 0 && owes > 0, "has %d and owes %d", has, owes)
		}
	})
	totals, err := ledger.TrialBalance(t.Context(), s.db)
	require.NoError(t, err)
	require.Empty(t, ledger.CheckTrialBalance(totals))
}

func TestBar18CreditsAndClawbacksAtOnceNeitherLoseNorLeaveBoth(t *testing.T) {
	s := openShop(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			var err error
			if i%2 == 0 {
				_, err = Credit(t.Context(), s.db, s.user, fmt.Sprint(i), money.FromInt(100))
			} else {
				_, err = ClawBack(t.Context(), s.db, s.user, fmt.Sprint(i), money.FromInt(130))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	balance, owed := s.holds()
	require.EqualValues(t, []int64{0, 300}, []int64{balance, owed})
}

// spend orders for a sum from the balance.
func (s *shop) spend(amount string) (*order.Order, error) {
	in := s.input(amount)
	in.Method = pricing.MethodBalance
	quote, err := s.quoter.Quote(s.Context(), in)
	if err != nil {
		return nil, err
	}
	return s.order(s.Context(), quote)
}

func TestBalanceOrderIsPaidAtOnceAndItsRefundComesBack(t *testing.T) {
	d := openOrderFixture(t)
	_, err := d.spend("0.01")
	require.Equal(t, "insufficient_balance", store.ReasonOf(err))
	require.Equal(t, store.CodeInvalid, store.CodeOf(err))
	_, err = Credit(t.Context(), d.db, d.user, "gift", money.FromInt(60_000))
	require.NoError(t, err)
	d.order, err = d.spend("0.01")
	require.NoError(t, err)
	require.Equal(t, order.StatusPaymentApproved, d.now().Status)
	require.NotNil(t, d.now().PaidAt)
	total, _ := d.now().Total.Int64()
	balance, _ := d.holds()
	require.Equal(t, 60_000-total, balance)
	require.Equal(t, []string{"created", "paid_from_balance"}, d.eventsOf())
	rows, _, err := ledger.BalanceHistory(t.Context(), d.db, d.user, nil, 10)
	require.NoError(t, err)
	require.Equal(t, "paid_from_balance", rows[0].Event)
	require.Equal(t, d.order.Reference, *rows[0].Reference)

	decision, err := d.decide(order.DecisionRefund, nil)
	require.NoError(t, err)
	job, err := order.StartRefund(t.Context(), d.db, d.order.ID, decision)
	require.NoError(t, err)
	require.True(t, job.Done)
	balance, _ = d.holds()
	require.EqualValues(t, 60_000, balance)
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	d.balanced()
}

func TestBalanceOrderEarnsNoBonusAndCanBeSent(t *testing.T) {
	d := openOrderFixture(t)
	_, err := Credit(t.Context(), d.db, d.user, "gift", money.FromInt(60_000))
	require.NoError(t, err)
	d.order, err = d.spend("0.01")
	require.NoError(t, err)
	d.do("fulfill", "buy", "start transfer", "broadcast")
	require.Equal(t, order.StatusSent, d.now().Status)
	require.NotContains(t, d.eventsOf(), "bonus_credited")
	d.balanced()
}

// Tabs at once: together they spend what there is, and never more.
func TestBar18BalanceIsSpentOnceByManyOrdersAtOnce(t *testing.T) {
	s := openShop(t)
	_, err := Credit(t.Context(), s.db, s.user, "gift", money.FromInt(120_000))
	require.NoError(t, err)
	var all sync.WaitGroup
	var paid, refused atomic.Int64
	for range 8 {
		all.Go(func() {
			_, err := s.spend("0.01")
			switch {
			case err == nil:
				paid.Add(1)
			case store.ReasonOf(err) == "insufficient_balance":
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, []int64{2, 6}, []int64{paid.Load(), refused.Load()})
	balance, owed := s.holds()
	require.Equal(t, int64(0), owed)
	require.GreaterOrEqual(t, balance, int64(0))
	var orders int
	require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM orders`).Scan(&orders))
	require.Equal(t, 2, orders, "a refused order leaves no row")
}
