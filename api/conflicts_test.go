package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tradepost/tradepost/models/store"
)

// against brings the things of callers where nothing more may be done with them.
const against = `
	UPDATE orders SET status = 'failed', resolution = 'cancelled' WHERE id = $1;
	UPDATE tickets SET user_id = $2 WHERE id = $1;
	UPDATE gift_cards SET status = 'received' WHERE id = $1;
	INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, fingerprint)
		SELECT gen_random_uuid(), 'GC-1' || n, $2, 'amazon', 'Amazon', 'regular', 'received', 5000, 3750, n::text::bytea FROM generate_series(1, 25) n;
	INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed)
		SELECT gen_random_uuid(), 'PO-1' || n, $2, 5000, 'requested', 'us', 'US', '6789', 'sealed', 1 FROM generate_series(1, 5) n;
	INSERT INTO ticket_messages (ticket_id, author, author_id, body) SELECT $1, 'customer', $2, 'Where is it?' FROM generate_series(1, 200);
	INSERT INTO money_proposals (id, kind, data, reason, proposed_by, status, decided_by, decided_at) VALUES ($1, 'credit_money', '{}', 'why', $2, 'rejected', $3, now());
	INSERT INTO unplaced_money (id, amount, bank_reference, received_on, rail, opened_by, status, sent_reference, closed_at)
		VALUES ($1, 100, 'wire 1', now(), 'domestic_wire', $2, 'sent_back', 'back 1', now());
	INSERT INTO stranded_credits (id, user_id, amount, event, group_key, bank_reference, reason, paid_by, paid_at)
		VALUES ($1, $2, 100, 'bonus_credited', 'g', 'closed 1', 'why', $3, now());
	INSERT INTO reconciliation_breaks (id, holder, key, currency, booked, told, closed_at, outcome) VALUES ($1, 'stripe', 'charge:1', 'USD', 1, 2, now(), 'agreed');
	INSERT INTO alerts (id, kind, subject, count, since, closed_at) VALUES ($1, 'breaks', 'stripe', 1, now(), now());
	INSERT INTO treasury_moves (id, reference, asset, network, amount, status, reason, decided_by, closed_at) VALUES ($1, 'TM-1', 'BTC', 'bitcoin', 100, 'rejected', 'why', $3, now());
	INSERT INTO user_roles (user_id, role, granted_by) VALUES ($2, 'support', 'test');
	INSERT INTO users (id, issuer, subject, email, email_verified) SELECT gen_random_uuid(), 'twice', n::text, 'twice@example.com', true FROM generate_series(1, 2) n`

// Calls that the state of things is against say so, each in the declared 409; other
// tests come by the rest, and the end of the suite names one that nothing shows.
func TestCallsThatTheStateIsAgainstAreConflicts(t *testing.T) {
	h := open(t, unscaled)
	c := h.callers()
	other := h.rich(50_000)
	ids := strings.NewReplacer("$1", "'"+c.id+"'::uuid", "$2", "'"+other.userID+"'::uuid", "$3", "'"+c.staff.userID+"'::uuid")
	for statement := range strings.SplitSeq(against, ";\n") {
		h.exec(ids.Replace(statement))
	}
	batch, closed := store.NewID(), store.NewID()
	made := c.staff.post("/api/admin/vouchers", `{"amount":"25","currency":"USD","batchId":"`+batch+`"}`, "Idempotency-Key", "voucher-1").is(http.StatusCreated)
	c.staff.post("/api/admin/voucher-batches/"+batch+"/void", `{"reason":"why"}`).is(http.StatusOK)
	h.exec(`INSERT INTO voucher_redemptions (id, reference, voucher_id, user_id, status, value, currency, asset, network, dest_address, amount, unit_price, price_limit, base_price, needs_identity, closed_at)
		VALUES ($1, 'VR-1', $2, $3, 'sent', 2500, 'USD', 'BTC', 'bitcoin', 'x', 1, 1, 1, 1, false, now())`, closed, made.text("id"), other.userID)
	h.exec(`UPDATE vouchers SET status = 'paid', redemption_id = $1 WHERE id = $2`, closed, made.text("id"))

	const why, code = `{"reason":"why"}`, `{"token":"000000"}`
	for path, body := range map[string]string{
		"/api/2fa/disable": code, "/api/2fa/regenerate-backup-codes": code, "/api/2fa/login-verify": code,
		"/api/admin/alerts/{id}/acknowledge":                        `{"note":"mine"}`,
		"/api/admin/closed-credits/{id}/pay-back":                   `{"reference":"b","reason":"why"}`,
		"/api/admin/money/proposals/{id}/reject":                    why,
		"/api/admin/money/gift-cards/{id}/claim":                    `{"amount":"1","reason":"why"}`,
		"/api/admin/money/gift-cards/{id}/reverse-claim":            why,
		"/api/admin/money/unplaced/{id}/place":                      `{"order":"{id}","reason":"why"}`,
		"/api/admin/money/unplaced/{id}/credit":                     `{"customer":"` + other.userID + `","reason":"why"}`,
		"/api/admin/money/unplaced/{id}/return":                     `{"amount":"1","bankReference":"r","returnedOn":"2026-01-02","code":"R01","reason":"why"}`,
		"/api/admin/money/unplaced/{id}/send-back":                  `{"bankReference":"b","sentOn":"2026-01-02","reason":"why"}`,
		"/api/admin/orders/{id}/amend-address":                      `{"destAddress":"` + btcAddress + `","reason":"why"}`,
		"/api/admin/orders/{id}/transfer-dead":                      dead,
		"/api/admin/reconciliation/breaks/{id}/end":                 why,
		"/api/admin/reconciliation/breaks/{id}/reject":              why,
		"/api/admin/treasury/moves/{id}/withdraw":                   why,
		"/api/admin/team/" + other.userID + "/propose":              `{"roles":["support"],"reason":"why"}`,
		"/api/admin/team/" + other.userID + "/take":                 `{"roles":["admin"],"reason":"why"}`,
		"/api/admin/voucher-batches/" + batch + "/void":             why,
		"/api/admin/voucher-batches/" + batch + "/void/refuse":      "",
		"/api/admin/vouchers":                                       `{"amount":"25","currency":"USD","batchId":"` + batch + `"}`,
		"/api/admin/vouchers/" + made.text("id") + "/restore":       why,
		"/api/admin/vouchers/" + made.text("id") + "/transfer-dead": dead,
		"/api/admin/payments/" + one[string](h, `SELECT id::text FROM payments WHERE order_id = $1`, c.id) + "/reject": why,
	} {
		id := strings.NewReplacer("{id}", c.id)
		a := c.staff.post(id.Replace(path), id.Replace(body), "Idempotency-Key", store.NewID())
		if a.status != http.StatusConflict {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	_, held := h.paid()
	c.staff.post("/api/admin/orders/"+held+"/hold", why).is(http.StatusOK)
	c.staff.get("/api/admin/team/candidate?email=twice@example.com").is(http.StatusConflict)
	c.owner.upload(c.id, "receipt", picture(t, 40)).is(http.StatusConflict)
	other.post("/api/support/tickets/"+c.id+"/messages", `{"message":"More"}`).is(http.StatusConflict)
	other.post("/api/payouts", payoutOf("50")).is(http.StatusConflict)
	other.sell(regularCard, nil).is(http.StatusConflict)
}
