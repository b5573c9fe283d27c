package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/tradepost/tradepost/internal/dbconn"
	"github.com/tradepost/tradepost/models/migrations"
)

// DB is the database, or one transaction on it.
type DB struct {
	pool *pgxpool.Pool
	sql  *sql.DB // the pool for GORM
	gorm *gorm.DB
	// wire is the connection of the transaction, GORM's too; nil outside of one.
	wire *pgx.Conn
	// waiting are the transaction's writes that are not sent yet.
	waiting *waiting

	searches *searches
}

// Options are how a process connects.
type Options struct {
	// MaxConns bounds the pool; 0 means 8.
	MaxConns int32
	// AllowOwner permits a connection as the owner of the tables: for commands that run as the owner, never for the
	// product itself.
	AllowOwner bool
}

// Open connects to Postgres. It refuses a role that owns the tables, because
// such a role could change the ledger, unless o.AllowOwner is set.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("DATABASE_URL is not a Postgres connection string")
	}
	config.MaxConns = 8
	if o.MaxConns > 0 {
		config.MaxConns = o.MaxConns
	}
	config.MaxConnIdleTime = time.Minute
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.ConnConfig.RuntimeParams["application_name"] = filepath.Base(os.Args[0]) // whose locks and statements the server shows
	// Our queries are short walks of indexes that are in memory, or on a disk
	// that does not turn: no compiler, and a random page is as near as the next.
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.ConnConfig.RuntimeParams["random_page_cost"] = "1.1"
	maps.Copy(config.ConnConfig.RuntimeParams, letGo)
	dbconn.FailSoon(config)
	failpoints(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	db := &DB{pool: pool, sql: stdlib.OpenDBFromPool(pool), searches: &searches{}}
	db.gorm, err = gorm.Open(postgres.New(postgres.Config{Conn: db.sql}), &gorm.Config{
		Logger:                 logger.Discard,
		TranslateError:         false,
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
	})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("prepare GORM: %w", err)
	}
	if !o.AllowOwner {
		if err := errors.Join(db.refuseOwner(ctx), db.refuseOldSchema(ctx)); err != nil {
			pool.Close()
			return nil, err
		}
	}
	return db, nil
}

// letGo has Postgres end the connections of a machine that vanished, and with them their locks: an order's row, the
// Kraken key, the reading of prices. TCP would keep them for two hours; a transaction that idles for longer than any
// call lasts is ended too.
var letGo = map[string]string{
	"tcp_keepalives_idle":                 "5",
	"tcp_keepalives_interval":             "1",
	"tcp_keepalives_count":                "5",
	"tcp_user_timeout":                    "10s",
	"idle_in_transaction_session_timeout": "5min",
}

// ErrOldSchema says that the database was not migrated for this release yet.
var ErrOldSchema = errors.New("the database's schema is older than this program: run api migrate first")

// refuseOldSchema keeps a release from working on the schema of an earlier one:
// each step would fail, and orders be put before a person for it. A newer schema
// is right: releases are replaced one process after another.
func (db *DB) refuseOldSchema(ctx context.Context) error {
	var have int64
	err := db.pool.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&have)
	var said *pgconn.PgError
	if errors.As(err, &said) && (said.Code == "42P01" || said.Code == "42501") {
		return ErrOldSchema // not there yet, or not for us yet
	}
	if err != nil {
		return fmt.Errorf("ask Postgres for the schema's version: %w", err)
	}
	needed, err := newestMigration()
	if err == nil && have < needed {
		return ErrOldSchema
	}
	return err
}

// newestMigration is the version this program was made for.
func newestMigration() (int64, error) {
	files, err := fs.Glob(migrations.Files, "*.sql") // sorted by name
	if err != nil {
		return 0, err
	}
	return goose.NumericComponent(files[len(files)-1])
}

// ErrOwner says that the role could change what is only ever added.
var ErrOwner = errors.New("DATABASE_URL connects as the owner of the ledger; use the role of the process, such as tradepost_api")

func (db *DB) refuseOwner(ctx context.Context) error {
	var owns bool
	err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_tables
		WHERE schemaname = 'public' AND tablename IN ('postings', 'order_events', 'audit_log')
		  AND pg_has_role(current_user, tableowner, 'member'))`).Scan(&owns)
	if err != nil {
		return fmt.Errorf("ask Postgres who owns the ledger: %w", err)
	}
	if owns {
		return ErrOwner
	}
	return nil
}

// MigrationWaits are how long a migration waits for a lock, how long it then lets others go first, and how long it tries.
type MigrationWaits struct{ Lock, Pause, Budget time.Duration }

// Waits are those of api migrate: a later use of the table waits behind a migration for Lock at most.
var Waits = MigrationWaits{Lock: 2 * time.Second, Pause: 5 * time.Second, Budget: 5 * time.Minute}

// Migrate brings the schema up to date as its owner, and the rights of the processes' roles. Replicas that start
// together wait for each other; one of them runs the migrations.
func Migrate(ctx context.Context, ownerDSN string) error {
	if err := MigrateTo(ctx, ownerDSN, migrations.Files, Waits); err != nil {
		return err
	}
	return Grant(ctx, ownerDSN)
}

// MigrateTo runs the migrations in files that the database has not. One that does not get a lock in time is undone and
// tried again: while it waits, every later use of the table waits behind it.
func MigrateTo(ctx context.Context, ownerDSN string, files fs.FS, waits MigrationWaits) error {
	config, err := pgx.ParseConfig(ownerDSN)
	if err != nil {
		return errors.New("MIGRATE_DATABASE_URL is not a Postgres connection string")
	}
	config.RuntimeParams["lock_timeout"] = strconv.FormatInt(waits.Lock.Milliseconds(), 10)
	for until := time.Now().Add(waits.Budget); ; {
		err := migrateOnce(ctx, config, files)
		var said *pgconn.PgError
		if late := errors.As(err, &said) && said.Code == "55P03"; !late || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(waits.Pause):
		}
	}
}

// migrateOnce uses a connection of its own, so that nothing that a failed migration has SET is there for the next.
func migrateOnce(ctx context.Context, config *pgx.ConnConfig, files fs.FS) error {
	conn := stdlib.OpenDB(*config)
	defer func() { _ = conn.Close() }()
	one, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, files, goose.WithSessionLocker(one))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// Close ends all connections.
func (db *DB) Close() { db.pool.Close() }

// Ping checks that Postgres answers.
func (db *DB) Ping(ctx context.Context) error { return db.pool.Ping(ctx) }

// Pool is for what GORM cannot say: LISTEN, advisory locks, hot reads.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// InTx reports whether it is a transaction.
func (db *DB) InTx() bool { return db.wire != nil }

// Columns are those of a row, in order.
func (db *DB) Columns(row any) ([]string, error) {
	statement := &gorm.Statement{DB: db.gorm}
	if err := statement.Parse(row); err != nil {
		return nil, fmt.Errorf("read what a row is made of: %w", err)
	}
	return statement.Schema.DBNames, nil
}

// Now is the database's time.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := db.Row(ctx, "SELECT clock_now()").Scan(&now); err != nil {
		return time.Time{}, fmt.Errorf("ask the database for the time: %w", err)
	}
	return now, nil
}

// WallClock is the time of the machine that the database runs on, also where clock_now() was moved forward: tokens of
// other issuers are validated by it, since they do not use our clock.
func (db *DB) WallClock(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := db.pool.QueryRow(ctx, "SELECT now()").Scan(&now); err != nil {
		return time.Time{}, fmt.Errorf("ask the database's machine for the time: %w", err)
	}
	return now, nil
}

// Tx runs fn in one transaction; inside another it joins it. A transaction
// that Postgres refused to serialise, or that lost a deadlock, is run again.
func (db *DB) Tx(ctx context.Context, fn func(tx *DB) error) error {
	if db.wire != nil {
		return fn(db)
	}
	var err error
	for range 3 {
		if err = db.once(ctx, fn); !retryable(err) {
			return err
		}
	}
	return err
}

// undoing is how long a rollback may last; after it the connection is closed, and the transaction with it.
const undoing = 5 * time.Second

// once runs fn in one transaction on one connection, which GORM and pgx share: GORM runs what it expresses well, and
// the queries of every step go straight to pgx, without two layers that copy each value (docs/performance.md).
func (db *DB) once(ctx context.Context, fn func(tx *DB) error) error {
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // back to the pool, which ends what is not ended
	tx := &DB{pool: db.pool, sql: db.sql, gorm: db.ORM(ctx), searches: db.searches, waiting: &waiting{}}
	tx.gorm.Statement.ConnPool = inOrderORM{conn, tx}
	err = conn.Raw(func(driver any) error { tx.wire = driver.(*stdlib.Conn).Conn(); return nil })
	if err != nil {
		return err
	}
	transaction, err := tx.wire.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { // also where fn panics; after a commit there is nothing to undo
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), undoing)
		defer stop()
		_ = transaction.Rollback(ctx)
	}()
	if err := fn(tx); err != nil {
		return err
	}
	return transaction.Commit(ctx)
}

func retryable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// ORM is the pool or the running transaction for GORM.
func (db *DB) ORM(ctx context.Context) *gorm.DB { return db.gorm.WithContext(ctx) }

// Direct is what says statements with $1, $2, … straight to Postgres: the connection
// of the transaction, or the pool.
func (db *DB) Direct() querier {
	if db.wire != nil {
		return inOrder{db}
	}
	return db.pool
}

// Row reads one row, with $1, $2, …
func (db *DB) Row(ctx context.Context, query string, args ...any) pgx.Row {
	return db.Direct().QueryRow(ctx, query, args...)
}

// Exec writes, with $1, $2, …
func (db *DB) Exec(ctx context.Context, query string, args ...any) error {
	_, err := db.Direct().Exec(ctx, query, args...)
	return err
}

// TryKey acquires a lock on a name until the transaction ends, unless another transaction holds it.
func (db *DB) TryKey(ctx context.Context, name string) (acquired bool, err error) {
	err = db.ORM(ctx).Raw("SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))", name).Row().Scan(&acquired)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", name, err)
	}
	return acquired, nil
}

// CustomPlans is orm for queries whose best plan depends on the parameters: Postgres plans each again instead of
// choosing one generic plan.
func (db *DB) CustomPlans(ctx context.Context) *gorm.DB {
	session := db.ORM(ctx)
	session.Statement.ConnPool = plannedAnew{session.Statement.ConnPool}
	return session
}

// plannedAnew sends queries without a named prepared statement.
type plannedAnew struct{ gorm.ConnPool }

// QueryContext implements gorm.ConnPool.
func (p plannedAnew) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.ConnPool.QueryContext(ctx, query, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// LockKey acquires a lock on a name until the transaction ends.
func (db *DB) LockKey(ctx context.Context, name string) error {
	return db.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)
}
