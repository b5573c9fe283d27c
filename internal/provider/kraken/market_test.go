package kraken

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

func result(body string) string { return `{"error":[],"result":` + body + `}` }

func TestBuySendsAnImmediateLimitOrder(t *testing.T) {
	client, server := start(t, map[string]string{"AddOrder": result(`{"descr":{"order":"buy"},"txid":["OABC"]}`)})
	id, err := buy(t.Context(), client)
	if err != nil || id != "OABC" {
		t.Fatalf("%q, %v", id, err)
	}
	for name, want := range map[string]string{
		"pair": "XBTUSD", "type": "buy", "ordertype": "limit", "timeinforce": "IOC", "price": "67012.3", "volume": "0.0015",
		"cl_ord_id": "6d1b345e-2821-40e2-ad83-4ecb18a06876", "deadline": "2026-11-21T10:00:20.000Z",
	} {
		if got := server.asked["AddOrder"][0].Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if _, err := client.Buy(t.Context(), provider.BuyInput{Asset: money.USD}); provider.ClassOf(err) != provider.Refused {
		t.Errorf("dollars for dollars: %v", err)
	}
}

const prices = `"a":["67010.00000","1","1.000"],"b":["67000.10000","2","2.000"],"c":["67005.00000","0.1"],"v":["1","2"],"o":"66000.1"`

func TestTickersUnderOldAndNewNames(t *testing.T) {
	client, server := start(t, map[string]string{
		"Ticker": result(`{"XXBTZUSD":{` + prices + `},"ETH/USD":{` + prices + `},"USDTZUSD":{` + prices + `},"USDCUSD":{` + prices + `}}`),
	})
	got, err := client.Tickers(t.Context())
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %v", got, err)
	}
	for asset, p := range got {
		if p.Ask.String() != "67010" || p.Bid.String() != "67000.1" || p.Last.String() != "67005" || p.At.IsZero() {
			t.Errorf("%s: %+v", asset, p)
		}
	}
	if asked := server.asked["Ticker"][0].Get("pair"); asked != "XBTUSD,ETHUSD,USDTUSD,USDCUSD" {
		t.Errorf("asked for %s", asked)
	}
}

// A name we have never seen is learnt from the pair list.
func TestUnknownNamesAreLearnt(t *testing.T) {
	client, _ := start(t, map[string]string{
		"Ticker":     result(`{"NEWBTC":{` + prices + `},"DOGE":{` + prices + `}}`),
		"AssetPairs": result(`{"NEWBTC":{"altname":"XBTUSD","wsname":"XBT/USD"}}`),
	})
	got, err := client.Tickers(t.Context())
	if err != nil || len(got) != 1 || got[money.BTC].Ask.String() != "67010" {
		t.Fatalf("%v, %v", got, err)
	}
}

func TestNumbersThatAreNoneAreRefused(t *testing.T) {
	for _, bad := range []string{`"1e999999999"`, `"NaN"`, `""`, `null`, `"` + string(make([]byte, 70)) + `"`, `"1,5"`, `true`} {
		client, _ := start(t, map[string]string{"Ticker": result(`{"XXBTZUSD":{"a":[` + bad + `],"b":["1"],"c":["1"]}}`)})
		if _, err := client.Tickers(t.Context()); provider.ClassOf(err) != provider.Unknown || err == nil {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestPairsGiveTheExchangesRules(t *testing.T) {
	client, _ := start(t, map[string]string{"AssetPairs": result(`{"XXBTZUSD":{"altname":"XBTUSD","wsname":"XBT/USD",
	 "lot_decimals":8,"pair_decimals":1,"tick_size":"0.1","ordermin":"0.00005","costmin":"0.5","status":"online",
	 "fees":[[0,0.40],[10000,0.35]]},"USDCUSD":{"altname":"USDCUSD","wsname":"USDC/USD","lot_decimals":8,"pair_decimals":4,
	 "ordermin":"5","costmin":"0.5","status":"cancel_only"}}`)})
	got, err := client.Pairs(t.Context())
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	btc, usdc := got[money.BTC], got[money.USDC]
	if btc.Name != "XBTUSD" || btc.LotDecimals != 8 || btc.PriceDecimals != 1 || !btc.Tradable ||
		btc.TickSize.String() != "0.1" || btc.MinAmount.String() != "0.00005" || btc.MinCost.String() != "0.5" ||
		!btc.TakerFee.Equal(decimal.RequireFromString("0.4")) {
		t.Errorf("%+v", btc)
	}
	if usdc.Tradable || usdc.TickSize.String() != "0.0001" {
		t.Errorf("%+v", usdc)
	}
}
