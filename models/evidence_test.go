package models_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// rejected is an order whose transfer custody rejected, so that staff send its coin by other means.
func (d *cashFixture) rejected() {
	d.Helper()
	d.pay()
	d.do("fulfill", "buy", "start transfer", "reject")
	require.Equal(d, order.StatusFailed, d.now().Status)
}

// One transfer sends one order: its transaction and custody's id are accepted as evidence once, however they are
// written, in each state of the order's own transfer.
func TestEvidenceOfTransferCountsOnce(t *testing.T) {
	d := openCashFixture(t)
	d.rejected()
	d.mark(order.SentEvidence{TxID: "0xAB01", TransferID: "custody-77"})
	first := d.now()
	require.Equal(t, "custody-77", *first.BitgoTransferID)
	require.Equal(t, "0xAB01", *first.TxID)

	d.exec(`INSERT INTO treasury_moves (id, reference, asset, network, amount, status, reason, txid) VALUES (gen_random_uuid(), 'TM-1', 'BTC', 'bitcoin', 1, 'proposed', 'x', '0xab02')`)
	made, redeemed := store.NewID(), store.NewID()
	d.exec(`INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by) VALUES ($1, 'VC-1', $1, 5000, 'USD', 5000, 'active', 'h', now(), $2)`, made, d.user)
	d.exec(`INSERT INTO voucher_redemptions (id, reference, voucher_id, user_id, status, value, currency, asset, network, dest_address, amount, unit_price, price_limit, base_price, needs_identity, txid)
		VALUES ($1, 'VR-1', $2, $3, 'filled', 5000, 'USD', 'BTC', 'bitcoin', 'x', 1, 1, 1, 1, false, '0xab08')`, redeemed, made, d.user)
	d.exec(`INSERT INTO withdrawals (id, redemption_id, user_id, generation, asset, network, address, amount, sequence_id, transfer_id, txid, status)
		VALUES ($1::uuid, $1, $2, 1, 'BTC', 'bitcoin', 'x', 1, 'vou-1-send-1', 'custody-80', '0xab09', 'failed')`, redeemed, d.user)
	used := []order.SentEvidence{{TxID: "AB02"}, {TxID: "AB08"}, {TxID: "AB09"}, {TxID: "0xab03", TransferID: "Custody-80"}}
	for _, transfer := range []string{"", "custody-78"} {
		used = append(used, order.SentEvidence{TxID: "ab01", TransferID: transfer}, order.SentEvidence{TxID: "0XaB01", TransferID: transfer})
	}
	for _, tx := range []string{"0xab03", "by another way"} {
		used = append(used, order.SentEvidence{TxID: tx, TransferID: "custody-77"}, order.SentEvidence{TxID: tx, TransferID: "CUSTODY-77"})
	}
	used = append(used, order.SentEvidence{TxID: "\u200eab\u200b01"}, order.SentEvidence{TxID: "０ｘＡＢ０１"},
		order.SentEvidence{TxID: "x", TransferID: "custody\u201177"})
	refused := func(state string) {
		t.Helper()
		for _, evidence := range used {
			_, err := d.decide(order.DecisionMarkSent, evidence)
			require.Equal(t, "transfer_other", store.ReasonOf(err), "%s: %v", state, evidence)
			_, err = order.Propose(t.Context(), d.db, order.NewProposal{OrderID: d.order.ID, Kind: order.DecisionMarkSent, Data: evidence, ActorID: d.staff, ActorRole: "admin", Reason: "seen"})
			require.Equal(t, "transfer_other", store.ReasonOf(err), "%s: %v", state, evidence)
		}
	}
	d.rejected()
	refused("rejected")
	decision, err := d.decide(order.DecisionMarkSent, order.SentEvidence{TxID: "0xab04", TransferID: "custody-79"})
	require.NoError(t, err)
	d.exec(`UPDATE decisions SET data = '{"txid": "0xab04", "transferId": "custody-77"}' WHERE id = $1`, decision)
	require.Equal(t, "transfer_other", store.ReasonOf(order.MarkSent(t.Context(), d.db, d.order.ID, decision)), "checked again as it is executed")
	require.NoError(t, order.RefuseDecision(t.Context(), d.db, decision, "refused"))

	d.removed()
	require.NoError(t, d.declares(execution.TransferRemoved))
	refused("dead")
	_, err = d.decide(order.DecisionMarkSent, order.SentEvidence{TxID: "tx-" + d.order.ID, TransferID: "custody-77"})
	require.Equal(t, "transfer_other", store.ReasonOf(err), "its own transaction under another order's id")
	d.mark(order.SentEvidence{TxID: strings.ToUpper("tx-" + d.order.ID)})
	require.Equal(t, execution.TransferConfirmed, d.transfer().Status, "the dead transfer, as another explorer writes it")
	d.balanced()
}

// A transfer that custody's statement shows for another order is no evidence, although we never learned its id.
func TestEvidenceOfAnotherOrdersTransfer(t *testing.T) {
	d := openCashFixture(t)
	d.pay()
	d.do("fulfill", "buy", "start transfer")
	other := d.order.ID
	d.exec(`INSERT INTO statement_lines (holder, id, currency, amount, kind, key, at, state, settled, txid)
		VALUES ('bitgo', 'custody-5', 'BTC', -1, 'send', $1, clock_now(), 'confirmed', true, '0xab05')`, "transfer:ord-"+other+"-send-1")
	d.rejected()
	for _, evidence := range []order.SentEvidence{{TxID: "AB05"}, {TxID: "0xab06", TransferID: "custody-5"}} {
		_, err := d.decide(order.DecisionMarkSent, evidence)
		require.Equal(t, "transfer_other", store.ReasonOf(err), "%v", evidence)
	}
	d.balanced()
}

// A dead transfer that confirms is booked once although its order was marked as sent by the same transaction, written
// in another way.
func TestMarkedTransactionIsTheSameInAnyForm(t *testing.T) {
	d := openCashFixture(t)
	d.removed()
	require.NoError(t, d.declares(execution.TransferRemoved))
	d.mark(order.SentEvidence{TxID: "0xAB07"})
	w := d.transfer()
	require.NoError(t, d.confirmedLate(&w, "ab07"))
	require.NoError(t, correction.BookRevived(t.Context(), d.db))
	require.Equal(t, execution.TransferConfirmed, d.transfer().Status)
	require.Equal(t, "0", d.coinOf(ledger.AccountLosses, money.BTC))
	d.balanced()
}
