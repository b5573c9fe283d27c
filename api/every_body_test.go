package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// shape is what the contract says of a value.
type shape struct {
	Ref                  string           `json:"$ref"`
	Type                 any              `json:"type"` // a type, or several with "null"
	Properties           map[string]shape `json:"properties"`
	Required             []string         `json:"required"`
	Enum                 []any            `json:"enum"`
	Items                *shape           `json:"items"`
	Format               string           `json:"format"`
	MaxLength            *int             `json:"maxLength"`
	MinLength            *int             `json:"minLength"`
	AdditionalProperties any              `json:"additionalProperties"`
}

// is reports whether a value may be of a type.
func (s shape) is(kind string) bool {
	switch named := s.Type.(type) {
	case string:
		return named == kind
	case []any:
		return slices.Contains(named, any(kind))
	}
	return false
}

// bodied is a call with a JSON body, and its schema.
type bodied struct {
	operation
	body shape
}

// bodies are all calls with a JSON body, from the committed contract.
func bodies(t *testing.T) []bodied {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Schema shape }
			}
		}
		Components struct{ Schemas map[string]shape }
	}
	require.NoError(t, json.Unmarshal(text, &document))
	var list []bodied
	for _, op := range operations(t) {
		body := document.Paths[op.path][strings.ToLower(op.method)].RequestBody.Content["application/json"].Schema
		name, found := strings.CutPrefix(body.Ref, "#/components/schemas/")
		if found {
			list = append(list, bodied{op, document.Components.Schemas[name]})
		}
	}
	require.Greater(t, len(list), 25, "the contract is read")
	return list
}

// sample is a body that the contract allows, with everything that can be in it.
func (b bodied) sample() map[string]any {
	body := map[string]any{}
	for name, s := range b.body.Properties {
		body[name] = s.sample()
	}
	return body
}

func (s shape) sample() any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.is("boolean"):
		return true
	case s.is("array"):
		return []any{}
	case s.is("integer"), s.is("number"):
		return 1
	case s.Format == "date":
		return "2026-01-02"
	case s.MinLength != nil:
		return strings.Repeat("1", *s.MinLength)
	}
	return "1"
}

// with is a copy of a body in which one thing is otherwise.
func with(body map[string]any, name string, value any) string {
	other := maps.Clone(body)
	other[name] = value
	raw, _ := json.Marshal(other) // of texts, numbers and lists
	return string(raw)
}

// sends sends a body to a call, about an object that is there.
func (v *visitor) sends(op operation, id, body string) *answer {
	v.Helper()
	path := strings.NewReplacer("{id}", id).Replace(op.path)
	return v.unsafe(op.method, path, body, "Idempotency-Key", store.NewID())
}

// open to all calls: the objects, and who may call for them.
type callers struct {
	owner, staff *visitor
	id           string
}

func (h *testServer) callers() callers {
	c := callers{owner: h.customer(), staff: h.customer("support", "compliance", "finance", "admin")}
	c.id = c.owner.order("domestic_wire")
	h.server.background.Wait()
	h.exec(`INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, fingerprint) VALUES ($1, 'GC-1', $2, 'amazon', 'Amazon', 'regular', 'in_review', 5000, 3750, 'f')`,
		c.id, c.owner.userID)
	h.exec(`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed)
		VALUES ($1, 'PO-1', $2, 5000, 'requested', 'us', 'US', '6789', 'sealed', 1)`, c.id, c.owner.userID)
	h.exec(`INSERT INTO tickets (id, reference, user_id, subject, status, awaits) VALUES ($1, 'ST-1', $2, 'general', 'open', 'staff')`, c.id, c.owner.userID)
	h.exec(`INSERT INTO risk_reviews (id, order_id, user_id, address_key, score, reasons) VALUES ($1, $1, $2, 'x', 100, '{blocked_address}')`, c.id, c.owner.userID)
	h.exec(`INSERT INTO country_pricing (id, country, adjustment_percent, is_blocked) VALUES ($1, 'AQ', 1, false)`, c.id)
	h.exec(`INSERT INTO two_factor_recoveries (id, reference, user_id, status, ready_at, expires_at, created_at, updated_at)
		VALUES ($1, '2F-1', $2, 'asked', now() + interval '1 day', now() + interval '2 days', now(), now())`, c.id, c.owner.userID)
	h.exec(`INSERT INTO role_proposals (id, user_id, had, roles, reason, proposed_by) VALUES ($1, $2, '{}', '{support}', 'why', $3)`, c.id, c.owner.userID, h.customer("admin").userID)
	return c
}

// call sends a body to a call as who may make it.
func (c callers) call(op operation, body string) *answer {
	who := c.owner
	if strings.Contains(op.path, "/admin/") {
		who = c.staff
	}
	return who.sends(op, c.idFor(op), body)
}

// idFor is the id of the object that a call is about.
func (c callers) idFor(op operation) string {
	switch {
	case strings.Contains(op.path, "/admin/kyc/"), strings.Contains(op.path, "/admin/customers/"), strings.Contains(op.path, "/admin/team/{id}"):
		return c.owner.userID
	case strings.Contains(op.path, "/pricing/payment-methods/"):
		return one[string](c.owner.testServer, `SELECT id::text FROM payment_methods WHERE payment_method = 'cash'`)
	case strings.Contains(op.path, "/risk/rules/"):
		return risk.RiskOrdersHour
	case strings.Contains(op.path, "/payments/"):
		return one[string](c.owner.testServer, `SELECT id::text FROM payments WHERE order_id = $1`, c.id)
	}
	return c.id
}

// unscaled lifts the limits of calls, which are not under test.
func unscaled(d *Dependencies) { d.RateScale = 100_000 }

// counted are the rows of every table but those that count calls.
func counted(h *testServer) string {
	h.Helper()
	return one[string](h, `SELECT string_agg(t || ' ' || n, E'\n' ORDER BY t) FROM (
		SELECT table_name AS t, (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', table_name), false, true, '')))[1]::text AS n
		  FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT LIKE '%limit%' AND table_name <> 'goose_db_version'
		   AND has_table_privilege(format('%I', table_name), 'SELECT')) x`)
}

// about reports whether an answer names a field.
func (a *answer) about(field string) bool {
	var p rest.Problem
	a.read(&p)
	return p.Field == field || slices.ContainsFunc(p.Errors, func(e rest.FieldError) bool { return e.Field == field })
}

// fields are all that a refusal is about, in the order of the form.
func (a *answer) fields() string {
	var p rest.Problem
	a.read(&p)
	var names []string
	for _, e := range p.Errors {
		names = append(names, e.Field)
	}
	return strings.Join(names, " ")
}

// Every body of every call: a key too many, one in another case, one twice, or a
// second value is refused, and nothing is changed.
func TestBar03EveryBodyRefusesHiddenKeys(t *testing.T) {
	h := open(t, unscaled)
	c, claims := h.callers(), asvs.Claim(t, "15.3.3")+" "+asvs.Claim(t, "1.5.2")
	before := counted(h)
	for _, op := range bodies(t) {
		require.Equal(t, false, op.body.AdditionalProperties, op.id)
		body := op.sample()
		whole, err := json.Marshal(body)
		require.NoError(t, err)
		hostile := map[string]string{
			"a role":       with(body, "isAdmin", true),
			"a status":     with(body, "status!", "approved"),
			"an owner":     with(body, "userId", store.NewID()),
			"second value": string(whole) + string(whole),
			"a list":       "[" + string(whole) + "]",
			"too deep":     `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}",
		}
		for name, value := range body {
			one, err := json.Marshal(value)
			require.NoError(t, err)
			hostile[name+" twice"] = strings.Replace(string(whole), "{", `{"`+name+`":`+string(one)+",", 1)
			hostile[name+" in another case"] = with(body, strings.ToUpper(name[:1])+name[1:], value)
		}
		for name, raw := range hostile {
			require.Equal(t, http.StatusUnprocessableEntity, c.call(op.operation, raw).status, "%s: %s: %s", op.id, name, claims)
		}
	}
	require.Equal(t, before, counted(h))
}

// Every field of every body of every call: a value of another type, or one that
// is too long, is refused by the field's name, and nothing is changed.
func TestBar23EveryFieldOfEveryBodyIsChecked(t *testing.T) {
	h := open(t, unscaled)
	c, claim := h.callers(), asvs.Claim(t, "2.2.1", "2.2.2", "15.3.5")
	before := counted(h)
	for _, op := range bodies(t) {
		body := op.sample()
		for name, s := range op.body.Properties {
			for kind, wrong := range map[string]any{"string": "1", "integer": -1, "boolean": true, "object": map[string]any{"$gt": ""}, "array": []any{"1"}} {
				if s.is(kind) {
					continue
				}
				a := c.call(op.operation, with(body, name, wrong))
				require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s: %s as %s: %s: %s", op.id, name, kind, a.body, claim)
				require.True(t, a.about(name), "%s: %s as %s: %s", op.id, name, kind, a.body)
			}
			if !s.is("string") {
				continue
			}
			longest := 100
			if s.MaxLength != nil {
				longest = *s.MaxLength
			}
			require.True(t, s.MaxLength != nil || len(s.Enum) > 0 || s.Format != "", "%s: %s has no longest form", op.id, name)
			a := c.call(op.operation, with(body, name, strings.Repeat("é", longest+1)))
			require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s: %s too long: %s: %s", op.id, name, a.body, claim)
			require.True(t, a.about(name), "%s: %s too long: %s", op.id, name, a.body)
			a = c.call(op.operation, with(body, name, strings.Repeat("x", 2*rest.MaxJSONBytes)))
			require.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge}, a.status, "%s: %s huge", op.id, name)
			require.True(t, a.about(name) || a.text("message") == "This request is too large", "%s: %s huge: %s", op.id, name, a.body)
		}
		for _, name := range op.body.Required {
			less := maps.Clone(body)
			delete(less, name)
			raw, err := json.Marshal(less)
			require.NoError(t, err)
			a := c.call(op.operation, string(raw))
			require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s without %s", op.id, name)
			require.True(t, a.about(name), "%s without %s: %s", op.id, name, a.body)
		}
	}
	require.Equal(t, before, counted(h))
}

// tricks are texts that resemble another type, or that some layer cannot store.
var tricks = []string{"", " ", "\x00", "a\x00b", "\u202e1", "\u200b", "\ufeff1", "１００", "٣", "-1", "-0.01", "+1", "1e9", "0x10", "NaN", "Infinity", "1,5", "1 000",
	"9999999999999999999", "0.000000000000000000001", "' OR 1=1 --", `"; DROP TABLE users; --`, "<script>alert(1)</script>", "{{.Secret}}", "${jndi:x}",
	"../../etc/passwd", "a\r\nBcc: x@example.com", "=cmd()|'x'!A1", "%s%n", "null", "é́́́", "\U0001F4A9", "constructor"}

// Whatever text stands in a field of a body, the answer is ours: done, or
// refused and nothing changed.
func TestBar23NoTextInAnyBodyBreaksACall(t *testing.T) {
	h := open(t, unscaled)
	c, claim := h.callers(), asvs.Claim(t, "1.2.4")
	for _, op := range bodies(t) {
		body := op.sample()
		for name, s := range op.body.Properties {
			if !s.is("string") {
				continue
			}
			before, done := counted(h), 0
			for _, trick := range tricks {
				a := c.call(op.operation, with(body, name, trick))
				require.Less(t, a.status, http.StatusInternalServerError, "%s: %s is %q: %s: %s", op.id, name, trick, a.body, claim)
				if a.status < http.StatusBadRequest || a.status == http.StatusConflict { // a decision that was accepted, and could not be executed
					done++
				}
			}
			require.True(t, done > 0 || before == counted(h), "%s: %s was refused, and something changed", op.id, name)
		}
	}
	require.NotContains(t, h.log.String(), "panic")
}

// Nor does any in an address, a key, or a form with files.
func TestBar23NoTextInAnyAddressOrFormBreaksACall(t *testing.T) {
	h := open(t, unscaled)
	c := h.callers()
	for _, op := range operations(t) {
		if op.method != http.MethodGet || op.id == "streamEvents" {
			continue
		}
		for _, trick := range tricks {
			for _, path := range []string{strings.NewReplacer("{id}", url.PathEscape(trick), "{key}", url.PathEscape(trick)).Replace(op.path), op.path + "?q=" + url.QueryEscape(trick)} {
				a := c.staff.get(strings.NewReplacer("{id}", c.id, "{key}", "none").Replace(path))
				require.Less(t, a.status, http.StatusInternalServerError, "%s: %q: %s", op.id, trick, a.body)
			}
		}
	}
	for _, key := range []string{"\xff\xfe-not-a-text", "key-\xc3\x28-half"} {
		c.owner.post("/api/support/tickets", newTicket, "Idempotency-Key", key).is(http.StatusUnprocessableEntity)
	}
	before := counted(h) // what staff read may have been noted
	for _, op := range []string{"/api/gift-cards", "/api/orders/" + c.id + "/evidence"} {
		for _, field := range []string{"brand", "value", "cardType", "cardCode", "pin", "expiryDate", "securityCode", "kind"} {
			done := false
			for _, trick := range tricks {
				var form bytes.Buffer
				w := multipart.NewWriter(&form)
				for name, value := range map[string]string{"brand": "amazon", "value": "100", "cardType": "regular", "cardCode": "CODE123456", "kind": "receipt", field: trick} {
					require.NoError(t, w.WriteField(name, value))
				}
				require.NoError(t, w.Close())
				a := c.owner.post(op, form.String(), "Content-Type", w.FormDataContentType(), "Idempotency-Key", store.NewID())
				require.Less(t, a.status, http.StatusInternalServerError, "%s: %s is %q: %s", op, field, trick, a.body)
				done = done || a.status < http.StatusBadRequest
			}
			require.True(t, done || before == counted(h), "%s: %s was refused, and something changed", op, field)
			before = counted(h)
		}
	}
}

// A customer's view of their own objects, by any call, contains nothing that is for staff:
// providers' words and ids, keys of files, internal notes, who decided.
func TestBar04NoCustomersCallReturnsWhatIsForStaff(t *testing.T) {
	h := open(t, unscaled)
	c, claim := h.callers(), asvs.Claim(t, "8.2.3", "15.3.1")
	for _, seed := range []string{
		`UPDATE orders SET last_error = 'canary', fulfillment_error = 'canary', kraken_order_id = 'canary', bitgo_transfer_id = 'canary' WHERE user_id = $1`,
		`UPDATE kyc_records SET status = 'rejected', applicant_id = 'canary', provider_state = 'canary', labels = '{canary}', attempt = 'canary', can_retry = true WHERE user_id = $1`,
		`UPDATE gift_cards SET fingerprint = 'canary' WHERE user_id = $1`,
		`UPDATE payouts SET sealed_account = 'canary' WHERE user_id = $1`,
		`INSERT INTO data_exports (id, reference, user_id, status, file_key, seal_key, wake_at) SELECT gen_random_uuid(), 'DX-1', $1, 'ready', 'canary-file', 'canary', now() + interval '1 day'`,
		`INSERT INTO matter_events (matter, matter_id, user_id, reference, kind, actor, status, internal, data)
		 SELECT m, ` + "'" + c.id + "'" + `, $1, 'XX-1', 'noted', 'staff', 'open', true, '{"note":"canary"}' FROM unnest('{ticket,payout,two_factor,kyc}'::text[]) m`,
	} {
		h.exec(seed, c.owner.userID)
	}
	for _, caseKind := range []string{"ticket", "payout", "two_factor", "kyc"} {
		h.exec(`INSERT INTO matter_decisions (id, matter, matter_id, kind, actor_id, reason, data, settled_at, outcome_code)
			VALUES (gen_random_uuid(), $1, $2, 'reject', $3, 'canary', '{"note":"canary"}', now(), 'done')`, caseKind, c.id, c.staff.userID)
	}
	h.exec(`INSERT INTO audit_log (actor_id, actor_role, action, object_kind, object_id, reason) VALUES ($1, 'admin', 'kyc.reject', 'user', $2, 'canary')`, c.staff.userID, c.owner.userID)
	email := one[string](h, `SELECT email FROM users WHERE id = $1`, c.staff.userID)
	tried := 0
	for _, op := range operations(t) {
		own := slices.Contains([]string{string(policy.OwnOrders), string(policy.OwnAccount), string(policy.OwnSession)}, op.permission)
		if op.method != http.MethodGet || !own || strings.Contains(op.path, "{key}") || op.id == "streamEvents" {
			continue
		}
		tried++
		a := c.owner.get(strings.NewReplacer("{id}", c.id).Replace(op.path))
		require.Less(t, a.status, http.StatusInternalServerError, "%s: %s", op.id, a.body)
		for _, secret := range []string{"canary", email, c.staff.userID} {
			require.NotContains(t, string(a.body), secret, op.id+" "+claim)
		}
	}
	require.Greater(t, tried, 25)
}
