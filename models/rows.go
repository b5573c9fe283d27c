package models

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

// IsID reports whether a text is an id as we write them. Postgres finds a row by
// other spellings too, with capitals or in braces; who is compared with somebody
// else by text must have one alone, or they are not found to be the same.
func IsID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}

// rowByID reads one row of T's table; NotFound of what it is called when there is
// none.
func rowByID[T any](ctx context.Context, db *DB, id, called string) (*T, error) {
	if !IsID(id) {
		return nil, NotFound(called)
	}
	var row T
	if err := db.orm(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		if isMissing(err) {
			return nil, NotFound(called)
		}
		return nil, fmt.Errorf("read %s: %w", strings.ToLower(called), err)
	}
	return &row, nil
}

// found reads the rows that a query, written by GORM, asks for. Of what a long list
// costs, half is GORM's way of reading rows (docs/performance.md).
func found[T any](ctx context.Context, db *DB, query *gorm.DB) ([]T, error) {
	var rows []T
	asked := query.Session(&gorm.Session{DryRun: true, QueryFields: true}).Find(&rows).Statement
	if asked.Error != nil {
		return nil, asked.Error
	}
	return rowsOf[T](ctx, db, asked.SQL.String(), asked.Vars...)
}

// rowsOf reads rows, with $1, $2, … A column goes to the field of its name, so a
// query names its columns: the next release may have more of them.
func rowsOf[T any](ctx context.Context, db *DB, query string, args ...any) ([]T, error) {
	rows, err := db.direct().Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
}

// locked is the query of one row of a table that is to be changed, with the time
// once it is locked as db_now: clock_now() is when the transaction began, and what
// others wrote while this one waited for the lock must not be later than what it
// writes.
func locked(table, condition string) string {
	return "WITH locked AS (SELECT * FROM " + table + " WHERE " + condition + " FOR UPDATE) SELECT *, clock_timestamp() + (SELECT ahead FROM clock) AS db_now FROM locked"
}

// lockedRow reads one row of a table for a change, and the database's time with
// it. The lock lasts as long as the transaction.
func lockedRow[T any](ctx context.Context, tx *DB, table, id, called string) (*T, time.Time, error) {
	if !IsID(id) {
		return nil, time.Time{}, NotFound(called)
	}
	row, now, err := oneLocked[T](ctx, tx, locked(table, "id = $1"), id)
	if isMissing(err) {
		return nil, time.Time{}, NotFound(called)
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read %s: %w", strings.ToLower(called), err)
	}
	return row, now, nil
}

// oneLocked reads what locked asks for. A column that is no field of T's is not
// read: the next release may have more of them.
func oneLocked[T any](ctx context.Context, tx *DB, query string, args ...any) (row *T, now time.Time, err error) {
	row = new(T)
	into, err := tx.columnsOf(ctx, row)
	if err != nil {
		return nil, now, err
	}
	rows, err := tx.direct().Query(ctx, query, args...)
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

// columnsOf gives the fields of a row by the names of their columns, to read into.
func (db *DB) columnsOf(ctx context.Context, row any) (func(column string) any, error) {
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

// storeChanged writes what differs between a customer's row as it was read and as
// it is now, if it is still theirs and has the status it was read with; moved refuses
// when it is not. A row in which nothing differs is not written at all: what is about
// it lies in other tables. A field behind a pointer, or a list, is replaced and not
// written into, or it would differ from nothing.
func storeChanged[T any](ctx context.Context, tx *DB, was, is *T, now time.Time, moved error, fails func(error) error) error {
	rows, values, err := changedColumns(ctx, tx, was, is)
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
	return tx.laterORM(ctx, write{table: rows.Table, one: moved, fails: fails}, func(orm *gorm.DB) *gorm.DB {
		return orm.Model(new(T)).Where("id = ? AND user_id = ? AND status = ?", id, owner, status).Updates(values)
	})
}

// saveChanged writes what differs between a row as it was read, under a lock that
// this transaction holds, and as it is now. fails says what an error means.
func saveChanged[T any](ctx context.Context, tx *DB, was, is *T, fails func(error) error) error {
	rows, values, err := changedColumns(ctx, tx, was, is)
	if err != nil || len(values) == 0 {
		return err
	}
	err = tx.laterORM(ctx, write{table: rows.Table, fails: fails}, func(orm *gorm.DB) *gorm.DB { return orm.Model(is).Updates(values) })
	if err != nil {
		return fmt.Errorf("store %T: %w", is, err)
	}
	return nil
}

// means is what an error of Postgres means where it is of a constraint.
func means(constraint string, refusal error) func(error) error {
	return func(err error) error {
		if violates(err, constraint) {
			return refusal
		}
		return nil
	}
}

// changedColumns are the columns in which two states of one row differ, with what
// they are now, and what such rows are made of.
func changedColumns[T any](ctx context.Context, tx *DB, was, is *T) (*schema.Schema, map[string]any, error) {
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
