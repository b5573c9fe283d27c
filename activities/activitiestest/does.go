// Package activitiestest lets the adapters' tests state how an activity classifies each row
// of their error tables.
package activitiestest

import (
	"errors"
	"testing"

	"go.temporal.io/sdk/temporal"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/provider"
)

// What an activity does about a provider's error.
const (
	Refuses   = "refuses: the step ends and a person is told"
	SendAgain = "waits and sends again under the same identity"
	ReadsBack = "waits and looks up by our identity before it sends again"
)

// does is the meaning of each class.
var does = map[activities.Class]string{activities.Refused: Refuses, activities.Retry: SendAgain, activities.Unknown: ReadsBack}

// Does returns what an activity does with the error. Only class and code may leave the
// activity, with the delay that the provider asked for.
func Does(t testing.TB, err error) string {
	t.Helper()
	var said *provider.Error
	if !errors.As(err, &said) {
		t.Errorf("%v is no error of a provider", err)
		return ""
	}
	var made *temporal.ApplicationError
	if !errors.As(activities.Failed(err).Error(), &made) {
		t.Errorf("%v does not reach Temporal", err)
		return ""
	}
	what := does[activities.Class(made.Type())]
	if made.NonRetryable() != (what == Refuses) {
		t.Errorf("%v: %s, yet final is %t", err, what, made.NonRetryable())
	}
	if made.Message() != said.Code || made.Category() == temporal.ApplicationErrorCategoryBenign || made.NextRetryDelay() != said.RetryAfter {
		t.Errorf("%v becomes %q, %v after %v", err, made.Message(), made.Category(), made.NextRetryDelay())
	}
	return what
}
