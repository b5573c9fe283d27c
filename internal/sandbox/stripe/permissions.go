package stripe

import (
	"net/http"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// denied is the setting that holds what a restricted key is not given.
const denied = "denied"

// permissions names what a restricted key needs for a path, as Stripe's own
// errors name it: without _read or _write.
var permissions = []struct{ prefix, name string }{
	{"/v1/checkout/sessions", "checkout_session"},
	{"/v1/payment_intents", "payment_intent"},
	{"/v1/refunds", "charge"}, // one permission for charges and refunds
	{"/v1/charges", "charge"},
	{"/v1/disputes", "dispute"},
	{"/v1/balance_transactions", "balance_transaction_source"},
	{"/v1/balance", "balance"},
	{"/v1/payouts", "payout"},
	{"/v1/customers", "customer"},
	{"/v1/payment_methods", "payment_method"},
	{"/v1/events", "event"},
	{"/v1/webhook_endpoints", "webhook"},
}

// permitted refuses a call that the key is not given. The permission to write includes
// reading.
func (s *Simulator) permitted(e endpoint, r *http.Request) *apiError {
	at := slices.IndexFunc(permissions, func(p struct{ prefix, name string }) bool { return strings.HasPrefix(r.URL.Path, p.prefix) })
	if at < 0 {
		return nil
	}
	var without []string
	_ = s.world.Store.View(func(tx *sandbox.Tx) error { _, err := tx.Get(settings, denied, &without); return err })
	name, needed := permissions[at].name, permissions[at].name+"_write"
	if e.read() {
		needed = name + "_read"
	}
	if !slices.Contains(without, needed) && !slices.Contains(without, name+"_read") {
		return nil
	}
	return refuse(http.StatusForbidden, "invalid_request_error", "", "",
		"The provided key '%s' does not have the required permissions for this endpoint on account 'acct_sandbox'. Having the 'rak_%s' permission would allow this request to continue.",
		masked(s.world.Config.StripeKey), needed)
}

// restrict removes permissions from the key: names such as dispute_write, separated by
// commas; none restores all of them.
func (c *change) restrict(param func(string) string) error {
	names := strings.FieldsFunc(param("denied"), func(r rune) bool { return r == ',' || r == ' ' })
	return c.tx.Put(settings, denied, names)
}
