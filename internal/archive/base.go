package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// takeBase stores a base backup, and deletes what is no longer kept.
func (k *Keeper) takeBase(ctx context.Context, l lineage, segment uint64) error {
	conn, err := k.connect(ctx, true)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	made := record{Segment: segment}
	if made.Began, err = clock(ctx, conn); err != nil {
		return err
	}
	began, err := pglogrepl.StartBaseBackup(ctx, conn, pglogrepl.BaseBackupOptions{Label: slot, Fast: true, NoWait: true})
	if err != nil {
		return err
	}
	if began.TimelineID != l.timeline || len(began.Tablespaces) > 0 {
		return fmt.Errorf("a cluster of timeline %d with %d tablespaces cannot be archived", began.TimelineID, len(began.Tablespaces))
	}
	made.From = began.LSN
	if made.Parts, err = k.copyBase(ctx, conn, l.base(began.LSN)); err != nil {
		return err
	}
	ended, err := pglogrepl.FinishBaseBackup(ctx, conn)
	if err != nil {
		return err
	}
	made.To = ended.LSN
	if made.Ended, err = clock(ctx, conn); err != nil {
		return err
	}
	if err := k.putJSON(ctx, l.base(made.From)+recordName, made); err != nil {
		return err
	}
	k.mu.Lock()
	k.based = time.Now()
	k.due = k.based.Add(k.BaseEvery)
	k.mu.Unlock()
	k.Log.Info("base backup", "from", made.From.String(), "parts", made.Parts)
	return k.prune(ctx, l, made.Ended.Add(-k.Keep))
}

// clock is Postgres' time.
func clock(ctx context.Context, conn *pgconn.PgConn) (time.Time, error) {
	read, err := row(ctx, conn, "SELECT extract(epoch FROM clock_timestamp())::text")
	if err != nil {
		return time.Time{}, err
	}
	return moment(read[0])
}

// copyBase stores the tar that Postgres sends in parts, and counts them.
func (k *Keeper) copyBase(ctx context.Context, conn *pgconn.PgConn, folder string) (parts int, err error) {
	if err := pglogrepl.NextTableSpace(ctx, conn); err != nil {
		return 0, err
	}
	var part bytes.Buffer
	store := func() error {
		defer part.Reset()
		parts++
		return k.put(ctx, folder+partName(parts), part.Bytes())
	}
	for {
		message, err := conn.ReceiveMessage(ctx)
		if err != nil {
			return 0, err
		}
		switch m := message.(type) {
		case *pgproto3.CopyData:
			if m.Data[0] != 'd' { // the name of the one tar, or its progress
				continue
			}
			part.Write(m.Data[1:])
			if part.Len() >= objectSize {
				if err := store(); err != nil {
					return 0, err
				}
			}
		case *pgproto3.CopyDone:
			err := store()
			return parts, err
		case *pgproto3.ErrorResponse:
			return 0, pgconn.ErrorResponseToPgError(m)
		case *pgproto3.NoticeResponse, *pgproto3.ParameterStatus:
		default:
			return 0, fmt.Errorf("unexpected in a base backup: %T", m)
		}
	}
}

// prune deletes what no restore to since or later needs: base backups before the last one that ended by then, and WAL
// before that one; and whole timelines of the same cluster that ended by then.
func (k *Keeper) prune(ctx context.Context, own lineage, since time.Time) error {
	all, err := k.list(ctx, own.system+"/")
	if err != nil {
		return err
	}
	var failed error
	for l, there := range all {
		var to head
		if l != own && there.head {
			if err := k.getJSON(ctx, l.head(), &to); err != nil {
				return err
			}
		}
		first, err := k.first(ctx, l, there, since)
		if err != nil {
			return err
		}
		if !to.Through.IsZero() && to.Through.Before(since) {
			first = math.MaxUint64
			failed = errors.Join(failed, k.remove(ctx, l.head()))
		}
		for start, names := range there.parts {
			if start < first {
				slices.Sort(names)
				slices.Reverse(names) // its record is deleted first
				failed = errors.Join(failed, k.remove(ctx, names...))
			}
		}
		for _, s := range there.wal {
			if s.to <= first {
				failed = errors.Join(failed, k.remove(ctx, l.wal(s)))
			}
		}
	}
	return failed
}

// first is from where a restore to since or later needs WAL.
func (k *Keeper) first(ctx context.Context, l lineage, there *contents, since time.Time) (pglogrepl.LSN, error) {
	for _, start := range slices.Backward(there.bases) {
		var made record
		if err := k.getJSON(ctx, l.base(start)+recordName, &made); err != nil {
			return 0, err
		}
		if made.Ended.Before(since) {
			return made.begins(), nil
		}
	}
	return 0, nil
}

func (k *Keeper) remove(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := k.Bucket.Delete(ctx, name); err != nil {
			return fmt.Errorf("delete %s: %w", name, err)
		}
	}
	return nil
}
