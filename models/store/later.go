package store

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
	"gorm.io/gorm"
)

// Write is a statement of a transaction whose result is not needed at once. It waits to be sent together with others
// of the same change (together).
type Write struct {
	Table string
	Query string // with $1, $2, …
	Args  []any
	// one is the refusal where it wrote no row; nil skips the check.
	One error
	// fails says what an error of Postgres means; it gives nil for one that it does
	// not know.
	Fails func(err error) error
}

// waiting are the writes of a transaction that are not sent yet. They are sent before any other statement, which so
// finds them written.
type waiting struct {
	deep   int // how many changes are open, one in another
	writes []Write
	events []EventRow
	failed error // why they could not be written
}

// EventRow is a row of a timeline that waits, and the mail to the customer that it
// causes; mail is nil where it causes none. It is given the name of the part that
// returns the id and kind of the events that were added.
type EventRow struct {
	Into, Kind string
	Row        []any
	Mail       func(added string) (query string, args []any)
}

// Together holds back the writes of fn and sends them in one statement, at its end or
// before the next statement that reads. Where fn fails they are not sent.
func (db *DB) Together(ctx context.Context, fn func() error) error {
	if err := db.send(ctx); err != nil {
		return err
	}
	w := db.waiting
	w.deep++
	defer func() { w.deep-- }()
	err := fn()
	if err == nil {
		err = db.send(ctx)
	}
	if err = FirstError(w.failed, err); err != nil {
		w.writes, w.events, w.failed = nil, nil, nil
	}
	return err
}

// HoldsBack reports whether writes wait for each other now.
func (db *DB) HoldsBack() bool { return db.waiting != nil && db.waiting.deep > 0 }

// Later sends a write with the others of its change, or at once outside of one. Writes of one statement do not see
// each other: a second one to a table is sent in the next.
func (db *DB) Later(ctx context.Context, w Write) error {
	if !db.HoldsBack() {
		return sendNow(ctx, db.Direct(), []Write{w}, nil)
	}
	if slices.ContainsFunc(db.waiting.writes, func(other Write) bool { return other.Table == w.Table }) || w.Table == "mails" && len(db.waiting.events) > 0 {
		if err := db.send(ctx); err != nil {
			return err
		}
	}
	db.waiting.writes = append(db.waiting.writes, w)
	return nil
}

// EventLater adds an event to a timeline with the other writes of its change. Events keep
// their order: they are rows of one INSERT.
func (db *DB) EventLater(ctx context.Context, e EventRow) error {
	if slices.ContainsFunc(db.waiting.events, func(other EventRow) bool { return other.Into != e.Into || other.Kind == e.Kind }) {
		if err := db.send(ctx); err != nil {
			return err
		}
	}
	db.waiting.events = append(db.waiting.events, e)
	return nil
}

// LaterORM is later for a write that GORM says.
func (db *DB) LaterORM(ctx context.Context, w Write, say func(orm *gorm.DB) *gorm.DB) error {
	said := say(db.ORM(ctx).Session(&gorm.Session{DryRun: true})).Statement
	if said.Error != nil {
		return said.Error
	}
	w.Query, w.Args = said.SQL.String(), said.Vars
	for i, arg := range w.Args {
		if texts, is := arg.(pq.StringArray); is {
			w.Args[i] = []string(texts)
		}
	}
	return db.Later(ctx, w)
}

// send sends what waits.
func (db *DB) send(ctx context.Context) error {
	w := db.waiting
	if w == nil || w.failed != nil || len(w.writes)+len(w.events) == 0 {
		return nil
	}
	writes, events := w.writes, w.events
	w.writes, w.events = nil, nil
	w.failed = sendNow(ctx, db.wire, writes, events)
	return w.failed
}

// sendNow writes in one statement. Several are the parts of a WITH, and Postgres runs
// their triggers and checks their references once all are written.
func sendNow(ctx context.Context, to querier, writes []Write, events []EventRow) error {
	var s Statement
	for _, w := range writes {
		query := w.Query
		if w.One != nil {
			query += " RETURNING 1"
			s.counted = append(s.counted, fmt.Sprintf("(SELECT count(*) FROM w%d)", len(s.parts)+1))
		}
		s.add(query, w.Args)
	}
	s.AddEvents(events)
	err := s.run(ctx, to, writes)
	if err == nil {
		return nil
	}
	for _, w := range writes {
		if w.Fails != nil {
			if known := w.Fails(err); known != nil {
				return known
			}
		}
	}
	return fmt.Errorf("write: %w", err)
}

// Statement is one that is put together of several.
type Statement struct {
	parts   []string
	Args    []any
	counted []string
}

var placeholder = regexp.MustCompile(`\$(\d+)`)

// add appends a write, and renumbers its parameters.
func (s *Statement) add(query string, args []any) {
	before := len(s.Args)
	s.Args = append(s.Args, args...)
	s.parts = append(s.parts, placeholder.ReplaceAllStringFunc(query, func(n string) string {
		i, _ := strconv.Atoi(n[1:])
		return "$" + strconv.Itoa(before+i)
	}))
}

// AddEvents adds events as rows of one INSERT, and the mails to customers that they cause.
func (s *Statement) AddEvents(events []EventRow) {
	if len(events) == 0 {
		return
	}
	var rows []string
	var args []any
	for _, e := range events {
		var row []string
		for range e.Row {
			row = append(row, "$"+strconv.Itoa(len(args)+len(row)+1))
		}
		rows, args = append(rows, "("+strings.Join(row, ", ")+")"), append(args, e.Row...)
	}
	s.add("INSERT INTO "+events[0].Into+" VALUES "+strings.Join(rows, ", ")+" ON CONFLICT DO NOTHING RETURNING id, kind", args)
	added := "w" + strconv.Itoa(len(s.parts))
	for _, e := range events {
		if e.Mail != nil {
			s.add(e.Mail(added))
		}
	}
}

// Query is the whole statement, with what it gives.
func (s *Statement) Query(gives string) string {
	named := make([]string, len(s.parts))
	for i, part := range s.parts {
		named[i] = fmt.Sprintf("w%d AS (%s)", i+1, part)
	}
	return "WITH " + strings.Join(named, ", ") + " SELECT " + gives
}

// run sends it, and refuses where a write that has to change a row changed none.
func (s *Statement) run(ctx context.Context, to querier, writes []Write) error {
	counts := make([]int64, len(s.counted))
	switch {
	case len(s.parts) == 1:
		tag, err := to.Exec(ctx, s.parts[0], s.Args...)
		if err != nil {
			return err
		}
		for i := range counts {
			counts[i] = tag.RowsAffected()
		}
	case len(counts) == 0:
		_, err := to.Exec(ctx, s.Query("true"), s.Args...)
		return err
	default:
		into := make([]any, len(counts))
		for i := range counts {
			into[i] = &counts[i]
		}
		if err := to.QueryRow(ctx, s.Query(strings.Join(s.counted, ", ")), s.Args...).Scan(into...); err != nil {
			return err
		}
	}
	for _, w := range writes {
		if w.One == nil {
			continue
		}
		if counts[0] != 1 {
			return w.One
		}
		counts = counts[1:]
	}
	return nil
}

// querier says statements with $1, $2, … to Postgres.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
}

// inOrder is the connection of a transaction: what waits is written before the
// statement that comes.
type inOrder struct{ tx *DB }

// Query implements querier.
func (c inOrder) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	if err := c.tx.send(ctx); err != nil {
		return nil, err
	}
	return c.tx.wire.Query(ctx, query, args...)
}

// QueryRow implements querier.
func (c inOrder) QueryRow(ctx context.Context, query string, args ...any) pgx.Row {
	if err := c.tx.send(ctx); err != nil {
		return noRow{err}
	}
	return c.tx.wire.QueryRow(ctx, query, args...)
}

// Exec implements querier.
func (c inOrder) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	if err := c.tx.send(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	return c.tx.wire.Exec(ctx, query, args...)
}

// noRow is the answer of a query that was not sent.
type noRow struct{ err error }

// Scan implements pgx.Row.
func (r noRow) Scan(...any) error { return r.err }

// inOrderORM is inOrder for what GORM says.
type inOrderORM struct {
	gorm.ConnPool
	tx *DB
}

// ExecContext implements gorm.ConnPool.
func (c inOrderORM) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := c.tx.send(ctx); err != nil {
		return nil, err
	}
	return c.ConnPool.ExecContext(ctx, query, args...)
}

// QueryContext implements gorm.ConnPool.
func (c inOrderORM) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := c.tx.send(ctx); err != nil {
		return nil, err
	}
	return c.ConnPool.QueryContext(ctx, query, args...)
}

// QueryRowContext implements gorm.ConnPool. Where what waits cannot be written the
// transaction is aborted, and so the query refused; together says why.
func (c inOrderORM) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	_ = c.tx.send(ctx)
	return c.ConnPool.QueryRowContext(ctx, query, args...)
}
