//go:build !failpoints

package store

import "github.com/jackc/pgx/v5/pgxpool"

// failpoints does nothing here: builds with the tag "failpoints" can be stopped
// at a transaction (docs/testing.md).
func failpoints(*pgxpool.Config) {}
