package archive

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	// slot is the name of the replication slot.
	slot = "tradepost_backup"
	// allowed is how far the archive may be behind before it is unhealthy.
	allowed = time.Minute
	// callTime limits a statement, and storing what was received.
	callTime = 30 * time.Second
	// again is the pause before Postgres is tried again, and baseAgain that before a failed base backup.
	again, baseAgain = time.Second, time.Minute
)

// Options are what is archived, and how often.
type Options struct {
	// DSN is Postgres, as a role that may replicate.
	DSN string
	// Every is how often what was written is stored, at the least.
	Every time.Duration
	// BaseEvery is the time between two base backups.
	BaseEvery time.Duration
	// Keep is how far back a restore can go.
	Keep time.Duration
	Log  *slog.Logger
}

// Keeper archives a cluster while it runs.
type Keeper struct {
	Archive
	Options

	mu      sync.Mutex
	started time.Time
	through time.Time // by this machine's clock, as the others
	based   time.Time
	due     time.Time
}

// NewKeeper is a keeper whose delays count from now on.
func NewKeeper(a Archive, o Options) *Keeper {
	now := time.Now()
	return &Keeper{Archive: a, Options: o, started: now, due: now}
}

// Run archives until ctx ends. Postgres and the bucket may be away meanwhile.
func (k *Keeper) Run(ctx context.Context) error {
	for {
		err := k.follow(ctx)
		if ctx.Err() != nil {
			return nil
		}
		k.Log.Warn("waiting for Postgres", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
	}
}

// Lag is how long ago everything committed was in the archive.
func (k *Keeper) Lag() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.through.IsZero() {
		return time.Since(k.started)
	}
	return time.Since(k.through)
}

// Late is for how long a base backup has been due.
func (k *Keeper) Late() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return max(0, time.Since(k.due))
}

// Healthy reports an archive that is too far behind, or that nothing was stored in yet.
func (k *Keeper) Healthy(context.Context) error {
	k.mu.Lock()
	begun := !k.through.IsZero()
	k.mu.Unlock()
	if !begun {
		return errors.New("nothing is archived yet")
	}
	if lag := k.Lag(); lag > allowed {
		return fmt.Errorf("the archive is %s behind", lag.Round(time.Second))
	}
	return nil
}

// Ages are for the detail of /healthz.
func (k *Keeper) Ages(context.Context) (map[string]float64, error) {
	ages := map[string]float64{"archive": k.Lag().Seconds()}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.based.IsZero() {
		ages["base_backup"] = time.Since(k.based).Seconds()
	}
	return ages, nil
}

var (
	lagSeconds  = prometheus.NewDesc("backup_lag_seconds", "Time since everything committed was in the archive.", nil, nil)
	lateSeconds = prometheus.NewDesc("backup_base_late_seconds", "Time for which a base backup has been due.", nil, nil)
)

// Describe implements prometheus.Collector.
func (k *Keeper) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- lagSeconds
	descriptions <- lateSeconds
}

// Collect implements prometheus.Collector.
func (k *Keeper) Collect(metrics chan<- prometheus.Metric) {
	metrics <- prometheus.MustNewConstMetric(lagSeconds, prometheus.GaugeValue, k.Lag().Seconds())
	metrics <- prometheus.MustNewConstMetric(lateSeconds, prometheus.GaugeValue, k.Late().Seconds())
}

// connect opens a connection; one that replicates is of the kind that names a database, which needs no line of its own
// in pg_hba.conf.
func (k *Keeper) connect(ctx context.Context, replicates bool) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig(k.DSN)
	if err != nil {
		return nil, errors.New("BACKUP_DATABASE_URL is not a Postgres connection string")
	}
	config.RuntimeParams["application_name"] = slot
	if replicates {
		config.RuntimeParams["replication"] = "database"
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return pgconn.ConnectConfig(ctx, config)
}

// row is the first row of a statement, or nil.
func row(ctx context.Context, conn *pgconn.PgConn, sql string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var values []string
	if len(results) > 0 && len(results[0].Rows) > 0 {
		for _, value := range results[0].Rows[0] {
			values = append(values, string(value))
		}
	}
	return values, nil
}

// stream is one connection's worth of WAL on its way into the archive.
type stream struct {
	k        *Keeper
	lineage  lineage
	segment  uint64
	wal, sql *pgconn.PgConn
	received []byte
	stored   pglogrepl.LSN
	mark     *mark
	marked   time.Time
	taking   bool
	done     chan error
	tryBase  time.Time
}

// mark is a moment and the position within which everything committed before it is.
type mark struct {
	at  time.Time // by Postgres' clock
	to  pglogrepl.LSN
	set time.Time // by ours
}

// follow archives over one pair of connections, until one of them ends.
func (k *Keeper) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sql, err := k.connect(ctx, false)
	if err != nil {
		return err
	}
	defer func() { _ = sql.Close(context.WithoutCancel(ctx)) }()
	wal, err := k.connect(ctx, true)
	if err != nil {
		return err
	}
	defer func() { _ = wal.Close(context.WithoutCancel(ctx)) }()
	s := &stream{k: k, wal: wal, sql: sql, done: make(chan error, 1)}
	if err := s.begin(ctx); err != nil {
		return err
	}
	err = s.run(ctx)
	cancel()
	if s.taking {
		err = errors.Join(err, <-s.done)
	}
	return errors.Join(err, s.last())
}

// begin finds where the archive ends, and has Postgres send what follows. Where Postgres has not kept that, what follows
// begins a run of its own, with a base backup.
func (s *stream) begin(ctx context.Context) error {
	is, err := pglogrepl.IdentifySystem(ctx, s.wal)
	if err != nil {
		return err
	}
	s.lineage = lineage{is.SystemID, is.Timeline}
	if is.Timeline > 1 {
		past, err := pglogrepl.TimelineHistory(ctx, s.wal, is.Timeline)
		if err != nil {
			return err
		}
		if err := s.k.put(ctx, history(is.SystemID, is.Timeline), past.Content); err != nil {
			return err
		}
	}
	size, err := row(ctx, s.sql, "SELECT setting FROM pg_settings WHERE name = 'wal_segment_size'")
	if err != nil {
		return err
	}
	if s.segment, err = strconv.ParseUint(size[0], 10, 64); err != nil {
		return err
	}
	kept, err := s.kept(ctx)
	if err != nil {
		return err
	}
	all, err := s.k.list(ctx, s.lineage.folder())
	if err != nil {
		return err
	}
	there := all[s.lineage]
	if there == nil {
		there = &contents{}
	}
	run := there.last()
	switch {
	case run.to > is.XLogPos:
		return fmt.Errorf("the archive is ahead of Postgres (%s, %s): an older copy of it was put back without restore. Name another place in BACKUP_URL", run.to, is.XLogPos)
	case run.to < kept:
		run = span{kept - kept%pglogrepl.LSN(s.segment), kept - kept%pglogrepl.LSN(s.segment)}
	}
	s.stored = run.to
	if err := s.newest(ctx, there, run); err != nil {
		return err
	}
	return pglogrepl.StartReplication(ctx, s.wal, slot, s.stored, pglogrepl.StartReplicationOptions{Timeline: is.Timeline, Mode: pglogrepl.PhysicalReplication})
}

// kept is from where Postgres has kept WAL for us. A slot whose WAL is gone is made anew.
func (s *stream) kept(ctx context.Context) (pglogrepl.LSN, error) {
	is, err := row(ctx, s.sql, "SELECT coalesce(restart_lsn::text, ''), coalesce(wal_status, 'lost') FROM pg_replication_slots WHERE slot_name = '"+slot+"'")
	if err != nil {
		return 0, err
	}
	if is != nil && (is[0] == "" || is[1] == "lost") {
		s.k.Log.Error("Postgres has removed WAL that was not archived: a restore to before the next base backup may not be possible")
		if _, err := row(ctx, s.sql, "SELECT pg_drop_replication_slot('"+slot+"')"); err != nil {
			return 0, err
		}
		is = nil
	}
	if is == nil {
		if is, err = row(ctx, s.sql, "SELECT lsn FROM pg_create_physical_replication_slot('"+slot+"', true)"); err != nil {
			return 0, err
		}
	}
	return pglogrepl.ParseLSN(is[0])
}

// newest notes when the newest base backup of a run was made.
func (s *stream) newest(ctx context.Context, there *contents, run span) error {
	var found record
	if n := len(there.bases); n > 0 && there.bases[n-1] >= run.from {
		if err := s.k.getJSON(ctx, s.lineage.base(there.bases[n-1])+recordName, &found); err != nil {
			return err
		}
	}
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	if s.k.based = found.Ended; !found.Ended.IsZero() {
		s.k.due = found.Ended.Add(s.k.BaseEvery)
	} else if now := time.Now(); s.k.due.After(now) {
		s.k.due = now
	}
	return nil
}

// run stores what Postgres sends, until the connection or ctx ends.
func (s *stream) run(ctx context.Context) error {
	next := time.Now()
	for {
		s.takeBase(ctx)
		if s.mark == nil && !time.Now().Before(next) {
			next = time.Now().Add(s.k.Every)
			if err := s.setMark(ctx); err != nil {
				return err
			}
		}
		if err := s.receive(ctx, next); err != nil {
			return err
		}
		reached := s.mark != nil && s.stored+pglogrepl.LSN(len(s.received)) >= s.mark.to
		if len(s.received) >= objectSize || reached {
			if err := s.store(ctx); err != nil {
				return err
			}
		}
		if reached {
			if err := s.arrive(ctx); err != nil {
				return err
			}
		}
	}
}

// setMark writes an empty transaction and notes the position behind it. Its commit is what a restore up to a moment
// stops at where nothing else is committed.
func (s *stream) setMark(ctx context.Context) error {
	m := &mark{set: time.Now()}
	read, err := row(ctx, s.sql, "SELECT extract(epoch FROM clock_timestamp())::text")
	if err != nil {
		return err
	}
	if m.at, err = moment(read[0]); err != nil {
		return err
	}
	if _, err := row(ctx, s.sql, "SELECT pg_logical_emit_message(true, '"+slot+"', '')"); err != nil {
		return err
	}
	if read, err = row(ctx, s.sql, "SELECT pg_current_wal_flush_lsn()"); err != nil {
		return err
	}
	m.to, err = pglogrepl.ParseLSN(read[0])
	s.mark = m
	return err
}

// moment reads seconds since 1970.
func moment(text string) (time.Time, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	return time.UnixMicro(int64(seconds * 1e6)).UTC(), err
}

// receive waits for one message.
func (s *stream) receive(ctx context.Context, until time.Time) error {
	if s.mark != nil {
		until = s.mark.set.Add(callTime)
	}
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	message, err := s.wal.ReceiveMessage(limited)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case pgconn.Timeout(err) && s.mark == nil:
		return nil
	case pgconn.Timeout(err):
		return errors.New("Postgres sends no WAL")
	case err != nil:
		return err
	}
	switch m := message.(type) {
	case *pgproto3.CopyData:
		return s.accept(ctx, m.Data)
	case *pgproto3.ErrorResponse:
		return pgconn.ErrorResponseToPgError(m)
	case *pgproto3.NoticeResponse, *pgproto3.ParameterStatus:
		return nil
	default:
		return fmt.Errorf("Postgres ended the replication (%T)", m)
	}
}

func (s *stream) accept(ctx context.Context, data []byte) error {
	switch data[0] {
	case pglogrepl.PrimaryKeepaliveMessageByteID:
		alive, err := pglogrepl.ParsePrimaryKeepaliveMessage(data[1:])
		if err != nil || !alive.ReplyRequested {
			return err
		}
		return s.acknowledge(ctx)
	case pglogrepl.XLogDataByteID:
		sent, err := pglogrepl.ParseXLogData(data[1:])
		if err != nil {
			return err
		}
		if at := s.stored + pglogrepl.LSN(len(s.received)); sent.WALStart != at {
			return fmt.Errorf("WAL of %s came where %s was due", sent.WALStart, at)
		}
		s.received = append(s.received, sent.WALData...)
	}
	return nil
}

// store puts what was received into the archive, and lets Postgres forget it.
func (s *stream) store(ctx context.Context) error {
	if len(s.received) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	is := span{s.stored, s.stored + pglogrepl.LSN(len(s.received))}
	if err := s.k.put(ctx, s.lineage.wal(is), s.received); err != nil {
		return err
	}
	s.stored, s.received = is.to, s.received[:0]
	return s.acknowledge(ctx)
}

func (s *stream) acknowledge(ctx context.Context) error {
	return pglogrepl.SendStandbyStatusUpdate(ctx, s.wal, pglogrepl.StandbyStatusUpdate{WALWritePosition: s.stored})
}

// arrive notes that everything before the mark is stored.
func (s *stream) arrive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if err := s.k.putJSON(ctx, s.lineage.head(), head{Through: s.mark.at, Seen: s.mark.at, To: s.stored}); err != nil {
		return err
	}
	s.k.mu.Lock()
	s.k.through = s.mark.set
	s.k.mu.Unlock()
	s.marked, s.mark = s.mark.at, nil
	return nil
}

// last stores what was received before the connection ended, and when that was.
func (s *stream) last() error {
	if s.marked.IsZero() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	if len(s.received) > 0 {
		is := span{s.stored, s.stored + pglogrepl.LSN(len(s.received))}
		if err := s.k.put(ctx, s.lineage.wal(is), s.received); err != nil {
			return err
		}
		s.stored, s.received = is.to, nil
	}
	return s.k.putJSON(ctx, s.lineage.head(), head{Through: s.marked, Seen: s.marked.Add(s.k.Lag()), To: s.stored})
}

// takeBase begins a base backup that is due, beside the stream, and notes how one ended.
func (s *stream) takeBase(ctx context.Context) {
	select {
	case err := <-s.done:
		if s.taking = false; err != nil {
			s.k.Log.Error("no base backup", "error", err)
			s.tryBase = time.Now().Add(baseAgain)
		}
	default:
	}
	if s.taking || s.k.Late() == 0 || time.Now().Before(s.tryBase) {
		return
	}
	s.taking = true
	go func() { s.done <- s.k.takeBase(ctx, s.lineage, s.segment) }()
}
