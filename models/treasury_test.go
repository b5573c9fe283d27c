package models_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

var bitcoins = treasury.Wallet{Asset: money.BTC, Network: "bitcoin"}

// bitcoinLow fills the wallet up to 15 BTC once it is below 12; the office's float
// is 10.
var bitcoinLow = treasury.TreasuryLimits{bitcoins: {Low: money.FromInt(1_200_000_000), Target: money.FromInt(1_500_000_000)}}

// vault is an office with 20 BTC at the exchange.
type vault struct{ *office }

func openVault(t *testing.T) *vault {
	v := &vault{openOffice(t)}
	require.NoError(t, ledger.SeedFloat(t.Context(), v.db, "vault", []ledger.Posting{{From: ledger.AccountEquity, To: ledger.AccountExchange, Currency: money.BTC, Amount: money.FromInt(2_000_000_000)}}))
	return v
}

// proposed is a move that the first person proposes.
func (v *vault) proposed(satoshi int64) (*treasury.Move, error) {
	return treasury.ProposeMove(v.Context(), v.db, treasury.NewMove{Wallet: bitcoins, Amount: money.FromInt(satoshi), Reason: "a big week", ActorID: v.staff, ActorRole: "finance"}, bitcoinLow)
}

func (v *vault) decides(m *treasury.Move, kind, who string) error {
	_, err := treasury.DecideMove(v.Context(), v.db, treasury.MoveDecision{ID: m.ID, Kind: kind, ActorID: who, ActorRole: "admin", Reason: "as I saw", Reference: "FTQcuak-adopted"})
	return err
}

// approved is a move that may be sent.
func (v *vault) approved(satoshi int64) *treasury.Move {
	v.Helper()
	m, err := v.proposed(satoshi)
	require.NoError(v, err)
	require.NoError(v, v.decides(m, treasury.MoveApprove, v.second))
	return m
}

func (v *vault) start(m *treasury.Move) treasury.MoveJob {
	v.Helper()
	job, err := treasury.StartMove(v.Context(), v.db, m.ID, "key", money.FromInt(2_000))
	require.NoError(v, err)
	return job
}

func (v *vault) expectState(m *treasury.Move, status treasury.MoveStatus) *treasury.Move {
	v.Helper()
	now, err := treasury.ReadMove(v.Context(), v.db, m.ID)
	require.NoError(v, err)
	require.Equal(v, status, now.Status)
	return now
}

// holds are the satoshi of the exchange, on the way, and of the wallet.
func (v *vault) holds(exchange, transit, wallet int64) {
	v.Helper()
	for account, want := range map[string]int64{ledger.AccountExchange: exchange, treasury.InTransitAccount("bitcoin"): transit, ledger.WalletAccount("bitcoin"): wallet} {
		have, err := ledger.AccountBalance(v.Context(), v.db, account, money.BTC)
		require.NoError(v, err)
		require.Equal(v, money.FromInt(want).String(), have.String(), account)
	}
	v.balanced()
}

// Every reading is kept with what the books said then: of each step the last is
// shown, a step without one is left out, and what is too old is forgotten.
func TestReadingsAreKeptAsTheyWere(t *testing.T) {
	v := openVault(t)
	read := func(satoshi int64) {
		require.NoError(t, treasury.StoreReadings(t.Context(), v.db, ledger.AccountExchange, []treasury.Held{{Currency: money.BTC, Total: money.FromInt(satoshi), Free: money.FromInt(satoshi)}}))
	}
	history := func(span string) (lines []string) {
		rows, err := treasury.TreasuryHistory(t.Context(), v.db, treasury.TreasurySpans[span])
		require.NoError(t, err)
		for _, r := range rows {
			require.Equal(t, ledger.AccountExchange, r.Account)
			lines = append(lines, r.Held.String()+" of "+r.Expected.String())
		}
		return lines
	}
	read(2_000_000_000)
	v.ahead("3 hours")
	_ = v.start(v.approved(500_000_000))
	read(1_900_000_000)
	read(1_500_000_000)
	require.Equal(t, []string{"2000000000 of 2000000000", "1500000000 of 1500000000"}, history("day"))
	v.ahead("2 days")
	require.Empty(t, history("day"))
	read(1_400_000_000)
	require.Equal(t, []string{"1400000000 of 1500000000"}, history("day"))
	require.Len(t, history("week"), 3)
	require.NoError(t, treasury.ForgetReadings(t.Context(), v.db, 24*time.Hour))
	require.Equal(t, []string{"1400000000 of 1500000000"}, history("month"))
	now, err := treasury.TreasuryReadings(t.Context(), v.db)
	require.NoError(t, err)
	require.Len(t, now, 1)
}

// Nothing moves before a second person, and each decision is in the audit log of
// its own transaction.
func TestBar05AMoveTakesTwoPeople(t *testing.T) {
	v := openVault(t)
	m, err := v.proposed(500_000_000)
	require.NoError(t, err)
	for _, kind := range []string{treasury.MoveApprove, treasury.MoveReject, treasury.MoveAdopt} {
		require.Error(t, v.decides(m, kind, v.staff), "%s by who proposed it", kind)
	}
	require.Equal(t, "own_proposal", store.ReasonOf(v.decides(m, treasury.MoveApprove, v.staff)))
	require.Equal(t, "not_yours", store.ReasonOf(v.decides(m, treasury.MoveWithdraw, v.second)))
	require.True(t, v.start(m).Done, "a proposal is not sent")
	v.holds(2_000_000_000, 0, 1_000_000_000)
	_, err = v.proposed(1)
	require.Equal(t, "move_open", store.ReasonOf(err), "one at a time")
	require.NoError(t, v.decides(m, treasury.MoveApprove, v.second))
	require.Equal(t, "move_decided", store.ReasonOf(v.decides(m, treasury.MoveReject, v.third)))
	require.ErrorContains(t, v.decides(m, treasury.MoveReject, v.third), "second@example.com has already approved this")
	require.Equal(t, 1, v.count(`SELECT count(*) FROM audit_log WHERE action = 'treasury_move.propose' AND actor_id = $1`, v.staff))
	require.Equal(t, 1, v.count(`SELECT count(*) FROM audit_log WHERE action = 'treasury_move.approve' AND actor_id = $1`, v.second))
	require.Zero(t, v.count(`SELECT count(*) FROM audit_log WHERE action = 'treasury_move.reject'`))

	_, err = v.db.Pool().Exec(t.Context(), `UPDATE treasury_moves SET decided_by = proposed_by WHERE id = $1`, m.ID)
	require.ErrorContains(t, err, "check constraint", "also where the program is wrong")
}

func TestMovesThatCannotBeAreRefused(t *testing.T) {
	v := openVault(t)
	for reason, in := range map[string]treasury.NewMove{
		"exchange_short": {Wallet: bitcoins, Amount: money.FromInt(2_000_000_001), Reason: "x"},
		"not_positive":   {Wallet: bitcoins, Reason: "x"},
		"required":       {Wallet: bitcoins, Amount: money.FromInt(1), Reason: "  "},
		"no_route":       {Wallet: treasury.Wallet{Asset: money.USDT, Network: "tron"}, Amount: money.FromInt(1), Reason: "x"},
	} {
		in.ActorID = v.staff
		_, err := treasury.ProposeMove(t.Context(), v.db, in, bitcoinLow)
		require.Equal(t, reason, store.ReasonOf(err))
		require.Equal(t, store.CodeInvalid, store.CodeOf(err))
	}
	require.Zero(t, v.count(`SELECT count(*) FROM treasury_moves`))
}

// However many approve, propose or begin to send at the same moment: one does.
func TestBar18OneOfManyDecidesAndOneSends(t *testing.T) {
	v := openVault(t)
	many := func(do func() bool) (n int) {
		var all sync.WaitGroup
		var mu sync.Mutex
		for range 8 {
			all.Go(func() {
				if do() {
					mu.Lock()
					n++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		return n
	}
	require.Equal(t, 1, many(func() bool { _, err := v.proposed(100); return err == nil }))
	var m treasury.Move
	require.NoError(t, v.db.Pool().QueryRow(t.Context(), `SELECT id FROM treasury_moves`).Scan(&m.ID))
	require.Equal(t, 1, many(func() bool { return v.decides(&m, treasury.MoveApprove, v.second) == nil }))
	require.Equal(t, 1, v.count(`SELECT count(*) FROM audit_log WHERE action = 'treasury_move.approve'`))
	require.Equal(t, 1, many(func() bool {
		job, err := treasury.StartMove(t.Context(), v.db, m.ID, "key", money.FromInt(1))
		return err == nil && job.Send
	}), "one has the send")
	v.holds(1_999_999_900, 100, 1_000_000_000)
}

// A move's coin is in exactly one place at every step, however often a step is
// repeated, and what was spent on the way is a fee.
func TestBar20AMoveBooksEachStepOnce(t *testing.T) {
	v := openVault(t)
	m := v.approved(500_000_000)
	require.True(t, v.start(m).Send)
	require.False(t, v.start(m).Send, "its outcome is open")
	v.holds(1_500_000_000, 500_000_000, 1_000_000_000)
	for range 2 {
		require.NoError(t, treasury.MarkMoveSent(t.Context(), v.db, m.ID, "FT1", false))
	}
	reading := treasury.WithdrawalReading{Amount: money.FromInt(500_000_000), Fee: money.FromInt(2_000), TxID: "aa"}
	news, err := treasury.RecordMove(t.Context(), v.db, m.ID, reading)
	require.NoError(t, err)
	require.False(t, news, "settled is not final")
	reading.Done = true
	for range 2 {
		news, err = treasury.RecordMove(t.Context(), v.db, m.ID, reading)
		require.NoError(t, err)
		require.True(t, news)
	}
	require.NoError(t, treasury.MarkMoveArrived(t.Context(), v.db, m.ID, "r1", money.FromInt(499_998_001)))
	require.Equal(t, "499998001", v.expectState(m, treasury.MoveDiffers).Differing.String(), "not what the exchange said it sends")
	v.holds(1_500_000_000, 500_000_000, 1_000_000_000)
	require.NoError(t, v.decides(m, treasury.MoveRecheck, v.second))
	for range 2 {
		require.NoError(t, treasury.MarkMoveArrived(t.Context(), v.db, m.ID, "r1", money.FromInt(499_998_000)))
	}
	require.NotNil(t, v.expectState(m, treasury.MoveArrived).ClosedAt)
	v.holds(1_500_000_000, 0, 1_499_998_000)
	require.NoError(t, treasury.FailMove(t.Context(), v.db, m.ID, 1, "late"))
	v.expectState(m, treasury.MoveArrived)
	require.NoError(t, treasury.MarkMoveSent(t.Context(), v.db, m.ID, "FT2", true))
	require.Equal(t, "sent_twice", *v.expectState(m, treasury.MoveArrived).Problem, "a second withdrawal is never passed over")
}

// A move whose amount differs waits in the queue; its decider accepts the amount, once, and the books match both
// places, in either direction.
func TestAnotherAmountIsAPersonsToDecide(t *testing.T) {
	for way, arrives := range map[string]int64{"less": 399_000_000, "more": 401_000_000} {
		t.Run(way, func(t *testing.T) { takenAsItIs(t, arrives) })
	}
}

func takenAsItIs(t *testing.T, arrives int64) {
	v := openVault(t)
	m := v.approved(500_000_000)
	v.start(m)
	require.NoError(t, treasury.MarkMoveSent(t.Context(), v.db, m.ID, "FT1", false))
	reading := treasury.WithdrawalReading{Amount: money.FromInt(400_000_000), Fee: money.FromInt(2_000), TxID: "aa", Done: true}
	record := func() {
		news, err := treasury.RecordMove(t.Context(), v.db, m.ID, reading)
		require.NoError(t, err)
		require.True(t, news)
	}
	record()
	v.expectState(m, treasury.MoveDiffers)
	waiting, err := reporting.WaitingQueues(t.Context(), v.db)
	require.NoError(t, err)
	require.Equal(t, []any{"treasury", 1}, []any{waiting[0].Name, waiting[0].Count})
	require.ErrorContains(t, v.decides(m, treasury.MoveAccept, v.staff), "second person", "not who proposed it")
	require.NoError(t, v.decides(m, treasury.MoveAccept, v.second))
	require.Error(t, v.decides(m, treasury.MoveAccept, v.second))
	v.holds(1_600_000_000, 400_000_000, 1_000_000_000)
	record()
	require.NoError(t, treasury.MarkMoveArrived(t.Context(), v.db, m.ID, "r1", money.FromInt(arrives)))
	v.expectState(m, treasury.MoveDiffers)
	require.NoError(t, v.decides(m, treasury.MoveAccept, v.second))
	v.expectState(m, treasury.MoveArrived)
	v.holds(1_600_000_000, 0, 1_000_000_000+arrives)
}

// What the exchange refuses or returns is at the exchange again, once.
func TestBar30AMoveThatFailsGivesTheCoinBack(t *testing.T) {
	v := openVault(t)
	refused := v.approved(100)
	v.start(refused)
	for range 2 {
		require.NoError(t, treasury.FailMove(t.Context(), v.db, refused.ID, 1, "withdrawal_refused"))
	}
	v.expectState(refused, treasury.MoveFailed)
	v.holds(2_000_000_000, 0, 1_000_000_000)

	returned := v.approved(200)
	v.start(returned)
	require.NoError(t, treasury.MarkMoveSent(t.Context(), v.db, returned.ID, "FT1", false))
	for range 2 {
		_, err := treasury.RecordMove(t.Context(), v.db, returned.ID, treasury.WithdrawalReading{Failed: true, Amount: money.FromInt(200)})
		require.NoError(t, err)
	}
	require.Equal(t, "returned", *v.expectState(returned, treasury.MoveFailed).Problem)
	v.holds(2_000_000_000, 0, 1_000_000_000)

	limited := v.approved(300)
	v.start(limited)
	require.NoError(t, treasury.MoveNotSent(t.Context(), v.db, limited.ID, 1, "rate_limited"))
	job := v.start(limited)
	require.True(t, job.Send, "what definitely did nothing may be sent again")
	require.True(t, job.LookUp, "after a look")
	v.holds(1_999_999_700, 300, 1_000_000_000)
}

// A send that left no trace is repeated only by a person's decision, not by its proposer.
func TestBar28AnUnknownWithdrawalWaitsForAPerson(t *testing.T) {
	v := openVault(t)
	m := v.approved(400)
	v.start(m)
	require.NoError(t, treasury.MarkMoveUnknown(t.Context(), v.db, m.ID, time.Hour))
	require.False(t, v.start(m).Send)
	require.Equal(t, "own_proposal", store.ReasonOf(v.decides(m, treasury.MoveResend, v.staff)))
	require.NoError(t, v.decides(m, treasury.MoveResend, v.third))
	job := v.start(m)
	require.True(t, job.Send)
	require.True(t, job.LookUp)
	require.Equal(t, 2, job.Move.Generation)
	require.NoError(t, treasury.FailMove(t.Context(), v.db, m.ID, 1, "late"), "the first send's refusal")
	v.expectState(m, treasury.MoveSending)
	v.holds(1_999_999_600, 400, 1_000_000_000)

	require.NoError(t, treasury.MarkMoveUnknown(t.Context(), v.db, m.ID, time.Hour))
	require.NoError(t, v.decides(m, treasury.MoveAdopt, v.third))
	news, err := treasury.RecordMove(t.Context(), v.db, m.ID, treasury.WithdrawalReading{Missing: true})
	require.NoError(t, err)
	require.True(t, news)
	require.Equal(t, "reference_not_found", *v.expectState(m, treasury.MoveUnknown).Problem)
	require.NoError(t, v.decides(m, treasury.MoveGiveUp, v.second))
	v.holds(2_000_000_000, 0, 1_000_000_000)
	require.Equal(t, 1, v.count(`SELECT count(*) FROM audit_log WHERE action = 'treasury_move.give_up'`))
}

// The system proposes once where a wallet is low, up to the target and as far as the exchange has it; one person
// approves. What is not low any more is not proposed any more, and a rejection lasts for a while.
func TestLowWalletsAreProposedFor(t *testing.T) {
	v := openVault(t)
	low := func() []treasury.KnownMove {
		t.Helper()
		for range 2 {
			require.NoError(t, treasury.ProposeLowMoves(t.Context(), v.db, bitcoinLow, time.Hour))
		}
		rows, _, err := treasury.Moves(t.Context(), v.db, treasury.MoveFilter{}, store.Page{Limit: 50})
		require.NoError(t, err)
		return rows
	}
	rows := low()
	require.Len(t, rows, 1)
	require.Equal(t, "500000000", rows[0].Amount.String())
	require.Nil(t, rows[0].ProposedBy)
	require.NoError(t, v.decides(&rows[0].Move, treasury.MoveReject, v.staff))
	require.Len(t, low(), 1, "a no is heard")
	v.exec(`UPDATE treasury_moves SET closed_at = closed_at - interval '2 hours'`)
	rows = low()
	require.Len(t, rows, 2)
	v.exec(floatGoes(ledger.AccountEquity, ledger.WalletAccount("bitcoin")))
	require.Equal(t, treasury.MoveWithdrawn, low()[0].Status, "not low any more")
	v.exec(floatGoes(ledger.WalletAccount("bitcoin"), ledger.AccountEquity))
	rows = low()
	require.Len(t, rows, 3)
	require.NoError(t, v.decides(&rows[0].Move, treasury.MoveApprove, v.staff))
	v.start(&rows[0].Move)
	cover, err := treasury.TreasuryCoverage(t.Context(), v.db, bitcoinLow)
	require.NoError(t, err)
	require.False(t, cover[0].Low(), "what is on its way counts")
	n, err := treasury.CountMoves(t.Context(), v.db, treasury.MoveFilter{Asset: money.BTC})
	require.NoError(t, err)
	require.Equal(t, 3, n)
}

// What is paid for and not set aside yet is needed; what is set aside is in the reading's expectation, and what is in
// progress explains a difference.
func TestCoverageAndReadings(t *testing.T) {
	v := openVault(t)
	v.pay()
	cover := func() *treasury.Coverage {
		t.Helper()
		all, err := treasury.TreasuryCoverage(t.Context(), v.db, bitcoinLow)
		require.NoError(t, err)
		require.Len(t, all, 6)
		return &all[0]
	}
	require.Equal(t, []string{"1000000", "1000000000", "0"}, []string{cover().Needed.String(), cover().Free.String(), cover().Short().String()})
	require.Equal(t, 1, cover().Waiting)
	m := v.approved(100)
	v.start(m)
	require.NoError(t, treasury.StoreReadings(t.Context(), v.db, ledger.AccountExchange, []treasury.Held{{Currency: money.BTC, Total: money.FromInt(2_000_000_000), Free: money.FromInt(2_000_000_000)},
		{Currency: money.USD, Total: money.FromInt(7), Free: money.FromInt(7)}}))
	require.NoError(t, treasury.StoreReadings(t.Context(), v.db, ledger.WalletAccount("bitcoin"), []treasury.Held{{Currency: money.BTC, Total: money.FromInt(1_000_000_000), Free: money.FromInt(1)}}))
	require.Error(t, treasury.StoreReadings(t.Context(), v.db, ledger.AccountEquity, nil))
	readings, err := treasury.TreasuryReadings(t.Context(), v.db)
	require.NoError(t, err)
	require.Len(t, readings, 3)
	coin, dollars, wallet := readings[0], readings[1], readings[2]
	require.Equal(t, "100", coin.Difference().String(), "the books are ahead of the exchange")
	require.True(t, coin.Explained(), "by the move that is being sent")
	require.False(t, dollars.Explained())
	require.True(t, wallet.Difference().IsZero(), "%+v", wallet)
}

// Thresholds are a share of whatever float was booked: none of any size is low on its
// first day, one that shrank is, and what is set wins.
func TestThresholdsAreAShareOfTheFloat(t *testing.T) {
	v := openVault(t)
	share := treasury.Proportion{Offer: money.Offer{Assets: []money.Currency{money.BTC, money.ETH}}, Low: 25, Target: 100}
	limits, err := share.InForce(t.Context(), v.db)
	require.NoError(t, err)
	require.Len(t, limits, 2, "what is not offered has none")
	require.Equal(t, "250000000", limits[bitcoins].Low.String())
	require.Equal(t, "1000000000", limits[bitcoins].Target.String())
	low := func(p treasury.Proportion) (names []string) {
		all, err := treasury.TreasuryCoverage(t.Context(), v.db, p)
		require.NoError(t, err)
		for i := range all {
			if all[i].Low() {
				names = append(names, all[i].Wallet.String())
			}
		}
		return names
	}
	require.Empty(t, low(share), "a wallet without float is not low either")
	share.Set = bitcoinLow
	require.Equal(t, []string{"BTC on bitcoin"}, low(share))
	share.Set, share.Low = nil, 101
	require.Equal(t, []string{"BTC on bitcoin"}, low(share))
	share.Target = 0
	require.Empty(t, low(share))

	watch := func(percent int64) []reporting.Alert {
		require.NoError(t, reporting.WatchAlerts(t.Context(), v.db, reporting.AlertLimits{DollarsPercent: percent}, false))
		open, err := reporting.OpenAlerts(t.Context(), v.db)
		require.NoError(t, err)
		return open
	}
	require.Empty(t, watch(25), "no dollars were booked")
	require.NoError(t, ledger.SeedFloat(t.Context(), v.db, "dollars", []ledger.Posting{{From: ledger.AccountEquity, To: ledger.AccountExchange, Currency: money.USD, Amount: money.FromInt(500_00)}}))
	require.Empty(t, watch(100))
	require.Len(t, watch(101), 1)
}

// The rails of the configuration are the existing methods, in their order, and the two that are none.
func TestRailsAreTheMethodsThereAre(t *testing.T) {
	v := openVault(t)
	prices, err := pricing.ReadPricing(t.Context(), v.db)
	require.NoError(t, err)
	var codes []string
	for _, m := range prices.Ordered {
		codes = append(codes, m.PaymentMethod)
	}
	require.Equal(t, pricing.Rails, append(codes, pricing.RailGiftCard, pricing.RailVoucher))
}
