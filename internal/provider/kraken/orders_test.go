package kraken

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

func orderOf(clientID, status, filled string) string {
	return fmt.Sprintf(`{"cl_ord_id":%q,"status":%q,"vol":"0.00150000","vol_exec":%q,"cost":"67.00001","fee":"0.26801",
	 "descr":{"pair":"XBTUSD"}}`, clientID, status, filled)
}

func open(orders string) string   { return result(`{"open":{` + orders + `}}`) }
func closed(orders string) string { return result(`{"closed":{` + orders + `},"count":1}`) }

var since = time.Unix(1750000000, 0)

func TestFindOrderReadsOpenThenClosed(t *testing.T) {
	const id = "6d1b345e-2821-40e2-ad83-4ecb18a06876"
	cases := []struct {
		name, open, closed string
		want               string
		done               bool
	}{
		{"open", `"O1":` + orderOf(id, "open", "0"), "", "O1", false},
		{"closed", "", `"O1":` + orderOf(id, "closed", "0.0015"), "O1", true},
		{"cancelled with a part", "", `"O1":` + orderOf(id, "canceled", "0.0005"), "O1", true},
		{"expired", "", `"O1":` + orderOf(id, "expired", "0"), "O1", true},
		{"moved meanwhile", `"O1":` + orderOf(id, "open", "0"), `"O1":` + orderOf(id, "closed", "0.0015"), "O1", true},
		{"one filled, one not", "", `"O1":` + orderOf(id, "canceled", "0") + `,"O2":` + orderOf(id, "closed", "0.0015"), "O2", true},
		{"others passed through", `"O9":` + orderOf("another", "open", "0"), `"O1":` + orderOf(id, "closed", "0.0015"), "O1", true},
	}
	for _, c := range cases {
		client, server := start(t, map[string]string{"OpenOrders": open(c.open), "ClosedOrders": closed(c.closed)})
		got, err := client.FindOrder(t.Context(), id, since)
		if err != nil || got.ID != c.want || got.Done != c.done || got.ClientID != id {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		asked := server.asked["ClosedOrders"][0]
		if asked.Get("cl_ord_id") != id || asked.Get("start") != "1749999880" || server.asked["OpenOrders"][0].Get("cl_ord_id") != id {
			t.Errorf("%s: asked %v", c.name, asked)
		}
	}
}

func TestFindOrderKnowsNothingAndTooMuch(t *testing.T) {
	client, _ := start(t, map[string]string{"OpenOrders": open(""), "ClosedOrders": closed("")})
	if _, err := client.FindOrder(t.Context(), "id", since); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("nothing: %v", err)
	}
	client, _ = start(t, map[string]string{
		"OpenOrders":   open(""),
		"ClosedOrders": closed(`"O1":` + orderOf("id", "closed", "0.0015") + `,"O2":` + orderOf("id", "closed", "0.0015")),
	})
	_, err := client.FindOrder(t.Context(), "id", since)
	var got *provider.Error
	if !errors.As(err, &got) || got.Code != "duplicate_orders" || got.Class != provider.Unknown {
		t.Errorf("bought twice: %v", err)
	}
}

// A failed lookup is never treated as "not there".
func TestFindOrderReportsFailures(t *testing.T) {
	for name, answers := range map[string]map[string]string{
		"open":   {"OpenOrders": failure("EService:Busy"), "ClosedOrders": closed("")},
		"closed": {"OpenOrders": open(""), "ClosedOrders": failure("EAPI:Rate limit exceeded")},
	} {
		client, _ := start(t, answers)
		if _, err := client.FindOrder(t.Context(), "id", since); err == nil || errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A lookup that the rate limit refuses half-way resumes where it stopped: reading open
// orders again would use up what closed ones need.
func TestLookupContinuesWhereTheExchangeStoppedIt(t *testing.T) {
	client, server := start(t, map[string]string{"OpenOrders": open("")})
	server.turns = map[string][]string{"ClosedOrders": {
		failure("EAPI:Rate limit exceeded"), failure("EAPI:Rate limit exceeded"), closed(`"O1":` + orderOf("id", "closed", "0.0015")), closed(""),
	}}
	for range 2 {
		if _, err := client.FindOrder(t.Context(), "id", since); err == nil || errors.Is(err, provider.ErrNotFound) {
			t.Fatalf("refused: %v", err)
		}
	}
	if got, err := client.FindOrder(t.Context(), "id", since); err != nil || got.ID != "O1" || len(server.asked["OpenOrders"]) != 1 {
		t.Errorf("%+v, %v, open orders were asked for %d times", got, err, len(server.asked["OpenOrders"]))
	}
	if _, err := client.FindOrder(t.Context(), "id", since); !errors.Is(err, provider.ErrNotFound) || len(server.asked["OpenOrders"]) != 2 {
		t.Errorf("a look-up of its own: %v, open orders were asked for %d times", err, len(server.asked["OpenOrders"]))
	}
}

func TestClosedOrdersAreReadPageByPage(t *testing.T) {
	var first []string
	for i := range 50 {
		first = append(first, fmt.Sprintf(`"P%d":%s`, i, orderOf("another", "closed", "1")))
	}
	page := func(orders string) string {
		return result(`{"closed":{` + orders + `},"count":51}`)
	}
	client, server := start(t, map[string]string{"OpenOrders": open("")})
	server.turns = map[string][]string{"ClosedOrders": {
		page(strings.Join(first, ",")), page(`"O1":` + orderOf("id", "closed", "0.0015")),
	}}
	got, err := client.FindOrder(t.Context(), "id", since)
	if err != nil || got.ID != "O1" {
		t.Fatalf("%+v, %v", got, err)
	}
	if asked := server.asked["ClosedOrders"]; len(asked) != 2 || asked[1].Get("ofs") != "50" {
		t.Errorf("asked %v", asked)
	}
}

func TestOrdersCountWhatWasExecuted(t *testing.T) {
	client, _ := start(t, map[string]string{"QueryOrders": result(`{"O1":` + orderOf("id", "canceled", "0.00050000") + `}`)})
	got, err := client.ReadOrder(t.Context(), "O1")
	if err != nil {
		t.Fatal(err)
	}
	if got.Filled.String() != "50000" || got.Cost.String() != "6701" || got.Fee.String() != "27" || !got.Done {
		t.Errorf("%+v", got)
	}
}

func TestReadOrderOfNoneAndOfNonsense(t *testing.T) {
	for _, body := range []string{result(`{}`), failure("EOrder:Unknown order"), failure("EOrder:Invalid order")} {
		client, _ := start(t, map[string]string{"QueryOrders": body})
		if _, err := client.ReadOrder(t.Context(), "O1"); !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{
		result(`{"O1":` + orderOf("id", "on_holiday", "1") + `}`),
		result(`{"O1":{"status":"closed","vol_exec":"1","descr":{"pair":"DOGEUSD"}}}`),
		result(`{"O1":` + orderOf("id", "closed", "1e99999999") + `}`),
	} {
		client, _ := start(t, map[string]string{"QueryOrders": body})
		if _, err := client.ReadOrder(t.Context(), "O1"); provider.ClassOf(err) != provider.Unknown || err == nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestBalancesAreWhatIsFree(t *testing.T) {
	client, _ := start(t, map[string]string{"BalanceEx": result(`{
	 "ZUSD":{"balance":"1000.1299","hold_trade":"100.0000","credit":"0","credit_used":"0"},
	 "XXBT":{"balance":"0.1234567899","hold_trade":"0.0000000000"},
	 "ETH":{"balance":"1.5","hold_trade":"0.5"}, "USDT":{"balance":"7","hold_trade":"0"},
	 "XBT.M":{"balance":"9","hold_trade":"0"}}`)})
	got, err := client.Balances(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for currency, want := range map[money.Currency]string{
		money.USD: "90012", money.BTC: "12345678", money.ETH: "1000000000000000000", money.USDT: "7000000", money.USDC: "0",
	} {
		if got[currency].String() != want {
			t.Errorf("%s: %s, want %s", currency, got[currency], want)
		}
	}
}
