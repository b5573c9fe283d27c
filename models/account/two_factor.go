package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// How codes are judged, and guesses held off.
const (
	// BackupCodes is how many backup codes there are at a time.
	BackupCodes = 10
	// stepSeconds is how long a code is shown; one step before and after counts
	// too, for clocks that are a little off.
	stepSeconds = 30
	stepsAround = 1
	// maxGuesses wrong codes in a row lock the factor: for firstLock, then twice
	// as long each time until a right one.
	maxGuesses = 5
	firstLock  = 15 * time.Minute
	longLock   = 24 * time.Hour
	// CodeCounts is how long after a code a session may perform acts that move money.
	CodeCounts = 10 * time.Minute
	// signInFresh is how long after proving who they are a person enrols a factor.
	signInFresh = 10 * time.Minute
	// pendingFor is how long a seed that was shown can be confirmed.
	pendingFor = 30 * time.Minute
)

// SecondFactor is a person's second factor, and the guesses at it.
type SecondFactor struct {
	UserID       string `gorm:"primaryKey"`
	SealedSeed   []byte
	EnabledAt    *time.Time
	PendingSeed  []byte
	PendingSince *time.Time
	LastStep     int64
	Failures     int
	Lockouts     int
	LockedUntil  *time.Time
	// The same of guesses by sessions that have yet to show the factor.
	OwingFailures    int
	OwingLockouts    int
	OwingLockedUntil *time.Time
	CreatedAt        time.Time `gorm:"autoCreateTime:false;default:clock_now()"`
	UpdatedAt        time.Time `gorm:"autoUpdateTime:false"`
}

var (
	tokenForm  = regexp.MustCompile(`^[0-9]{6}$`)
	backupForm = regexp.MustCompile(`^[A-Z2-7]{16}$`)
)

// lockedFactor is a factor under its row's lock. Steps are counted by the wall
// clock, as the person's phone does; deadlines by the database's clock.
type lockedFactor struct {
	*SecondFactor
	DBNow, Wall time.Time

	owing    bool               // the session that guesses has yet to show the factor
	recovery *TwoFactorRecovery // that is in progress, where it was locked before

	ctx context.Context
	tx  *store.DB
}

func seedPlace(column, userID string) secret.Place {
	return secret.Place{Table: "second_factors", Column: column, ID: userID}
}

// lockFactor locks a person's factor; who never had one gets an empty row.
func lockFactor(ctx context.Context, db *store.DB, userID string) (*lockedFactor, error) {
	if err := db.ORM(ctx).Exec("INSERT INTO second_factors (user_id) VALUES (?) ON CONFLICT DO NOTHING", userID).Error; err != nil {
		return nil, fmt.Errorf("make room for a second factor: %w", err)
	}
	var row struct {
		SecondFactor `gorm:"embedded"`
		DBNow        time.Time `gorm:"column:db_now"`
		Wall         time.Time
	}
	err := db.ORM(ctx).Raw("SELECT *, clock_now() AS db_now, clock_timestamp() AS wall FROM second_factors WHERE user_id = ? FOR UPDATE", userID).Scan(&row).Error
	if err != nil {
		return nil, fmt.Errorf("read second factor: %w", err)
	}
	return &lockedFactor{SecondFactor: &row.SecondFactor, DBNow: row.DBNow, Wall: row.Wall, ctx: ctx, tx: db}, nil
}

func (f *lockedFactor) store() error {
	f.UpdatedAt = f.DBNow
	err := f.tx.ORM(f.ctx).Model(&SecondFactor{}).Where("user_id = ?", f.UserID).Select("*").Omit("user_id", "created_at").Updates(f.SecondFactor).Error
	if err != nil {
		return fmt.Errorf("store second factor: %w", err)
	}
	return nil
}

// note records a change of a factor in its timeline and notifies its owner; neither contains codes.
func (f *lockedFactor) note(kind string, after map[string]any) error {
	status := "disabled"
	if f.EnabledAt != nil {
		status = "enabled"
	}
	if err := casework.Append(f.ctx, f.tx, accountSecurity(f.UserID, status), casework.Event{Kind: kind, Actor: casework.ByCustomer, Data: after}); err != nil {
		return err
	}
	return audit.Audit(f.ctx, f.tx, audit.AuditEntry{ActorID: f.UserID, ActorRole: "customer", Action: "two_factor." + kind, ObjectKind: "user", ObjectID: f.UserID, After: after})
}

// SetUpTwoFactor keeps a seed that is shown to its owner now, until a code made
// with it arrives. Showing another one replaces it.
//
// A session is not enough: its cookie may be stolen, and a factor of the thief's would
// shut its owner out. The person has proved to the issuer who they are, lately.
func SetUpTwoFactor(ctx context.Context, db *store.DB, keys *secret.Keys, who *Principal, seed string) error {
	sealed, err := keys.Seal(seedPlace("pending_seed", who.UserID), []byte(seed))
	if err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		f, err := lockFactor(ctx, tx, who.UserID)
		if err != nil {
			return err
		}
		if f.EnabledAt != nil {
			return store.Conflict("two_factor_enabled", "Two-factor authentication is already enabled")
		}
		if err := signedInLately(ctx, tx, who); err != nil {
			return err
		}
		f.PendingSeed, f.PendingSince = sealed, &f.DBNow
		return f.store()
	})
}

// EnableTwoFactor ends a set-up with the first code: the seed is in force, the session continues under a new token,
// and the backup codes are returned this once.
func EnableTwoFactor(ctx context.Context, db *store.DB, keys *secret.Keys, who *Principal, token string, newHash []byte) (codes []string, err error) {
	proof, err := Proof{Token: token}.clean()
	if err != nil {
		return nil, err
	}
	err = guess(ctx, db, who, func(f *lockedFactor) (bool, error) {
		switch {
		case f.EnabledAt != nil:
			return false, store.Conflict("two_factor_enabled", "Two-factor authentication is already enabled")
		case f.PendingSeed == nil || f.PendingSince.Before(f.DBNow.Add(-pendingFor)):
			return false, store.Conflict("two_factor_not_begun", "The setup has expired. Start it again.")
		}
		seed, err := keys.Open(seedPlace("pending_seed", f.UserID), f.PendingSeed)
		if err != nil {
			return false, fmt.Errorf("open the pending seed: %w", err)
		}
		if !f.step(proof.Token, string(seed)) {
			return false, nil
		}
		if f.SealedSeed, err = keys.Seal(seedPlace("sealed_seed", f.UserID), seed); err != nil {
			return false, err
		}
		f.EnabledAt, f.PendingSeed, f.PendingSince = &f.DBNow, nil, nil
		if codes, err = f.renewCodes(); err != nil {
			return false, err
		}
		if err := f.note("enabled", nil); err != nil {
			return false, err
		}
		return true, provenSession(ctx, f.tx, who, newHash)
	}, proof.wrong())
	return codes, err
}

// PassTwoFactor completes a sign-in: with a valid code the session continues under a new token. left is how many
// backup codes remain.
func PassTwoFactor(ctx context.Context, db *store.DB, keys *secret.Keys, who *Principal, proof Proof, newHash []byte) (left int, err error) {
	err = prove(ctx, db, keys, who, proof, func(f *lockedFactor) error {
		if left, err = f.codesLeft(); err != nil {
			return err
		}
		return provenSession(ctx, f.tx, who, newHash)
	})
	return left, err
}

// signedInLately refuses a session whose sign-in at the issuer is not of the last minutes.
func signedInLately(ctx context.Context, db *store.DB, who *Principal) error {
	var lately bool
	err := db.ORM(ctx).Raw(`SELECT EXISTS (SELECT FROM sessions WHERE token_hash = ? AND user_id = ? AND revoked_at IS NULL
		AND authenticated_at > clock_timestamp() - make_interval(secs => ?))`, who.TokenHash, who.UserID, signInFresh.Seconds()).Scan(&lately).Error
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	if !lately {
		return store.Forbidden("sign_in_again", "Sign in again to do this.")
	}
	return nil
}

// FreshCode uses up a code as a person's consent to one act. For acts that move money
// the session has shown the factor for CodeCounts from then on.
func FreshCode(ctx context.Context, db *store.DB, keys *secret.Keys, who *Principal, proof Proof) error {
	return prove(ctx, db, keys, who, proof, func(f *lockedFactor) error {
		err := f.tx.ORM(f.ctx).Exec("UPDATE sessions SET two_factor_at = clock_now() WHERE token_hash = ? AND user_id = ? AND revoked_at IS NULL", who.TokenHash, who.UserID).Error
		if err != nil {
			return fmt.Errorf("note the code: %w", err)
		}
		return nil
	})
}

// DisableTwoFactor removes the factor from an account, given a fresh code.
func DisableTwoFactor(ctx context.Context, db *store.DB, keys *secret.Keys, who *Principal, proof Proof) error {
	return prove(ctx, db, keys, who, proof, func(f *lockedFactor) error {
		if err := store.FirstError(f.remove(), f.endRecovery()); err != nil {
			return err
		}
		return f.note("disabled", nil)
	})
}

// RenewBackupCodes makes new backup codes, for a fresh code; the old ones are
// worth nothing from then on.
func RenewBackupCodes(ctx context.Context, db *store.DB, keys *secret.Keys, who *Principal, proof Proof) (codes []string, err error) {
	err = prove(ctx, db, keys, who, proof, func(f *lockedFactor) error {
		if codes, err = f.renewCodes(); err != nil {
			return err
		}
		return f.note("codes_renewed", nil)
	})
	return codes, err
}

// remove deletes the factor with its codes. The record of used codes does not apply to a later seed.
func (f *lockedFactor) remove() error {
	f.SealedSeed, f.EnabledAt, f.PendingSeed, f.PendingSince, f.LastStep = nil, nil, nil, nil, 0
	if err := f.tx.ORM(f.ctx).Exec("DELETE FROM backup_codes WHERE user_id = ?", f.UserID).Error; err != nil {
		return fmt.Errorf("remove backup codes: %w", err)
	}
	return nil
}

// renewCodes replaces the backup codes; only their hashes stay here.
func (f *lockedFactor) renewCodes() ([]string, error) {
	if err := f.tx.ORM(f.ctx).Exec("DELETE FROM backup_codes WHERE user_id = ?", f.UserID).Error; err != nil {
		return nil, fmt.Errorf("remove backup codes: %w", err)
	}
	codes := make([]string, BackupCodes)
	for i := range codes {
		code := rand.Text()[:16]
		codes[i] = strings.Join([]string{code[:4], code[4:8], code[8:12], code[12:]}, "-")
		if err := f.tx.ORM(f.ctx).Exec("INSERT INTO backup_codes (user_id, code_hash) VALUES (?, ?)", f.UserID, backupHash(f.UserID, code)).Error; err != nil {
			return nil, fmt.Errorf("store backup code: %w", err)
		}
	}
	return codes, nil
}

// backupHash is how a backup code is kept. 80 random bits need no slow hash.
func backupHash(userID, code string) []byte {
	sum := sha256.Sum256([]byte(userID + ":" + code))
	return sum[:]
}

func (f *lockedFactor) codesLeft() (left int, err error) {
	return left, f.tx.ORM(f.ctx).Raw("SELECT count(*) FROM backup_codes WHERE user_id = ? AND used_at IS NULL", f.UserID).Scan(&left).Error
}

// TwoFactorStatus is the state of a second factor as its owner reads it.
type TwoFactorStatus struct {
	EnabledAt   *time.Time
	CodesLeft   int
	LockedUntil *time.Time
}

// ReadTwoFactorStatus reads the state of a person's second factor.
func ReadTwoFactorStatus(ctx context.Context, db *store.DB, who *Principal) (*TwoFactorStatus, error) {
	var status TwoFactorStatus
	err := db.ORM(ctx).Raw(`SELECT enabled_at, (SELECT count(*) FROM backup_codes WHERE user_id = f.user_id AND used_at IS NULL) AS codes_left,
		CASE WHEN until > clock_now() THEN until END AS locked_until
		FROM (SELECT *, CASE WHEN ? THEN locked_until ELSE owing_locked_until END AS until FROM second_factors) f WHERE user_id = ?`, who.Proven, who.UserID).Scan(&status).Error
	if err != nil {
		return nil, fmt.Errorf("read second factor: %w", err)
	}
	return &status, nil
}

// ResealSeeds seals with the current key what an earlier one sealed, so that the earlier one can be removed. It
// returns how many seeds it changed.
func ResealSeeds(ctx context.Context, db *store.DB, keys *secret.Keys) (changed int, err error) {
	after := ""
	for {
		var rows []SecondFactor
		query := db.ORM(ctx).Where("sealed_seed IS NOT NULL")
		if after != "" {
			query = query.Where("user_id > ?", after)
		}
		if err := query.Order("user_id").Limit(store.ResealBatch).Find(&rows).Error; err != nil {
			return changed, fmt.Errorf("find sealed seeds: %w", err)
		}
		for i := range rows {
			if after = rows[i].UserID; !keys.Stale(rows[i].SealedSeed) {
				continue
			}
			if err := resealSeed(ctx, db, keys, after); err != nil {
				return changed, err
			}
			changed++
		}
		if len(rows) < store.ResealBatch {
			return changed, nil
		}
	}
}

func resealSeed(ctx context.Context, db *store.DB, keys *secret.Keys, userID string) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		f, err := lockFactor(ctx, tx, userID)
		if err != nil || f.EnabledAt == nil {
			return err
		}
		seed, err := keys.Open(seedPlace("sealed_seed", userID), f.SealedSeed)
		if err != nil {
			return fmt.Errorf("open the seed: %w", err)
		}
		if f.SealedSeed, err = keys.Seal(seedPlace("sealed_seed", userID), seed); err != nil {
			return err
		}
		return f.store()
	})
}
