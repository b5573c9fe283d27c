package kyc

import (
	"context"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// KYCReview is what the provider says of a customer.
type KYCReview struct {
	ApplicantID string
	Attempt     string
	Level       string // standard or enhanced: what an approval is worth
	Status      string
	State       string // the provider's own value
	CanRetry    bool
	OnHold      bool
	Deactivated bool
	Reason      string
	Labels      []string
	Country     string // ISO 3166-1 alpha-2, corrects the one from sign-up
	// CountryUnread is a country that we don't know; a person decides about an approval with one.
	CountryUnread string
	// At is when a finished review was decided, DocumentsUntil when the first
	// document runs out; zero when there is no such time.
	At, DocumentsUntil time.Time
	// AskedAt is when the provider was read, by the database's clock.
	AskedAt time.Time
}

// KYCTerms are how long an approval lasts, and how long before its end the customer is notified and may show
// documents again.
type KYCTerms struct{ Valid, Notice time.Duration }

// missingFor is how long the provider must report a formerly known customer as unknown before they count as deleted.
const missingFor = 10 * time.Second

// ApplyReview stores a review: an approval puts its level in force; a refusal, or an approval that was withdrawn,
// revokes it. A review older than the stored one, or overridden by a decision of staff, changes nothing.
func ApplyReview(ctx context.Context, db *store.DB, userID string, review KYCReview, terms KYCTerms) error {
	return changeKYC(ctx, db, userID, func(c *kycChange) error {
		if c.AskedAt != nil && review.AskedAt.Before(*c.AskedAt) {
			return nil // an answer that was overtaken by another
		}
		c.AskedAt, c.PolledAt, c.MissingSince = &review.AskedAt, &c.now, nil
		if c.stale(review) {
			return nil
		}
		c.ApplicantID, c.ProviderState = review.ApplicantID, review.State
		if review.Deactivated {
			review.Status, review.CanRetry, review.Reason, review.Labels, c.ProviderState = KYCRejected, false, "", nil, KYCEndedDeactivated
		}
		if c.overruled(review) {
			return nil
		}
		return c.review(review, terms)
	})
}

// MissReview records that the provider reports a customer as unknown. One it knew before counts as deleted only when
// a later reading says so again.
func MissReview(ctx context.Context, db *store.DB, userID string, askedAt time.Time) error {
	return changeKYC(ctx, db, userID, func(c *kycChange) error {
		if c.AskedAt != nil && askedAt.Before(*c.AskedAt) {
			return nil
		}
		c.AskedAt, c.PolledAt = &askedAt, &c.now
		switch {
		case c.ApplicantID == "":
			return nil
		case c.MissingSince == nil:
			c.MissingSince = &c.now
			return nil
		case c.now.Sub(*c.MissingSince) < missingFor:
			return nil
		}
		c.ApplicantID, c.Attempt, c.ProviderState, c.MissingSince, c.ResetWantedAt, c.RenewingSince = "", "", "", nil, nil, nil
		if c.refusedByStaff() {
			return nil
		}
		c.Status, c.CanRetry, c.OnHold, c.Reason, c.Labels, c.DecidedAt = KYCNotStarted, true, false, "", nil, nil
		if c.Verified() {
			return c.end(KYCEndedDeleted, casework.ByProvider)
		}
		return c.record(casework.Event{Kind: "deleted", Actor: casework.ByProvider})
	})
}

// stale reports whether a finished review is older than the stored one, or than the end of the approval that it once
// gave.
func (c *kycChange) stale(review KYCReview) bool {
	if review.At.IsZero() {
		return false
	}
	return c.ProviderAt != nil && review.At.Before(*c.ProviderAt) ||
		review.Status == KYCApproved && c.EndedBy == KYCEndedExpired && c.RevokedAt != nil && review.At.Before(c.RevokedAt.Truncate(time.Second))
}

// refusedByStaff: only staff can open the case again.
func (r *KYCRecord) refusedByStaff() bool {
	return r.DecidedAt != nil && r.Status == KYCRejected && !r.CanRetry
}

// overruled reports whether a decision or a request of staff overrides a review. A final rejection that staff did not
// know when they decided counts, including one that the provider decided before them.
func (c *kycChange) overruled(review KYCReview) bool {
	refused := review.Status == KYCRejected && !review.CanRetry
	switch {
	case c.ResetWantedAt != nil: // what is left of it is from before
		return !refused
	case c.DecidedAt == nil:
		return false
	case review.Status == KYCPending: // sent again, as staff allowed
		return c.Status != KYCRejected || !c.CanRetry || review.Attempt == c.Attempt
	case review.Deactivated:
		return false
	case review.At.Equal(timeOf(c.ProviderAt)), !refused && review.At.Before(c.DecidedAt.Truncate(time.Second)):
		return true // the provider reports whole seconds
	}
	return review.Status == KYCApproved && c.refusedByStaff()
}

// review brings the record up to a review that counts.
func (c *kycChange) review(review KYCReview, terms KYCTerms) error {
	verified, higher := c.Verified(), kycRank[review.Level] > kycRank[c.LevelInForce()]
	news := review.At.After(timeOf(c.ProviderAt))
	if !review.At.IsZero() {
		c.ProviderAt = &review.At
	}
	if review.CountryUnread != "" {
		review.Labels = append(review.Labels, "UNKNOWN_COUNTRY_"+review.CountryUnread)
	}
	if (c.HeldAt != nil || review.CountryUnread != "") && review.Status == KYCApproved {
		review.Status, review.OnHold = KYCPending, true
		c.ProviderAt = c.before.ProviderAt // it is read again when the hold ends
	}
	c.DecidedAt, c.Attempt, c.ReviewLevel = nil, review.Attempt, review.Level
	c.Status, c.CanRetry, c.OnHold, c.Reason, c.Labels = review.Status, review.CanRetry, review.OnHold, review.Reason, review.Labels
	aside := verified && (higher || c.RenewingSince != nil) // what does not succeed here leaves the level as it is
	switch review.Status {
	case KYCApproved:
		return c.approve(review.Level, review.Country, casework.ByProvider, news, review.DocumentsUntil, terms)
	case KYCRejected:
		if !review.CanRetry && (news || c.FinalBy != casework.ByProvider) {
			c.rejectFinally(casework.ByProvider)
		}
		if verified && (!aside || !review.CanRetry) {
			why := KYCEndedRefused
			if review.Deactivated {
				why = KYCEndedDeactivated
			}
			return c.end(why, casework.ByProvider)
		}
	case KYCNotStarted:
		if verified && !aside {
			return c.end(KYCEndedReset, casework.ByProvider)
		}
	}
	return c.recordReview(review)
}

// recordReview appends the outcome of the attempt to the timeline, when that is new.
func (c *kycChange) recordReview(review KYCReview) error {
	if c.before.ApplicantID != "" && c.before.ReviewLevel != c.ReviewLevel {
		err := c.record(casework.Event{Kind: "level_changed", Actor: casework.ByProvider, Internal: true, Data: map[string]any{"level": c.ReviewLevel}})
		if err != nil {
			return err
		}
	}
	moved := c.before.Status != c.Status || c.before.Attempt != c.Attempt && c.before.Attempt != ""
	event := casework.Event{Actor: casework.ByProvider, Data: map[string]any{"level": c.ReviewLevel}}
	switch {
	case c.OnHold && !c.before.OnHold:
		event.Kind, event.Internal = "on_hold", true
	case c.Status == KYCPending && moved:
		event.Kind, event.Actor = "submitted", casework.ByCustomer
	case c.Status == KYCRejected && review.State == "awaitingUser" && (moved || c.before.ProviderState != review.State):
		event.Kind = "more_wanted"
	case c.Status == KYCRejected && (moved || c.before.CanRetry != c.CanRetry || review.At.After(timeOf(c.before.ProviderAt))):
		event.Kind = "rejected"
		event.Data = map[string]any{"level": c.ReviewLevel, "canRetry": c.CanRetry, "labels": c.Labels}
	case c.Status == KYCNotStarted && moved && c.before.Status != KYCApproved:
		event.Kind = "reset"
	default:
		return nil
	}
	return c.record(event)
}

// approve puts a level in force. An approval that was counted before does not restart its validity.
func (c *kycChange) approve(level, country string, by casework.Actor, news bool, documentsUntil time.Time, terms KYCTerms) error {
	granted := !c.Verified() || c.Level != level || c.RenewingSince != nil
	c.Level, c.RevokedAt, c.EndedBy, c.Status, c.CanRetry, c.OnHold, c.Reason, c.Labels = level, nil, "", KYCApproved, true, false, "", nil
	c.RenewingSince, c.ReviewLevel, c.FinalAt, c.FinalBy, c.FinalLabels = nil, level, nil, "", nil
	if c.before.Level != level || kycRank[c.WantedLevel] < kycRank[level] {
		c.WantedLevel = level
	}
	if news || c.ExpiresAt == nil {
		until := c.now.Add(terms.Valid)
		if !documentsUntil.IsZero() && documentsUntil.Before(until) {
			until = documentsUntil
		}
		c.ExpiresAt, c.RemindedAt = &until, nil
	}
	c.schedule(terms)
	if by != casework.ByStaff {
		if err := dualcontrol.WithdrawIdentity(c.ctx, c.tx, c.UserID); err != nil {
			return err
		}
	}
	if !granted && (!news || c.before.ExpiresAt == nil) {
		return nil
	}
	if err := c.record(casework.Event{Kind: "approved", Actor: by, Data: map[string]any{"level": level}}); err != nil {
		return err
	}
	if country == "" {
		return nil
	}
	return people.SetCountry(c.ctx, c.tx, c.UserID, country)
}

// end revokes the level in force. Orders that are not fulfilled are checked at their next step.
func (c *kycChange) end(why string, by casework.Actor) error {
	level := c.Level
	c.RevokedAt, c.EndedBy, c.RenewingSince, c.WakeAt = &c.now, why, nil, nil
	kind := "revoked"
	if why == KYCEndedExpired {
		kind = "expired"
	}
	if err := dualcontrol.WithdrawIdentity(c.ctx, c.tx, c.UserID); err != nil {
		return err
	}
	return c.record(casework.Event{Kind: kind, Actor: by, Data: map[string]any{"level": level, "why": why, "canRetry": c.CanRetry}})
}

// schedule says when something is due next.
func (c *kycChange) schedule(terms KYCTerms) {
	c.WakeAt = nil
	if !c.Verified() || c.ExpiresAt == nil {
		return
	}
	next := *c.ExpiresAt
	if notice := c.ExpiresAt.Add(-terms.Notice); c.RemindedAt == nil && notice.After(c.now) {
		next = notice
	} else if c.RemindedAt == nil {
		next = c.now
	}
	c.WakeAt = &next
}

// beingChecked are the provider's states of a review in which nothing can be requested again.
var beingChecked = []string{"pending", "queued", "prechecked"}

// BeingChecked reports whether the provider, by its own state, is checking what was sent.
func BeingChecked(state string) bool { return slices.Contains(beingChecked, state) }

func timeOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}
