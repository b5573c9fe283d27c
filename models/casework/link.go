package casework

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// KindOrder is the kind of a mailed link that confirms an order. An order is no case: it has no rules here.
const KindOrder Kind = "order"

// LinkTTL is how long a mailed link works, unless its subject has a shorter deadline.
const LinkTTL = time.Hour

// linkKept is how long a link is kept after it has expired, so that a link used twice leads on.
const linkKept = "30 days"

// MailedLink is a request of a customer without a second factor that waits until they follow a mailed link. Subject is
// the id of the payout, data export or order that it confirms.
type MailedLink struct {
	Subject   string `gorm:"primaryKey"`
	Kind      Kind
	UserID    string
	ExpiresAt time.Time
	UsedAt    *time.Time
}

// linkInForce is the condition under which a link can be used: once, in time, and while its customer has no second
// factor, which confirms the request instead.
const linkInForce = `used_at IS NULL AND expires_at > clock_now()
	AND NOT EXISTS (SELECT FROM second_factors f WHERE f.user_id = mailed_links.user_id AND f.enabled_at IS NOT NULL)`

// ErrLinkGone is returned for a link that no longer works.
var ErrLinkGone = store.Conflict("link_gone", "This link no longer works.")

// NewLinkToken returns the secret of a mailed link, 260 random bits, and the hash that is kept of it.
func NewLinkToken() (token string, hash []byte) {
	token = rand.Text() + rand.Text()
	return token, HashLink(token)
}

// HashLink returns what is kept of the secret of a mailed link.
func HashLink(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// OpenLink stores a link in the transaction of what it confirms. The event that causes the mail is the caller's.
func OpenLink(ctx context.Context, tx *store.DB, l MailedLink) error {
	if err := tx.ORM(ctx).Create(&l).Error; err != nil {
		return fmt.Errorf("store mailed link: %w", err)
	}
	return nil
}

// LinkToken makes the token of a mail that is about to be sent; empty when its link no longer works. A mail that is
// sent again has another token, and both work, since a mailbox may keep either of the two.
func LinkToken(ctx context.Context, db *store.DB, subject string) (string, error) {
	token, hash := NewLinkToken()
	done := db.ORM(ctx).Exec("UPDATE mailed_links SET token_hashes = array_append(token_hashes, ?::bytea) WHERE subject = ? AND "+linkInForce, hash, subject)
	if done.Error != nil {
		return "", fmt.Errorf("keep the token of a mailed link: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return "", nil
	}
	return token, nil
}

// LinkOf reads a customer's own link; NotFound when there is none.
func LinkOf(ctx context.Context, db *store.DB, userID, subject string) (*MailedLink, error) {
	if !store.IsID(subject) {
		return nil, store.NotFound("Request")
	}
	var l MailedLink
	err := db.ORM(ctx).Where("subject = ? AND user_id = ?", subject, userID).Take(&l).Error
	if store.IsMissing(err) {
		return nil, store.NotFound("Request")
	}
	if err != nil {
		return nil, fmt.Errorf("read mailed link: %w", err)
	}
	return &l, nil
}

// CheckLink returns ErrLinkGone unless a mail for the link can be sent again now.
func CheckLink(ctx context.Context, db *store.DB, userID, subject string) error {
	return linkWhere(ctx, db, "subject = $1 AND user_id = $2 AND "+linkInForce, subject, userID)
}

// LinkUsed returns ErrLinkGone unless the link was used already, and this is its token: following it again leads on.
func LinkUsed(ctx context.Context, db *store.DB, userID, subject, token string) error {
	return linkWhere(ctx, db, "subject = $1 AND user_id = $2 AND used_at IS NOT NULL AND $3 = ANY (token_hashes)", subject, userID, HashLink(token))
}

func linkWhere(ctx context.Context, db *store.DB, condition string, args ...any) error {
	var found bool
	if err := db.Row(ctx, "SELECT EXISTS (SELECT FROM mailed_links WHERE "+condition+")", args...).Scan(&found); err != nil {
		return fmt.Errorf("read mailed link: %w", err)
	}
	if !found {
		return ErrLinkGone
	}
	return nil
}

// UseLink uses up a link in the transaction of what it confirms; ErrLinkGone when this token does not, or no longer,
// confirm it.
func UseLink(ctx context.Context, tx *store.DB, userID, subject, token string) error {
	done := tx.ORM(ctx).Exec("UPDATE mailed_links SET used_at = clock_now() WHERE subject = ? AND user_id = ? AND ? = ANY (token_hashes) AND "+linkInForce,
		subject, userID, HashLink(token))
	if done.Error != nil {
		return fmt.Errorf("use mailed link: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return ErrLinkGone
	}
	return nil
}

// DropLink ends a link whose subject ended otherwise.
func DropLink(ctx context.Context, tx *store.DB, subject string) error {
	if err := tx.ORM(ctx).Exec("DELETE FROM mailed_links WHERE subject = ? AND used_at IS NULL", subject).Error; err != nil {
		return fmt.Errorf("drop mailed link: %w", err)
	}
	return nil
}

// DropLinksOf ends all links of a customer.
func DropLinksOf(ctx context.Context, tx *store.DB, userID string) error {
	if err := tx.ORM(ctx).Exec("DELETE FROM mailed_links WHERE user_id = ? AND used_at IS NULL", userID).Error; err != nil {
		return fmt.Errorf("drop mailed links: %w", err)
	}
	return nil
}

// ForgetLinks deletes up to limit links that expired long ago.
func ForgetLinks(ctx context.Context, db *store.DB, limit int) error {
	err := db.ORM(ctx).Exec(`DELETE FROM mailed_links WHERE subject IN
		(SELECT subject FROM mailed_links WHERE expires_at < clock_now() - interval '`+linkKept+`' ORDER BY expires_at LIMIT ?)`, limit).Error
	if err != nil {
		return fmt.Errorf("forget mailed links: %w", err)
	}
	return nil
}
