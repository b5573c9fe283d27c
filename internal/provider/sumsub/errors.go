package sumsub

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tradepost/tradepost/internal/provider"
)

// rule is one row of Sumsub's error table.
type rule struct {
	class provider.Class
	code  string
}

// rules is the table of providers §4.3. Whatever is not plainly refused may be repeated,
// since every call here has the same effect once and twice.
var rules = map[int]rule{
	http.StatusBadRequest:      {provider.Refused, "bad_request"},
	http.StatusUnauthorized:    {provider.Refused, "unauthorised"},
	http.StatusForbidden:       {provider.Refused, "unauthorised"},
	http.StatusNotFound:        {provider.Refused, codeNotFound},
	http.StatusConflict:        {provider.Retry, "exists"},
	http.StatusTooManyRequests: {provider.Retry, "rate_limited"},
}

const codeNotFound = "not_found"

// fail turns an answer other than 2xx into an error.
func (c *Client) fail(operation string, response *http.Response, raw []byte) error {
	r, known := rules[response.StatusCode]
	if !known {
		r = rule{provider.Retry, fmt.Sprintf("http_%d", response.StatusCode)}
	}
	var body struct {
		Description string `json:"description"`
		ErrorName   string `json:"errorName"`
	}
	text := string(raw)
	if json.Unmarshal(raw, &body) == nil {
		text = body.Description
		if body.ErrorName != "" {
			text += " [" + body.ErrorName + "]"
		}
	}
	return &provider.Error{
		Class: r.class, Provider: providerName, Operation: operation, Code: r.code, Status: response.StatusCode,
		Detail: c.clean(text), RetryAfter: provider.RetryAfter(response.Header),
	}
}

// lost is for requests that got no whole answer: they may be sent again, except
// to a host that redirects, which is not Sumsub.
func (c *Client) lost(operation string, err error) error {
	e := provider.TransportError(providerName, operation, err)
	e.Detail = c.clean(e.Detail)
	if e.Code != "redirected" {
		e.Class = provider.Retry
	}
	return e
}

func retry(operation, code, detail string) error {
	return &provider.Error{
		Class: provider.Retry, Provider: providerName, Operation: operation, Code: code, Detail: detail,
	}
}

func (c *Client) clean(text string) string {
	return provider.CleanText(text, c.config.AppToken, c.config.Secret)
}
