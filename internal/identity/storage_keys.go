package identity

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// The lifetime of a signing key: published an hour before it signs, so that clients have
// it; signing for ninety days; published for ninety more, because a token may be shown
// again as a webhook signal at sign-out.
const (
	keyAnnounced = time.Hour
	keyActive    = 90 * 24 * time.Hour
	keyPublished = 2 * keyActive
	keyCacheLife = time.Minute
	rsaBits      = 2048
)

// rotationLock keeps replicas from rotating at once.
const rotationLock = 5_101_994_302

// signingKey is one key, its private key opened.
type signingKey struct {
	id      string
	private *rsa.PrivateKey
}

func (k *signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k *signingKey) Key() any                                    { return k.private }
func (k *signingKey) ID() string                                  { return k.id }

// publishedKey is the public key, as the key set shows it.
type publishedKey struct {
	id     string
	public *rsa.PublicKey
}

func (k *publishedKey) ID() string                         { return k.id }
func (k *publishedKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k *publishedKey) Use() string                        { return "sig" }
func (k *publishedKey) Key() any                           { return k.public }

// keys keeps the signing keys. What it read is good for a minute.
type keys struct {
	db     *pgxpool.Pool
	sealer *sealer

	mu      sync.Mutex
	read    time.Time
	signing *signingKey
	set     []op.Key
}

func keyPlace(id string) string { return "signing_keys:sealed_private:" + id }

// current returns the key to sign with and those to publish, and makes the
// first key, or the next, when it is time.
func (k *keys) current(ctx context.Context) (*signingKey, []op.Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.signing != nil && time.Since(k.read) < keyCacheLife {
		return k.signing, k.set, nil
	}
	if err := k.rotateWhenDue(ctx); err != nil {
		return nil, nil, err
	}
	if err := k.load(ctx); err != nil {
		return nil, nil, err
	}
	k.read = time.Now()
	return k.signing, k.set, nil
}

func (k *keys) rotateWhenDue(ctx context.Context) error {
	const due = `SELECT coalesce(max(active_from) < now() - $1::interval, true) FROM signing_keys`
	var is bool
	if err := k.db.QueryRow(ctx, due, keyActive-keyAnnounced).Scan(&is); err != nil || !is {
		return err
	}
	return pgx.BeginFunc(ctx, k.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(rotationLock)); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, due, keyActive-keyAnnounced).Scan(&is); err != nil || !is {
			return err
		}
		return k.add(ctx, tx)
	})
}

// rotate makes a new key now: it signs after the announcement.
func (k *keys) rotate(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read = time.Time{}
	return pgx.BeginFunc(ctx, k.db, func(tx pgx.Tx) error { return k.add(ctx, tx) })
}

// add stores a new key. The very first one signs at once.
func (k *keys) add(ctx context.Context, tx pgx.Tx) error {
	private, err := rsa.GenerateKey(rand.Reader, rsaBits)
	if err != nil {
		return err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	id := uuid.NewString()
	const sql = `
		INSERT INTO signing_keys (id, sealed_private, public_key, active_from)
		SELECT $1, $2, $3, CASE WHEN EXISTS (SELECT FROM signing_keys) THEN now() + $4::interval ELSE now() END`
	_, err = tx.Exec(ctx, sql, id, k.sealer.seal(encoded, keyPlace(id)), x509.MarshalPKCS1PublicKey(&private.PublicKey), keyAnnounced)
	return err
}

func (k *keys) load(ctx context.Context) error {
	const sql = `SELECT id, sealed_private, public_key, active_from <= now() FROM signing_keys
		 WHERE active_from > now() - $1::interval ORDER BY active_from DESC`
	rows, err := k.db.Query(ctx, sql, keyPublished)
	if err != nil {
		return err
	}
	defer rows.Close()
	var signing *signingKey
	var set []op.Key
	for rows.Next() {
		var id string
		var sealed, public []byte
		var active bool
		if err := rows.Scan(&id, &sealed, &public, &active); err != nil {
			return err
		}
		published, err := x509.ParsePKCS1PublicKey(public)
		if err != nil {
			return err
		}
		set = append(set, &publishedKey{id, published})
		if signing == nil && active {
			if signing, err = k.openKey(id, sealed); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if signing == nil {
		return errors.New("no signing key")
	}
	k.signing, k.set = signing, set
	return nil
}

func (k *keys) openKey(id string, sealed []byte) (*signingKey, error) {
	encoded, err := k.sealer.open(sealed, keyPlace(id))
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(encoded)
	if err != nil {
		return nil, err
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("signing key is not RSA")
	}
	return &signingKey{id, private}, nil
}
