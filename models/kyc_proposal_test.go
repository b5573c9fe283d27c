package models_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/team"
)

// reviewer adds a member of staff who decides about identities.
func (d *kycFixture) reviewer(email string) string {
	d.Helper()
	id := store.NewID()
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $3, true)`, id, id, email)
	d.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'compliance', 'test')`, id)
	return id
}

func (d *kycFixture) proposes(by, level string) (*kyc.Proposal, error) {
	d.Helper()
	return kyc.ProposeKYC(d.Context(), d.db, d.user, level, store.Actor{ActorID: by, ActorRole: "compliance", Reason: "seen in person"})
}

func answerTo(p *kyc.Proposal, by string) kyc.ProposalAnswer {
	return kyc.ProposalAnswer{UserID: p.UserID, ID: p.ID, Version: p.Version, Actor: store.Actor{ActorID: by, ActorRole: "compliance", Reason: "not convinced"}}
}

// seconds approves a proposal and has the workflow's step execute it.
func (d *kycFixture) seconds(p *kyc.Proposal, by string) error {
	d.Helper()
	decision, err := kyc.ApproveProposal(d.Context(), d.db, answerTo(p, by))
	if err != nil {
		return err
	}
	return kyc.DecideKYC(d.Context(), d.db, d.user, decision.ID, kycTerms)
}

func (d *kycFixture) number(query string, args ...any) (n int) {
	d.Helper()
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), query, args...).Scan(&n))
	return n
}

// An identity that the provider or staff rejected finally is approved by two people, also once documents were requested
// again; the provider approves it alone.
func TestBar05FinallyRejectedIdentityTakesTwo(t *testing.T) {
	d := openKYCFixture(t)
	second := d.reviewer("second@example.com")
	asked := func(d *kycFixture) {
		require.NoError(d, d.decide(kyc.KYCAsk, kyc.KYCVerdict{}))
		require.NoError(d, kyc.KYCReset(d.Context(), d.db, d.user))
	}
	decided := func(d *kycFixture, kind string) {
		require.NoError(d, d.decide(kind, kyc.KYCVerdict{}))
		asked(d)
		d.says(again("2", sayPending))
	}
	for name, rejected := range map[string]func(d *kycFixture){
		"by the provider":   func(d *kycFixture) { d.says(sayFinal) },
		"deactivated there": func(d *kycFixture) { d.says(sayOff) },
		"withdrawn there": func(d *kycFixture) {
			d.says(sayGreen)
			d.says(sayFinal)
		},
		"after a retry": func(d *kycFixture) {
			d.says(sayRetry)
			d.says(again("2", sayFinal))
		},
		"requested again": func(d *kycFixture) {
			d.says(sayFinal)
			asked(d)
			d.says(again("2", sayPending))
		},
		"retried since": func(d *kycFixture) {
			d.says(sayFinal)
			asked(d)
			d.says(again("2", sayRetry))
		},
		"by staff": func(d *kycFixture) {
			d.says(sayRetry)
			decided(d, kyc.KYCReject)
		},
		"revoked by staff": func(d *kycFixture) {
			d.says(sayGreen)
			decided(d, kyc.KYCRevoke)
		},
		"deleted there since": func(d *kycFixture) {
			d.says(sayFinal)
			d.exec(`UPDATE kyc_records SET missing_since = clock_now() - interval '1 hour' WHERE user_id = $1`, d.user)
			require.NoError(d, kyc.MissReview(d.Context(), d.db, d.user, d.now()))
			d.says(again("2", sayPending))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := d.within(t)
			d.newcomer()
			rejected(d)
			require.True(t, d.record().NeedsTwo())
			require.Contains(t, d.record().Awaits(), kyc.KYCApprove)
			require.ErrorIs(t, d.decide(kyc.KYCApprove, kyc.KYCVerdict{Level: "standard"}), kyc.ErrSecondPerson)
			p, err := d.proposes(d.officer, "enhanced")
			require.NoError(t, err)
			require.Equal(t, "none", d.record().LevelInForce(), "a proposal approves nothing")
			require.NoError(t, d.seconds(p, second))
			d.expectState("enhanced", "approved")
			require.False(t, d.record().NeedsTwo())
			require.Equal(t, 1, d.number(`SELECT count(*) FROM audit_log WHERE action = 'kyc.approve_proposed' AND actor_id = $1 AND object_id = $2`, d.officer, d.user))
			require.Equal(t, 1, d.number(`SELECT count(*) FROM audit_log WHERE action = 'kyc.approve' AND actor_id = $1 AND after->'asked'->>'proposedBy' = $2 AND object_id = $3`, second, d.officer, d.user))
		})
	}
	d.newcomer()
	d.says(sayFinal)
	d.says(again("2", sayGreen))
	require.False(t, d.record().NeedsTwo(), "the provider changed its mind")
	d.expectState("standard", "approved")
	d.newcomer()
	d.says(sayRetry)
	require.NoError(t, d.decide(kyc.KYCApprove, kyc.KYCVerdict{Level: "standard"}), "no final rejection: one person")
}

// Neither the customer nor the proposer, under whatever account, is the second person; and neither Postgres nor the
// execution takes one person for two.
func TestBar05NoOneSecondsTheirOwnIdentityProposal(t *testing.T) {
	d := openKYCFixture(t)
	second, alias, mine := d.reviewer("second@example.com"), d.reviewer("O+other@Example.com"), d.reviewer("customer@example.com")
	d.exec(`UPDATE users SET email = 'customer+me@example.com' WHERE id = $1`, d.user)
	d.says(sayFinal)
	for _, own := range []string{d.user, mine} {
		_, err := d.proposes(own, "standard")
		require.Equal(t, "own_kyc", store.ReasonOf(err))
	}
	_, err := kyc.ProposeKYC(t.Context(), d.db, d.user, "standard", store.Actor{ActorID: d.officer, Reason: " "})
	require.Equal(t, "required", store.ReasonOf(err))
	p, err := d.proposes(d.officer, "standard")
	require.NoError(t, err)
	_, err = d.proposes(second, "enhanced")
	require.Equal(t, "proposal_open", store.ReasonOf(err))
	for by, code := range map[string]string{d.officer: "own_proposal", alias: "own_proposal", d.user: "own_kyc", mine: "own_kyc"} {
		require.Equal(t, code, store.ReasonOf(d.seconds(p, by)))
	}
	other := *p
	other.Version++
	require.Equal(t, "proposal_outdated", store.ReasonOf(d.seconds(&other, second)), "not what was seen")
	other = *p
	other.ID = store.NewID()
	require.Equal(t, "not_found", store.ReasonOf(d.seconds(&other, second)))
	_, err = d.db.Pool().Exec(t.Context(), `UPDATE kyc_proposals SET status = 'rejected', decided_by = proposed_by, decided_at = now()`)
	require.Error(t, err)
	d.expectState("none", "rejected")

	// A decision that one person makes past the program is not executed.
	forged := store.NewID()
	d.exec(`INSERT INTO matter_decisions (id, matter, matter_id, kind, actor_id, reason, data) VALUES ($1, 'kyc', $2, 'approve', $3, 'x', '{"level":"standard"}')`, forged, d.user, d.officer)
	require.Equal(t, "kyc_state", store.ReasonOf(kyc.DecideKYC(t.Context(), d.db, d.user, forged, kycTerms)))
	d.expectState("none", "rejected")
	d.exec(`UPDATE matter_decisions SET settled_at = now(), outcome_code = 'kyc_state' WHERE id = $1`, forged)
	require.NoError(t, d.seconds(p, second))
	require.Equal(t, "proposal_decided", store.ReasonOf(d.seconds(p, second)))
}

// One person's approval that waits for its execution is refused once the provider has rejected finally, and a final
// rejection that was decided before an approval, and read after it, revokes it.
func TestBar05ApprovalRacesFinalRejection(t *testing.T) {
	d := openKYCFixture(t)
	d.says(sayPending)
	decision, err := kyc.OpenKYCDecision(t.Context(), d.db, d.user, casework.NewCaseDecision{Kind: kyc.KYCApprove, ActorID: d.officer, ActorRole: "compliance", Reason: "x", Data: kyc.KYCVerdict{Level: "standard"}})
	require.NoError(t, err)
	d.says(sayFinal)
	require.Equal(t, "kyc_state", store.ReasonOf(kyc.DecideKYC(t.Context(), d.db, d.user, decision.ID, kycTerms)))
	d.expectState("none", "rejected")

	d.newcomer()
	d.says(sayPending)
	before := d.now().Add(-2 * time.Second)
	require.NoError(t, d.decide(kyc.KYCApprove, kyc.KYCVerdict{Level: "standard"}))
	late := sayFinal
	late.At = before
	d.says(late)
	d.expectState("none", "rejected")
	require.True(t, d.record().NeedsTwo())

	// What two people overruled stays overruled when it is read again.
	p, err := d.proposes(d.officer, "standard")
	require.NoError(t, err)
	require.NoError(t, d.seconds(p, d.reviewer("second@example.com")))
	d.says(late)
	d.expectState("standard", "approved")
}

// A proposal lapses with what its proposer saw, and with the proposer's role; its proposer withdraws it, and another
// person rejects it.
func TestKYCProposalsEnd(t *testing.T) {
	d := openKYCFixture(t)
	second, boss := d.reviewer("second@example.com"), d.reviewer("boss@example.com")
	d.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'test')`, boss)
	changed := func(read kyc.KYCReview) func(*kyc.Proposal) {
		return func(*kyc.Proposal) { d.says(read) }
	}
	closes := func(*kyc.Proposal) {
		for _, held := range kyc.Personal {
			for _, statement := range held.AtClosing {
				require.NoError(t, d.db.ORM(t.Context()).Exec(statement, map[string]any{"user": d.user}).Error)
			}
		}
	}
	demoted := func(p *kyc.Proposal) {
		_, err := team.TakeRoles(t.Context(), d.db, account.StaffAction{CustomerID: p.ProposedBy, ActorID: boss, ActorRole: "admin", Reason: "left"}, []string{"compliance"})
		require.NoError(t, err)
		require.Equal(t, 1, d.number(`SELECT count(*) FROM audit_log WHERE action = 'kyc.approve_lapsed' AND object_id = $1`, d.user))
	}
	for name, c := range map[string]struct {
		ends       func(*kyc.Proposal)
		code, said string
	}{
		"a new attempt":                 {changed(again("2", sayPending)), "proposal_outdated", "it is now pending"},
		"rejected there again":          {changed(again("2", sayFinal)), "proposal_outdated", "it is now rejected"},
		"another finding":               {changed(kyc.KYCReview{Status: kyc.KYCRejected, State: "completed", Attempt: "1", Labels: []string{"SANCTIONS"}}), "proposal_outdated", "it is now rejected"},
		"approved there":                {changed(again("2", sayGreen)), "proposal_outdated", "it is now approved"},
		"documents requested again":     {func(*kyc.Proposal) { require.NoError(t, d.decide(kyc.KYCAsk, kyc.KYCVerdict{})) }, "proposal_outdated", "it is now not started"},
		"the customer closes":           {closes, "proposal_decided", "expired"},
		"the proposer loses their role": {demoted, "proposal_decided", "expired"},
		"rejected":                      {func(p *kyc.Proposal) { require.NoError(t, kyc.RejectProposal(t.Context(), d.db, answerTo(p, boss))) }, "proposal_decided", "boss@example.com has already rejected this"},
		"withdrawn": {func(p *kyc.Proposal) {
			require.NoError(t, kyc.RejectProposal(t.Context(), d.db, answerTo(p, p.ProposedBy)))
		}, "proposal_decided", "has already withdrawn this"},
	} {
		t.Run(name, func(t *testing.T) {
			d.newcomer()
			d.says(sayFinal)
			p, err := d.proposes(d.reviewer(name+"@example.com"), "standard")
			require.NoError(t, err)
			open, err := kyc.OpenProposals(t.Context(), d.db)
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Equal(t, []any{p.ID, d.user, "standard", "completed", name + "@example.com", "seen in person", p.Version},
				[]any{open[0].ID, open[0].UserID, open[0].Level, open[0].ProviderState, open[0].Proposer, open[0].Reason, open[0].Version})
			require.EqualValues(t, []string{"FORGERY"}, open[0].Labels)
			c.ends(p)
			open, err = kyc.OpenProposals(t.Context(), d.db)
			require.NoError(t, err)
			require.Empty(t, open)
			_, err = kyc.ApproveProposal(t.Context(), d.db, answerTo(p, second))
			require.Equal(t, c.code, store.ReasonOf(err), "%v", err)
			require.ErrorContains(t, err, c.said)
			require.Zero(t, d.number(`SELECT count(*) FROM matter_decisions WHERE matter_id = $1 AND kind = 'approve'`, d.user))
		})
	}
}

// A read of the provider that changes nothing leaves a proposal open, and its approval that waits is executed.
func TestKYCProposalOutlivesPolls(t *testing.T) {
	d := openKYCFixture(t)
	at := d.now()
	final := sayFinal
	final.At = at
	d.says(final)
	p, err := d.proposes(d.officer, "standard")
	require.NoError(t, err)
	d.says(final)
	decision, err := kyc.ApproveProposal(t.Context(), d.db, answerTo(p, d.reviewer("second@example.com")))
	require.NoError(t, err)
	d.says(final)
	require.NoError(t, kyc.DecideKYC(t.Context(), d.db, d.user, decision.ID, kycTerms))
	d.expectState("standard", "approved")

	// What two people approved is not executed once the provider has answered anew.
	d.newcomer()
	d.says(final)
	p, err = d.proposes(d.officer, "standard")
	require.NoError(t, err)
	decision, err = kyc.ApproveProposal(t.Context(), d.db, answerTo(p, d.reviewer("third@example.com")))
	require.NoError(t, err)
	d.says(again("2", sayPending))
	require.Equal(t, "kyc_state", store.ReasonOf(kyc.DecideKYC(t.Context(), d.db, d.user, decision.ID, kycTerms)))
	d.expectState("none", "pending")
}

// Of many concurrent answers to a proposal one counts.
func TestBar18KYCProposalIsDecidedOnce(t *testing.T) {
	d := openKYCFixture(t)
	second, third := d.reviewer("second@example.com"), d.reviewer("third@example.com")
	d.says(sayFinal)
	p, err := d.proposes(d.officer, "standard")
	require.NoError(t, err)
	var wait sync.WaitGroup
	outcomes := make([]error, 9)
	for i := range outcomes {
		wait.Go(func() {
			switch i % 3 {
			case 0:
				_, outcomes[i] = kyc.ApproveProposal(d.Context(), d.db, answerTo(p, second))
			case 1:
				_, outcomes[i] = kyc.ApproveProposal(d.Context(), d.db, answerTo(p, third))
			default:
				outcomes[i] = kyc.RejectProposal(d.Context(), d.db, answerTo(p, third))
			}
		})
	}
	wait.Wait()
	won := 0
	for _, err := range outcomes {
		if err == nil {
			won++
			continue
		}
		require.Regexp(t, `^(second|third)@example.com has already (approved|rejected) this$`, fmt.Sprint(err))
	}
	require.Equal(t, 1, won)
	require.Equal(t, d.number(`SELECT count(*) FROM kyc_proposals WHERE status = 'approved'`), d.number(`SELECT count(*) FROM matter_decisions WHERE kind = 'approve'`))
}
