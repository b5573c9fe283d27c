package api

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
	"github.com/tradepost/tradepost/api/rest"
)

// cards gives a customer gift cards of every status, each a minute and a half
// older than the one before, so that they lie between their orders.
func (v *visitor) cards(n int, prefix string) {
	v.Helper()
	v.exec(`INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, reject_reason, paid, realised_amount, fingerprint, created_at)
		SELECT gen_random_uuid(), $3 || n, $1, 'amazon', '=Amazon', 'regular', s, 5000, 3750, CASE WHEN s = 'rejected' THEN 'no' END,
			CASE WHEN s IN ('approved', 'realised') THEN 3000 END, CASE WHEN s = 'realised' THEN 4000 END, ($3 || n)::bytea, clock_now() - n * interval '90 seconds'
		FROM (SELECT n, (ARRAY['received','in_review','approved','realised','rejected','expired'])[1 + n % 6] AS s FROM generate_series(1, $2::int) n) g`, v.userID, n, prefix)
}

// redeemed gives a customer redemptions of every status, each two minutes older
// than the one before.
func (v *visitor) redeemed(n int, prefix string) {
	v.Helper()
	v.exec(`INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by)
		SELECT gen_random_uuid(), $3 || n, gen_random_uuid(), 5000, 'USD', 5000, 'active', ($3 || n)::bytea, now() + interval '1 year', $1 FROM generate_series(1, $2::int) n`, v.userID, n, prefix)
	v.exec(`INSERT INTO voucher_redemptions (id, reference, voucher_id, user_id, status, value, currency, asset, network, dest_address, amount, unit_price, price_limit, base_price, needs_identity, created_at)
		SELECT gen_random_uuid(), 'R' || reference, id, $1, (ARRAY['accepted','fulfilling','filled','sent','restored'])[1 + n % 5],
			CASE n % 2 WHEN 0 THEN 5000 ELSE 1000000000000000000 END, CASE n % 2 WHEN 0 THEN 'USD' ELSE 'ETH' END, CASE n % 2 WHEN 0 THEN 'USDT' ELSE 'ETH' END, 'ethereum', '0xabcdef' || n,
			CASE n % 2 WHEN 0 THEN 48000000 ELSE 1000000000000000000 END, 1, 1, 1, false, clock_now() - n * interval '2 minutes'
		FROM (SELECT id, reference, substring(reference FROM '[0-9]+$')::int AS n FROM vouchers WHERE created_by = $1) v`, v.userID)
}

// A customer's history is one list over all types: walked once, newest first,
// counted whole under every filter, and exported as it is filtered.
func TestBar43HistoryIsOneListOverAllTypes(t *testing.T) {
	h := open(t)
	v, stranger := h.customer(), h.customer()
	stranger.cards(6, "XC-")
	h.many(v.order("domestic_wire"), 59)
	v.cards(60, "GC-")
	stranger.redeemed(5, "XV-")
	v.redeemed(20, "V-")
	var all []reportingapi.Transaction
	v.walk("/api/transactions?limit=25", func(a *answer) (ids []string) {
		var rows []reportingapi.Transaction
		a.read(&rows)
		all = append(all, rows...)
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		return ids
	})
	require.Len(t, all, 140)
	kinds, words, cards := map[string]int{}, map[string]int{}, map[string]int{}
	for i, row := range all {
		if row.Type == "gift_card" {
			cards[rest.OrEmpty(row.Resolution)]++
		}
		kinds[row.Type]++
		words[row.Type+" "+row.Status]++
		require.True(t, i == 0 || !row.CreatedAt.After(all[i-1].CreatedAt), "newest first")
	}
	require.Equal(t, map[string]int{"crypto_swap": 60, "gift_card": 60, "voucher": 20}, kinds)
	require.Equal(t, map[string]int{"crypto_swap pending": 41, "crypto_swap cancelled": 19, "gift_card pending": 20, "gift_card completed": 20, "gift_card failed": 10, "gift_card cancelled": 10,
		"voucher pending": 12, "voucher completed": 4, "voucher cancelled": 4}, words)

	require.Equal(t, map[string]int{"": 40, "rejected": 10, "expired": 10}, cards, "as the card's own page says it")

	for query, want := range map[string]int{
		"": 140, "type=gift_card": 60, "type=crypto_swap": 60, "type=voucher": 20, "status=pending": 73, "status=completed": 24, "status=payment_processing": 0,
		"status=failed": 10, "status=cancelled": 33, "crypto=BTC": 60, "crypto=ETH": 10, "crypto=USDT": 10, "crypto=USDC": 0, "crypto=USDT&status=completed": 2, "type=voucher&status=pending": 12,
		"q=eth": 10, "q=USDT&status=cancelled": 2, "q=rv-7": 1, "q=0xabcdef1": 11, "q=0xabcdef1&crypto=ETH": 6, "q=0xabcdef1&status=cancelled": 2, "q=amazon": 60, "q=gc-7": 1, "q=btc": 60, "q=bitcoin": 60, "q=Bitc": 60, "q=bit": 0, "q=Ethereum": 10, "q=tether&status=cancelled": 2, "q=amazon&status=failed": 10,
		"q=" + all[0].ID: 1, "q=" + all[139].ID: 1, "q=amazon&crypto=BTC": 0, "q=amazon&type=crypto_swap": 0, "q=100%25": 0, "q=%5C": 0,
	} {
		require.Len(t, v.walk("/api/transactions?limit=40&"+query, orderIDs), want, query)
		require.Equal(t, strconv.Itoa(want), v.get("/api/transactions?"+query).header.Get("X-Total-Count"), query)
		var summary reportingapi.TransactionsSummary
		v.get("/api/transactions/summary?" + query).is(http.StatusOK).read(&summary)
		require.Equal(t, []int{want, 140, 73}, []int{summary.Matching, summary.Total, summary.Active}, query)
		rows, err := csv.NewReader(strings.NewReader(string(v.get("/api/transactions/export?" + query).is(http.StatusOK).body))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, want+1, query)
		for _, row := range rows[1:] {
			require.Equal(t, row[2] == "", row[3] == "", "an amount of coin stands beside its coin: %v", row)
			require.Regexp(t, "^(TP|GC|RV)-", row[0], "as the pages name it")
		}
	}
	var card []reportingapi.Transaction
	v.get("/api/transactions?q=gc-7").is(http.StatusOK).read(&card) // in review: offered, not paid
	paid := "37.50"
	require.Equal(t, reportingapi.Transaction{ID: card[0].ID, Reference: "GC-7", Type: "gift_card", FromAsset: "=Amazon", ToAsset: "USD", ToAmount: "37.50", Status: "pending", LegacyStatus: "pending",
		Amount: "37.50", FiatAmount: &paid, PaymentMethod: "gift_card", CreatedAt: card[0].CreatedAt}, card[0])
	var voucher []reportingapi.Transaction
	v.get("/api/transactions?q=rv-8").is(http.StatusOK).read(&voucher) // 8: sent
	worth, asset, wallet := "50.00", "USDT", "0xabcdef8"
	require.Equal(t, reportingapi.Transaction{ID: voucher[0].ID, Reference: "RV-8", Type: "voucher", FromAsset: "USD", ToAsset: "USDT", ToAmount: "48", Status: "completed", LegacyStatus: "completed",
		CryptoCurrency: &asset, Amount: "48", FiatAmount: &worth, PaymentMethod: "voucher", WalletAddress: &wallet, CreatedAt: voucher[0].CreatedAt}, voucher[0])
	v.get("/api/transactions?type=loan").refused(http.StatusUnprocessableEntity, "invalid")
}

// An order whose money went back is over: no list of open orders holds it.
func TestARefundedOrderIsNotOpen(t *testing.T) {
	h := open(t)
	v := h.customer()
	failed, refunded := v.order("zelle"), v.order("zelle")
	h.exec(`UPDATE orders SET status = 'failed' WHERE id = $1`, failed)
	h.exec(`UPDATE orders SET status = 'failed', resolution = 'refunded', closed_at = clock_now() WHERE id = $1`, refunded)
	var rows []orderapi.Order
	v.get("/api/orders?legacyStatus=pending,payment_processing,failed").is(http.StatusOK).read(&rows)
	require.Len(t, rows, 1)
	require.Equal(t, failed, rows[0].ID)
}

// What went back of an order that was sent, or is disputed, stands in every list of
// it, and is found by a filter of its own.
func TestMoneyThatWentBackAfterSendingIsSaid(t *testing.T) {
	h := open(t)
	v := h.customer()
	kept, refunded, part, disputed := v.order("zelle"), v.order("zelle"), v.order("zelle"), v.order("card")
	h.exec(`UPDATE orders SET status = 'sent', txid = id::text, paid_at = clock_now(), sent_at = clock_now(), closed_at = clock_now(), refunded = CASE id WHEN $1 THEN total WHEN $2 THEN 500 ELSE 0 END WHERE user_id = $3`, refunded, part, v.userID)
	h.exec(`INSERT INTO disputes (id, order_id, sequence, provider_id, amount, status) SELECT gen_random_uuid(), id, 1, 'dp_1', total, 'lost' FROM orders WHERE id = $1`, disputed)
	total := one[string](h, `SELECT trim_scale(total / 100.0)::numeric(20,2)::text FROM orders WHERE id = $1`, refunded)
	whole := one[string](h, `SELECT trim_scale(total / 100.0)::numeric(20,2)::text FROM orders WHERE id = $1`, disputed)
	const five = "5.00"
	said := map[string][2]string{}
	var rows []reportingapi.Transaction
	v.get("/api/transactions").is(http.StatusOK).read(&rows)
	for _, row := range rows {
		require.Equal(t, []string{"completed", "sent"}, []string{row.LegacyStatus, rest.OrEmpty(row.OrderStatus)})
		require.Equal(t, "https://explorer.example.com/"+row.ID, *row.ExplorerURL)
		said[row.ID] = [2]string{rest.OrEmpty(row.Resolution), rest.OrEmpty(row.Returned)}
	}
	require.Equal(t, map[string][2]string{kept: {}, part: {"", five}, refunded: {"refunded", total}, disputed: {"disputed", whole}}, said)

	v.get("/api/transactions?status=refunded").is(http.StatusOK).read(&rows)
	require.ElementsMatch(t, []string{refunded, part}, []string{rows[0].ID, rows[1].ID})
	var n reportingapi.TransactionsSummary
	v.get("/api/transactions/summary?status=refunded").is(http.StatusOK).read(&n)
	require.Equal(t, []int{4, 2}, []int{n.Total, n.Matching})
	file, err := csv.NewReader(strings.NewReader(string(v.get("/api/transactions/export").is(http.StatusOK).body))).ReadAll()
	require.NoError(t, err)
	words := map[string]int{}
	for _, line := range file[1:] {
		words[line[6]]++
	}
	require.Equal(t, map[string]int{"sent": 2, "sent, refunded": 1, "sent, disputed": 1}, words)

	var trades []reportingapi.AdminTransaction
	h.customer("admin").get("/api/admin/transactions?type=order").is(http.StatusOK).read(&trades)
	for _, row := range trades {
		if found, ours := said[row.ID]; ours && found[0] != "" {
			require.Equal(t, found[0], row.Status)
		}
	}
}
