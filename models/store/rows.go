package store

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/lib/pq"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// IsID reports whether a text is an id as we write them. Postgres finds a row by other spellings too, with capitals
// or in braces; an id that is compared as text needs one spelling, or equal ids differ.
func IsID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}

// RowByID reads one row of T's table; NotFound of what it is called when there is
// none.
func RowByID[T any](ctx context.Context, db *DB, id, called string) (*T, error) {
	if !IsID(id) {
		return nil, NotFound(called)
	}
	var row T
	if err := db.ORM(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		if IsMissing(err) {
			return nil, NotFound(called)
		}
		return nil, fmt.Errorf("read %s: %w", strings.ToLower(called), err)
	}
	return &row, nil
}

// Found reads the rows of a query written by GORM. GORM's way of reading rows is half of a long list's cost
// (docs/performance.md).
func Found[T any](ctx context.Context, db *DB, query *gorm.DB) ([]T, error) {
	var rows []T
	asked := query.Session(&gorm.Session{DryRun: true, QueryFields: true}).Find(&rows).Statement
	if asked.Error != nil {
		return nil, asked.Error
	}
	return RowsOf[T](ctx, db, asked.SQL.String(), asked.Vars...)
}

// RowsOf reads rows, with $1, $2, … A column is read into the field of its name, so a query names its columns: the
// next release may add some.
func RowsOf[T any](ctx context.Context, db *DB, query string, args ...any) ([]T, error) {
	rows, err := db.Direct().Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
}

// Locked is the query of one row of a table that is to be changed, with the time
// once it is locked as db_now: clock_now() is when the transaction began, and what
// others wrote while this one waited for the lock must not be later than what it
// writes.
func Locked(table, condition string) string {
	return "WITH locked AS (SELECT * FROM " + table + " WHERE " + condition + " FOR UPDATE) SELECT *, clock_timestamp() + (SELECT ahead FROM clock) AS db_now FROM locked"
}

// LockedRow reads one row of a table for a change, and the database's time with
// it. The lock lasts as long as the transaction.
func LockedRow[T any](ctx context.Context, tx *DB, table, id, called string) (*T, time.Time, error) {
	if !IsID(id) {
		return nil, time.Time{}, NotFound(called)
	}
	row, now, err := OneLocked[T](ctx, tx, Locked(table, "id = $1"), id)
	if IsMissing(err) {
		return nil, time.Time{}, NotFound(called)
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read %s: %w", strings.ToLower(called), err)
	}
	return row, now, nil
}

// OneLocked reads the row of locked. A column that is no field of T's is not read: the next release may have more of
// them.
func OneLocked[T any](ctx context.Context, tx *DB, query string, args ...any) (row *T, now time.Time, err error) {
	row = new(T)
	into, err := tx.ColumnsOf(ctx, row)
	if err != nil {
		return nil, now, err
	}
	rows, err := tx.Direct().Query(ctx, query, args...)
	if err != nil {
		return nil, now, err
	}
	_, err = pgx.CollectExactlyOneRow(rows, func(r pgx.CollectableRow) (bool, error) {
		fields := make([]any, len(r.FieldDescriptions()))
		for i, column := range r.FieldDescriptions() {
			if fields[i] = into(column.Name); column.Name == "db_now" {
				fields[i] = &now
			}
		}
		return true, r.Scan(fields...)
	})
	return row, now, err
}

// ColumnsOf gives the fields of a row by the names of their columns, to read into.
func (db *DB) ColumnsOf(ctx context.Context, row any) (func(column string) any, error) {
	made := &gorm.Statement{DB: db.gorm}
	if err := made.Parse(row); err != nil {
		return nil, fmt.Errorf("read what %T is made of: %w", row, err)
	}
	return func(column string) any {
		field := made.Schema.LookUpField(column)
		if field == nil {
			return nil
		}
		return wired(field.ReflectValueOf(ctx, reflect.ValueOf(row).Elem()).Addr().Interface())
	}, nil
}

// wired is a field as pgx reads into it: a list of texts that GORM needs pq for is
// one to pgx as it is.
func wired(field any) any {
	if texts, is := field.(*pq.StringArray); is {
		return (*[]string)(texts)
	}
	return field
}

// StoreChanged writes the columns in which a customer's row differs from how it was read, if it is still theirs and
// has the status it was read with; otherwise moved refuses. An unchanged row is not written, and a field behind a
// pointer, or a list, has to be replaced, since a change inside it shows no difference.
func StoreChanged[T any](ctx context.Context, tx *DB, was, is *T, now time.Time, moved error, fails func(error) error) error {
	rows, values, err := ChangedColumns(ctx, tx, was, is)
	if err != nil || len(values) == 0 {
		return err
	}
	before, after := reflect.ValueOf(was).Elem(), reflect.ValueOf(is).Elem()
	values["updated_at"] = now
	if err := rows.LookUpField("updated_at").Set(ctx, after, now); err != nil {
		return err
	}
	id, _ := rows.LookUpField("id").ValueOf(ctx, before)
	status, _ := rows.LookUpField("status").ValueOf(ctx, before)
	owner, _ := rows.LookUpField("user_id").ValueOf(ctx, before)
	return tx.LaterORM(ctx, Write{Table: rows.Table, One: moved, Fails: fails}, func(orm *gorm.DB) *gorm.DB {
		return orm.Model(new(T)).Where("id = ? AND user_id = ? AND status = ?", id, owner, status).Updates(values)
	})
}

// SaveChanged writes what differs between a row as it was read, under a lock that
// this transaction holds, and as it is now. fails says what an error means.
func SaveChanged[T any](ctx context.Context, tx *DB, was, is *T, fails func(error) error) error {
	rows, values, err := ChangedColumns(ctx, tx, was, is)
	if err != nil || len(values) == 0 {
		return err
	}
	err = tx.LaterORM(ctx, Write{Table: rows.Table, Fails: fails}, func(orm *gorm.DB) *gorm.DB { return orm.Model(is).Updates(values) })
	if err != nil {
		return fmt.Errorf("store %T: %w", is, err)
	}
	return nil
}

// Means is what an error of Postgres means where it is of a constraint.
func Means(constraint string, refusal error) func(error) error {
	return func(err error) error {
		if Violates(err, constraint) {
			return refusal
		}
		return nil
	}
}

// ChangedColumns are the columns in which two states of one row differ, with what
// they are now, and what such rows are made of.
func ChangedColumns[T any](ctx context.Context, tx *DB, was, is *T) (*schema.Schema, map[string]any, error) {
	statement := &gorm.Statement{DB: tx.gorm}
	if err := statement.Parse(is); err != nil {
		return nil, nil, fmt.Errorf("read what %T is made of: %w", is, err)
	}
	before, after := reflect.ValueOf(was).Elem(), reflect.ValueOf(is).Elem()
	values := map[string]any{}
	for _, field := range statement.Schema.Fields {
		then, _ := field.ValueOf(ctx, before)
		value, _ := field.ValueOf(ctx, after)
		if field.DBName != "" && !reflect.DeepEqual(then, value) {
			values[field.DBName] = value
		}
	}
	return statement.Schema, values, nil
}

// Changed runs a statement that changes rows, and gives the ids that it returns.
func (db *DB) Changed(ctx context.Context, query string, args ...any) (ids []string, err error) {
	err = db.ORM(ctx).Raw(query, args...).Scan(&ids).Error
	return ids, err
}
