package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/store"
)

// Class is what an activity's error means for the step that ran it. It is the type of the
// error in histories; the code is its message, and the error contains nothing else.
type Class string

// The classes.
const (
	// Refused: definitely not done, and trying again gives the same answer.
	Refused Class = "refused"
	// Retry: definitely not done, worth trying again.
	Retry Class = "retry"
	// Unknown: perhaps done. The next attempt looks up before it sends.
	Unknown Class = "unknown"
	// NotYet: nothing is wrong, there is only no news. It is no failed attempt.
	NotYet Class = "not_yet"
	// Conflict: the order's row does not allow it (any more).
	Conflict Class = "conflict"
	// Storage: our own database did not answer.
	Storage Class = "storage"
)

// treatment is what Temporal does about an error of a class.
type treatment struct {
	again  bool // retry, within the step's budget
	benign bool // no failure: neither counted nor reported
}

// treatments is the one table of how an activity's error is handled.
var treatments = map[Class]treatment{
	Refused:  {again: false},
	Retry:    {again: true},
	Unknown:  {again: true},
	NotYet:   {again: true, benign: true},
	Conflict: {again: false},
	Storage:  {again: true},
}

// Failure is an error as it may be shown outside staff.
type Failure struct {
	Class Class
	Code  string
	// Detail is the provider's text, cleaned, for the order's row and the log.
	Detail string
	// After is the delay the provider asked for; zero without one.
	After time.Duration
}

// Failed sorts any error of an activity into its class.
func Failed(err error) Failure {
	var said *provider.Error
	var refused *store.Error
	var made *temporal.ApplicationError
	switch {
	case errors.As(err, &made):
		return Failure{Class: Class(made.Type()), Code: made.Message(), After: made.NextRetryDelay()}
	case errors.As(err, &said):
		return Failure{Class: Class(said.Class), Code: said.Code, Detail: said.Detail, After: said.RetryAfter}
	case errors.Is(err, provider.ErrNotFound):
		return Failure{Class: Unknown, Code: "not_found_there"}
	case errors.As(err, &refused):
		return Failure{Class: Conflict, Code: refused.Reason, Detail: refused.Message}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Failure{Class: Unknown, Code: "interrupted"}
	}
	return Failure{Class: Storage, Code: "database", Detail: provider.CleanText(err.Error())}
}

// Error makes the error that Temporal sees: class and code, and whether to try
// again.
func (f Failure) Error() error {
	how, known := treatments[f.Class]
	if !known {
		how = treatment{again: true}
	}
	category := temporal.ApplicationErrorCategoryUnspecified
	if how.benign {
		category = temporal.ApplicationErrorCategoryBenign
	}
	return temporal.NewApplicationErrorWithOptions(f.Code, string(f.Class), temporal.ApplicationErrorOptions{
		NonRetryable: !how.again, NextRetryDelay: f.After, Category: category})
}

// notYet is the result of a poll that found no change.
func notYet(code string) error { return Failure{Class: NotYet, Code: code}.Error() }
