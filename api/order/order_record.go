package order

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// OrderRecord are an order's records beside its timeline, for staff.
type OrderRecord struct {
	Decisions []caseworkapi.TakenDecision `json:"decisions" doc:"what people decided about the order, and why"`
	Purchases []Purchase                  `json:"purchases" doc:"what was bought for it on the exchange"`
	Postings  []ledgerapi.LedgerPosting   `json:"postings" doc:"how it was booked; empty for who may not read the ledger"`
	Mails     []OrderMail                 `json:"mails" doc:"what was written about it, and whether it went out"`
}

// OrderMail is a mail about an order.
type OrderMail struct {
	ID        string     `json:"id" format:"uuid"`
	Kind      MailKind   `json:"kind"`
	Staff     bool       `json:"staff" doc:"it went to staff, not to the customer"`
	To        string     `json:"to" doc:"whom it went to, recognisable but not to be copied"`
	CreatedAt time.Time  `json:"createdAt"`
	Attempts  int        `json:"attempts"`
	LastError *string    `json:"lastError" doc:"why the last attempt failed, as a code"`
	SentAt    *time.Time `json:"sentAt"`
	GivenUpAt *time.Time `json:"givenUpAt"`
}

// MailKind is one of the mails that an order's events cause.
type MailKind string

// Schema lists the kinds, so that clients have a name for each.
func (MailKind) Schema(huma.Registry) *huma.Schema {
	var kinds []string
	for _, m := range order.Mailings {
		if !slices.Contains(kinds, m.Kind) {
			kinds = append(kinds, m.Kind)
		}
	}
	return rest.Listed(kinds)
}

// Purchase is one of our orders at the exchange.
type Purchase struct {
	Generation int       `json:"generation"`
	ClientID   string    `json:"clientId" doc:"our identity of it at the exchange"`
	ExchangeID *string   `json:"exchangeId"`
	Asked      string    `json:"asked" doc:"coin"`
	LimitPrice string    `json:"limitPrice" doc:"US dollars for one coin"`
	Filled     string    `json:"filled" doc:"coin"`
	Cost       string    `json:"cost" doc:"US dollars, without the fee"`
	Fee        string    `json:"fee" doc:"US dollars"`
	Done       bool      `json:"done"`
	CreatedAt  time.Time `json:"createdAt"`
}

func (h *Handlers) orderRecord(ctx context.Context, r order.OrderRecord) OrderRecord {
	return OrderRecord{Decisions: rest.Mapped(r.Decisions, caseworkapi.ShownDecision), Purchases: rest.Mapped(r.Purchases, purchase),
		Postings: ledgerapi.ShownPostings(ctx, h.Policy, r.Postings), Mails: rest.Mapped(r.Mails, orderMail)}
}

func purchase(e *execution.ExchangeOrder) Purchase {
	usd := money.USD.Format
	return Purchase{Generation: e.Generation, ClientID: e.ClientID, ExchangeID: e.ExchangeID, Asked: e.Asset.Format(e.Asked),
		LimitPrice: e.LimitPrice.String(), Filled: e.Asset.Format(e.Filled), Cost: usd(e.Cost), Fee: usd(e.Fee), Done: e.DoneAt != nil, CreatedAt: e.CreatedAt}
}

func orderMail(m *casework.OrderMail) OrderMail {
	return OrderMail{ID: m.ID, Kind: MailKind(m.Kind), Staff: m.Staff, To: MaskedEmail(m.To), CreatedAt: m.CreatedAt, Attempts: m.Attempts, LastError: m.LastError, SentAt: m.SentAt, GivenUpAt: m.GivenUpAt}
}

// MaskedEmail keeps of an address what distinguishes people: its first character and its
// domain.
func MaskedEmail(address string) string {
	name, domain, _ := strings.Cut(address, "@")
	_, first := utf8.DecodeRuneInString(name)
	return name[:first] + "•••@" + domain
}
