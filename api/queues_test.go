package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	giftcardapi "github.com/tradepost/tradepost/api/giftcard"
	kycapi "github.com/tradepost/tradepost/api/kyc"
	orderapi "github.com/tradepost/tradepost/api/order"
	payoutapi "github.com/tradepost/tradepost/api/payout"
	"github.com/tradepost/tradepost/models/store"
)

// soldBy writes a user's card into the queue, an hour older each time.
func (h *testServer) soldBy(userID, reference, status, print string) string {
	h.Helper()
	id := store.NewID()
	h.exec(`INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, reject_reason, paid, fingerprint, created_at)
		SELECT $1, $2, $3, 'amazon', 'Amazon', 'regular', $4, 5000, 3750, CASE WHEN $4 = 'rejected' THEN 'used up' END, CASE WHEN $4 = 'approved' THEN 3750 END, CAST($5 AS text)::bytea,
			now() - (1 + (SELECT count(*) FROM gift_cards)) * interval '1 hour'`, id, reference, userID, status, print)
	return id
}

// What is worked off is found by its reference or by whose it is, its counts are
// of what is found, and what waits longest stands first.
func TestQueuesAreSearchedAndTheirOldestStandsFirst(t *testing.T) {
	h := open(t, unscaled)
	v, other, officer := h.customer(), h.customer(), h.customer("admin")
	h.exec(`UPDATE users SET first_name = 'Zerubbabel', last_name = 'Quux' WHERE id = $1`, v.userID)
	newer := h.soldBy(v.userID, "GC-AAAA-0001", "in_review", "1")
	older := h.soldBy(v.userID, "GC-AAAA-0002", "in_review", "2")
	done := h.soldBy(v.userID, "GC-AAAA-0003", "rejected", "3")
	h.soldBy(other.userID, "GC-AAAA-0004", "in_review", "4")
	found := func(query string) (ids []string) {
		var list []giftcardapi.AdminGiftCard
		officer.get("/api/admin/gift-cards?" + query).is(http.StatusOK).read(&list)
		for _, card := range list {
			ids = append(ids, card.ID)
		}
		return ids
	}
	require.Equal(t, []string{older, newer}, found("status=in_review&q=zerubb"))
	require.Equal(t, []string{newer, older, done}, found("q="+v.address()))
	require.Equal(t, []string{done}, found("q=gc-aaaa-0003"))
	require.Equal(t, []string{older}, found("status=in_review&q="+older))
	require.Empty(t, found("q=nobody-is-called-so"))
	require.Empty(t, found("q=ze"), "too short for a name")
	var summary giftcardapi.GiftCardsSummary
	officer.get("/api/admin/gift-cards/summary?status=in_review&q=zerubb").is(http.StatusOK).read(&summary)
	require.Equal(t, []int{3, 2, 1, 2}, []int{summary.Total, summary.ByStatus["in_review"], summary.ByStatus["rejected"], summary.MatchingFilters})
	require.Equal(t, "150.00", summary.WaitingValue, "of all of them")

	var cases []kycapi.AdminKYC
	officer.get("/api/admin/kyc?q=quux").is(http.StatusOK).read(&cases)
	require.Len(t, cases, 1)
	require.Equal(t, v.userID, cases[0].ID)
	h.exec(`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed)
		SELECT gen_random_uuid(), 'PO-' || u, u, 5000, 'requested', 'us', 'US', '6789', 'sealed', 1 FROM unnest(ARRAY[$1, $2]::uuid[]) u`, v.userID, other.userID)
	var payouts []payoutapi.AdminPayout
	officer.get("/api/admin/payouts?status=requested&q=quux").is(http.StatusOK).read(&payouts)
	require.Len(t, payouts, 1)
	require.Equal(t, v.userID, payouts[0].UserID)
}

// The five stat cards are of one set: the method filter applies to all of them, the
// status filter to none.
func TestThePaymentsStatCardsAreOfOneSet(t *testing.T) {
	h := open(t)
	v, finance := h.customer(), h.customer("finance")
	for range 2 {
		v.order("domestic_wire")
	}
	approved := v.order("domestic_wire")
	h.exec(`UPDATE payments SET admin_approval_status = 'approved', decided_at = clock_now() WHERE order_id = $1`, approved)
	v.order("zelle")
	cents := func(where string) string {
		return one[string](h, `SELECT to_char(sum(amount) / 100, 'FM999999990.00') FROM payments WHERE `+where)
	}
	for query, where := range map[string]string{"": "true", "?status=approved": "true", "?status=declined": "true",
		"?method=domestic_wire": "payment_method = 'domestic_wire'", "?method=domestic_wire&status=approved": "payment_method = 'domestic_wire'", "?method=zelle&status=approved": "payment_method = 'zelle'"} {
		var n orderapi.PaymentsSummary
		finance.get("/api/admin/payments/summary" + query).is(http.StatusOK).read(&n)
		require.Equal(t, cents(where), n.TotalValue, query)
		require.Equal(t, one[int](h, `SELECT count(*) FROM payments WHERE `+where), n.Total, query)
		require.Equal(t, n.Total, n.Pending+n.Approved+n.Declined, query)
	}
}

// The platform's own checks are shown beside the object of a decision, with what would
// prevent its approval.
func TestChecksSayWhatSpeaksAgainstACardAndAPayout(t *testing.T) {
	h := open(t, unscaled)
	v, other, officer := h.customer(), h.customer(), h.customer("admin")
	h.exec(`UPDATE users SET created_at = now() - interval '30 days', last_name = 'Lovelace' WHERE id = $1`, v.userID)
	h.soldBy(other.userID, "GC-BBBB-0001", "approved", "same")
	h.exec(`UPDATE gift_cards SET decided_by = $1, decided_at = now()`, officer.userID)
	h.soldBy(v.userID, "GC-BBBB-0002", "rejected", "another")
	card := h.soldBy(v.userID, "GC-BBBB-0003", "in_review", "same")
	results := func() map[string]string {
		var detail giftcardapi.AdminGiftCardDetail
		officer.get("/api/admin/gift-cards/" + card).is(http.StatusOK).read(&detail)
		require.Len(t, detail.Alike, 1)
		require.Equal(t, officer.address(), detail.Alike[0].Decider)
		require.Equal(t, other.userID, detail.Alike[0].CustomerID)
		all := map[string]string{}
		for _, check := range detail.Checks {
			all[check.Name] = check.Result
		}
		return all
	}
	require.Equal(t, map[string]string{"form": "pass", "duplicate": "fail", "account": "pass", "identity": "pass", "age": "pass", "refused_before": "warn",
		"paid_before": "pass", "pace": "pass", "pictures": "warn"}, results())
	h.exec(`UPDATE users SET frozen_at = now(), frozen_reason = 'x', frozen_by = $2 WHERE id = $1`, v.userID, officer.userID)
	require.Equal(t, "fail", results()["account"])
	h.exec(`UPDATE users SET frozen_at = NULL, frozen_reason = '', frozen_by = NULL WHERE id = $1`, v.userID)

	h.credit(v.order("domestic_wire"), v.userID, "bonus_credited", 60_000)
	for holder, want := range map[string]string{"LOVELACE, Ada": "pass", "Charles Babbage": "warn"} {
		id := v.paysOut(`{"amount":"50","accountKind":"us","accountHolder":"` + holder + `","routingNumber":"021000021","accountNumber":"123456789"}`)
		var detail payoutapi.AdminPayoutDetail
		answer := officer.get("/api/admin/payouts/" + id).is(http.StatusOK)
		answer.read(&detail)
		require.Equal(t, payoutapi.PayoutCheck{Name: "holder", Result: want}, detail.Checks[0], holder)
		require.NotContains(t, string(answer.body), "Babbage", "the name itself is only revealed")
	}
}
