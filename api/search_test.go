package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/policy"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// found are the hits of a search, as "kind id", in their order.
func (v *visitor) found(typed string) []string {
	v.Helper()
	var hits []reportingapi.SearchHit
	v.get("/api/admin/search?q=" + url.QueryEscape(typed)).is(http.StatusOK).read(&hits)
	list := []string{}
	for _, h := range hits {
		list = append(list, h.Kind+" "+h.ID)
	}
	return list
}

// The ids of one thing of each kind, whose beginnings are their own.
const (
	sampleCard, samplePayout, sampleTicket    = "a1000000-0000-4000-8000-000000000001", "a2000000-0000-4000-8000-000000000002", "a3000000-0000-4000-8000-000000000003"
	sampleVoucher, sampleBatch, sampleRedeems = "a4000000-0000-4000-8000-000000000004", "a5000000-0000-4000-8000-000000000005", "a6000000-0000-4000-8000-000000000006"
)

// oneOfEach makes one thing of every kind for a customer; it gives the order's id.
func (h *testServer) oneOfEach(v *visitor) (orderID string) {
	h.Helper()
	h.exec(`UPDATE users SET first_name = 'Zoë', last_name = 'Quill', email = 'zoe.quill@example.org' WHERE id = $1`, v.userID)
	orderID = v.order("card")
	h.exec(`UPDATE orders SET reference = 'TP-7K3M-9QWX', txid = '00C0FFEE77' WHERE id = $1`, orderID)
	h.exec(`UPDATE payments SET stripe_payment_intent_id = 'pi_3Search' WHERE order_id = $1`, orderID)
	h.exec(`INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, fingerprint)
		VALUES ($1, 'GC-SRCH-0001', $2, 'steam', 'Steam', 'regular', 'in_review', 5000, 3750, 'f')`, sampleCard, v.userID)
	h.exec(`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed, approved_by, bank_reference)
		VALUES ($1, 'PO-SRCH-0001', $2, 5000, 'paid', 'us', 'US', '6789', 'sealed', 1, $3, 'Wire 77')`, samplePayout, v.userID, h.customer("finance").userID)
	h.exec(`INSERT INTO tickets (id, reference, user_id, subject, status, awaits) VALUES ($1, 'ST-SRCH-0001', $2, 'general', 'open', 'staff')`, sampleTicket, v.userID)
	h.exec(`INSERT INTO vouchers (id, reference, batch_id, last4, amount, currency, usd_value, status, code_hash, expires_at, created_by) VALUES ($1, 'VC-SRCH-0001', $2, '4711', 5000, 'USD', 5000, 'active', 'h', now(), $3)`,
		sampleVoucher, sampleBatch, v.userID)
	h.exec(`INSERT INTO voucher_redemptions (id, reference, voucher_id, user_id, status, value, currency, asset, network, dest_address, amount, unit_price, price_limit, base_price, needs_identity, txid)
		VALUES ($1, 'VR-SRCH-0001', $2, $3, 'accepted', 5000, 'USD', 'BTC', 'bitcoin', 'bc1qredeemed0here', 1, 1, 1, 1, false, 'deadbeef99')`, sampleRedeems, sampleVoucher, v.userID)
	h.exec(`UPDATE vouchers SET status = 'redeemed', redemption_id = $1 WHERE id = $2`, sampleRedeems, sampleVoucher)
	return orderID
}

func TestEachKindIsFoundByEachOfItsKeys(t *testing.T) {
	h := open(t)
	v, staff := h.customer(), h.customer("support")
	order := "order " + h.oneOfEach(v)
	all := []string{"customer " + v.userID, order, "payout " + samplePayout, "gift_card " + sampleCard, "voucher " + sampleVoucher, "ticket " + sampleTicket}
	for typed, want := range map[string]string{
		strings.TrimPrefix(order, "order "): order, "TP-7K3M-9QWX": order, "tp-7k3m-9": order, " 7K3M-9QWX ": order, btcAddress: order, "pi_3Search": order, "00c0ffee77": order, "00C0FFEE": order,
		sampleCard: all[3], "A100-": "", sampleCard[:10]: all[3], "gc-srch": all[3], "Steam": all[3],
		samplePayout: all[2], samplePayout[:8]: all[2], "po-srch-0001": all[2], "WIRE 77": all[2],
		sampleTicket: all[5], sampleTicket[:13]: all[5], "st-srch-0001": all[5], strings.ReplaceAll(sampleTicket, "-", ""): all[5],
		sampleVoucher: all[4], sampleVoucher[:8]: all[4], "vc-srch-0001": all[4], "vr-srch-0001": all[4], "4711": all[4], sampleBatch: all[4], sampleBatch[:9]: all[4],
		sampleRedeems: all[4], "bc1qredeemed0": all[4], "DEADBEEF99": all[4], "deadbeef": all[4],
	} {
		want := slices.DeleteFunc([]string{want}, func(s string) bool { return s == "" })
		require.Equal(t, want, staff.found(typed), typed)
	}
	for _, typed := range []string{"zoe.quill@example.org", "ZOE.QUILL@", "zoë quill", v.userID} {
		require.Equal(t, all, staff.found(typed), "who is named is found with what they did: %s", typed)
	}
	var hits []reportingapi.SearchHit
	staff.get("/api/admin/search?q=zoe.quill").is(http.StatusOK).read(&hits)
	require.Equal(t, []string{"Zoë Quill", "zoe.quill@example.org", "verified"}, []string{hits[0].Title, hits[0].Detail, hits[0].Status})
	require.Equal(t, "50.00 USD · Steam · Zoë Quill", hits[3].Detail)
}

func TestASearchIsShortAndFindsNothingSecret(t *testing.T) {
	h := open(t)
	v, staff := h.customer(), h.customer("support")
	h.oneOfEach(v)
	h.exec(`UPDATE vouchers SET sealed_code = 'CANARY-CODE' WHERE id = $1`, sampleVoucher)
	for _, typed := range []string{"%%%", "___", `\\\`, "TP_7K3M", "TP-%-9QWX", "' OR '1'='1", "CANARY", "deadbee", "zz1000", "----", "a1-00", "   "} {
		require.Empty(t, staff.found(typed), typed)
	}
	staff.get("/api/admin/search").is(http.StatusUnprocessableEntity)
	for _, typed := range []string{"", "ab", "%00%00%00", "%ff%fe%fd", strings.Repeat("a", 101), "abc&q2=%zz"} {
		status := staff.get("/api/admin/search?q=" + typed).status
		require.True(t, status >= 400 && status < 500, "%q answers %d", typed, status)
	}
	for range reporting.SearchMost + 3 {
		h.exec(`INSERT INTO tickets (id, reference, user_id, subject, status, awaits) VALUES ($1::uuid, 'ST-' || $1::uuid, $2, 'general', 'open', 'staff')`, store.NewID(), v.userID)
	}
	tickets := slices.DeleteFunc(staff.found("zoe.quill"), func(hit string) bool { return !strings.HasPrefix(hit, reporting.HitTicket) })
	require.Len(t, tickets, reporting.SearchMost)
}

// What a role may not list, it does not find.
func TestASearchKeepsToTheRole(t *testing.T) {
	h := open(t)
	v, staff := h.customer(), h.customer("support")
	h.oneOfEach(v)
	v.get("/api/admin/search?q=zoe.quill").refused(http.StatusForbidden, "forbidden")
	h.visitor().get("/api/admin/search?q=zoe.quill").refused(http.StatusUnauthorized, "unauthorized")
	who := context.WithValue(t.Context(), rest.PrincipalKey{}, &account.Principal{UserID: staff.userID, Roles: []string{"support"}})
	h.server.policy.May["support"][policy.ReadCustomers] = false
	nothing, err := h.server.reporting.SearchBackOffice(who, &reportingapi.SearchInput{Query: "zoe.quill"})
	require.NoError(t, err)
	require.Empty(t, nothing.Body)
	hits, err := reporting.Search(t.Context(), h.db, "zoe.quill", []string{reporting.HitTicket})
	require.NoError(t, err)
	require.Empty(t, hits, "who may not see customers does not find by them")
	lists := map[string]string{reporting.HitCustomer: "listCustomers", reporting.HitOrder: "listAdminOrders", reporting.HitPayout: "listAdminPayouts",
		reporting.HitGiftCard: "listAdminGiftCards", reporting.HitVoucher: "listAdminVouchers", reporting.HitTicket: "listAdminTickets",
		reporting.HitMove: "listTreasuryMoves", reporting.HitBreak: "listBreaks"}
	require.Len(t, lists, len(reportingapi.Searchable))
	for _, op := range operations(t) {
		for _, one := range reportingapi.Searchable {
			if lists[one.Kind] == op.id {
				require.Equal(t, op.permission, string(one.Needs), "what finds %s needs what its list needs", one.Kind)
			}
		}
	}
}

// Moves of coin and breaks are found by our names, by the provider's and by the
// transaction, and only by staff who may list them.
func TestMovesAndBreaksAreFoundByEachOfTheirKeys(t *testing.T) {
	h := open(t)
	finance, support := h.customer("finance"), h.customer("support")
	const move = "a7000000-0000-4000-8000-000000000007"
	h.exec(`INSERT INTO treasury_moves (id, reference, asset, network, amount, status, reason, decided_by, first_sent_at, exchange_ref, txid)
		VALUES ($1, 'TM-SRCH-0001', 'BTC', 'bitcoin', 50000000, 'sent', 'why', $2, now(), 'FTQcuak-V6Za8', 'facade0042')`, move, finance.userID)
	charge, transfer := h.broken("stripe", "charge:pi_3Broken", "USD", 5000), h.broken("bitgo", "transfer:ord-1-send-1", "BTC", -700)
	h.exec(`INSERT INTO statement_lines (holder, id, currency, amount, kind, key, at, state, settled, ours) VALUES ('stripe', 'txn_5Search', 'USD', 1, 'charge', 'charge:pi_3Broken', now(), 'told', true, 'ours-of-it')`)
	h.exec(`UPDATE statement_lines SET txid = 'badcafe043' WHERE key = 'transfer:ord-1-send-1'`)
	for typed, want := range map[string]string{
		move: "treasury_move " + move, move[:8]: "treasury_move " + move, "tm-srch-0001": "treasury_move " + move, "FTQcuak-V6Za8": "treasury_move " + move, "FACADE0042": "treasury_move " + move, "facade00": "treasury_move " + move,
		charge: "break " + charge, charge[:13]: "break " + charge, "pi_3broken": "break " + charge, "txn_5Search": "break " + charge, "ours-of-it": "break " + charge,
		"ord-1-send-1": "break " + transfer, "BADCAFE043": "break " + transfer,
	} {
		require.Equal(t, []string{want}, finance.found(typed), typed)
		require.Empty(t, support.found(typed), "who may not list them does not find them: %s", typed)
	}
	var hits []reportingapi.SearchHit
	finance.get("/api/admin/search?q=ord-1-send-1").is(http.StatusOK).read(&hits)
	require.Equal(t, []string{"ord-1-send-1", "-0.000007 BTC · bitgo", "open"}, []string{hits[0].Title, strings.Replace(hits[0].Detail, "-0.00000700", "-0.000007", 1), hits[0].Status})
}

// searchesReadWhatTheyShow, however long the lists are.
func (h *testServer) searchesReadWhatTheyShow(owner *store.DB, staff *visitor, rare string) {
	h.Helper()
	// As the planner would have it with a million rows, not the few thousand of a
	// test: it prefers other ways then.
	_, err := owner.Pool().Exec(h.Context(), `UPDATE pg_class SET reltuples = reltuples * 200 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`)
	require.NoError(h, err)
	for _, typed := range []string{"tp-00000000", store.NewID(), store.NewID()[:8], "a1b2c3", "few@example.com", "amazon", "GC-" + rare, "PO-4711", "ST-4711", "VC-4711", "VR-VC-" + rare, "pi_unknown", few,
		"TM-4711", "FT4711", "charge:4710", "ord-4711-send-1"} {
		before := touched(h, owner)
		staff.found(typed)
		require.LessOrEqual(h, touched(h, owner)-before, mostRead, "%s reads too much", typed)
	}
	before := touched(h, owner)
	found, err := reporting.Search(h.Context(), h.db, "4711", []string{reporting.HitBreak})
	require.NoError(h, err)
	require.NotEmpty(h, found, "what the statement tells of a break names it")
	require.LessOrEqual(h, touched(h, owner)-before, mostRead, "a break reads too much")
}
