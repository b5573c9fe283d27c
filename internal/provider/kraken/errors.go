package kraken

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
)

// rule is one row of Kraken's error table: the first whose text the error begins with
// decides (regardless of case).
type rule struct {
	prefix string
	class  provider.Class
	code   string
	wait   time.Duration
}

// rules is the table of providers §2.6, as it is for AddOrder. "Look up" is Unknown.
var rules = []rule{
	{"EOrder:Insufficient funds", provider.Refused, "insufficient_funds", 0},
	{"EOrder:Order minimum not met", provider.Refused, "below_minimum", 0},
	{"EOrder:Cost minimum not met", provider.Refused, "below_minimum", 0},
	{"EOrder:Invalid price", provider.Refused, "invalid_price", 0},
	{"EOrder:Tick size check failed", provider.Refused, "invalid_price", 0},
	{"EGeneral:Invalid arguments", provider.Refused, "invalid_arguments", 0},
	{"EQuery:Unknown asset pair", provider.Refused, "unknown_pair", 0},
	{"EOrder:Orders limit exceeded", provider.Refused, "too_many_orders", 0},
	{"EOrder:Rate limit exceeded", provider.Retry, "rate_limited", 0},
	{"EOrder:Domain rate limit exceeded", provider.Retry, "rate_limited", 0},
	{"EAPI:Rate limit exceeded", provider.Retry, "rate_limited", 0},
	{"EGeneral:Too many requests", provider.Retry, "rate_limited", 0},
	{throttled, provider.Retry, "rate_limited", 0},
	{"EAPI:Invalid nonce", provider.Unknown, "invalid_nonce", 0},
	{"EAPI:Invalid key", provider.Refused, "unauthorised", 0},
	{"EAPI:Invalid signature", provider.Refused, "unauthorised", 0},
	{"EGeneral:Permission denied", provider.Refused, "unauthorised", 0},
	{"EAuth:", provider.Refused, "unauthorised", 0},
	{"EGeneral:Temporary lockout", provider.Retry, "locked_out", 15 * time.Minute},
	{"EService:Market in cancel_only mode", provider.Retry, "market_closed", 0},
	{"EService:Market in post_only mode", provider.Retry, "market_closed", 0},
	{"EService:Deadline elapsed", provider.Unknown, "deadline_elapsed", 0},
	{"EService:Unavailable", provider.Unknown, "unavailable", 0},
	{"EService:Busy", provider.Unknown, "unavailable", 0},
	{"EGeneral:Internal error", provider.Unknown, "internal_error", 0},
	{"EDatabase:Internal error", provider.Unknown, "internal_error", 0},
	{"EFunding:Unknown withdraw key", provider.Refused, "withdrawal_refused", 0},
	{"EFunding:Invalid amount", provider.Refused, "withdrawal_refused", 0},
	{"EFunding:Max fee exceeded", provider.Refused, "withdrawal_refused", 0},
	{"EFunding:No funding method", provider.Refused, "withdrawal_refused", 0},
}

// throttled is followed by the unix second from which Kraken listens again.
const throttled = "EService:Throttled:"

// clientIDWords mark an error about the client order id. The exact text for one that is
// already in use is not documented; the order exists already, so the caller must look it
// up.
const clientIDWords = "cl_ord_id"

// weight orders classes by how little is known.
var weight = map[provider.Class]int{provider.Refused: 0, provider.Retry: 1, provider.Unknown: 2}

// errorsIn drops warnings ("W…") from an error list.
func errorsIn(list []string) []string {
	var out []string
	for _, text := range list {
		if !strings.HasPrefix(text, "W") {
			out = append(out, text)
		}
	}
	return out
}

// outages are the errors with which Kraken reports that it cannot serve, rather than that a request is wrong.
var outages = []string{"EService:", "EGeneral:Internal error", "EDatabase:"}

// bodyStatus returns the status that an answer's error list stands for: Kraken answers errors with 200. It is 503 for an
// outage, 400 for any other error, and 0 without an error.
func bodyStatus(body []byte) int {
	var a answer
	if json.Unmarshal(body, &a) != nil {
		return http.StatusBadGateway // of a gateway in front of Kraken
	}
	list := errorsIn(a.Error)
	for _, text := range list {
		for _, prefix := range outages {
			if strings.HasPrefix(strings.ToLower(text), strings.ToLower(prefix)) && !strings.HasPrefix(text, throttled) {
				return http.StatusServiceUnavailable
			}
		}
	}
	if len(list) > 0 {
		return http.StatusBadRequest
	}
	return 0
}

// fail turns a non-empty error list into one error; of several, the one that
// leaves most open decides.
func (c *Client) fail(operation string, list []string) error {
	worst := c.classify(list[0])
	for _, text := range list[1:] {
		if next := c.classify(text); weight[next.class] > weight[worst.class] {
			worst = next
		}
	}
	return &provider.Error{
		Class: worst.class, Provider: providerName, Operation: operation, Code: worst.code,
		Detail:     provider.CleanText(strings.Join(list, "; "), c.secrets()...),
		RetryAfter: worst.wait,
	}
}

func (c *Client) classify(text string) rule {
	lower := strings.ToLower(text)
	if strings.Contains(lower, clientIDWords) {
		return rule{class: provider.Unknown, code: "client_id_refused"}
	}
	for _, r := range rules {
		if !strings.HasPrefix(lower, strings.ToLower(r.prefix)) {
			continue
		}
		if r.prefix == throttled {
			r.wait = c.untilUnix(text[len(throttled):])
		}
		return r
	}
	return rule{class: provider.Unknown, code: "unknown_error"}
}

// untilUnix is the time until a unix second, between a second and an hour.
func (c *Client) untilUnix(text string) time.Duration {
	seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return time.Second
	}
	return min(max(time.Unix(seconds, 0).Sub(c.wall()), time.Second), time.Hour)
}

// gatewayError is for answers that are not Kraken's envelope: from a gateway
// in front of it, which may have passed the request on. Only its rate limit
// is certain to have stopped it.
func (c *Client) gatewayError(operation string, response *http.Response, body []byte) error {
	e := &provider.Error{
		Class: provider.Unknown, Provider: providerName, Operation: operation,
		Code:   fmt.Sprintf("http_%d", response.StatusCode),
		Detail: provider.CleanText(string(body), c.secrets()...),
	}
	switch response.StatusCode {
	case http.StatusOK:
		e.Code = "unreadable_answer"
	case http.StatusTooManyRequests:
		e.Class, e.Code, e.RetryAfter = provider.Retry, "rate_limited", provider.RetryAfter(response.Header)
	}
	return e
}

// notSent is for requests that were held back here and may be sent later.
func (c *Client) notSent(operation, code string, err error) error {
	return c.clean(&provider.Error{
		Class: provider.Retry, Provider: providerName, Operation: operation, Code: code, Detail: err.Error(),
	})
}

func (c *Client) refuse(operation, code string) error {
	return &provider.Error{Class: provider.Refused, Provider: providerName, Operation: operation, Code: code}
}

func (c *Client) unreadable(operation, detail string) error {
	return &provider.Error{
		Class: provider.Unknown, Provider: providerName, Operation: operation,
		Code: "unreadable_answer", Detail: detail,
	}
}

func (c *Client) clean(e *provider.Error) error {
	e.Detail = provider.CleanText(e.Detail, c.secrets()...)
	return e
}

func (c *Client) secrets() []string { return []string{c.config.Secret, c.config.Key} }
