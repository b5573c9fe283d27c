package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/process"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// The archive of a Postgres on which orders moved is restored to a moment on another machine, without Temporal's data,
// after the orders proceeded: the ledger balances, what was sealed opens, every order has a workflow again and reaches its
// end, and nothing that was done after the backup is done twice. What has no row any more is found in the providers'
// statements, and once staff have booked it, the reconciliation has no break.
func TestBar34BackupIsRestoredElsewhere(t *testing.T) {
	ownStack(t, local.Variant{}, map[string]string{"SWEEP_INTERVAL": "1s", "SWEEP_GRACE": "2s", "SWEEP_REVIVE": "2s", "RECONCILE_EVERY": "2s", "RECONCILE_GRACE": "1s"})
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	control(t, http.MethodPost, "/control/kraken/tier", map[string]string{"tier": "unlimited"}, nil) // statements are read all the time
	list := buyers(t, 5)
	authorised, paid, sending, sent, late := list[0], list[1], list[2], list[3], list[4]
	ways := map[*buyer][]func(context.Context) error{
		authorised: {authorised.authorise},
		paid:       {paid.authorise, paid.process},
		sending:    {sending.authorise, sending.process},
		sent:       wholeWay(sent),
	}
	underWay(ctx, t, list[:4], func(b *buyer) []func(context.Context) error { return ways[b] })()
	hang := arm(t, fault{Provider: "bitgo", Operation: "sendcoins", Match: sending.what.address, Code: "hold_after", Count: 1})
	require.NoError(t, sending.fulfil(ctx))
	struck(t, hang) // the coin has left, without a record here
	seller := seller(ctx, t, sent)
	require.NoError(t, seller.sells(ctx, "only"))
	seed := enrols(t, late.customer)

	a := archived(ctx, t)
	var moment time.Time
	require.NoError(t, database.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&moment))
	require.NoError(t, authorised.process(ctx))
	require.NoError(t, steps(ctx, paid.fulfil, paid.arrives))
	underWay(ctx, t, []*buyer{late}, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process}
	})()
	a.catchesUp()
	elsewhere(t, a, moment)

	require.Empty(t, unbalanced(ctx, t))
	require.Equal(t, http.StatusNotFound, late.customer.call(http.MethodGet, "/api/orders/"+late.id, nil, nil), "its row is lost")
	require.NoError(t, sending.arrives(ctx), "nobody need press anything")
	require.NoError(t, steps(ctx, authorised.process, authorised.fulfil, authorised.arrives))
	require.NoError(t, steps(ctx, paid.fulfil, paid.arrives))
	sentOnce(t, list[:4])
	opens(t, seller, late.customer, seed)
	until(t, "the statements to name the payment whose order is lost", func() bool {
		return slices.ContainsFunc(openBreaks(sent.staff), func(b difference) bool { return b.Holder == "stripe" && b.Kind == "charge" })
	})
	until(t, "the reconciliation to have no break", func() bool { return settlesBreaks(sent.staff, sent.second) })
	require.Empty(t, unbalanced(ctx, t))
}

// difference is a difference between a statement and the books.
type difference struct {
	ID, Holder, Kind, Difference string
	Actions, Accounts            []string
}

func openBreaks(who *visitor) (open []difference) {
	who.get("/api/admin/reconciliation/breaks", &open)
	return open
}

// settlesBreaks has two people book what is open, and reports whether nothing is.
func settlesBreaks(first, second *visitor) bool {
	open := openBreaks(first)
	for _, b := range open {
		path := "/api/admin/reconciliation/breaks/" + b.ID
		if slices.Contains(b.Actions, "resolve") {
			first.call(http.MethodPost, path+"/resolve", map[string]string{"account": b.Accounts[0], "difference": b.Difference, "reason": "its order is lost"}, nil)
		}
		second.call(http.MethodPost, path+"/approve", map[string]string{"account": b.Accounts[0], "difference": b.Difference}, nil)
	}
	return len(open) == 0
}

// seller is the customer of an order as one who sells a gift card.
func seller(ctx context.Context, t *testing.T, b *buyer) *buyer {
	t.Helper()
	s := &buyer{customer: b.customer, staff: b.staff, second: b.second}
	require.NoError(t, database.QueryRow(ctx, "SELECT id FROM users WHERE email = $1", b.customer.mail).Scan(&s.id))
	return s
}

// enrols gives a customer a second factor, and its seed.
func enrols(t *testing.T, v *visitor) (seed string) {
	t.Helper()
	var setup struct{ Secret string }
	v.post("/api/2fa/setup", nil, &setup)
	code, err := totp.GenerateCode(setup.Secret, time.Now())
	require.NoError(t, err)
	v.post("/api/2fa/verify", map[string]string{"token": code}, nil)
	v.started()
	return setup.Secret
}

// opens checks that what was sealed before the backup can be read: a gift card's code by staff, and the seed of a
// second factor by its check.
func opens(t *testing.T, seller *buyer, enrolled *visitor, seed string) {
	t.Helper()
	card, at := seller.where(t.Context(), "gift_cards")
	require.Equal(t, "in_review", at)
	var shown struct{ CardCode string }
	seller.staff.post("/api/admin/gift-cards/"+card+"/reveal", map[string]string{}, &shown)
	require.True(t, strings.HasPrefix(shown.CardCode, "TP"), shown.CardCode)
	until(t, "a code of the second factor to be taken", func() bool {
		code, err := totp.GenerateCode(seed, time.Now())
		require.NoError(t, err)
		return enrolled.call(http.MethodPost, "/api/2fa/regenerate-backup-codes", map[string]string{"token": code}, nil) == http.StatusOK
	})
}

// unbalanced lists the ledger's own faults.
func unbalanced(ctx context.Context, t *testing.T) []string {
	t.Helper()
	db, err := store.Open(ctx, stack.AppDSN(), store.Options{MaxConns: 1})
	require.NoError(t, err)
	defer db.Close()
	totals, err := ledger.TrialBalance(ctx, db)
	require.NoError(t, err)
	return ledger.CheckTrialBalance(totals)
}

// archiver is the program that archives the stack's Postgres, and the machine that its archive is restored on.
type archiver struct {
	t       *testing.T
	bin     string // of Postgres
	program string
	cluster *postgres.Cluster
	health  int
	server  *exec.Cmd
}

// archived archives the stack's Postgres from now on, and returns once there is a base backup.
func archived(ctx context.Context, t *testing.T) *archiver {
	t.Helper()
	root, err := build.Root()
	require.NoError(t, err)
	folder := filepath.Dir(options.DataDir) // which every account reaches
	a := &archiver{t: t, program: filepath.Join(folder, "backup")}
	require.NoError(t, build.Program(ctx, root, folder, "backup", nil, "./backup"))
	a.bin, err = postgres.Find(ctx, build.PostgresModule(root), io.Discard)
	require.NoError(t, err)
	free, err := ports.Free(1)
	require.NoError(t, err)
	a.health = free[0]
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "elsewhere"), 0o755))
	a.cluster, err = postgres.Prepare(ctx, postgres.Options{Bin: a.bin, Dir: filepath.Join(folder, "elsewhere", "postgres"), Port: stack.Ports.Postgres,
		Password: stack.Secret("POSTGRES_PASSWORD"), Unsynced: true})
	require.NoError(t, err)
	super, err := pgx.Connect(ctx, a.cluster.AdminURL()) // of the stack's Postgres, which has the same port and password
	require.NoError(t, err)
	_, err = super.Exec(ctx, "CREATE ROLE tradepost_backup LOGIN REPLICATION PASSWORD 'b'")
	require.NoError(t, errors.Join(err, super.Close(ctx)))
	a.server = a.command(nil, "BACKUP_DATABASE_URL="+a.cluster.URL("tradepost_backup", "b", "postgres"), "BACKUP_EVERY=1s", "HEALTH_LISTEN=127.0.0.1:"+strconv.Itoa(a.health))
	require.NoError(t, process.Start(a.server, syscall.SIGKILL))
	t.Cleanup(a.kill)
	until(t, "a base backup", func() bool { return strings.Contains(a.get("/healthz"), "chore base_backup") })
	return a
}

// command is the program with the archive's settings, run as the account of Postgres.
func (a *archiver) command(args []string, settings ...string) *exec.Cmd {
	cmd := a.cluster.Program(context.Background(), a.program, args...)
	folder := filepath.Join(filepath.Dir(a.program), "elsewhere", "postgres", "archive")
	cmd.Env = append(cmd.Env, "BACKUP_URL=file://"+folder+"?create_dir=true&no_tmp_dir=true&metadata=skip", "BACKUP_KEY="+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7, 8}, 16)))
	cmd.Env = append(cmd.Env, settings...)
	return cmd
}

func (a *archiver) get(path string) string {
	request, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(a.health)+path, nil)
	require.NoError(a.t, err)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	raw, _ := io.ReadAll(answer.Body)
	return string(raw)
}

// catchesUp waits until everything committed before now is archived.
func (a *archiver) catchesUp() {
	a.t.Helper()
	began := time.Now()
	until(a.t, "the archive to catch up", func() bool {
		_, rest, there := strings.Cut(a.get("/metrics"), "\nbackup_lag_seconds ")
		said, _, _ := strings.Cut(rest, "\n")
		lag, err := strconv.ParseFloat(said, 64)
		return there && err == nil && lag < time.Since(began).Seconds()
	})
}

func (a *archiver) kill() {
	if a.server.ProcessState == nil {
		_ = process.Signal(a.server, syscall.SIGKILL)
		_ = a.server.Wait()
	}
}

// restores makes the data folder of another machine by the command that an operator runs, which marks what is open.
func (a *archiver) restores(moment time.Time) {
	a.t.Helper()
	data := filepath.Join(filepath.Dir(a.program), "elsewhere", "postgres", "data")
	require.NoError(a.t, os.RemoveAll(data))
	said, err := a.command([]string{"restore", "--until", moment.UTC().Format(time.RFC3339Nano)}, "PGDATA="+data, "POSTGRES_BIN="+a.bin).CombinedOutput()
	require.NoError(a.t, err, string(said))
	require.Contains(a.t, string(said), "3 orders,")
}

// elsewhere ends the stack as a machine ends, and starts another one with the archive, the secrets of the password store
// and the files of the bucket. The simulators, as the outside providers, keep running; Temporal begins empty.
func elsewhere(t *testing.T, a *archiver, moment time.Time) {
	t.Helper()
	database.Close()
	a.kill()
	stack.Stop()
	from, used, known := options.DataDir, stack.Ports, options.Getenv
	options.DataDir, options.FreePorts = filepath.Join(filepath.Dir(from), "elsewhere"), false
	places := map[string]int{"SITE_PORT": used.Site, "IDENTITY_PORT": used.Identity, "SANDBOX_PORT": used.Sandbox, "MAIL_PORT": used.Mail,
		"TEMPORAL_PORT": used.Temporal, "TEMPORAL_UI_PORT": used.TemporalUI, "POSTGRES_PORT": used.Postgres}
	options.Getenv = func(name string) string {
		if port := places[name]; port != 0 {
			return strconv.Itoa(port)
		}
		return known(name)
	}
	for _, name := range []string{"secrets", "files", "sandbox"} {
		require.NoError(t, local.CopyFolder(filepath.Join(from, name), filepath.Join(options.DataDir, name), nil))
	}
	require.NoError(t, os.Chmod(options.DataDir, 0o755))
	a.restores(moment)

	var err error
	stack, err = local.Start(t.Context(), options)
	require.NoError(t, err)
	database, err = pgxpool.New(t.Context(), stack.AppDSN())
	require.NoError(t, err)
}
