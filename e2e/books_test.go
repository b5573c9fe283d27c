package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// balanceBooks compares the whole ledger with the simulators, when all tests
// are over: money at Stripe, coin in each wallet and at the exchange, to the
// smallest unit. Dollars at the exchange are finer there than our cents: cost
// and fee of each exchange order are booked rounded up, so up to two cents of
// each are there beyond what is booked.
func balanceBooks(ctx context.Context) error {
	db, err := store.Open(ctx, stack.AppDSN(), store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	deadline := time.Now().Add(patience) // the last postings may be in progress
	for {
		err := compare(ctx, db)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// compare says what differs.
func compare(ctx context.Context, db *store.DB) error {
	totals, err := ledger.TrialBalance(ctx, db)
	if err != nil {
		return err
	}
	var differences []error
	for _, wrong := range ledger.CheckTrialBalance(totals) {
		differences = append(differences, errors.New("trial balance: "+wrong))
	}
	ledger := map[string]money.Units{}
	for _, total := range totals {
		ledger[total.Account+" "+string(total.Currency)] = total.Balance
	}
	there, err := held(ctx)
	if err != nil {
		return err
	}
	for name, real := range there {
		booked := ledger[name]
		if coin, ok := strings.CutPrefix(name, "wallet:"); ok {
			booked = booked.Add(ledger["wallet_reserved:"+coin])
		}
		real = real.Sub(sentByHand(ctx, name))
		beyond, rounding := real.Sub(booked), money.Units{}
		if name == "exchange USD" {
			rounding = exchangeOrders(ctx).Add(exchangeOrders(ctx))
		}
		if beyond.Sign() < 0 || beyond.Cmp(rounding) > 0 {
			differences = append(differences, fmt.Errorf("%s: booked %s, there are %s", name, booked, real))
		}
	}
	return errors.Join(differences...)
}

// byHand begins the transaction ids of coin that staff say they sent by other
// means.
const byHand = "by-hand-"

// sentByHand is coin that left a wallet by other means than ours, which no
// simulator saw leave.
func sentByHand(ctx context.Context, account string) money.Units {
	var sum int64
	_ = database.QueryRow(ctx, `SELECT coalesce(sum(amount), 0)::bigint FROM orders WHERE status = 'sent' AND txid LIKE $1
		AND 'wallet:' || network || ' ' || asset = $2`, byHand+"%", account).Scan(&sum) // none found, none left
	return money.FromInt(sum)
}

// exchangeOrders counts them.
func exchangeOrders(ctx context.Context) money.Units {
	var n int64
	_ = database.QueryRow(ctx, "SELECT count(*) FROM exchange_orders").Scan(&n) // none counted, none forgiven
	return money.FromInt(n)
}

// held is what the simulators hold of ours, by ledger account and currency.
func held(ctx context.Context) (map[string]money.Units, error) {
	there := map[string]money.Units{}
	var card stripeBalance
	if err := readStripe(ctx, "/v1/balance", &card); err != nil {
		return nil, err
	}
	there["stripe_clearing USD"] = card.dollars()
	var custody map[string]struct{ Balance string }
	if err := ask(ctx, http.MethodGet, "/control/bitgo/balances", nil, &custody); err != nil {
		return nil, err
	}
	for coin, account := range map[string]string{
		"btc": "wallet:bitcoin BTC", "eth": "wallet:ethereum ETH", "usdt": "wallet:ethereum USDT", "usdc": "wallet:ethereum USDC",
		"trx:usdt": "wallet:tron USDT", "trx:usdc": "wallet:tron USDC",
	} {
		units, err := money.ParseUnits(custody[coin].Balance)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", coin, err)
		}
		there[account] = units
	}
	exchange, err := heldAtExchange(ctx)
	maps.Copy(there, exchange)
	return there, err
}

func heldAtExchange(ctx context.Context) (map[string]money.Units, error) {
	var accounts map[string]map[string]string
	if err := ask(ctx, http.MethodGet, "/control/kraken/balances", nil, &accounts); err != nil {
		return nil, err
	}
	there := map[string]money.Units{}
	for code, currency := range map[string]money.Currency{"XXBT": "BTC", "XETH": "ETH", "USDT": "USDT", "USDC": "USDC", "ZUSD": "USD"} {
		text := accounts["main"][code]
		if whole, fraction, ok := strings.Cut(text, "."); ok && code == "ZUSD" {
			text = whole + "." + fraction[:min(2, len(fraction))]
		}
		units, err := currency.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", code, accounts["main"][code], err)
		}
		there["exchange "+string(currency)] = units
	}
	return there, nil
}

type stripeBalance struct {
	Available, Pending []struct {
		Amount   int64
		Currency string
	}
}

func (b stripeBalance) dollars() money.Units {
	var cents int64
	for _, part := range append(b.Available, b.Pending...) {
		cents += part.Amount
	}
	return money.FromInt(cents)
}

// readStripe reads an object as the account's owner does.
func readStripe(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, stack.SandboxURL()+path, nil)
	if err != nil {
		return err
	}
	request.SetBasicAuth(stack.Secret("STRIPE_KEY"), "")
	return read(request, into)
}

func readBitGo(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, stack.SandboxURL()+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+stack.Secret("BITGO_TOKEN"))
	return read(request, into)
}

func read(request *http.Request, into any) error {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", request.URL.Path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}

// balanced derives one order's money and coin from its postings, and finds them
// at the providers: what Stripe captured less what it gave back, what BitGo
// sent with its fee. It is the check of bar 21 for one order.
func balanced(t *testing.T, orderID string) {
	t.Helper()
	moved := movements(t, orderID)
	require.Equal(t, atStripe(t, orderID), moved["stripe_clearing USD"], "dollars at Stripe")
	for account, sent := range atBitGo(t, orderID) {
		reserved := strings.Replace(account, "wallet:", "wallet_reserved:", 1)
		require.Equal(t, -sent, moved[account]+moved[reserved], account)
	}
}

// movements are an order's postings: what came into each account less what
// went out, by account and currency.
func movements(t *testing.T, orderID string) map[string]int64 {
	t.Helper()
	rows, err := database.Query(t.Context(), `
		SELECT account || ' ' || currency, sum(amount)::bigint FROM (
			SELECT to_account AS account, currency, amount FROM postings WHERE order_id = $1
			UNION ALL SELECT from_account, currency, -amount FROM postings WHERE order_id = $1) m GROUP BY 1`, orderID)
	require.NoError(t, err)
	defer rows.Close()
	moved := map[string]int64{}
	for rows.Next() {
		var account string
		var amount int64
		require.NoError(t, rows.Scan(&account, &amount))
		moved[account] = amount
	}
	require.NoError(t, rows.Err())
	return moved
}

func atStripe(t *testing.T, orderID string) int64 {
	t.Helper()
	var payment *string
	require.NoError(t, database.QueryRow(t.Context(), "SELECT stripe_payment_intent_id FROM payments WHERE order_id = $1", orderID).Scan(&payment))
	if payment == nil {
		return 0
	}
	var intent struct {
		Received int64 `json:"amount_received"`
		Charge   *struct {
			Refunded int64 `json:"amount_refunded"`
		} `json:"latest_charge"`
	}
	require.NoError(t, readStripe(t.Context(), "/v1/payment_intents/"+*payment+"?expand[]=latest_charge", &intent))
	if intent.Received == 0 || intent.Charge == nil {
		return intent.Received // a hold that was released counts as refunded there
	}
	return intent.Received - intent.Charge.Refunded
}

// atBitGo is the coin that left each wallet for an order, by wallet account and
// currency; the network's fee leaves the chain's own coin.
func atBitGo(t *testing.T, orderID string) map[string]int64 {
	t.Helper()
	rows, err := database.Query(t.Context(), "SELECT sequence_id, network, asset FROM withdrawals WHERE order_id = $1 AND transfer_id IS NOT NULL", orderID)
	require.NoError(t, err)
	defer rows.Close()
	left := map[string]int64{}
	for rows.Next() {
		var sequence, network, asset string
		require.NoError(t, rows.Scan(&sequence, &network, &asset))
		coin := strings.ToLower(asset)
		if network == "tron" {
			coin = "trx:" + coin
		}
		var transfer struct {
			Value int64 `json:"baseValueString,string"`
			Fee   int64 `json:"feeString,string"`
			State string
		}
		require.NoError(t, readBitGo(t.Context(), "/api/v2/"+coin+"/wallet/"+walletIDs(t)[coin]+"/transfer/sequenceId/"+sequence, &transfer))
		if transfer.State == "removed" { // its coin is back in the wallet
			continue
		}
		left["wallet:"+network+" "+asset] += -transfer.Value
		if own := map[string]string{"bitcoin": "BTC", "ethereum": "ETH"}[network]; own != "" {
			left["wallet:"+network+" "+own] += transfer.Fee
		}
	}
	require.NoError(t, rows.Err())
	return left
}

func walletIDs(t *testing.T) map[string]string {
	t.Helper()
	var custody map[string]struct{ Wallet string }
	control(t, http.MethodGet, "/control/bitgo/balances", nil, &custody)
	ids := map[string]string{}
	for coin, wallet := range custody {
		ids[coin] = wallet.Wallet
	}
	return ids
}
