package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/process"
	"github.com/tradepost/tradepost/models/store"
)

// compiled is the program, where every account can run it; TestMain removes it.
var (
	folder   string
	compiled = sync.OnceValue(func() error {
		root, err := build.Root()
		if err != nil {
			return err
		}
		return build.Program(context.Background(), root, folder, "backup", nil, "./backup")
	})
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tradepost-backup-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		panic(err)
	}
	folder = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// machine is one with Postgres and its archive.
type machine struct {
	t       *testing.T
	bin     string
	dir     string
	port    int
	health  int
	cluster *postgres.Cluster
	server  *exec.Cmd
	backup  *exec.Cmd
	said    *output
}

// output is what a program writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// opened is a machine with Postgres, migrated, and a role that may replicate.
func opened(t *testing.T) *machine {
	t.Helper()
	require.NoError(t, compiled())
	root, err := build.Root()
	require.NoError(t, err)
	bin, err := postgres.Find(t.Context(), build.PostgresModule(root), io.Discard)
	require.NoError(t, err)
	free, err := ports.Free(2)
	require.NoError(t, err)
	m := &machine{t: t, bin: bin, dir: filepath.Join(folder, t.Name(), "pg"), port: free[0], health: free[1], said: &output{}}
	m.begin()
	t.Cleanup(func() { m.kill(); _ = os.RemoveAll(filepath.Dir(m.dir)) })
	require.NoError(t, postgres.CreateRoles(t.Context(), m.cluster.AdminURL(), postgres.Passwords{Owner: "o", App: "a", Identity: "i"}))
	require.NoError(t, postgres.CreateDatabase(t.Context(), m.cluster.AdminURL(), postgres.Database))
	require.NoError(t, store.Migrate(t.Context(), m.cluster.URL(postgres.OwnerRole, "o", postgres.Database)))
	m.exec("CREATE ROLE tradepost_backup LOGIN REPLICATION PASSWORD 'b'")
	m.exec("ALTER ROLE tradepost_app NOLOGIN") // as deploy/postgres/roles.sh makes it
	m.exec("CREATE TABLE kept (n bigint PRIMARY KEY)")
	return m
}

// begin starts Postgres on the data folder.
func (m *machine) begin() {
	m.t.Helper()
	var err error
	m.cluster, err = postgres.Prepare(m.t.Context(), postgres.Options{Bin: m.bin, Dir: m.dir, Port: m.port, Password: "sesame", Unsynced: true})
	require.NoError(m.t, err)
	m.server = m.cluster.Command()
	require.NoError(m.t, process.Start(m.server, syscall.SIGKILL))
	require.Eventually(m.t, func() bool { return postgres.Answers(m.t.Context(), m.cluster.AdminURL()) == nil }, time.Minute, 20*time.Millisecond)
}

// settings are the environment of the program.
func (m *machine) settings(cmd *exec.Cmd, more ...string) {
	cmd.Env = append(cmd.Env, "BACKUP_URL=file://"+m.archive()+"?create_dir=true&no_tmp_dir=true&metadata=skip",
		"BACKUP_KEY="+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7, 8}, 16)))
	cmd.Env = append(cmd.Env, more...)
}

func (m *machine) archive() string { return filepath.Join(m.dir, "archive") }

// serve archives from now on, a second apart.
func (m *machine) serve(more ...string) {
	m.t.Helper()
	m.backup = m.cluster.Program(context.Background(), filepath.Join(folder, "backup"))
	m.settings(m.backup, append([]string{"BACKUP_DATABASE_URL=" + m.cluster.URL("tradepost_backup", "b", "postgres"), "BACKUP_EVERY=1s",
		"HEALTH_LISTEN=127.0.0.1:" + strconv.Itoa(m.health)}, more...)...)
	m.backup.Stdout, m.backup.Stderr = m.said, m.said
	require.NoError(m.t, process.Start(m.backup, syscall.SIGKILL))
}

// based waits until a base backup and everything committed until now are archived.
func (m *machine) based() {
	m.t.Helper()
	m.until("a base backup", func() bool {
		status, text := m.get("/healthz")
		return status == http.StatusOK && strings.Contains(text, "chore base_backup")
	})
	m.archived()
}

// archived waits until everything committed before now is archived.
func (m *machine) archived() {
	m.t.Helper()
	began := time.Now()
	m.until("the archive to catch up", func() bool {
		status, _ := m.get("/healthz") // a process that begins counts from its start, until something is archived
		return status == http.StatusOK && m.lag() < time.Since(began)
	})
}

// lag is how far behind the process says that the archive is.
func (m *machine) lag() time.Duration {
	_, text := m.get("/metrics")
	for line := range strings.Lines(text) {
		if lag, is := strings.CutPrefix(strings.TrimSpace(line), "backup_lag_seconds "); is {
			seconds, err := strconv.ParseFloat(lag, 64)
			require.NoError(m.t, err)
			return time.Duration(seconds * float64(time.Second))
		}
	}
	return time.Hour
}

func (m *machine) until(what string, there func() bool) {
	m.t.Helper()
	require.Eventually(m.t, there, time.Minute, 50*time.Millisecond, "%s: %s", what, m.said)
}

func (m *machine) get(path string) (int, string) {
	request, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(m.health)+path, nil)
	require.NoError(m.t, err)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	raw, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(raw)
}

// kill ends Postgres and the archiving as a machine ends.
func (m *machine) kill() {
	for _, cmd := range []*exec.Cmd{m.server, m.backup} {
		if cmd != nil {
			_ = process.Signal(cmd, syscall.SIGKILL)
			_ = cmd.Wait()
		}
	}
	m.server, m.backup = nil, nil
}

// lose ends the machine and destroys the data folder.
func (m *machine) lose() {
	m.t.Helper()
	m.kill()
	require.NoError(m.t, os.RemoveAll(filepath.Join(m.dir, "data")))
}

// restore is the command that an operator runs, and what it says.
func (m *machine) restore(args ...string) (string, error) {
	m.t.Helper()
	cmd := m.cluster.Program(m.t.Context(), filepath.Join(folder, "backup"), append([]string{"restore"}, args...)...)
	m.settings(cmd, "PGDATA="+filepath.Join(m.dir, "data"), "POSTGRES_BIN="+m.bin)
	said, err := cmd.CombinedOutput()
	return string(said), err
}

func (m *machine) exec(sql string) {
	m.t.Helper()
	conn, err := pgx.Connect(m.t.Context(), m.cluster.URL(postgres.Superuser, "sesame", postgres.Database))
	require.NoError(m.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(m.t.Context(), sql)
	require.NoError(m.t, err)
}

// scan reads one value.
func scan[T any](m *machine, sql string) (value T) {
	m.t.Helper()
	conn, err := pgx.Connect(m.t.Context(), m.cluster.URL(postgres.Superuser, "sesame", postgres.Database))
	require.NoError(m.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	require.NoError(m.t, conn.QueryRow(m.t.Context(), sql).Scan(&value))
	return value
}

// load commits rows, one after another, until Postgres is gone, and remembers when each was committed.
type load struct {
	mu    sync.Mutex
	at    []time.Time // at[n] is when row n+1 was committed
	count atomic.Int64
	ended chan struct{}
}

func (m *machine) load() *load {
	m.t.Helper()
	conn, err := pgx.Connect(m.t.Context(), m.cluster.URL(postgres.Superuser, "sesame", postgres.Database))
	require.NoError(m.t, err)
	l := &load{ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		defer func() { _ = conn.Close(context.Background()) }()
		for n := 1; ; n++ {
			if _, err := conn.Exec(context.Background(), "INSERT INTO kept VALUES ($1)", n); err != nil {
				return
			}
			l.mu.Lock()
			l.at = append(l.at, time.Now())
			l.mu.Unlock()
			l.count.Add(1)
		}
	}()
	return l
}

// before is how many rows were committed before a moment.
func (l *load) before(moment time.Time) (n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range l.at {
		if at.Before(moment) {
			n++
		}
	}
	return n
}

// between is a moment just after a row was answered: the next one is not committed yet.
func (l *load) between() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at[len(l.at)-1].Truncate(time.Microsecond).Add(2 * time.Microsecond)
}

// more waits until n more rows are committed.
func (m *machine) more(l *load, n int64) {
	m.t.Helper()
	goal := l.count.Load() + n
	m.until("load", func() bool { return l.count.Load() >= goal })
}

// moment is one that a restore names.
func moment(t *testing.T, text, after string) time.Time {
	t.Helper()
	_, rest, found := strings.Cut(text, after)
	require.True(t, found, text)
	at, err := time.Parse(time.RFC3339, strings.Fields(rest)[0])
	require.NoError(t, err)
	return at
}

// The drill: the machine of Postgres ends in the middle of its work and its disk is gone. What comes back has everything
// that was committed before the moment that restore names, which is less than a minute before the loss; it is marked as
// restored, and is archived anew from there. Then the same from the second timeline, and to a moment in the past.
func TestAMinuteAtMostIsLost(t *testing.T) {
	m := opened(t)
	m.serve()
	work := m.load()
	m.more(work, 200)
	m.based()
	m.more(work, 200)
	back := work.between()
	m.more(work, 200)
	m.archived()
	m.more(work, 100)
	m.lose()
	lost := time.Now()
	<-work.ended

	require.NoError(t, m.cluster.Program(t.Context(), "/bin/mkdir", "-m", "755", filepath.Join(m.dir, "data")).Run(), "as an operator makes one: Postgres wants it closed")
	said, err := m.restore()
	require.NoError(t, err, said)
	through := moment(t, said, "Everything committed before ")
	require.Less(t, lost.Sub(through), time.Minute)
	require.Contains(t, said, "0 orders, 0 redemptions and 0 treasury moves are open")
	m.begin()
	count := scan[int64](m, "SELECT count(*) FROM kept")
	require.GreaterOrEqual(t, count, work.before(through), "what restore promises")
	require.LessOrEqual(t, count, work.count.Load()+1, "the last one may have been committed and not answered")
	require.Equal(t, count, scan[int64](m, "SELECT max(n) FROM kept"), "nothing is missing before the last one")
	require.Equal(t, 1, scan[int](m, "SELECT count(*)::int FROM restores"))
	t.Logf("%d of %d rows, %s lost at most", count, work.count.Load(), lost.Sub(through).Round(time.Millisecond))

	m.serve() // on the second timeline
	m.based()
	m.exec("INSERT INTO kept VALUES (-1)")
	m.archived()
	m.lose()
	said, err = m.restore()
	require.NoError(t, err, said)
	m.begin()
	require.Equal(t, count+1, scan[int64](m, "SELECT count(*) FROM kept"))

	m.lose()
	said, err = m.restore("--until", back.Format(time.RFC3339Nano))
	require.NoError(t, err, said)
	m.begin()
	require.Equal(t, work.before(back), scan[int64](m, "SELECT count(*) FROM kept"), "and nothing after it")
	require.Equal(t, 3, scan[int](m, "SELECT timeline_id FROM pg_control_checkpoint()"), "the second was archived already")
}

// An archive that was changed or is incomplete is refused, with a sentence that says what is wrong; so are a moment that
// it does not reach, another key and a folder that is in use.
func TestAnArchiveThatIsNotWholeIsRefused(t *testing.T) {
	m := opened(t)
	m.serve()
	m.based()
	began := time.Now()
	for range 3 {
		m.exec("INSERT INTO kept SELECT coalesce(max(n), 0) + 1 FROM kept")
		m.archived()
	}
	said, err := m.restore()
	require.Error(t, err)
	require.Contains(t, said, "is not empty: a restore writes over nothing")
	m.lose()

	wal, bases := m.objects("/wal/"), m.objects("/base/")
	require.Greater(t, len(wal), 3)
	for _, c := range []struct {
		name string
		does func(string) error
		file string
		says string
		args []string
	}{
		{"WAL is missing", os.Remove, wal[len(wal)-2], "is missing from the archive", nil},
		{"the last WAL is missing", os.Remove, wal[len(wal)-1], "is missing from the archive", nil},
		{"WAL was changed", flip, wal[len(wal)-2], "was changed since it was archived", nil},
		{"WAL was exchanged", func(name string) error { return copyOver(wal[len(wal)-3], name) }, wal[len(wal)-2], "was changed since it was archived", nil},
		{"a part is missing", os.Remove, bases[0], "is missing from the archive", nil},
		{"a part was changed", flip, bases[0], "was changed since it was archived", nil},
		{"no base backup is whole", os.Remove, bases[len(bases)-1], "the archive has no base backup", nil},
		{"before the archive", nil, "", "the archive begins at ", []string{"--until", began.Add(-time.Hour).Format(time.RFC3339)}},
		{"after the archive", nil, "", "the archive ends at ", []string{"--until", time.Now().Add(time.Hour).Format(time.RFC3339)}},
		{"another key", nil, "", "BACKUP_KEY is not the key it was sealed with", []string{"--backup-key", base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, 32))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var whole []byte
			if c.file != "" {
				whole, err = os.ReadFile(c.file)
				require.NoError(t, err)
				require.NoError(t, c.does(c.file))
				defer func() { require.NoError(t, os.WriteFile(c.file, whole, 0o644)) }()
			}
			said, err := m.restore(c.args...)
			require.Error(t, err, said)
			require.Contains(t, said, c.says)
			require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "data")))
		})
	}
	said, err = m.restore()
	require.NoError(t, err, said)
	m.begin()
	require.Equal(t, 3, scan[int](m, "SELECT count(*)::int FROM kept"))
}

// Postgres reads no data of another major version: restore says which the backup has, which runs here, and what to do.
func TestABackupOfAnotherVersionIsNamed(t *testing.T) {
	m := opened(t)
	runs := strings.Fields(scan[string](m, "SHOW server_version"))[0]
	file := filepath.Join(m.dir, "data", "PG_VERSION")
	require.NoError(t, os.WriteFile(file, []byte("17\n"), 0o600)) // it is read at a start alone
	m.serve()
	m.based()
	m.lose()
	said, err := m.restore()
	require.Error(t, err)
	require.Contains(t, said, "the backup is of Postgres 17, and here is postgres (PostgreSQL) "+runs)
	require.Contains(t, said, "restore it with the programs of Postgres 17")
}

// objects are the files of the archive with a part in their name.
func (m *machine) objects(part string) (found []string) {
	m.t.Helper()
	require.NoError(m.t, filepath.WalkDir(m.archive(), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.Contains(path, part) {
			found = append(found, path)
		}
		return err
	}))
	return found
}

func flip(name string) error {
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	raw[len(raw)/2] ^= 1
	return os.WriteFile(name, raw, 0o644)
}

func copyOver(from, to string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, raw, 0o644)
}

// While Postgres is away the process says how far behind the archive is, and goes on when it is back; what was committed
// while nothing was archived is archived then. Where Postgres has let go of WAL meanwhile, a base backup follows.
func TestArchivingGoesOnWhereItEnded(t *testing.T) {
	m := opened(t)
	m.serve()
	m.based()
	require.NoError(t, process.Signal(m.server, syscall.SIGINT))
	_ = m.server.Wait()
	m.until("the process to notice", func() bool { return strings.Contains(m.said.String(), "waiting for Postgres") })
	m.begin()
	m.archived()
	require.NoError(t, process.Signal(m.backup, syscall.SIGTERM))
	require.NoError(t, m.backup.Wait(), "a stop is no failure: %s", m.said)
	m.exec("INSERT INTO kept VALUES (1)")
	m.serve()
	m.archived()
	require.Len(t, m.objects("/record"), 1)
	_, figures := m.get("/metrics")
	require.Contains(t, figures, "\nbackup_base_late_seconds 0\n")

	require.NoError(t, process.Signal(m.backup, syscall.SIGTERM))
	require.NoError(t, m.backup.Wait())
	m.exec("SELECT pg_drop_replication_slot('tradepost_backup')")
	m.exec("INSERT INTO kept VALUES (2)")
	m.exec("SELECT pg_switch_wal()")
	m.exec("INSERT INTO kept VALUES (3)")
	m.exec("CHECKPOINT")
	m.serve()
	m.until("another base backup", func() bool { return len(m.objects("/record")) == 2 })
	m.archived()
	m.lose()
	said, err := m.restore()
	require.NoError(t, err, said)
	m.begin()
	require.Equal(t, 3, scan[int](m, "SELECT count(*)::int FROM kept"))
}

// Where Postgres commits and sends nothing, the archive is behind and says so: only what is stored counts.
func TestWhatIsNotStoredIsNotPromised(t *testing.T) {
	m := opened(t)
	m.serve()
	m.based()
	sender := scan[int](m, "SELECT pid FROM pg_stat_replication")
	require.NoError(t, syscall.Kill(sender, syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(sender, syscall.SIGCONT) }()
	stopped := time.Now()
	m.exec("INSERT INTO kept VALUES (1)")
	m.until("the archive to be behind", func() bool { return m.lag() > 3*time.Second })
	since := time.Since(stopped)
	require.Greater(t, m.lag(), since, "nothing that was committed since is counted as archived")
	require.NoError(t, syscall.Kill(sender, syscall.SIGCONT))
	m.archived()
}
