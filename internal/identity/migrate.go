package identity

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/tradepost/tradepost/internal/dbconn"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// schema is the one schema this provider reads and writes.
const schema = "identity"

// migrationLock keeps two replicas from migrating at once; any number of ours
// that no other part of Tradepost uses.
const migrationLock = 5_101_994_301

// maxConnections bounds one replica's share of Postgres.
const maxConnections = 10

// OpenPool connects to databaseURL with the identity schema as search path.
// It returns an error when the database does not answer.
func OpenPool(ctx context.Context, databaseURL string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, errors.New("IDENTITY_DATABASE_URL: not a Postgres address")
	}
	config.ConnConfig.RuntimeParams["search_path"] = schema
	config.ConnConfig.RuntimeParams["application_name"] = "identity"
	dbconn.FailSoon(config)
	config.MaxConns = maxConnections
	config.MaxConnIdleTime = 5 * time.Minute
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("IDENTITY_DATABASE_URL: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("IDENTITY_DATABASE_URL: %w", err)
	}
	return pool, nil
}

// Migrate brings the identity schema up to date. Replicas that start together
// wait for one another.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if err := createSchema(ctx, pool); err != nil {
		return err
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, 60))
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker), goose.WithSlog(slog.New(slog.DiscardHandler)),
		goose.WithGoMigrations(goose.NewGoMigration(asciiDomains,
			&goose.GoFunc{RunTx: joinAddresses}, &goose.GoFunc{RunTx: leaveAddresses})))
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate identity schema: %w", err)
	}
	return nil
}

// asciiDomains is the number of the migration after which addresses are compared with their domain in ASCII form.
const asciiDomains = 5

// joinAddresses rewrites the keys of addresses whose domain is not in ASCII form, those of the oldest accounts first. An
// account whose new key another has keeps its own, and with it its sign-in: whose it is, only its owner knows. Mails that
// wait follow their account.
func joinAddresses(ctx context.Context, tx *sql.Tx) error {
	const other = ` WHERE email_key ~ '[^\x01-\x7f]'`
	keys, err := keysOf(ctx, tx, `SELECT email_key FROM (SELECT email_key, created_at FROM users`+other+` ORDER BY created_at, id) u
		UNION ALL SELECT DISTINCT email_key FROM signups`+other)
	if err != nil {
		return err
	}
	for _, key := range keys {
		for _, update := range []string{
			`UPDATE users SET email_key = $2 WHERE email_key = $1 AND NOT EXISTS (SELECT FROM users WHERE email_key = $2)`,
			`UPDATE signups SET email_key = $2 WHERE email_key = $1`,
			`UPDATE outbox SET email_key = $2 WHERE email_key = $1 AND NOT EXISTS (SELECT FROM users WHERE email_key = $1)`,
		} {
			if _, err := tx.ExecContext(ctx, update, key, emailKey(key)); err != nil {
				return err
			}
		}
	}
	return nil
}

func keysOf(ctx context.Context, tx *sql.Tx, query string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var keys []string
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// leaveAddresses changes nothing: the former program compares the keys as they are.
func leaveAddresses(context.Context, *sql.Tx) error { return nil }

// createSchema creates the schema unless the operator created it for our role. The check is
// first because CREATE SCHEMA IF NOT EXISTS requires a right on the database that our role
// need not have.
func createSchema(ctx context.Context, pool *pgxpool.Pool) error {
	var exists bool
	if err := pool.QueryRow(ctx, `SELECT to_regnamespace($1) IS NOT NULL`, schema).Scan(&exists); err != nil {
		return err
	}
	if exists {
		return nil
	}
	if _, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{schema}.Sanitize()); err != nil {
		return fmt.Errorf("create schema %s: %w", schema, err)
	}
	return nil
}
