package stripe

import (
	"fmt"
	"net/http"
)

// apiError is an answer Stripe refuses with. Unstored ones are not kept under an
// idempotency key: the call never began to execute.
type apiError struct {
	status   int
	unstored bool
	absent   string // the id of the object that is not there
	body     problem
}

// problem is the error object of an answer.
type problem struct {
	Charge        string `json:"charge,omitempty"`
	Code          string `json:"code,omitempty"`
	DeclineCode   string `json:"decline_code,omitempty"`
	DocURL        string `json:"doc_url,omitempty"`
	Message       string `json:"message"`
	Param         string `json:"param,omitempty"`
	PaymentIntent any    `json:"payment_intent,omitempty"`
	PaymentMethod any    `json:"payment_method,omitempty"`
	RequestLogURL string `json:"request_log_url,omitempty"`
	AdviceCode    string `json:"advice_code,omitempty"`
	NetworkCode   string `json:"network_decline_code,omitempty"`
	Type          string `json:"type"`
}

// cardProblem is a problem as last_payment_error holds it.
type cardProblem struct {
	Charge        string `json:"charge,omitempty"`
	Code          string `json:"code"`
	DeclineCode   string `json:"decline_code,omitempty"`
	DocURL        string `json:"doc_url"`
	Message       string `json:"message"`
	PaymentMethod any    `json:"payment_method"`
	Type          string `json:"type"`
}

func (e *apiError) Error() string { return e.body.Code + ": " + e.body.Message }

func docURL(code string) string {
	if code == "" {
		return ""
	}
	return "https://stripe.com/docs/error-codes/" + code
}

func refuse(status int, kind, code, param, format string, args ...any) *apiError {
	return &apiError{status: status, body: problem{Type: kind, Code: code, Param: param, DocURL: docURL(code), Message: fmt.Sprintf(format, args...)}}
}

// invalid is a parameter that failed validation up front.
func invalid(code, param, format string, args ...any) *apiError {
	e := refuse(http.StatusBadRequest, "invalid_request_error", code, param, format, args...)
	e.unstored = true
	return e
}

// unfit is a request that is well-formed and impossible in the object's state.
func unfit(code, format string, args ...any) *apiError {
	return refuse(http.StatusBadRequest, "invalid_request_error", code, "", format, args...)
}

// missing is for an object that is not there: 404 when it is the path's, which perform
// distinguishes from one that a parameter names.
func missing(param, kind, id string) *apiError {
	e := refuse(http.StatusNotFound, "invalid_request_error", "resource_missing", param, "No such %s: '%s'", kind, id)
	e.unstored, e.absent = true, id
	return e
}

func internal() *apiError {
	return refuse(http.StatusInternalServerError, "api_error", "", "", "An error occurred on our side. (Sandbox: an injected fault.)")
}

func limited(code string) *apiError {
	message := "Request rate limit exceeded. (Sandbox: an injected fault.)"
	if code == "lock_timeout" {
		message = "This object cannot be accessed right now because another API request or Stripe process is currently accessing it."
	}
	return refuse(http.StatusTooManyRequests, "invalid_request_error", code, "", "%s", message)
}
