package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
	"github.com/tradepost/tradepost/workflows"
)

// quickKYC is what an approval is worth in these tests.
var quickKYC = activities.KYCTiming{Valid: 365 * 24 * time.Hour, Notice: 30 * 24 * time.Hour}

// reviewer passes on to Sumsub's simulator; before that is up, it has no applicants.
type reviewer struct {
	mu   sync.Mutex
	real provider.Identity
}

func (r *reviewer) WidgetToken(ctx context.Context, userID, email, level string) (string, error) {
	return r.real.WidgetToken(ctx, userID, email, level)
}

func (r *reviewer) Reset(ctx context.Context, applicantID string) error {
	return r.real.Reset(ctx, applicantID)
}

func (r *reviewer) Status(ctx context.Context, userID string) (provider.Review, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.real == nil {
		return provider.Review{}, provider.ErrNotFound
	}
	return r.real.Status(ctx, userID)
}

// receiveReview does with Sumsub's webhook what the API does.
func (h *testCluster) receiveReview(rw http.ResponseWriter, r *http.Request, body []byte) {
	event, err := sumsub.NewVerifier("sumsub-hook").Verify(r.Header, body, time.Now())
	if err != nil {
		http.Error(rw, err.Error(), http.StatusUnauthorized)
		return
	}
	done, err := webhook.StoreWebhook(r.Context(), h.db, webhook.WebhookNotice{Provider: "sumsub", EventID: event.ID, Type: event.Type, Subject: event.Subject})
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	if !done {
		_ = h.client.ReviewKYC(r.Context(), event.Subject, event.Type)
	}
}

// newcomer is a customer who verifies at the simulator.
type newcomer struct {
	*testCluster
	id     string
	client *sumsub.Client
}

func (h *testCluster) newcomer() *newcomer {
	h.Helper()
	n := &newcomer{testCluster: h, id: store.NewID(), client: sumsub.New(sumsub.Config{URL: h.sandbox, AppToken: "sbx:token", Secret: "secret", Level: "basic", Now: h.db.Now})}
	h.reviews.mu.Lock()
	h.reviews.real = n.client
	h.reviews.mu.Unlock()
	h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $1::uuid::text, 'newcomer@example.com', true)`, n.id)
	return n
}

// opens the widget for a level, as the page does, and answers its token.
func (n *newcomer) opens(level string) string {
	n.Helper()
	token, err := n.client.WidgetToken(n.Context(), n.id, "", level)
	require.NoError(n, err)
	require.NoError(n, kyc.StartKYC(n.Context(), n.db, n.id))
	require.NoError(n, n.testCluster.client.ReviewKYC(n.Context(), n.id, "widget_opened"))
	n.widget("launch", map[string]string{"accessToken": token})
	return token
}

func (n *newcomer) widget(call string, fields map[string]string) {
	n.Helper()
	body, err := json.Marshal(fields)
	require.NoError(n, err)
	answer, err := http.Post(n.sandbox+"/websdk/api/"+call, "application/json", bytes.NewReader(body))
	require.NoError(n, err)
	defer func() { _ = answer.Body.Close() }()
	require.Equal(n, http.StatusOK, answer.StatusCode)
}

// submits submits documents whose review is decided elsewhere.
func (n *newcomer) submits(token string) {
	n.Helper()
	n.widget("submit", map[string]string{"accessToken": token, "country": "GBR", "document": "PASSPORT", "outcome": "none"})
}

// judged is what Sumsub's control page decides.
func (n *newcomer) judged(outcome string) {
	n.Helper()
	n.control("/control/sumsub/decide", map[string]string{"user": n.id, "outcome": outcome})
}

// expectState waits until the customer stands somewhere: level in force, status.
func (n *newcomer) expectState(level, status string) *kyc.KYCRecord {
	n.Helper()
	var record *kyc.KYCRecord
	n.until(level+" and "+status, func() (there bool) {
		var err error
		record, err = kyc.KYC(n.Context(), n.db, n.id)
		return err == nil && record.LevelInForce() == level && record.Status == status
	})
	return record
}

// times is how often the timeline has an event.
func (n *newcomer) times(kind string) int {
	n.Helper()
	events, err := casework.CaseEvents(n.Context(), n.db, kyc.KindKYC, n.id)
	require.NoError(n, err)
	return len(slices.DeleteFunc(events, func(e casework.StoredEvent) bool { return e.Kind != kind }))
}

func (n *newcomer) openDecision(kind string, verdict kyc.KYCVerdict) string {
	n.Helper()
	decision, err := kyc.OpenKYCDecision(n.Context(), n.db, n.id, casework.NewCaseDecision{Kind: kind, ActorID: n.staff, ActorRole: "compliance", Reason: "CANARY reason", Data: verdict})
	require.NoError(n, err)
	return decision.ID
}

// decides has staff decide, and gives what came of it.
func (n *newcomer) decides(kind string, verdict kyc.KYCVerdict) string {
	n.Helper()
	outcome, decided, err := n.testCluster.client.DecideCase(n.Context(), kyc.KindKYC, n.id, kind, n.openDecision(kind, verdict), 40*time.Second)
	require.NoError(n, err)
	require.True(n, decided)
	return outcome.Code
}

// The whole way at the simulator, by its webhooks: another photo, the standard level, the
// enhanced one beside it, and all of it revoked.
func TestIdentityIsVerifiedRaisedAndRevoked(t *testing.T) {
	n := open(t).newcomer()
	token := n.opens("basic")
	n.submits(token)
	n.expectState("none", kyc.KYCPending)
	n.judged("hold")
	n.until("a hold", func() bool { return n.times("on_hold") == 1 })
	n.judged("ask")
	n.expectState("none", kyc.KYCRejected)
	n.submits(token)
	n.expectState("none", kyc.KYCPending)
	n.judged("retry")
	record := n.expectState("none", kyc.KYCRejected)
	require.True(t, record.CanRetry)
	require.Contains(t, record.Reason, "not sharp enough")
	require.Equal(t, []string{"UNSATISFACTORY_PHOTOS"}, []string(record.Labels))
	n.submits(token)
	n.expectState("none", kyc.KYCPending)
	n.judged("approve")
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)

	require.NoError(t, kyc.WantEnhanced(t.Context(), n.db, n.id))
	token = n.opens("enhanced")
	n.expectState(kyc.KYCStandard, kyc.KYCNotStarted)
	n.submits(token)
	n.expectState(kyc.KYCStandard, kyc.KYCPending)
	n.judged("approve")
	n.expectState(kyc.KYCEnhanced, kyc.KYCApproved)
	require.Equal(t, 2, n.times("approved"))

	n.judged("deactivate")
	n.expectState("none", kyc.KYCRejected)
	n.judged("activate")
	n.expectState(kyc.KYCEnhanced, kyc.KYCApproved)
	n.judged("reject")
	record = n.expectState("none", kyc.KYCRejected)
	require.False(t, record.CanRetry)
	require.NoError(t, n.testCluster.client.GetWorkflow(t.Context(), workflows.KYCID(n.id), "").Get(t.Context(), nil))
	n.record(workflows.KYCID(n.id), "kyc-raised-and-revoked")
	n.deliverMails()
	var subjects []string
	for _, mail := range n.mails("newcomer@example.com") {
		require.Equal(t, 1, mail.Deliveries)
		require.NotContains(t, mail.Text+mail.HTML, "not sharp enough", "what a reviewer says stays on the page")
		subjects = append(subjects, mail.Subject)
	}
	require.ElementsMatch(t, []string{"We need another document to verify your identity", "Try your verification again", "Your identity is verified",
		"Your identity is verified", "Your identity is no longer verified", "Your identity is verified", "Your identity is no longer verified"}, subjects)
}

// Webhooks that arrive twice, late, forged or never lead to the same end: each effect once.
func TestBar29IdentityNoticesInAnyOrderOrNone(t *testing.T) {
	h := open(t)
	for _, code := range []string{"dup_hook", "reorder_hook:1", "bad_sig_hook", "lost_hook"} {
		n := h.newcomer()
		token := n.opens("basic")
		n.until("a look", func() bool { return n.times("started") == 1 })
		n.control("/control/faults", map[string]any{"provider": "sumsub", "operation": "webhook", "match": n.id, "code": code, "count": -1})
		n.submits(token)
		n.judged("retry")
		n.submits(token)
		n.judged("approve")
		if code == "lost_hook" || code == "bad_sig_hook" {
			n.advance(2 * time.Hour)
			n.sweep()
		}
		n.expectState(kyc.KYCStandard, kyc.KYCApproved)
		require.Equal(t, 1, n.times("approved"), code)
	}
}

// A deleted customer is verified no more, once the provider says so twice.
func TestADeletedIdentityIsLookedUpTwice(t *testing.T) {
	n := open(t).newcomer()
	n.submits(n.opens("basic"))
	n.judged("approve")
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)
	n.judged("delete")
	n.until("a first doubt", func() bool {
		record, err := kyc.KYC(t.Context(), n.db, n.id)
		return err == nil && record.MissingSince != nil
	})
	n.advance(time.Minute)
	require.NoError(t, n.testCluster.client.ReviewKYC(t.Context(), n.id, "poll"))
	n.expectState("none", kyc.KYCNotStarted)
}

// Decisions of staff are executed once, sent to the provider once whatever the connection
// does, and refused when the case has changed.
func TestBar28StaffDecideAboutAnIdentity(t *testing.T) {
	n := open(t).newcomer()
	token := n.opens("basic")
	n.submits(token)
	n.judged("ask")
	n.expectState("none", kyc.KYCRejected)
	n.arm("sumsub", "reset", "drop_after")
	require.Equal(t, workflows.Done, n.decides(kyc.KYCAsk, kyc.KYCVerdict{}))
	n.until("the provider to ask anew", func() bool {
		record, err := kyc.KYC(t.Context(), n.db, n.id)
		return err == nil && !record.Preparing()
	})
	require.Equal(t, 1, n.effects()["sumsub/reset"], "%v", n.effects())
	n.submits(token)
	n.expectState("none", kyc.KYCPending)
	require.Equal(t, workflows.Done, n.decides(kyc.KYCHold, kyc.KYCVerdict{}))
	n.judged("approve")
	n.until("the approval to be seen", func() bool {
		record, err := kyc.KYC(t.Context(), n.db, n.id)
		return err == nil && record.ProviderState == "completed"
	})
	n.expectState("none", kyc.KYCPending)
	require.Equal(t, workflows.Done, n.decides(kyc.KYCRelease, kyc.KYCVerdict{}))
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)
	require.Equal(t, workflows.Done, n.decides(kyc.KYCRevoke, kyc.KYCVerdict{}))
	n.expectState("none", kyc.KYCRejected)
	n.record(workflows.KYCID(n.id), "kyc-decided")
	require.Equal(t, workflows.Done, n.decides(kyc.KYCAsk, kyc.KYCVerdict{}), "the workflow starts from the row")
	n.expectState("none", kyc.KYCNotStarted)
}

func TestADecisionAboutAnIdentityThatMovedOnIsRefused(t *testing.T) {
	n := open(t).newcomer()
	n.submits(n.opens("basic"))
	n.expectState("none", kyc.KYCPending)
	decision := n.openDecision(kyc.KYCReject, kyc.KYCVerdict{})
	n.judged("approve")
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)
	outcome, _, err := n.testCluster.client.DecideCase(t.Context(), kyc.KindKYC, n.id, kyc.KYCReject, decision, 40*time.Second)
	require.NoError(t, err)
	require.Contains(t, []string{"kyc_state", workflows.NotAwaited}, outcome.Code, "by the row, or by the workflow that has seen it")
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)
	n.recordSoFar(workflows.KYCID(n.id), "kyc-refused-decision")
}

// What one person proposed against the provider's final rejection is executed once another approves it.
func TestWorkflowExecutesSecondApproval(t *testing.T) {
	n := open(t).newcomer()
	n.submits(n.opens("basic"))
	n.judged("reject")
	n.expectState("none", kyc.KYCRejected)
	second := store.NewID()
	n.exec(`INSERT INTO users (id, issuer, subject, email) VALUES ($1, 'test', $1::uuid::text, 'second@example.com')`, second)
	p, err := kyc.ProposeKYC(t.Context(), n.db, n.id, kyc.KYCEnhanced, store.Actor{ActorID: n.staff, ActorRole: "compliance", Reason: "CANARY reason"})
	require.NoError(t, err)
	decision, err := kyc.ApproveProposal(t.Context(), n.db, kyc.ProposalAnswer{UserID: n.id, ID: p.ID, Version: p.Version, Actor: store.Actor{ActorID: second, ActorRole: "admin"}})
	require.NoError(t, err)
	outcome, decided, err := n.testCluster.client.DecideCase(t.Context(), kyc.KindKYC, n.id, kyc.KYCApprove, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.Equal(t, workflows.Done, outcome.Code, "the workflow starts from the row, and its read of the same rejection changes nothing")
	n.expectState(kyc.KYCEnhanced, kyc.KYCApproved)
}

// The workflow was not signalled: the sweep delivers the decision.
func TestBar26SweepDeliversDecisionsAboutIdentities(t *testing.T) {
	n := open(t).newcomer()
	n.submits(n.opens("basic"))
	n.expectState("none", kyc.KYCPending)
	require.NoError(t, n.testCluster.client.TerminateWorkflow(t.Context(), workflows.KYCID(n.id), "", "the test"))
	n.openDecision(kyc.KYCApprove, kyc.KYCVerdict{Level: kyc.KYCStandard})
	n.record(n.sweep(), "sweep-matter-decision")
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)
}

// An approval expires: a notification, a renewal without a gap, and in the end no level;
// the provider then restarts the review.
func TestAnIdentityRunsOutByItsTimer(t *testing.T) {
	n := open(t).newcomer()
	n.submits(n.opens("basic"))
	n.judged("approve")
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)
	n.advance(quickKYC.Valid - quickKYC.Notice + time.Hour)
	n.sweep()
	n.until("a notice", func() bool { return n.times("expiring") == 1 })

	require.NoError(t, kyc.RenewKYC(t.Context(), n.db, n.id))
	require.NoError(t, n.testCluster.client.ReviewKYC(t.Context(), n.id, "renewal"))
	n.until("the provider to ask anew", func() bool {
		record, err := kyc.KYC(t.Context(), n.db, n.id)
		return err == nil && !record.Preparing() && record.LevelInForce() == kyc.KYCStandard
	})
	n.submits(n.opens("basic"))
	n.expectState(kyc.KYCStandard, kyc.KYCPending)
	n.judged("approve")
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)

	n.advance(quickKYC.Valid)
	n.sweep()
	n.expectState("none", kyc.KYCNotStarted)
	n.until("the provider to ask anew", func() bool { return n.effects()["sumsub/reset"] == 2 })
	require.Equal(t, 1, n.times("expired"))
	n.recordSoFar(workflows.KYCID(n.id), "kyc-expired")
	n.submits(n.opens("basic"))
	n.judged("approve")
	n.expectState(kyc.KYCStandard, kyc.KYCApproved)
}
