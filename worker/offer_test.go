package worker

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/workflows"
)

// An installation that sells bitcoin for wires has one wallet, reads one pair and has no
// key of Stripe: an order goes from receipt to sent, statements and books agree, all
// recurring work runs, and no alert is raised.
func TestBitcoinForWiresNeedsNothingElse(t *testing.T) {
	offer := money.Offer{Assets: []money.Currency{money.BTC}, Networks: []string{money.Bitcoin}, Rails: []string{"domestic_wire"}}
	h := openSelling(t, quick, offer)
	o := h.buy("domestic_wire")
	h.must(o.ID, workflows.ConfirmReceipt, receipt(o.Total, "all of it"))
	h.send(h.status(o.ID, order.StatusPaymentApproved))
	h.sweep()
	h.readTreasury("")
	for effect := range h.effects() {
		require.False(t, strings.HasPrefix(effect, "stripe/"), effect)
	}
	markets, err := pricing.Markets(t.Context(), h.db)
	require.NoError(t, err)
	require.Len(t, markets, 1)
	for _, asset := range money.Assets {
		_, err := h.quoter.Quote(t.Context(), pricing.QuoteInput{UserID: h.customer, Asset: asset, Amount: money.FromInt(1_000_000), Method: "card"})
		require.Equal(t, map[bool]string{true: "unknown_method", false: "unknown_asset"}[offer.Sells(asset)], store.ReasonOf(err), asset)
	}
	limits := reporting.AlertLimits{Prices: time.Minute, Provider: time.Minute, Orders: time.Minute, Statements: time.Minute, Books: time.Second,
		Treasury: treasury.Proportion{Offer: offer, Low: 25, Target: 100}, DollarsPercent: 25, Offer: offer}
	require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, limits, false))
	open, err := reporting.OpenAlerts(t.Context(), h.db)
	require.NoError(t, err)
	require.Empty(t, open)
}

// An order of an asset that is offered no more keeps its asset's price read until it is
// closed.
func TestWhatIsOpenIsTradedUntilItIsClosed(t *testing.T) {
	h := open(t)
	o := h.buy("domestic_wire")
	offer := money.Offer{Assets: []money.Currency{money.ETH}}
	traded, err := execution.Traded(t.Context(), h.db, offer)
	require.NoError(t, err)
	require.Equal(t, []money.Currency{money.BTC, money.ETH}, traded)
	h.must(o.ID, workflows.Cancel, nil)
	h.closed(o.ID)
	traded, err = execution.Traded(t.Context(), h.db, offer)
	require.NoError(t, err)
	require.Equal(t, []money.Currency{money.ETH}, traded)
}

// An order of a pair that is a default no more is completed from its wallet, and another is refunded.
func TestAnOpenOrderOfUSDCOnTronIsCompletedOrRefunded(t *testing.T) {
	h := open(t)
	require.False(t, h.offer.Sends(money.USDC, money.Tron))
	float, err := money.USDC.Parse("1000")
	require.NoError(t, err)
	h.control("/control/bitgo/deposits", map[string]string{"coin": "trx:usdc", "amount": float.String()})
	h.until("the deposit", func() bool {
		var all map[string]map[string]string
		h.readControl("/control/bitgo/balances", &all)
		return all["trx:usdc"]["spendable"] == float.String()
	})
	require.NoError(t, ledger.SeedFloat(t.Context(), h.db, "tron", []ledger.Posting{
		{From: ledger.AccountEquity, To: ledger.WalletAccount(money.Tron), Currency: money.USDC, Amount: float}}))
	sent, refunded := h.buyOnTron("domestic_wire"), h.buyOnTron("card")
	h.must(sent.ID, workflows.ConfirmReceipt, receipt(sent.Total, "all of it"))
	h.status(sent.ID, order.StatusPaymentApproved)
	h.must(sent.ID, workflows.Fulfill, nil)
	require.Equal(t, order.StatusSent, h.closed(sent.ID).Status)
	h.authorise(refunded.ID)
	h.must(refunded.ID, workflows.Process, nil)
	h.must(refunded.ID, workflows.Refund, nil)
	require.Equal(t, order.ResolutionRefunded, *h.closed(refunded.ID).Resolution)
}

// buyOnTron places an order of 100 USDC on Tron, as an installation did that offered it.
func (h *testCluster) buyOnTron(method string) *order.Order {
	h.Helper()
	amount, err := money.USDC.Parse("100")
	require.NoError(h, err)
	var quote pricing.Quote
	h.until("a price", func() bool {
		quote, err = h.quoter.Quote(h.Context(), pricing.QuoteInput{UserID: h.customer, Asset: money.USDC, Amount: amount, Method: method})
		return err == nil
	})
	prices, err := h.quoter.Pricing(h.Context())
	require.NoError(h, err)
	const address = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
	o, err := order.CreateOrder(h.Context(), h.db, prices, order.NewOrder{Quote: quote, Network: money.Tron, Address: address, AddressKey: address, Channel: "web"})
	require.NoError(h, err)
	require.NoError(h, h.client.StartOrder(h.Context(), o))
	return o
}
