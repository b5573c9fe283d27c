package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/store"
)

// spendByMail orders from the balance as a customer without a second factor does.
func (d *orderFixture) spendByMail() error {
	d.Helper()
	in := d.input("0.01")
	in.Method = pricing.MethodBalance
	quote, err := d.quoter.Quote(d.Context(), in)
	require.NoError(d, err)
	prices, err := d.quoter.Pricing(d.Context())
	require.NoError(d, err)
	made, err := order.CreateOrder(d.Context(), d.db, prices, order.NewOrder{Quote: quote, Network: money.Bitcoin, Address: address, AddressKey: address, Channel: "web", ByMail: true})
	if err == nil {
		d.order = made
	}
	return err
}

// passes moves the database's clock.
func (s *shop) passes(d time.Duration) { s.ahead(store.Seconds(d)) }

// mailed is the token of the mail about a request, as the mail that leaves has it.
func (s *shop) mailed(subject string) string {
	s.Helper()
	token, err := casework.LinkToken(s.Context(), s.db, subject)
	require.NoError(s, err)
	require.NotEmpty(s, token)
	return token
}

// reserved is what a customer's payouts and orders reserve, in cents.
func (s *shop) reservedCents() int64 {
	s.Helper()
	have, err := ledger.HoldingsOf(s.Context(), s.db, s.user)
	require.NoError(s, err)
	cents, _ := have.Reserved.Int64()
	return cents
}

func openMailedOrder(t *testing.T) (d *orderFixture, total int64) {
	d = openOrderFixture(t)
	d.price("50000")
	require.Equal(t, "insufficient_balance", store.ReasonOf(d.spendByMail()))
	_, err := Credit(t.Context(), d.db, d.user, "gift", cents(60_000))
	require.NoError(t, err)
	require.NoError(t, d.spendByMail())
	total, _ = d.order.Total.Int64()
	return d, total
}

// An order from the balance to a new address is reserved, and paid once its customer has followed the mailed link.
func TestOrderToNewAddressIsConfirmedByMail(t *testing.T) {
	d, total := openMailedOrder(t)
	o := d.now()
	require.Equal(t, order.StatusPending, o.Status)
	require.Nil(t, o.PaidAt)
	require.WithinDuration(t, o.CreatedAt.Add(order.ConfirmWindow), o.PaymentDueAt, time.Second)
	balance, _ := d.holds()
	require.Equal(t, []int64{60_000 - total, total}, []int64{balance, d.reservedCents()})
	require.Equal(t, []string{"created", "confirmation_requested"}, d.eventsOf())
	p, err := order.PaymentOf(t.Context(), d.db, o.ID)
	require.NoError(t, err)
	require.Equal(t, &order.OrderAction{Kind: order.ActionOrder, DueAt: &o.PaymentDueAt}, order.ActionOf(o, p, nil, false))
	require.Equal(t, []string{order.DecisionReject, order.DecisionCancel}, order.DecisionsFor(o, p), "nobody confirms money for it")

	token := d.mailed(o.ID)
	require.Equal(t, "link_gone", store.ReasonOf(order.ConfirmOrder(t.Context(), d.db, d.user, o.ID, "another")))
	require.Equal(t, "link_gone", store.ReasonOf(order.ConfirmOrder(t.Context(), d.db, d.staff, o.ID, token)), "the token is worth nothing to another person")
	require.NoError(t, order.ConfirmOrder(t.Context(), d.as("api"), d.user, o.ID, token))
	o = d.now()
	require.Equal(t, order.StatusPaymentApproved, o.Status)
	require.NotNil(t, o.PaidAt)
	balance, _ = d.holds()
	require.Equal(t, []int64{60_000 - total, 0}, []int64{balance, d.reservedCents()})
	require.Equal(t, []string{"created", "confirmation_requested", "paid_from_balance"}, d.eventsOf())
	require.Equal(t, "link_gone", store.ReasonOf(order.ConfirmOrder(t.Context(), d.db, d.user, o.ID, token)), "once")
	require.NoError(t, casework.LinkUsed(t.Context(), d.db, d.user, o.ID, token), "a link used twice leads on")
	require.NoError(t, order.EndUnpaid(t.Context(), d.db, o.ID, order.Unpaid{How: order.ResolutionExpired}), "a deadline that comes late does nothing")
	_, err = Credit(t.Context(), d.db, d.user, "more", cents(60_000))
	require.NoError(t, err)
	require.NoError(t, d.spendByMail())
	require.Equal(t, order.StatusPaymentApproved, d.now().Status, "the address is confirmed now")
	d.order = o
	d.passes(order.ConfirmWindow)
	require.NoError(t, order.EndUnpaid(t.Context(), d.db, o.ID, order.Unpaid{How: order.ResolutionExpired}))
	require.Equal(t, order.StatusPaymentApproved, d.now().Status)
	d.balanced()
}

// An address that coin was sent to is not new, whoever paid how.
func TestAddressThatCoinWasSentToIsNotNew(t *testing.T) {
	d, _ := openMailedOrder(t)
	d.exec(`UPDATE orders SET sent_at = clock_now() WHERE id = $1`, d.order.ID)
	_, err := Credit(t.Context(), d.db, d.user, "more", cents(60_000))
	require.NoError(t, err)
	require.NoError(t, d.spendByMail())
	require.Equal(t, order.StatusPaymentApproved, d.now().Status)
}

// What is not confirmed in time, is cancelled or is rejected returns to the balance, and its link works no more.
func TestUnconfirmedOrderReturnsItsReserve(t *testing.T) {
	for name, end := range map[string]func(d *orderFixture) error{
		"expired": func(d *orderFixture) error {
			d.passes(order.ConfirmWindow + time.Second)
			return order.EndUnpaid(t.Context(), d.as("core"), d.order.ID, order.Unpaid{How: order.ResolutionExpired})
		},
		"cancelled": func(d *orderFixture) error { return d.ends(order.DecisionCancel, order.ResolutionCancelled) },
		"declined":  func(d *orderFixture) error { return d.ends(order.DecisionReject, order.ResolutionDeclined) },
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := openMailedOrder(t)
			token := d.mailed(d.order.ID)
			require.NoError(t, order.EndUnpaid(t.Context(), d.db, d.order.ID, order.Unpaid{How: order.ResolutionExpired}), "not before its time")
			require.Equal(t, order.StatusPending, d.now().Status)
			require.NoError(t, end(d))
			require.Equal(t, order.Resolution(name), *d.now().Resolution)
			balance, _ := d.holds()
			require.Equal(t, []int64{60_000, 0}, []int64{balance, d.reservedCents()})
			require.Equal(t, "link_gone", store.ReasonOf(order.ConfirmOrder(t.Context(), d.db, d.user, d.order.ID, token)))
			token, err := casework.LinkToken(t.Context(), d.db, d.order.ID)
			require.NoError(t, err)
			require.Empty(t, token, "a mail that is late has no link")
			d.balanced()
		})
	}
}

// ends makes a decision that ends an unpaid order, and executes it.
func (d *orderFixture) ends(kind string, how order.Resolution) error {
	decision, err := d.decide(kind, nil)
	if err != nil {
		return err
	}
	return order.EndUnpaid(d.Context(), d.db, d.order.ID, order.Unpaid{How: how, DecisionID: decision})
}

// The link of an order does nothing once its time is over, its account is frozen, or a second factor was set up; and the
// reserve pays a debt before it pays an order.
func TestLinkOfAnOrderIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(d *orderFixture)
		code string
	}{
		"late": {func(d *orderFixture) { d.passes(order.ConfirmWindow + time.Second) }, "link_gone"},
		"factor": {func(d *orderFixture) {
			d.exec(`INSERT INTO second_factors (user_id, sealed_seed, enabled_at) VALUES ($1, 'sealed', clock_now())`, d.user)
		}, "link_gone"},
		"frozen": {func(d *orderFixture) {
			d.exec(`UPDATE users SET frozen_at = clock_now(), frozen_by = $2 WHERE id = $1`, d.user, d.staff)
		}, "account_frozen"},
		"debt": {func(d *orderFixture) {
			_, err := ClawBack(t.Context(), d.db, d.user, "back", cents(60_000))
			require.NoError(t, err)
		}, "insufficient_balance"},
	} {
		t.Run(name, func(t *testing.T) {
			d, total := openMailedOrder(t)
			token := d.mailed(d.order.ID)
			c.do(d)
			require.Equal(t, c.code, store.ReasonOf(order.ConfirmOrder(t.Context(), d.db, d.user, d.order.ID, token)))
			require.Equal(t, order.StatusPending, d.now().Status)
			require.Equal(t, total, d.reservedCents(), "nothing is changed")
			d.balanced()
		})
	}
}

// The mail is sent again at its customer's request, and both of its links work.
func TestLinkOfAnOrderIsMailedAgain(t *testing.T) {
	d, _ := openMailedOrder(t)
	first := d.mailed(d.order.ID)
	require.Equal(t, "link_gone", store.ReasonOf(order.MailOrderLinkAgain(t.Context(), d.db, d.staff, d.order.ID)))
	require.NoError(t, order.MailOrderLinkAgain(t.Context(), d.as("api"), d.user, d.order.ID))
	var waiting, all int
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE given_up_at IS NULL), count(*) FROM mails WHERE order_id = $1 AND kind = $2`,
		d.order.ID, order.MailConfirmOrder).Scan(&waiting, &all))
	require.Equal(t, []int{1, 2}, []int{waiting, all})
	var remind int
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM mails WHERE order_id = $1 AND kind = 'order_created' AND given_up_at IS NULL`, d.order.ID).Scan(&remind))
	require.Zero(t, remind, "nobody is asked to pay")
	d.mailed(d.order.ID)
	require.NoError(t, order.ConfirmOrder(t.Context(), d.db, d.user, d.order.ID, first))
	require.Equal(t, "link_gone", store.ReasonOf(order.MailOrderLinkAgain(t.Context(), d.db, d.user, d.order.ID)))
}

// A payment whose signal was lost is found by the sweep.
func TestOrderPaidByLinkIsFoundBySweep(t *testing.T) {
	d, _ := openMailedOrder(t)
	found := func() []store.Signal {
		rows, err := order.PaidByLink(t.Context(), d.db, time.Minute, 10)
		require.NoError(t, err)
		return rows
	}
	d.passes(5 * time.Minute)
	require.NoError(t, order.ConfirmOrder(t.Context(), d.db, d.user, d.order.ID, d.mailed(d.order.ID)))
	require.Empty(t, found())
	d.passes(2 * time.Minute)
	require.Equal(t, []store.Signal{{Subject: d.order.ID, Reason: "confirmed"}}, found())
	d.passes(10 * time.Minute)
	require.Empty(t, found())
}

func (p *till) askByMail(cents int64, holder string) (*payout.Payout, error) {
	account, err := payout.PayoutAccount{Kind: payout.AccountIBAN, Holder: holder, IBAN: goodIBAN}.Check()
	require.NoError(p, err)
	return payout.RequestPayout(p.Context(), p.as("api"), p.keys, payout.NewPayout{UserID: p.user, Amount: money.FromInt(cents), Account: account,
		TwoAbove: money.FromInt(100_000), ByMail: true})
}

// A payout of a customer without a second factor is reserved, and waits for staff once it is confirmed.
func TestPayoutIsConfirmedByMail(t *testing.T) {
	p := openTill(t)
	p.earn(50_000)
	row, err := p.askByMail(20_000, "Ada Lovelace")
	require.NoError(t, err)
	require.Equal(t, payout.PayoutUnconfirmed, p.payout(row.ID).Status)
	require.EqualValues(t, 20_000, p.reserved())
	require.NoError(t, payout.OpenPayout(t.Context(), p.db, row.ID, payoutWaits))
	require.Equal(t, "payout_state", store.ReasonOf(p.decide(row.ID, payout.PayoutApprove, 0)), "nothing for staff yet")
	require.Equal(t, "payout_state", store.ReasonOf(p.decide(row.ID, payout.PayoutReject, 0)))
	require.Equal(t, []string{"confirmation_requested"}, p.timeline(row.ID))

	for _, status := range []string{"approved", "cancelled", "paid"} {
		_, err := p.as("api").Pool().Exec(t.Context(), `UPDATE payouts SET status = $2, confirm_by = NULL WHERE id = $1`, row.ID, status)
		require.ErrorContains(t, err, "the API does not make a payout that is unconfirmed become "+status)
	}

	token := p.mailed(row.ID)
	require.Equal(t, "link_gone", store.ReasonOf(payout.ConfirmPayoutRequest(t.Context(), p.db, p.user, row.ID, "another")))
	require.Equal(t, "link_gone", store.ReasonOf(payout.ConfirmPayoutRequest(t.Context(), p.db, p.staff[0], row.ID, token)))
	require.NoError(t, payout.ConfirmPayoutRequest(t.Context(), p.as("api"), p.user, row.ID, token))
	stored := p.payout(row.ID)
	require.Equal(t, payout.PayoutRequested, stored.Status)
	require.Nil(t, stored.ConfirmBy)
	require.NotNil(t, stored.WakeAt, "the sweep finds one whose signal was lost")
	require.Equal(t, []string{"confirmation_requested", "requested"}, p.timeline(row.ID))
	require.Equal(t, "link_gone", store.ReasonOf(payout.ConfirmPayoutRequest(t.Context(), p.db, p.user, row.ID, token)))
	require.NoError(t, payout.LatePayout(t.Context(), p.db, row.ID, payoutWaits))
	require.Equal(t, p.payout(row.ID).RemindAt, p.payout(row.ID).WakeAt)
	require.Zero(t, p.payout(row.ID).Reminders, "nobody is late yet")
	p.passes(2 * casework.LinkTTL)
	require.NoError(t, payout.LatePayout(t.Context(), p.db, row.ID, payoutWaits))
	require.Equal(t, payout.PayoutRequested, p.payout(row.ID).Status)
	require.NoError(t, p.decide(row.ID, payout.PayoutApprove, 0))
	require.Equal(t, payout.PayoutApproved, p.payout(row.ID).Status)
}

// A payout that is not confirmed in time, or is cancelled before, returns to the balance.
func TestUnconfirmedPayoutReturnsToTheBalance(t *testing.T) {
	p := openTill(t)
	p.earn(50_000)
	row, err := p.askByMail(20_000, "Ada Lovelace")
	require.NoError(t, err)
	token := p.mailed(row.ID)
	require.NoError(t, payout.LatePayout(t.Context(), p.db, row.ID, payoutWaits))
	require.EqualValues(t, 20_000, p.reserved())
	p.passes(casework.LinkTTL + time.Second)
	require.Equal(t, "link_gone", store.ReasonOf(payout.ConfirmPayoutRequest(t.Context(), p.db, p.user, row.ID, token)))
	require.Equal(t, "link_gone", store.ReasonOf(payout.MailPayoutLinkAgain(t.Context(), p.db, p.user, row.ID)))
	require.NoError(t, payout.LatePayout(t.Context(), p.as("core"), row.ID, payoutWaits))
	stored := p.payout(row.ID)
	require.Equal(t, payout.PayoutCancelled, stored.Status)
	require.NotNil(t, stored.ClosedAt)
	require.Nil(t, stored.SealedAccount)
	require.Zero(t, p.reserved())
	require.Equal(t, []string{"confirmation_requested", "unconfirmed", "account_destroyed"}, p.timeline(row.ID))

	row, err = p.askByMail(20_000, "Ada Lovelace")
	require.NoError(t, err)
	token = p.mailed(row.ID)
	require.NoError(t, p.decide(row.ID, payout.PayoutCancel, -1))
	require.Zero(t, p.reserved())
	require.Equal(t, "link_gone", store.ReasonOf(payout.ConfirmPayoutRequest(t.Context(), p.db, p.user, row.ID, token)))
}

// A payout to another name than the verified one takes two approvals, whatever its amount.
func TestPayoutToAnotherNameTakesTwoApprovals(t *testing.T) {
	p := openTill(t)
	p.earn(50_000)
	row, err := p.askByMail(1_000, "LOVELACE, Ada")
	require.NoError(t, err)
	require.False(t, row.HolderDiffers)
	require.Equal(t, 1, row.ApprovalsNeeded)
	row, err = p.askByMail(1_000, "Mule")
	require.NoError(t, err)
	require.True(t, p.payout(row.ID).HolderDiffers)
	require.Equal(t, 2, p.payout(row.ID).ApprovalsNeeded)
	require.NoError(t, payout.ConfirmPayoutRequest(t.Context(), p.db, p.user, row.ID, p.mailed(row.ID)))
	require.NoError(t, p.decide(row.ID, payout.PayoutApprove, 0))
	require.Equal(t, payout.PayoutRequested, p.payout(row.ID).Status)
	require.Equal(t, "second_person", store.ReasonOf(p.decide(row.ID, payout.PayoutApprove, 0)))
	require.NoError(t, p.decide(row.ID, payout.PayoutApprove, 1))
	require.Equal(t, payout.PayoutApproved, p.payout(row.ID).Status)
}

// A copy of one's data is made once its owner has confirmed it; an unconfirmed request does not count as the day's.
func TestDataExportIsConfirmedByMail(t *testing.T) {
	s := openShop(t)
	api := s.as("api")
	ask := func(name string) (*privacy.DataExport, error) {
		return privacy.AskForData(t.Context(), api, s.user, name, true)
	}
	first, err := ask("one")
	require.NoError(t, err)
	_, err = ask("two")
	require.Equal(t, "export_unconfirmed", store.ReasonOf(err))
	_, done, err := privacy.ExportKey(t.Context(), s.db, first.ID, []byte("key"))
	require.NoError(t, err)
	require.True(t, done, "nothing is made yet")
	require.NoError(t, privacy.ExpireExport(t.Context(), s.db, first.ID), "not before its time")
	state, err := privacy.ReadExportState(t.Context(), s.db, first.ID)
	require.NoError(t, err)
	require.Equal(t, privacy.ExportUnconfirmed, state.Status)
	require.InDelta(t, casework.LinkTTL, state.Wake, float64(time.Minute))
	s.passes(casework.LinkTTL + time.Second)
	require.Equal(t, "link_gone", store.ReasonOf(privacy.MailExportLinkAgain(t.Context(), s.db, s.user, first.ID)))
	require.NoError(t, privacy.ExpireExport(t.Context(), s.as("core"), first.ID))

	second, err := ask("three")
	require.NoError(t, err)
	require.NoError(t, privacy.MailExportLinkAgain(t.Context(), api, s.user, second.ID))
	token := s.mailed(second.ID)
	require.Equal(t, "link_gone", store.ReasonOf(privacy.ConfirmExport(t.Context(), s.db, store.NewID(), second.ID, token)))
	require.NoError(t, privacy.ConfirmExport(t.Context(), api, s.user, second.ID, token))
	require.Equal(t, "link_gone", store.ReasonOf(privacy.ConfirmExport(t.Context(), s.db, s.user, second.ID, token)))
	_, done, err = privacy.ExportKey(t.Context(), s.db, second.ID, []byte("key"))
	require.NoError(t, err)
	require.False(t, done)
	_, err = ask("four")
	require.Equal(t, "export_open", store.ReasonOf(err))
}
