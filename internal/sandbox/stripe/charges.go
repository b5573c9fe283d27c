package stripe

import (
	"encoding/json"
	"fmt"
	"strings"
)

func readCharge(c *call) (any, error) { return load[chargeDoc](c.tx, charges, "charge", c.id) }

func listCharges(c *call) (any, error) {
	return listOf(c, charges, "/v1/charges", func(ch *chargeDoc) (int64, bool) {
		return ch.Created, matches(c, "payment_intent", ch.PaymentIntent) && matches(c, "customer", ch.Customer)
	})
}

// readBalance shows the captured money less refunds and disputes with their fee; the
// sandbox charges no other fees and everything is available at once.
func readBalance(c *call) (any, error) {
	available, pending := []any{}, []any{}
	err := c.tx.Each(balances, "", func(currency string, raw []byte) error {
		var amount int64
		if err := json.Unmarshal(raw, &amount); err != nil {
			return err
		}
		available = append(available, map[string]any{"amount": amount, "currency": currency, "source_types": map[string]any{"card": amount}})
		pending = append(pending, map[string]any{"amount": 0, "currency": currency, "source_types": map[string]any{"card": 0}})
		return nil
	})
	if len(available) == 0 {
		available = append(available, map[string]any{"amount": 0, "currency": "usd", "source_types": map[string]any{"card": 0}})
		pending = available
	}
	return map[string]any{"object": "balance", "available": available, "pending": pending, "livemode": false}, err
}

func createCustomer(c *call) (any, error) {
	metadata, err := c.form.metadata("metadata")
	if err != nil {
		return nil, err
	}
	cus := customer{
		ID: newID("cus"), Object: "customer", Created: c.now.Unix(), Metadata: metadata, Email: optional(c.form.Get("email")),
		Name: optional(c.form.Get("name")), Phone: optional(c.form.Get("phone")), Description: optional(c.form.Get("description")),
	}
	return cus, insert(c.tx, customers, cus.ID, cus)
}

func listCustomers(c *call) (any, error) {
	return listOf(c, customers, "/v1/customers", func(cus *customer) (int64, bool) {
		return cus.Created, matches(c, "email", cus.Email)
	})
}

func readCustomer(c *call) (any, error) { return load[customer](c.tx, customers, "customer", c.id) }

func createMethod(c *call) (any, error) {
	return c.methodFrom("type", "card", "billing_details")
}

// methodFrom makes a PaymentMethod of the parameters: a test card's number, or
// its token.
func (c *call) methodFrom(kind, at, billing string) (*methodDoc, error) {
	if c.form.Get(kind) != "card" {
		return nil, invalid("", kind, "The sandbox knows the payment method type 'card' only.")
	}
	if token, found := strings.CutPrefix(c.form.Get(at+"[token]"), "tok_"); found {
		card, known := cardByMethod("pm_card_" + token)
		if !known {
			return nil, missing(at+"[token]", "token", "tok_"+token)
		}
		return c.newMethod(card, 12, c.now.Year()+3, c.form.Get(billing+"[name]"), c.form.Get(billing+"[email]"))
	}
	card, known := cardByNumber(c.form.Get(at + "[number]"))
	if !known {
		return nil, refuse(402, "card_error", "card_declined", "number", "Your card was declined. Your request was in test mode, but used a non test (live) card. For a list of valid test cards, visit: https://stripe.com/docs/testing.")
	}
	month, _, err := c.form.integer(at + "[exp_month]")
	if err != nil {
		return nil, err
	}
	year, _, err := c.form.integer(at + "[exp_year]")
	if err != nil {
		return nil, err
	}
	return c.newMethod(card, int(month), int(year), c.form.Get(billing+"[name]"), c.form.Get(billing+"[email]"))
}

func updateCustomer(c *call) (any, error) {
	cus, err := load[customer](c.tx, customers, "customer", c.id)
	if err != nil {
		return nil, err
	}
	if cus.Metadata, err = c.form.mergeMetadata(cus.Metadata); err != nil {
		return nil, err
	}
	c.form.overwrite(map[string]**string{"email": &cus.Email, "name": &cus.Name, "phone": &cus.Phone, "description": &cus.Description})
	return cus, c.tx.Put(customers, cus.ID, cus)
}

// attachMethod gives a PaymentMethod to a customer.
func attachMethod(c *call) (any, error) {
	if err := c.form.require("customer"); err != nil {
		return nil, err
	}
	method, err := c.method(c.id)
	if err != nil {
		return nil, err
	}
	cus, err := load[customer](c.tx, customers, "customer", c.form.Get("customer"))
	if err != nil {
		return nil, err
	}
	if method.Customer != nil && *method.Customer != cus.ID {
		return nil, unfit("", "The payment method you provided has already been attached to a customer.")
	}
	method.Customer = &cus.ID
	return method, c.tx.Put(methods, method.ID, method)
}

func readMethod(c *call) (any, error) {
	return load[methodDoc](c.tx, methods, "payment_method", c.id)
}

// method loads a PaymentMethod, or makes one of a test card's own id.
func (c *change) method(id string) (*methodDoc, error) {
	if card, isTest := cardByMethod(id); isTest {
		return c.newMethod(card, 12, c.now.Year()+3, "", "")
	}
	return load[methodDoc](c.tx, methods, "payment_method", id)
}

func (c *change) newMethod(card testCard, month, year int, name, email string) (*methodDoc, error) {
	method := &methodDoc{Test: card.Method, paymentMethod: paymentMethod{
		ID: newID("pm"), Object: "payment_method", Created: c.now.Unix(), Metadata: map[string]string{}, Type: "card",
		BillingDetails: map[string]any{
			"address": map[string]any{"city": nil, "country": nil, "line1": nil, "line2": nil, "postal_code": nil, "state": nil},
			"email":   optional(email), "name": optional(name), "phone": nil, "tax_id": nil,
		},
		Card: methodCard{
			Brand: card.Brand, Country: "US", ExpMonth: month, ExpYear: year, Fingerprint: card.fingerprint(), Funding: "credit", Last4: card.last4(),
			Checks: map[string]any{"address_line1_check": nil, "address_postal_code_check": nil, "cvc_check": "pass"},
		},
	}}
	return method, insert(c.tx, methods, method.ID, method)
}

// money is an amount as a person reads it: "$12.30", "12.30 EUR".
func money(amount int64, currency string) string {
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	whole := fmt.Sprintf("%d", amount/100)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	text := fmt.Sprintf("%s.%02d", whole, amount%100)
	if currency == "usd" {
		return sign + "$" + text
	}
	return sign + text + " " + strings.ToUpper(currency)
}
