// Package migrations holds the schema of the database, one file a step. They are
// applied in the order of their numbers, each once.
package migrations

import (
	"embed"
	"regexp"
	"strings"
)

// Files are the steps.
//
//go:embed *.sql
var Files embed.FS

var comment = regexp.MustCompile(`(?m)^\s*--.*$`)

// Reversible reports whether the text of a step has a way down that does anything.
func Reversible(text string) bool {
	_, down, _ := strings.Cut(text, "-- +goose Down")
	down = strings.TrimSpace(comment.ReplaceAllString(down, ""))
	return down != "" && down != "SELECT 1;"
}
