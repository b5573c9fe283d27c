package worker

import (
	"bytes"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/mailtemplate"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// lost is the customer with a second factor, who has lost it and says so.
func (h *testCluster) lost() *account.TwoFactorRecovery {
	h.Helper()
	h.enrolled()
	return h.asksForRecovery()
}

func (h *testCluster) enrolled() {
	h.Helper()
	ctx, seed := h.Context(), "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	keys, err := secret.NewKeys(bytes.Repeat([]byte{9, 1}, secret.KeySize/2))
	require.NoError(h, err)
	before, after, now := []byte(store.NewID()), []byte(store.NewID()), time.Now()
	require.NoError(h, account.CreateSession(ctx, h.db, account.NewSession{TokenHash: before, UserID: h.customer, AuthenticatedAt: &now}))
	require.NoError(h, account.SetUpTwoFactor(ctx, h.db, keys, &account.Principal{UserID: h.customer, TokenHash: before}, seed))
	h.exec(`UPDATE second_factors SET last_step = 0`)
	code, err := totp.GenerateCode(seed, time.Now())
	require.NoError(h, err)
	_, err = account.EnableTwoFactor(ctx, h.db, keys, &account.Principal{UserID: h.customer, TokenHash: before}, code, after)
	require.NoError(h, err)
}

func (h *testCluster) asksForRecovery() *account.TwoFactorRecovery {
	h.Helper()
	recovery, err := account.AskTwoFactorRecovery(h.Context(), h.db, h.customer, 72*time.Hour)
	require.NoError(h, err)
	return recovery
}

// admin is one more of them.
func (h *testCluster) admin(name string) string {
	h.Helper()
	id := store.NewID()
	h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2 || '@example.com', true)`, id, name)
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'test')`, id)
	return id
}

func (h *testCluster) decideRecovery(id, kind, actor string) (workflows.Outcome, error) {
	h.Helper()
	decision, err := account.OpenRecoveryDecision(h.Context(), h.db, id, casework.NewCaseDecision{Kind: kind, ActorID: actor, ActorRole: "admin",
		Reason: "seen on video", Own: kind == account.RecoveryCancel})
	if err != nil {
		return workflows.Outcome{}, err
	}
	outcome, decided, err := h.client.DecideCase(h.Context(), account.KindTwoFactor, id, kind, decision.ID, 40*time.Second)
	require.NoError(h, err)
	require.True(h, decided)
	return outcome, nil
}

func (h *testCluster) recoveryEnds(id, status, record string) {
	h.Helper()
	workflow := workflows.CaseID(account.KindTwoFactor, id)
	require.NoError(h, h.client.GetWorkflow(h.Context(), workflow, "").Get(h.Context(), nil))
	state, err := account.ReadRecoveryState(h.Context(), h.db, id)
	require.NoError(h, err)
	require.Equal(h, status, state.Status)
	h.record(workflow, record)
}

func (h *testCluster) count(sql string, args ...any) (n int) {
	h.Helper()
	require.NoError(h, h.db.Pool().QueryRow(h.Context(), sql, args...).Scan(&n))
	return n
}

func TestBar05ALostFactorIsLiftedByTwoAdminsAfterTheDelay(t *testing.T) {
	h := open(t)
	first, second := h.admin("first"), h.admin("second")
	recovery := h.lost()
	require.Equal(t, recovery.ID, h.asksForRecovery().ID, "asking again is the same request")
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'test')`, h.customer)
	_, err := h.decideRecovery(recovery.ID, account.RecoveryVouch, h.customer)
	require.Equal(t, "own_two_factor", store.ReasonOf(err))
	_, err = h.decideRecovery(recovery.ID, account.RecoveryApprove, second)
	require.Equal(t, "recovery_state", store.ReasonOf(err), "one admin is not enough")
	outcome, err := h.decideRecovery(recovery.ID, account.RecoveryVouch, first)
	require.NoError(t, err)
	require.Equal(t, workflows.Done, outcome.Code)
	_, err = h.decideRecovery(recovery.ID, account.RecoveryApprove, second)
	require.Equal(t, "too_early", store.ReasonOf(err))
	h.advance(73 * time.Hour)
	_, err = h.decideRecovery(recovery.ID, account.RecoveryApprove, first)
	require.Equal(t, "second_person", store.ReasonOf(err))
	require.Equal(t, 1, h.count(`SELECT count(*) FROM second_factors WHERE enabled_at IS NOT NULL`))
	outcome, err = h.decideRecovery(recovery.ID, account.RecoveryApprove, second)
	require.NoError(t, err)
	require.Equal(t, workflows.Done, outcome.Code)
	h.recoveryEnds(recovery.ID, account.RecoveryDone, "two-factor-recovered")
	require.Zero(t, h.count(`SELECT count(*) FROM second_factors WHERE enabled_at IS NOT NULL`))
	require.Zero(t, h.count(`SELECT count(*) FROM backup_codes`))
	require.Zero(t, h.count(`SELECT count(*) FROM sessions WHERE user_id = $1 AND revoked_at IS NULL`, h.customer))
	require.Equal(t, 2, h.count(`SELECT count(*) FROM audit_log WHERE object_id = $1 AND reason = 'seen on video'`, recovery.ID))
}

// No workflow was started or signalled: the sweep finds the recovery, signals it when its
// delay is over, and delivers the decision; late ones are answered.
func TestBar26SweepResumesRecoveries(t *testing.T) {
	h := open(t)
	first := h.admin("first")
	recovery := h.lost()
	h.sweep()
	decision, err := account.OpenRecoveryDecision(t.Context(), h.db, recovery.ID, casework.NewCaseDecision{Kind: account.RecoveryVouch, ActorID: first, Reason: "seen"})
	require.NoError(t, err)
	h.record(h.sweep(), "sweep-two-factor")
	h.until("vouched", func() bool {
		state, err := account.ReadRecoveryState(t.Context(), h.db, recovery.ID)
		require.NoError(t, err)
		return state.Status == account.RecoveryVouched
	})
	outcome, decided, err := h.client.DecideCase(t.Context(), account.KindTwoFactor, recovery.ID, account.RecoveryVouch, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided && outcome.OK(), "the same decision again attaches to the first: %+v", outcome)

	// The workflow dies with Temporal's data; its owner stops it from the row.
	require.NoError(t, h.client.TerminateWorkflow(t.Context(), workflows.CaseID(account.KindTwoFactor, recovery.ID), "", "the test"))
	outcome, err = h.decideRecovery(recovery.ID, account.RecoveryCancel, h.customer)
	require.NoError(t, err)
	require.Equal(t, workflows.Done, outcome.Code)
	h.recoveryEnds(recovery.ID, account.RecoveryCancelled, "two-factor-cancelled")
	require.Equal(t, 1, h.count(`SELECT count(*) FROM second_factors WHERE enabled_at IS NOT NULL`))

	refused := h.asksForRecovery()
	outcome, err = h.decideRecovery(refused.ID, account.RecoveryRefuse, first)
	require.NoError(t, err)
	require.Equal(t, workflows.Done, outcome.Code)
	h.recoveryEnds(refused.ID, account.RecoveryRefused, "two-factor-refused")

	forgotten := h.asksForRecovery()
	require.NoError(t, h.client.StartCase(t.Context(), account.KindTwoFactor, forgotten.ID))
	h.until("its workflow", func() bool {
		return h.count(`SELECT count(*) FROM two_factor_recoveries WHERE id = $1 AND workflow_started_at IS NOT NULL`, forgotten.ID) == 1
	})
	decision, err = account.OpenRecoveryDecision(t.Context(), h.db, forgotten.ID, casework.NewCaseDecision{Kind: account.RecoveryVouch, ActorID: first, Reason: "seen"})
	require.NoError(t, err)
	h.exec(`UPDATE two_factor_recoveries SET vouched_by = $1, status = 'vouched' WHERE id = $2`, first, forgotten.ID)
	outcome, _, err = h.client.DecideCase(t.Context(), account.KindTwoFactor, forgotten.ID, account.RecoveryVouch, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.Equal(t, "recovery_state", outcome.Code, "what changed since the decision counts")
	h.advance(73 * time.Hour)
	h.sweep()
	h.until("the end of the delay", func() bool {
		return h.count(`SELECT count(*) FROM matter_events WHERE matter_id = $1 AND kind = 'recovery_ready'`, forgotten.ID) == 1
	})
	h.advance(15 * 24 * time.Hour)
	// Not by the sweep, which may start a second run once this one has ended.
	require.NoError(t, h.client.SignalWorkflow(t.Context(), workflows.CaseID(account.KindTwoFactor, forgotten.ID), "", workflows.CaseChanged, workflows.WebhookSignal{Reason: "due"}))
	h.recoveryEnds(forgotten.ID, account.RecoveryExpired, "two-factor-expired")
}

// Every event of an account's security that causes a mail is mailed to the account's owner,
// without any secret.
func TestBar35MailsAboutTheSecondFactor(t *testing.T) {
	h := open(t)
	h.admin("first")
	h.exec(`UPDATE users SET first_name = 'Ada' WHERE id = $1`, h.customer)
	kinds := mailtemplate.Kinds("en")
	for _, m := range account.KindTwoFactor.Rules().Mailings {
		require.Contains(t, kinds, m.Kind, "a mail without a letter")
	}
	for _, known := range []string{"one", "two", "two"} {
		require.NoError(t, account.CreateSession(t.Context(), h.db, account.NewSession{TokenHash: []byte(store.NewID()), UserID: h.customer, DeviceHash: []byte(known), Device: "Firefox on Windows"}))
	}
	h.lost()
	h.deliverMails()
	subjects := map[string]bool{}
	for _, mail := range h.mails("customer@example.com") {
		subjects[mail.Subject] = true
		require.Equal(t, 1, mail.Deliveries)
		require.Contains(t, mail.Text, "http://localhost/open?to=/settings/security")
		require.NotContains(t, mail.Text, "JBSWY3DP")
	}
	require.Equal(t, map[string]bool{"New sign-in to your account": true, "Two-factor authentication is on": true,
		"Request to turn off two-factor authentication": true}, subjects)
	require.Len(t, h.mails("first@example.com"), 1)
}
