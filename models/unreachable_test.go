package models_test

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/store"
)

func TestWhatPassesByItselfIsUnreachable(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"08006", "53300", "57P01", "57P02", "57P03", "25006", "40P01"} {
		require.True(t, store.Unreachable(fmt.Errorf("read order: %w", &pgconn.PgError{Code: code})), code)
	}
	require.True(t, store.Unreachable(fmt.Errorf("read order: %w", driver.ErrBadConn)))
	for _, code := range []string{"23505", "42P01", "22P02", "57014", "P0001"} {
		require.False(t, store.Unreachable(&pgconn.PgError{Code: code}), code)
	}
	for _, other := range []error{nil, errors.New("no such asset"), gorm.ErrRecordNotFound, store.Invalid("asset", "unknown", "unknown")} {
		require.False(t, store.Unreachable(other), "%v", other)
	}
}
