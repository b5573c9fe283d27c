package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// rowByID reads one row of T's table; NotFound of what it is called when there is
// none.
func rowByID[T any](ctx context.Context, db *DB, id, called string) (*T, error) {
	if uuid.Validate(id) != nil {
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

// lockedRow reads one row of a table for a change, and the database's time with
// it. The lock lasts as long as the transaction.
func lockedRow[T any](ctx context.Context, tx *DB, table, id, called string) (*T, time.Time, error) {
	if uuid.Validate(id) != nil {
		return nil, time.Time{}, NotFound(called)
	}
	var row struct {
		Row   T         `gorm:"embedded"`
		DBNow time.Time `gorm:"column:db_now"`
	}
	result := tx.orm(ctx).Raw("SELECT *, clock_now() AS db_now FROM "+table+" WHERE id = ? FOR UPDATE", id).Scan(&row)
	if result.Error != nil {
		return nil, time.Time{}, fmt.Errorf("read %s: %w", strings.ToLower(called), result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, time.Time{}, NotFound(called)
	}
	return &row.Row, row.DBNow, nil
}
