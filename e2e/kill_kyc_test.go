package e2e

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// killReviews kills the API and core at every transaction of a customer's
// identity review, and at the look at the provider: each customer is approved,
// and that is noted once.
func (m *matrix) killReviews(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	clean := m.newcomer(t)
	require.NoError(t, clean.customer.isReviewed(ctx))
	quietly(ctx, func() int { return len(m.points.passages(t, clean.id)) })
	seen := transactionsOf(m.points.passages(t, clean.id))
	seen = slices.DeleteFunc(seen, func(s step) bool { return s.nth > 1 || !slices.Contains(reviewed, s.transaction) })
	for _, name := range reviewed {
		require.True(t, slices.ContainsFunc(seen, func(s step) bool { return s.transaction == name }), "%s was not seen", name)
	}
	seen = append(seen, step{process: "core", provider: "sumsub", operation: "read_applicant", nth: 1})
	for _, victim := range []string{"api", "core"} {
		var flights []flight
		for _, s := range seen {
			if s.process != victim {
				continue
			}
			for _, moment := range []string{"before", "after"} {
				b := m.newcomer(t)
				flights = append(flights, flight{"a review, " + moment + " " + s.String() + ", kill " + victim, b,
					func(ctx context.Context) error { return m.review(ctx, b, s, moment) }, func(t *testing.T) { approvedOnce(t, b.id) }})
			}
		}
		t.Run("kill "+victim, func(t *testing.T) { m.fly(t, victim, flights) })
	}
}

// reviewed are the transactions of a review.
var reviewed = []string{"StartKYC", "StoreWebhook", "ApplyReview", "MarkSubjectHandled"}

// newcomer is a customer who has only signed up; its id is the user's.
func (m *matrix) newcomer(t *testing.T) *buyer {
	t.Helper()
	b := &buyer{customer: signedUp(t)}
	require.NoError(t, database.QueryRow(t.Context(), "SELECT id FROM users WHERE email = $1", b.customer.mail).Scan(&b.id))
	return b
}

// review arms a failpoint, or a hold, for one customer's review and has it done.
func (m *matrix) review(ctx context.Context, b *buyer, s step, moment string) error {
	if s.provider == "" {
		id, err := m.points.arm(failpoint{Process: s.process, Transaction: s.transaction, Moment: moment, Match: b.id})
		if err != nil {
			return err
		}
		m.stands(b, func() bool { return m.points.stopped(id) }, func() error { return m.points.release(id) })
	} else if err := m.holdCall(ctx, b, s, moment, b.id); err != nil {
		return err
	}
	if err := b.customer.isReviewed(ctx); err != nil {
		return err
	}
	return m.struckDown(ctx, b)
}

// isReviewed passes the review, as patient people do.
func (v *visitor) isReviewed(ctx context.Context) error {
	var token struct{ Token string }
	err := insist(ctx, "a token for the widget", func() bool { return token.Token != "" }, func() {
		v.try(ctx, http.MethodPost, "/api/kyc/token", "", map[string]string{}, &token)
	})
	if err != nil {
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

func approvedOnce(t *testing.T, userID string) {
	t.Helper()
	var noted int
	require.NoError(t, database.QueryRow(t.Context(), "SELECT count(*) FROM kyc_events WHERE user_id = $1 AND status = 'approved'", userID).Scan(&noted))
	require.Equal(t, 1, noted)
}
