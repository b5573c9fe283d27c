package api

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

// A customer's history is one list over all types: walked once, newest first,
// counted whole under every filter, and exported as it is filtered.
func TestBar43HistoryIsOneListOverAllTypes(t *testing.T) {
	h := open(t)
	v, stranger := h.customer(), h.customer()
	stranger.cards(6, "XC-")
	h.many(v.order("domestic_wire"), 59)
	v.cards(60, "GC-")
	var all []Transaction
	v.walk("/api/transactions?limit=25", func(a *answer) (ids []string) {
		var rows []Transaction
		a.read(&rows)
		all = append(all, rows...)
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		return ids
	})
	require.Len(t, all, 120)
	kinds, words := map[string]int{}, map[string]int{}
	for i, row := range all {
		kinds[row.Type]++
		words[row.Type+" "+row.Status]++
		require.True(t, i == 0 || !row.CreatedAt.After(all[i-1].CreatedAt), "newest first")
	}
	require.Equal(t, map[string]int{"crypto_swap": 60, "gift_card": 60}, kinds)
	require.Equal(t, map[string]int{"crypto_swap pending": 41, "crypto_swap cancelled": 19, "gift_card pending": 20, "gift_card completed": 20, "gift_card failed": 10, "gift_card cancelled": 10}, words)

	for query, want := range map[string]int{
		"": 120, "type=gift_card": 60, "type=crypto_swap": 60, "type=voucher": 0, "status=pending": 61, "status=completed": 20, "status=payment_processing": 0,
		"status=failed": 10, "status=cancelled": 29, "crypto=BTC": 60, "crypto=ETH": 0, "q=amazon": 60, "q=gc-7": 1, "q=btc": 60, "q=amazon&status=failed": 10,
		"q=" + all[0].ID: 1, "q=" + all[119].ID: 1, "q=amazon&crypto=BTC": 0, "q=amazon&type=crypto_swap": 0, "q=100%25": 0, "q=%5C": 0,
	} {
		require.Len(t, v.walk("/api/transactions?limit=40&"+query, orderIDs), want, query)
		require.Equal(t, strconv.Itoa(want), v.get("/api/transactions?"+query).header.Get("X-Total-Count"), query)
		var summary TransactionsSummary
		v.get("/api/transactions/summary?" + query).is(http.StatusOK).read(&summary)
		require.Equal(t, []int{want, 120, 61}, []int{summary.Matching, summary.Total, summary.Active}, query)
		rows, err := csv.NewReader(strings.NewReader(string(v.get("/api/transactions/export?" + query).is(http.StatusOK).body))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, want+1, query)
	}
	var card []Transaction
	v.get("/api/transactions?q=gc-7").is(http.StatusOK).read(&card) // in review: offered, not paid
	paid := "37.50"
	require.Equal(t, Transaction{ID: card[0].ID, Reference: "GC-7", Type: "gift_card", FromAsset: "=Amazon", ToAsset: "USD", ToAmount: "37.50", Status: "pending", LegacyStatus: "pending",
		Amount: "37.50", FiatAmount: &paid, PaymentMethod: "gift_card", CreatedAt: card[0].CreatedAt}, card[0])
	v.get("/api/transactions?type=loan").refused(http.StatusUnprocessableEntity, "invalid")
}
