//go:build kill

package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/process"
)

// postgresBefore pins the binaries of the major version before.
const postgresBefore = "testdata/postgres17"

// clusterDatabases are the databases that a cluster of Postgres has of ours.
var clusterDatabases = []string{postgres.Database, "temporal", "temporal_visibility"}

// upgradeSQL are the statements of a section of docs/upgrade.md, in their order.
func upgradeSQL(t *testing.T, section string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "docs", "upgrade.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(raw), "\n## "+section+"\n")
	require.True(t, found, section)
	text, _, _ = strings.Cut(text, "\n## ")
	var statements []string
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(text, -1) {
		statements = append(statements, block[1])
	}
	return statements
}

// postgresServer is a server of the drill beside the stack's own, with connections to both as the superuser.
type postgresServer struct {
	t        *testing.T
	dir, bin string
	port     int
	command  *exec.Cmd
}

func (s *postgresServer) start() {
	s.t.Helper()
	cluster, err := postgres.Prepare(s.t.Context(), postgres.Options{Bin: s.bin, Dir: s.dir, Port: s.port, Password: stack.Secret("POSTGRES_PASSWORD"), Unsynced: true})
	require.NoError(s.t, err)
	s.command = cluster.Command()
	said, err := os.Create(filepath.Join(filepath.Dir(options.DataDir), "next.log"))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = said.Close() })
	s.command.Stdout, s.command.Stderr = said, said
	require.NoError(s.t, process.Start(s.command, syscall.SIGINT))
	until(s.t, "the next Postgres", func() bool { return postgres.Answers(s.t.Context(), cluster.AdminURL()) == nil })
}

func (s *postgresServer) stop() {
	if s.command.ProcessState == nil {
		_ = process.Signal(s.command, syscall.SIGINT)
		_ = s.command.Wait()
	}
}

// asSuperuser is a connection to a database of the server at a port.
func asSuperuser(ctx context.Context, t *testing.T, port int, database string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(ctx, postgres.URL(port, postgres.Superuser, stack.Secret("POSTGRES_PASSWORD"), database))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(ctx)) })
	return conn
}

// lines are what a query answers, one text a row.
func lines(ctx context.Context, t *testing.T, conn *pgx.Conn, query string) []string {
	t.Helper()
	rows, err := conn.Query(ctx, query)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err, query)
	return list
}

// readdressed is an environment with each address of the stack's Postgres at another port.
func readdressed(env []string, port int) []string {
	from, to := fmt.Sprintf("@127.0.0.1:%d/", stack.Ports.Postgres), fmt.Sprintf("@127.0.0.1:%d/", port)
	list := make([]string, len(env))
	for i, pair := range env {
		list[i] = strings.ReplaceAll(pair, from, to)
	}
	return list
}

// prepared makes the roles, the databases and their empty schemas on the next server.
func (s *postgresServer) prepared(ctx context.Context) {
	s.t.Helper()
	passwords := postgres.Passwords{Owner: stack.Secret("OWNER_PASSWORD"), App: stack.Secret("APP_PASSWORD"), Identity: stack.Secret("IDENTITY_PASSWORD"), Process: map[string]string{}}
	for _, name := range postgres.Processes {
		passwords.Process[name] = stack.Secret(strings.ToUpper(name) + "_PASSWORD")
	}
	admin := postgres.URL(s.port, postgres.Superuser, stack.Secret("POSTGRES_PASSWORD"), "postgres")
	require.NoError(s.t, postgres.CreateRoles(ctx, admin, passwords))
	require.NoError(s.t, postgres.CreateDatabase(ctx, admin, postgres.Database))
	for _, program := range [][]string{{"api", "migrate"}, {"identity", "rotate-keys"}} {
		command := exec.CommandContext(ctx, filepath.Join("..", ".data", "bin", program[0]), program[1:]...)
		command.Env = readdressed(stack.Examined(), s.port)
		said, err := command.CombinedOutput()
		require.NoError(s.t, err, string(said))
	}
	databases, err := url.Parse(admin)
	require.NoError(s.t, err)
	databases.Path = "/temporal"
	free, err := ports.Free(5)
	require.NoError(s.t, err)
	server := exec.CommandContext(ctx, filepath.Join("..", ".data", "bin", "temporal"), "-postgres", databases.String(), "-port", fmt.Sprint(free[0]), "-ui-port", fmt.Sprint(free[1]),
		"-service-ports", fmt.Sprintf("%d,%d,%d", free[2], free[3], free[4]))
	require.NoError(s.t, process.Start(server, syscall.SIGTERM))
	until(s.t, "the schemas of Temporal", func() bool { return probe(ctx, fmt.Sprintf("http://127.0.0.1:%d/healthz", free[1])) == 200 })
	require.NoError(s.t, process.Signal(server, syscall.SIGTERM))
	_ = server.Wait()
}

// Contents of a database: each table's rows as one hash, what each sequence gave last, and who may do what.
const (
	contentsSQL = `SELECT format('%s: %s', oid::regclass, (xpath('//c/text()', query_to_xml(format('SELECT count(*) || '' '' || coalesce(md5(string_agg(t::text, '','' ORDER BY t::text)), '''') AS c FROM %s t', oid::regclass), false, true, '')))[1])
		FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p' AND relnamespace IN ('public'::regnamespace, to_regnamespace('identity')) ORDER BY oid::regclass::text`
	sequencesSQL = `SELECT format('%s.%s: %s', schemaname, sequencename, last_value) FROM pg_sequences ORDER BY 1`
	rightsSQL    = `SELECT format('%s: %s %s', grantee, what, privilege) FROM (
		SELECT grantee, table_name || '' AS what, privilege_type AS privilege FROM information_schema.role_table_grants WHERE table_schema IN ('public', 'identity')
		UNION ALL SELECT grantee, table_name || '.' || column_name, privilege_type FROM information_schema.role_column_grants WHERE table_schema IN ('public', 'identity')
		UNION ALL SELECT grantee, specific_schema || '.' || routine_name, privilege_type FROM information_schema.role_routine_grants WHERE specific_schema IN ('public', 'identity')) r ORDER BY 1`
)

// Postgres is replaced by its next major version by docs/upgrade.md, statement by statement, while orders go on: the site
// answers 503 for the seconds of the switch and nothing else; every row, sequence and right is there, every order that
// waited ends, and each effect is there once.
func TestUpgradePostgres(t *testing.T) {
	say := sayer()
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Minute)
	defer cancel()
	root, err := build.Root()
	require.NoError(t, err)
	next, err := postgres.Find(ctx, build.PostgresModule(root), io.Discard)
	require.NoError(t, err)
	before, err := postgres.Find(ctx, filepath.Join(root, "e2e", postgresBefore), io.Discard)
	require.NoError(t, err)
	t.Setenv("POSTGRES_BIN", before)
	say("starting on Postgres 17")
	ownStackWith(t, local.Options{DataDir: filepath.Join(ownFolder(t), "data"), TemporalInPostgres: true, Unsynced: true}, map[string]string{"SWEEP_INTERVAL": "1s", "RECONCILE_EVERY": "2s", "RECONCILE_GRACE": "1s"})
	old := stack.Ports.Postgres
	list := buyers(t, 9)
	orders := &flow{t: t, counted: tally{may: []int{http.StatusServiceUnavailable}}}
	orders.wait(ctx, list)
	statements := upgradeSQL(t, "Another major version of Postgres")
	require.Len(t, statements, 10)
	logical, quicker, publish, subscribe, uncopied, analyze, cut, connected, behind, sequences := statements[0], statements[1], statements[2], statements[3], statements[4],
		statements[5], statements[6], statements[7], statements[8], statements[9]
	execute := func(conn *pgx.Conn, statement string) {
		t.Helper()
		_, err := conn.Exec(ctx, statement)
		require.NoError(t, err, statement)
	}

	execute(asSuperuser(ctx, t, old, "postgres"), logical)
	require.NoError(t, stack.Restart(ctx, "postgres"))
	healthySoon(t)

	orders.begin(ctx, list[4:])

	say("Postgres 18 beside it, with empty schemas")
	free, err := ports.One()
	require.NoError(t, err)
	dir := filepath.Join(filepath.Dir(options.DataDir), "next")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	server := &postgresServer{t: t, dir: filepath.Join(dir, "postgres"), bin: next, port: free}
	server.start()
	t.Cleanup(func() { server.stop() })
	server.prepared(ctx)
	for statement := range strings.SplitSeq(strings.TrimSpace(quicker), "\n") {
		execute(asSuperuser(ctx, t, free, "postgres"), statement)
	}
	server.stop()
	server.start()

	say("copying, %d orders later", orders.count())
	from, to := map[string]*pgx.Conn{}, map[string]*pgx.Conn{}
	for _, name := range clusterDatabases {
		from[name], to[name] = asSuperuser(ctx, t, old, name), asSuperuser(ctx, t, free, name)
		for statement := range strings.SplitSeq(publish, "\n\n") {
			execute(from[name], statement)
		}
		text := strings.NewReplacer("host=postgres", fmt.Sprintf("host=127.0.0.1 port=%d", old), "tradepost", name, "…", stack.Secret("POSTGRES_PASSWORD")).Replace(subscribe)
		for statement := range strings.SplitSeq(text, "\n\n") {
			execute(to[name], statement)
		}
	}
	for _, name := range clusterDatabases {
		until(t, name+" to be copied", func() bool { return len(lines(ctx, t, to[name], uncopied)) == 0 })
		execute(to[name], analyze)
	}
	orders.more(2)

	say("switching, %d orders later", orders.count())
	switched := time.Now()
	require.NoError(t, stack.Down("temporal"))
	execute(from[postgres.Database], cut)
	until(t, "the last connection to end", func() bool { return len(lines(ctx, t, from[postgres.Database], connected)) == 0 })
	until(t, "what was committed to be copied", func() bool { return len(lines(ctx, t, from[postgres.Database], behind)) == 0 })
	for _, name := range clusterDatabases {
		for _, statement := range lines(ctx, t, from[name], sequences) {
			execute(to[name], statement)
		}
		execute(to[name], "DROP SUBSCRIPTION upgrade_"+name)
		for _, query := range []string{contentsSQL, sequencesSQL, rightsSQL} {
			was := lines(ctx, t, from[name], query)
			require.True(t, len(was) > 0 || name != postgres.Database && query != contentsSQL)
			require.Equal(t, was, lines(ctx, t, to[name], query))
		}
	}
	require.NoError(t, stack.Down("postgres"))
	server.stop()
	server.port = old
	server.start()
	require.NoError(t, stack.Up(ctx, "temporal"))
	healthySoon(t)
	say("switched in %s", time.Since(switched).Round(time.Second))
	orders.more(3)

	say("leading what waits to its end")
	all := orders.end(ctx)
	require.NoError(t, balanceBooks(ctx))
	require.Empty(t, unbalanced(ctx, t))
	require.Empty(t, openBreaks(list[0].staff))
	audit := exec.CommandContext(ctx, filepath.Join("..", ".data", "bin", "api"), "audit", "verify")
	audit.Env = append(stack.Examined(), "DATABASE_URL="+stack.OperatorDSN(), "AUDIT_SEAL_KEY="+stack.Secret("AUDIT_SEAL_KEY"))
	said, err := audit.CombinedOutput()
	require.NoError(t, err, string(said))
	say("%d orders, each sent once; %d calls, %d of them answered 503; the books agree", len(all), orders.counted.total, orders.counted.reported)
}
