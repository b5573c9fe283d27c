package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5/pgconn"
	"gocloud.dev/blob"
)

// restoredWAL is the folder, within the data folder, from which Postgres reads WAL while it recovers.
const restoredWAL = "restored_wal"

// Plan is what a restore is made of.
type Plan struct {
	lineage lineage
	base    record
	wal     []span
	head    head
	until   time.Time
	missing span // the first gap behind wal, if any
}

// Plan finds the base backup and the WAL for the latest moment, or for until. It refuses an archive from which that
// cannot be made.
func (a *Archive) Plan(ctx context.Context, until time.Time) (*Plan, error) {
	all, err := a.list(ctx, "")
	if err != nil {
		return nil, err
	}
	plans, err := a.candidates(ctx, all)
	if err != nil {
		return nil, err
	}
	if len(plans) == 0 {
		return nil, errors.New("the archive has no base backup")
	}
	if until.IsZero() {
		return latest(plans)
	}
	oldest := plans[len(plans)-1].base.Ended
	plans = slices.DeleteFunc(plans, func(p *Plan) bool { return p.base.Ended.After(until) })
	if len(plans) == 0 {
		return nil, fmt.Errorf("the archive begins at %s, after the moment that is asked for", stamp(oldest.Add(time.Second)))
	}
	ends := slices.MaxFunc(plans, func(x, y *Plan) int { return x.head.Through.Compare(y.head.Through) }).head.Through
	plans = slices.DeleteFunc(plans, func(p *Plan) bool { return p.head.Through.Before(until) })
	if len(plans) == 0 {
		return nil, fmt.Errorf("the archive ends at %s, before the moment that is asked for", stamp(ends))
	}
	p := plans[0]
	p.until = until
	if p.wal == nil || p.wal[len(p.wal)-1].to < p.base.To {
		return nil, p.gap()
	}
	return p, nil
}

// candidates are plans for each base backup, the newest first.
func (a *Archive) candidates(ctx context.Context, all map[lineage]*contents) ([]*Plan, error) {
	var plans []*Plan
	for l, there := range all {
		if len(there.bases) == 0 {
			continue
		}
		var to head
		if err := a.getJSON(ctx, l.head(), &to); err != nil {
			return nil, err
		}
		for _, start := range there.bases {
			p := &Plan{lineage: l, head: to}
			if err := a.getJSON(ctx, l.base(start)+recordName, &p.base); err != nil {
				return nil, err
			}
			p.chain(there.wal)
			plans = append(plans, p)
		}
	}
	slices.SortFunc(plans, func(x, y *Plan) int { return y.base.Ended.Compare(x.base.Ended) })
	return plans, nil
}

// chain takes WAL from the base backup on, up to the end or a gap.
func (p *Plan) chain(wal []span) {
	at := p.base.begins()
	for _, s := range wal {
		if s.to <= at {
			continue
		}
		if s.from > at {
			p.missing = span{at, s.from}
			return
		}
		p.wal, at = append(p.wal, s), s.to
	}
	if at < p.head.To {
		p.missing = span{at, p.head.To}
	}
}

func (p *Plan) gap() error {
	return fmt.Errorf("WAL from %s to %s is missing from the archive", p.missing.from, p.missing.to)
}

// latest is the newest plan of the timeline that was archived last, if nothing is missing from it. An older base backup
// is as good, and takes longer.
func latest(plans []*Plan) (*Plan, error) {
	newest := slices.MaxFunc(plans, func(x, y *Plan) int { return x.head.Through.Compare(y.head.Through) }).lineage
	plans = slices.DeleteFunc(plans, func(p *Plan) bool { return p.lineage != newest })
	for _, p := range plans {
		if p.missing.to == 0 && p.head.To >= p.base.To {
			return p, nil
		}
	}
	if plans[0].missing.to == 0 {
		return nil, fmt.Errorf("the base backup needs WAL up to %s, and the archive ends at %s", plans[0].base.To, plans[0].head.To)
	}
	return nil, plans[0].gap()
}

// Source is what the plan restores from, as a sentence.
func (p *Plan) Source() string {
	base := fmt.Sprintf("Base backup of %s, and WAL up to ", stamp(p.base.Began))
	if p.until.IsZero() {
		return base + stamp(p.head.Through) + "."
	}
	return base + p.until.UTC().Format(time.RFC3339Nano) + "."
}

// Loss is what is not restored, as a sentence.
func (p *Plan) Loss() string {
	if !p.until.IsZero() {
		return fmt.Sprintf("Everything committed up to %s is here, and nothing after it.", p.until.UTC().Format(time.RFC3339Nano))
	}
	return fmt.Sprintf("Everything committed before %s is here. Postgres was last seen %.0f seconds later: at most what was committed in those, or since, is lost.",
		stamp(p.head.Through), p.head.Seen.Sub(p.head.Through).Seconds())
}

// stamp is a moment in whole seconds, rounded down.
func stamp(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }

// Fill makes a data folder of a plan. The folder must be empty, or not there.
func (a *Archive) Fill(ctx context.Context, p *Plan, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		return errors.Join(err, fmt.Errorf("%s is not empty: a restore writes over nothing", dir))
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder, and Postgres starts on no other
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := unpack(root, &parts{ctx: ctx, a: a, folder: p.lineage.base(p.base.From), of: p.base.Parts}); err != nil {
		return err
	}
	if err := root.Mkdir(restoredWAL, 0o700); err != nil {
		return err
	}
	if err := a.fillWAL(ctx, p, root); err != nil {
		return err
	}
	if err := a.fillHistory(ctx, p, root); err != nil {
		return err
	}
	return root.WriteFile("recovery.signal", nil, 0o600)
}

// parts reads the parts of a base backup one after another.
type parts struct {
	ctx    context.Context
	a      *Archive
	folder string
	n, of  int
	rest   bytes.Reader
}

// Read implements io.Reader.
func (r *parts) Read(into []byte) (int, error) {
	for r.rest.Len() == 0 {
		if r.n == r.of {
			return 0, io.EOF
		}
		r.n++
		part, err := r.a.get(r.ctx, r.folder+partName(r.n))
		if err != nil {
			return 0, err
		}
		r.rest.Reset(part)
	}
	return r.rest.Read(into)
}

func unpack(root *os.Root, from io.Reader) error {
	files := tar.NewReader(from)
	for {
		entry, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Clean(entry.Name)
		switch entry.Typeflag {
		case tar.TypeDir:
			if name != "." {
				err = root.Mkdir(name, 0o700)
			}
		case tar.TypeReg:
			err = write(root, name, files)
		default:
			err = fmt.Errorf("%s in the base backup is neither a file nor a folder", entry.Name)
		}
		if err != nil {
			return err
		}
	}
}

func write(root *os.Root, name string, from io.Reader) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}

// fillWAL writes WAL into the segments that Postgres asks for; the last one ends in zeroes.
func (a *Archive) fillWAL(ctx context.Context, p *Plan, root *os.Root) error {
	for _, s := range p.wal {
		data, err := a.get(ctx, p.lineage.wal(s))
		if err != nil {
			return err
		}
		if uint64(len(data)) != uint64(s.to-s.from) {
			return fmt.Errorf("%s has %d bytes", p.lineage.wal(s), len(data))
		}
		for at := s.from; len(data) > 0; {
			within := uint64(at) % p.base.Segment
			n := min(uint64(len(data)), p.base.Segment-within)
			if err := writeSegment(root, segmentName(p.lineage.timeline, at, p.base.Segment), p.base.Segment, within, data[:n]); err != nil {
				return err
			}
			at, data = at+pglogrepl.LSN(n), data[n:]
		}
	}
	return nil
}

// fillHistory writes what is known of the cluster's timelines, so that Postgres begins one that was never archived.
func (a *Archive) fillHistory(ctx context.Context, p *Plan, root *os.Root) error {
	objects := a.Bucket.List(&blob.ListOptions{Prefix: histories(p.lineage.system)})
	for {
		object, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list the archive: %w", err)
		}
		past, err := a.get(ctx, object.Key)
		if err == nil {
			err = root.WriteFile(filepath.Join(restoredWAL, filepath.Base(object.Key)), past, 0o600)
		}
		if err != nil {
			return err
		}
	}
}

func segmentName(timeline int32, at pglogrepl.LSN, size uint64) string {
	n, each := uint64(at)/size, (uint64(1)<<32)/size
	return fmt.Sprintf("%s/%08X%08X%08X", restoredWAL, uint32(timeline), n/each, n%each)
}

func writeSegment(root *os.Root, name string, size, at uint64, data []byte) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(data, int64(at))
	return errors.Join(err, file.Truncate(int64(size)), file.Close())
}

// Recover runs Postgres on a filled data folder until it has replayed the plan, has do work on it, and stops it. do is
// given addresses that need no password, which are valid within this call alone.
func Recover(ctx context.Context, p *Plan, bin, dir string, do func(ctx context.Context, dsn func(role, database string) string) error) error {
	if err := sameVersion(ctx, bin, dir); err != nil {
		return err
	}
	aside, err := os.MkdirTemp("", "restore-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(aside) }()
	if err := os.WriteFile(filepath.Join(aside, "hba"), []byte("local all all trust\n"), 0o600); err != nil {
		return err
	}
	said := &tail{}
	server := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), p.arguments(aside, dir)...) //nolint:gosec // the operator names the folder of Postgres
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGINT) }
	server.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	server.Stdout, server.Stderr = said, said
	if err := server.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	address := func(role, database string) string {
		return fmt.Sprintf("host=%s user=%s dbname=%s sslmode=disable", aside, role, database)
	}
	if err := answers(ctx, address("postgres", "postgres"), ended, said); err != nil {
		if p.missing.to > 0 {
			err = fmt.Errorf("%w; %w", err, p.gap())
		}
		return err
	}
	err = do(ctx, address)
	_ = server.Process.Signal(syscall.SIGINT)
	if stopped := <-ended; err == nil && stopped != nil {
		err = fmt.Errorf("Postgres did not stop cleanly: %w", stopped)
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(dir, restoredWAL))
}

// ofPostgres is the version, and the major one, in what the server says of itself.
var ofPostgres = regexp.MustCompile(`\) (([0-9]+)\S*)`)

// sameVersion refuses a data folder of another major version than the programs in bin, which read none of it.
func sameVersion(ctx context.Context, bin, dir string) error {
	raw, err := os.ReadFile(filepath.Join(dir, "PG_VERSION")) //nolint:gosec // the operator names the folder
	if err != nil {
		return err
	}
	said, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output() //nolint:gosec // the operator names the folder of Postgres
	if err != nil {
		return fmt.Errorf("ask Postgres in %s for its version: %w", bin, err)
	}
	has, here := strings.TrimSpace(string(raw)), ofPostgres.FindStringSubmatch(string(said))
	if here == nil || here[2] != has {
		return fmt.Errorf("the backup is of Postgres %s, and here is %s: restore it with the programs of Postgres %s (--postgres-bin, or the service restore "+
			"of the release that it ran with), and change to another version after that (docs/upgrade.md)", has, strings.TrimSpace(string(said)), has)
	}
	return nil
}

// arguments have Postgres recover what is here, accept connections after that alone, and become a primary. With hot
// standby it would require as many connections as the lost server was started with.
func (p *Plan) arguments(aside, dir string) []string {
	settings := []string{
		"listen_addresses=", "unix_socket_directories=" + aside, "hba_file=" + filepath.Join(aside, "hba"), "hot_standby=off",
		"logging_collector=off", "log_destination=stderr", "log_error_verbosity=terse",
		"restore_command=cp '" + restoredWAL + "/%f' '%p'", "recovery_target_timeline=current", "recovery_target_action=promote",
	}
	if !p.until.IsZero() {
		settings = append(settings, "recovery_target_time="+p.until.UTC().Format("2006-01-02 15:04:05.999999")+"+00")
	}
	args := []string{"-D", dir}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

// answers waits until Postgres accepts connections, which it does once it has recovered.
func answers(ctx context.Context, dsn string, ended <-chan error, said *tail) error {
	for {
		conn, err := pgconn.Connect(ctx, dsn)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case err := <-ended:
			_ = err // its log says more
			return fmt.Errorf("Postgres does not start on what was restored: %s", said.reason())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// tail keeps the end of a log.
type tail struct{ text []byte }

// Write implements io.Writer.
func (t *tail) Write(text []byte) (int, error) {
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-1<<16):]
	return len(text), nil
}

// reason is the last error of Postgres, or its last line.
func (t *tail) reason() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	for _, line := range slices.Backward(lines) {
		for _, level := range []string{"FATAL:", "PANIC:"} {
			if _, why, found := strings.Cut(line, level); found && !strings.Contains(why, "the database system is") {
				return strings.TrimSpace(why)
			}
		}
	}
	return lines[len(lines)-1]
}
