package store

import (
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// Code says what kind of refusal an Error is; api/rest/errors.go maps each to its
// HTTP status.
type Code string

// The kinds of refusal.
const (
	CodeInvalid     Code = "invalid"     // the input is wrong: 422
	CodeNotFound    Code = "not_found"   // not there, or not yours: 404
	CodeConflict    Code = "conflict"    // the state does not allow it: 409
	CodeForbidden   Code = "forbidden"   // you may not: 403
	CodeUnavailable Code = "unavailable" // not now: 503
	CodeTooMany     Code = "too_many"    // slow down: 429
)

// Error is a refusal that is shown to people. Field names its input, Reason is a stable code for programs, Message a
// sentence for people.
type Error struct {
	Code    Code
	Field   string
	Reason  string
	Message string
	// Also names further inputs that it is about.
	Also []string
	// RetryAfter is how long to wait, when that is known.
	RetryAfter time.Duration
	// Changes are what is no longer as it was seen.
	Changes []Change
}

// Change is a fact that is no longer as it was seen. An empty text is no value.
type Change struct{ Field, Was, Is string }

func (e *Error) Error() string { return e.Message }

// Invalid refuses an input field.
func Invalid(field, reason, message string) error {
	return &Error{Code: CodeInvalid, Field: field, Reason: reason, Message: message}
}

// Incomplete refuses a form for its empty fields.
func Incomplete(fields []string, message string) error {
	return &Error{Code: CodeInvalid, Field: fields[0], Also: fields[1:], Reason: "required", Message: message}
}

// NotFound says that something is not there, or not the asker's.
func NotFound(what string) error {
	return &Error{Code: CodeNotFound, Reason: "not_found", Message: what + " not found"}
}

// Conflict says that the state of things does not allow it.
func Conflict(reason, message string) error {
	return &Error{Code: CodeConflict, Reason: reason, Message: message}
}

// Changed is a Conflict about something that is no longer as it was seen.
func Changed(reason, message string, changes []Change) error {
	return &Error{Code: CodeConflict, Reason: reason, Message: message, Changes: changes}
}

// Forbidden says that this person may not.
func Forbidden(reason, message string) error {
	return &Error{Code: CodeForbidden, Reason: reason, Message: message}
}

// Unavailable says that it cannot be done at the moment.
func Unavailable(reason, message string) error {
	return &Error{Code: CodeUnavailable, Reason: reason, Message: message}
}

// TooMany refuses what was tried too often, with the time of the next try.
func TooMany(reason, message string, retryAfter time.Duration) error {
	return &Error{Code: CodeTooMany, Reason: reason, Message: message, RetryAfter: retryAfter}
}

// Minutes is a wait in whole minutes, as people read it: rounded up.
func Minutes(wait time.Duration) int { return int((wait + time.Minute - 1) / time.Minute) }

// ReasonOf gives the stable code of a refusal, or "" for any other error.
func ReasonOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

// CodeOf gives the kind of a refusal, or "" for any other error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// IsMissing reports whether a query found no row.
func IsMissing(err error) bool {
	return errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows)
}

// Violates reports whether err is Postgres refusing by the named constraint or
// unique index; an empty name matches any uniqueness.
func Violates(err error, constraint string) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	if constraint == "" {
		return pg.Code == "23505"
	}
	return pg.ConstraintName == constraint
}
