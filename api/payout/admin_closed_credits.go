package payout

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/money"
)

// ClosedCredit is money received for a customer whose account is closed, until staff have
// sent it back.
type ClosedCredit struct {
	ID             string     `json:"id" format:"uuid"`
	UserID         string     `json:"userId" format:"uuid"`
	CustomerEmail  string     `json:"customerEmail"`
	OrderID        *string    `json:"orderId" format:"uuid"`
	OrderReference string     `json:"orderReference"`
	Amount         string     `json:"amount" doc:"what is to be sent back, or was"`
	TakenBack      string     `json:"takenBack" doc:"what was taken back of it before it was sent, by its bank for one"`
	Event          string     `json:"event" doc:"of the ledger: how it came"`
	TakesTwo       bool       `json:"takesTwo" doc:"what the account's credits of a day come to is more than one person sends back"`
	FirstBy        string     `json:"firstBy" doc:"e-mail of the first of two people who say that it was sent back"`
	FirstAt        *time.Time `json:"firstAt"`
	BankReference  *string    `json:"bankReference" doc:"of the transfer back, as the first of them entered it"`
	Reason         *string    `json:"reason"`
	PaidBack       bool       `json:"paidBack"`
	PaidBy         string     `json:"paidBy" doc:"e-mail of who booked it"`
	PaidAt         *time.Time `json:"paidAt"`
	Restored       bool       `json:"restored" doc:"of a restored backup: the bank may have sent it"`
	CreatedAt      time.Time  `json:"createdAt"`
	Actions        []string   `json:"actions" doc:"what the signed-in person can do now: pay_back"`
}

// ClosedCreditPayBack is the reference under which the bank sent money back.
type ClosedCreditPayBack struct {
	Reference string `json:"reference" maxLength:"100"`
	Reason    string `json:"reason" maxLength:"500"`
	Statement string `json:"statement,omitempty" maxLength:"500" doc:"what the bank's statement shows; for a restored credit"`
	Version   string `json:"version,omitempty" maxLength:"24000" doc:"of GET /api/admin/approvals: the first approval that was shown; required once another person has approved, else 409"`
}

func (h *Handlers) payoutAlone() money.Units { return money.FromInt(h.PayoutTwoAbove * 100) }

func (h *Handlers) closedCredit(c *correction.KnownStranded, who *account.Principal) ClosedCredit {
	view := ClosedCredit{ID: c.ID, UserID: c.UserID, CustomerEmail: c.CustomerEmail, OrderID: c.OrderID, OrderReference: c.OrderReference, Amount: money.USD.Format(c.Left()), TakenBack: money.USD.Format(c.Taken),
		Event: c.Event, TakesTwo: c.Day.Cmp(h.payoutAlone()) > 0, FirstBy: c.First, FirstAt: c.FirstAt, BankReference: c.BankReference, Reason: c.Reason,
		PaidBack: c.PaidAt != nil, PaidBy: c.Payer, PaidAt: c.PaidAt, CreatedAt: c.CreatedAt, Actions: []string{}}
	view.Restored = c.RestoredAt != nil && c.PaidAt == nil && c.TakenAt == nil
	if c.PaidAt == nil && c.TakenAt == nil && c.UserID != who.UserID && rest.Word(c.FirstBy) != who.UserID {
		view.Actions = []string{"pay_back"}
	}
	return view
}

type listClosedCreditsInput struct {
	rest.Paging
	Status string `query:"status" enum:"all,open,sent_back" default:"open"`
}

// ListClosedCredits lists what waits oldest first.
func (h *Handlers) ListClosedCredits(ctx context.Context, in *listClosedCreditsInput) (*rest.Page[ClosedCredit], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	status := correction.StrandedStatus(rest.UnlessAll(in.Status))
	wanted.OldestFirst = status == correction.StrandedOpen
	rows, next, err := correction.StrandedCredits(ctx, h.DB, status, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := correction.CountStranded(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	return &rest.Page[ClosedCredit]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: counts.Matching(status),
		Body: rest.Mapped(rows, func(c *correction.KnownStranded) ClosedCredit { return h.closedCredit(c, who) })}, nil
}

type payBackInput struct {
	rest.ObjectID
	Body ClosedCreditPayBack
}

// PayBackClosedCredit books that money was sent back; above the limit of payouts two people
// have to approve.
func (h *Handlers) PayBackClosedCredit(ctx context.Context, in *payBackInput) (*rest.Body[ClosedCredit], error) {
	_, err := correction.PayBackStranded(ctx, h.DB, correction.PayBack{ID: in.ID, Reference: in.Body.Reference,
		Statement: in.Body.Statement, TwoAbove: h.payoutAlone(), By: rest.Approver(ctx, in.Body.Reason, in.Body.Version)})
	if err != nil {
		return nil, err
	}
	row, err := correction.Stranded(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[ClosedCredit]{Body: h.closedCredit(row, rest.PrincipalOf(ctx))}, nil
}
