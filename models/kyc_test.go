package models_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

var kycTerms = kyc.KYCTerms{Valid: 2 * 365 * 24 * time.Hour, Notice: 30 * 24 * time.Hour}

// kycFixture is a customer, an officer, and the provider's readings.
type kycFixture struct {
	*shop
	officer string
}

func openKYCFixture(t *testing.T) *kycFixture {
	d := &kycFixture{shop: openShop(t), officer: store.NewID()}
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'officer', 'o@example.com', true)`, d.officer)
	d.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'compliance', 'test')`, d.officer)
	d.newcomer()
	return d
}

// within is the same fixture in a subtest.
func (d *kycFixture) within(t *testing.T) *kycFixture {
	shop := *d.shop
	shop.T = t
	return &kycFixture{shop: &shop, officer: d.officer}
}

// newcomer is a customer who has never opened the widget.
func (d *kycFixture) newcomer() {
	d.Helper()
	d.user = store.NewID()
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $1::uuid::text, $1::uuid::text || '@example.com', true)`, d.user)
}

func (d *kycFixture) record() *kyc.KYCRecord {
	d.Helper()
	record, err := kyc.KYC(d.Context(), d.db, d.user)
	require.NoError(d, err)
	return record
}

func (d *kycFixture) now() time.Time {
	d.Helper()
	now, err := d.db.Now(d.Context())
	require.NoError(d, err)
	return now
}

// says stores a review that was read just now. Finished ones were decided now.
func (d *kycFixture) says(review kyc.KYCReview) {
	d.Helper()
	now := d.now()
	review.AskedAt = now
	if review.ApplicantID == "" {
		review.ApplicantID = "a1"
	}
	if review.Level == "" {
		review.Level = kyc.KYCStandard
	}
	if review.At.IsZero() && review.State == "completed" {
		review.At = now
	}
	require.NoError(d, kyc.ApplyReview(d.Context(), d.db, d.user, review, kycTerms))
}

// The provider's answers.
var (
	sayInit    = kyc.KYCReview{Status: kyc.KYCNotStarted, State: "init"}
	sayPending = kyc.KYCReview{Status: kyc.KYCPending, State: "pending", Attempt: "1"}
	sayHold    = kyc.KYCReview{Status: kyc.KYCPending, State: "onHold", Attempt: "1", OnHold: true}
	sayAsk     = kyc.KYCReview{Status: kyc.KYCRejected, State: "awaitingUser", Attempt: "1", CanRetry: true}
	sayGreen   = kyc.KYCReview{Status: kyc.KYCApproved, State: "completed", Attempt: "1", Country: "GB"}
	sayRetry   = kyc.KYCReview{Status: kyc.KYCRejected, State: "completed", Attempt: "1", CanRetry: true, Labels: []string{"UNSATISFACTORY_PHOTOS"}, Reason: "Sharper, please."}
	sayFinal   = kyc.KYCReview{Status: kyc.KYCRejected, State: "completed", Attempt: "1", Labels: []string{"FORGERY"}}
	sayOff     = kyc.KYCReview{Status: kyc.KYCApproved, State: "completed", Attempt: "1", Deactivated: true}
)

func at(level string, review kyc.KYCReview) kyc.KYCReview {
	review.Level = level
	return review
}

func again(attempt string, review kyc.KYCReview) kyc.KYCReview {
	review.Attempt = attempt
	return review
}

// decide makes a decision and executes it.
func (d *kycFixture) decide(kind string, verdict kyc.KYCVerdict) error {
	d.Helper()
	decision, err := kyc.OpenKYCDecision(d.Context(), d.db, d.user, casework.NewCaseDecision{Kind: kind, ActorID: d.officer, ActorRole: "compliance", Reason: "seen", Data: verdict})
	if err != nil {
		return err
	}
	err = kyc.DecideKYC(d.Context(), d.db, d.user, decision.ID, kycTerms)
	if err != nil {
		require.NoError(d, casework.CaseDecisions.Resolve(d.Context(), d.db, decision.ID, store.ReasonOf(err)))
	}
	return err
}

func (d *kycFixture) advance(by time.Duration) {
	d.Helper()
	owner, err := store.Open(d.Context(), d.dbs.Owner, store.Options{MaxConns: 1, AllowOwner: true})
	require.NoError(d, err)
	defer owner.Close()
	_, err = owner.Pool().Exec(d.Context(), "UPDATE clock SET ahead = ahead + make_interval(secs => $1)", by.Seconds())
	require.NoError(d, err)
}

// due does what is due.
func (d *kycFixture) due() {
	d.Helper()
	require.NoError(d, kyc.DueKYC(d.Context(), d.db, d.user, kycTerms))
}

// customerTimeline is the timeline so far, of what concerns the customer.
func (d *kycFixture) customerTimeline() []string {
	d.Helper()
	events, err := casework.CaseEvents(d.Context(), d.db, kyc.KindKYC, d.user)
	require.NoError(d, err)
	kinds := []string{}
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// expectState checks the customer's level in force and status.
func (d *kycFixture) expectState(level, status string) {
	d.Helper()
	r := d.record()
	require.Equal(d, level+" "+status, r.LevelInForce()+" "+r.Status, "story: %v", d.customerTimeline())
}

// Every way through a verification in providers §4, with the customer's state afterwards and their notifications.
func TestIdentityReviewsLeadWhereTheyShould(t *testing.T) {
	d := openKYCFixture(t)
	unknown := sayGreen
	unknown.Country, unknown.CountryUnread = "", "UTOPIA"
	enhanced := func(r kyc.KYCReview) kyc.KYCReview { return at(kyc.KYCEnhanced, again("2", r)) }
	for name, c := range map[string]struct {
		says          []kyc.KYCReview
		level, status string
		lines         []string
	}{
		"approved":                        {[]kyc.KYCReview{sayInit, sayPending, sayGreen}, "standard", "approved", []string{"submitted", "approved"}},
		"told twice":                      {[]kyc.KYCReview{sayPending, sayPending, sayGreen, sayGreen}, "standard", "approved", []string{"submitted", "approved", "approved"}},
		"refused, then another photo":     {[]kyc.KYCReview{sayPending, sayRetry, again("2", sayPending), again("2", sayGreen)}, "standard", "approved", []string{"submitted", "rejected", "submitted", "approved"}},
		"refused for good":                {[]kyc.KYCReview{sayPending, sayFinal}, "none", "rejected", []string{"submitted", "rejected"}},
		"on hold":                         {[]kyc.KYCReview{sayPending, sayHold}, "none", "pending", []string{"submitted", "on_hold"}},
		"of a country nobody knows":       {[]kyc.KYCReview{sayPending, unknown}, "none", "pending", []string{"submitted", "on_hold"}},
		"more wanted":                     {[]kyc.KYCReview{sayPending, sayAsk}, "none", "rejected", []string{"submitted", "more_wanted"}},
		"taken back":                      {[]kyc.KYCReview{sayPending, sayGreen, sayFinal}, "none", "rejected", []string{"submitted", "approved", "revoked"}},
		"taken back, to be repeated":      {[]kyc.KYCReview{sayGreen, sayRetry}, "none", "rejected", []string{"approved", "revoked"}},
		"taken back and given again":      {[]kyc.KYCReview{sayGreen, sayFinal, sayGreen}, "standard", "approved", []string{"approved", "revoked", "approved"}},
		"more wanted after the approval":  {[]kyc.KYCReview{sayGreen, sayAsk}, "none", "rejected", []string{"approved", "revoked"}},
		"reset by the provider":           {[]kyc.KYCReview{sayGreen, sayInit}, "none", "not_started", []string{"approved", "revoked"}},
		"reset before the approval":       {[]kyc.KYCReview{sayPending, sayRetry, sayInit}, "none", "not_started", []string{"submitted", "rejected", "reset"}},
		"deactivated":                     {[]kyc.KYCReview{sayGreen, sayOff}, "none", "rejected", []string{"approved", "revoked"}},
		"deactivated and activated":       {[]kyc.KYCReview{sayGreen, sayOff, sayGreen}, "standard", "approved", []string{"approved", "revoked", "approved"}},
		"looked at again while it counts": {[]kyc.KYCReview{sayGreen, again("2", sayPending)}, "standard", "pending", []string{"approved", "submitted"}},
		"enhanced under way":              {[]kyc.KYCReview{sayGreen, enhanced(sayInit), enhanced(sayPending)}, "standard", "pending", []string{"approved", "level_changed", "submitted"}},
		"enhanced":                        {[]kyc.KYCReview{sayGreen, enhanced(sayInit), enhanced(sayPending), enhanced(sayGreen)}, "enhanced", "approved", []string{"approved", "level_changed", "submitted", "approved"}},
		"enhanced needs another try":      {[]kyc.KYCReview{sayGreen, enhanced(sayPending), enhanced(sayRetry)}, "standard", "rejected", []string{"approved", "level_changed", "submitted", "rejected"}},
		"enhanced wants more":             {[]kyc.KYCReview{sayGreen, enhanced(sayPending), enhanced(sayAsk)}, "standard", "rejected", []string{"approved", "level_changed", "submitted", "more_wanted"}},
		"enhanced refused for good":       {[]kyc.KYCReview{sayGreen, enhanced(sayPending), enhanced(sayFinal)}, "none", "rejected", []string{"approved", "level_changed", "submitted", "revoked"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := d.within(t)
			d.newcomer()
			for _, review := range c.says {
				d.says(review)
			}
			d.expectState(c.level, c.status)
			require.Equal(t, append([]string{"started"}, c.lines...), d.customerTimeline())
		})
	}
}

// An approval whose country nobody knows leaves the country that the customer claimed to a person, who decides once.
func TestUnknownCountryNeedsDecision(t *testing.T) {
	d := openKYCFixture(t)
	unknown := sayGreen
	unknown.Country, unknown.CountryUnread = "", "UTOPIA"
	d.says(unknown)
	d.expectState("none", "pending")
	require.Equal(t, []string{"UNKNOWN_COUNTRY_UTOPIA"}, []string(d.record().Labels))
	require.NoError(t, d.decide(kyc.KYCApprove, kyc.KYCVerdict{Level: "standard"}))
	unknown.At = d.now().Add(-time.Minute)
	d.says(unknown)
	d.expectState("standard", "approved")
}

// Answers and results that come late, out of order or again change nothing.
func TestBar29OldReviewsChangeNothing(t *testing.T) {
	d := openKYCFixture(t)
	before := d.now().Add(-time.Minute)
	d.says(sayPending)
	d.says(sayGreen)
	old := sayPending // requested before the approval was
	old.AskedAt, old.ApplicantID, old.Level = before, "a1", kyc.KYCStandard
	require.NoError(t, kyc.ApplyReview(t.Context(), d.db, d.user, old, kycTerms))
	refused := sayFinal // read now, decided before
	refused.At = before
	d.says(refused)
	require.NoError(t, kyc.MissReview(t.Context(), d.db, d.user, before))
	d.expectState("standard", "approved")
	require.Equal(t, []string{"started", "submitted", "approved"}, d.customerTimeline())
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
	d := openKYCFixture(t)
	d.says(sayGreen)
	miss := func() { require.NoError(t, kyc.MissReview(t.Context(), d.db, d.user, d.now())) }
	miss()
	d.expectState("standard", "approved")
	d.says(sayGreen)
	miss()
	miss()
	d.expectState("standard", "approved")
	d.advance(time.Minute)
	miss()
	d.expectState("none", "not_started")
	require.Equal(t, kyc.KYCEndedDeleted, d.record().EndedBy)
	require.True(t, d.record().CanRetry)
	again := sayGreen
	again.ApplicantID = "a2"
	d.says(again)
	d.expectState("standard", "approved")
}

func TestStaffsVerdictStandsUntilSomethingLaterOverturnsIt(t *testing.T) {
	d := openKYCFixture(t)
	for name, c := range map[string]struct {
		before        []kyc.KYCReview
		kind          string
		verdict       kyc.KYCVerdict
		after         []kyc.KYCReview
		level, status string
	}{
		"approved while the provider ponders": {[]kyc.KYCReview{sayPending}, kyc.KYCApprove, kyc.KYCVerdict{Level: "standard"}, []kyc.KYCReview{sayPending, sayHold}, "standard", "approved"},
		"approved, then refused there":        {[]kyc.KYCReview{sayPending}, kyc.KYCApprove, kyc.KYCVerdict{Level: "standard"}, []kyc.KYCReview{sayFinal}, "none", "rejected"},
		"approved as enhanced":                {[]kyc.KYCReview{sayRetry}, kyc.KYCApprove, kyc.KYCVerdict{Level: "enhanced"}, nil, "enhanced", "approved"},
		"refused for good, approved there":    {[]kyc.KYCReview{sayPending}, kyc.KYCReject, kyc.KYCVerdict{}, []kyc.KYCReview{sayGreen}, "none", "rejected"},
		"refused, to be repeated":             {[]kyc.KYCReview{sayPending}, kyc.KYCReject, kyc.KYCVerdict{CanRetry: true}, []kyc.KYCReview{sayPending, sayGreen}, "none", "rejected"},
		"revoked, approved there":             {[]kyc.KYCReview{sayGreen}, kyc.KYCRevoke, kyc.KYCVerdict{}, []kyc.KYCReview{sayGreen}, "none", "rejected"},
		"held, approved there":                {[]kyc.KYCReview{sayPending}, kyc.KYCHold, kyc.KYCVerdict{}, []kyc.KYCReview{sayGreen}, "none", "pending"},
		"asked again":                         {[]kyc.KYCReview{sayFinal}, kyc.KYCAsk, kyc.KYCVerdict{}, []kyc.KYCReview{sayRetry}, "none", "not_started"},
		"asked again while verified":          {[]kyc.KYCReview{sayGreen}, kyc.KYCAsk, kyc.KYCVerdict{}, []kyc.KYCReview{sayGreen}, "standard", "approved"},
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
			d.expectState(c.level, c.status)
		})
	}
}

// What staff hold is granted when they end the hold; what they request again begins at the provider, and counts then.
func TestHeldAndAskedAgain(t *testing.T) {
	d := openKYCFixture(t)
	d.says(sayPending)
	require.NoError(t, d.decide(kyc.KYCHold, kyc.KYCVerdict{}))
	d.says(sayGreen)
	d.expectState("none", "pending")
	require.NoError(t, d.decide(kyc.KYCRelease, kyc.KYCVerdict{}))
	d.says(sayGreen)
	d.expectState("standard", "approved")
	require.NoError(t, d.decide(kyc.KYCAsk, kyc.KYCVerdict{}))
	r := d.record()
	require.True(t, r.Preparing() && r.Applying())
	require.WithinDuration(t, d.now().Add(kycTerms.Notice), *r.ExpiresAt, time.Minute)
	require.NoError(t, kyc.KYCReset(t.Context(), d.db, d.user))
	d.says(sayInit)
	d.says(again("2", sayPending))
	d.expectState("standard", "pending")
	require.Equal(t, kyc.KYCPending, d.record().AttemptStatus())
	d.says(again("2", sayGreen))
	d.expectState("standard", "approved")
	require.WithinDuration(t, d.now().Add(kycTerms.Valid), *d.record().ExpiresAt, time.Minute)
}

func TestBar05NoOneDecidesOnTheirOwnIdentityOrTwice(t *testing.T) {
	d := openKYCFixture(t)
	open := func(kind, actor, reason string) error {
		_, err := kyc.OpenKYCDecision(t.Context(), d.db, d.user, casework.NewCaseDecision{Kind: kind, ActorID: actor, ActorRole: "admin", Reason: reason, Data: kyc.KYCVerdict{Level: "standard"}})
		return err
	}
	require.Equal(t, "not_found", store.ReasonOf(open(kyc.KYCApprove, d.officer, "x")), "who never began has no case")
	d.says(sayPending)
	require.Equal(t, "own_kyc", store.ReasonOf(open(kyc.KYCApprove, d.user, "x")))
	require.Equal(t, "required", store.ReasonOf(open(kyc.KYCApprove, d.officer, " ")))
	require.Equal(t, "kyc_state", store.ReasonOf(open(kyc.KYCRevoke, d.officer, "x")))
	require.NoError(t, open(kyc.KYCApprove, d.officer, "x"))
	require.Equal(t, "decision_open", store.ReasonOf(open(kyc.KYCReject, d.officer, "x")))
	d.expectState("none", "pending")
}

// A level ends when its time is over: the customer is notified before, can renew in time without a gap, and buys no
// more from that moment on, on every path.
func TestAnIdentityRunsOutAndIsRenewed(t *testing.T) {
	d := openKYCFixture(t)
	soon := sayGreen
	soon.DocumentsUntil = d.now().Add(100 * 24 * time.Hour).UTC().Truncate(24 * time.Hour)
	d.says(soon)
	r := d.record()
	require.Equal(t, soon.DocumentsUntil, r.ExpiresAt.UTC(), "a document ends before the approval does")
	require.Equal(t, soon.DocumentsUntil.Add(-kycTerms.Notice), r.WakeAt.UTC())
	require.Equal(t, "kyc_not_due", store.ReasonOf(kyc.RenewKYC(t.Context(), d.db, d.user)))
	d.due()
	require.Equal(t, []string{"started", "approved"}, d.customerTimeline(), "too early")

	d.advance(r.WakeAt.Sub(d.now()) + time.Second)
	d.due()
	d.due()
	require.Equal(t, []string{"started", "approved", "expiring"}, d.customerTimeline())
	require.Equal(t, soon.DocumentsUntil, d.record().WakeAt.UTC())
	require.NoError(t, kyc.RenewKYC(t.Context(), d.db, d.user))
	require.NoError(t, kyc.KYCReset(t.Context(), d.db, d.user))
	d.says(sayInit)
	d.says(again("2", sayPending))
	d.says(again("2", sayRetry))
	d.expectState("standard", "rejected")
	d.says(again("3", sayPending))
	d.says(again("3", sayGreen))
	d.expectState("standard", "approved")

	d.advance(kycTerms.Valid)
	_, err := d.order(t.Context(), d.quote("0.001"))
	require.Equal(t, "kyc_required", store.ReasonOf(err), "over is over, even before anybody noted it")
	d.due()
	d.expectState("none", "not_started")
	require.Equal(t, kyc.KYCEndedExpired, d.record().EndedBy)
	require.True(t, d.record().Preparing())
	d.says(again("3", sayGreen))
	d.expectState("none", "not_started")
	require.NoError(t, kyc.KYCReset(t.Context(), d.db, d.user))
	before := again("3", sayGreen)
	before.At = d.now().Add(-time.Hour)
	d.says(before)
	d.expectState("none", "not_started")
	d.says(again("4", sayGreen))
	d.expectState("standard", "approved")
	found, err := kyc.StaleReviews(t.Context(), d.db, time.Hour, time.Second, 100)
	require.NoError(t, err)
	require.Empty(t, found)
	d.advance(kycTerms.Valid)
	found, err = kyc.StaleReviews(t.Context(), d.db, time.Hour, time.Second, 100)
	require.NoError(t, err)
	require.Contains(t, found, store.Signal{Subject: d.user, Reason: "due"})
}

// A customer who loses their verification places no more orders.
func TestACustomerWhoseApprovalIsRevokedOrdersNothing(t *testing.T) {
	d := openKYCFixture(t)
	d.says(sayGreen)
	_, err := d.order(t.Context(), d.quote("0.001"))
	require.NoError(t, err)
	require.NoError(t, d.decide(kyc.KYCRevoke, kyc.KYCVerdict{}))
	_, err = d.order(t.Context(), d.quote("0.001"))
	require.Equal(t, "kyc_required", store.ReasonOf(err))
}

func (d *kycFixture) quote(amount string) pricing.Quote {
	d.Helper()
	d.price("50000")
	quote, err := d.quoter.Quote(d.Context(), d.input(amount))
	require.NoError(d, err)
	return quote
}

// In any order of events, a level is in force only between an approval and what ends it; counts fit the rows; and
// every decision that is offered can be executed.
func TestBar22AnyOrderOfReviewsAndDecisionsIsLegal(t *testing.T) {
	d := openKYCFixture(t)
	second := d.reviewer("second@example.com")
	reviews := []kyc.KYCReview{sayInit, sayPending, sayHold, sayAsk, sayGreen, sayRetry, sayFinal, sayOff}
	rapid.Check(t, func(r *rapid.T) {
		d.newcomer()
		require.NoError(r, kyc.StartKYC(t.Context(), d.db, d.user))
		n := rapid.IntRange(1, 12).Draw(r, "steps")
		for i := range n {
			before := d.record()
			approved := false
			switch rapid.IntRange(0, 3).Draw(r, "what") {
			case 0, 1:
				review := reviews[rapid.IntRange(0, len(reviews)-1).Draw(r, "review")]
				review.Attempt = fmt.Sprint(rapid.IntRange(1, 3).Draw(r, "attempt"))
				review.Level = rapid.SampledFrom([]string{"standard", "enhanced"}).Draw(r, "level")
				approved = review.Status == kyc.KYCApproved && !review.Deactivated
				d.says(review)
			case 2:
				offers := before.Awaits()
				if len(offers) == 0 {
					continue
				}
				kind := rapid.SampledFrom(offers).Draw(r, "kind")
				approved = kind == kyc.KYCApprove
				if approved && before.NeedsTwo() {
					require.ErrorIs(r, d.decide(kind, kyc.KYCVerdict{Level: "standard"}), kyc.ErrSecondPerson)
					p, err := d.proposes(d.officer, "standard")
					require.NoError(r, err)
					require.NoError(r, d.seconds(p, second))
					break
				}
				require.NoError(r, d.decide(kind, kyc.KYCVerdict{Level: "standard", CanRetry: i%2 == 0}), kind)
			case 3:
				require.NoError(r, kyc.KYCReset(t.Context(), d.db, d.user))
			}
			after := d.record()
			require.False(r, after.Verified() && after.NeedsTwo(), "verified against a final rejection")
			require.False(r, after.Status == kyc.KYCRejected && !after.CanRetry && !after.NeedsTwo(), "rejected finally, and one person approves")
			require.False(r, after.Verified() && !before.Verified() && !approved, "verified without an approval")
			require.False(r, after.Verified() && after.Status == kyc.KYCRejected && !after.CanRetry, "refused for good and verified")
			require.False(r, after.Status == kyc.KYCApproved && !after.Verified(), "approved and not verified")
			require.Equal(r, after.Verified() && after.ExpiresAt != nil, after.WakeAt != nil, "a level that nobody ends")
			require.NotEqual(r, after.RevokedAt != nil, after.EndedBy == "", "an end without a reason, or the other way round")
		}
		counts, err := kyc.CountKYC(t.Context(), d.db, "")
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
