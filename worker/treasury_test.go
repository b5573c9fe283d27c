package worker

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/workflows"
)

var bitcoins = treasury.Wallet{Asset: money.BTC, Network: "bitcoin"}

// vaultLimits fill the bitcoin wallet, whose float is 25, once it is below 26.
var vaultLimits = treasury.TreasuryLimits{bitcoins: {Low: money.FromInt(2_600_000_000), Target: money.FromInt(3_000_000_000)}}

// fillExchange books the coin that the simulated exchange opens with.
func (h *testCluster) fillExchange() {
	h.Helper()
	require.NoError(h, ledger.SeedFloat(h.Context(), h.db, "exchange", []ledger.Posting{{From: ledger.AccountEquity, To: ledger.AccountExchange, Currency: money.BTC, Amount: money.FromInt(10_000_000_000)}}))
}

// move is an approved move of 5 BTC; start is whether its workflow is signalled.
func (h *testCluster) move(start bool) *treasury.Move {
	h.Helper()
	m, err := treasury.ProposeMove(h.Context(), h.db, treasury.NewMove{Wallet: bitcoins, Amount: money.FromInt(500_000_000), Reason: "CANARY of a big week", ActorID: h.staff, ActorRole: "finance"}, vaultLimits)
	require.NoError(h, err)
	_, err = treasury.DecideMove(h.Context(), h.db, treasury.MoveDecision{ID: m.ID, Kind: treasury.MoveApprove, ActorID: h.customer, ActorRole: "admin"})
	require.NoError(h, err)
	if start {
		require.NoError(h, h.client.RunMove(h.Context(), m.ID, "approve"))
	}
	return m
}

func (h *testCluster) moveIs(id string, status treasury.MoveStatus) *treasury.Move {
	h.Helper()
	var m *treasury.Move
	h.until("the move to be "+string(status), func() bool {
		var err error
		m, err = treasury.ReadMove(h.Context(), h.db, id)
		require.NoError(h, err)
		return m.Status == status
	})
	return m
}

// atBitGo is what the simulated wallet holds, and atKraken what the simulated
// exchange does.
func (h *testCluster) atBitGo() (satoshi string) {
	h.Helper()
	var all map[string]map[string]string
	h.readControl("/control/bitgo/balances", &all)
	return all["btc"]["balance"]
}

func (h *testCluster) atKraken() string {
	h.Helper()
	var all map[string]map[string]string
	h.readControl("/control/kraken/balances", &all)
	return all["main"]["XXBT"]
}

func (h *testCluster) readControl(path string, out any) {
	h.Helper()
	response, err := http.Get(h.sandbox + path)
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	require.NoError(h, json.NewDecoder(response.Body).Decode(out))
}

// inBooks are the satoshi the ledger has at the exchange, on the way and in the
// wallet.
func (h *testCluster) inBooks() (all []string) {
	h.Helper()
	for _, account := range []string{ledger.AccountExchange, treasury.InTransitAccount("bitcoin"), ledger.WalletAccount("bitcoin")} {
		have, err := ledger.AccountBalance(h.Context(), h.db, account, money.BTC)
		require.NoError(h, err)
		all = append(all, have.String())
	}
	h.balanced()
	return all
}

// arrived is the end of every move of 5 BTC that went well, and went once.
func (h *testCluster) arrivedOnce(m *treasury.Move, record string) {
	h.Helper()
	h.moveIs(m.ID, treasury.MoveArrived)
	require.Equal(h, []string{"9500000000", "0", "2999998000"}, h.inBooks())
	require.Equal(h, "2999998000", h.atBitGo())
	require.Equal(h, "95", h.atKraken())
	require.Equal(h, 1, h.effects()["kraken/withdraw"])
	h.agrees()
	require.NoError(h, h.client.GetWorkflow(h.Context(), workflows.TreasuryMoveID(m.ID), "").Get(h.Context(), nil))
	for reader := h.client.GetWorkflowHistory(h.Context(), workflows.TreasuryMoveID(m.ID), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); reader.HasNext(); {
		event, err := reader.Next()
		require.NoError(h, err)
		require.NotContains(h, event.String(), "CANARY", "histories hold no reasons")
	}
	if record != "" {
		h.record(workflows.TreasuryMoveID(m.ID), record)
	}
}

// readTreasury runs what is scheduled, to its end.
func (h *testCluster) readTreasury(record string) {
	h.Helper()
	run, err := h.client.ExecuteWorkflow(h.Context(), client.StartWorkflowOptions{TaskQueue: workflows.CoreQueue}, workflows.TreasuryType)
	require.NoError(h, err)
	require.NoError(h, run.Get(h.Context(), nil))
	h.record(run.GetID(), record)
}

func TestTreasuryReadsProposesAndMoves(t *testing.T) {
	h := open(t)
	h.fillExchange()
	h.readTreasury("treasury-low")
	readings, err := treasury.TreasuryReadings(t.Context(), h.db)
	require.NoError(t, err)
	require.Len(t, readings, 12, "Stripe, five currencies at Kraken, six wallets")
	for _, r := range readings {
		if r.Currency == money.BTC {
			require.True(t, r.Difference().IsZero(), "%+v", r)
		}
	}
	rows, _, err := treasury.Moves(t.Context(), h.db, treasury.MoveFilter{}, store.Page{Limit: 5})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, "500000000", rows[0].Amount.String())
	h.sweep()
	require.Zero(t, h.effects()["kraken/withdraw"], "nothing moves before a person")
	_, err = treasury.DecideMove(t.Context(), h.db, treasury.MoveDecision{ID: rows[0].ID, Kind: treasury.MoveApprove, ActorID: h.staff, ActorRole: "finance"})
	require.NoError(t, err)
	h.record(h.sweep(), "sweep-treasury-move") // its workflow was not signalled
	h.arrivedOnce(&rows[0].Move, "treasury-move-arrived")
	h.readTreasury("treasury")
	readings, err = treasury.TreasuryReadings(t.Context(), h.db)
	require.NoError(t, err)
	for _, r := range readings {
		if r.Currency == money.BTC {
			require.True(t, r.Difference().IsZero(), "%+v", r)
		}
	}
}

// Whatever happens to the one send: coin leaves once, or not at all, and the books
// say what the providers do.
func TestBar28AWithdrawalIsMadeOnce(t *testing.T) {
	for fault, record := range map[string]string{"drop_after": "treasury-move-found", "429": "treasury-move-sent-again", "http:500_after": "", "decline_after:EService:Unavailable": "", "lag:1": ""} {
		t.Run(fault, func(t *testing.T) {
			h := open(t)
			h.fillExchange()
			h.arm("kraken", "Withdraw", fault)
			h.arrivedOnce(h.move(true), record)
		})
	}
}

// A worker that died between the send and its record leaves a send of unknown outcome: it
// is found, and not made again.
func TestBar25AWorkerDiesBetweenASendAndItsRecord(t *testing.T) {
	h := open(t)
	h.fillExchange()
	m := h.move(false)
	fee := money.FromInt(2_000)
	_, err := treasury.StartMove(t.Context(), h.db, m.ID, "vault", fee)
	require.NoError(t, err)
	dead := kraken.New(kraken.Config{URL: h.sandbox, Key: "key", Secret: krakenSecret, Lock: h.db.KeyLock("kraken")})
	_, err = dead.Withdraw(t.Context(), provider.WithdrawalInput{Asset: money.BTC, Key: "vault", Amount: m.Amount, MostFee: fee})
	require.NoError(t, err)
	require.NoError(t, h.client.RunMove(t.Context(), m.ID, "approve"))
	h.arrivedOnce(m, "treasury-move-after-death")
}

// A send that never happened, as far as anybody can see, is not made again by
// itself: a person says so, or gives it up.
func TestBar28AnUnknownWithdrawalIsAPersonsToDecide(t *testing.T) {
	h := open(t)
	h.fillExchange()
	h.arm("kraken", "Withdraw", "drop_before")
	m := h.move(true)
	h.moveIs(m.ID, treasury.MoveUnknown)
	require.Equal(t, []string{"9500000000", "500000000", "2500000000"}, h.inBooks(), "promised to nothing else meanwhile")
	require.NoError(t, h.client.TerminateWorkflow(context.WithoutCancel(t.Context()), workflows.TreasuryMoveID(m.ID), "", "the test"))
	h.exec(`UPDATE treasury_moves SET wake_at = clock_now() - interval '1 minute', updated_at = clock_now() - interval '1 minute' WHERE id = $1`, m.ID)
	h.sweep()
	resend := treasury.MoveDecision{ID: m.ID, Kind: treasury.MoveResend, ActorID: h.customer, ActorRole: "admin", Reason: "Kraken shows none"}
	_, err := treasury.DecideMove(t.Context(), h.db, resend)
	require.NoError(t, err)
	require.NoError(t, h.client.RunMove(t.Context(), m.ID, "resend"))
	h.arrivedOnce(m, "treasury-move-unknown")
}

// An amount in the wallet that differs from the one the exchange announced is left to
// staff, and ends once one of them accepts it.
func TestAnotherAmountInTheWalletIsAPersonsToDecide(t *testing.T) {
	h := open(t)
	h.fillExchange()
	h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "10m", "block": "10m"})
	m := h.move(true)
	h.until("the exchange to be done with it", func() bool { return h.moveIs(m.ID, treasury.MoveSent).SettledAt != nil })
	h.exec(`UPDATE treasury_moves SET fee = fee + 500 WHERE id = $1`, m.ID)
	h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"})
	h.moveIs(m.ID, treasury.MoveDiffers)
	require.Equal(t, []string{"9500000000", "500000000", "2500000000"}, h.inBooks(), "nothing is booked by itself")
	_, err := treasury.DecideMove(t.Context(), h.db, treasury.MoveDecision{ID: m.ID, Kind: treasury.MoveAccept, ActorID: h.customer, ActorRole: "admin", Reason: "BitGo has it"})
	require.NoError(t, err)
	require.NoError(t, h.client.RunMove(t.Context(), m.ID, "accept"))
	h.arrivedOnce(m, "treasury-move-differs")
}

// What the exchange refuses or gives back is at the exchange, in the books too.
func TestBar30WithdrawalsThatFail(t *testing.T) {
	for fault, problem := range map[string]string{"decline:EFunding:Max fee exceeded": "withdrawal_refused", "withdrawal_failed": "returned"} {
		t.Run(problem, func(t *testing.T) {
			h := open(t)
			h.fillExchange()
			h.arm("kraken", "Withdraw", fault)
			m := h.moveIs(h.move(true).ID, treasury.MoveFailed)
			require.Equal(t, problem, *m.Problem)
			require.Equal(t, []string{"10000000000", "0", "2500000000"}, h.inBooks())
			require.Equal(t, "100", h.atKraken())
			h.agrees()
			h.record(workflows.TreasuryMoveID(m.ID), "treasury-move-"+problem)
			require.NoError(t, h.client.GetWorkflow(t.Context(), workflows.TreasuryMoveID(m.ID), "").Get(t.Context(), nil))
		})
	}
}
