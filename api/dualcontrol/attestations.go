package dualcontrol

import (
	"context"
	"slices"
	"time"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers handle requests about what rests on one person's statement.
type Handlers struct {
	DB     *store.DB
	Policy *policy.Policy
}

// Attestation is a statement of one member of staff, who is barred from the value that rests on it until another person
// confirms it.
type Attestation struct {
	ID            string    `json:"id" format:"uuid"`
	Kind          string    `json:"kind" enum:"receipt,refund,credit,card_value,payout_returned,identity"`
	By            string    `json:"by" doc:"e-mail of who stated it"`
	CustomerID    string    `json:"customerId" format:"uuid"`
	CustomerEmail string    `json:"customerEmail"`
	SubjectKind   string    `json:"subjectKind" doc:"what it is about: order, gift_card, payout, unplaced_money, journal_line or identity"`
	SubjectID     string    `json:"subjectId"`
	Amount        string    `json:"amount" doc:"US dollars; empty of an identity"`
	At            time.Time `json:"at"`
	BarsUntil     time.Time `json:"barsUntil" doc:"when it ends by itself"`
	Actions       []string  `json:"actions" doc:"what the signed-in person can do now: second"`
}

// ListAttestations lists the statements that bar somebody, oldest first.
func (h *Handlers) ListAttestations(ctx context.Context, in *rest.Paging) (*rest.Page[Attestation], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	rows, next, err := dualcontrol.OpenAttestations(ctx, h.DB, wanted)
	if err != nil {
		return nil, err
	}
	total, err := dualcontrol.CountOpenAttestations(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	kinds := h.kindsOf(who)
	return &rest.Page[Attestation]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: total, Body: rest.Mapped(rows, func(a *dualcontrol.OpenAttestation) Attestation {
		view := Attestation{ID: a.ID, Kind: string(a.Kind), By: a.ByEmail, CustomerID: a.CustomerID, CustomerEmail: a.CustomerEmail, SubjectKind: a.SubjectKind,
			SubjectID: a.SubjectID, At: a.At, BarsUntil: a.BarsUntil, Actions: []string{}}
		if a.Amount != nil {
			view.Amount = money.USD.Format(*a.Amount)
		}
		if slices.Contains(kinds, a.Kind) && !slices.Contains([]string{a.ByID, a.CustomerID}, who.UserID) {
			view.Actions = append(view.Actions, "second")
		}
		return view
	})}, nil
}

type secondInput struct {
	rest.ObjectID
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"what was checked"`
	}
}

// Seconded is the result of confirming a statement.
type Seconded struct {
	Seconded bool `json:"seconded"`
}

// SecondAttestation confirms, as another person, what one member of staff stated. Compliance confirms identities and gift cards,
// finance confirms money.
func (h *Handlers) SecondAttestation(ctx context.Context, in *secondInput) (*rest.Body[Seconded], error) {
	err := dualcontrol.SecondAttestation(ctx, h.DB, in.ID, h.kindsOf(rest.PrincipalOf(ctx)), rest.By(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &rest.Body[Seconded]{Body: Seconded{Seconded: true}}, nil
}

// kindsOf are the kinds of statements that the principal's roles confirm.
func (h *Handlers) kindsOf(who *account.Principal) []dualcontrol.Kind {
	kinds := []dualcontrol.Kind{}
	if h.Policy.Allows(rest.RolesOf(who), policy.ReviewCustomers) {
		kinds = append(kinds, dualcontrol.Identity, dualcontrol.CardValue)
	}
	if h.Policy.Allows(rest.RolesOf(who), policy.DecidePayments) {
		kinds = append(kinds, dualcontrol.Receipt, dualcontrol.Refund, dualcontrol.Credit, dualcontrol.PayoutReturned)
	}
	return kinds
}
