//go:build kill

package e2e

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/process"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/workflows"
)

// upgradeFrom is the commit that the drill upgrades from.
var upgradeFrom = flag.String("upgrade-from", "", "commit that the upgrade drill begins with (default: the newest tag; without one, the commit before the last migration)")

// upgradeDays are the days of business that the release before has behind it.
var upgradeDays = flag.Int("upgrade-days", 2, "days of business that the release before has behind it; 0 for none")

// livesBefore has the campaign of an earlier commit fill a data folder with days of business, and returns the ports that
// the folder belongs to.
func livesBefore(ctx context.Context, t *testing.T, old local.Variant, dir string, days int) map[string]string {
	t.Helper()
	names := []string{"SITE_PORT", "IDENTITY_PORT", "SANDBOX_PORT", "MAIL_PORT", "TEMPORAL_PORT", "TEMPORAL_UI_PORT", "POSTGRES_PORT"}
	free, err := ports.Free(len(names))
	require.NoError(t, err)
	places := map[string]string{}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "DATA_DIR=" + dir}
	for i, name := range names {
		places[name] = strconv.Itoa(free[i])
		env = append(env, name+"="+places[name])
	}
	require.NoError(t, build.Program(ctx, old.Root, filepath.Dir(dir), "campaign", []string{"-tags=nomsgpack"}, "./e2e/campaign"))
	month := exec.CommandContext(ctx, filepath.Join(filepath.Dir(dir), "campaign"), "-month", "-days", strconv.Itoa(days), "-orders", strconv.Itoa(30*days), "-leave")
	month.Dir, month.Env, month.Stdout, month.Stderr = old.Root, env, os.Stdout, os.Stderr
	require.NoError(t, process.Run(month))
	return places
}

// unchangingSQL is what no upgrade changes: orders that are over, what is booked, who did what.
const unchangingSQL = `SELECT 'orders', count(*), md5(string_agg(concat_ws(',', id, user_id, status, resolution, total, amount, refunded, txid), ';' ORDER BY id)) FROM orders WHERE closed_at < $1
	UNION ALL SELECT 'postings', count(*), md5(string_agg(concat_ws(',', id, group_key, event, from_account, to_account, currency, amount), ';' ORDER BY id)) FROM postings WHERE at < $1
	UNION ALL SELECT 'audit lines', count(*), md5(string_agg(concat_ws(',', id, actor_id, action, object_id), ';' ORDER BY id)) FROM audit_log WHERE at < $1`

// unchanging is that as of a moment, one text a table.
func unchanging(ctx context.Context, t *testing.T, moment time.Time) []string {
	t.Helper()
	rows, err := database.Query(ctx, unchangingSQL, moment)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var what, hash string
		var count int
		err := row.Scan(&what, &count, &hash)
		return fmt.Sprintf("%d %s (%s)", count, what, hash), err
	})
	require.NoError(t, err)
	return list
}

// An installation of an earlier commit, with orders that have ended and orders that wait at each step, is upgraded as
// docs/upgrade.md says, back once and forward again, while orders go on: no order is lost, nothing is done twice.
func TestUpgradeDrill(t *testing.T) {
	from := cmp.Or(*upgradeFrom, releaseBefore(t.Context()))
	require.NotEmpty(t, from, "a drill needs the history of the repository, or -upgrade-from")
	say := sayer()
	say("building and starting %s", from)
	old := buildOf(t, from)
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	require.NoError(t, local.Options{}.Build(ctx, local.Variant{}), "this release")
	dir, places := filepath.Join(ownFolder(t), "data"), map[string]string(nil)
	if *upgradeDays > 0 {
		places = livesBefore(ctx, t, old, dir, *upgradeDays)
	}
	ownStackWith(t, local.Options{DataDir: dir, Variant: old, Unsynced: true}, places)
	site := &balancer{replicas: []string{fmt.Sprintf("127.0.0.1:%d", stack.Ports.Site)}}
	list := buyers(t, 9)
	transport := &http.Transport{DialContext: site.dial, MaxIdleConnsPerHost: 8}
	for _, b := range list {
		b.customer.http.Transport, b.staff.http.Transport, b.second.http.Transport, b.third.http.Transport = transport, transport, transport, transport
	}

	say("orders of the release before: one ended, three that wait for a card, a capture, a fulfilment")
	orders := &flow{t: t}
	orders.wait(ctx, list)
	orders.begin(ctx, list[4:])

	var moment time.Time
	require.NoError(t, database.QueryRow(ctx, "SELECT clock_now() - interval '2 minutes'").Scan(&moment))
	before := unchanging(ctx, t, moment)
	say("migrating, %d orders later, with %s", orders.count(), strings.Join(before, ", "))
	migrating := time.Now()
	migrate := exec.CommandContext(ctx, filepath.Join("..", ".data", "bin", "api"), "migrate")
	migrate.Env = append(stack.Examined(), "MIGRATE_DATABASE_URL="+stack.OwnerDSN())
	out, err := migrate.CombinedOutput()
	require.NoError(t, err, string(out))
	say("migrated in %s", time.Since(migrating).Round(10*time.Millisecond))
	orders.more(2)

	say("workers of this release beside")
	startVersion(ctx, t, "next")
	for _, version := range []string{"next", temporalx.Unversioned, "next"} {
		say("current: %s", version)
		until(t, version+" to be accepted", func() bool { _, err := workersCommand(ctx, "current", version); return err == nil })
		orders.more(2)
	}
	for _, queue := range workflows.Queues() {
		require.NoError(t, stack.Down(queue))
	}

	say("API")
	address, err := stack.AddReplica(ctx, local.Replica{Name: "next api", Of: "api"})
	require.NoError(t, err)
	next := strings.TrimPrefix(address, "http://")
	site.set(site.replicas[0], next)
	orders.more(2)
	site.set(next)
	require.NoError(t, stack.Down("api"))
	orders.more(2)

	say("leading what waits to its end")
	all := orders.end(ctx)
	require.Equal(t, before, unchanging(ctx, t, moment))
	require.Empty(t, unbalanced(ctx, t))
	if *upgradeDays == 0 { // days of business leave differences for staff
		require.NoError(t, balanceBooks(ctx))
		var open int
		require.NoError(t, database.QueryRow(ctx, "SELECT count(*) FROM orders WHERE closed_at IS NULL").Scan(&open))
		require.Zero(t, open)
	}
	say("%d orders, each sent once; %d calls beside them without a 5xx; the books agree", len(all), orders.counted.total)
}
