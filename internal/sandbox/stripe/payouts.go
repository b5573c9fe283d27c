package stripe

import (
	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// payout is money on its way to the account's bank.
type payout struct {
	ID                        string            `json:"id"`
	Object                    string            `json:"object"`
	Amount                    int64             `json:"amount"`
	ArrivalDate               int64             `json:"arrival_date"`
	Automatic                 bool              `json:"automatic"`
	BalanceTransaction        *string           `json:"balance_transaction"`
	Created                   int64             `json:"created"`
	Currency                  string            `json:"currency"`
	Description               *string           `json:"description"`
	Destination               *string           `json:"destination"`
	FailureBalanceTransaction *string           `json:"failure_balance_transaction"`
	FailureCode               *string           `json:"failure_code"`
	FailureMessage            *string           `json:"failure_message"`
	Livemode                  bool              `json:"livemode"`
	Metadata                  map[string]string `json:"metadata"`
	Method                    string            `json:"method"`
	ReconciliationStatus      string            `json:"reconciliation_status"`
	SourceType                string            `json:"source_type"`
	StatementDescriptor       *string           `json:"statement_descriptor"`
	Status                    string            `json:"status"`
	Type                      string            `json:"type"`
}

// payOut sends money to the bank, where it is at once.
func (c *change) payOut(cents int64, currency, note string, metadata map[string]string) (*payout, error) {
	var there int64
	if _, err := c.tx.Get(balances, currency, &there); err != nil {
		return nil, err
	}
	if cents <= 0 || cents > there {
		return nil, unfit("balance_insufficient", "You have insufficient funds in your Stripe account for this transfer.")
	}
	if metadata == nil {
		metadata = map[string]string{}
	}
	bank := "ba_" + newID("po")[len("po_"):]
	po := &payout{ID: newID("po"), Object: "payout", Amount: cents, ArrivalDate: c.now.Unix(), Created: c.now.Unix(), Currency: currency, Description: optional(note),
		Destination: &bank, Metadata: metadata, Method: "standard", ReconciliationStatus: "not_applicable", SourceType: "card", Status: "paid", Type: "bank_account"}
	line, err := c.book("payout", po.ID, currency, -cents, 0, "STRIPE PAYOUT")
	if err != nil {
		return nil, err
	}
	po.BalanceTransaction = &line.ID
	return po, insert(c.tx, payouts, po.ID, po)
}

// failPayout is for a bank that sends a payout back.
func (c *change) failPayout(id string) error {
	po, err := load[payout](c.tx, payouts, "payout", id)
	if err != nil {
		return err
	}
	if po.Status == "failed" {
		return unfit("", "This payout has failed already.")
	}
	line, err := c.book("payout_failure", po.ID, po.Currency, po.Amount, 0, "PAYOUT FAILURE")
	if err != nil {
		return err
	}
	code, text := "account_closed", "The bank account has been closed."
	po.Status, po.FailureBalanceTransaction, po.FailureCode, po.FailureMessage = "failed", &line.ID, &code, &text
	return c.tx.Put(payouts, po.ID, po)
}

func createPayout(c *call) (any, error) {
	cents, err := c.form.amount("amount")
	if err != nil {
		return nil, err
	}
	currency, err := c.form.currency("currency")
	if err != nil {
		return nil, err
	}
	metadata, err := c.form.metadata("metadata")
	if err != nil {
		return nil, err
	}
	return c.payOut(cents, currency, c.form.Get("description"), metadata)
}

func readPayout(c *call) (any, error) { return load[payout](c.tx, payouts, "payout", c.id) }

func listPayouts(c *call) (any, error) {
	return listOf(c, payouts, "/v1/payouts", func(po *payout) (int64, bool) { return po.Created, matches(c, "status", &po.Status) })
}

// pricing is Stripe's fee for a captured payment: per cent, and cents.
type pricing struct {
	Percent decimal.Decimal
	Fixed   int64
}

// price sets the fees of payments captured from now on.
func (c *change) price(param func(string) string) error {
	percent, err := decimal.NewFromString(firstOf(param("percent"), "0"))
	fixed, fine := decimal.NewFromString(firstOf(param("fixed"), "0"))
	if err != nil || fine != nil || percent.IsNegative() || percent.GreaterThan(decimal.NewFromInt(50)) || fixed.IsNegative() || !fixed.IsInteger() {
		return unfit("", "Percent is a number up to 50, and fixed whole cents.")
	}
	return c.tx.Put(settings, "pricing", pricing{percent, fixed.IntPart()})
}

// fee is Stripe's fee for a captured amount, in cents: nothing unless a price was set, and
// never more than there is.
func (c *change) fee(amount int64) (int64, error) {
	var p pricing
	found, err := c.tx.Get(settings, "pricing", &p)
	if err != nil || !found {
		return 0, err
	}
	part := decimal.NewFromInt(amount).Mul(p.Percent).Div(decimal.NewFromInt(100)).Round(0).IntPart()
	return min(part+p.Fixed, amount), nil
}

func (s *Simulator) payoutRows() []sandbox.Row {
	rows := []sandbox.Row{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		return newest(tx, payouts, func(_ string, po *payout) bool {
			row := sandbox.Row{Cells: []string{clockTime(po.Created), money(po.Amount, po.Currency), po.Status, po.ID}}
			if po.Status == "paid" {
				row.Actions = []sandbox.Action{{Label: "Return", Path: "/control/stripe/payout/fail", Danger: true, Fields: []sandbox.Field{{Name: "payout", Value: po.ID}}}}
			}
			rows = append(rows, row)
			return len(rows) < shownRows
		})
	})
	s.complain("panel", err)
	return rows
}
