//go:build kill && linux

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/process"
	"github.com/tradepost/tradepost/internal/local/supervise"
)

// The hosts' bridge and its network. The world (customers, proxy, providers, mail, the bucket) is on the bridge itself.
const (
	bridge  = "tp-hosts"
	network = "10.79.0."
	world   = network + "254"

	postgresPort, temporalPort, sitePort, identityPort, healthPort = 5432, 7233, 8080, 8090, 9080
	superuser                                                      = "superuser"
	relay                                                          = "127.0.0.1:8025"
)

// withoutPrimary is the longest time that an installation may refuse writes while another Postgres is promoted.
const withoutPrimary = 40 * time.Second

// machine is a host: a network namespace, what it runs, and its Postgres.
type machine struct {
	local.Host
	site     bool // runs Temporal and the product beside its Postgres
	servers  []*supervise.Unit
	parts    []string // of the stack
	postgres *postgres.Cluster
	relay    net.Listener
}

// farm is the machines.
type farm struct {
	t        *testing.T
	dir      string
	bin      string // of Postgres
	logs     *supervise.Logs
	machines []*machine
	say      func(format string, args ...any)
}

// ip runs `ip` with words.
func (f *farm) ip(words string) {
	f.t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(f.t.Context()), "ip", strings.Fields(words)...).CombinedOutput()
	require.NoError(f.t, err, "ip %s: %s", words, out)
}

// plug makes a machine's network, as a boot does.
func (f *farm) plug(m *machine) {
	f.ip("netns add " + m.Namespace)
	f.ip(fmt.Sprintf("link add %[1]s type veth peer name eth0 netns %[1]s", m.Namespace))
	f.ip(fmt.Sprintf("link set %s master %s up", m.Namespace, bridge))
	f.ip(fmt.Sprintf("-n %s addr add %s/24 dev eth0", m.Namespace, m.Address))
	f.ip(fmt.Sprintf("-n %s link set eth0 up", m.Namespace))
	f.ip(fmt.Sprintf("-n %s link set lo up", m.Namespace))
	require.NoError(f.t, process.In(m.Namespace, func() (err error) {
		if err := os.WriteFile("/proc/sys/net/ipv4/tcp_retries2", []byte("5"), 0); err != nil {
			return err
		}
		m.relay, err = net.Listen("tcp", relay)
		return err
	}))
	go relayMail(m.relay)
}

// relayMail is the mail server on a machine's loopback, the only one that is reached without TLS. It passes on to the world's.
func relayMail(from net.Listener) {
	for {
		client, err := from.Accept()
		if err != nil {
			return // closed
		}
		go func() {
			defer func() { _ = client.Close() }()
			server, err := net.Dial("tcp", place(world, stack.Ports.Mail))
			if err != nil {
				return
			}
			defer func() { _ = server.Close() }()
			go func() { _, _ = io.Copy(server, client) }() // until either hangs up
			_, _ = io.Copy(client, server)
		}()
	}
}

// pull ends a machine as a pulled plug does: first its link, so that nothing that ends says goodbye, then every process
// by SIGKILL.
func (f *farm) pull(m *machine) {
	f.t.Helper()
	f.ip("link set " + m.Namespace + " down")
	_ = m.relay.Close()
	var ending sync.WaitGroup
	for _, part := range m.parts {
		ending.Go(func() { _ = stack.Down(part) }) // each is known
	}
	for _, server := range m.servers {
		ending.Go(server.Down)
	}
	ending.Wait()
	f.ip("link del " + m.Namespace)
	f.ip("netns del " + m.Namespace)
}

func place(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// others are the machines that run besides one.
func (f *farm) others(m *machine) []*machine {
	return slices.DeleteFunc(slices.Clone(f.machines), func(o *machine) bool { return o == m })
}

// address is a database as the superuser, on the machine that accepts writes.
func (f *farm) address(database string) string {
	var hosts []string
	for _, m := range f.machines {
		hosts = append(hosts, place(m.Address, postgresPort))
	}
	return fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable&connect_timeout=2&target_session_attrs=read-write",
		postgres.Superuser, superuser, strings.Join(hosts, ","), database)
}

// prepare makes a machine's Postgres: a new one, or one that follows the primary at an address.
func (f *farm) prepare(m *machine, primary string) {
	f.t.Helper()
	var names []string
	for _, one := range f.machines {
		names = append(names, one.Namespace)
	}
	settings := map[string]string{
		"cluster_name":              strings.ReplaceAll(m.Namespace, "-", "_"),
		"synchronous_standby_names": "ANY 1 (" + strings.ReplaceAll(strings.Join(names, ", "), "-", "_") + ")",
		"wal_keep_size":             "1GB", "wal_sender_timeout": "5s", "wal_receiver_timeout": "5s", "wal_retrieve_retry_interval": "1s",
	}
	var err error
	m.postgres, err = postgres.Prepare(f.t.Context(), postgres.Options{Bin: f.bin, Dir: filepath.Join(f.dir, m.Namespace), Port: postgresPort,
		Address: m.Address, Settings: settings, Password: superuser, Primary: primary, Unsynced: true})
	require.NoError(f.t, err)
}

// serves is a server of a machine that is started with it.
func (f *farm) serves(m *machine, spec supervise.Spec) {
	f.t.Helper()
	spec.Name, spec.Namespace, spec.StopSignal = m.Namespace+" "+spec.Name, m.Namespace, syscall.SIGKILL
	unit, err := supervise.NewUnit(spec, f.logs)
	require.NoError(f.t, err)
	m.servers = append(m.servers, unit)
	f.t.Cleanup(unit.Down)
}

func (f *farm) up(m *machine) {
	f.t.Helper()
	for _, server := range m.servers {
		require.NoError(f.t, server.Up(f.t.Context()))
	}
	all, ctx := errgroup.WithContext(f.t.Context())
	for _, part := range m.parts {
		all.Go(func() error { return stack.Up(ctx, part) })
	}
	require.NoError(f.t, all.Wait())
}

// reaches is a readiness check: a connection is accepted.
func reaches(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

// newFarm makes three machines with a Postgres each, of which two follow the first, and Temporal's services as members
// of one cluster on the two that have a site.
func newFarm(t *testing.T, say func(string, ...any)) *farm {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("network namespaces take root")
	}
	f := &farm{t: t, dir: ownFolder(t), say: say}
	for i := range 3 {
		f.machines = append(f.machines, &machine{Host: local.Host{Namespace: fmt.Sprintf("tp-host%d", i+1), Address: fmt.Sprint(network, i+1)}, site: i < 2})
	}
	f.clear()
	t.Cleanup(f.clear)
	f.ip("link add " + bridge + " type bridge")
	f.ip(fmt.Sprintf("addr add %s/24 dev %s", world, bridge))
	f.ip("link set " + bridge + " up")

	root, err := build.Root()
	require.NoError(t, err)
	f.bin, err = postgres.Find(t.Context(), build.PostgresModule(root), io.Discard)
	require.NoError(t, err)
	temporal, err := build.Temporal(t.Context(), root, filepath.Join(root, ".data", "bin"))
	require.NoError(t, err)
	f.logs, err = supervise.NewLogs(filepath.Join(f.dir, "logs"), io.Discard, false)
	require.NoError(t, err)
	t.Cleanup(f.explain)
	for i, m := range f.machines {
		f.plug(m)
		primary := ""
		if i > 0 {
			primary = f.machines[0].postgres.AdminURL()
		}
		f.prepare(m, primary)
		f.serves(m, supervise.Spec{Name: "postgres", Command: func() *exec.Cmd { return m.postgres.Command() },
			Ready: func(ctx context.Context) error { return postgres.Answers(ctx, m.postgres.AdminURL()) }})
		f.up(m)
	}
	f.write("CREATE DATABASE " + postgres.Database)
	for _, m := range f.machines {
		if !m.site {
			continue
		}
		f.serves(m, supervise.Spec{Name: "temporal", Ready: reaches(place(m.Address, temporalPort)), Command: func() *exec.Cmd {
			cmd := exec.Command(temporal, "-address", m.Address, "-port", fmt.Sprint(temporalPort), "-ui-port", "0", "-postgres", f.address("temporal"))
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.dir}
			return cmd
		}})
		f.up(m)
	}
	return f
}

// clear removes what an earlier run may have left.
func (f *farm) clear() {
	_ = exec.Command("ip", "link", "del", bridge).Run() // mostly not there, as the next two
	for _, m := range f.machines {
		_ = exec.Command("ip", "link", "del", m.Namespace).Run()
		_ = exec.Command("ip", "netns", "del", m.Namespace).Run()
	}
}

func (f *farm) explain() {
	if !f.t.Failed() {
		return
	}
	for _, m := range f.machines {
		for _, server := range m.servers {
			f.t.Logf("==== %s\n%s", server.Name(), f.logs.Tail(server.Name(), 25))
		}
	}
}

// write executes a statement on the primary.
func (f *farm) write(statement string) {
	f.t.Helper()
	conn, err := pgx.Connect(f.t.Context(), f.address("postgres"))
	require.NoError(f.t, err)
	_, err = conn.Exec(f.t.Context(), statement)
	require.NoError(f.t, errors.Join(err, conn.Close(f.t.Context())))
}

// read reads one text from a machine's Postgres.
func (f *farm) read(m *machine, query string) string {
	f.t.Helper()
	conn, err := pgx.Connect(f.t.Context(), m.postgres.AdminURL())
	require.NoError(f.t, err)
	defer func() { _ = conn.Close(f.t.Context()) }()
	var text string
	require.NoError(f.t, conn.QueryRow(f.t.Context(), query).Scan(&text))
	return text
}

func (f *farm) primary() *machine {
	f.t.Helper()
	for _, m := range f.machines {
		if f.read(m, "SELECT pg_is_in_recovery()::text") == "false" {
			return m
		}
	}
	f.t.Fatal("no Postgres accepts writes")
	return nil
}

// promote makes the standby that received most the primary. The one before is fenced: its plug is pulled.
func (f *farm) promote(standbys []*machine) *machine {
	f.t.Helper()
	first := slices.MaxFunc(standbys, func(a, b *machine) int {
		const received = "SELECT (pg_last_wal_receive_lsn() - '0/0')::bigint::text"
		return strings.Compare(fmt.Sprintf("%020s", f.read(a, received)), fmt.Sprintf("%020s", f.read(b, received)))
	})
	require.Equal(f.t, "true", f.read(first, "SELECT pg_promote()::text"))
	for _, m := range standbys {
		if m != first {
			require.NoError(f.t, m.postgres.Follow(f.t.Context(), first.postgres.AdminURL()))
		}
	}
	return first
}

// populate starts the product on the machines with a site, in place of the stack's own processes, and the proxies at
// their addresses.
func (f *farm) populate() (site, identity *proxy) {
	f.t.Helper()
	ctx := f.t.Context()
	site, identity = newProxy(f.t), newProxy(f.t)
	for _, m := range f.machines {
		if !m.site {
			continue
		}
		environ := []string{fmt.Sprintf("TEMPORAL_ADDRESS=%s:%d", m.Address, temporalPort), "SMTP_URL=smtp://" + relay}
		for i, part := range append([]string{"identity"}, deployed...) {
			port := map[string]int{"identity": identityPort, "api": sitePort}[part]
			if port == 0 {
				port = healthPort + i
			}
			name := m.Namespace + " " + part
			address, err := stack.AddReplica(ctx, local.Replica{Name: name, Of: part, Host: &m.Host, Port: port, Environ: environ})
			require.NoError(f.t, err)
			m.parts = append(m.parts, name)
			if p := map[string]*proxy{"identity": identity, "api": site}[part]; p != nil {
				p.places = append(p.places, strings.TrimPrefix(address, "http://"))
			}
		}
	}
	for _, part := range append([]string{"identity"}, deployed...) {
		require.NoError(f.t, stack.Down(part))
	}
	site.serve(place(world, stack.Ports.Site))
	identity.serve(place(world, stack.Ports.Identity))
	return site, identity
}

// proxy passes requests on as Caddy does with the settings of docs/operations.md, "Several hosts". What no replica
// accepted is tried at the next; what one had accepted, if it only reads.
type proxy struct {
	t             *testing.T
	places        []string
	reads, writes *http.Transport

	mu       sync.Mutex
	turn     int
	failed   map[string]time.Time
	answers  map[string]int
	refusals []time.Time // 503
	lost     []string    // places that accepted what does not only read, and gave no answer
}

const (
	proxyTries   = 20 * time.Second       // lb_try_duration
	proxyBetween = 250 * time.Millisecond // lb_try_interval
	proxyAvoids  = 5 * time.Second        // fail_duration
	proxyDials   = time.Second            // dial_timeout
	proxyReads   = 8 * time.Second        // response_header_timeout of GET
	proxyWrites  = 30 * time.Second       // and of the rest: a decision waits ten seconds for its outcome
)

func newProxy(t *testing.T) *proxy {
	awaits := func(patience time.Duration) *http.Transport {
		return &http.Transport{DialContext: (&net.Dialer{Timeout: proxyDials}).DialContext, ResponseHeaderTimeout: patience, MaxIdleConnsPerHost: 16}
	}
	return &proxy{t: t, failed: map[string]time.Time{}, answers: map[string]int{}, reads: awaits(proxyReads), writes: awaits(proxyWrites)}
}

func (p *proxy) serve(address string) {
	listener, err := net.Listen("tcp", address)
	require.NoError(p.t, err)
	server := &http.Server{Handler: &httputil.ReverseProxy{Transport: p, ModifyResponse: p.count,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetXForwarded()
			r.Out.URL.Scheme = "http"
			r.Out.URL.Host = "replica"
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil { // else the customer is gone
				p.note(r.Method, http.StatusBadGateway)
			}
			w.WriteHeader(http.StatusBadGateway)
		}}}
	go func() { _ = server.Serve(listener) }() // ends when it is closed
	p.t.Cleanup(func() { _ = server.Close() })
}

func (p *proxy) count(r *http.Response) error {
	p.note(r.Request.Method, r.StatusCode)
	return nil
}

func (p *proxy) note(method string, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[fmt.Sprintf("%s %d", method, status)]++
	if status == http.StatusServiceUnavailable {
		p.refusals = append(p.refusals, time.Now())
	}
}

// pick is the next place that has not just failed.
func (p *proxy) pick() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.places {
		p.turn++
		if place := p.places[p.turn%len(p.places)]; time.Since(p.failed[place]) > proxyAvoids {
			return place
		}
	}
	p.turn++
	return p.places[p.turn%len(p.places)]
}

// RoundTrip implements http.RoundTripper.
func (p *proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r.Body)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(proxyTries); ; {
		where := p.pick()
		response, err := p.once(r, where, body)
		if err == nil {
			return response, nil
		}
		p.mu.Lock()
		p.failed[where] = time.Now()
		p.mu.Unlock()
		var wire *net.OpError
		unsent := errors.As(err, &wire) && wire.Op == "dial"
		if !unsent && r.Method != http.MethodGet {
			p.mu.Lock()
			p.lost = append(p.lost, where)
			p.mu.Unlock()
			return nil, err
		}
		if r.Context().Err() != nil || time.Now().After(until) {
			return nil, err
		}
		time.Sleep(proxyBetween)
	}
}

func readBody(body io.Reader) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	return io.ReadAll(body)
}

func (p *proxy) once(r *http.Request, place string, body []byte) (*http.Response, error) {
	try := r.Clone(r.Context())
	try.URL.Host, try.Body = place, io.NopCloser(bytes.NewReader(body))
	if r.Method == http.MethodGet {
		return p.reads.RoundTrip(try)
	}
	return p.writes.RoundTrip(try)
}

// gave are the places that accepted writes and gave no answer, from one on.
func (p *proxy) gave(none int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lost[none:])
}

// since are how many were answered 503 after a moment, and when the last one was.
func (p *proxy) since(moment time.Time) (n int, last time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.refusals {
		if at.After(moment) {
			n, last = n+1, at
		}
	}
	return n, last
}

// fair requires that nothing failed but what a dead machine had accepted to write, and what was refused by 503.
func (p *proxy) fair(say func(string, ...any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	say("%v", p.answers)
	for answer, n := range p.answers {
		method, status, _ := strings.Cut(answer, " ")
		if status < "500" || status == "503" {
			continue
		}
		require.NotEqual(p.t, http.MethodGet, method, answer)
		require.LessOrEqual(p.t, n, len(p.lost), answer)
	}
}

// Three machines have a Postgres each; two of them a site, an identity provider, each worker, and Temporal's services.
// One after the other loses its power while orders go on, and comes back. Nothing is lost or done twice, and past the
// proxy no call fails but those that a dead machine had accepted and, while no Postgres is primary, 503.
func TestHostsDrill(t *testing.T) {
	say := sayer()
	say("three machines, each with a Postgres; Temporal on two")
	f := newFarm(t, say)
	say("the product")
	ownStackWith(t, local.Options{DataDir: filepath.Join(f.dir, "data"), Address: world}, map[string]string{
		"DATABASE_URL": f.address(postgres.Database), "TEMPORAL_ADDRESS": place(f.machines[0].Address, temporalPort),
		"RECONCILE_EVERY": "5s", "RECONCILE_GRACE": "10s"})
	site, signIn := f.populate()
	control(t, http.MethodPost, "/control/kraken/tier", map[string]string{"tier": "unlimited"}, nil) // statements are read all the time
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	list := buyers(t, 4)

	orders := &flow{t: t, counted: tally{may: []int{http.StatusServiceUnavailable, http.StatusBadGateway}}} // which fair judges
	orders.begin(ctx, list)

	primary := f.primary()
	for _, m := range append(f.others(primary), primary) {
		f.loses(m, site, orders.more)
	}
	done := orders.end(ctx)
	for _, p := range []*proxy{site, signIn} {
		p.fair(say)
	}
	var open, all int
	require.NoError(t, database.QueryRow(ctx, "SELECT count(*) FILTER (WHERE closed_at IS NULL), count(*) FROM orders").Scan(&open, &all))
	require.Zero(t, open)
	require.Equal(t, len(done), all)
	require.NoError(t, balanceBooks(ctx))
	require.Empty(t, unbalanced(ctx, t))
	for range 2 { // the second began when all was done
		var before time.Time
		require.NoError(t, database.QueryRow(ctx, "SELECT clock_now()").Scan(&before))
		until(t, "a reconciliation", func() bool {
			var at time.Time
			return database.QueryRow(ctx, "SELECT coalesce(compared_at, 'epoch') FROM reconciliation_progress").Scan(&at) == nil && at.After(before)
		})
	}
	until(t, "the reconciliation to have no break", func() bool { return len(openBreaks(list[0].staff)) == 0 })
	say("%d orders, each sent once; %d calls beside them; the books agree", all, orders.counted.total)
}

// loses takes a machine's power, has orders go on without it, and brings it back.
func (f *farm) loses(m *machine, site *proxy, more func(int)) {
	t := f.t
	t.Helper()
	primary := f.primary()
	f.say("%s loses its power%s", m.Namespace, map[bool]string{true: ", with the primary"}[m == primary])
	at, lost := time.Now(), len(site.gave(0))
	f.pull(m)
	moved := m == primary
	if moved {
		primary = f.promote(f.others(m))
		f.say("%s is the primary after %s", primary.Namespace, time.Since(at).Round(100*time.Millisecond))
		require.NoError(t, os.RemoveAll(filepath.Join(f.dir, m.Namespace)), "the one before never comes back as it was")
	}
	more(1)
	f.say("an order ended after %s", time.Since(at).Round(time.Second))
	more(2)
	f.say("and two more after %s", time.Since(at).Round(time.Second))
	f.plug(m)
	f.prepare(m, primary.postgres.AdminURL()) // a copy, unless its data are there
	f.up(m)
	until(t, m.Namespace+" to follow", func() bool {
		return f.read(primary, "SELECT count(*)::text FROM pg_stat_replication WHERE state = 'streaming'") == "2"
	})
	f.say("%s is back, with what it lacked", m.Namespace)
	refused, last := site.since(at)
	if refused > 0 {
		require.True(t, moved, "only a primary that is gone has writes refused")
		require.Less(t, last.Sub(at), withoutPrimary)
		f.say("%d calls were answered 503, the last after %s", refused, last.Sub(at).Round(100*time.Millisecond))
	}
	more(2)
	unanswered := site.gave(lost)
	elsewhere := slices.DeleteFunc(slices.Clone(unanswered), func(where string) bool { return where == place(m.Address, sitePort) })
	if !moved {
		require.Empty(t, elsewhere, "only a primary that is gone lets writes elsewhere wait")
	}
	f.say("two more since; %d writes had no answer of %s, and %d none of the other", len(unanswered)-len(elsewhere), m.Namespace, len(elsewhere))
}
