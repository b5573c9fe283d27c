// Package archive keeps a Postgres cluster in a bucket, and makes a data folder of it again: base backups, and all WAL
// since, as Postgres writes it.
//
// Invariants:
//
//   - An object of WAL is named by the two positions between which it holds every byte. A restore uses only objects that
//     follow each other without a gap.
//   - The record of a base backup is written after its parts, and deleted before them: one that has a record is whole.
//   - Postgres keeps what is not in the bucket: its replication slot follows what is stored.
//   - Every object is sealed for its name: changed, cut or moved, it does not open.
//   - Each timeline of each cluster has a folder of its own, so that what a restored cluster writes never mixes with
//     what was archived before it.
package archive

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pglogrepl"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/internal/secret"
)

// objectSize is how much is sealed into one object, before compression.
const objectSize = 16 << 20

// Archive is a bucket with the backups of clusters.
type Archive struct {
	Bucket *blob.Bucket
	Keys   *secret.Keys
}

// lineage is one timeline of one cluster.
type lineage struct {
	system   string
	timeline int32
}

func (l lineage) folder() string { return fmt.Sprintf("%s/%08X/", l.system, uint32(l.timeline)) }

func (l lineage) head() string { return l.folder() + "head" }

func (l lineage) wal(s span) string {
	return fmt.Sprintf("%swal/%016X-%016X", l.folder(), uint64(s.from), uint64(s.to))
}

func (l lineage) base(start pglogrepl.LSN) string {
	return fmt.Sprintf("%sbase/%016X/", l.folder(), uint64(start))
}

func histories(system string) string { return system + "/history/" }

func history(system string, timeline int32) string {
	return fmt.Sprintf("%s%08X.history", histories(system), uint32(timeline))
}

const recordName = "record"

func partName(n int) string { return fmt.Sprintf("%08d", n) }

// span is WAL from one position up to another.
type span struct{ from, to pglogrepl.LSN }

// record describes a base backup. It is whole up to To, so that a restore stops at Ended or later.
type record struct {
	From, To     pglogrepl.LSN
	Began, Ended time.Time
	Parts        int
	Segment      uint64
}

// begins is the position of the segment that a restore reads first.
func (r record) begins() pglogrepl.LSN { return r.From - r.From%pglogrepl.LSN(r.Segment) }

// head is how far a lineage is archived: everything committed before Through is within To. Seen is when Postgres last
// answered.
type head struct {
	Through, Seen time.Time
	To            pglogrepl.LSN
}

// put stores plain under a name.
func (a *Archive) put(ctx context.Context, name string, plain []byte) error {
	var packed bytes.Buffer
	pack, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level exists
	_, err := pack.Write(plain)
	if err := errors.Join(err, pack.Close()); err != nil {
		return err
	}
	sealed, err := a.Keys.Seal(place(name), packed.Bytes())
	if err != nil {
		return err
	}
	if err := bucket.Write(ctx, a.Bucket, name, sealed, blob.WriterOptions{}); err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	return nil
}

// get reads what was stored under a name.
func (a *Archive) get(ctx context.Context, name string) ([]byte, error) {
	sealed, err := a.Bucket.ReadAll(ctx, name)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, fmt.Errorf("%s is missing from the archive", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	packed, err := a.Keys.Open(place(name), sealed)
	if err != nil {
		return nil, fmt.Errorf("%s was changed since it was archived, or BACKUP_KEY is not the key it was sealed with", name)
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	plain, err := io.ReadAll(unpack)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return plain, nil
}

func place(name string) secret.Place {
	return secret.Place{Table: "backup", Column: "object", ID: name}
}

func (a *Archive) putJSON(ctx context.Context, name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return a.put(ctx, name, raw)
}

func (a *Archive) getJSON(ctx context.Context, name string, value any) error {
	raw, err := a.get(ctx, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Opens reads the newest head of the archive, if there is any, which fails where it is sealed with another key.
func (a *Archive) Opens(ctx context.Context) error {
	var newest *blob.ListObject
	systems, err := a.level(ctx, "")
	if err != nil {
		return err
	}
	for _, system := range systems {
		timelines, err := a.level(ctx, system.Key)
		if err != nil {
			return err
		}
		for _, timeline := range timelines {
			there, err := a.level(ctx, timeline.Key)
			if err != nil {
				return err
			}
			for _, object := range there {
				later := newest == nil || object.ModTime.After(newest.ModTime)
				if path.Base(object.Key) == "head" && !object.IsDir && later {
					newest = object
				}
			}
		}
	}
	if newest == nil {
		return nil
	}
	var read head
	return a.getJSON(ctx, newest.Key, &read)
}

// level lists what is directly in a folder, of which those of lineages alone are looked into.
func (a *Archive) level(ctx context.Context, below string) (found []*blob.ListObject, err error) {
	objects := a.Bucket.List(&blob.ListOptions{Prefix: below, Delimiter: "/"})
	for {
		object, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list the archive: %w", err)
		}
		if toHeads.MatchString(object.Key) {
			found = append(found, object)
		}
	}
}

// contents are the names of a lineage's objects: its WAL in order, and the parts of base backups by their start.
type contents struct {
	wal   []span
	bases []pglogrepl.LSN // with a record, in order
	parts map[pglogrepl.LSN][]string
	head  bool
}

var (
	walName  = regexp.MustCompile(`/wal/([0-9A-F]{16})-([0-9A-F]{16})$`)
	baseName = regexp.MustCompile(`/base/([0-9A-F]{16})/([a-z0-9]+)$`)
	folder   = regexp.MustCompile(`^([0-9]+)/([0-9A-F]{8})/`)
	toHeads  = regexp.MustCompile(`^[0-9]+/([0-9A-F]{8}/(head)?)?$`)
)

// list reads the names below a folder, by lineage.
func (a *Archive) list(ctx context.Context, below string) (map[lineage]*contents, error) {
	found := map[lineage]*contents{}
	objects := a.Bucket.List(&blob.ListOptions{Prefix: below})
	for {
		object, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list the archive: %w", err)
		}
		of := folder.FindStringSubmatch(object.Key)
		if of == nil {
			continue
		}
		l := lineage{system: of[1], timeline: int32(position(of[2]))}
		if found[l] == nil {
			found[l] = &contents{parts: map[pglogrepl.LSN][]string{}}
		}
		found[l].add(object.Key)
	}
}

func (c *contents) add(name string) {
	if at := walName.FindStringSubmatch(name); at != nil {
		c.wal = append(c.wal, span{position(at[1]), position(at[2])})
		return
	}
	if at := baseName.FindStringSubmatch(name); at != nil {
		start := position(at[1])
		c.parts[start] = append(c.parts[start], name)
		if at[2] == recordName {
			c.bases = append(c.bases, start)
		}
	}
	c.head = c.head || path.Base(name) == "head"
}

// position reads a position that the names' patterns have let through.
func position(hex string) pglogrepl.LSN {
	n, _ := strconv.ParseUint(hex, 16, 64)
	return pglogrepl.LSN(n)
}

// last is the newest run of WAL without a gap.
func (c *contents) last() span {
	var run span
	for _, s := range c.wal {
		if s.from > run.to || run.to == 0 {
			run.from = s.from
		}
		run.to = max(run.to, s.to)
	}
	return run
}
