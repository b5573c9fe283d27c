package provider_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/models/money"
)

// account is a provider's account in a test: what it answers a request with, by the request's path and fields.
type account func(path string, form url.Values) string

func (a account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	form, wrong := url.ParseQuery(string(body) + "&" + r.URL.RawQuery)
	if err != nil || wrong != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = io.WriteString(w, a(r.URL.Path, form))
}

func (a account) open(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return server.URL
}

// lists of Stripe, in which only the second entry is ours.
func stripeLists(t *testing.T) *stripe.Client {
	t.Helper()
	list := func(entries ...string) string {
		return `{"object":"list","has_more":false,"url":"/v1/list","data":[` + strings.Join(entries, ",") + `]}`
	}
	refund := func(id, currency, status, payment string) string {
		return fmt.Sprintf(`{"id":%q,"object":"refund","amount":500,"currency":%q,"status":%q,"payment_intent":%s,"created":1750000000,
			"metadata":{"order_id":"order-%s","refund_seq":"1"}}`, id, currency, status, payment, id)
	}
	dispute := func(id, currency, status, payment string) string {
		return fmt.Sprintf(`{"id":%q,"object":"dispute","amount":500,"currency":%q,"status":%q,"payment_intent":%s,"balance_transactions":[]}`,
			id, currency, status, payment)
	}
	page := func(id, status string) string {
		return fmt.Sprintf(`{"id":%q,"object":"checkout.session","status":%q,"client_reference_id":"order-%s","metadata":{"generation":"1"},
			"url":"https://pay.example","currency":"usd","amount_total":500}`, id, status, id)
	}
	line := func(id, kind, source string) string {
		return fmt.Sprintf(`{"id":%q,"object":"balance_transaction","type":%q,"amount":-500,"net":-500,"fee":0,"currency":"usd","created":1750000000,"source":%s}`,
			id, kind, source)
	}
	return stripe.New(stripe.Config{Key: "sk_test_lists", URL: account(func(path string, _ url.Values) string {
		switch path {
		case "/v1/refunds":
			return list(refund("re_euro", "eur", "succeeded", `null`), refund("re_ours", "usd", "succeeded", `"pi_ours"`),
				refund("re_state", "usd", "dreaming", `"pi_other"`))
		case "/v1/disputes":
			return list(dispute("dp_euro", "eur", "lost", `null`), dispute("dp_ours", "usd", "lost", `"pi_ours"`),
				dispute("dp_state", "usd", "dreaming", `"pi_other"`))
		case "/v1/checkout/sessions":
			return list(page("cs_state", "dreaming"), page("cs_ours", "open"))
		case "/v1/balance_transactions":
			return list(line("txn_none", "dreaming", `null`), line("txn_ours", "refund", `{"id":"re_ours","object":"refund"}`),
				line("txn_odd", "charge", `{"id":"x","object":"dreaming"}`))
		}
		return `{"error":{"type":"invalid_request_error","message":"no such path"}}`
	}).open(t)})
}

// krakenLists is Kraken with a pair that it took off its list, and entries of pairs, assets and states that are not ours.
func krakenLists(t *testing.T) *kraken.Client {
	t.Helper()
	result := func(body string) string { return `{"error":[],"result":` + body + `}` }
	const unknown = `{"error":["EQuery:Unknown asset pair"]}`
	order := func(pair, status, clientID, more string) string {
		return fmt.Sprintf(`{"cl_ord_id":%q,"status":%q,"vol_exec":"2","cost":"200.00","fee":"0.50","closetm":1750000000.1,"descr":{"pair":%q,"type":"sell"}%s}`,
			clientID, status, pair, more)
	}
	return kraken.New(kraken.Config{Key: "key", Secret: "AAEC", Assets: []money.Currency{money.BTC, money.ETH}, URL: account(func(path string, form url.Values) string {
		switch pair := form.Get("pair"); path {
		case "/0/public/Ticker":
			if pair != "XBTUSD" {
				return unknown
			}
			return result(`{"XXBTZUSD":{"a":["2"],"b":["1"],"c":["1"]},"DREAMUSD":{"a":[]}}`)
		case "/0/public/AssetPairs":
			switch pair {
			case "XBTUSD":
				return result(`{"XXBTZUSD":{"altname":"XBTUSD","wsname":"XBT/USD","base":"XXBT","quote":"ZUSD","status":"online"},
					"DREAM":{"altname":"DREAM","status":"dreaming"}}`)
			case "ETHEUR":
				return result(`{"XETHZEUR":{"altname":"ETHEUR","wsname":"ETH/EUR","base":"XETH","quote":"ZEUR","status":"online"}}`)
			case "SOLEUR":
				return result(`{"SOLEUR":{"altname":"SOLEUR","wsname":"SOL/EUR","base":"SOL","quote":"ZEUR","status":"online"}}`)
			}
			return unknown
		case "/0/private/BalanceEx":
			return result(`{"XXBT":{"balance":"1"},"DREAM.S":{"balance":"3"}}`)
		case "/0/private/WithdrawStatus":
			return result(`[{"refid":"FTODD","key":"vault","amount":"1","fee":"0","time":1750000000,"status":"Dreaming"},
				{"refid":"FTOURS","key":"vault","amount":"1","fee":"0","time":1750000000,"status":"Success"}]`)
		case "/0/private/OpenOrders":
			return result(`{"open":{"OEUR":` + order("ETHEUR", "open", "other", "") + `}}`)
		case "/0/private/ClosedOrders":
			return result(`{"count":6,"closed":{"OOURS":` + order("XBTUSD", "closed", "ours", "") + `,"OEUR":` + order("ETHEUR", "closed", "other", "") +
				`,"OSOL":` + order("SOLEUR", "closed", "other", "") + `,"OGONE":` + order("GONEUSD", "closed", "other", "") +
				`,"OODD":` + order("XBTUSD", "dreaming", "other", "") + `,"OFORM":` + order("XBTUSD", "closed", "other", `,"cost":[]`) + `}}`)
		case "/0/private/Ledgers":
			return result(`{"count":3,"ledger":{"LOURS":{"refid":"FTOURS","time":1750000000,"type":"withdrawal","asset":"XXBT","amount":"-1","fee":"0"},
				"LSOL":{"refid":"FTSOL","time":1750000000,"type":"staking","asset":"SOL","amount":"1","fee":"0"},"LFORM":{"amount":{}}}}`)
		}
		return `{"error":["EGeneral:Unknown method"]}`
	}).open(t)})
}

// bitgoLists is a wallet with a transfer in a state that nobody knows, one in another form, and one of ours.
func bitgoLists(t *testing.T) *bitgo.Client {
	t.Helper()
	return bitgo.New(bitgo.Config{Token: "token", Wallets: map[string]string{"btc": "wallet"}, URL: account(func(_ string, form url.Values) string {
		kind := "send"
		if form.Get("type") == "receive" {
			kind = "receive"
		}
		entry := func(id, state, more string) string {
			return fmt.Sprintf(`{"id":%q,"type":%q,"state":%q,"txid":"tx-%s","sequenceId":"seq-%s","valueString":"-5","feeString":"0","date":"2026-11-20T00:00:00Z"%s}`,
				id, kind, state, id, id, more)
		}
		return `{"transfers":[` + entry("odd", "dreaming", "") + `,` + entry("ours", "confirmed", "") + `,` + entry("form", "confirmed", `,"date":7`) + `]}`
	}).open(t)})
}

var since = time.Unix(1_749_999_000, 0)

// read is what a list gave: what could be read, and what could not.
type read struct{ good, unread []string }

func statementOf(t *testing.T, from provider.Statements) read {
	t.Helper()
	lines, err := from.Statement(t.Context(), since, since.Add(time.Hour))
	require.NoError(t, err)
	var all read
	for _, l := range lines {
		require.NotEmpty(t, l.Moved, "%s: a line without a currency is stored nowhere", l.ID)
		if l.Unread == "" {
			all.good = append(all.good, l.ID)
			continue
		}
		require.False(t, l.Settled, l.ID)
		all.unread = append(all.unread, l.ID)
		for currency, moved := range l.Moved {
			require.True(t, moved.IsZero(), "%s %s", l.ID, currency)
		}
	}
	slices.Sort(all.good)
	slices.Sort(all.unread)
	return all
}

func refundsOf(t *testing.T, refunds []provider.CardRefund, err error) (all read) {
	t.Helper()
	require.NoError(t, err)
	for _, r := range refunds {
		if r.Unread != "" {
			all.unread = append(all.unread, r.ID+" of "+r.PaymentID)
		} else {
			all.good = append(all.good, r.ID+" of "+r.PaymentID)
		}
	}
	return all
}

func disputesOf(t *testing.T, disputes []provider.Dispute, err error) (all read) {
	t.Helper()
	require.NoError(t, err)
	for _, d := range disputes {
		if d.Unread != "" {
			all.unread = append(all.unread, d.ID+" of "+d.PaymentID)
		} else {
			all.good = append(all.good, d.ID+" of "+d.PaymentID)
		}
	}
	return all
}

func found(t *testing.T, id string, err error) read {
	t.Helper()
	require.NoError(t, err)
	return read{good: []string{id}}
}

// coins are the assets of a map, as a list names them.
func coins[V any](of map[money.Currency]V) (names []string) {
	for _, asset := range slices.Sorted(maps.Keys(of)) {
		names = append(names, string(asset))
	}
	return names
}

// foreignEntries are the calls that read a list, each with what it has to give of a list with foreign entries.
var foreignEntries = map[string]struct {
	call func(t *testing.T) read
	want read
}{
	"Exchange.Tickers": {func(t *testing.T) read {
		got, err := krakenLists(t).Tickers(t.Context())
		require.NoError(t, err)
		return read{good: coins(got)}
	}, read{good: []string{"BTC"}}},
	"Exchange.Pairs": {func(t *testing.T) read {
		got, err := krakenLists(t).Pairs(t.Context())
		require.NoError(t, err)
		require.True(t, got[money.BTC].Tradable)
		require.True(t, got[money.ETH].Unlisted && !got[money.ETH].Tradable)
		return read{good: coins(got)}
	}, read{good: []string{"BTC", "ETH"}}},
	"Exchange.Balances": {func(t *testing.T) read {
		got, err := krakenLists(t).Balances(t.Context())
		require.NoError(t, err)
		return read{good: coins(got)}
	}, read{good: []string{"BTC"}}},
	"Exchange.FindOrder": {func(t *testing.T) read {
		got, err := krakenLists(t).FindOrder(t.Context(), "ours", since)
		return found(t, got.ID, err)
	}, read{good: []string{"OOURS"}}},
	"Withdrawals.Holdings": {func(t *testing.T) read {
		got, err := krakenLists(t).Holdings(t.Context())
		require.NoError(t, err)
		return read{good: coins(got)}
	}, read{good: []string{"BTC"}}},
	"Withdrawals.FindWithdrawals": {func(t *testing.T) (all read) {
		got, err := krakenLists(t).FindWithdrawals(t.Context(), money.BTC, "vault", since)
		require.NoError(t, err)
		for _, w := range got {
			all.good = append(all.good, w.Reference+" "+string(w.Status))
		}
		return all
	}, read{good: []string{"FTODD pending", "FTOURS done"}}},
	"Statements.Statement, Kraken": {func(t *testing.T) read { return statementOf(t, krakenLists(t)) },
		read{good: []string{"LOURS", "OEUR", "OOURS"}, unread: []string{"LFORM", "OFORM", "OGONE", "OODD"}}},
	"Statements.Statement, BitGo": {func(t *testing.T) read { return statementOf(t, bitgoLists(t)) },
		read{good: []string{"ours"}, unread: []string{"form", "odd"}}},
	"Statements.Statement, Stripe": {func(t *testing.T) read { return statementOf(t, stripeLists(t)) },
		read{good: []string{"txn_none", "txn_odd", "txn_ours"}}},
	"Receiving.FindReceipt": {func(t *testing.T) read {
		got, err := bitgoLists(t).FindReceipt(t.Context(), provider.Wallet{Asset: money.BTC, Network: money.Bitcoin}, "0xTX-OURS", since)
		return found(t, got.ID, err)
	}, read{good: []string{"ours"}}},
	"Givebacks.PaymentRefunds": {func(t *testing.T) read {
		got, err := stripeLists(t).PaymentRefunds(t.Context(), "pi_ours")
		return refundsOf(t, got, err)
	}, read{good: []string{"re_ours of pi_ours"}, unread: []string{"re_euro of ", "re_state of pi_other"}}},
	"Givebacks.RecentRefunds": {func(t *testing.T) read {
		got, err := stripeLists(t).RecentRefunds(t.Context(), since)
		return refundsOf(t, got, err)
	}, read{good: []string{"re_ours of pi_ours"}, unread: []string{"re_euro of ", "re_state of pi_other"}}},
	"Disputes.PaymentDisputes": {func(t *testing.T) read {
		got, err := stripeLists(t).PaymentDisputes(t.Context(), "pi_ours")
		return disputesOf(t, got, err)
	}, read{good: []string{"dp_ours of pi_ours"}, unread: []string{"dp_euro of ", "dp_state of pi_other"}}},
	"Disputes.RecentDisputes": {func(t *testing.T) read {
		got, err := stripeLists(t).RecentDisputes(t.Context(), since)
		return disputesOf(t, got, err)
	}, read{good: []string{"dp_ours of pi_ours"}, unread: []string{"dp_euro of ", "dp_state of pi_other"}}},
	"Settlement.FindRefund": {func(t *testing.T) read {
		got, err := stripeLists(t).FindRefund(t.Context(), "pi_ours", "order-re_ours", 1)
		return found(t, got.ID, err)
	}, read{good: []string{"re_ours"}}},
	"Payments.FindCheckout": {func(t *testing.T) read {
		got, err := stripeLists(t).FindCheckout(t.Context(), "order-cs_ours", 1, since)
		return found(t, got.ID, err)
	}, read{good: []string{"cs_ours"}}},
}

// noLists are the calls that look like one, and why they are none.
var noLists = map[string]string{
	"Receiving.Wallets":    "lists the settings",
	"Custody.FindTransfer": "asks for one transfer by its sequence id",
}

// listCalls are the methods of the package's interfaces that read a list: those that give several things, or find one.
func listCalls(t *testing.T) (calls []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	finds := regexp.MustCompile(`^(Find|Search|List)`)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			methods, is := spec.Type.(*ast.InterfaceType)
			if !is {
				return true
			}
			for _, m := range methods.Methods.List {
				signature, is := m.Type.(*ast.FuncType)
				if is && (finds.MatchString(m.Names[0].Name) || givesSeveral(signature)) {
					calls = append(calls, spec.Name.Name+"."+m.Names[0].Name)
				}
			}
			return false
		})
	}
	return calls
}

func givesSeveral(f *ast.FuncType) bool {
	if f.Results == nil {
		return false
	}
	return slices.ContainsFunc(f.Results.List, func(r *ast.Field) bool {
		switch r.Type.(type) {
		case *ast.ArrayType, *ast.MapType:
			return true
		}
		return false
	})
}

// A foreign pair, asset, currency, state, form or id in a list keeps nothing else from being read.
func TestForeignEntryStopsNoList(t *testing.T) {
	calls := listCalls(t)
	require.Greater(t, len(calls), 12)
	for _, call := range calls {
		covered := slices.ContainsFunc(slices.Collect(maps.Keys(foreignEntries)), func(name string) bool {
			return name == call || strings.HasPrefix(name, call+", ")
		})
		require.True(t, covered || noLists[call] != "", "%s reads a list: give it foreign entries", call)
	}
	for name, c := range foreignEntries {
		t.Run(name, func(t *testing.T) {
			call, _, _ := strings.Cut(name, ", ")
			require.Contains(t, calls, call, "there is no such call any more")
			require.Equal(t, c.want, c.call(t))
		})
	}
	for call := range noLists {
		require.Contains(t, calls, call, "there is no such call any more")
	}
}

// What a foreign order moved of what we hold is in the statement.
func TestForeignOrderMovesOurCoin(t *testing.T) {
	lines, err := krakenLists(t).Statement(t.Context(), since, since.Add(time.Hour))
	require.NoError(t, err)
	at := slices.IndexFunc(lines, func(l provider.StatementLine) bool { return l.ID == "OEUR" })
	require.Equal(t, provider.LineFill, lines[at].Kind)
	require.True(t, lines[at].Settled)
	moved, err := json.Marshal(lines[at].Moved)
	require.NoError(t, err)
	require.JSONEq(t, `{"ETH":"-2000000000000000000"}`, string(moved))
}

// A pair that Kraken does not know is asked for again after a while, not at every call.
func TestUnlistedPairIsLeftOutForAWhile(t *testing.T) {
	asked := map[string]int{}
	client := kraken.New(kraken.Config{Assets: []money.Currency{money.BTC, money.ETH}, URL: account(func(_ string, form url.Values) string {
		asked[form.Get("pair")]++
		if form.Get("pair") != "XBTUSD" {
			return `{"error":["EQuery:Unknown asset pair"]}`
		}
		return `{"error":[],"result":{"XXBTZUSD":{"a":["2"],"b":["1"],"c":["1"]}}}`
	}).open(t)})
	for range 3 {
		_, err := client.Tickers(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, map[string]int{"XBTUSD,ETHUSD": 1, "ETHUSD": 1, "XBTUSD": 3}, asked)
}
