package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/models/store"
)

// Problem is every error body: specification §8's message beside RFC 9457's fields.
type Problem struct {
	Message string       `json:"message" prose:"yes" doc:"a sentence for people"`
	Code    string       `json:"code" doc:"a stable word for programs"`
	Field   string       `json:"field,omitempty" doc:"the input it is about"`
	Type    string       `json:"type" doc:"RFC 9457"`
	Title   string       `json:"title"`
	Status  int          `json:"status"`
	Detail  string       `json:"detail" prose:"yes"`
	Errors  []FieldError `json:"errors,omitempty"`
	// Changes are what is no longer as it was seen.
	Changes []ChangedFact `json:"changes,omitempty" doc:"what changed since the approved version was shown"`
	// Pricing is the new price when the old one was refused.
	Pricing *Pricing `json:"pricing,omitempty" doc:"the price in force, when a quote was refused"`
	// Requote is the new one when the old one was refused.
	Requote *Requote `json:"requote,omitempty" doc:"what the money that came buys now, when a requote was refused"`

	retryAfter time.Duration
}

// FieldError is the error of one field.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message" prose:"yes"`
	Code    string `json:"code"`
}

// ChangedFact is a fact that is no longer as it was seen.
type ChangedFact struct {
	Field string `json:"field" doc:"the fact's name in the approval"`
	Was   string `json:"was" doc:"empty where it had no value"`
	Is    string `json:"is" doc:"empty where it has no value"`
}

// Error implements error.
func (p *Problem) Error() string { return p.Message }

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders implements huma.HeadersError: 429 and 503 state when to retry.
func (p *Problem) GetHeaders() http.Header {
	header := http.Header{}
	if p.retryAfter > 0 {
		seconds := int((p.retryAfter + time.Second - 1) / time.Second)
		header.Set("Retry-After", strconv.Itoa(seconds))
	}
	return header
}

// NewProblem makes an error body: its status, a stable code for programs and a message for
// people.
func NewProblem(status int, code, message string) *Problem {
	p := &Problem{Message: message, Code: code, Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: message}
	if status == http.StatusServiceUnavailable {
		p.retryAfter = comeBack
	}
	return p
}

// comeBack is after how long a client that received 503 may retry: a database's restart
// lasts about as long.
const comeBack = 5 * time.Second

// FieldProblem is an input that is refused, with a stable code for programs and a message
// for people.
func FieldProblem(field, code, message string) *Problem {
	return NewProblem(http.StatusUnprocessableEntity, code, message).about(field)
}

// about names the input that a problem is about, and further ones.
func (p *Problem) about(field string, also ...string) *Problem {
	p.Field = field
	for _, name := range append([]string{field}, also...) {
		p.Errors = append(p.Errors, FieldError{Field: name, Message: p.Message, Code: p.Code})
	}
	return p
}

// NotFound is the answer about what is not there, or is not one's own.
func NotFound() *Problem { return NewProblem(http.StatusNotFound, "not_found", "Not Found") }

func unauthorised() *Problem {
	return NewProblem(http.StatusUnauthorized, "unauthorized", "Unauthorized")
}

// statusOf is the one table from a refusal's kind to its HTTP status.
var statusOf = map[store.Code]int{
	store.CodeInvalid:     http.StatusUnprocessableEntity,
	store.CodeNotFound:    http.StatusNotFound,
	store.CodeConflict:    http.StatusConflict,
	store.CodeForbidden:   http.StatusForbidden,
	store.CodeUnavailable: http.StatusServiceUnavailable,
	store.CodeTooMany:     http.StatusTooManyRequests,
}

// statusClientLeft is nginx's 499: the client closed its request, which is no fault of the
// server, and counts as none.
const statusClientLeft = 499

// unavailable is the answer while something that stores is away.
func unavailable() *Problem {
	return NewProblem(http.StatusServiceUnavailable, "unavailable", "We can't do this right now. Try again in a few seconds.")
}

// AsProblem turns any error of a handler into the response body. An error that is no
// deliberate refusal is logged, and the client receives "internal" alone.
func AsProblem(ctx context.Context, err error) *Problem {
	var own *Problem
	if errors.As(err, &own) {
		return own
	}
	var refusal *store.Error
	if errors.As(err, &refusal) {
		status, known := statusOf[refusal.Code]
		if !known {
			status = http.StatusInternalServerError
		}
		p := NewProblem(status, refusal.Reason, refusal.Message)
		p.retryAfter = max(p.retryAfter, refusal.RetryAfter)
		for _, c := range refusal.Changes {
			p.Changes = append(p.Changes, ChangedFact(c))
		}
		if refusal.Field != "" {
			return p.about(refusal.Field, refusal.Also...)
		}
		return p
	}
	if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.Canceled) {
		return NewProblem(statusClientLeft, "unavailable", "This took too long. Try again.")
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return NewProblem(http.StatusServiceUnavailable, "unavailable", "This took too long. Try again.")
	}
	if store.Unreachable(err) {
		slog.WarnContext(ctx, "the database is away", failed(ctx, err)...)
		return unavailable()
	}
	slog.ErrorContext(ctx, "request failed", failed(ctx, err)...)
	return NewProblem(http.StatusInternalServerError, "internal", "Something went wrong. Try again.")
}

// failed returns the attributes of the line about a request that failed. The handler of the log adds the trace's id.
func failed(ctx context.Context, err error) []any {
	r := RequestOf(ctx)
	line := []any{"route", r.route, "request_id", r.id, "error", err}
	if r.In != nil {
		line = append([]any{"method", r.In.Method}, line...)
	}
	return line
}

// validationProblem is what huma makes its own errors with (validation, body limits).
func validationProblem(status int, message string, errs ...error) huma.StatusError {
	code := map[int]string{
		http.StatusBadRequest:            "bad_request",
		http.StatusRequestEntityTooLarge: "too_large",
		http.StatusUnsupportedMediaType:  "unsupported_media_type",
		http.StatusUnprocessableEntity:   "invalid",
	}[status]
	if code == "" {
		code = strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
	}
	if status == http.StatusRequestEntityTooLarge {
		message = "This request is too large"
	}
	p := NewProblem(status, code, message)
	for _, err := range errs {
		var detail huma.ErrorDetailer
		switch {
		case err == nil:
		case errors.As(err, &detail):
			d := detail.ErrorDetail()
			if status == http.StatusBadRequest && d.Location == "body" { // a body that does not decode
				p.Status, p.Title, p.Code = http.StatusUnprocessableEntity, http.StatusText(http.StatusUnprocessableEntity), "invalid"
			}
			p.Errors = append(p.Errors, wrongWith(d))
		default:
			p.Errors = append(p.Errors, FieldError{Message: err.Error(), Code: "invalid"})
		}
	}
	if len(p.Errors) > 0 {
		first := p.Errors[0]
		p.Field, p.Message = first.Field, first.Message
		if first.Field != "" {
			p.Message = first.named()
		}
		p.Detail = p.Message
	}
	return p
}

// wrongWith converts huma's error of one field.
func wrongWith(d *huma.ErrorDetail) FieldError {
	said := FieldError{Field: fieldOf(d.Location), Message: d.Message, Code: "invalid"}
	if name, is := strings.CutSuffix(d.Message, notText); is {
		said.Field, said.Message = name, strings.TrimSpace(notText)
	}
	if name, is := absent(d.Message); is {
		said.Field, said.Message = strings.TrimPrefix(said.Field+"."+name, "."), "is missing"
	}
	return said
}

// absent is the field that huma reports as missing: its error locates only the object that
// lacks the field.
func absent(message string) (field string, is bool) {
	if field, is = strings.CutPrefix(message, "expected required property "); !is {
		return "", false
	}
	return strings.CutSuffix(field, " to be present")
}

// fieldOf makes "destAddress" of huma's "body.destAddress".
func fieldOf(location string) string {
	_, field, found := strings.Cut(location, ".")
	if !found && location != "body" { // a form's file is named by its field, and its position among several
		field, _, _ = strings.Cut(location, "[")
	}
	return field
}

// Requote is how much coin the money that came for an order buys today.
type Requote struct {
	QuoteID          string        `json:"quoteId"`
	ExpiresAt        time.Time     `json:"expiresAt"`
	ExpiresInSeconds int           `json:"expiresInSeconds" doc:"for a countdown that trusts no clock but the server's"`
	Asset            string        `json:"asset"`
	AmountAsset      string        `json:"amountAsset"`
	UnitPrice        string        `json:"unitPrice"`
	Received         string        `json:"received" doc:"US dollars that came and are not allocated"`
	Total            string        `json:"total"`
	Credit           string        `json:"credit" doc:"what is left over, to the balance"`
	Lines            []PricingLine `json:"lines"`
}

// Pricing is a quote: the specification's four amounts and what we add.
type Pricing struct {
	BasePrice        string        `json:"basePrice"`
	PaymentMethodFee string        `json:"paymentMethodFee"`
	VolumeDiscount   string        `json:"volumeDiscount"`
	Total            string        `json:"total"`
	QuoteID          string        `json:"quoteId"`
	ExpiresAt        time.Time     `json:"expiresAt"`
	ExpiresInSeconds int           `json:"expiresInSeconds" doc:"for a countdown that trusts no clock but the server's"`
	Network          string        `json:"network"`
	AddressError     *FieldError   `json:"addressError,omitempty" doc:"what is wrong with destAddress"`
	UnitPrice        string        `json:"unitPrice"`
	Lines            []PricingLine `json:"lines"`
	Notes            []string      `json:"notes" prose:"yes" doc:"such as: the network fee is included"`
}

// PricingLine is one line of a quote.
type PricingLine struct {
	Code   string `json:"code" enum:"base,payment_fee,volume_discount,network_fee,total"`
	Label  string `json:"label" prose:"yes"`
	Amount string `json:"amount"`
}
