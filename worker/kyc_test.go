package worker

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/workflows"
)

// reviewer answers for Sumsub, whose own simulator is met in the tests of the
// whole stack: here it is the workflow's way through a review that counts.
type reviewer struct {
	mu    sync.Mutex
	state provider.Review
	err   error
}

func (r *reviewer) says(state provider.Review, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.err = state, err
}

func (*reviewer) WidgetToken(context.Context, string, string) (string, error) {
	return "", provider.ErrNotFound
}

func (r *reviewer) Status(context.Context, string) (provider.Review, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state, r.err
}

func TestIdentityReviewIsWatchedFromTheWidgetToItsEnd(t *testing.T) {
	h := open(t)
	user := models.NewID()
	h.exec(`INSERT INTO users (id, issuer, subject, email) VALUES ($1, 'test', 'new', 'new@example.com')`, user)
	told := func(status provider.ReviewStatus) {
		h.reviews.says(provider.Review{ApplicantID: "a1", Status: status, Level: "basic", At: time.Now()}, nil)
		require.NoError(t, h.client.ReviewKYC(t.Context(), user, "notice"))
		h.until("the review to be "+string(status), func() bool {
			record, err := h.db.KYC(t.Context(), user)
			return err == nil && record.Status == string(status)
		})
	}
	require.NoError(t, h.client.ReviewKYC(t.Context(), user, "widget opened"))
	told(provider.ReviewPending)
	told(provider.ReviewApproved)
	require.NoError(t, h.client.GetWorkflow(t.Context(), workflows.KYCID(user), "").Get(t.Context(), nil))
	record, err := h.db.KYC(t.Context(), user)
	require.NoError(t, err)
	require.True(t, record.Verified())
	h.record(workflows.KYCID(user), "kyc-approved")
}
