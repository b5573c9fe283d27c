package stripe

// transaction is a line of the account's statement: the balance is their sum.
type transaction struct {
	ID                string  `json:"id"`
	Object            string  `json:"object"`
	Amount            int64   `json:"amount"`
	AvailableOn       int64   `json:"available_on"`
	BalanceType       string  `json:"balance_type"`
	Created           int64   `json:"created"`
	Currency          string  `json:"currency"`
	Description       *string `json:"description"`
	ExchangeRate      *string `json:"exchange_rate"`
	Fee               int64   `json:"fee"`
	FeeDetails        []any   `json:"fee_details"`
	Net               int64   `json:"net"`
	ReportingCategory string  `json:"reporting_category"`
	Source            string  `json:"source"`
	Status            string  `json:"status"`
	Type              string  `json:"type"`
}

// categories are what reports call a type of line.
var categories = map[string]string{
	"charge": "charge", "refund": "refund", "refund_failure": "refund_failure", "adjustment": "dispute", "payout": "payout", "payout_failure": "payout_reversal",
}

// book writes a line of the statement and changes the balance by it.
func (c *change) book(kind, source, currency string, amount, fee int64, note string) (*transaction, error) {
	t := &transaction{
		ID: newID("txn"), Object: "balance_transaction", Amount: amount, AvailableOn: c.now.Unix(), BalanceType: "payments", Created: c.now.Unix(), Currency: currency,
		Description: optional(note), Fee: fee, FeeDetails: []any{}, Net: amount - fee, ReportingCategory: categories[kind], Source: source,
		Status: "available", Type: kind,
	}
	if kind == "adjustment" && amount > 0 {
		t.ReportingCategory = "dispute_reversal"
	}
	if fee > 0 {
		what := "Stripe processing fees"
		if kind == "adjustment" {
			what = "Dispute fee"
		}
		t.FeeDetails = []any{map[string]any{"amount": fee, "application": nil, "currency": currency, "description": what, "type": "stripe_fee"}}
	}
	if err := insert(c.tx, transactions, t.ID, t); err != nil {
		return nil, err
	}
	return t, balance(c.tx, currency, t.Net)
}

func readTransaction(c *call) (any, error) {
	return load[transaction](c.tx, transactions, "id", c.id)
}

func listTransactions(c *call) (any, error) {
	return listOf(c, transactions, "/v1/balance_transactions", func(t *transaction) (int64, bool) {
		return t.Created, matches(c, "source", &t.Source) && matches(c, "type", &t.Type) && matches(c, "currency", &t.Currency)
	})
}
