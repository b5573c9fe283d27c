package models_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models"
)

var kycTerms = models.KYCTerms{Valid: 2 * 365 * 24 * time.Hour, Notice: 30 * 24 * time.Hour}

// desk is where identities are looked at: a customer, an officer, and what the
// provider says.
type kycDesk struct {
	*shop
	officer string
}

func openKYCDesk(t *testing.T) *kycDesk {
	d := &kycDesk{shop: openShop(t), officer: models.NewID()}
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'officer', 'o@example.com', true)`, d.officer)
	d.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'compliance', 'test')`, d.officer)
	d.newcomer()
	return d
}

// within is the same desk in a subtest.
func (d *kycDesk) within(t *testing.T) *kycDesk {
	shop := *d.shop
	shop.T = t
	return &kycDesk{shop: &shop, officer: d.officer}
}

// newcomer is a customer who has never opened the widget.
func (d *kycDesk) newcomer() {
	d.Helper()
	d.user = models.NewID()
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $1::uuid::text, $1::uuid::text || '@example.com', true)`, d.user)
}

func (d *kycDesk) record() *models.KYCRecord {
	d.Helper()
	record, err := d.db.KYC(d.Context(), d.user)
	require.NoError(d, err)
	return record
}

func (d *kycDesk) now() time.Time {
	d.Helper()
	now, err := d.db.Now(d.Context())
	require.NoError(d, err)
	return now
}

// says stores a review that was read just now. Finished ones were decided now.
func (d *kycDesk) says(review models.KYCReview) {
	d.Helper()
	now := d.now()
	review.AskedAt = now
	if review.ApplicantID == "" {
		review.ApplicantID = "a1"
	}
	if review.Level == "" {
		review.Level = models.KYCStandard
	}
	if review.At.IsZero() && review.State == "completed" {
		review.At = now
	}
	require.NoError(d, d.db.ApplyReview(d.Context(), d.user, review, kycTerms))
}

// The provider's answers.
var (
	sayInit    = models.KYCReview{Status: models.KYCNotStarted, State: "init"}
	sayPending = models.KYCReview{Status: models.KYCPending, State: "pending", Attempt: "1"}
	sayHold    = models.KYCReview{Status: models.KYCPending, State: "onHold", Attempt: "1", OnHold: true}
	sayAsk     = models.KYCReview{Status: models.KYCRejected, State: "awaitingUser", Attempt: "1", CanRetry: true}
	sayGreen   = models.KYCReview{Status: models.KYCApproved, State: "completed", Attempt: "1", Country: "GB"}
	sayRetry   = models.KYCReview{Status: models.KYCRejected, State: "completed", Attempt: "1", CanRetry: true, Labels: []string{"UNSATISFACTORY_PHOTOS"}, Reason: "Sharper, please."}
	sayFinal   = models.KYCReview{Status: models.KYCRejected, State: "completed", Attempt: "1", Labels: []string{"FORGERY"}}
	sayOff     = models.KYCReview{Status: models.KYCApproved, State: "completed", Attempt: "1", Deactivated: true}
)

func at(level string, review models.KYCReview) models.KYCReview {
	review.Level = level
	return review
}

func again(attempt string, review models.KYCReview) models.KYCReview {
	review.Attempt = attempt
	return review
}

// decide takes a decision and carries it out.
func (d *kycDesk) decide(kind string, verdict models.KYCVerdict) error {
	d.Helper()
	decision, err := d.db.OpenKYCDecision(d.Context(), d.user, models.NewMatterDecision{Kind: kind, ActorID: d.officer, ActorRole: "compliance", Reason: "seen", Data: verdict})
	if err != nil {
		return err
	}
	err = d.db.DecideKYC(d.Context(), d.user, decision.ID, kycTerms)
	if err != nil {
		require.NoError(d, d.db.RefuseMatterDecision(d.Context(), decision.ID, models.ReasonOf(err)))
	}
	return err
}

func (d *kycDesk) advance(by time.Duration) {
	d.Helper()
	owner, err := models.Open(d.Context(), d.dbs.Owner, models.Options{MaxConns: 1, AllowOwner: true})
	require.NoError(d, err)
	defer owner.Close()
	_, err = owner.Pool().Exec(d.Context(), "UPDATE clock SET ahead = ahead + make_interval(secs => $1)", by.Seconds())
	require.NoError(d, err)
}

// due sees to what is due.
func (d *kycDesk) due() {
	d.Helper()
	require.NoError(d, d.db.DueKYC(d.Context(), d.user, kycTerms))
}

// told is the story so far, of what concerns the customer.
func (d *kycDesk) told() []string {
	d.Helper()
	events, err := d.db.MatterEvents(d.Context(), models.MatterKYC, d.user)
	require.NoError(d, err)
	kinds := []string{}
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// stands says where the customer is, in one word each: level in force, status.
func (d *kycDesk) stands(level, status string) {
	d.Helper()
	r := d.record()
	require.Equal(d, level+" "+status, r.LevelInForce()+" "+r.Status, "story: %v", d.told())
}

// Every way through a verification that PROVIDERS §4 knows, with where the
// customer stands afterwards and what they were told.
func TestIdentityReviewsLeadWhereTheyShould(t *testing.T) {
	d := openKYCDesk(t)
	enhanced := func(r models.KYCReview) models.KYCReview { return at(models.KYCEnhanced, again("2", r)) }
	for name, c := range map[string]struct {
		says          []models.KYCReview
		level, status string
		told          []string
	}{
		"approved":                        {[]models.KYCReview{sayInit, sayPending, sayGreen}, "standard", "approved", []string{"submitted", "approved"}},
		"told twice":                      {[]models.KYCReview{sayPending, sayPending, sayGreen, sayGreen}, "standard", "approved", []string{"submitted", "approved", "approved"}},
		"refused, then another photo":     {[]models.KYCReview{sayPending, sayRetry, again("2", sayPending), again("2", sayGreen)}, "standard", "approved", []string{"submitted", "rejected", "submitted", "approved"}},
		"refused for good":                {[]models.KYCReview{sayPending, sayFinal}, "none", "rejected", []string{"submitted", "rejected"}},
		"on hold":                         {[]models.KYCReview{sayPending, sayHold}, "none", "pending", []string{"submitted", "on_hold"}},
		"more wanted":                     {[]models.KYCReview{sayPending, sayAsk}, "none", "rejected", []string{"submitted", "more_wanted"}},
		"taken back":                      {[]models.KYCReview{sayPending, sayGreen, sayFinal}, "none", "rejected", []string{"submitted", "approved", "revoked"}},
		"taken back, to be repeated":      {[]models.KYCReview{sayGreen, sayRetry}, "none", "rejected", []string{"approved", "revoked"}},
		"taken back and given again":      {[]models.KYCReview{sayGreen, sayFinal, sayGreen}, "standard", "approved", []string{"approved", "revoked", "approved"}},
		"more wanted after the approval":  {[]models.KYCReview{sayGreen, sayAsk}, "none", "rejected", []string{"approved", "revoked"}},
		"reset by the provider":           {[]models.KYCReview{sayGreen, sayInit}, "none", "not_started", []string{"approved", "revoked"}},
		"reset before the approval":       {[]models.KYCReview{sayPending, sayRetry, sayInit}, "none", "not_started", []string{"submitted", "rejected", "reset"}},
		"deactivated":                     {[]models.KYCReview{sayGreen, sayOff}, "none", "rejected", []string{"approved", "revoked"}},
		"deactivated and activated":       {[]models.KYCReview{sayGreen, sayOff, sayGreen}, "standard", "approved", []string{"approved", "revoked", "approved"}},
		"looked at again while it counts": {[]models.KYCReview{sayGreen, again("2", sayPending)}, "standard", "pending", []string{"approved", "submitted"}},
		"enhanced under way":              {[]models.KYCReview{sayGreen, enhanced(sayInit), enhanced(sayPending)}, "standard", "pending", []string{"approved", "level_changed", "submitted"}},
		"enhanced":                        {[]models.KYCReview{sayGreen, enhanced(sayInit), enhanced(sayPending), enhanced(sayGreen)}, "enhanced", "approved", []string{"approved", "level_changed", "submitted", "approved"}},
		"enhanced needs another try":      {[]models.KYCReview{sayGreen, enhanced(sayPending), enhanced(sayRetry)}, "standard", "rejected", []string{"approved", "level_changed", "submitted", "rejected"}},
		"enhanced wants more":             {[]models.KYCReview{sayGreen, enhanced(sayPending), enhanced(sayAsk)}, "standard", "rejected", []string{"approved", "level_changed", "submitted", "more_wanted"}},
		"enhanced refused for good":       {[]models.KYCReview{sayGreen, enhanced(sayPending), enhanced(sayFinal)}, "none", "rejected", []string{"approved", "level_changed", "submitted", "revoked"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := d.within(t)
			d.newcomer()
			for _, review := range c.says {
				d.says(review)
			}
			d.stands(c.level, c.status)
			require.Equal(t, append([]string{"started"}, c.told...), d.told())
		})
	}
}

// Answers and results that come late, out of order or again change nothing.
func TestBar29OldReviewsChangeNothing(t *testing.T) {
	d := openKYCDesk(t)
	before := d.now().Add(-time.Minute)
	d.says(sayPending)
	d.says(sayGreen)
	old := sayPending // asked before the approval was
	old.AskedAt, old.ApplicantID, old.Level = before, "a1", models.KYCStandard
	require.NoError(t, d.db.ApplyReview(t.Context(), d.user, old, kycTerms))
	refused := sayFinal // read now, decided before
	refused.At = before
	d.says(refused)
	require.NoError(t, d.db.MissReview(t.Context(), d.user, before))
	d.stands("standard", "approved")
	require.Equal(t, []string{"started", "submitted", "approved"}, d.told())
	until := d.record().ExpiresAt
	sameAgain := sayGreen
	sameAgain.At = *d.record().ProviderAt
	d.advance(time.Hour)
	d.says(sameAgain)
	require.Equal(t, until, d.record().ExpiresAt, "an approval that was counted does not begin anew")
}

// A customer the provider does not know any more is believed to be deleted when
// it says so twice, a while apart.
func TestADeletedApplicantIsVerifiedNoMore(t *testing.T) {
	d := openKYCDesk(t)
	d.says(sayGreen)
	miss := func() { require.NoError(t, d.db.MissReview(t.Context(), d.user, d.now())) }
	miss()
	d.stands("standard", "approved")
	d.says(sayGreen)
	miss()
	miss()
	d.stands("standard", "approved")
	d.advance(time.Minute)
	miss()
	d.stands("none", "not_started")
	require.Equal(t, models.KYCEndedDeleted, d.record().EndedBy)
	require.True(t, d.record().CanRetry)
	again := sayGreen
	again.ApplicantID = "a2"
	d.says(again)
	d.stands("standard", "approved")
}

func TestStaffsVerdictStandsUntilSomethingLaterOverturnsIt(t *testing.T) {
	d := openKYCDesk(t)
	for name, c := range map[string]struct {
		before        []models.KYCReview
		kind          string
		verdict       models.KYCVerdict
		after         []models.KYCReview
		level, status string
	}{
		"approved while the provider ponders": {[]models.KYCReview{sayPending}, models.KYCApprove, models.KYCVerdict{Level: "standard"}, []models.KYCReview{sayPending, sayHold}, "standard", "approved"},
		"approved, then refused there":        {[]models.KYCReview{sayPending}, models.KYCApprove, models.KYCVerdict{Level: "standard"}, []models.KYCReview{sayFinal}, "none", "rejected"},
		"approved as enhanced":                {[]models.KYCReview{sayRetry}, models.KYCApprove, models.KYCVerdict{Level: "enhanced"}, nil, "enhanced", "approved"},
		"refused for good, approved there":    {[]models.KYCReview{sayPending}, models.KYCReject, models.KYCVerdict{}, []models.KYCReview{sayGreen}, "none", "rejected"},
		"refused, to be repeated":             {[]models.KYCReview{sayPending}, models.KYCReject, models.KYCVerdict{CanRetry: true}, []models.KYCReview{sayPending, sayGreen}, "none", "rejected"},
		"revoked, approved there":             {[]models.KYCReview{sayGreen}, models.KYCRevoke, models.KYCVerdict{}, []models.KYCReview{sayGreen}, "none", "rejected"},
		"held, approved there":                {[]models.KYCReview{sayPending}, models.KYCHold, models.KYCVerdict{}, []models.KYCReview{sayGreen}, "none", "pending"},
		"asked again":                         {[]models.KYCReview{sayFinal}, models.KYCAsk, models.KYCVerdict{}, []models.KYCReview{sayRetry}, "none", "not_started"},
		"asked again while verified":          {[]models.KYCReview{sayGreen}, models.KYCAsk, models.KYCVerdict{}, []models.KYCReview{sayGreen}, "standard", "approved"},
	} {
		t.Run(name, func(t *testing.T) {
			d := d.within(t)
			d.newcomer()
			for _, review := range c.before {
				d.says(review)
			}
			require.NoError(t, d.decide(c.kind, c.verdict))
			for _, review := range c.after {
				d.says(review)
			}
			d.stands(c.level, c.status)
		})
	}
}

// What staff hold is granted when they let go; what they ask for anew begins at
// the provider, and counts then.
func TestHeldAndAskedAgain(t *testing.T) {
	d := openKYCDesk(t)
	d.says(sayPending)
	require.NoError(t, d.decide(models.KYCHold, models.KYCVerdict{}))
	d.says(sayGreen)
	d.stands("none", "pending")
	require.NoError(t, d.decide(models.KYCRelease, models.KYCVerdict{}))
	d.says(sayGreen)
	d.stands("standard", "approved")
	require.NoError(t, d.decide(models.KYCAsk, models.KYCVerdict{}))
	r := d.record()
	require.True(t, r.Preparing() && r.Applying())
	require.WithinDuration(t, d.now().Add(kycTerms.Notice), *r.ExpiresAt, time.Minute)
	require.NoError(t, d.db.KYCReset(t.Context(), d.user))
	d.says(sayInit)
	d.says(again("2", sayPending))
	d.stands("standard", "pending")
	require.Equal(t, models.KYCPending, d.record().AttemptStatus())
	d.says(again("2", sayGreen))
	d.stands("standard", "approved")
	require.WithinDuration(t, d.now().Add(kycTerms.Valid), *d.record().ExpiresAt, time.Minute)
}

func TestBar05NobodyDecidesOnTheirOwnIdentityOrTwice(t *testing.T) {
	d := openKYCDesk(t)
	open := func(kind, actor, reason string) error {
		_, err := d.db.OpenKYCDecision(t.Context(), d.user, models.NewMatterDecision{Kind: kind, ActorID: actor, ActorRole: "admin", Reason: reason, Data: models.KYCVerdict{Level: "standard"}})
		return err
	}
	require.Equal(t, "not_found", models.ReasonOf(open(models.KYCApprove, d.officer, "x")), "who never began has no case")
	d.says(sayPending)
	require.Equal(t, "own_kyc", models.ReasonOf(open(models.KYCApprove, d.user, "x")))
	require.Equal(t, "required", models.ReasonOf(open(models.KYCApprove, d.officer, " ")))
	require.Equal(t, "kyc_state", models.ReasonOf(open(models.KYCRevoke, d.officer, "x")))
	require.NoError(t, open(models.KYCApprove, d.officer, "x"))
	require.Equal(t, "decision_open", models.ReasonOf(open(models.KYCReject, d.officer, "x")))
	d.stands("none", "pending")
}

// A level ends when its time is over: the customer is told before, can renew in
// time without a gap, and buys no more from that moment on, whoever looks.
func TestAnIdentityRunsOutAndIsRenewed(t *testing.T) {
	d := openKYCDesk(t)
	soon := sayGreen
	soon.DocumentsUntil = d.now().Add(100 * 24 * time.Hour).UTC().Truncate(24 * time.Hour)
	d.says(soon)
	r := d.record()
	require.Equal(t, soon.DocumentsUntil, r.ExpiresAt.UTC(), "a document ends before the approval does")
	require.Equal(t, soon.DocumentsUntil.Add(-kycTerms.Notice), r.WakeAt.UTC())
	require.Equal(t, "kyc_not_due", models.ReasonOf(d.db.RenewKYC(t.Context(), d.user)))
	d.due()
	require.Equal(t, []string{"started", "approved"}, d.told(), "too early")

	d.advance(r.WakeAt.Sub(d.now()) + time.Second)
	d.due()
	d.due()
	require.Equal(t, []string{"started", "approved", "expiring"}, d.told())
	require.Equal(t, soon.DocumentsUntil, d.record().WakeAt.UTC())
	require.NoError(t, d.db.RenewKYC(t.Context(), d.user))
	require.NoError(t, d.db.KYCReset(t.Context(), d.user))
	d.says(sayInit)
	d.says(again("2", sayPending))
	d.says(again("2", sayRetry))
	d.stands("standard", "rejected")
	d.says(again("3", sayPending))
	d.says(again("3", sayGreen))
	d.stands("standard", "approved")

	d.advance(kycTerms.Valid)
	_, err := d.order(t.Context(), d.quote("0.001"))
	require.Equal(t, "kyc_required", models.ReasonOf(err), "over is over, even before anybody noted it")
	d.due()
	d.stands("none", "not_started")
	require.Equal(t, models.KYCEndedExpired, d.record().EndedBy)
	require.True(t, d.record().Preparing())
	d.says(again("3", sayGreen))
	d.stands("none", "not_started")
	require.NoError(t, d.db.KYCReset(t.Context(), d.user))
	before := again("3", sayGreen)
	before.At = d.now().Add(-time.Hour)
	d.says(before)
	d.stands("none", "not_started")
	d.says(again("4", sayGreen))
	d.stands("standard", "approved")
	found, err := d.db.StaleReviews(t.Context(), time.Hour, time.Second, 100)
	require.NoError(t, err)
	require.Empty(t, found)
	d.advance(kycTerms.Valid)
	found, err = d.db.StaleReviews(t.Context(), time.Hour, time.Second, 100)
	require.NoError(t, err)
	require.Contains(t, found, models.Wake{Subject: d.user, Reason: "due"})
}

// Who is verified no more orders nothing more.
func TestACustomerWhoseApprovalIsTakenBackOrdersNothing(t *testing.T) {
	d := openKYCDesk(t)
	d.says(sayGreen)
	_, err := d.order(t.Context(), d.quote("0.001"))
	require.NoError(t, err)
	require.NoError(t, d.decide(models.KYCRevoke, models.KYCVerdict{}))
	_, err = d.order(t.Context(), d.quote("0.001"))
	require.Equal(t, "kyc_required", models.ReasonOf(err))
}

func (d *kycDesk) quote(amount string) models.Quote {
	d.Helper()
	d.price("50000")
	quote, err := d.quoter.Quote(d.Context(), d.input(amount))
	require.NoError(d, err)
	return quote
}

// Whatever happens in whatever order, a level is in force only between an
// approval and what ends it; counts fit the rows; and every decision that is
// offered can be carried out.
func TestBar22AnyOrderOfReviewsAndDecisionsIsLegal(t *testing.T) {
	d := openKYCDesk(t)
	reviews := []models.KYCReview{sayInit, sayPending, sayHold, sayAsk, sayGreen, sayRetry, sayFinal, sayOff}
	rapid.Check(t, func(r *rapid.T) {
		d.newcomer()
		require.NoError(r, d.db.StartKYC(t.Context(), d.user))
		n := rapid.IntRange(1, 12).Draw(r, "steps")
		for i := range n {
			before := d.record()
			approved := false
			switch rapid.IntRange(0, 3).Draw(r, "what") {
			case 0, 1:
				review := reviews[rapid.IntRange(0, len(reviews)-1).Draw(r, "review")]
				review.Attempt = fmt.Sprint(rapid.IntRange(1, 3).Draw(r, "attempt"))
				review.Level = rapid.SampledFrom([]string{"standard", "enhanced"}).Draw(r, "level")
				approved = review.Status == models.KYCApproved && !review.Deactivated
				d.says(review)
			case 2:
				offers := before.Awaits()
				if len(offers) == 0 {
					continue
				}
				kind := rapid.SampledFrom(offers).Draw(r, "kind")
				approved = kind == models.KYCApprove
				require.NoError(r, d.decide(kind, models.KYCVerdict{Level: "standard", CanRetry: i%2 == 0}), kind)
			case 3:
				require.NoError(r, d.db.KYCReset(t.Context(), d.user))
			}
			after := d.record()
			require.False(r, after.Verified() && !before.Verified() && !approved, "verified without an approval")
			require.False(r, after.Verified() && after.Status == models.KYCRejected && !after.CanRetry, "refused for good and verified")
			require.False(r, after.Status == models.KYCApproved && !after.Verified(), "approved and not verified")
			require.Equal(r, after.Verified() && after.ExpiresAt != nil, after.WakeAt != nil, "a level that nobody ends")
			require.NotEqual(r, after.RevokedAt != nil, after.EndedBy == "", "an end without a reason, or the other way round")
		}
		counts, err := d.db.CountKYC(t.Context(), "")
		require.NoError(r, err)
		var rows int
		for standing, n := range counts.ByStatus {
			var stored int
			require.NoError(r, d.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM kyc_records WHERE standing = $1", string(standing)).Scan(&stored))
			require.Equal(r, stored, n, standing)
			rows += stored
		}
		require.Equal(r, rows, counts.Total)
	})
}
