package worker

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/mail"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// chores are the recurring work, with a recipient of alerts and a mail server, and no
// Temporal.
type chores struct {
	*testing.T
	db    *store.DB
	owner *pgx.Conn
}

func openChores(t *testing.T) *chores {
	t.Helper()
	dbs := testbed.DB(t)
	db, err := store.Open(t.Context(), dbs.App, store.Options{MaxConns: 12})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	owner, err := pgx.Connect(t.Context(), dbs.Admin)
	require.NoError(t, err)
	t.Cleanup(func() { _ = owner.Close(context.Background()) })
	return &chores{t, db, owner}
}

func (c *chores) exec(sql string) {
	c.Helper()
	_, err := c.owner.Exec(c.Context(), sql)
	require.NoError(c, err)
}

// start executes them until the returned function is called.
func (c *chores) start(mails *activities.Mails, budget time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(c.Context())
	ended := make(chan struct{})
	all := &activities.Chores{DB: c.db, Every: 50 * time.Millisecond, Budget: budget, Mails: mails, Silent: time.Millisecond, Log: slog.New(slog.DiscardHandler), Alerts: reporting.AlertLimits{Provider: time.Hour}}
	go func() { defer close(ended); _ = all.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	c.Cleanup(stop)
	return stop
}

func (c *chores) until(what, sql string) {
	c.Helper()
	require.Eventually(c, func() bool {
		var so bool
		return c.db.Pool().QueryRow(c.Context(), "SELECT "+sql).Scan(&so) == nil && so
	}, time.Minute, 20*time.Millisecond, what)
}

// A chore that fails every time holds up no other, and people are called, by mail, with
// no Temporal anywhere.
func TestChoresStandByThemselvesWithoutTemporal(t *testing.T) {
	c := openChores(t)
	h := &testCluster{T: t, db: c.db}
	h.openSandbox(slog.New(slog.DiscardHandler))
	sender, err := mail.New("smtp://"+h.post.address, "Tradepost <no-reply@example.com>")
	require.NoError(t, err)
	c.exec(`ALTER FUNCTION fold_tallies(int) RENAME TO fold_nothing`)
	c.exec(`INSERT INTO users (id, issuer, subject, email) VALUES ('` + store.NewID() + `', 'test', 'admin', 'admin@example.com')`)
	c.exec(`INSERT INTO user_roles (user_id, role, granted_by) SELECT id, 'admin', 'test' FROM users`)
	c.exec(`INSERT INTO provider_answers (queue, answered_at, failed_at) VALUES ('exchange', clock_now() - interval '2 hours', clock_now())`)
	c.start(&activities.Mails{DB: c.db, Sender: sender, Brand: "Tradepost", PublicURL: "http://localhost", Log: slog.New(slog.DiscardHandler)}, time.Minute)
	c.until("the alert to be mailed", `EXISTS (SELECT FROM mails WHERE alert_id IS NOT NULL AND sent_at IS NOT NULL)`)
	require.Len(t, h.mails("admin@example.com"), 1)
	c.until("the others to succeed", `(SELECT count(*) FROM chores WHERE last_done_at IS NOT NULL AND last_error IS NULL) = `+strconv.Itoa(len(chore.ChoreNames)-2))
	c.until("the failure to be noted", `(SELECT last_done_at IS NULL AND last_error LIKE '%fold_tallies%' FROM chores WHERE name = 'tallies')`)
	c.exec(`ALTER FUNCTION fold_nothing(int) RENAME TO fold_tallies`)
	c.until("it to succeed", `(SELECT last_done_at IS NOT NULL AND last_error IS NULL FROM chores WHERE name = 'tallies')`)
}

// However small the time of one run, what it folded is kept, and the next ones go on.
func TestAChoreMakesProgressWithinItsTime(t *testing.T) {
	c := openChores(t)
	c.exec(`INSERT INTO tally_changes SELECT 'many', NULL, CAST(n % 50 AS text), 1, 1 FROM generate_series(1, 60000) n`)
	c.exec(`CREATE TABLE folded (n bigint)`)
	c.exec(`CREATE FUNCTION slow_fold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN PERFORM pg_sleep(0.3); INSERT INTO folded SELECT count(*) FROM tally_changes; RETURN NULL; END $$`)
	c.exec(`CREATE TRIGGER slow_fold AFTER DELETE ON tally_changes FOR EACH STATEMENT EXECUTE FUNCTION slow_fold()`)
	stop := c.start(nil, time.Second) // three batches of six, at most
	c.until("all to be folded", `(SELECT count(*) = 0 FROM tally_changes WHERE list = 'many')`)
	stop()
	var runs int
	require.NoError(t, c.owner.QueryRow(t.Context(), `SELECT count(DISTINCT n) FROM folded`).Scan(&runs))
	require.GreaterOrEqual(t, runs, 6, "each batch is kept")
	var counted int64
	require.NoError(t, c.owner.QueryRow(t.Context(), `SELECT sum(n) FROM tallies WHERE list = 'many'`).Scan(&counted))
	require.EqualValues(t, 60000, counted)
}

// Queries of the sweep that fail do not affect the others, whose rows are marked as swept:
// the rows found are returned to the workflow, and the errors are the chore's.
func TestASweepQueryThatFailsLeavesTheOthers(t *testing.T) {
	c := openChores(t)
	user := store.NewID()
	c.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ('` + user + `', 'test', 'someone', 'c@example.com', true)`)
	closure, err := privacy.AskToClose(t.Context(), c.db, user)
	require.NoError(t, err)
	c.exec(`UPDATE account_closures SET created_at = created_at - interval '1 hour'`)
	c.exec(`ALTER TABLE disputes RENAME TO disputes_gone`)
	c.exec(`ALTER TABLE vouchers RENAME TO vouchers_gone`)
	c.exec(`ALTER TABLE gift_card_decisions RENAME TO gift_card_decisions_gone`)
	sweep := &activities.Sweep{DB: c.db, Grace: time.Second, Revive: time.Hour, MoneyPoll: time.Minute}
	found, err := sweep.Find(t.Context())
	require.NoError(t, err)
	require.Equal(t, []activities.OrphanCase{{Matter: privacy.KindClosure, ID: closure.ID, Reason: found.Matters[0].Reason}}, found.Matters)
	require.True(t, found.PollMoney)
	chores, err := chore.Chores(t.Context(), c.db)
	require.NoError(t, err)
	require.Len(t, chores, 1)
	require.Nil(t, chores[0].LastDoneAt)
	require.Contains(t, *chores[0].LastError, "disputes")
	require.Contains(t, *chores[0].LastError, "gift")

	slow, cancel := context.WithTimeout(t.Context(), 4*time.Second) // one that uses up the whole budget
	defer cancel()
	c.exec(`ALTER TABLE disputes_gone RENAME TO disputes`)
	c.exec(`UPDATE account_closures SET swept_at = NULL`)
	c.exec(`BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE`)
	_, err = sweep.Find(slow)
	require.NoError(t, err, "told in time")
	c.exec(`ROLLBACK`)
}
