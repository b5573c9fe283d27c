package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
)

// rule is one row of Stripe's error table: the first that matches decides.
// Status 0 and an empty kind or code match anything; a code may end in *.
type rule struct {
	status     int
	kind, code string
	class      provider.Class
}

// rules is the table of providers §1.5. "Retrieve, then decide" is Unknown: the call itself
// did nothing, but an earlier one may have.
var rules = []rule{
	{429, "", "lock_timeout", provider.Retry},
	{429, "", "", provider.Retry},
	{409, "", "idempotency_key_in_use", provider.Retry},
	{409, "", "", provider.Unknown},
	{0, "idempotency_error", "", provider.Refused},
	{400, "", "payment_intent_unexpected_state", provider.Unknown},
	{400, "", "charge_already_captured", provider.Unknown},
	{400, "", "charge_already_refunded", provider.Unknown},
	{400, "", "charge_expired_for_capture", provider.Unknown},
	{400, "", "capture_charge_authorization_expired", provider.Unknown},
	{400, "", "capture_unauthorized_payment", provider.Unknown},
	{400, "", "parameter_*", provider.Refused},
	{400, "", "amount_*", provider.Refused},
	{400, "", "", provider.Refused},
	{401, "", "", provider.Refused},
	{402, "", "", provider.Refused},
	{403, "", "", provider.Refused},
	{404, "", "", provider.Refused},
	{424, "", "", provider.Unknown},
}

func (r rule) matches(e *api.Error) bool {
	if r.status != 0 && r.status != e.HTTPStatusCode {
		return false
	}
	if r.kind != "" && r.kind != string(e.Type) {
		return false
	}
	if prefix, any := strings.CutSuffix(r.code, "*"); any {
		return strings.HasPrefix(string(e.Code), prefix)
	}
	return r.code == "" || r.code == string(e.Code)
}

// classify gives the class of an answer; what no row matches, 5xx included, is Unknown.
func classify(e *api.Error) provider.Class {
	for _, r := range rules {
		if r.matches(e) {
			return r.class
		}
	}
	return provider.Unknown
}

// fail turns an error of the SDK into ours.
func (c *Client) fail(operation string, err error) error {
	var refused *api.Error
	if !errors.As(err, &refused) {
		return c.failWithoutBody(operation, err)
	}
	out := &provider.Error{
		Class:     classify(refused),
		Provider:  providerName,
		Operation: operation,
		Code:      codeOf(refused),
		Status:    refused.HTTPStatusCode,
		Detail:    provider.CleanText(refused.Msg, c.key),
	}
	if refused.DeclineCode != "" {
		out.Detail += " [" + string(refused.DeclineCode) + "]"
	}
	if refused.LastResponse != nil {
		out.RetryAfter = provider.RetryAfter(refused.LastResponse.Header)
	}
	return out
}

// failWithoutBody is for answers that are not Stripe's own JSON, and for none.
func (c *Client) failWithoutBody(operation string, err error) error {
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &shape) {
		return c.unreadable(operation, "the answer is not Stripe's JSON")
	}
	out := provider.TransportError(providerName, operation, err)
	out.Detail = provider.CleanText(out.Detail, c.key)
	return out
}

// unreadable is for an answer that arrived and makes no sense.
func (c *Client) unreadable(operation, format string, args ...any) error {
	return &provider.Error{
		Class: provider.Unknown, Provider: providerName, Operation: operation,
		Code: "unreadable_answer", Detail: provider.CleanText(fmt.Sprintf(format, args...), c.key),
	}
}

// readFailure is fail for lookups, in which 404 only means that the object does not exist.
func (c *Client) readFailure(operation string, err error) error {
	var refused *api.Error
	if errors.As(err, &refused) && refused.HTTPStatusCode == 404 {
		return provider.ErrNotFound
	}
	return c.fail(operation, err)
}

func codeOf(e *api.Error) string {
	switch {
	case e.HTTPStatusCode == 401 || e.HTTPStatusCode == 403:
		return "unauthorised"
	case e.Code != "":
		return string(e.Code)
	case e.Type != "":
		return string(e.Type)
	}
	return fmt.Sprintf("http_%d", e.HTTPStatusCode)
}
