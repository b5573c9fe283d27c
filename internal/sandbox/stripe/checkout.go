package stripe

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A checkout page is valid from half an hour to a day, a day by default.
const (
	shortestPage = 30 * time.Minute
	longestPage  = 24 * time.Hour
)

func createCheckout(c *call) (any, error) {
	if c.force != "" {
		return nil, unfit(c.force, "The page was refused. (Sandbox: an injected fault.)")
	}
	cs, err := c.newSession()
	if err != nil {
		return nil, err
	}
	if err := schedule(c.tx, time.Unix(cs.ExpiresAt, 0), cs.ID); err != nil {
		return nil, err
	}
	if err := c.lag("create_checkout", cs.ID, cs.Order); err != nil {
		return nil, err
	}
	return cs, insert(c.tx, sessions, cs.ID, cs)
}

// newSession reads a checkout page from the parameters.
func (c *call) newSession() (*sessionDoc, error) {
	f := c.form
	if err := c.checkPageKind(); err != nil {
		return nil, err
	}
	items, currency, err := f.lineItems()
	if err != nil {
		return nil, err
	}
	data, err := f.intentData()
	if err != nil {
		return nil, err
	}
	metadata, err := f.metadata("metadata")
	if err != nil {
		return nil, err
	}
	expires, err := c.pageExpiry()
	if err != nil {
		return nil, err
	}
	var total int64
	for _, item := range items {
		total += item.Unit * item.Quantity
	}
	if err := payable(total, "line_items"); err != nil {
		return nil, err
	}
	id := newID("cs_test")
	cs := &sessionDoc{Items: items, Intent: data, session: session{
		ID: id, Object: "checkout.session", AmountSubtotal: total, AmountTotal: total,
		AutomaticTax: map[string]any{"enabled": false, "liability": nil, "provider": nil, "status": nil},
		CancelURL:    optional(f.Get("cancel_url")), ClientReferenceID: optional(f.Get("client_reference_id")),
		Created: c.now.Unix(), Currency: currency, Customer: optional(f.Get("customer")), CustomerCreation: "if_required",
		CustomerEmail: optional(f.Get("customer_email")), CustomFields: []any{}, CustomText: map[string]any{"after_submit": nil, "shipping_address": nil, "submit": nil, "terms_of_service_acceptance": nil}, ExpiresAt: expires, Locale: optional(f.Get("locale")),
		Metadata: metadata, Mode: "payment", PaymentMethodTypes: []string{"card"}, PaymentStatus: "unpaid", ShippingOptions: []any{},
		Status: "open", SubmitType: optional(f.Get("submit_type")), SuccessURL: optional(f.Get("success_url")),
		TotalDetails: map[string]int64{"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
		UIMode:       "hosted_page", URL: optional(c.sim.world.Config.URL + "/pay/" + id),
	}}
	cs.Order = firstOf(metadata["order_id"], data.Metadata["order_id"], f.Get("client_reference_id"))
	return cs, nil
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// checkPageKind refuses pages that the sandbox does not have.
func (c *call) checkPageKind() error {
	f := c.form
	if err := f.require("line_items"); err != nil {
		return err
	}
	if f.Get("mode") != "payment" {
		return invalid("", "mode", "The sandbox knows the mode 'payment' only.")
	}
	if _, err := f.choice("ui_mode", "hosted_page", "hosted"); err != nil {
		return err
	}
	if slices.ContainsFunc(f.list("payment_method_types"), func(t string) bool { return t != "card" }) {
		return invalid("", "payment_method_types", "The sandbox knows the payment method type 'card' only.")
	}
	if err := f.require("success_url"); err != nil {
		return err
	}
	for _, name := range []string{"success_url", "cancel_url"} {
		if text := f.Get(name); text != "" && !isWebAddress(text) {
			return invalid("url_invalid", name, "Not a valid URL")
		}
	}
	if id := f.Get("customer"); id != "" {
		if f.Has("customer_email") {
			return invalid("parameters_exclusive", "customer_email", "You may only specify one of these parameters: customer, customer_email.")
		}
		_, err := load[customer](c.tx, customers, "customer", id)
		return err
	}
	if email := f.Get("customer_email"); email != "" && !strings.Contains(email, "@") {
		return invalid("email_invalid", "customer_email", "Invalid email address: %s", email)
	}
	if len(f.Get("client_reference_id")) > 200 {
		return invalid("", "client_reference_id", "client_reference_id is at most 200 characters.")
	}
	return nil
}

func isWebAddress(text string) bool {
	u, err := url.Parse(strings.ReplaceAll(text, "{CHECKOUT_SESSION_ID}", "cs"))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (c *call) pageExpiry() (int64, error) {
	at, given, err := c.form.integer("expires_at")
	if err != nil {
		return 0, err
	}
	if !given {
		return c.now.Add(longestPage).Unix(), nil
	}
	// A few seconds of grace, for the time the request needed to arrive.
	life := time.Unix(at, 0).Sub(c.now)
	if life < shortestPage-10*time.Second {
		return 0, invalid("", "expires_at", "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.")
	}
	if life > longestPage+10*time.Second {
		return 0, invalid("", "expires_at", "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.")
	}
	return at, nil
}

// lineItems reads line_items[n] with price_data; prices by id do not exist here.
func (f form) lineItems() ([]lineItem, string, error) {
	items, currency := []lineItem{}, ""
	for n := 0; f.has(fmt.Sprintf("line_items[%d]", n)); n++ {
		at := fmt.Sprintf("line_items[%d]", n)
		price := at + "[price_data]"
		if err := f.require(price, price+"[currency]", price+"[unit_amount]", price+"[product_data][name]", at+"[quantity]"); err != nil {
			return nil, "", err
		}
		unit, _, err := f.integer(price + "[unit_amount]")
		if err != nil {
			return nil, "", err
		}
		quantity, _, err := f.integer(at + "[quantity]")
		if err != nil {
			return nil, "", err
		}
		if unit < 0 || quantity < 1 || unit > 99_999_999 || quantity > 9999 {
			return nil, "", invalid("parameter_invalid_integer", at, "Amounts are not negative and quantities are at least 1.")
		}
		code, err := f.currency(price + "[currency]")
		if err != nil {
			return nil, "", err
		}
		if currency != "" && currency != code {
			return nil, "", invalid("", price+"[currency]", "All prices on a Checkout Session must have the same currency.")
		}
		currency = code
		items = append(items, lineItem{Name: f.Get(price + "[product_data][name]"), Note: f.Get(price + "[product_data][description]"), Unit: unit, Quantity: quantity})
	}
	if len(items) == 0 {
		return nil, "", invalid("parameter_missing", "line_items", "You must pass at least one item in `line_items`, with indices from 0.")
	}
	return items, currency, nil
}

func (f form) intentData() (intentData, error) {
	metadata, err := f.metadata("payment_intent_data[metadata]")
	if err != nil {
		return intentData{}, err
	}
	capture, err := f.choice("payment_intent_data[capture_method]", "automatic_async", "automatic", "manual")
	if err != nil {
		return intentData{}, err
	}
	suffix := f.Get("payment_intent_data[statement_descriptor_suffix]")
	if len(suffix) > 22 || strings.ContainsAny(suffix, `<>\'"*`) {
		return intentData{}, invalid("", "payment_intent_data[statement_descriptor_suffix]", "The statement descriptor suffix is at most 22 characters, without < > \\ ' \" *.")
	}
	return intentData{
		CaptureMethod: capture, Metadata: metadata, Suffix: suffix,
		Description: f.Get("payment_intent_data[description]"), ReceiptEmail: f.Get("payment_intent_data[receipt_email]"),
	}, nil
}

func readCheckout(c *call) (any, error) {
	return load[sessionDoc](c.tx, sessions, "session", c.id)
}

func readLineItems(c *call) (any, error) {
	cs, err := load[sessionDoc](c.tx, sessions, "session", c.id)
	if err != nil {
		return nil, err
	}
	return cs.lines(), nil
}

// lines are the page's items as Stripe lists them.
func (cs *sessionDoc) lines() list {
	page := list{Object: "list", Data: []any{}, URL: "/v1/checkout/sessions/" + cs.ID + "/line_items"}
	for n, item := range cs.Items {
		id := fmt.Sprintf("li_%s_%d", strings.TrimPrefix(cs.ID, "cs_test_"), n)
		page.Data = append(page.Data, map[string]any{
			"id": id, "object": "item", "amount_discount": 0, "amount_tax": 0, "currency": cs.Currency, "description": item.Name,
			"amount_subtotal": item.Unit * item.Quantity, "amount_total": item.Unit * item.Quantity, "quantity": item.Quantity,
			"price": map[string]any{"id": "price_" + id, "object": "price", "currency": cs.Currency, "unit_amount": item.Unit, "type": "one_time", "active": false,
				"billing_scheme": "per_unit", "created": cs.Created, "livemode": false, "metadata": map[string]string{}, "product": "prod_" + strings.TrimPrefix(id, "li_"),
				"unit_amount_decimal": strconv.FormatInt(item.Unit, 10), "tax_behavior": "unspecified"},
		})
	}
	return page
}

func listCheckouts(c *call) (any, error) {
	return listOf(c, sessions, "/v1/checkout/sessions", func(cs *sessionDoc) (int64, bool) {
		return cs.Created, matches(c, "payment_intent", cs.PaymentIntent) && matches(c, "customer", cs.Customer) && matches(c, "status", &cs.Status)
	})
}

func expireCheckout(c *call) (any, error) {
	cs, err := load[sessionDoc](c.tx, sessions, "session", c.id)
	if err != nil {
		return nil, err
	}
	if cs.Status != "open" {
		return nil, unfit("", "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of %s.", cs.Status)
	}
	return cs, c.close(cs)
}

// close expires an open page and cancels what its customer left unfinished.
func (c *change) close(cs *sessionDoc) error {
	cs.Status, cs.URL = "expired", nil
	if err := c.tx.Put(sessions, cs.ID, cs); err != nil {
		return err
	}
	if err := c.emit("checkout.session.expired", cs, cs.Order, nil); err != nil {
		return err
	}
	if cs.PaymentIntent == nil {
		return nil
	}
	pi, err := load[intentDoc](c.tx, intents, "intent", *cs.PaymentIntent)
	if err != nil || pi.Status == "canceled" {
		return err
	}
	return c.release(pi, "automatic", false)
}

// submit pays the page with a card: its PaymentIntent is made at the first
// submit. An *apiError is a decline.
func (c *change) submit(cs *sessionDoc, method *methodDoc, authenticated bool) error {
	pi, err := c.intentOf(cs)
	if err != nil {
		return err
	}
	if err := c.attempt(pi, method, "", authenticated); err != nil {
		return err
	}
	if pi.Status == "requires_action" {
		return nil
	}
	// What the attempt wrote to the page (paid, when it captured) is kept.
	if cs, err = load[sessionDoc](c.tx, sessions, "session", cs.ID); err != nil {
		return err
	}
	cs.Status, cs.URL = "complete", nil
	cs.CustomerDetails = map[string]any{"address": nil, "email": cs.CustomerEmail, "name": method.BillingDetails["name"], "phone": nil, "tax_exempt": "none", "tax_ids": []any{}}
	if err := c.tx.Put(sessions, cs.ID, cs); err != nil {
		return err
	}
	return c.emit("checkout.session.completed", cs, cs.Order, nil)
}

// intentOf is the page's PaymentIntent, made when there is none yet.
func (c *change) intentOf(cs *sessionDoc) (*intentDoc, error) {
	if cs.PaymentIntent != nil {
		return load[intentDoc](c.tx, intents, "intent", *cs.PaymentIntent)
	}
	pi := c.blankIntent(cs.AmountTotal, cs.Currency, cs.Intent.CaptureMethod, cs.Intent.Metadata)
	pi.Order, pi.Session, pi.Customer = cs.Order, cs.ID, cs.Customer
	pi.Description, pi.ReceiptEmail = optional(cs.Intent.Description), optional(cs.Intent.ReceiptEmail)
	pi.StatementDescriptorSuffix = optional(cs.Intent.Suffix)
	cs.PaymentIntent = &pi.ID
	if err := c.tx.Put(sessions, cs.ID, cs); err != nil {
		return nil, err
	}
	if err := insert(c.tx, intents, pi.ID, pi); err != nil {
		return nil, err
	}
	return pi, c.emit("payment_intent.created", pi, pi.Order, nil)
}
