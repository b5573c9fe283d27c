// Package migrations holds the schema of the database, one file a step. They are
// applied in the order of their numbers, each once.
package migrations

import "embed"

// Files are the steps.
//
//go:embed *.sql
var Files embed.FS
