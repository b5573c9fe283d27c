package deploy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/models/store"
)

// rolesScript runs deploy/postgres/roles.sh with these passwords as an administrator, by psql or by what stands for it.
func rolesScript(t *testing.T, psql, admin string, passwords map[string]string) (said string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "postgres/roles.sh")
	command.Env = []string{"ADMIN_DATABASE_URL=" + admin, "PATH=" + filepath.Dir(psql) + ":" + os.Getenv("PATH"), playsPsql + "=1"}
	for name, password := range passwords {
		command.Env = append(command.Env, name+"_PASSWORD="+password)
	}
	out, err := command.CombinedOutput()
	return string(out), err
}

// playsPsql is the variable with which this test's own program is what stands for psql.
const playsPsql = "DEPLOY_TEST_PLAYS_PSQL"

// standsForPsql is the path of a psql that is this program.
func standsForPsql(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "psql")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\nexec '"+self+"' \"$@\"\n"), 0o700))
	return file
}

// playPsql runs what psql is given on standard input, as far as roles.sh uses it.
func playPsql(ctx context.Context, address string, in io.Reader) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	variables, statement := map[string]string{}, ""
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		words := strings.Fields(line)
		switch {
		case len(words) == 3 && words[0] == `\getenv`:
			variables[words[1]] = os.Getenv(words[2])
			continue
		case len(words) == 2 && words[0] == `\connect`:
			config := conn.Config()
			config.Database = words[1]
			_ = conn.Close(ctx)
			if conn, err = pgx.ConnectConfig(ctx, config); err != nil {
				return err
			}
			continue
		}
		statement += line + "\n"
		query, each := strings.CutSuffix(strings.TrimSpace(statement), `\gexec`)
		if !each && !strings.HasSuffix(query, ";") {
			continue
		}
		statement = ""
		for name, value := range variables {
			query = strings.ReplaceAll(query, ":'"+name+"'", "'"+strings.ReplaceAll(value, "'", "''")+"'")
		}
		if err := execute(ctx, conn, query, each); err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
	}
	return lines.Err()
}

// execute runs a query, or what the query gives.
func execute(ctx context.Context, conn *pgx.Conn, query string, each bool) error {
	statements := []string{query}
	if each {
		rows, err := conn.Query(ctx, query)
		if err != nil {
			return err
		}
		if statements, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return err
		}
	}
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// The administrator's password is no argument of psql, which every user of the machine can read. psql gets it decoded,
// as libpq decodes it in an address.
func TestRolesKeepThePasswordOffTheCommandLine(t *testing.T) {
	psql := filepath.Join(t.TempDir(), "psql")
	standIn := "#!/bin/sh\ncat >/dev/null\nprintf '%s %s' \"$*\" \"$PGPASSWORD\"\n"
	require.NoError(t, os.WriteFile(psql, []byte(standIn), 0o700))
	for admin, want := range map[string]string{
		`postgres://ad%40min:p%25a%27s\n%5Cs+d@db.test:5432/postgres?sslmode=require`: `` +
			`postgres://ad%40min@db.test:5432/postgres?sslmode=require p%a's\n\s+d`,
		"postgresql://admin:secret@one:5432,two:5433/postgres": "postgresql://admin@one:5432,two:5433/postgres secret",
		"postgres://admin@db.test/postgres":                    "postgres://admin@db.test/postgres ",
	} {
		said, err := rolesScript(t, psql, admin, passwordsOf())
		require.NoError(t, err, said)
		require.Equal(t, "--no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname "+want, said)
	}
}

// cleared is a server without roles of the product.
func cleared(ctx context.Context, t *testing.T) *testbed.Server {
	t.Helper()
	server, err := testbed.StartPostgres(ctx)
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	for _, role := range append([]string{"owner", "app", "identity"}, postgres.Processes...) {
		run(ctx, t, server.AdminURL, "DROP ROLE tradepost_"+role)
	}
	return server
}

// addresses gives the address of a database on a server for a role, whose password is its name; none is the superuser.
func addresses(t *testing.T, server *testbed.Server) func(role, database string) string {
	t.Helper()
	return func(role, database string) string {
		address, err := url.Parse(server.AdminURL)
		require.NoError(t, err)
		address.Path = "/" + database
		if role != "" {
			address.User = url.UserPassword(role, strings.TrimPrefix(role, "tradepost_"))
		}
		return address.String()
	}
}

// passwordsOf has the name of each role as its password.
func passwordsOf(names ...string) map[string]string {
	passwords := map[string]string{}
	for _, name := range append(names, append([]string{"owner"}, postgres.Processes...)...) {
		passwords[strings.ToUpper(name)] = name
	}
	return passwords
}

// runTwice runs roles.sh with another password of the API first, and then, as after a change, with its own. The second
// time it is psql itself, where that is installed.
func runTwice(t *testing.T, admin string, passwords map[string]string) {
	t.Helper()
	psql := standsForPsql(t)
	earlier := maps.Clone(passwords)
	earlier["API"] = "it's an earlier one"
	said, err := rolesScript(t, psql, admin, earlier)
	require.NoError(t, err, said)
	if installed, err := exec.LookPath("psql"); err == nil {
		psql = installed
	}
	said, err = rolesScript(t, psql, admin, passwords)
	require.NoError(t, err, said)
}

// What roles.sh makes is what the programs need and no more: the owner can
// migrate, no process can change the ledger or see the accounts of the identity
// provider, Temporal cannot enter our database.
func TestRolesAreWhatTheProgramsNeed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	server := cleared(ctx, t)
	as := addresses(t, server)
	runTwice(t, as("", "postgres"), passwordsOf("identity", "temporal", "backup"))
	rolesSuffice(ctx, t, as)
	archives(ctx, t, as)
}

// An administrator who is no superuser, as hosts of Postgres give one, makes the same roles and databases, and is a
// member of none afterwards. Backup's role takes one who replicates; without its password it is not asked for.
func TestRolesAreMadeWithoutASuperuser(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	server := cleared(ctx, t)
	as := addresses(t, server)
	run(ctx, t, as("", "postgres"), "CREATE ROLE host LOGIN CREATEROLE CREATEDB PASSWORD 'host'")
	admin := as("host", "postgres")
	passwords := passwordsOf("identity", "temporal")
	runTwice(t, admin, passwords)

	passwords["BACKUP"] = "backup"
	said, err := rolesScript(t, standsForPsql(t), admin, passwords)
	require.Error(t, err)
	require.Contains(t, said, "All roles but tradepost_backup are made")
	rolesSuffice(ctx, t, as)
	require.Equal(t, "42501", refused(ctx, t, as("host", "tradepost"), "SELECT 1"), "the administrator stays outside")
	run(ctx, t, as("", "postgres"), "ALTER ROLE host REPLICATION")
	runTwice(t, admin, passwords)
	archives(ctx, t, as)
}

// Roles that nothing uses are left out, and a password that is missing is named.
func TestRolesThatNothingUsesAreLeftOut(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	as := addresses(t, cleared(ctx, t))
	runTwice(t, as("", "postgres"), passwordsOf())
	require.NoError(t, store.Migrate(ctx, as("tradepost_owner", "tradepost")))
	for _, role := range []string{"tradepost_identity", "temporal", "tradepost_backup"} {
		require.Equal(t, "28P01", refused(ctx, t, as(role, "postgres"), "SELECT 1"), role)
	}
	without := passwordsOf()
	delete(without, "CUSTODY")
	said, err := rolesScript(t, standsForPsql(t), as("", "postgres"), without)
	require.Error(t, err)
	require.Contains(t, said, "CUSTODY_PASSWORD is missing")
}

// archives holds backup's role to what it needs: it replicates, and enters no database of the product.
func archives(ctx context.Context, t *testing.T, as func(role, database string) string) {
	t.Helper()
	require.Equal(t, "42501", refused(ctx, t, as("tradepost_backup", "tradepost"), "SELECT 1"))
	run(ctx, t, as("tradepost_backup", "postgres"), "SELECT pg_create_physical_replication_slot('tradepost_backup', true); SELECT pg_drop_replication_slot('tradepost_backup')")
}

// rolesSuffice holds the roles of a server to what the programs need.
func rolesSuffice(ctx context.Context, t *testing.T, as func(role, database string) string) {
	t.Helper()
	require.NoError(t, store.Migrate(ctx, as("tradepost_owner", "tradepost")))
	pool, err := identity.OpenPool(ctx, as("tradepost_identity", "tradepost"))
	require.NoError(t, err)
	require.NoError(t, identity.Migrate(ctx, pool))
	pool.Close()
	for _, role := range store.Roles {
		db, err := store.Open(ctx, as(string(role), "tradepost"), store.Options{})
		require.NoError(t, err, role)
		db.Close()
	}
	_, err = store.Open(ctx, as("tradepost_owner", "tradepost"), store.Options{})
	require.Error(t, err, "the owner must not run the product")

	for _, forbidden := range []string{"DELETE FROM postings", "UPDATE order_events SET kind = 'x'", "TRUNCATE audit_log",
		"CREATE TABLE mine (a int)", "SELECT * FROM identity.users"} {
		for _, role := range store.Roles {
			require.Equal(t, "42501", refused(ctx, t, as(string(role), "tradepost"), forbidden), "%s: %s: %s", role, forbidden, asvs.Claim(t, "13.2.2"))
		}
	}
	require.Equal(t, "42501", refused(ctx, t, as("temporal", "tradepost"), "SELECT 1"))
	require.Equal(t, "42501", refused(ctx, t, as("tradepost_api", "temporal"), "SELECT 1"))
	require.Equal(t, "28P01", refused(ctx, t, as("tradepost_app", "tradepost"), "SELECT 1"), "nothing connects as the role that all processes had")
	run(ctx, t, as("temporal", "temporal"), "CREATE TABLE schema_version (a int)")
	run(ctx, t, as("temporal", "temporal_visibility"), "CREATE EXTENSION btree_gin") // as Temporal's own schema does
}

// run executes statements one by one: CREATE DATABASE does not run in a transaction.
func run(ctx context.Context, t *testing.T, address, sql string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	for statement := range strings.SplitSeq(sql, ";") {
		if strings.TrimSpace(statement) != "" {
			_, err := conn.Exec(ctx, statement)
			require.NoError(t, err, statement)
		}
	}
}

// refused is the SQLSTATE with which Postgres refuses.
func refused(ctx context.Context, t *testing.T, address, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(ctx, address)
	if err == nil {
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, sql)
	}
	var refusal *pgconn.PgError
	require.ErrorAs(t, err, &refusal)
	return refusal.Code
}
