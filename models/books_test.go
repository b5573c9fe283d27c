package models_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// heldAt adds up every posting until a moment, by account as staff read them.
const heldAt = `SELECT account || ' ' || currency, CAST(sum(amount) AS text) FROM (
	SELECT CASE WHEN to_account LIKE 'customer:%' THEN 'customers:' || split_part(to_account, ':', 3) ELSE to_account END AS account, currency, amount FROM postings WHERE at <= $1
	UNION ALL SELECT CASE WHEN from_account LIKE 'customer:%' THEN 'customers:' || split_part(from_account, ':', 3) ELSE from_account END, currency, -amount FROM postings WHERE at <= $1) m
	GROUP BY account, currency`

// books are balances by account and currency.
func (d *orderFixture) books(at time.Time) (reported, truth map[string]string, err error) {
	totals, err := ledger.Statement(d.Context(), d.db, at)
	if err != nil {
		return nil, nil, err
	}
	if wrong := ledger.CheckTrialBalance(totals); len(wrong) > 0 {
		return nil, nil, errors.New(wrong[0])
	}
	reported, truth = map[string]string{}, map[string]string{}
	for _, t := range totals {
		reported[t.Account+" "+string(t.Currency)] = t.Balance.String()
	}
	rows, err := d.db.Pool().Query(d.Context(), heldAt, at)
	if err != nil {
		return nil, nil, err
	}
	var name, sum string
	_, err = pgx.ForEachRow(rows, []any{&name, &sum}, func() error { truth[name] = sum; return nil })
	return reported, truth, err
}

// bookAnything writes a posting between any two accounts; now and then in a
// transaction that began before others wrote.
func (d *orderFixture) bookAnything(ctx context.Context, r *rand.Rand, name string) error {
	accounts := []string{ledger.AccountBank, ledger.AccountClearing, ledger.AccountEquity, ledger.AccountFees, ledger.AccountConversion, ledger.AccountTrading}
	line := func() []ledger.Posting {
		from := r.IntN(len(accounts))
		return []ledger.Posting{{From: accounts[from], To: accounts[(from+1+r.IntN(len(accounts)-1))%len(accounts)], Currency: []money.Currency{money.USD, money.BTC}[r.IntN(2)], Amount: money.FromInt(1 + r.Int64N(1000))}}
	}
	switch r.IntN(4) {
	case 0:
		_, err := Credit(ctx, d.db, d.user, name, money.FromInt(1+r.Int64N(1000)))
		return err
	case 1:
		return d.db.Tx(ctx, func(tx *store.DB) error {
			if err := ledger.SeedFloat(ctx, d.db, name+" meanwhile", line()); err != nil {
				return err
			}
			return ledger.SeedFloat(ctx, tx, name, line())
		})
	}
	return ledger.SeedFloat(ctx, d.db, name, line())
}

// The trial balance of any moment of the past is what was booked until then,
// from a snapshot and what came after it, while others write.
func TestTheBooksOfAnyMomentAreWhatWasBookedUntilThen(t *testing.T) {
	d := openOrderFixture(t)
	moments := []time.Time{d.at()}
	for phase := range 6 {
		var writers sync.WaitGroup
		for n := range 3 {
			writers.Go(func() {
				r := rand.New(rand.NewPCG(uint64(phase), uint64(n)))
				for i := range 15 {
					if err := d.bookAnything(t.Context(), r, fmt.Sprintf("%d-%d-%d", phase, n, i)); err != nil {
						t.Error(err)
					}
					if i%5 == 0 {
						at := moments[r.IntN(len(moments))]
						if reported, truth, err := d.books(at); err != nil || !maps.Equal(reported, truth) {
							t.Errorf("at %s: told %v, booked %v (%v)", at, reported, truth, err)
						}
					}
				}
			})
		}
		writers.Wait()
		moments = append(moments, d.at())
		require.Eventually(t, func() bool { return rollUp(t.Context(), d.db) == nil && d.snapshots() > phase }, time.Minute, 20*time.Millisecond)
	}
	rows, err := d.db.Pool().Query(t.Context(), `SELECT at FROM postings ORDER BY id`)
	require.NoError(t, err)
	times, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	require.NoError(t, err)
	for i := 0; i < len(times); i += 7 { // also where a snapshot begins, and amid concurrent writers
		moments = append(moments, times[i], times[i].Add(-time.Microsecond))
	}
	for _, at := range moments {
		reported, truth, err := d.books(at)
		require.NoError(t, err)
		require.Equal(t, truth, reported, at)
		balance, err := ledger.BalanceAt(t.Context(), d.db, ledger.AccountBank, money.USD, at)
		require.NoError(t, err)
		if known, some := truth["bank_clearing USD"]; some {
			require.Equal(t, known, balance.String())
		}
	}
	_, truth, err := d.books(d.at())
	require.NoError(t, err)
	own, err := ledger.BalanceAt(t.Context(), d.db, ledger.CustomerBalance(d.user), money.USD, d.at())
	require.NoError(t, err)
	require.Equal(t, truth["customers:balance USD"], own.String(), "there is one customer")
}

func (d *orderFixture) at() time.Time {
	d.Helper()
	now, err := d.db.Now(d.Context())
	require.NoError(d, err)
	return now
}

// owner runs a statement as the owner of all tables.
func (s *shop) owner(sql string, args ...any) {
	s.Helper()
	conn, err := pgx.Connect(s.Context(), s.dbs.Admin)
	require.NoError(s, err)
	_, err = conn.Exec(s.Context(), sql, args...)
	require.NoError(s, err)
	require.NoError(s, conn.Close(s.Context()))
}

func (d *orderFixture) snapshots() (n int) {
	d.Helper()
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), `SELECT count(*) FROM ledger_snapshots`).Scan(&n))
	return n
}

// A transaction that began too long ago books nothing: what its postings say of
// their time would be out of the order of their numbers.
func TestTransactionsThatAreTooOldBookNothing(t *testing.T) {
	d := openOrderFixture(t)
	d.owner(`CREATE OR REPLACE FUNCTION begun_lately() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF clock_timestamp() - now() > interval '10 milliseconds' THEN RAISE EXCEPTION 'too old' USING ERRCODE = 'check_violation'; END IF; RETURN NULL; END $$`)
	err := d.db.Tx(t.Context(), func(tx *store.DB) error {
		for began := time.Now(); time.Since(began) < 15*time.Millisecond; {
			if _, err := tx.Now(t.Context()); err != nil {
				return err
			}
		}
		return ledger.SeedFloat(t.Context(), tx, "late", []ledger.Posting{{From: ledger.AccountEquity, To: ledger.AccountBank, Currency: money.USD, Amount: money.FromInt(1)}})
	})
	require.ErrorContains(t, err, "too old")
}

// sealing has a key and keeps no copy.
var sealing = audit.Sealing{Keys: [][]byte{[]byte("the key of the audit log's seals")}}

// Bar 39: lines of the audit log are sealed in order while others write, the application can change neither lines nor
// seals, and a change by another role is found.
func TestBar39TheAuditLogIsSealedAndAnyChangeIsFound(t *testing.T) {
	d := openOrderFixture(t)
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for i := range 20 {
				err := d.db.Tx(t.Context(), func(tx *store.DB) error {
					return audit.Audit(t.Context(), tx, audit.AuditEntry{ActorRole: "admin", Action: "test", ObjectKind: "order", ObjectID: fmt.Sprintf("%d-%d", n, i), After: map[string]any{"n": i}})
				})
				if err != nil {
					t.Error(err)
				}
				if i%5 == 0 {
					if err := audit.SealAudit(t.Context(), d.db, sealing); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	writers.Wait()
	var newest int64
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT max(id) FROM audit_log`).Scan(&newest))
	require.Eventually(t, func() bool {
		through, broken, err := audit.VerifyAudit(t.Context(), d.db, sealing.Keys)
		return audit.SealAudit(t.Context(), d.db, sealing) == nil && err == nil && broken == nil && through == newest
	}, time.Minute, 20*time.Millisecond)
	for _, sql := range []string{`UPDATE audit_log SET reason = 'x'`, `DELETE FROM audit_log`, `TRUNCATE audit_log`, `UPDATE audit_seals SET hash = ''`, `DELETE FROM audit_seals`, `TRUNCATE audit_seals`} {
		_, err := d.db.Pool().Exec(t.Context(), sql)
		require.Error(t, err, sql)
	}
	for _, sql := range []string{`UPDATE audit_log SET reason = 'another' WHERE id = $1`, `DELETE FROM audit_log WHERE id = $1`} {
		d.owner(`ALTER TABLE audit_log DISABLE TRIGGER append_only`)
		d.owner(sql, newest/2)
		_, broken, err := audit.VerifyAudit(t.Context(), d.db, sealing.Keys)
		require.NoError(t, err)
		require.NotNil(t, broken, sql)
		require.GreaterOrEqual(t, broken.ThroughID, newest/2, sql)
	}
}
