package account

import (
	"context"
	"fmt"
	"time"

	"github.com/pquerna/otp/hotp"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/store"
)

// Proof is a code from the authenticator app or, in its place, a backup code.
type Proof struct {
	Token      string
	BackupCode string
}

// clean brings a proof into the form it is compared in, and refuses what can be
// no code at all.
func (p Proof) clean() (Proof, error) {
	p.Token, p.BackupCode = typed.Code(p.Token), typed.Upper(p.BackupCode)
	switch {
	case (p.Token == "") == (p.BackupCode == ""):
		return p, store.Invalid("token", "required", "Enter a code")
	case p.Token != "" && !tokenForm.MatchString(p.Token), p.BackupCode != "" && !backupForm.MatchString(p.BackupCode):
		return p, p.wrong()
	}
	return p, nil
}

// wrong is the refusal of a proof; it does not say whether the code was wrong or
// has been used.
func (p Proof) wrong() error {
	if p.BackupCode != "" {
		return store.Invalid("backupCode", "invalid_code", "Invalid code")
	}
	return store.Invalid("token", "invalid_code", "Invalid verification code")
}

// prove holds a proof against the factor in force and runs fn when it is right. A
// code of the app shows that the factor was not lost.
func prove(ctx context.Context, db *store.DB, keys *secret.Keys, who *Principal, proof Proof, fn func(*lockedFactor) error) error {
	proof, err := proof.clean()
	if err != nil {
		return err
	}
	return guess(ctx, db, who, func(f *lockedFactor) (bool, error) {
		if f.EnabledAt == nil {
			return false, store.Conflict("two_factor_not_enabled", "Two-factor authentication is not enabled")
		}
		right, err := f.check(keys, proof)
		if err == nil && right && proof.Token != "" {
			err = f.endRecovery()
		}
		if err != nil || !right {
			return false, err
		}
		return true, fn(f)
	}, proof.wrong())
}

// guess runs one try at a code under the factor's lock. A wrong one is counted
// and commits: so many replicas together never give more than maxGuesses. Sessions
// that have yet to show the factor are counted apart: they know the password alone,
// and must not lock the owner's step-up.
func guess(ctx context.Context, db *store.DB, who *Principal, try func(*lockedFactor) (right bool, err error), wrong error) error {
	var refused error
	err := db.Tx(ctx, func(tx *store.DB) error {
		recovery, err := lockRecovery(ctx, tx, who.UserID)
		if err != nil {
			return err
		}
		f, err := lockFactor(ctx, tx, who.UserID)
		if err != nil {
			return err
		}
		f.recovery, f.owing = recovery, f.EnabledAt != nil && !who.Proven
		if refused = f.locked(); refused != nil {
			return nil
		}
		right, err := try(f)
		if err != nil {
			return err
		}
		if right {
			count := f.guesses()
			*count.failures, *count.lockouts, *count.until = 0, 0, nil
			return f.store()
		}
		refused = wrong
		return f.missed()
	})
	if err != nil {
		return err
	}
	return refused
}

// guessCount is what is known of wrong codes of one kind of session.
type guessCount struct {
	failures, lockouts *int
	until              **time.Time
}

// guesses is the count of the session that tries.
func (f *lockedFactor) guesses() guessCount {
	if f.owing {
		return guessCount{&f.OwingFailures, &f.OwingLockouts, &f.OwingLockedUntil}
	}
	return guessCount{&f.Failures, &f.Lockouts, &f.LockedUntil}
}

// locked refuses while guesses are held off.
func (f *lockedFactor) locked() error {
	until := *f.guesses().until
	if until == nil || !f.DBNow.Before(*until) {
		return nil
	}
	left := until.Sub(f.DBNow)
	if minutes := store.Minutes(left); minutes > 1 {
		return store.TooMany("two_factor_locked", fmt.Sprintf("Too many wrong codes. Try again in %d minutes.", minutes), left)
	}
	return store.TooMany("two_factor_locked", "Too many wrong codes. Wait a moment and try again.", left)
}

// missed counts a wrong code; the last one that is allowed locks.
func (f *lockedFactor) missed() error {
	count := f.guesses()
	if *count.failures++; *count.failures >= maxGuesses {
		until := f.DBNow.Add(min(firstLock<<min(*count.lockouts, 10), longLock))
		*count.failures, *count.until = 0, &until
		*count.lockouts++
		if err := f.note("locked", map[string]any{"until": until.UTC().Format(time.RFC3339), "lockouts": *count.lockouts}); err != nil {
			return err
		}
	}
	return f.store()
}

// check reports whether a proof is right, and uses it up.
func (f *lockedFactor) check(keys *secret.Keys, proof Proof) (bool, error) {
	if proof.BackupCode != "" {
		used := f.tx.ORM(f.ctx).Exec("UPDATE backup_codes SET used_at = clock_now() WHERE user_id = ? AND code_hash = ? AND used_at IS NULL",
			f.UserID, backupHash(f.UserID, proof.BackupCode))
		if used.Error != nil {
			return false, fmt.Errorf("use backup code: %w", used.Error)
		}
		return used.RowsAffected == 1, nil
	}
	seed, err := keys.Open(seedPlace("sealed_seed", f.UserID), f.SealedSeed)
	if err != nil {
		return false, fmt.Errorf("open the seed: %w", err)
	}
	return f.step(proof.Token, string(seed)), nil
}

// step finds the time step a code is of, and moves on to it: it and those before
// it are not accepted again.
func (f *lockedFactor) step(token, seed string) bool {
	now := f.Wall.Unix() / stepSeconds
	for step := now - stepsAround; step <= now+stepsAround; step++ {
		if step > f.LastStep && hotp.Validate(token, uint64(step), seed) {
			f.LastStep = step
			return true
		}
	}
	return false
}

// provenSession gives a session a new token and notes that its owner has proven
// the second factor. The old token is worth nothing from then on.
func provenSession(ctx context.Context, db *store.DB, who *Principal, newHash []byte) error {
	result := db.ORM(ctx).Exec("UPDATE sessions SET token_hash = ?, two_factor_at = clock_now() WHERE token_hash = ? AND user_id = ? AND revoked_at IS NULL",
		newHash, who.TokenHash, who.UserID)
	if result.Error != nil {
		return fmt.Errorf("renew session: %w", result.Error)
	}
	if result.RowsAffected != 1 {
		return store.Conflict("session_ended", "This session has ended. Sign in again.")
	}
	return nil
}
