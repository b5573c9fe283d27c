package api

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/store"
)

var update = flag.Bool("update", false, "write the committed matrix anew")

// everyRole are the callers, from a visitor to the strongest role.
var everyRole = []string{"anonymous", "customer", "support", "compliance", "finance", "admin"}

// operation is one entry of the committed OpenAPI document.
type operation struct {
	method, path, id, permission string
	object                       bool // has an id in its path
}

// operations reads the committed contract, which another check holds to the
// routes.
func operations(t *testing.T) []operation {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Permission  string `json:"x-permission"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &document))
	var all []operation
	for path, methods := range document.Paths {
		for method, op := range methods {
			require.NotEmpty(t, op.Permission, "%s %s has no rule", method, path)
			all = append(all, operation{strings.ToUpper(method), path, op.OperationID, op.Permission, strings.Contains(path, "{")})
		}
	}
	require.NotEmpty(t, all)
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	return all
}

// call sends an operation with an id that does not exist and an empty body. A stream is
// read no further than its status.
func (v *visitor) call(op operation) *answer {
	v.Helper()
	path := strings.NewReplacer("{id}", store.NewID(), "{key}", "no-such-file").Replace(op.path)
	if op.id != "streamEvents" {
		if op.method == http.MethodGet {
			return v.get(path)
		}
		return v.unsafe(op.method, path, "{}")
	}
	ctx, cancel := context.WithTimeout(v.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.origin+path, http.NoBody)
	require.NoError(v, err)
	res, err := v.client.Do(req)
	require.NoError(v, err)
	defer func() { _ = res.Body.Close() }()
	return &answer{T: v.T, status: res.StatusCode, header: res.Header, body: []byte(`{"code":"unauthorized"}`)}
}

// denied reports a refusal by the policy; our pages for browsers are none.
func (a *answer) denied() bool {
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		return false
	}
	return a.status == http.StatusUnauthorized && a.text("code") == "unauthorized" || a.status == http.StatusForbidden && a.text("code") == "forbidden"
}

func TestBar02EveryRouteByEveryRoleIsAsCommitted(t *testing.T) {
	h := open(t)
	var matrix strings.Builder
	fmt.Fprintln(&matrix, "# operation: who may call it. Observed by TestBar02…; -update writes it anew.")
	for _, op := range operations(t) {
		var may []string
		for _, role := range everyRole {
			v := h.visitor()
			if role == "customer" {
				v = h.customer()
			} else if role != "anonymous" {
				v = h.customer(role)
			}
			if !v.call(op).denied() {
				may = append(may, role)
			}
		}
		fmt.Fprintf(&matrix, "%s: %s\n", op.id, strings.Join(may, " "))
	}
	if *update {
		require.NoError(t, os.WriteFile("policy/matrix.txt", []byte(matrix.String()), 0o600))
	}
	committed, err := os.ReadFile("policy/matrix.txt")
	require.NoError(t, err)
	require.Equal(t, string(committed), matrix.String(), asvs.Claim(t, "8.1.1", "8.2.1", "8.3.1"))
}

// ownerCalls are the calls on an object, and how a stranger's attempt is sent.
var ownerCalls = map[string]func(v *visitor, id string) *answer{
	"getOrder":        func(v *visitor, id string) *answer { return v.get("/api/orders/" + id) },
	"getOrderReceipt": func(v *visitor, id string) *answer { return v.get("/api/orders/" + id + "/receipt") },
	"cancelOrder":     func(v *visitor, id string) *answer { return v.post("/api/orders/"+id+"/cancel", "") },
	"getRequote":      func(v *visitor, id string) *answer { return v.get("/api/orders/" + id + "/requote") },
	"requoteOrder":    func(v *visitor, id string) *answer { return v.post("/api/orders/"+id+"/requote", `{"quoteId":"x"}`) },
	"keepTrying":      func(v *visitor, id string) *answer { return v.post("/api/orders/"+id+"/keep-trying", "") },
	"refundNow":       func(v *visitor, id string) *answer { return v.post("/api/orders/"+id+"/refund", "") },
	"agreeToLessCoin": func(v *visitor, id string) *answer {
		return v.post("/api/orders/"+id+"/less-coin/agree", `{"offerId":"`+id+`"}`)
	},
	"keepAllCoin": func(v *visitor, id string) *answer {
		return v.post("/api/orders/"+id+"/less-coin/decline", `{"offerId":"`+id+`"}`)
	},
	"chooseSurplus": func(v *visitor, id string) *answer {
		return v.post("/api/orders/"+id+"/surplus", `{"choice":"credit"}`)
	},
	"keepOrder": func(v *visitor, id string) *answer { return v.post("/api/orders/"+id+"/keep", "") },
	"confirmAddress": func(v *visitor, id string) *answer {
		return v.post("/api/orders/"+id+"/address/confirm", `{"token":"a token"}`)
	},
	"confirmByMail": func(v *visitor, id string) *answer { return v.post("/api/confirmations/"+id, `{"token":"a token"}`) },
	"mailLinkAgain": func(v *visitor, id string) *answer { return v.post("/api/confirmations/"+id+"/mail", "") },
	"nameAddress": func(v *visitor, id string) *answer {
		return v.post("/api/orders/"+id+"/address", `{"destAddress":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`)
	},
	"uploadEvidence": func(v *visitor, id string) *answer {
		const boundary = "bound"
		body := "--bound\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\nreceipt\r\n--bound\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nx\r\n--bound--\r\n"
		return v.post("/api/orders/"+id+"/evidence", body, "Content-Type", "multipart/form-data; boundary="+boundary)
	},
	"getTicket": func(v *visitor, id string) *answer { return v.get("/api/support/tickets/" + id) },
	"writeInTicket": func(v *visitor, id string) *answer {
		return v.post("/api/support/tickets/"+id+"/messages", `{"message":"mine?"}`)
	},
	"closeTicket":          func(v *visitor, id string) *answer { return v.post("/api/support/tickets/"+id+"/close", "") },
	"endOneSession":        func(v *visitor, id string) *answer { return v.post("/api/sessions/"+id+"/end", "") },
	"getData":              func(v *visitor, id string) *answer { return v.get("/api/account/data/" + id) },
	"getGiftCard":          func(v *visitor, id string) *answer { return v.get("/api/gift-cards/" + id) },
	"getGiftCardImage":     func(v *visitor, _ string) *answer { return v.get("/gift-card-images/foreign-picture") },
	"getPayout":            func(v *visitor, id string) *answer { return v.get("/api/payouts/" + id) },
	"acceptGiftCardOffer":  func(v *visitor, id string) *answer { return v.post("/api/gift-cards/"+id+"/accept", "") },
	"declineGiftCardOffer": func(v *visitor, id string) *answer { return v.post("/api/gift-cards/"+id+"/decline", "") },
	"cancelPayout":         func(v *visitor, id string) *answer { return v.post("/api/payouts/"+id+"/cancel", "") },
	"getVoucher":           func(v *visitor, id string) *answer { return v.get("/api/vouchers/" + id) },
	"getEvidence":          func(v *visitor, _ string) *answer { return v.get("/evidence/foreign-key") },
}

func TestBar01ForeignIDsAreNotThere(t *testing.T) {
	h, claim := open(t), asvs.Claim(t, "8.2.2")
	owner, stranger := h.customer(), h.customer()
	id := owner.order("domestic_wire")
	h.exec(`INSERT INTO evidence (id, order_id, user_id, kind, file_key, content_type, size) VALUES ($1, $2, $3, 'receipt', 'foreign-key', 'image/png', 1)`,
		store.NewID(), id, owner.userID)
	h.exec(`INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, fingerprint) VALUES ($1, 'GC-1', $2, 'amazon', 'Amazon', 'regular', 'in_review', 5000, 3750, 'f')`,
		id, owner.userID)
	h.exec(`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed)
		VALUES ($1, 'PO-1', $2, 5000, 'requested', 'us', 'US', '6789', 'sealed', 1)`, id, owner.userID)
	h.exec(`INSERT INTO gift_card_images (id, card_id, user_id, file_key, content_type, size) VALUES ($1, $1, $2, 'foreign-picture', 'image/png', 1)`, id, owner.userID)
	h.exec(`INSERT INTO tickets (id, reference, user_id, subject, status, awaits) VALUES ($1, 'ST-1', $2, 'general', 'open', 'staff')`, id, owner.userID)
	h.exec(`INSERT INTO data_exports (id, reference, user_id, status, file_key, seal_key, wake_at) VALUES ($1, 'DX-1', $2, 'ready', 'foreign-export', 'k', now() + interval '1 day')`,
		id, owner.userID)
	h.exec(`INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by) VALUES ($1, 'VC-1', $1, 5000, 'USD', 5000, 'active', 'h', now(), $2)`,
		id, owner.userID)
	h.exec(`INSERT INTO voucher_redemptions (id, reference, voucher_id, user_id, status, value, currency, asset, network, dest_address, amount, unit_price, price_limit, base_price, needs_identity)
		VALUES ($1, 'VR-1', $1, $2, 'accepted', 5000, 'USD', 'BTC', 'bitcoin', 'x', 1, 1, 1, 1, false)`, id, owner.userID)
	h.exec(`INSERT INTO mailed_links (subject, kind, user_id, expires_at) VALUES ($1, 'order', $2, now() + interval '1 hour')`, id, owner.userID)
	h.server.background.Wait() // its workflow is started beside the answer
	before := one[string](h, `SELECT row_to_json(o)::text FROM orders o WHERE id = $1`, id)
	for _, op := range operations(t) {
		if !op.object || op.permission != string(policy.OwnOrders) && op.permission != string(policy.OwnAccount) {
			continue
		}
		attempt, known := ownerCalls[op.id]
		require.True(t, known, "%s is about an object and has no stranger's case", op.id)
		require.Equal(t, http.StatusNotFound, attempt(stranger, id).status, op.id+" "+claim)
	}
	require.Equal(t, before, one[string](h, `SELECT row_to_json(o)::text FROM orders o WHERE id = $1`, id))
	var mine []orderapi.Order
	stranger.get("/api/orders").is(http.StatusOK).read(&mine)
	require.Empty(t, mine)
}

func TestBar03HiddenKeysAreRefused(t *testing.T) {
	h := open(t)
	v := h.customer()
	for name, body := range map[string]string{
		"extra":        strings.Replace(newOrder, "}", `,"status":"sent"}`, 1),
		"role":         strings.Replace(newOrder, "}", `,"isAdmin":true}`, 1),
		"other case":   strings.Replace(newOrder, "amountAsset", "AmountAsset", 1),
		"both cases":   strings.Replace(newOrder, "}", `,"Asset":"ETH"}`, 1),
		"twice":        strings.Replace(newOrder, "}", `,"amountAsset":"1"}`, 1),
		"second value": newOrder + newOrder,
	} {
		v.post("/api/orders", body).is(http.StatusUnprocessableEntity, asvs.Claim(t, "1.1.1"))
		require.Zero(t, one[int](h, `SELECT count(*) FROM orders`), name)
	}

	// A text that would be JSON, or end a script, comes back as the text it is, and as no page.
	const said = `"},"isAdmin":true,{"a":"\u0022</script><script>canary()</script>`
	message, err := json.Marshal(said)
	require.NoError(t, err)
	id := v.asks(`{"subject":"transaction","message":` + string(message) + `}`)
	back := v.get("/api/support/tickets/" + id).is(http.StatusOK)
	require.NotContains(t, string(back.body), said, asvs.Claim(t, "1.1.2")) // its quotes are escaped
	require.Equal(t, "application/json nosniff", back.header.Get("Content-Type")+" "+back.header.Get("X-Content-Type-Options"))
	var ticket any
	require.NoError(t, json.Unmarshal(back.body, &ticket))
	require.Contains(t, fmt.Sprint(ticket), said, asvs.Claim(t, "1.2.3"))
}

func TestBar04CustomersNeverSeeWhatIsForStaff(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	id := v.order("card")
	h.authorise(id)
	h.exec(`UPDATE orders SET last_error = 'canary-provider-text', fulfillment_error = 'canary-provider-text', kraken_order_id = 'canary-kraken', bitgo_transfer_id = 'canary-bitgo' WHERE id = $1`, id)
	for _, path := range []string{"/api/orders", "/api/orders/" + id, "/api/orders/" + id + "/receipt", "/api/transactions", "/api/withdrawals"} {
		body := string(v.get(path).is(http.StatusOK).body)
		require.NotContains(t, body, "canary", path)
		require.NotContains(t, body, "pi_", path)
	}
	require.Contains(t, string(admin.get("/api/admin/orders/"+id).is(http.StatusOK).body), "canary-kraken")
}

func TestBar15EveryAnswerHasItsSecurityHeaders(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.PublicURL = "https://site.example" })
	v := h.visitor()
	for _, path := range []string{"/api/config", "/api/auth/user", "/healthz", "/nothing/here"} {
		a := v.get(path)
		require.Contains(t, a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'", asvs.Claim(t, "3.4.6"))
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"), asvs.Claim(t, "3.4.4"))
		require.Equal(t, "no-store", a.header.Get("Cache-Control"), asvs.Claim(t, "14.2.2", "14.3.2"))
		require.Equal(t, "max-age=63072000; includeSubDomains", a.header.Get("Strict-Transport-Security"), asvs.Claim(t, "3.4.1"))
		require.Contains(t, []string{"same-origin", "strict-origin-when-cross-origin", "no-referrer"}, a.header.Get("Referrer-Policy"), asvs.Claim(t, "3.4.5"))
		require.Contains(t, []string{"application/json", "application/problem+json", "text/html; charset=utf-8", "text/plain; charset=utf-8"}, a.header.Get("Content-Type"), asvs.Claim(t, "4.1.1"))
	}
	for name := range v.get("/api/config", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST").header {
		require.False(t, strings.HasPrefix(name, "Access-Control-"), asvs.Claim(t, "3.4.2"))
	}
	begun := v.get("/api/login").is(http.StatusSeeOther)
	cookie := begun.header.Get("Set-Cookie")
	require.True(t, strings.HasPrefix(cookie, "__Host-"), asvs.Claim(t, "3.3.1", "3.3.3"))
	for _, attribute := range []string{"HttpOnly", "Secure", "SameSite=Lax", "Path=/"} {
		require.Contains(t, cookie, attribute, asvs.Claim(t, "3.3.2", "3.3.4"))
	}
}

func TestBar16SpoofedAddressesAndForeignReturnsAreRefused(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.RateScale = 1 })
	v := h.visitor()
	limited := false
	for i := range 500 {
		if v.get("/api/login", "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i%250)).status == http.StatusTooManyRequests {
			limited = true
			break
		}
	}
	require.True(t, limited, "another X-Forwarded-For each time must not move the limit's key")
	for _, to := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "/api/logout", "javascript:alert(1)"} {
		_, ok := accountapi.OwnPath(to)
		require.False(t, ok, to+" "+asvs.Claim(t, "1.2.2"))
	}
	back, ok := accountapi.OwnPath("/orders/1?x=2#y")
	require.True(t, ok)
	for _, to := range []string{"https://evil.example", "//evil.example"} {
		begun := v.get("/api/login?returnTo=" + url.QueryEscape(to))
		require.NotContains(t, begun.header.Get("Location"), "evil", asvs.Claim(t, "3.7.2"))
	}
	require.Equal(t, "/orders/1?x=2#y", back)
}
