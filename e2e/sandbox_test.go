package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// control speaks to the sandbox as a person at its control page does.
func control(t *testing.T, method, path string, body, into any) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, stack.SandboxURL()+path, bytes.NewReader(raw))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Less(t, response.StatusCode, 300, "%s %s: %s", method, path, answer)
	if into != nil {
		require.NoError(t, json.Unmarshal(answer, into), string(answer))
	}
}

type fault struct {
	Provider  string `json:"provider"`
	Operation string `json:"operation"`
	Code      string `json:"code"`
	Match     string `json:"match,omitempty"`
	Count     int    `json:"count,omitempty"`
}

// arm arms a fault for this test alone.
func arm(t *testing.T, f fault) {
	t.Helper()
	control(t, http.MethodPost, "/control/faults", f, nil)
	t.Cleanup(func() { release(t) })
}

// release clears all faults and lets held requests go on.
func release(t *testing.T) {
	t.Helper()
	control(t, http.MethodDelete, "/control/faults", nil, nil)
}

// struck waits until a fault of an operation has met a request.
func struck(t *testing.T, operation string) {
	t.Helper()
	until(t, "a request to "+operation, func() bool {
		var list struct{ Struck []struct{ Operation string } }
		control(t, http.MethodGet, "/control/faults", nil, &list)
		for _, f := range list.Struck {
			if f.Operation == operation {
				return true
			}
		}
		return false
	})
}

// effects counts what really happened at the providers, by provider/operation.
func effects(t *testing.T) map[string]int {
	t.Helper()
	var list []struct {
		Provider, Operation string
		Count               int
	}
	control(t, http.MethodGet, "/control/effects", nil, &list)
	counts := map[string]int{}
	for _, e := range list {
		counts[e.Provider+"/"+e.Operation] += e.Count
	}
	return counts
}

// since is what happened after a count.
func since(t *testing.T, before map[string]int) map[string]int {
	t.Helper()
	moved := map[string]int{}
	for name, count := range effects(t) {
		if count != before[name] {
			moved[name] = count - before[name]
		}
	}
	return moved
}

// passKYC opens the widget with a token of the site and has the review approved;
// the site learns it from the signed webhook.
func (v *visitor) passKYC() {
	v.t.Helper()
	var token struct{ Token, UserID string }
	v.post("/api/kyc/token", map[string]string{}, &token)
	require.NotEmpty(v.t, token.Token)
	control(v.t, http.MethodPost, "/websdk/api/launch", map[string]string{"accessToken": token.Token}, nil)
	control(v.t, http.MethodPost, "/control/sumsub/decide", map[string]string{"user": token.UserID, "outcome": "approve"}, nil)
	until(v.t, "an approved identity", func() bool {
		var kyc struct{ Status string }
		v.get("/api/kyc/status", &kyc)
		return kyc.Status == "approved"
	})
}

// Test cards of Stripe.
const (
	goodCard     = "4242424242424242"
	declinedCard = "4000000000000002"
)

// pay fills in the hosted checkout page and returns where it leads.
func (v *visitor) pay(checkout, card string) page {
	v.t.Helper()
	p := v.open(checkout)
	require.Contains(v.t, strings.ToLower(string(p.body)), "simulat", "the page says that it is a simulation")
	return v.submit(p, "", map[string]string{"number": card, "expiry": "12 / 40", "cvc": "123", "name": "Erin Example"})
}
