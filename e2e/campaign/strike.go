package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// strike executes one strike, and returns when it is over.
func (t *cluster) strike(ctx context.Context, s Strike, n int, forged *[]string) {
	var err error
	switch s.Kind {
	case "kill":
		err = t.kill(ctx, s.What, 0)
	case "away":
		err = t.kill(ctx, s.What, 4*time.Second)
	case "price":
		err = t.price(ctx, s.What)
	case "outage":
		var away time.Duration
		if away, err = time.ParseDuration(s.What); err == nil {
			err = t.kill(ctx, "sandbox", away)
		}
	case "slow network":
		err = t.while(ctx, slowTime, "/control/bitgo/pace", map[string]string{"confirmed": s.What}, map[string]string{"confirmed": "3s"})
	case "delisted":
		err = t.while(ctx, delistedTime, "/control/kraken/listing", map[string]string{"pair": s.What, "listed": "false"},
			map[string]string{"pair": s.What, "listed": "true"})
	case "maintenance":
		err = t.while(ctx, 5*time.Second, "/control/kraken/status", map[string]string{"status": s.What}, map[string]string{"status": "online"})
	case "approvals":
		err = t.while(ctx, 6*time.Second, "/control/bitgo/policy", map[string]string{"coin": s.What, "limit": "0"}, map[string]string{"coin": s.What, "limit": ""})
	case "forge":
		var ids []string
		ids, err = t.forge(ctx, s.What, n)
		*forged = append(*forged, ids...)
	case "clock":
		var by time.Duration
		if by, err = time.ParseDuration(s.What); err == nil {
			err = t.forward(ctx, by)
		}
	}
	t.count("strikes " + s.Kind + map[bool]string{true: " " + s.What}[s.Kind == "kill" || s.Kind == "away"])
	if err != nil && ctx.Err() == nil {
		t.say("strike %s %s: %v", s.Kind, s.What, err)
		t.count("strikes that missed")
	}
}

// delistedTime is how long a pair is not listed: other coins are bought meanwhile.
const delistedTime = 20 * time.Second

// slowTime outlasts the tracking of a transfer (CONFIRM_BUDGET), with time to send one: the simulator confirms at the
// rate that it has then.
const slowTime = 75 * time.Second

// kill ends a process by SIGKILL, and has it back after a while.
func (t *cluster) kill(ctx context.Context, part string, away time.Duration) error {
	if part == "sandbox" {
		t.tally(ctx) // it takes the list with it
	}
	before := t.stack.Pid(part)
	if err := t.stack.Kill(part); err != nil {
		return err
	}
	if away > 0 {
		if err := t.stack.Down(part); err != nil {
			return err
		}
		if err := pause(ctx, away); err != nil {
			return err
		}
		return t.stack.Up(ctx, part)
	}
	return persist(ctx, func(ctx context.Context) error {
		if pid := t.stack.Pid(part); pid == 0 || pid == before {
			return fmt.Errorf("%s has not come back", part)
		}
		return t.stack.Up(ctx, part)
	})
}

// restore puts right what strikes may have left behind.
func (t *cluster) restore(ctx context.Context) error {
	for _, name := range slices.Concat(parts, []string{"identity"}) {
		if err := t.stack.Up(ctx, name); err != nil {
			return fmt.Errorf("%s does not come back: %w", name, err)
		}
	}
	t.tally(ctx)
	if err := persist(ctx, func(ctx context.Context) error {
		return t.control(ctx, http.MethodPost, "/control/faults/clear", map[string]string{}, nil)
	}); err != nil {
		return err
	}
	for _, undo := range []struct {
		path string
		body map[string]string
	}{
		{"/control/kraken/status", map[string]string{"status": "online"}},
		{"/control/kraken/listing", map[string]string{"pair": "XETHZUSD", "listed": "true"}},
		{"/control/bitgo/policy", map[string]string{"coin": "btc", "limit": ""}}, {"/control/bitgo/policy", map[string]string{"coin": "eth", "limit": ""}},
		{"/control/bitgo/policy", map[string]string{"coin": "usdc", "limit": ""}}, {"/control/bitgo/pace", map[string]string{"confirmed": "3s"}},
		{"/control/kraken/prices", map[string]string{"pair": "XXBTZUSD", "ask": "97482.4"}}, {"/control/kraken/prices", map[string]string{"pair": "XETHZUSD", "ask": "3412.57"}},
	} {
		if err := t.control(ctx, http.MethodPost, undo.path, undo.body, nil); err != nil {
			return err
		}
	}
	return nil
}

func (t *cluster) while(ctx context.Context, d time.Duration, path string, do, undo map[string]string) error {
	if err := t.control(ctx, http.MethodPost, path, do, nil); err != nil {
		return err
	}
	if err := pause(ctx, d); err != nil {
		return err
	}
	return t.control(ctx, http.MethodPost, path, undo, nil)
}

// price moves a coin's price by a factor, from where the sandbox opened it.
func (t *cluster) price(ctx context.Context, what string) error {
	var factor float64
	var coin string
	if _, err := fmt.Sscan(what, &coin, &factor); err != nil {
		return err
	}
	pair, ask, decimals := "XXBTZUSD", 97482.4, 1
	if coin == "ETH" {
		pair, ask, decimals = "XETHZUSD", 3412.57, 2
	}
	return t.control(ctx, http.MethodPost, "/control/kraken/prices", map[string]string{"pair": pair, "ask": fmt.Sprintf("%.*f", decimals, ask*factor)}, nil)
}

// forge sends webhooks that the provider did not write: unsigned, signed with another secret, and signed long ago; all
// about a real order. It returns their ids, and counts those that were accepted.
func (t *cluster) forge(ctx context.Context, provider string, n int) ([]string, error) {
	var order string
	if err := t.database.QueryRow(ctx, "SELECT id::text FROM orders ORDER BY created_at DESC LIMIT 1").Scan(&order); err != nil {
		return nil, err
	}
	var ids []string
	for i, how := range []string{"unsigned", "another secret", "stale"} {
		id := fmt.Sprintf("evt_forged_%d_%d", n, i)
		ids = append(ids, id)
		body, err := json.Marshal(map[string]any{"id": id, "object": "event", "api_version": "2026-03-25.dahlia", "type": "charge.succeeded", "created": time.Now().Unix(),
			"hash": id, "state": "confirmed", "applicantId": id, "externalUserId": order, "correlationId": id,
			"data": map[string]any{"object": map[string]any{"id": "ch_" + id, "object": "charge", "status": "succeeded", "amount": 100_000_00, "currency": "usd",
				"payment_intent": "pi_" + id, "metadata": map[string]string{"order_id": order}, "payment_method_details": map[string]any{"type": "card",
					"card": map[string]any{"amount_authorized": 100_000_00, "brand": "visa", "last4": "4242", "capture_before": time.Now().Add(time.Hour).Unix()}}}}})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.stack.SiteURL()+"/api/webhooks/"+provider, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		t.sign(request, provider, how, string(body))
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			continue // the receiver is down
		}
		_ = response.Body.Close()
		t.count(fmt.Sprintf("forged notices answered %d", response.StatusCode))
	}
	return ids, nil
}

func (t *cluster) sign(request *http.Request, provider, how, body string) {
	if how == "unsigned" {
		return
	}
	secret, at := "another", time.Now().Unix()
	if how == "stale" {
		at -= 7 * 24 * 3600
		if provider == "stripe" { // the others sign no time: a right one would be right
			secret = t.stack.Secret("STRIPE_WEBHOOK_SECRET")
		}
	}
	mac := func(text string) string {
		h := hmac.New(sha256.New, []byte(secret))
		_, _ = h.Write([]byte(text)) // never fails
		return hex.EncodeToString(h.Sum(nil))
	}
	switch provider {
	case "stripe":
		request.Header.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s", at, mac(fmt.Sprintf("%d.%s", at, body))))
	case "bitgo":
		request.Header.Set("X-Signature-SHA256", mac(body))
	case "sumsub":
		request.Header.Set("X-Payload-Digest", mac(body))
		request.Header.Set("X-Payload-Digest-Alg", "HMAC_SHA256_HEX")
	}
}

// snapshot checks the ledger while everything runs, in one snapshot of the database: each currency sums to zero, no
// protected account is on its wrong side, and no order's status differs from its postings.
func (t *cluster) snapshot(ctx context.Context) ([]Violation, error) {
	found, err := t.database.Query(ctx, snapshotQuery)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var all []Violation
	for found.Next() {
		var v Violation
		if err := found.Scan(&v.Order, &v.What); err != nil {
			return nil, err
		}
		v.What, v.Look = "at a snapshot, "+v.What, "postings, orders, as they were then"
		all = append(all, v)
	}
	t.count("snapshots")
	return all, found.Err()
}

// snapshotQuery is one statement, so that all of it is of one moment.
var snapshotQuery = strings.TrimSpace(`
WITH moved AS (
  SELECT to_account AS account, currency, order_id, amount FROM postings
  UNION ALL SELECT from_account, currency, order_id, -amount FROM postings),
held AS (SELECT account, currency, sum(amount) AS balance FROM moved GROUP BY 1, 2),
of AS (SELECT order_id, account, sum(amount) AS balance FROM moved WHERE order_id IS NOT NULL AND (account = 'prepaid_orders' OR account LIKE 'wallet_reserved:%') GROUP BY 1, 2)
SELECT '', currency || ' sums to ' || sum(balance) FROM held GROUP BY currency HAVING sum(balance) <> 0
UNION ALL
SELECT '', h.account || ' holds ' || balance || ' ' || currency FROM held h JOIN accounts a ON a.code = h.account
 WHERE a.protected AND (a.kind = 'asset' AND balance < 0 OR a.kind = 'liability' AND balance > 0)
UNION ALL
SELECT o.id::text, 'it is ' || o.status || ' and ' || of.account || ' holds ' || of.balance FROM orders o JOIN of ON of.order_id = o.id
 WHERE of.balance <> 0 AND (o.status IN ('pending', 'sent') OR o.resolution IS NOT NULL)
    OR of.account = 'prepaid_orders' AND of.balance > 0
UNION ALL
SELECT o.id::text, 'it is ' || o.status || ' and nothing is booked for it' FROM orders o
 WHERE o.status IN ('payment_approved', 'fulfilling', 'filled') AND NOT EXISTS (SELECT FROM of WHERE of.order_id = o.id)
UNION ALL
SELECT '', b.account || ' is shown as ' || b.amount || ' and the ledger says ' || coalesce(h.balance, 0)
  FROM customer_balances b JOIN accounts a ON a.code = b.account LEFT JOIN held h ON h.account = b.account AND h.currency = b.currency
 WHERE b.amount <> CASE a.kind WHEN 'asset' THEN 1 ELSE -1 END * coalesce(h.balance, 0)`)
