package e2e

import (
	"context"
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

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/process"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// A backup of Postgres that was made while orders moved is restored on another machine, without Temporal's data, after
// the orders proceeded: the ledger balances, what was sealed opens, every order has a workflow again and reaches its
// end, and nothing that was done after the backup is done twice. What has no row any more is found in the providers'
// statements.
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

	saved := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, stack.BackUp(ctx, saved))
	require.NoError(t, authorised.process(ctx))
	require.NoError(t, steps(ctx, paid.fulfil, paid.arrives))
	underWay(ctx, t, []*buyer{late}, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process}
	})()
	elsewhere(t, saved)

	require.Empty(t, unbalanced(ctx, t))
	require.Equal(t, http.StatusNotFound, late.customer.call(http.MethodGet, "/api/orders/"+late.id, nil, nil), "its row is lost")
	require.NoError(t, sending.arrives(ctx), "nobody need press anything")
	require.NoError(t, steps(ctx, authorised.process, authorised.fulfil, authorised.arrives))
	require.NoError(t, steps(ctx, paid.fulfil, paid.arrives))
	sentOnce(t, list[:4])
	opens(t, seller, late.customer, seed)
	until(t, "the statements to name the payment whose order is lost", func() bool {
		var breaks []struct{ Holder, Kind, Cause string }
		sent.staff.get("/api/admin/reconciliation/breaks", &breaks)
		return slices.ContainsFunc(breaks, func(b struct{ Holder, Kind, Cause string }) bool { return b.Holder == "stripe" && b.Kind == "charge" })
	})
	require.Empty(t, unbalanced(ctx, t))
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

// elsewhere ends the stack as a machine ends, and starts another one with the backup, the secrets of the password store
// and the files of the bucket. The simulators, as the outside providers, keep running; Temporal begins empty.
func elsewhere(t *testing.T, saved string) {
	t.Helper()
	database.Close()
	stack.Stop()
	from, ports, known := options.DataDir, stack.Ports, options.Getenv
	options.DataDir, options.FreePorts = filepath.Join(filepath.Dir(from), "elsewhere"), false
	places := map[string]int{"SITE_PORT": ports.Site, "IDENTITY_PORT": ports.Identity, "SANDBOX_PORT": ports.Sandbox, "MAIL_PORT": ports.Mail,
		"TEMPORAL_PORT": ports.Temporal, "TEMPORAL_UI_PORT": ports.TemporalUI, "POSTGRES_PORT": ports.Postgres}
	options.Getenv = func(name string) string {
		if port := places[name]; port != 0 {
			return strconv.Itoa(port)
		}
		return known(name)
	}
	for _, name := range []string{"secrets", "files", "sandbox"} {
		require.NoError(t, local.CopyFolder(filepath.Join(from, name), filepath.Join(options.DataDir, name), nil))
	}
	require.NoError(t, local.CopyFolder(saved, filepath.Join(options.DataDir, "postgres", "data"), nil))
	require.NoError(t, os.Chmod(options.DataDir, 0o755))
	noteRestored(t, ports.Postgres)

	var err error
	stack, err = local.Start(t.Context(), options)
	require.NoError(t, err)
	database, err = pgxpool.New(t.Context(), stack.AppDSN())
	require.NoError(t, err)
}

// noteRestored runs the command that docs/operations.md requires, before any worker starts.
func noteRestored(t *testing.T, port int) {
	t.Helper()
	root, err := build.Root()
	require.NoError(t, err)
	bin, err := postgres.Find(t.Context(), build.PostgresModule(root), io.Discard)
	require.NoError(t, err)
	cluster, err := postgres.Prepare(t.Context(), postgres.Options{Bin: bin, Dir: filepath.Join(options.DataDir, "postgres"), Port: port, Password: stack.Secret("POSTGRES_PASSWORD")})
	require.NoError(t, err)
	server := cluster.Command()
	require.NoError(t, process.Start(server, syscall.SIGINT))
	until(t, "the restored Postgres to answer", func() bool { return postgres.Answers(t.Context(), cluster.AdminURL()) == nil })
	command := exec.CommandContext(t.Context(), filepath.Join(root, ".data", "bin", "api"), "restored")
	command.Env = append(os.Environ(), "MODE=local", "DATABASE_URL="+stack.OperatorDSN())
	said, err := command.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Contains(t, string(said), "3 orders,")
	require.NoError(t, process.Signal(server, syscall.SIGINT))
	_ = server.Wait() // it was stopped
}
