package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/voucher"
)

// wireOnly sells bitcoin for wires.
var wireOnly = money.Offer{Assets: []money.Currency{money.BTC}, Networks: []string{money.Bitcoin}, Rails: []string{"domestic_wire"}}

// selling is a server that offers so much, in English.
func selling(offer money.Offer) func(*Dependencies) {
	return func(d *Dependencies) {
		d.Quoter, d.Languages = d.Quoter.Offering(offer), []string{"en"}
		d.Vouchers.Terms.Offer, d.Vouchers.Limits.Offer = offer, offer
		if !offer.Takes(pricing.MethodCard) {
			delete(d.Webhooks, "stripe")
		}
	}
}

// anyAddress is one of each network.
var anyAddress = map[string]string{money.Bitcoin: btcAddress, money.Ethereum: "0x52908400098527886E0F7030069857D2E4169EE7", money.Tron: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"}

func sale(asset money.Currency, rail, address string) string {
	return fmt.Sprintf(`{"asset":%q,"amountAsset":"0.01","paymentMethod":%q,"destAddress":%q}`, asset, rail, address)
}

// Of every asset and every rail, what is not configured is refused by the name of its
// field, in every call that accepts it.
func TestWhatIsNotOfferedIsRefused(t *testing.T) {
	h := open(t, selling(wireOnly))
	v := h.customer()
	for _, asset := range money.Assets {
		address := anyAddress[money.Offer{}.NetworksOf(asset)[0]]
		for _, rail := range pricing.Rails {
			var field, code string
			switch {
			case !wireOnly.Sells(asset):
				field, code = "asset", "unknown_asset"
			case !wireOnly.Takes(rail):
				field, code = "paymentMethod", "unknown_method"
			}
			bodies := map[string]string{"/api/orders/calculate-pricing": sale(asset, rail, address), "/api/orders": sale(asset, rail, address),
				"/api/buy": fmt.Sprintf(`{"asset":%q,"amountFiat":"100","paymentMethod":%q,"destAddress":%q}`, asset, rail, address)}
			for path, body := range bodies {
				a := v.post(path, body)
				if code == "" {
					require.Less(t, a.status, 300, "%s %s", path, a.body)
					continue
				}
				require.Equal(t, field, a.refused(http.StatusUnprocessableEntity, code).text("field"), "%s %s", path, body)
			}
		}
	}
	require.Equal(t, 2, one[int](h, `SELECT count(*)::int FROM orders WHERE asset = 'BTC' AND payment_method = 'domestic_wire'`))
	require.Equal(t, 2, one[int](h, `SELECT count(*)::int FROM orders`))

	v.post("/api/vouchers/validate", `{"code":"1111222233334444"}`).refused(http.StatusUnprocessableEntity, "not_offered")
	v.post("/api/vouchers/redeem", redemptionOf("1111222233334444")).refused(http.StatusUnprocessableEntity, "not_offered")
	require.Equal(t, "brand", v.sell(nil, nil).refused(http.StatusUnprocessableEntity, "not_offered").text("field"))
	h.customer("admin").post("/api/admin/vouchers", `{"amount":"10","currency":"USD"}`).refused(http.StatusUnprocessableEntity, "unknown_currency")
	v.post("/api/profile/preferences", `{"language":"es","muted":[],"news":false}`).refused(http.StatusUnprocessableEntity, "unknown_language")
	v.post("/api/webhooks/stripe", `{}`).refused(http.StatusUnauthorized, "bad_signature")
}

// No answer of any list or page names an asset, network or rail that is not offered, to any
// caller.
func TestWhatIsNotOfferedIsNamedNowhere(t *testing.T) {
	h := open(t, selling(wireOnly))
	var hidden []string
	for _, asset := range money.Assets {
		if !wireOnly.Sells(asset) {
			hidden = append(hidden, fmt.Sprintf("%q", asset))
		}
	}
	for _, network := range money.Networks {
		if !slices.Contains(wireOnly.Networks, network) {
			hidden = append(hidden, fmt.Sprintf("%q", network))
		}
	}
	for _, rail := range pricing.Rails {
		if !wireOnly.Takes(rail) {
			hidden = append(hidden, fmt.Sprintf("%q", rail))
		}
	}
	looked := 0
	for _, who := range []*visitor{h.customer(), h.customer("admin")} {
		for _, op := range operations(t) {
			if op.method != http.MethodGet || op.object || strings.HasPrefix(op.path, "/api/events") {
				continue
			}
			a := who.get(op.path)
			if a.status != http.StatusOK || !strings.Contains(a.header.Get("Content-Type"), "json") {
				continue
			}
			looked++
			for _, word := range hidden {
				require.NotRegexp(t, word+`[^:]`, string(a.body), op.path) // as a value
			}
		}
	}
	require.Greater(t, looked, 60)

	var config accountapi.Config
	h.visitor().get("/api/config").is(http.StatusOK).read(&config)
	require.Equal(t, accountapi.Offer{Assets: []string{"BTC"}, Networks: map[string][]string{"BTC": {"bitcoin"}}, Rails: []string{"domestic_wire"}, Languages: []string{"en"}}, config.Offer)
}

// A coin goes to the offered ones of its networks alone.
func TestCoinGoesToOfferedNetworks(t *testing.T) {
	h := open(t, selling(money.Offer{Networks: []string{money.Bitcoin, money.Ethereum}}))
	v := h.customer()
	for _, asset := range []money.Currency{money.USDT, money.USDC} {
		refused := v.post("/api/orders", sale(asset, "domestic_wire", anyAddress[money.Tron])).refused(http.StatusUnprocessableEntity, "wrong_network")
		require.Equal(t, "destAddress", refused.text("field"))
		v.post("/api/orders", sale(asset, "domestic_wire", anyAddress[money.Ethereum])).refused(http.StatusServiceUnavailable, "price_stale")
	}
}

// USDC on Tron is offered only by an installation that names it: no list has it, and an address on Tron is refused, as
// every pair is that is not offered. All other pairs are defaults.
func TestUSDCOnTronHasToBeNamed(t *testing.T) {
	h := open(t)
	v := h.customer()
	var config accountapi.Config
	v.get("/api/config").is(http.StatusOK).read(&config)
	require.Equal(t, map[string][]string{"BTC": {"bitcoin"}, "ETH": {"ethereum"}, "USDT": {"ethereum", "tron"}, "USDC": {"ethereum"}}, config.Offer.Networks)
	bodies := map[string]string{"/api/orders": sale(money.USDC, "domestic_wire", anyAddress[money.Tron]),
		"/api/buy": fmt.Sprintf(`{"asset":"USDC","amountFiat":"100","paymentMethod":"domestic_wire","destAddress":%q}`, anyAddress[money.Tron])}
	for path, body := range bodies {
		require.Equal(t, "destAddress", v.post(path, body).refused(http.StatusUnprocessableEntity, "wrong_network").text("field"), path)
	}
	v.post("/api/orders", sale(money.USDT, "domestic_wire", anyAddress[money.Tron])).refused(http.StatusServiceUnavailable, "price_stale")

	named := money.Offer{Networks: []string{money.Bitcoin, money.Ethereum, "USDC:tron"}}
	again := v.elsewhere(h.serve(selling(named)).URL)
	again.post("/api/orders", sale(money.USDC, "domestic_wire", anyAddress[money.Tron])).refused(http.StatusServiceUnavailable, "price_stale")
	again.post("/api/orders", sale(money.USDT, "domestic_wire", anyAddress[money.Tron])).refused(http.StatusUnprocessableEntity, "wrong_network")
}

// An order of what is offered no more is read as before, and so is the list it is in.
func TestOrdersOfWhatWasOfferedStayReadable(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("card")
	after := v.elsewhere(h.serve(selling(money.Offer{Assets: []money.Currency{money.ETH}, Rails: []string{"domestic_wire"}})).URL)
	require.Equal(t, "BTC", after.get("/api/orders/"+id).is(http.StatusOK).text("asset"))
	require.Contains(t, string(after.get("/api/orders").is(http.StatusOK).body), id)
	require.Contains(t, string(after.get("/api/transactions").is(http.StatusOK).body), id)
	after.post("/api/orders/"+id+"/cancel", "").is(http.StatusOK)
}

// What is paused stays in the list when it is no longer offered, so that what waits
// for it can go on.
func TestASwitchOfWhatWasOfferedIsTurnedBack(t *testing.T) {
	h := open(t, selling(wireOnly))
	admin := h.customer("admin")
	admin.turn("rail", "zelle", true).refused(http.StatusUnprocessableEntity, "unknown_switch")
	admin.turn("asset", "ETH", true).refused(http.StatusUnprocessableEntity, "unknown_switch")
	admin.turn("asset", "BTC", true).is(http.StatusOK)
	h.exec(`INSERT INTO switches (kind, name, paused, reason, actor_id, changed_at, version) VALUES ('asset', 'ETH', true, 'before', $1, clock_now(), 1)`, admin.userID)
	require.Contains(t, string(admin.get("/api/admin/switches").is(http.StatusOK).body), `"ETH"`)
	admin.turn("asset", "ETH", false).is(http.StatusOK)
	require.NotContains(t, string(admin.get("/api/admin/switches").is(http.StatusOK).body), `"ETH"`)
}

// Vouchers pay the offered coins alone.
func TestVouchersPayWhatIsOffered(t *testing.T) {
	offer := money.Offer{Assets: []money.Currency{money.BTC, money.USDC}}
	require.Equal(t, []money.Currency{money.BTC, money.USDC}, voucher.VoucherTypes(offer, money.USD))
	require.Empty(t, voucher.VoucherTypes(offer, money.ETH))
	h := open(t, selling(offer))
	h.customer("admin").post("/api/admin/vouchers", `{"amount":"1","currency":"ETH"}`).refused(http.StatusUnprocessableEntity, "unknown_currency")
	made := h.customer("admin").generate("50", "USD")
	var found voucherapi.VoucherFound
	v := h.customer()
	v.post("/api/vouchers/validate", `{"code":"`+made.Code+`"}`).is(http.StatusOK).read(&found)
	require.Len(t, found.Options, 2)
	require.Equal(t, voucherapi.VoucherCoin("BTC"), found.Options[0].CryptoType)
	require.Equal(t, voucherapi.VoucherCoin("USDC"), found.Options[1].CryptoType)
	v.post("/api/vouchers/redeem", strings.Replace(redemptionOf(made.Code), `"BTC"`, `"USDT"`, 1)).refused(http.StatusUnprocessableEntity, "unknown_asset")
	require.Zero(t, h.redeemed())

	require.NoError(t, pricing.StoreMarketRules(t.Context(), h.db, []pricing.Market{{Asset: money.USDC, Pair: "USDCUSD", LotDecimals: 6, PriceDecimals: 4,
		TickSize: decimal.New(1, -4), MinAmount: decimal.New(5, 0), MinCost: decimal.New(5, -1), TakerFee: decimal.New(2, -1), Tradable: true}}))
	require.NoError(t, pricing.StorePrice(t.Context(), h.db, money.USDC, decimal.New(1, 0), decimal.New(1, 0), decimal.New(1, 0)))
	inUSDC := strings.Replace(redemptionOf(made.Code), `"BTC"`, `"USDC"`, 1)
	v.post("/api/vouchers/redeem", strings.Replace(inUSDC, btcAddress, anyAddress[money.Tron], 1)).refused(http.StatusUnprocessableEntity, "wrong_network")
	v.post("/api/vouchers/redeem", strings.Replace(inUSDC, btcAddress, anyAddress[money.Ethereum], 1)).is(http.StatusCreated)
	require.Equal(t, "USDC on ethereum", one[string](h, `SELECT asset || ' on ' || network FROM voucher_redemptions`))
}
