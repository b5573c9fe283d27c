package e2e

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// killReviews kills the API and core at every transaction of a customer's identity review, and at the read of the
// provider: each customer is approved, and that is recorded once.
func (m *matrix) killReviews(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	clean := m.newcomer(t)
	require.NoError(t, m.isReviewed(ctx, t, clean))
	quietly(ctx, time.Second, func() int { return len(m.points.passages(t, clean.id)) })
	seen := transactionsOf(m.points.passages(t, clean.id))
	seen = slices.DeleteFunc(seen, func(s step) bool { return s.nth > 1 || !slices.Contains(reviewed, s.transaction) })
	for _, name := range reviewed {
		require.True(t, slices.ContainsFunc(seen, func(s step) bool { return s.transaction == name }), "%s was not seen", name)
	}
	seen = append(seen, step{process: "core", provider: "sumsub", operation: "read_applicant", nth: 1})
	for _, victim := range []string{"api", "core"} {
		struck := slices.DeleteFunc(slices.Clone(seen), func(s step) bool { return s.process != victim })
		flights := make([]flight, 2*len(struck))
		together(t, len(flights), func(i int) {
			flights[i] = m.reviewFlight(t, victim, struck[i/2], []string{"before", "after"}[i%2])
		})
		t.Run("kill "+victim, func(t *testing.T) { m.fly(t, victim, flights) })
	}
}

// reviewFlight is the review of a new customer, with a kill.
func (m *matrix) reviewFlight(t *testing.T, victim string, s step, moment string) flight {
	t.Helper()
	b := m.newcomer(t)
	return flight{name: "a review, " + moment + " " + s.String() + ", kill " + victim, buyer: b,
		execute: func(ctx context.Context) error { return m.review(ctx, t, b, s, moment) },
		judge:   func(t *testing.T) { approvedOnce(t, b.id) },
		anew:    func(t *testing.T) flight { return m.reviewFlight(t, victim, s, moment) },
		explain: func(t *testing.T) { m.explainCase(t, b) }}
}

// reviewed are the transactions of a review.
var reviewed = []string{"StartKYC", "StoreWebhook", "ApplyReview", "MarkSubjectHandled"}

// newcomer is a customer who has only signed up; its id is the user's.
func (m *matrix) newcomer(t *testing.T) *buyer {
	t.Helper()
	b := &buyer{customer: signedUp(t).sendingOnce()}
	require.NoError(t, database.QueryRow(t.Context(), "SELECT id FROM users WHERE email = $1", b.customer.mail).Scan(&b.id))
	return b
}

// review arms a failpoint, or a hold, for one customer's review and has it done.
func (m *matrix) review(ctx context.Context, t *testing.T, b *buyer, s step, moment string) error {
	if s.provider == "" {
		id, err := m.points.arm(failpoint{Process: s.process, Transaction: s.transaction, Moment: moment, Match: b.id})
		if err != nil {
			return err
		}
		m.expectState(b, func() bool { return m.points.stopped(id) }, func() error { return m.points.release(id) })
	} else if err := m.holdCall(ctx, b, s, moment, b.id); err != nil {
		return err
	}
	if err := m.isReviewed(ctx, t, b); err != nil {
		return err
	}
	return m.struckDown(ctx, b)
}

// isReviewed passes the review slowly: core has read the provider for the first time, and found nothing, before
// anything is entered.
func (m *matrix) isReviewed(ctx context.Context, t *testing.T, b *buyer) error {
	v := b.customer
	var token struct{ Token string }
	err := insist(ctx, "a token for the widget", func() bool { return token.Token != "" }, func() {
		v.try(ctx, http.MethodPost, "/api/kyc/token", "", map[string]string{}, &token)
	})
	if err != nil {
		return err
	}
	if err := await(ctx, "the first look", func() bool { return m.looked(t, b) }); err != nil {
		return err
	}
	access := map[string]string{"accessToken": token.Token}
	if err := ask(ctx, http.MethodPost, "/websdk/api/launch", access, nil); err != nil {
		return err
	}
	access["country"], access["document"], access["outcome"] = "USA", "PASSPORT", "approve"
	if err := ask(ctx, http.MethodPost, "/websdk/api/submit", access, nil); err != nil {
		return err
	}
	return await(ctx, "an approved identity", func() bool {
		var kyc struct{ Status string }
		return v.try(ctx, http.MethodGet, "/api/kyc/status", "", nil, &kyc) == http.StatusOK && kyc.Status == "approved"
	})
}

// looked reports whether core has read a review, or is halted at the read.
func (m *matrix) looked(t *testing.T, b *buyer) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.waiting[b]; s != nil && s.hit() {
		return true
	}
	return slices.ContainsFunc(m.points.passages(t, b.id), func(p passage) bool { return p.Process == "core" && p.Transaction == "StartKYC" })
}

func approvedOnce(t *testing.T, userID string) {
	t.Helper()
	var noted int
	require.NoError(t, database.QueryRow(t.Context(), "SELECT count(*) FROM matter_events WHERE matter = 'kyc' AND matter_id = $1 AND kind = 'approved'", userID).Scan(&noted))
	require.Equal(t, 1, noted)
}
