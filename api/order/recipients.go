package order

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
)

// Recipients are where customers send money by the rails that have no card
// page: an account's details by payment method. They belong to the
// installation, not to the code.
type Recipients map[string][]Instruction

//go:embed recipients_demo.json
var demoRecipients []byte

// LoadRecipients reads the installation's file; none is the demonstration
// accounts, which only local mode may use.
func LoadRecipients(file string, local bool) (Recipients, error) {
	text := demoRecipients
	if file == "" && !local {
		return nil, errors.New("RECIPIENTS_FILE must name the accounts customers pay to: production has no default")
	}
	if file != "" {
		var err error
		if text, err = os.ReadFile(file); err != nil { //nolint:gosec // the operator's own file
			return nil, fmt.Errorf("RECIPIENTS_FILE: %w", err)
		}
	}
	var tree any
	var recipients Recipients
	err := rest.UnmarshalStrictly(text, &tree)
	if err == nil {
		err = json.Unmarshal(text, &recipients)
	}
	if err != nil {
		return nil, fmt.Errorf("RECIPIENTS_FILE must be JSON of payment method to [{label, value, copy}]: %w", err)
	}
	return recipients, nil
}

// Missing are the methods of an offer that customers pay by themselves and that have no account.
func (r Recipients) Missing(offer money.Offer) (rails []string) {
	for _, rail := range pricing.Rails {
		own := []string{pricing.MethodCard, pricing.MethodBalance, money.RailGiftCard, money.RailVoucher}
		if offer.Takes(rail) && len(r[rail]) == 0 && !slices.Contains(own, rail) {
			rails = append(rails, rail)
		}
	}
	return rails
}

// instructions are how to pay an order by a rail that has no card page. The
// reference makes the payment findable.
func (r Recipients) instructions(o *order.Order, total string) []Instruction {
	lines := r[o.PaymentMethod]
	if len(lines) == 0 || o.ByCard() {
		return []Instruction{}
	}
	out := append([]Instruction{{Label: "Amount", Value: "$" + total, Copy: true}}, lines...)
	return append(out, Instruction{Label: "Reference", Value: o.Reference, Copy: true})
}
