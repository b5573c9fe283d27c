package models_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// batch makes vouchers together, and gives their codes.
func (p *press) batch(n int, amount int64) (id string, codes []string) {
	p.Helper()
	id = store.NewID()
	for range n {
		require.NoError(p, p.db.Tx(p.Context(), func(tx *store.DB) error {
			v, err := voucher.MakeVoucher(p.Context(), tx, p.keys, p.inBatch(id, amount))
			if err != nil {
				return err
			}
			code, err := voucher.VoucherCode(p.keys, v)
			codes = append(codes, code)
			return err
		}))
	}
	return id, codes
}

func (p *press) inBatch(id string, amount int64) voucher.NewVoucher {
	return voucher.NewVoucher{Actor: store.Actor{ActorID: p.one, ActorRole: "admin"}, BatchID: id, Amount: money.FromInt(amount * 100), Currency: money.USD,
		Limits: voucher.VoucherLimits{Value: money.FromInt(2000_00), Alone: money.FromInt(2500_00)}}
}

func (p *press) count(query string, args ...any) (n int) {
	p.Helper()
	require.NoError(p, p.db.Pool().QueryRow(p.Context(), query, args...).Scan(&n))
	return n
}

// A voucher that was being redeemed when its batch was voided ends void if its redemption is given up: its code may be
// the one that leaked.
func TestRestoredVoucherOfVoidedBatchIsVoid(t *testing.T) {
	p := openPress(t)
	one, alone := store.Actor{ActorID: p.one, ActorRole: "admin"}, money.FromInt(60_00)
	id, codes := p.batch(2, 40)
	r, err := p.redeem(codes[0])
	require.NoError(t, err)
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
	p.buy(r.ID)
	p.transfer(r.ID, execution.TransferBroadcast, execution.TransferFailed)
	_, err = voucher.VoidBatch(t.Context(), p.db, id, "leaked", alone, one)
	require.NoError(t, err)
	require.Equal(t, "voucher_state", store.ReasonOf(voucher.VoidVoucher(t.Context(), p.db, r.VoucherID, "leaked", alone, one)))

	require.NoError(t, p.decide(r.ID, voucher.VoucherRestore))
	require.Equal(t, voucher.RedemptionRestored, p.redemption(r.ID).Status)
	v, err := voucher.ReadVoucher(t.Context(), p.db, r.VoucherID)
	require.NoError(t, err)
	require.Equal(t, voucher.VoucherVoided, v.Status)
	require.Equal(t, "leaked", *v.EndReason)
	require.Equal(t, p.one, *v.EndedBy)
	require.Nil(t, v.SealedCode)
	require.Equal(t, "0", p.owed(ledger.AccountVouchers, money.USD))
	require.Equal(t, "0", p.owed(ledger.AccountPrepaid, money.USD))
	_, err = p.redeem(codes[0])
	require.Equal(t, "voucher_not_found", store.ReasonOf(err))
	require.Equal(t, 1, p.count(`SELECT count(*) FROM mails m JOIN matter_events e ON e.id = m.matter_event_id WHERE e.matter_id = $1 AND m.kind = 'voucher_voided'`, r.ID))
	require.Equal(t, 0, p.count(`SELECT count(*) FROM mails m JOIN matter_events e ON e.id = m.matter_event_id WHERE e.matter_id = $1 AND m.kind = 'voucher_restored'`, r.ID))
	p.inOrder()

	restored, codes := p.batch(1, 40) // as an earlier release left one
	p.exec(`UPDATE voucher_batches SET voided_by = $1, voided_at = clock_now(), void_reason = 'leaked' WHERE id = $2`, p.one, restored)
	_, err = voucher.FindVoucher(t.Context(), p.db, p.keys, p.user, codes[0], voucherTerms)
	require.Equal(t, "voucher_not_found", store.ReasonOf(err))
	_, err = p.redeem(codes[0])
	require.Equal(t, "voucher_not_found", store.ReasonOf(err))

	// It does not count as a void of whoever voided the batch: 40 and 20 dollars are their day.
	other, _, err := p.make("20", money.USD)
	require.NoError(t, err)
	require.NoError(t, voucher.VoidVoucher(t.Context(), p.db, other.ID, "lost", alone, one))
}

// A batch is voided as its vouchers would be one by one: redeemed ones still pay, the others are owed no more, and no
// more are made in it.
func TestABatchIsVoidedButForWhatWasRedeemed(t *testing.T) {
	p := openPress(t)
	one, alone := store.Actor{ActorID: p.one, ActorRole: "admin"}, money.FromInt(2500_00)
	id, codes := p.batch(5, 40)
	r, err := p.redeem(codes[0])
	require.NoError(t, err)
	_, err = voucher.VoidBatch(t.Context(), p.db, id, " ", alone, one)
	require.Equal(t, "required", store.ReasonOf(err))
	_, err = voucher.VoidBatch(t.Context(), p.db, store.NewID(), "leaked", alone, one)
	require.Equal(t, store.CodeNotFound, store.CodeOf(err))
	out, err := voucher.VoidBatch(t.Context(), p.db, id, "leaked", alone, one)
	require.NoError(t, err)
	require.Equal(t, voucher.VoidedBatch{Voided: 4, Left: 1, Value: money.FromInt(160_00)}, out)
	require.Equal(t, "0", p.owed(ledger.AccountVouchers, money.USD))
	require.Equal(t, 4, p.count(`SELECT count(*) FROM audit_log WHERE action = 'voucher.void'`))
	require.Equal(t, 1, p.count(`SELECT count(*) FROM audit_log WHERE action = 'voucher_batch.void' AND reason = 'leaked'`))
	for _, code := range codes[1:] {
		_, err := p.redeem(code)
		require.Equal(t, "voucher_not_found", store.ReasonOf(err))
	}
	_, err = voucher.VoidBatch(t.Context(), p.db, id, "again", alone, one)
	require.Equal(t, "batch_state", store.ReasonOf(err))
	require.Equal(t, "batch_voided", store.ReasonOf(p.db.Tx(t.Context(), func(tx *store.DB) error {
		_, err := voucher.MakeVoucher(t.Context(), tx, p.keys, p.inBatch(id, 40))
		return err
	})))
	require.Equal(t, voucher.RedemptionAccepted, p.redemption(r.ID).Status)

	batch, err := voucher.ReadStaffBatch(t.Context(), p.db, id)
	require.NoError(t, err)
	require.Equal(t, map[voucher.VoucherStatus]int{voucher.VoucherActive: 0, voucher.VoucherRedeemed: 1, voucher.VoucherVoided: 4}, batch.Counts.ByStatus)
	require.Equal(t, "16000", batch.Counts.Sums[voucher.VoucherVoided].String())
	foldAll(t, p.db)
	folded, err := voucher.ReadStaffBatch(t.Context(), p.db, id)
	require.NoError(t, err)
	require.Equal(t, batch, folded)
	p.inOrder()
}

// Above what one admin makes alone, another one agrees; what waits for approval
// is not owed and does not count.
func TestALargeBatchIsVoidedByTwo(t *testing.T) {
	p := openPress(t)
	one, other, alone := store.Actor{ActorID: p.one, ActorRole: "admin"}, store.Actor{ActorID: p.other, ActorRole: "admin"}, money.FromInt(100_00)
	id, _ := p.batch(3, 40)
	out, err := voucher.VoidBatch(t.Context(), p.db, id, "leaked", alone, one)
	require.NoError(t, err)
	require.True(t, out.Asked)
	require.Zero(t, out.Voided)
	_, err = voucher.VoidBatch(t.Context(), p.db, id, "leaked", alone, other)
	require.Equal(t, "batch_state", store.ReasonOf(err))
	_, err = voucher.AgreeToVoid(t.Context(), p.db, id, true, one)
	require.Equal(t, "own_batch", store.ReasonOf(err))
	require.Equal(t, "12000", p.owed(ledger.AccountVouchers, money.USD), "nothing happened yet")
	_, err = voucher.AgreeToVoid(t.Context(), p.db, id, false, one)
	require.NoError(t, err, "who asked may take it back")
	_, err = voucher.AgreeToVoid(t.Context(), p.db, id, true, other)
	require.Equal(t, "batch_state", store.ReasonOf(err))
	_, err = voucher.VoidBatch(t.Context(), p.db, id, "leaked indeed", alone, one)
	require.NoError(t, err)

	var all sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		all.Go(func() { _, results[i] = voucher.AgreeToVoid(t.Context(), p.db, id, true, other) })
	}
	all.Wait()
	agreed := 0
	for _, err := range results {
		if err == nil {
			agreed++
		}
	}
	require.Equal(t, 1, agreed, "however many press")
	require.Equal(t, "0", p.owed(ledger.AccountVouchers, money.USD))
	require.Equal(t, 1, p.count(`SELECT count(*) FROM voucher_batches WHERE voided_by = $1 AND void_reason = 'leaked indeed' AND asked_by IS NULL`, p.other))
	p.inOrder()
}

// While a batch is voided its vouchers are redeemed and more is made in it: each
// voucher ends in one way, and the books say which.
func TestABatchIsVoidedWhileItIsRedeemed(t *testing.T) {
	p := openPress(t)
	for range 5 {
		id, codes := p.batch(6, 10)
		var all sync.WaitGroup
		start, redeemed := make(chan struct{}), make([]error, len(codes))
		var out voucher.VoidedBatch
		var voided, made error
		for i, code := range codes {
			all.Go(func() {
				<-start
				_, redeemed[i] = p.redeem(code)
			})
		}
		all.Go(func() {
			<-start
			out, voided = voucher.VoidBatch(t.Context(), p.db, id, "leaked", money.FromInt(2500_00), store.Actor{ActorID: p.other, ActorRole: "admin"})
		})
		all.Go(func() {
			<-start
			made = p.db.Tx(t.Context(), func(tx *store.DB) error {
				_, err := voucher.MakeVoucher(t.Context(), tx, p.keys, p.inBatch(id, 10))
				return err
			})
		})
		close(start)
		all.Wait()
		if store.ReasonOf(voided) == "batch_state" { // everything was redeemed before
			voided = nil
		}
		require.NoError(t, voided)
		taken := 0
		for _, err := range redeemed {
			if err == nil {
				taken++
				continue
			}
			require.Equal(t, "voucher_not_found", store.ReasonOf(err), "%v", err)
		}
		require.Contains(t, []string{"", "batch_voided"}, store.ReasonOf(made), "%v", made)
		require.Equal(t, taken, p.count(`SELECT count(*) FROM vouchers WHERE batch_id = $1 AND status = 'redeemed'`, id))
		require.Equal(t, out.Voided, p.count(`SELECT count(*) FROM vouchers WHERE batch_id = $1 AND status = 'voided'`, id))
		if out.Voided > 0 {
			require.Zero(t, p.count(`SELECT count(*) FROM vouchers WHERE batch_id = $1 AND status = 'active'`, id), "nothing slips in")
		}
	}
	p.inOrder()
}

// A voucher is found by the last digits of its code, also an old one without stored digits, and by who redeemed it.
func TestVouchersAreFoundByWhatCustomersSay(t *testing.T) {
	p := openPress(t)
	id, codes := p.batch(2, 40)
	p.exec(`UPDATE vouchers SET last4 = NULL`)
	p.exec(`UPDATE users SET email = 'zoe.quill@example.com' WHERE id = $1`, p.user)
	find := func(typed string) []string {
		rows, _, err := voucher.Vouchers(t.Context(), p.db, voucher.VoucherFilter{Query: typed}, store.Page{Limit: 10})
		require.NoError(t, err)
		counts, err := voucher.CountVouchersFound(t.Context(), p.db, voucher.VoucherFilter{Query: typed})
		require.NoError(t, err)
		require.Equal(t, len(rows), counts.Total)
		ids := []string{}
		for i := range rows {
			ids = append(ids, rows[i].ID)
		}
		return ids
	}
	last := codes[1][len(codes[1])-4:]
	require.Empty(t, find(last))
	n, err := voucher.ResealVouchers(t.Context(), p.db, p.keys)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	r, err := p.redeem(codes[1])
	require.NoError(t, err)
	require.Contains(t, find(last), r.VoucherID)
	require.Equal(t, []string{r.VoucherID}, find("zoe.quill"))
	require.Equal(t, []string{r.VoucherID}, find(r.Reference))
	require.Len(t, find(id), 2)
	require.Empty(t, find("nobody"))
}

// One by one is no way around the second admin, nor are many small batches.
func TestVoidingOneByOneIsBoundAsABatchIs(t *testing.T) {
	p := openPress(t)
	alone, one := money.FromInt(250_00), store.Actor{ActorID: p.one, ActorRole: "admin"}
	var made []*voucher.Voucher
	for range 4 {
		v, _, err := p.make("100", money.USD)
		require.NoError(t, err)
		made = append(made, v)
	}
	require.NoError(t, voucher.VoidVoucher(t.Context(), p.db, made[0].ID, "lost", alone, one))
	out, err := voucher.VoidBatch(t.Context(), p.db, made[1].BatchID, "lost", alone, one)
	require.NoError(t, err)
	require.False(t, out.Asked)
	require.Equal(t, "second_person", store.ReasonOf(voucher.VoidVoucher(t.Context(), p.db, made[2].ID, "lost", alone, one)))
	out, err = voucher.VoidBatch(t.Context(), p.db, made[2].BatchID, "lost", alone, one)
	require.NoError(t, err)
	require.True(t, out.Asked, "a small batch beside the others waits as well")
	require.NoError(t, voucher.VoidVoucher(t.Context(), p.db, made[3].ID, "lost", alone, store.Actor{ActorID: p.other, ActorRole: "admin"}), "another admin has a day of their own")
	require.Equal(t, 3, count(p.shop, `SELECT count(*) FROM vouchers WHERE status = 'voided'`))
}

// Many small vouchers of one day do not bypass the verification that a large one requires.
func TestSmallVouchersOfADayAreBoundWithoutIdentity(t *testing.T) {
	p := openPress(t)
	p.exec(`UPDATE kyc_records SET revoked_at = clock_now() WHERE user_id = $1`, p.user)
	redeem := func(terms voucher.VoucherTerms) error {
		_, code, err := p.make("290", money.USD)
		require.NoError(t, err)
		found, err := voucher.FindVoucher(t.Context(), p.db, p.keys, p.user, code, terms)
		require.NoError(t, err)
		err = p.db.Tx(t.Context(), func(tx *store.DB) error {
			_, err := voucher.RedeemVoucher(t.Context(), tx, p.keys, voucher.NewRedemption{UserID: p.user, Code: code, Asset: money.BTC, Network: money.Bitcoin, Address: address, Terms: terms})
			return err
		})
		require.Equal(t, found.NeedsIdentity, err != nil, "the page says so before")
		return err
	}
	terms := voucherTerms
	terms.DayAbove = money.FromInt(700_00)
	require.NoError(t, redeem(terms))
	require.NoError(t, redeem(terms))
	err := redeem(terms)
	require.Equal(t, "kyc_required", store.ReasonOf(err))
	require.EqualError(t, err, "Please complete identity verification to redeem vouchers of more than $700.00 a day")
	p.exec(`UPDATE voucher_redemptions SET created_at = created_at - interval '1 day'`)
	require.NoError(t, redeem(terms), "another day")
	p.exec(`UPDATE kyc_records SET revoked_at = NULL WHERE user_id = $1`, p.user)
	for range 3 {
		require.NoError(t, redeem(terms), "verified, they may")
	}
	require.Equal(t, 2, count(p.shop, `SELECT count(*) FROM voucher_redemptions WHERE needs_identity`), "and must be when the coin is sent")
}
