package worker

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/temporalproto"

	"github.com/tradepost/tradepost/internal/mailtemplate"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

func voucherKeys(t require.TestingT) *secret.Keys {
	keys, err := secret.NewKeys(bytes.Repeat([]byte{9, 1}, secret.KeySize/2))
	require.NoError(t, err)
	return keys
}

// redeem makes a voucher and redeems it; start says whether the workflow is
// started with it. It gives the code too, which must turn up nowhere.
func (h *testCluster) redeem(amount string, currency money.Currency, start bool) (*voucher.Redemption, string) {
	h.Helper()
	units, err := currency.Parse(amount)
	require.NoError(h, err)
	keys, terms := voucherKeys(h), voucher.VoucherTerms{MarginPercent: decimal.New(25, -1), IdentityAbove: money.FromInt(300_00)}
	var row *voucher.Redemption
	var code string
	h.until("a price", func() bool {
		err = h.db.Tx(h.Context(), func(tx *store.DB) error {
			v, err := voucher.MakeVoucher(h.Context(), tx, keys, voucher.NewVoucher{Actor: store.Actor{ActorID: h.staff, ActorRole: "admin"}, Amount: units, Currency: currency,
				Limits: voucher.VoucherLimits{Value: money.FromInt(2000_00), Alone: money.FromInt(1_000_000_00)}})
			if err != nil {
				return err
			}
			if code, err = voucher.VoucherCode(keys, v); err != nil {
				return err
			}
			row, err = voucher.RedeemVoucher(h.Context(), tx, keys, voucher.NewRedemption{UserID: h.customer, Code: code, Asset: money.BTC,
				Network: money.Bitcoin, Address: h.unusedAddress(), Terms: terms})
			return err
		})
		return err == nil
	})
	if start {
		require.NoError(h, h.client.StartCase(h.Context(), voucher.KindVoucher, row.ID))
	}
	return row, code
}

func (h *testCluster) redemption(id, what string, is func(r *voucher.Redemption) bool) (row *voucher.Redemption) {
	h.Helper()
	h.until("redemption "+what, func() bool {
		var err error
		row, err = voucher.ReadRedemption(h.Context(), h.db, id)
		require.NoError(h, err)
		return is(row)
	})
	return row
}

func (h *testCluster) paidOut(id string) *voucher.Redemption {
	h.Helper()
	return h.redemption(id, "sent and confirmed", func(r *voucher.Redemption) bool { return r.ConfirmedAt != nil })
}

func (h *testCluster) waits(id string) *voucher.Redemption {
	h.Helper()
	return h.redemption(id, "waiting for a person", func(r *voucher.Redemption) bool { return r.Waits() })
}

func (h *testCluster) openVoucher(id, kind string) *casework.CaseDecision {
	h.Helper()
	decision, err := voucher.OpenVoucherDecision(h.Context(), h.db, id, casework.NewCaseDecision{Kind: kind, ActorID: h.staff, ActorRole: "admin", Reason: "because"})
	require.NoError(h, err)
	return decision
}

func (h *testCluster) decideVoucher(id, kind string) workflows.Outcome {
	h.Helper()
	outcome, decided, err := h.client.DecideCase(h.Context(), voucher.KindVoucher, id, kind, h.openVoucher(id, kind).ID, 40*time.Second)
	require.NoError(h, err)
	require.True(h, decided)
	return outcome
}

// voucherEnded waits for the workflow's end and checks that its history contains nothing
// that names a person or the voucher.
func (h *testCluster) voucherEnded(row *voucher.Redemption, code string) {
	h.Helper()
	id := workflows.CaseID(voucher.KindVoucher, row.ID)
	require.NoError(h, h.client.GetWorkflow(h.Context(), id, "").Get(h.Context(), nil))
	reader := h.client.GetWorkflowHistory(h.Context(), id, "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for reader.HasNext() {
		event, err := reader.Next()
		require.NoError(h, err)
		raw, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(event)
		require.NoError(h, err)
		for _, secret := range []string{code, strings.ReplaceAll(code, "-", ""), row.DestAddress, "@example.com", "because"} {
			require.NotContains(h, string(raw), secret)
		}
	}
}

// voucherEffects counts what really happened at the providers for one redemption.
func (h *testCluster) voucherEffects(id string) map[string]int {
	h.Helper()
	rows, err := h.db.Pool().Query(h.Context(), `SELECT client_id::text FROM exchange_orders WHERE redemption_id = $1
		UNION SELECT sequence_id FROM withdrawals WHERE redemption_id = $1`, id)
	require.NoError(h, err)
	var ours []string
	for rows.Next() {
		var subject string
		require.NoError(h, rows.Scan(&subject))
		ours = append(ours, subject)
	}
	require.NoError(h, rows.Err())
	counts := map[string]int{}
	for _, e := range h.effectList() {
		if slices.Contains(ours, e.Subject) {
			counts[e.Provider+"/"+e.Operation] += e.Count
		}
	}
	return counts
}

var oneVoucher = map[string]int{"kraken/fill": 1, "bitgo/send": 1}

func TestVoucherIsBoughtSentAndConfirmed(t *testing.T) {
	h := open(t)
	row, code := h.redeem("100", money.USD, true)
	done := h.paidOut(row.ID)
	require.NotEmpty(t, *done.TxID)
	require.Zero(t, done.RetryCount)
	require.Equal(t, oneVoucher, h.voucherEffects(row.ID))
	h.voucherEnded(row, code)
	h.record(workflows.CaseID(voucher.KindVoucher, row.ID), "voucher")
	coin, _ := h.redeem("0.002", money.BTC, true)
	require.Equal(t, "200000", h.paidOut(coin.ID).Amount.String())
	h.books()
}

// Every fault at every call of a redemption that moves money: one effect at the end,
// whether or not staff had to decide.
func TestBar28EveryFaultAtEveryCallOfAVoucher(t *testing.T) {
	h := open(t)
	for _, call := range moneyCalls {
		if call.provider == "stripe" {
			continue
		}
		for _, code := range call.cells() {
			t.Run(fmt.Sprintf("%s %s %s", call.provider, call.operation, code), func(t *testing.T) {
				t.Parallel()
				cell := *h
				cell.T = t
				cell.voucherSurvives(call, code)
			})
		}
	}
}

func (h *testCluster) voucherSurvives(call moneyCall, code string) {
	h.Helper()
	row, secret := h.redeem(h.uniqueDollars(), money.USD, false)
	subject := map[string]string{"kraken": row.Asset.Format(row.Amount), "bitgo": row.DestAddress}[call.provider]
	aim := func(operation, code string) {
		h.control("/control/faults", map[string]any{"provider": call.provider, "operation": operation, "match": subject, "code": code, "count": 1})
	}
	if code == "lag" {
		aim(call.operation, "drop_after")
	}
	aim(call.operation, map[bool]string{true: "lag:1", false: code}[code == "lag"])
	require.NoError(h, h.client.StartCase(h.Context(), voucher.KindVoucher, row.ID))
	parked := 0
	for range 6 {
		now := h.redemption(row.ID, "ended or waiting", func(r *voucher.Redemption) bool { return r.ClosedAt != nil || r.AttentionReason != nil })
		if now.ClosedAt != nil {
			break
		}
		if parked++; *now.AttentionReason == casework.AttentionApproval {
			h.approveVoucher(row.ID)
			continue
		}
		if !now.Waits() { // it resolves itself
			h.redemption(row.ID, "right by itself", func(r *voucher.Redemption) bool { return r.AttentionReason == nil })
			continue
		}
		require.Equal(h, workflows.Done, h.decideVoucher(row.ID, voucher.VoucherResume).Code)
	}
	h.paidOut(row.ID)
	if slices.Contains(call.refusals, code) {
		require.NotZero(h, parked, "a refusal is told, not swallowed")
	}
	want := map[string]int{"kraken/fill": 1, "bitgo/send": 1}
	if strings.HasPrefix(code, "part_fill") {
		want["kraken/fill"] = 2
	}
	require.Equal(h, want, h.voucherEffects(row.ID))
	h.voucherEnded(row, secret)
	h.books()
	if slices.Index(call.refusals, code) == 0 {
		h.record(workflows.CaseID(voucher.KindVoucher, row.ID), "voucher-refused-"+call.provider)
	}
}

func (h *testCluster) approveVoucher(id string) {
	h.Helper()
	var approval string
	h.until("an approval", func() bool {
		return h.db.Pool().QueryRow(h.Context(), `SELECT approval_id FROM withdrawals WHERE redemption_id = $1 AND approval_id IS NOT NULL`, id).Scan(&approval) == nil
	})
	h.control("/control/bitgo/approvals/"+approval, map[string]string{"state": "approved"})
	h.redemption(id, "approved", func(r *voucher.Redemption) bool { return r.AttentionReason == nil })
}

// BitGo's webhooks about vouchers, lost, late, repeated or malformed: the poll catches up,
// duplicates count once, and none stays open.
func TestBar29VoucherWebhooksInEveryDisrepair(t *testing.T) {
	h := open(t)
	// The transfers change after they are known, so that there is a change to report.
	h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "200ms", "confirmed": "200ms", "block": "100ms"})
	for _, code := range []string{"dup_hook", "late_hook:2", "reorder_hook", "lost_hook", "bad_sig_hook"} {
		h.control("/control/faults/clear", map[string]any{})
		h.control("/control/faults", map[string]any{"provider": "bitgo", "operation": "webhook", "code": code, "count": -1})
		row, secret := h.redeem(h.uniqueDollars(), money.USD, true)
		h.paidOut(row.ID)
		require.Equal(t, 1, h.voucherEffects(row.ID)["bitgo/send"], code)
		h.voucherEnded(row, secret)
		h.record(workflows.CaseID(voucher.KindVoucher, row.ID), "voucher-followed")
	}
	h.until("every webhook to be answered for", func() bool {
		h.sweep()
		var open int
		err := h.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM webhook_inbox WHERE handled_at IS NULL AND redemption_id IS NOT NULL").Scan(&open)
		return err == nil && open == 0
	})
	var received int
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM webhook_inbox WHERE redemption_id IS NOT NULL").Scan(&received))
	require.NotZero(t, received)
	h.books()
}

// A transfer that dies waits for a person, and the voucher can be restored and redeemed
// again: paid once in all.
func TestVoucherWhoseTransfersFailIsRestored(t *testing.T) {
	h := open(t)
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'test')`, h.staff)
	row, code := h.redeem("120", money.USD, false)
	h.control("/control/faults", map[string]any{"provider": "bitgo", "operation": "sendcoins", "match": row.DestAddress, "code": "failed", "count": 1})
	require.NoError(t, h.client.StartCase(t.Context(), voucher.KindVoucher, row.ID))
	waiting := h.waits(row.ID)
	require.Equal(t, voucher.AttentionDied, *waiting.AttentionReason)
	require.Equal(t, workflows.Done, h.decideVoucher(row.ID, voucher.VoucherRestore).Code)
	h.voucherEnded(row, code)
	h.record(workflows.CaseID(voucher.KindVoucher, row.ID), "voucher-restored")
	var again *voucher.Redemption
	require.NoError(t, h.db.Tx(t.Context(), func(tx *store.DB) (err error) {
		again, err = voucher.RedeemVoucher(t.Context(), tx, voucherKeys(t), voucher.NewRedemption{UserID: h.customer, Code: code, Asset: money.BTC,
			Network: money.Bitcoin, Address: h.unusedAddress(), Terms: voucher.VoucherTerms{IdentityAbove: money.FromInt(300_00)}})
		return err
	}))
	h.sweep() // starts what was not started
	h.paidOut(again.ID)
	require.Equal(t, map[string]int{"bitgo/send": 1}, onlySends(h.voucherEffects(again.ID)))
	h.books()

	h.deliverMails()
	kinds := mailtemplate.Kinds("en")
	for _, m := range voucher.VoucherRules.Mailings {
		require.Contains(t, kinds, m.Kind, "a mail without a letter")
		var sent int
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM mails WHERE kind = $1 AND sent_at IS NOT NULL`, m.Kind).Scan(&sent))
		want := 1
		switch m.Kind {
		case "voucher_redeemed":
			want = 2 // redeemed again after it was restored
		case "voucher_voided":
			want = 0 // its batch was not voided
		}
		require.Equal(t, want, sent, m.Kind)
	}
	for _, to := range []string{"customer@example.com", "staff@example.com"} {
		for _, mail := range h.mails(to) {
			for _, secret := range []string{code, strings.ReplaceAll(code, "-", ""), row.DestAddress} {
				require.NotContains(t, mail.Text+mail.HTML+mail.Subject, secret)
			}
		}
	}
}

func onlySends(counts map[string]int) map[string]int {
	delete(counts, "kraken/fill") // the rest of what was bought before is used first
	return counts
}

// No workflow was started or signalled, and Temporal lost its data: the sweep starts it
// from its row and delivers the decision.
func TestBar26SweepStartsVouchersAndDeliversTheirDecisions(t *testing.T) {
	h := open(t)
	row, _ := h.redeem("50", money.USD, false)
	h.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, h.customer)
	h.sweep()
	require.Equal(t, casework.AttentionFrozen, *h.waits(row.ID).AttentionReason)
	h.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, h.customer)
	require.NoError(t, h.client.TerminateWorkflow(t.Context(), workflows.CaseID(voucher.KindVoucher, row.ID), "", "the test"))
	h.openVoucher(row.ID, voucher.VoucherResume)
	h.until("the decision to be delivered", func() bool {
		h.sweep()
		now, err := voucher.ReadRedemption(t.Context(), h.db, row.ID)
		require.NoError(t, err)
		return now.AttentionReason == nil
	})
	h.paidOut(row.ID)
	require.Equal(t, oneVoucher, h.voucherEffects(row.ID))
	h.books()
}

// What changed between the decision and its delivery counts: it is refused with the reason,
// and the redemption continues from its row.
func TestVoucherDecisionThatComesTooLateIsRefused(t *testing.T) {
	h := open(t)
	row, code := h.redeem("50", money.USD, false)
	h.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, h.customer)
	require.NoError(t, h.client.StartCase(t.Context(), voucher.KindVoucher, row.ID))
	h.waits(row.ID)
	decision := h.openVoucher(row.ID, voucher.VoucherRestore)
	h.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, h.customer)
	h.exec(`UPDATE voucher_redemptions SET attention_reason = NULL WHERE id = $1`, row.ID)
	outcome, decided, err := h.client.DecideCase(t.Context(), voucher.KindVoucher, row.ID, voucher.VoucherRestore, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.Equal(t, "redemption_state", outcome.Code)
	h.paidOut(row.ID)
	h.voucherEnded(row, code)
	h.books()
	h.record(workflows.CaseID(voucher.KindVoucher, row.ID), "voucher-refused-decision")
}

// Two people declare the removed transfer of a redemption dead. When it confirms
// nonetheless it pays the voucher, or is a loss once that was restored.
func TestVoucherTransferThatTwoPeopleDeclareDead(t *testing.T) {
	for _, restored := range []bool{false, true} {
		t.Run(map[bool]string{true: "restored", false: "waiting"}[restored], func(t *testing.T) {
			h := open(t)
			h.arm("bitgo", "sendcoins", "removed:final")
			row, _ := h.redeem("100", money.USD, true)
			h.redemption(row.ID, "of a removed transfer", func(r *voucher.Redemption) bool { return text(r.AttentionReason) == casework.AttentionTransfer })
			act := &correction.VoucherTransfer{RedemptionID: row.ID, Seen: spentOtherwise.Seen, Said: "they ask for it"}
			proposal, err := correction.ProposeMoney(t.Context(), h.db, act, "", store.Actor{ActorID: h.cashier, ActorRole: "admin", Reason: act.Said})
			require.NoError(t, err)
			done, err := correction.ApproveMoney(t.Context(), h.db, proposal.ID, store.Actor{ActorID: h.staff, ActorRole: "admin"})
			require.NoError(t, err)
			outcome, decided, err := h.client.DecideCase(t.Context(), voucher.KindVoucher, row.ID, voucher.VoucherTransferDead, done.Matter.ID, 40*time.Second)
			require.NoError(t, err)
			require.True(t, decided && outcome.OK(), "%+v", outcome)
			require.Equal(t, voucher.AttentionDied, *h.waits(row.ID).AttentionReason)
			if restored {
				require.Equal(t, workflows.Done, h.decideVoucher(row.ID, voucher.VoucherRestore).Code)
			}
			record, err := voucher.ReadVoucherRecord(t.Context(), h.db, row.ID)
			require.NoError(t, err)
			h.control("/control/bitgo/transfers/"+*record.Transfers[0].TransferID, map[string]string{"state": "confirmed"})
			h.books()
			h.books()
			h.sweep()
			require.NoError(t, h.client.GetWorkflow(t.Context(), workflows.CaseID(voucher.KindVoucher, row.ID), "").Get(t.Context(), nil), "nobody waits any more")
			lost, err := ledger.AccountBalance(t.Context(), h.db, ledger.AccountLosses, row.Asset)
			require.NoError(t, err)
			if restored {
				require.Equal(t, row.Amount, lost)
			} else {
				require.True(t, lost.IsZero())
				h.paidOut(row.ID)
			}
			require.Equal(t, 1, h.voucherEffects(row.ID)["bitgo/send"])
			h.record(workflows.CaseID(voucher.KindVoucher, row.ID), map[bool]string{true: "voucher-transfer-dead-restored", false: "voucher-transfer-dead"}[restored])
		})
	}
}
