package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	treasuryapi "github.com/tradepost/tradepost/api/treasury"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

// bitcoinLow fills the bitcoin wallet up to 15 BTC once it is below 12.
var bitcoinLow = treasury.TreasuryLimits{{Asset: money.BTC, Network: "bitcoin"}: {Low: money.FromInt(1_200_000_000), Target: money.FromInt(1_500_000_000)}}

// openVault is a platform with 20 BTC at the exchange.
func openVault(t *testing.T, change ...func(*Dependencies)) *testServer {
	h := open(t, append(change, func(d *Dependencies) {
		d.Treasury = treasuryapi.TreasurySettings{Limits: bitcoinLow, Every: time.Minute}
	})...)
	require.NoError(t, ledger.SeedFloat(t.Context(), h.db, "vault", []ledger.Posting{{From: ledger.AccountEquity, To: ledger.AccountExchange, Currency: money.BTC, Amount: money.FromInt(2_000_000_000)}}))
	return h
}

// The page shows each account's history, to those who may read treasury.
func TestTreasuryShowsHowItWent(t *testing.T) {
	h := openVault(t)
	for _, satoshi := range []int64{1_900_000_000, 2_000_000_000} {
		require.NoError(t, treasury.StoreReadings(t.Context(), h.db, ledger.AccountExchange, []treasury.Held{{Currency: money.BTC, Total: money.FromInt(satoshi), Free: money.FromInt(satoshi)}}))
		h.advance("1 day")
	}
	h.customer("support").get("/api/admin/treasury/history").refused(http.StatusForbidden, "forbidden")
	finance := h.customer("finance")
	require.Equal(t, http.StatusUnprocessableEntity, finance.get("/api/admin/treasury/history?span=year").status)
	var past treasuryapi.TreasuryHistory
	finance.get("/api/admin/treasury/history").is(http.StatusOK).read(&past)
	require.Len(t, past.Accounts, 11, "an account that was never read is there, empty")
	require.Equal(t, "kraken BTC", past.Accounts[2].Holder+" "+past.Accounts[2].Currency)
	require.Len(t, past.Accounts[2].Points, 2)
	require.Equal(t, "-1", past.Accounts[2].Points[0].Difference)
	require.Equal(t, "0", past.Accounts[2].Points[1].Difference)
}

const (
	movesPath = "/api/admin/treasury/moves"
	fiveCoins = `{"asset":"BTC","network":"bitcoin","amount":"5","reason":"a big week"}`
)

// A move is proposed by one person and approved by another; others are refused, and the
// page shows what each can do.
func TestTreasuryMoveFromProposalToApproval(t *testing.T) {
	h := openVault(t)
	first, second, support := h.customer("finance"), h.customer("admin"), h.customer("support")
	support.get("/api/admin/treasury").refused(http.StatusForbidden, "forbidden")
	support.post(movesPath, fiveCoins).refused(http.StatusForbidden, "forbidden")
	for _, body := range []string{`{"asset":"BTC","network":"bitcoin","amount":"0","reason":"x"}`, `{"asset":"BTC","network":"bitcoin","amount":"1e3","reason":"x"}`, `{"asset":"BTC","network":"bitcoin","amount":"21","reason":"x"}`,
		`{"asset":"BTC","network":"bitcoin","amount":"0.000000001","reason":"x"}`, `{"asset":"BTC","network":"bitcoin","amount":"1","reason":" "}`, `{"asset":"BTC","network":"tron","amount":"1","reason":"x"}`} {
		require.Equal(t, http.StatusUnprocessableEntity, first.post(movesPath, body).status, body)
	}
	move := first.post(movesPath, fiveCoins).is(http.StatusCreated)
	id := move.text("id")
	path := movesPath + "/" + id
	actions := func(v *visitor) []string {
		t.Helper()
		var detail treasuryapi.TreasuryMoveDetail
		v.get(path).is(http.StatusOK).read(&detail)
		return detail.Actions
	}
	require.Equal(t, []string{"withdraw"}, actions(first))
	require.Equal(t, []string{"approve", "reject"}, actions(second))
	first.post(path+"/approve", "").refused(http.StatusForbidden, "own_proposal")
	second.post(path+"/resolve", `{"outcome":"resend","reason":"x"}`).refused(http.StatusConflict, "move_state")
	second.post(path+"/reject", `{"reason":""}`).refused(http.StatusUnprocessableEntity, "required")
	h.server.background.Wait()
	require.Empty(t, h.flows.seen(&h.flows.started), "nothing is sent before that")
	second.post(path+"/approve", "").is(http.StatusOK)
	second.post(path+"/approve", "").refused(http.StatusConflict, "move_decided")
	h.server.background.Wait()
	require.Equal(t, []string{"move " + id + " approve"}, h.flows.seen(&h.flows.started))
	require.Equal(t, 2, h.audited(id))
	first.post(movesPath, fiveCoins).refused(http.StatusConflict, "move_open")
	first.get(movesPath + "?status=approved&asset=BTC").is(http.StatusOK)
	first.get(movesPath + "/" + store.NewID()).is(http.StatusNotFound)
}

// Fifty approvals by two people at once: one counts, and the others are refused.
func TestBar18TwoApproveAMoveAtOnce(t *testing.T) {
	h := openVault(t, unscaled)
	first, a, b := h.customer("finance"), h.customer("finance"), h.customer("admin")
	path := movesPath + "/" + first.post(movesPath, fiveCoins).is(http.StatusCreated).text("id")
	contest(t, 50, func() *answer { return a.post(path+"/approve", "") }, func() *answer { return b.post(path+"/reject", `{"reason":"no"}`) })
	h.server.background.Wait()
}

// Approving, and recording a withdrawal's outcome, require a fresh code of a person with a
// second factor; a refusal uses none up.
func TestMovesTakeAFreshCode(t *testing.T) {
	h := openVault(t)
	first, second := h.customer("finance"), h.customer("admin")
	first.post(movesPath+"/"+first.post(movesPath, fiveCoins).is(http.StatusCreated).text("id")+"/withdraw", `{"reason":"too early"}`).is(http.StatusOK)
	second.post(movesPath+"/"+first.post(movesPath, fiveCoins).is(http.StatusCreated).text("id")+"/reject", `{"reason":"too much"}`).is(http.StatusOK)
	path := movesPath + "/" + first.post(movesPath, fiveCoins).is(http.StatusCreated).text("id")
	factor := second.enrol()
	second.post(path+"/approve", "").refused(http.StatusForbidden, "fresh_code_required")
	second.post(path+"/approve", "", rest.FreshCodeHeader, factor.wrongCode(t)).refused(http.StatusUnprocessableEntity, "invalid_code")
	require.Equal(t, "proposed", first.get(path).text("status"))
	second.post(path+"/approve", "", rest.FreshCodeHeader, factor.codes[0]).is(http.StatusOK)
}

// The page shows what was read and what the books had then, and states when nothing was
// read, or long ago.
func TestTreasurySaysHowOldItsReadingsAre(t *testing.T) {
	h := openVault(t)
	v := h.customer("finance")
	read := func() map[string]treasuryapi.TreasuryAccount {
		t.Helper()
		var out treasuryapi.Treasury
		v.get("/api/admin/treasury").is(http.StatusOK).read(&out)
		require.Len(t, out.Accounts, 11) // not USDC on Tron, which is not offered
		require.Len(t, out.Wallets, 5)
		require.True(t, out.Propose)
		all := map[string]treasuryapi.TreasuryAccount{}
		for _, a := range out.Accounts {
			all[a.Account+"/"+a.Currency] = a
		}
		return all
	}
	require.Equal(t, "unread", read()["exchange/BTC"].State)
	require.Nil(t, read()["exchange/BTC"].Held)
	require.NoError(t, treasury.StoreReadings(t.Context(), h.db, ledger.AccountExchange, []treasury.Held{{Currency: money.BTC, Total: money.FromInt(1_900_000_000)}}))
	coin := read()["exchange/BTC"]
	require.Equal(t, []string{"19", "20", "-1", "differs"}, []string{*coin.Held, *coin.Expected, *coin.Difference, coin.State})
	require.False(t, coin.Stale)
	h.exec(`UPDATE treasury_readings SET read_at = clock_now() - interval '10 minutes'`)
	require.True(t, read()["exchange/BTC"].Stale)
}
