package account

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// LoginLifetime is how long a sign-in may last at the identity provider: as long as the embedded one waits for the
// code of a sign-up.
const LoginLifetime = time.Hour

// LoginAttempt is a sign-in that has begun: what the callback must contain, and the browser it must return to. Hashes
// are SHA-256.
type LoginAttempt struct {
	StateHash   []byte `gorm:"primaryKey"`
	BrowserHash []byte
	Nonce       string
	Verifier    string
	ReturnTo    string
	Anew        bool // the provider was asked for a new authentication
}

// BeginLogin keeps an attempt until it is used or runs out.
func BeginLogin(ctx context.Context, db *store.DB, attempt LoginAttempt) error {
	if err := db.ORM(ctx).Create(&attempt).Error; err != nil {
		return fmt.Errorf("store login attempt: %w", err)
	}
	return nil
}

// TakeLogin uses an attempt up: once, within LoginLifetime, and only by the
// browser that began it. Anything else is Forbidden, without saying which.
func TakeLogin(ctx context.Context, db *store.DB, stateHash, browserHash []byte) (*LoginAttempt, error) {
	var attempt LoginAttempt
	result := db.ORM(ctx).Raw(`
		UPDATE login_attempts SET used_at = clock_now()
		 WHERE state_hash = ? AND browser_hash = ? AND used_at IS NULL
		   AND created_at > clock_now() - make_interval(secs => ?)
		RETURNING state_hash, browser_hash, nonce, verifier, return_to, anew`,
		stateHash, browserHash, LoginLifetime.Seconds()).Scan(&attempt)
	if result.Error != nil {
		return nil, fmt.Errorf("take login attempt: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, store.Forbidden("login_expired", "This sign-in has expired or was started in another browser. Try again.")
	}
	return &attempt, nil
}

// ReturnOf is where an attempt of this browser was to come back to, whether it is used, expired or neither. known is
// false for an attempt of another browser, and for one that was removed.
func ReturnOf(ctx context.Context, db *store.DB, stateHash, browserHash []byte) (returnTo string, known bool, err error) {
	result := db.ORM(ctx).Raw("SELECT return_to FROM login_attempts WHERE state_hash = ? AND browser_hash = ?", stateHash, browserHash).Scan(&returnTo)
	if result.Error != nil {
		return "", false, fmt.Errorf("read login attempt: %w", result.Error)
	}
	return returnTo, result.RowsAffected > 0, nil
}
