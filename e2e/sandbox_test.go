package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// control calls the sandbox as its control page does.
func control(t *testing.T, method, path string, body, into any) {
	t.Helper()
	require.NoError(t, ask(context.WithoutCancel(t.Context()), method, path, body, into))
}

func ask(ctx context.Context, method, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, stack.SandboxURL()+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s %s", method, path, response.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// fault is a fault at a provider. Match limits it to one order, so that it does not affect concurrent tests: an order
// id for Stripe, the amount for Kraken, the address for BitGo.
type fault struct {
	ID        string `json:"id,omitempty"`
	Provider  string `json:"provider"`
	Operation string `json:"operation"`
	Match     string `json:"match"`
	Code      string `json:"code"`
	Count     int    `json:"count"`
}

// arm arms a fault until the test is over, and returns its id.
func arm(t *testing.T, f fault) string {
	t.Helper()
	require.NotEmpty(t, f.Match)
	var armed fault
	control(t, http.MethodPost, "/control/faults", f, &armed)
	require.NotEmpty(t, armed.ID)
	t.Cleanup(func() { release(t, armed.ID) })
	return armed.ID
}

// release clears a fault and lets requests go that it holds.
func release(t *testing.T, id string) {
	t.Helper()
	control(t, http.MethodDelete, "/control/faults/"+id, nil, nil)
}

// struck waits until a fault has met a request.
func struck(t *testing.T, id string) {
	t.Helper()
	until(t, "a request that meets "+id, func() bool {
		var list struct{ Struck []fault }
		control(t, http.MethodGet, "/control/faults", nil, &list)
		for _, f := range list.Struck {
			if f.ID == id {
				return true
			}
		}
		return false
	})
}

// effects counts what really happened at the providers for one order, by provider/operation. Each provider has its own
// identity for the order.
func effects(t *testing.T, orderID string) map[string]int {
	t.Helper()
	rows, err := database.Query(t.Context(), `SELECT $1::text UNION SELECT client_id::text FROM exchange_orders WHERE order_id = $1::text::uuid
		UNION SELECT sequence_id FROM withdrawals WHERE order_id = $1::text::uuid`, orderID)
	require.NoError(t, err)
	defer rows.Close()
	ours := map[string]bool{}
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		ours[id] = true
	}
	require.NoError(t, rows.Err())
	var list []struct {
		Provider, Operation, Subject string
		Count                        int
	}
	control(t, http.MethodGet, "/control/effects", nil, &list)
	counts := map[string]int{}
	for _, e := range list {
		if ours[e.Subject] {
			counts[e.Provider+"/"+e.Operation] += e.Count
		}
	}
	return counts
}

// once is what every good card order does at the providers, exactly once each.
func once(more ...string) map[string]int {
	counts := map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1}
	for _, name := range more {
		counts[name] = 1
	}
	return maps.Clone(counts)
}

// passKYC completes the widget with a token of the site, as its page does; the site learns the outcome from the signed
// webhook.
func (v *visitor) passKYC() {
	v.t.Helper()
	var token struct{ Token, UserID string }
	v.post("/api/kyc/token", map[string]string{}, &token)
	require.NotEmpty(v.t, token.Token)
	v.id = token.UserID
	control(v.t, http.MethodPost, "/websdk/api/launch", map[string]string{"accessToken": token.Token}, nil)
	control(v.t, http.MethodPost, "/websdk/api/submit", map[string]string{
		"accessToken": token.Token, "country": "USA", "document": "PASSPORT", "outcome": "approve"}, nil)
	until(v.t, "an approved identity", func() bool {
		var kyc struct{ Status string }
		v.get("/api/kyc/status", &kyc)
		return kyc.Status == "approved"
	})
}

// Test cards of Stripe.
const (
	goodCard     = "4242424242424242"
	otherCard    = "5555555555554444"
	declinedCard = "4000000000000002"
	secureCard   = "4000000000003220"
)

// pay fills in the hosted checkout page and returns where it leads.
func (v *visitor) pay(checkout, card string) page {
	v.t.Helper()
	p := v.open(checkout)
	require.Contains(v.t, strings.ToLower(string(p.body)), "simulat", "the page says that it is a simulation")
	return v.submit(p, "", map[string]string{"number": card, "expiry": "12 / 40", "cvc": "123", "name": "Erin Example"})
}
