package models_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

var voucherTerms = voucher.VoucherTerms{MarginPercent: decimal.New(25, -1), IdentityAbove: money.FromInt(300_00)}

// press makes vouchers and runs their redemptions as the workflow does.
type press struct {
	*shop
	keys       *secret.Keys
	one, other string // admins
}

func openPress(t *testing.T) *press {
	p := &press{shop: openShop(t), keys: cardKeys(t, 1), one: store.NewID(), other: store.NewID()}
	for _, id := range []string{p.one, p.other} {
		p.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2 || '@example.com', true)`, id, "admin "+id)
	}
	coins, dollars := money.FromInt(5_0000_0000), money.FromInt(1_000_000_00)
	require.NoError(t, ledger.SeedFloat(t.Context(), p.db, "vouchers", []ledger.Posting{
		{From: ledger.AccountEquity, To: ledger.WalletAccount("bitcoin"), Currency: money.BTC, Amount: coins},
		{From: ledger.AccountEquity, To: ledger.AccountExchange, Currency: money.USD, Amount: dollars}}))
	return p
}

func (p *press) make(amount string, currency money.Currency) (*voucher.Voucher, string, error) {
	p.Helper()
	units, err := currency.Parse(amount)
	require.NoError(p, err)
	var v *voucher.Voucher
	err = p.db.Tx(p.Context(), func(tx *store.DB) error {
		v, err = voucher.MakeVoucher(p.Context(), tx, p.keys, voucher.NewVoucher{Actor: store.Actor{ActorID: p.one, ActorRole: "admin"}, Amount: units, Currency: currency,
			Limits: voucher.VoucherLimits{Value: money.FromInt(2000_00), Alone: money.FromInt(2500_00)}})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	code, err := voucher.VoucherCode(p.keys, v)
	require.NoError(p, err)
	return v, code, nil
}

func (p *press) redeem(code string) (r *voucher.Redemption, err error) {
	err = p.db.Tx(p.Context(), func(tx *store.DB) error {
		r, err = voucher.RedeemVoucher(p.Context(), tx, p.keys, voucher.NewRedemption{UserID: p.user, Code: code, Asset: money.BTC, Network: money.Bitcoin,
			Address: address, Terms: voucherTerms})
		return err
	})
	return r, err
}

func (p *press) redemption(id string) *voucher.Redemption {
	p.Helper()
	r, err := voucher.ReadRedemption(p.Context(), p.db, id)
	require.NoError(p, err)
	return r
}

// buy fills what is missing, at the exchange's ask.
func (p *press) buy(id string) {
	p.Helper()
	job, err := voucher.StartVoucherBuy(p.Context(), p.db, id, 100, time.Minute)
	require.NoError(p, err)
	if job.Done {
		return
	}
	cost := money.USD.FromDecimal(decimal.NewFromInt(50010).Mul(money.BTC.Decimal(job.Order.Asked)), money.Up)
	require.NoError(p, voucher.RecordVoucherFill(p.Context(), p.db, id, job.Order.Generation, "K-"+id+fmt.Sprint(job.Order.Generation), execution.Fill{Filled: job.Order.Asked, Cost: cost, Fee: money.FromInt(11)}))
}

// transfer sends the coin and reports its states.
func (p *press) transfer(id string, statuses ...string) {
	p.Helper()
	job, err := voucher.StartVoucherTransfer(p.Context(), p.db, id, execution.Caps{Order: 100_000, Day: 500_000})
	require.NoError(p, err)
	require.False(p, job.Done)
	now, err := p.db.Now(p.Context())
	require.NoError(p, err)
	for _, status := range statuses {
		_, err := voucher.RecordVoucherTransfer(p.Context(), p.db, id, job.Withdrawal.Generation, execution.TransferReading{ID: "T-" + job.Withdrawal.ID, TxID: "tx-" + job.Withdrawal.ID,
			Status: status, Fee: money.FromInt(1500), FeeCurrency: money.BTC}, now)
		require.NoError(p, err)
	}
}

func (p *press) decide(id, kind string) error {
	decision, err := voucher.OpenVoucherDecision(p.Context(), p.db, id, casework.NewCaseDecision{Kind: kind, ActorID: p.other, ActorRole: "admin", Reason: "because"})
	if err != nil {
		return err
	}
	execute := map[string]func(context.Context, string, string) error{voucher.VoucherResume: func(ctx context.Context, id string, decisionID string) error {
		return voucher.ResumeVoucher(ctx, p.db, id, decisionID)
	}, voucher.VoucherRestore: func(ctx context.Context, id string, decisionID string) error {
		return voucher.RestoreVoucher(ctx, p.db, id, decisionID)
	}}[kind]
	if err := execute(p.Context(), id, decision.ID); err != nil {
		return errors.Join(err, casework.CaseDecisions.Resolve(p.Context(), p.db, decision.ID, store.ReasonOf(err)))
	}
	return nil
}

// owed is a platform account's balance, turned so that what we owe is positive.
func (p *press) owed(account string, currency money.Currency) string {
	p.Helper()
	balance, err := ledger.AccountBalance(p.Context(), p.db, account, currency)
	require.NoError(p, err)
	return balance.Neg().String()
}

func (p *press) inOrder() {
	p.Helper()
	totals, err := ledger.TrialBalance(p.Context(), p.db)
	require.NoError(p, err)
	require.Empty(p, ledger.CheckTrialBalance(totals))
	p.counted()
}

func TestVoucherInDollarsIsBoughtAndSent(t *testing.T) {
	p := openPress(t)
	v, code, err := p.make("100", money.USD)
	require.NoError(t, err)
	require.Regexp(t, `^\d{4}-\d{4}-\d{4}-\d{4}$`, code)
	require.Equal(t, "10000", p.owed(ledger.AccountVouchers, money.USD))
	r, err := p.redeem(code)
	require.NoError(t, err)
	require.Equal(t, "195121", r.Amount.String(), "100 / (50000 and 2.5 percent), rounded down")
	require.Equal(t, "9757", r.BasePrice.String())
	require.Equal(t, "0", p.owed(ledger.AccountVouchers, money.USD))
	require.Equal(t, "10000", p.owed(ledger.AccountPrepaid, money.USD))
	_, err = p.redeem(code)
	require.Equal(t, "voucher_not_found", store.ReasonOf(err))

	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)), "the same step again finds its effect")
	p.buy(r.ID)
	p.transfer(r.ID, execution.TransferSigned, execution.TransferBroadcast, execution.TransferConfirmed)
	done := p.redemption(r.ID)
	require.Equal(t, voucher.RedemptionSent, done.Status)
	require.NotNil(t, done.ClosedAt)
	require.Equal(t, "0", p.owed(ledger.AccountPrepaid, money.USD))
	require.Equal(t, "0", p.owed(ledger.AccountConversion, money.USD))
	require.Equal(t, "0", p.owed(ledger.AccountConversion, money.BTC))
	require.Equal(t, "243", p.owed(ledger.AccountFees, money.USD))
	spent, err := voucher.ReadVoucher(t.Context(), p.db, v.ID)
	require.NoError(t, err)
	require.Equal(t, voucher.VoucherPaid, spent.Status)
	require.Nil(t, spent.SealedCode)
	p.inOrder()
}

func TestVoucherInCoinPaysThatCoin(t *testing.T) {
	p := openPress(t)
	_, code, err := p.make("0.004", money.BTC)
	require.NoError(t, err)
	r, err := p.redeem(code)
	require.NoError(t, err)
	require.Equal(t, "400000", r.Amount.String())
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
	p.buy(r.ID)
	p.transfer(r.ID, execution.TransferBroadcast, execution.TransferConfirmed)
	for _, account := range []string{ledger.AccountPrepaid, ledger.AccountVouchers, ledger.AccountConversion} {
		require.Equal(t, "0", p.owed(account, money.BTC), account)
	}
	require.Equal(t, "0", p.owed(ledger.AccountPromotions, money.BTC), "what it cost is known in dollars")
	require.Equal(t, "-20004", p.owed(ledger.AccountPromotions, money.USD))
	require.Equal(t, "0", p.owed(ledger.AccountConversion, money.USD))
	p.inOrder()
}

// A transfer that failed is made again only by a person's decision that it can never confirm; they resume or restore.
// What was bought for a restored one is not bought again for the next.
func TestVoucherWhoseTransfersDieIsRestoredAndRedeemedAgain(t *testing.T) {
	p := openPress(t)
	_, code, err := p.make("100", money.USD)
	require.NoError(t, err)
	r, err := p.redeem(code)
	require.NoError(t, err)
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
	p.buy(r.ID)
	require.Equal(t, "redemption_state", store.ReasonOf(p.decide(r.ID, voucher.VoucherRestore)), "it does not wait")
	p.transfer(r.ID, execution.TransferBroadcast, execution.TransferFailed)
	require.Equal(t, voucher.AttentionDied, *p.redemption(r.ID).AttentionReason)
	job, err := voucher.StartVoucherTransfer(t.Context(), p.db, r.ID, execution.Caps{Order: 100_000, Day: 500_000})
	require.NoError(t, err)
	require.True(t, job.Done, "nothing is sent before somebody says so")
	require.Equal(t, "10000", p.owed(ledger.AccountPrepaid, money.USD))
	require.NoError(t, p.decide(r.ID, voucher.VoucherResume))
	p.transfer(r.ID, execution.TransferFailed)
	require.Equal(t, voucher.AttentionDied, *p.redemption(r.ID).AttentionReason)
	require.NoError(t, p.decide(r.ID, voucher.VoucherResume))
	p.transfer(r.ID, execution.TransferRejected)
	require.Equal(t, voucher.AttentionRejected, *p.redemption(r.ID).AttentionReason)
	_, err = voucher.OpenVoucherDecision(t.Context(), p.db, r.ID, casework.NewCaseDecision{Kind: voucher.VoucherRestore, ActorID: p.user, ActorRole: "admin"})
	require.Equal(t, store.CodeForbidden, store.CodeOf(err), "nobody decides on their own")
	require.NoError(t, p.decide(r.ID, voucher.VoucherRestore))
	require.Equal(t, "redemption_state", store.ReasonOf(p.decide(r.ID, voucher.VoucherRestore)))
	require.Equal(t, "10000", p.owed(ledger.AccountVouchers, money.USD))
	require.Equal(t, "195121", p.owed(ledger.AccountTrading, money.BTC), "the coin that was bought is stock")
	p.inOrder()

	again, err := p.redeem(code)
	require.NoError(t, err)
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, again.ID, 100)))
	bought, err := voucher.StartVoucherBuy(t.Context(), p.db, again.ID, 100, time.Minute)
	require.NoError(t, err)
	require.True(t, bought.Done, "stock is used before anything is bought")
	p.transfer(again.ID, execution.TransferBroadcast, execution.TransferConfirmed)
	require.Equal(t, "0", p.owed(ledger.AccountTrading, money.BTC))
	require.Equal(t, "0", p.owed(ledger.AccountConversion, money.BTC))
	require.Equal(t, "0", p.owed(ledger.AccountConversion, money.USD))
	require.Equal(t, "0", p.owed(ledger.AccountPrepaid, money.USD))
	p.inOrder()
}

func TestVoucherStepsAskAPersonWhenSomethingChanged(t *testing.T) {
	p := openPress(t)
	for name, c := range map[string]struct {
		amount, reason string
		before, after  func()
	}{
		"frozen":   {"20", casework.AttentionFrozen, func() { p.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, p.user) }, func() { p.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, p.user) }},
		"revoked":  {"301", casework.AttentionKYC, func() { p.exec(`UPDATE kyc_records SET revoked_at = now()`) }, func() { p.exec(`UPDATE kyc_records SET revoked_at = NULL`) }},
		"no price": {"21", casework.AttentionNoPrice, func() { p.exec(`UPDATE markets SET priced_at = now() - interval '1 hour'`) }, func() { p.price("50000") }},
		"blocked": {"22", casework.AttentionBlocked, func() {
			p.exec(`INSERT INTO blocked_addresses (network, address_key, kind, source) VALUES ('bitcoin', $1, 'blocked', 't')`, address)
		}, func() {
			p.exec(`DELETE FROM blocked_addresses`)
			p.exec(`UPDATE voucher_redemptions SET under_review = false`) // as a release does, without its decision
		}},
		"dearer": {"23", casework.AttentionPrice, func() { p.price("52000") }, func() {}},
	} {
		_, code, err := p.make(c.amount, money.USD)
		require.NoError(t, err, name)
		r, err := p.redeem(code)
		require.NoError(t, err, name)
		c.before()
		require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
		require.Equal(t, c.reason, *p.redemption(r.ID).AttentionReason, name)
		require.Equal(t, voucher.RedemptionAccepted, p.redemption(r.ID).Status, name)
		c.after()
		require.NoError(t, p.decide(r.ID, voucher.VoucherResume), name)
		require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
		require.Equal(t, voucher.RedemptionFulfilling, p.redemption(r.ID).Status, "%s: today's price is accepted by resuming", name)
		p.price("50000")
	}
	p.inOrder()
}

// Nothing more is bought or sent for a frozen customer, in any state of their redemption.
func TestFrozenCustomersVoucherStopsBeforeEachStep(t *testing.T) {
	p := openPress(t)
	_, code, err := p.make("20", money.USD)
	require.NoError(t, err)
	r, err := p.redeem(code)
	require.NoError(t, err)
	frozen := func(at string) { p.exec(`UPDATE users SET frozen_at = `+at+` WHERE id = $1`, p.user) }
	waits := func() { require.Equal(t, casework.AttentionFrozen, *p.redemption(r.ID).AttentionReason) }
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))

	frozen("now()")
	job, err := voucher.StartVoucherBuy(t.Context(), p.db, r.ID, 100, time.Minute)
	require.NoError(t, err)
	require.True(t, job.Done)
	waits()
	frozen("NULL")
	require.NoError(t, p.decide(r.ID, voucher.VoucherResume))
	job, err = voucher.StartVoucherBuy(t.Context(), p.db, r.ID, 100, time.Minute)
	require.NoError(t, err)
	require.False(t, job.Done)

	frozen("now()") // placed? unknown: it is read, and not sent again
	_, err = voucher.ResendVoucherBuy(t.Context(), p.db, r.ID, 1, time.Minute)
	require.NoError(t, err)
	waits()
	frozen("NULL")
	require.NoError(t, p.decide(r.ID, voucher.VoucherResume))
	p.buy(r.ID)

	frozen("now()")
	send, err := voucher.StartVoucherTransfer(t.Context(), p.db, r.ID, execution.Caps{Order: 100_000, Day: 500_000})
	require.NoError(t, err)
	require.True(t, send.Done)
	waits()
	frozen("NULL")
	require.NoError(t, p.decide(r.ID, voucher.VoucherResume))
	p.transfer(r.ID, execution.TransferBroadcast, execution.TransferConfirmed)
	require.Equal(t, voucher.RedemptionSent, p.redemption(r.ID).Status)
	p.inOrder()
}

// Identity that is withdrawn stops each next step of a voucher whose worth requires it, and no other; what was begun
// is recorded. A fee that differs at confirmation is booked.
func TestIdentityWithdrawnStopsAVoucherThatAskedForIt(t *testing.T) {
	p := openPress(t)
	identity := func(at string) { p.exec(`UPDATE kyc_records SET revoked_at = ` + at) }
	for amount, asks := range map[string]bool{"301": true, "20": false} {
		_, code, err := p.make(amount, money.USD)
		require.NoError(t, err)
		r, err := p.redeem(code)
		require.NoError(t, err)
		require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
		passes := func(done bool) {
			t.Helper()
			require.Equal(t, asks, done)
			if asks {
				require.Equal(t, casework.AttentionKYC, *p.redemption(r.ID).AttentionReason)
				identity("NULL")
				require.NoError(t, p.decide(r.ID, voucher.VoucherResume))
			}
		}
		identity("now()")
		buy, err := voucher.StartVoucherBuy(t.Context(), p.db, r.ID, 100, time.Minute)
		require.NoError(t, err)
		passes(buy.Done)
		p.buyOpen(r.ID)
		identity("now()")
		send, err := voucher.StartVoucherTransfer(t.Context(), p.db, r.ID, execution.Caps{Order: 100_000, Day: 500_000})
		require.NoError(t, err)
		passes(send.Done)
		_, err = voucher.StartVoucherTransfer(t.Context(), p.db, r.ID, execution.Caps{Order: 100_000, Day: 500_000})
		require.NoError(t, err)
		identity("now()")
		may, err := voucher.MaySendVoucher(t.Context(), p.db, r.ID)
		require.NoError(t, err)
		passes(!may)
		identity("now()")
		for _, reported := range []struct {
			txid, status string
			fee          int64
		}{{"a", execution.TransferBroadcast, 3000}, {"b", execution.TransferBroadcast, 2500}, {"b", execution.TransferConfirmed, 2800}} {
			_, err := voucher.RecordVoucherTransfer(t.Context(), p.db, r.ID, 1, execution.TransferReading{ID: "T" + r.ID, TxID: reported.txid + r.ID, Status: reported.status, Fee: money.FromInt(reported.fee), FeeCurrency: money.BTC}, time.Now())
			require.NoError(t, err)
		}
		require.NotNil(t, p.redemption(r.ID).ClosedAt)
		identity("NULL")
	}
	require.Equal(t, "-5600", p.owed(ledger.AccountNetworkFee, money.BTC))
	p.inOrder()
}

// buyOpen fills the purchase that is in progress, or the next one.
func (p *press) buyOpen(id string) {
	p.Helper()
	p.buy(id)
	require.Equal(p, voucher.RedemptionFilled, p.redemption(id).Status)
}

// A switch that is turned back resumes no redemption with a decision to give it up.
func TestASwitchTurnedBackLeavesAVoucherThatIsGivenUp(t *testing.T) {
	p := openPress(t)
	_, code, err := p.make("20", money.USD)
	require.NoError(t, err)
	r, err := p.redeem(code)
	require.NoError(t, err)
	turn := func(pause bool) {
		_, err := pricing.TurnSwitch(t.Context(), p.db, pricing.SwitchFulfilment, "", pause, store.Actor{ActorID: p.one, ActorRole: "admin", Reason: "a test"})
		require.NoError(t, err)
	}
	turn(true)
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
	require.Equal(t, casework.AttentionPaused, *p.redemption(r.ID).AttentionReason)
	decision, err := voucher.OpenVoucherDecision(t.Context(), p.db, r.ID, casework.NewCaseDecision{Kind: voucher.VoucherRestore, ActorID: p.other, ActorRole: "admin", Reason: "they ask"})
	require.NoError(t, err)
	turn(false)
	found, err := voucher.ResumedVouchers(t.Context(), p.db, 10)
	require.NoError(t, err)
	require.Empty(t, found)
	state, err := voucher.ReadVoucherState(t.Context(), p.db, r.ID)
	require.NoError(t, err)
	require.False(t, state.GoesOn)
	require.NoError(t, voucher.GoOnVoucher(t.Context(), p.db, r.ID))
	require.Equal(t, casework.AttentionPaused, *p.redemption(r.ID).AttentionReason)
	require.NoError(t, voucher.RestoreVoucher(t.Context(), p.db, r.ID, decision.ID))
	require.Equal(t, voucher.RedemptionRestored, p.redemption(r.ID).Status)
	p.inOrder()
}

// anything does one thing to a voucher, or to a redemption of the customer's,
// mostly what usually comes next.
func (p *press) anything(ctx context.Context, draw func(n int) int) error {
	if draw(5) == 0 {
		currency := []money.Currency{money.USD, money.BTC}[draw(2)]
		amount := map[money.Currency]string{money.USD: fmt.Sprint(20 + draw(280)), money.BTC: fmt.Sprintf("0.00%d", 1+draw(5))}[currency]
		_, _, err := p.make(amount, currency)
		return err
	}
	if draw(3) == 0 {
		return p.anyVoucher(ctx, draw)
	}
	mine, _, err := voucher.Redemptions(ctx, p.db, p.user, store.Page{Limit: 4})
	if err != nil || len(mine) == 0 {
		return err
	}
	r := mine[draw(len(mine))]
	what := map[voucher.RedemptionStatus]int{voucher.RedemptionAccepted: 0, voucher.RedemptionFulfilling: 1}[r.Status]
	switch {
	case draw(10) < 3:
		what = draw(5)
	case r.Waits():
		what = 3
	case r.Status == voucher.RedemptionFilled || r.Status == voucher.RedemptionSent:
		what = 2
	}
	switch what {
	case 0:
		return failure(voucher.ReserveVoucher(ctx, p.db, r.ID, 100))
	case 1:
		return p.anyFill(ctx, r.ID, draw)
	case 2:
		return p.anyTransfer(ctx, r.ID, draw)
	case 3:
		return p.decide(r.ID, []string{voucher.VoucherResume, voucher.VoucherRestore}[draw(2)])
	}
	return voucher.VoucherNeedsPerson(ctx, p.db, r.ID, casework.AttentionSendUnknown, "")
}

// anyVoucher redeems, approves or voids one of the newest vouchers, or its batch.
func (p *press) anyVoucher(ctx context.Context, draw func(n int) int) error {
	rows, _, err := voucher.Vouchers(ctx, p.db, voucher.VoucherFilter{}, store.Page{Limit: 6})
	if err != nil || len(rows) == 0 {
		return err
	}
	v := rows[draw(len(rows))].Voucher
	switch draw(7) {
	case 6:
		out, err := voucher.VoidBatch(ctx, p.db, v.BatchID, "because", money.FromInt(100_00), store.Actor{ActorID: p.other, ActorRole: "admin"})
		if err == nil && out.Asked {
			_, err = voucher.AgreeToVoid(ctx, p.db, v.BatchID, draw(2) == 0, store.Actor{ActorID: p.one, ActorRole: "admin"})
		}
		return err
	case 0:
		return voucher.VoidVoucher(ctx, p.db, v.ID, "because", plenty, store.Actor{ActorID: p.other, ActorRole: "admin"})
	case 1:
		_, err := voucher.ApproveVouchers(ctx, p.db, v.BatchID, store.Actor{ActorID: p.other, ActorRole: "admin"})
		return err
	}
	code, err := voucher.VoucherCode(p.keys, &v)
	if err != nil || code == "" {
		return err
	}
	_, err = p.redeem(code)
	return err
}

// anyFill has the exchange fill an order: all of it, a part, or nothing.
func (p *press) anyFill(ctx context.Context, id string, draw func(n int) int) error {
	job, err := voucher.StartVoucherBuy(ctx, p.db, id, 100, time.Minute)
	if err != nil || job.Done {
		return err
	}
	switch draw(5) {
	case 0:
		return voucher.RecordVoucherFill(ctx, p.db, id, job.Order.Generation, "", execution.Fill{})
	case 1:
		job.Order.Asked = money.FromInt(1 + int64(draw(50_000))).Min(job.Order.Asked)
	}
	cost := money.USD.FromDecimal(decimal.NewFromInt(50010).Mul(money.BTC.Decimal(job.Order.Asked)), money.Up)
	return voucher.RecordVoucherFill(ctx, p.db, id, job.Order.Generation, "K-"+job.Order.ClientID, execution.Fill{Filled: job.Order.Asked, Cost: cost, Fee: money.FromInt(11)})
}

// anyTransfer sends, or reports a state of what was sent.
func (p *press) anyTransfer(ctx context.Context, id string, draw func(n int) int) error {
	job, err := voucher.CurrentVoucherTransfer(ctx, p.db, id)
	if err == nil && job.Done {
		job, err = voucher.StartVoucherTransfer(ctx, p.db, id, execution.Caps{Order: 100_000, Day: 50_000_000})
	}
	if err != nil || job.Done {
		return err
	}
	now, err := p.db.Now(ctx)
	if err != nil {
		return err
	}
	w := job.Withdrawal
	lines := []string{execution.TransferConfirmed, execution.TransferBroadcast, execution.TransferBroadcast, execution.TransferFailed, execution.TransferRejected, execution.TransferAwaiting, execution.TransferRemoved}
	_, err = voucher.RecordVoucherTransfer(ctx, p.db, id, w.Generation, execution.TransferReading{ID: "T-" + w.ID, TxID: "tx-" + w.ID, Status: lines[draw(len(lines))],
		Fee: money.FromInt(int64(draw(3000))), FeeCurrency: money.BTC}, now)
	return err
}

// Whatever is done to vouchers and redemptions, in whatever order: refused or
// booked, what is owed is what can be redeemed, nothing is left in a redemption
// that is over, and no voucher pays twice.
func TestBar22AnySequenceOfVoucherStepsKeepsTheBooks(t *testing.T) {
	p := openPress(t)
	ends := func() bool {
		var kinds int
		require.NoError(t, p.db.Pool().QueryRow(t.Context(), `SELECT count(DISTINCT status) FROM voucher_redemptions WHERE status IN ('sent', 'restored')`).Scan(&kinds))
		return kinds == 2
	}
	checkUntil(t, ends, func(r *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "n") }
		for range rapid.IntRange(5, 30).Draw(r, "steps") {
			if err := p.anything(t.Context(), draw); err != nil {
				require.NotEmpty(r, store.ReasonOf(err), "only refusals of ours: %v", err)
			}
		}
		var wrong []string
		require.NoError(r, p.db.Pool().QueryRow(t.Context(), `SELECT coalesce(array_agg(w), '{}') FROM (`+wrongAtAMoment+`) x (w)`).Scan(&wrong))
		require.Empty(r, wrong)
	})
	p.inOrder()
}

func TestVouchersAreLimitedAndNeedASecondAdmin(t *testing.T) {
	p := openPress(t)
	_, _, err := p.make("2000.01", money.USD)
	require.Equal(t, "above_maximum", store.ReasonOf(err))
	_, _, err = p.make("0.05", money.BTC)
	require.Equal(t, "above_maximum", store.ReasonOf(err), "in dollars it is 2500")
	for range 2 {
		v, _, err := p.make("1200", money.USD)
		require.NoError(t, err)
		require.Equal(t, voucher.VoucherActive, v.Status)
	}
	v, code, err := p.make("200", money.USD)
	require.NoError(t, err)
	require.Equal(t, voucher.VoucherAwaiting, v.Status, "together that is more than one admin makes alone")
	_, err = p.redeem(code)
	require.Equal(t, "voucher_not_found", store.ReasonOf(err))
	_, err = voucher.ApproveVouchers(t.Context(), p.db, v.BatchID, store.Actor{ActorID: p.one, ActorRole: "admin"})
	require.Equal(t, "own_voucher", store.ReasonOf(err))
	var all sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		all.Go(func() {
			_, results[i] = voucher.ApproveVouchers(t.Context(), p.db, v.BatchID, store.Actor{ActorID: p.other, ActorRole: "admin"})
		})
	}
	all.Wait()
	approved := 0
	for _, err := range results {
		if err == nil {
			approved++
		}
	}
	require.Equal(t, 1, approved, "however many press")
	require.Equal(t, "260000", p.owed(ledger.AccountVouchers, money.USD))
	require.Error(t, voucher.VoidVoucher(t.Context(), p.db, v.ID, " ", plenty, store.Actor{ActorID: p.one, ActorRole: "admin"}))
	require.NoError(t, voucher.VoidVoucher(t.Context(), p.db, v.ID, "lost", plenty, store.Actor{ActorID: p.one, ActorRole: "admin"}))
	_, err = p.redeem(code)
	require.Equal(t, "voucher_not_found", store.ReasonOf(err))
	p.exec(`UPDATE vouchers SET expires_at = now() - interval '1 minute'`)
	require.NoError(t, voucher.ExpireVouchers(t.Context(), p.db, 10))
	require.Equal(t, "0", p.owed(ledger.AccountVouchers, money.USD))
	require.Equal(t, "0", p.owed(ledger.AccountPromotions, money.USD))
	p.inOrder()
}

// Bar 36: keys change while vouchers are out; codes still redeem, and the first key can be removed.
func TestBar36VouchersOutliveTheirKeys(t *testing.T) {
	p := openPress(t)
	_, code, err := p.make("50", money.USD)
	require.NoError(t, err)
	p.keys = cardKeys(t, 2, 1)
	found, err := voucher.FindVoucher(t.Context(), p.db, p.keys, p.user, code, voucherTerms)
	require.NoError(t, err)
	require.Equal(t, "5000", found.Worth.String())
	n, err := voucher.ResealVouchers(t.Context(), p.db, p.keys)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	p.keys = cardKeys(t, 2)
	_, err = p.redeem(code)
	require.NoError(t, err)
}
