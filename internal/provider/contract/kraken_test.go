package contract

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/models/money"
)

func exchangeOf(b *box) *kraken.Client {
	b.control("kraken/freeze", map[string]any{"frozen": "true"})
	b.control("kraken/tier", map[string]any{"tier": "unlimited"})
	b.control("kraken/prices", map[string]any{"pair": "XBTUSD", "ask": "60000", "bid": "59999.9"})
	return kraken.New(kraken.Config{URL: b.url, Key: krakenKey, Secret: krakenSecret, Timeout: longEnough})
}

// bitcoins is an order for some satoshi with ample room above the price.
func bitcoins(b *box, satoshi int64) provider.BuyInput {
	return provider.BuyInput{
		ClientID: uuid.NewString(), Asset: money.BTC, Amount: money.FromInt(satoshi),
		Limit: decimal.RequireFromString("60600"), Deadline: b.now().Add(20 * time.Second),
	}
}

// poll finds an order as the exchange worker does: repeatedly, since a new order shows
// after a moment only.
func poll(t *testing.T, b *box, client *kraken.Client, clientID string) provider.ExchangeOrder {
	t.Helper()
	var found provider.ExchangeOrder
	b.until("the order to show", func() bool {
		var err error
		found, err = client.FindOrder(t.Context(), clientID, b.now().Add(-time.Minute))
		if err != nil && !errors.Is(err, provider.ErrNotFound) {
			t.Fatal(err)
		}
		return err == nil
	})
	return found
}

func TestKrakenPricesRulesAndBalances(t *testing.T) {
	b := start(t)
	client := exchangeOf(b)
	tickers, err := client.Tickers(t.Context())
	if err != nil || len(tickers) != len(money.Assets) {
		t.Fatalf("%v, %v", tickers, err)
	}
	if btc := tickers[money.BTC]; btc.Ask.String() != "60000" || btc.Bid.String() != "59999.9" {
		t.Errorf("%+v", btc)
	}
	pairs, err := client.Pairs(t.Context())
	if err != nil || len(pairs) != len(money.Assets) {
		t.Fatalf("%v, %v", pairs, err)
	}
	for asset, p := range pairs {
		if !p.Tradable || p.LotDecimals != 8 || !p.MinAmount.IsPositive() || !p.MinCost.IsPositive() ||
			!p.TickSize.IsPositive() || !p.TakerFee.IsPositive() {
			t.Errorf("%s: %+v", asset, p)
		}
	}
	balances, err := client.Balances(t.Context())
	if err != nil || balances[money.USD].Sign() <= 0 {
		t.Errorf("%v, %v", balances, err)
	}
}

func TestKrakenBuysWithinTheLimit(t *testing.T) {
	b := start(t)
	client := exchangeOf(b)
	before, err := client.Balances(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in := bitcoins(b, 150000)
	id, err := client.Buy(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	order := poll(t, b, client, in.ClientID)
	if order.ID != id || !order.Done || order.Filled.String() != "150000" || order.Cost.String() != "9000" || order.Fee.Sign() <= 0 {
		t.Errorf("%+v", order)
	}
	if read, err := client.ReadOrder(t.Context(), id); err != nil || read.Cost.Cmp(order.Cost) != 0 || read.ClientID != in.ClientID {
		t.Errorf("%+v, %v", read, err)
	}
	after, err := client.Balances(t.Context())
	if err != nil || after[money.BTC].Sub(before[money.BTC]).String() != "150000" {
		t.Errorf("%v → %v, %v", before, after, err)
	}
	spent, reported := before[money.USD].Sub(after[money.USD]), order.Cost.Add(order.Fee)
	if spent.Sub(reported).Abs().Cmp(money.FromInt(1)) > 0 { // each is rounded to the cent by itself
		t.Errorf("spent %s cents, told %s", spent, reported)
	}

	none := bitcoins(b, 150000)
	none.Limit = decimal.RequireFromString("59000")
	if _, err := client.Buy(t.Context(), none); err != nil {
		t.Fatal(err)
	}
	if order := poll(t, b, client, none.ClientID); !order.Done || !order.Filled.IsZero() || !order.Cost.IsZero() {
		t.Errorf("below the market: %+v", order)
	}
}

func TestKrakenRefusals(t *testing.T) {
	b := start(t)
	client := exchangeOf(b)
	cases := map[string]struct {
		change func(*provider.BuyInput)
		class  provider.Class
		code   string
	}{
		"too small":         {func(in *provider.BuyInput) { in.Amount = money.FromInt(100) }, provider.Refused, "below_minimum"},
		"too much":          {func(in *provider.BuyInput) { in.Amount = money.FromInt(1e15) }, provider.Refused, "insufficient_funds"},
		"between ticks":     {func(in *provider.BuyInput) { in.Limit = decimal.RequireFromString("60600.05") }, provider.Refused, ""},
		"too late":          {func(in *provider.BuyInput) { in.Deadline = b.now().Add(-time.Minute) }, "", ""},
		"far in the future": {func(in *provider.BuyInput) { in.Deadline = b.now().Add(time.Hour) }, "", ""},
	}
	for name, c := range cases {
		in := bitcoins(b, 150000)
		c.change(&in)
		_, err := client.Buy(t.Context(), in)
		var got *provider.Error
		if !errors.As(err, &got) || c.class != "" && got.Class != c.class || c.code != "" && got.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := client.FindOrder(t.Context(), in.ClientID, b.now().Add(-time.Minute)); !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s: an order is there: %v", name, err)
		}
	}
	b.control("kraken/status", map[string]any{"status": "cancel_only"})
	if _, err := client.Buy(t.Context(), bitcoins(b, 150000)); provider.ClassOf(err) != provider.Retry {
		t.Errorf("cancel only: %v", err)
	}
	stranger := kraken.New(kraken.Config{URL: b.url, Key: krakenKey, Secret: "d3Jvbmc=", Timeout: longEnough})
	if _, err := stranger.Balances(t.Context()); provider.ClassOf(err) != provider.Refused {
		t.Errorf("with another secret: %v", err)
	}
	if _, err := client.ReadOrder(t.Context(), "OAAAAA-BBBBB-CCCCCC"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("an order of nobody: %v", err)
	}
}

func TestKrakenUnknownOutcomes(t *testing.T) {
	b := start(t)
	client := exchangeOf(b)
	for code, bought := range map[string]bool{"drop_after": true, "http:500_after": true, "drop_before": false} {
		in := bitcoins(b, 150000)
		b.fault("kraken", "AddOrder", code)
		if _, err := client.Buy(t.Context(), in); err == nil || provider.ClassOf(err) != provider.Unknown {
			t.Errorf("%s: %v", code, err)
		}
		if bought {
			if order := poll(t, b, client, in.ClientID); order.Filled.String() != "150000" {
				t.Errorf("%s: %+v", code, order)
			}
			continue
		}
		if _, err := client.FindOrder(t.Context(), in.ClientID, b.now().Add(-time.Minute)); !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s: %v", code, err)
		}
	}
	b.fault("kraken", "AddOrder", "429")
	if _, err := client.Buy(t.Context(), bitcoins(b, 150000)); provider.ClassOf(err) != provider.Retry {
		t.Errorf("429: %v", err)
	}
}

// The trap: a client id is free again once its order is closed, so a blind resend buys
// twice. The lookup must report it instead of choosing one.
func TestKrakenTwoOrdersUnderOneIdAreReported(t *testing.T) {
	b := start(t)
	client := exchangeOf(b)
	in := bitcoins(b, 150000)
	for range 2 {
		if _, err := client.Buy(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	b.until("both orders to show", func() bool {
		_, err := client.FindOrder(t.Context(), in.ClientID, b.now().Add(-time.Minute))
		var got *provider.Error
		return errors.As(err, &got) && got.Code == "duplicate_orders"
	})
}
