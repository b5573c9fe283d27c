package bitgo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/tradepost/tradepost/internal/provider"
)

// rule is one row of BitGo's error table: the first that matches decides. Words are
// searched for, in lower case, in the error's name and text; a row without words matches
// any.
type rule struct {
	status int
	words  string
	class  provider.Class
	code   string
}

// rules is the table of providers §3.6. How a repeated sequence id is refused is not
// documented, so a 400 is a refusal only when it plainly is one of those below.
var rules = []rule{
	{400, "sequenceid", provider.Unknown, "duplicate"},
	{400, "sequence id", provider.Unknown, "duplicate"},
	{400, "invalid address", provider.Refused, "invalid_address"},
	{400, "invalidaddress", provider.Refused, "invalid_address"},
	{400, "invalid amount", provider.Refused, "invalid_amount"},
	{400, "invalidamount", provider.Refused, "invalid_amount"},
	{400, "invalidwalletid", provider.Refused, "invalid_wallet"},
	{400, "insufficient funds", provider.Refused, "insufficient_funds"},
	{400, "insufficient balance", provider.Refused, "insufficient_funds"},
	{400, "insufficient_funds", provider.Refused, "insufficient_funds"},
	{400, "insufficientfunds", provider.Refused, "insufficient_funds"},
	{400, "insufficientbalance", provider.Refused, "insufficient_funds"},
	{400, "", provider.Unknown, "bad_request"},
	{401, "", provider.Refused, "unauthorised"},
	{403, "", provider.Refused, "unauthorised"},
	{404, "", provider.Refused, "not_found"},
	{409, "", provider.Unknown, "duplicate"},
	{429, "", provider.Retry, "rate_limited"},
}

// errorBody is BitGo's own error, with or without Express's wrapping.
type errorBody struct {
	Error   string `json:"error"`
	Name    string `json:"name"`
	Message string `json:"message"`
}

// classify finds the row; what no row matches, 5xx included, is Unknown. Express answers
// 500 for its own failures too, after which BitGo may have the send.
func classify(status int, text string) (provider.Class, string) {
	text = strings.ToLower(text)
	for _, r := range rules {
		if r.status == status && strings.Contains(text, r.words) {
			return r.class, r.code
		}
	}
	return provider.Unknown, fmt.Sprintf("http_%d", status)
}

// fail turns an answer other than 200 and 202 into an error.
func (c *Client) fail(operation string, response *http.Response, raw []byte) error {
	var body errorBody
	text := string(raw)
	if json.Unmarshal(raw, &body) == nil {
		if body.Message == body.Error {
			body.Message = "" // BitGo often repeats a text
		}
		text = strings.Join(strings.Fields(body.Name+" "+body.Error+" "+body.Message), " ")
	}
	class, code := classify(response.StatusCode, text)
	return &provider.Error{
		Class: class, Provider: providerName, Operation: operation, Code: code, Status: response.StatusCode,
		Detail:     c.clean(text),
		RetryAfter: provider.RetryAfter(response.Header),
	}
}

// lost is for requests that got no whole answer.
func (c *Client) lost(operation string, err error) error {
	e := provider.TransportError(providerName, operation, err)
	e.Detail = c.clean(e.Detail)
	return e
}

func (c *Client) unreadable(operation, detail string) error {
	return &provider.Error{
		Class: provider.Unknown, Provider: providerName, Operation: operation,
		Code: "unreadable_answer", Detail: detail,
	}
}

func refuse(operation, code, detail string) error {
	return &provider.Error{
		Class: provider.Refused, Provider: providerName, Operation: operation, Code: code, Detail: detail,
	}
}

func (c *Client) clean(text string) string {
	return provider.CleanText(text, c.config.Token, c.config.Passphrase)
}
