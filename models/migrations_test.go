package models_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/models/migrations"
	"github.com/tradepost/tradepost/models/store"
)

// lastReleased is the newest migration that was released before migrations were examined; it and those before it
// cannot change.
const lastReleased = 172

// fewRows are tables whose number of rows does not grow with the business: a migration may read or write them whole.
var fewRows = strings.Fields("clock chores polls providers markets payment_methods volume_tiers kyc_pricing pricing_state country_pricing switches risk_rules goose_db_version")

// blocking are the modes of locks that keep others from writing to a table, or from reading it.
var blocking = strings.Fields("ShareLock ShareRowExclusiveLock ExclusiveLock AccessExclusiveLock")

// concurrent are the statements that may run outside of a transaction.
var concurrent = regexp.MustCompile(`(?is)^\s*((CREATE (UNIQUE )?|DROP |RE)INDEX CONCURRENTLY|(RE)?SET lock_timeout)\b`)

// examiner looks, after each statement of a migration, at what its transaction has locked and read of the tables that
// were there before. A read of a whole table counts however few rows the table has here.
type examiner struct {
	tables map[uint32]string
	files  map[uint32]uint32
	reads  map[uint32]int64
	locked map[uint32]string // under a lock that blocks
	faults []string
	busy   bool
}

func (e *examiner) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, e, data.SQL)
}

func (e *examiner) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	sql, _ := ctx.Value(e).(string)
	if e.busy || data.Err != nil || e.tables == nil {
		return
	}
	e.busy = true
	defer func() { e.busy = false }()
	switch inside := conn.PgConn().TxStatus() == 'T'; {
	case !inside && sql != "commit" && !strings.Contains(sql, "goose_db_version") && !strings.Contains(sql, "advisory") && !concurrent.MatchString(sql):
		e.faults = append(e.faults, "outside of a transaction, what its locks are is not known: "+sql)
	case inside && sql == "begin":
		e.locked = map[uint32]string{}
		e.reads, e.files, _ = e.state(conn)
	case inside:
		e.examine(conn)
	}
}

func (e *examiner) examine(conn *pgx.Conn) {
	reads, files, modes := e.state(conn)
	for id, held := range modes {
		for _, mode := range held {
			if slices.Contains(blocking, mode) {
				e.locked[id] = mode
			}
		}
	}
	for id, table := range e.tables {
		read := reads[id] > e.reads[id] && !slices.Contains(fewRows, table)
		if files[id] != e.files[id] && files[id] != 0 {
			e.faults = append(e.faults, table+" is written anew")
		} else if read && slices.Contains(modes[id], "RowExclusiveLock") {
			e.faults = append(e.faults, "rows of "+table+" are written that an index does not find")
		} else if read && len(e.locked) > 0 {
			var of []string
			for id, mode := range e.locked {
				of = append(of, e.tables[id]+" ("+mode+")")
			}
			slices.Sort(of)
			e.faults = append(e.faults, table+" is read whole under a lock of "+strings.Join(of, ", "))
		}
	}
	e.reads, e.files = reads, files
}

// state is what the transaction has read whole, in which files tables are, and which locks it holds.
func (e *examiner) state(conn *pgx.Conn) (reads map[uint32]int64, files map[uint32]uint32, modes map[uint32][]string) {
	reads, files, modes = map[uint32]int64{}, map[uint32]uint32{}, map[uint32][]string{}
	rows, err := conn.Query(context.Background(), `SELECT c.oid, pg_relation_filenode(c.oid), coalesce(s.seq_scan, 0) + CASE WHEN EXISTS (SELECT FROM pg_constraint f
		  WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.xmin = pg_current_xact_id()::xid) THEN coalesce(s.idx_scan, 0) ELSE 0 END, -- a new foreign key is checked by any scan
		ARRAY(SELECT mode FROM pg_locks l WHERE l.pid = pg_backend_pid() AND l.relation = c.oid AND l.granted)
		FROM pg_class c LEFT JOIN pg_stat_xact_all_tables s ON s.relid = c.oid WHERE c.oid = ANY($1)`, slices.Collect(maps.Keys(e.tables)))
	var id, file uint32
	var read int64
	var held []string
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&id, &file, &read, &held}, func() error {
			reads[id], files[id], modes[id] = read, file, slices.Clone(held)
			return nil
		})
	}
	if err != nil {
		e.faults = append(e.faults, err.Error())
	}
	return reads, files, modes
}

// examine runs what is in files and not in the database, and gives the faults of each migration, by its number.
func examine(t *testing.T, dsn string, files fs.FS) map[int64][]string {
	t.Helper()
	e, faults := &examiner{}, map[int64][]string{}
	config, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	config.Tracer = e
	config.RuntimeParams["enable_seqscan"] = "off"       // on a table this small it would hide that an index is there
	config.RuntimeParams["enable_indexonlyscan"] = "off" // and an index read whole would hide that it is not
	db := stdlib.OpenDB(*config)
	defer func() { require.NoError(t, db.Close()) }()
	db.SetMaxOpenConns(1)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files)
	require.NoError(t, err)
	for {
		e.tables, e.faults = nil, nil
		tables := map[uint32]string{}
		rows, err := db.QueryContext(t.Context(), `SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'm')`)
		require.NoError(t, err)
		for rows.Next() {
			var id uint32
			var name string
			require.NoError(t, rows.Scan(&id, &name))
			tables[id] = name
		}
		require.NoError(t, rows.Err())
		e.tables = tables
		ran, err := provider.UpByOne(t.Context())
		if errors.Is(err, goose.ErrNoNextVersion) {
			return faults
		}
		require.NoError(t, err)
		slices.Sort(e.faults)
		faults[ran.Source.Version] = slices.Compact(e.faults)
	}
}

// upTo runs the migrations up to a number.
func upTo(t *testing.T, dsn string, version int64) *goose.Provider {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = db.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), version)
	require.NoError(t, err)
	return provider
}

// A migration keeps no one from a table for as long as it takes to read or write the table: it holds no lock that blocks
// while it does, and writes no row of a large table that it has to look for.
func TestMigrationsHoldNoLongLock(t *testing.T) {
	db := testbed.EmptyDB(t)
	upTo(t, db.Owner, lastReleased)
	found := examine(t, db.Owner, migrations.Files)
	maps.DeleteFunc(found, func(_ int64, faults []string) bool { return len(faults) == 0 })
	require.Empty(t, found, "see docs/upgrade.md")
}

// The examination finds what a migration must not do, and lets through what it is to do instead.
func TestLongLocksOfMigrationsAreFound(t *testing.T) {
	db := testbed.DB(t)
	cases := []struct{ sql, fault string }{
		{"CREATE INDEX x ON order_events (at)", "order_events is read whole under a lock of order_events (ShareLock)"},
		{"ALTER TABLE order_events ALTER COLUMN kind TYPE varchar(90)", "order_events is written anew"},
		{"ALTER TABLE mails ADD COLUMN x uuid DEFAULT gen_random_uuid()", "mails is written anew"},
		{"ALTER TABLE mails ADD CONSTRAINT x CHECK (attempts < 1000)", "mails is read whole under a lock of mails (AccessExclusiveLock)"},
		{"ALTER TABLE mails ALTER COLUMN order_id SET NOT NULL", "mails is read whole under a lock of mails (AccessExclusiveLock)"},
		{"ALTER TABLE mails ADD CONSTRAINT y FOREIGN KEY (id) REFERENCES orders", "mails is read whole under a lock of mails (ShareRowExclusiveLock), orders (ShareRowExclusiveLock)"},
		{"UPDATE mails SET attempts = 0 WHERE attempts = 1", "rows of mails are written that an index does not find"},
		{"ALTER TABLE chores ADD COLUMN x int; UPDATE mails SET attempts = 0", "rows of mails are written that an index does not find"},
		{"ALTER TABLE chores ADD COLUMN y int; CREATE TABLE counted AS SELECT count(*) FROM mails", "mails is read whole under a lock of chores (AccessExclusiveLock)"},
		{"-- +goose NO TRANSACTION\nALTER TABLE chores ADD COLUMN z int", "outside of a transaction, what its locks are is not known: ALTER TABLE chores ADD COLUMN z int;"},

		{"ALTER TABLE order_events ADD COLUMN x int NOT NULL DEFAULT 7", ""},
		{"ALTER TABLE mails ADD CONSTRAINT z CHECK (attempts < 1000) NOT VALID", ""},
		{"ALTER TABLE mails VALIDATE CONSTRAINT z", ""},
		{"ALTER TABLE mails ADD CONSTRAINT there CHECK (order_id IS NOT NULL) NOT VALID", ""},
		{"ALTER TABLE mails VALIDATE CONSTRAINT there", ""},
		{"ALTER TABLE mails ALTER COLUMN order_id SET NOT NULL", ""},
		{"CREATE TABLE beside (order_id uuid REFERENCES orders); CREATE INDEX ON beside (order_id)", ""},
		{"UPDATE orders SET swept_at = NULL WHERE id = '00000000-0000-0000-0000-000000000000'", ""},
		{"UPDATE chores SET last_error = NULL", ""},
		{"-- +goose NO TRANSACTION\nSET lock_timeout = 0; CREATE INDEX CONCURRENTLY z ON order_events (at); RESET lock_timeout", ""},
	}
	files, want := fstest.MapFS{}, map[int64][]string{}
	for n, c := range cases {
		var head string
		if strings.HasPrefix(c.sql, "--") {
			head, c.sql, _ = strings.Cut(c.sql, "\n")
		}
		version := int64(90000 + n)
		files[fmt.Sprintf("%d_case.sql", version)] = &fstest.MapFile{Data: []byte(head + "\n-- +goose Up\n" + strings.ReplaceAll(c.sql, "; ", ";\n") + ";\n")}
		want[version] = nil
		if c.fault != "" {
			want[version] = []string{c.fault}
		}
	}
	have := examine(t, db.Owner, files)
	for n, c := range cases {
		require.ElementsMatch(t, want[int64(90000+n)], have[int64(90000+n)], c.sql)
	}
}

// A migration whose lock is held by another transaction lets those who came after it go first, and succeeds once the
// lock is free.
func TestAMigrationGivesWayWhereItsLockIsHeld(t *testing.T) {
	s := openShop(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // whoever waits for a lock without end
	defer cancel()
	files := fstest.MapFS{"90000_column.sql": {Data: []byte("-- +goose Up\nALTER TABLE order_notes ADD COLUMN x int;\n")}}
	waits := store.MigrationWaits{Lock: 100 * time.Millisecond, Pause: 100 * time.Millisecond, Budget: time.Minute}
	holder, err := s.db.Pool().Begin(ctx)
	require.NoError(t, err)
	read := func() error {
		_, err := s.db.Pool().Exec(ctx, "SELECT FROM order_notes")
		return err
	}
	_, err = holder.Exec(ctx, "SELECT FROM order_notes")
	require.NoError(t, err)

	short := waits
	short.Budget = 0
	require.ErrorContains(t, store.MigrateTo(ctx, s.dbs.Owner, files, short), "55P03")
	require.NoError(t, read())

	done := make(chan error, 1)
	go func() { done <- store.MigrateTo(ctx, s.dbs.Owner, files, waits) }()
	waiting := func() (is bool) {
		err := s.db.Pool().QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks l WHERE NOT granted AND relation = 'order_notes'::regclass AND mode = 'AccessExclusiveLock'
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&is)
		return err == nil && is
	}
	for range 2 {
		require.Eventually(t, waiting, time.Minute, time.Millisecond)
		require.NoError(t, read(), "while the migration is due and the first transaction is open")
	}
	require.NoError(t, holder.Rollback(ctx))
	require.NoError(t, <-done)
	_, err = s.db.Pool().Exec(ctx, "SELECT x FROM order_notes")
	require.NoError(t, err)
}

// The way back to the release before is its image, whose migrate runs first: it accepts the newer schema.
func TestTheReleaseBeforeMigratesNothingOnANewerSchema(t *testing.T) {
	db := testbed.DB(t)
	names, err := fs.Glob(migrations.Files, "*.sql")
	require.NoError(t, err)
	before := fstest.MapFS{}
	for _, name := range names[:len(names)-1] {
		text, err := fs.ReadFile(migrations.Files, name)
		require.NoError(t, err)
		before[name] = &fstest.MapFile{Data: text}
	}
	require.NoError(t, store.MigrateTo(t.Context(), db.Owner, before, store.Waits))
	_, err = upTo(t, db.Owner, lastReleased).UpByOne(t.Context())
	require.ErrorIs(t, err, goose.ErrNoNextVersion, "the newest migration is still there")
}
