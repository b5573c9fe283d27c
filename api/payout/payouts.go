package payout

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

type newPayoutInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body NewPayout
}

// RequestPayout reserves a part of the balance and starts the workflow of its payment. The
// details of the account are sealed before they are stored.
func (h *Handlers) RequestPayout(ctx context.Context, in *newPayoutInput) (*rest.Body[Payout], error) {
	wanted, err := h.payoutWanted(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	intent, err := h.payoutIntent(in.Key, wanted)
	if err != nil {
		return nil, err
	}
	answer, found, err := h.DB.EarlierAnswer(ctx, intent)
	if err == nil && !found {
		answer, err = h.newPayout(ctx, intent, wanted)
	}
	if err != nil {
		return nil, err
	}
	var out Payout
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	return &rest.Body[Payout]{Body: out}, nil
}

func (h *Handlers) payoutWanted(ctx context.Context, in NewPayout) (wanted payout.NewPayout, err error) {
	amount, err := money.USD.Parse(strings.TrimSpace(in.Amount))
	if err != nil || amount.Sign() <= 0 {
		return wanted, store.Invalid("amount", "invalid_amount", "Enter an amount in dollars")
	}
	account, err := payout.PayoutAccount{Kind: in.AccountKind, Holder: in.AccountHolder, IBAN: in.IBAN, Routing: in.RoutingNumber, Number: in.AccountNumber}.Check()
	if err != nil {
		return wanted, err
	}
	return payout.NewPayout{UserID: rest.PrincipalOf(ctx).UserID, Amount: amount, Account: account, TwoAbove: h.payoutAlone(), ByMail: h.ConfirmsByMail(ctx)}, nil
}

// payoutIntent is one request. Its hash is keyed: an account's number is not
// found again by trying all there are.
func (h *Handlers) payoutIntent(key string, wanted payout.NewPayout) (store.IdempotencyKey, error) {
	canonical, err := json.Marshal([]any{wanted.Amount.String(), wanted.Account})
	if err != nil {
		return store.IdempotencyKey{}, err
	}
	sum, err := h.Vault.Index("payout request", canonical)
	return store.IdempotencyKey{UserID: wanted.UserID, Key: key, Route: "requestPayout", BodyHash: sum}, err
}

func (h *Handlers) newPayout(ctx context.Context, intent store.IdempotencyKey, wanted payout.NewPayout) (store.Answer, error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return store.Answer{}, err
	}
	var p *payout.Payout
	answer, repeated, err := h.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		var err error
		if p, err = payout.RequestPayout(ctx, tx, h.Vault, wanted); err != nil {
			return store.Answer{}, err
		}
		if wanted.ByMail {
			if err := h.AllowLink(ctx, tx, p.UserID); err != nil {
				return store.Answer{}, err
			}
		}
		text, err := json.Marshal(payoutView(p))
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err == nil && !repeated {
		h.StartCase(ctx, payout.KindPayout, p.ID)
	}
	return answer, err
}

type listPayoutsInput struct {
	rest.Paging
}

// ListPayouts answers GET /api/payouts.
func (h *Handlers) ListPayouts(ctx context.Context, in *listPayoutsInput) (*rest.Page[Payout], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	rows, next, err := payout.Payouts(ctx, h.DB, payout.PayoutFilter{UserID: userID}, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := payout.CountPayouts(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	view := func(p *payout.StaffPayout) Payout { return payoutView(&p.Payout) }
	return &rest.Page[Payout]{Link: rest.LinkTo(ctx, next, in.Limit), Total: counts.Total, Body: rest.Mapped(rows, view)}, nil
}

// GetPayout answers GET /api/payouts/{id}.
func (h *Handlers) GetPayout(ctx context.Context, in *rest.ObjectID) (*rest.Body[PayoutDetail], error) {
	p, err := payout.PayoutOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := casework.CaseEvents(ctx, h.DB, payout.KindPayout, p.ID)
	if err != nil {
		return nil, err
	}
	out := PayoutDetail{Payout: payoutView(p), Events: caseworkapi.CustomerEvents(events, payoutEvent)}
	return &rest.Body[PayoutDetail]{Body: out}, nil
}

// CancelPayout answers POST /api/payouts/{id}/cancel.
func (h *Handlers) CancelPayout(ctx context.Context, in *rest.ObjectID) (*caseworkapi.Decided, error) {
	if _, err := payout.PayoutOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return h.decidePayout(ctx, in.ID, casework.NewCaseDecision{Kind: payout.PayoutCancel, Own: true}, "Payout cancelled. The amount is back in your balance.")
}

// PayoutOutcomes are the messages for decisions about a payout that could not be executed.
var PayoutOutcomes = map[string]string{
	"not_awaited":         "The payout no longer needs this. Refresh the page.",
	"payout_state":        "The payout has changed. Refresh the page.",
	"account_frozen":      "The customer's account is frozen.",
	"kyc_required":        "The customer's identity isn't verified.",
	"owes_money":          "The customer owes us money. Reject the payout to deduct it.",
	"statement_unread":    "The payout has changed. Refresh the page.",
	"bank_reference_used": "This bank reference was already used.",
}

// decidePayout writes a decision and delivers it to the workflow.
func (h *Handlers) decidePayout(ctx context.Context, id string, in casework.NewCaseDecision, done string) (*caseworkapi.Decided, error) {
	decision, err := payout.OpenPayoutDecision(ctx, h.DB, id, caseworkapi.Asked(ctx, in))
	if err != nil {
		return nil, err
	}
	return h.Execute(ctx, decision, PayoutOutcomes, done)
}

func payoutView(p *payout.Payout) Payout {
	return Payout{ID: p.ID, Reference: p.Reference, Amount: money.USD.Format(p.Amount), Status: string(p.Status), AccountKind: p.AccountKind,
		AccountCountry: p.AccountCountry, AccountLast4: p.AccountLast4, Reason: p.Reason, BankReference: p.BankReference,
		CanCancel: p.CanCancel(), ConfirmBy: p.ConfirmBy, PaidAt: p.PaidAt, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt}
}

func payoutEvent(e *casework.StoredEvent) PayoutEvent {
	return PayoutEvent{ID: e.ID, At: e.At, Kind: PayoutEventKind(e.Kind), Actor: string(e.Actor), Internal: e.Internal}
}

// ResealPayouts reseals what an earlier key sealed.
func (h *Handlers) ResealPayouts(ctx context.Context) error {
	n, err := payout.ResealPayouts(ctx, h.DB, h.Vault)
	if n > 0 {
		h.Log.InfoContext(ctx, "payouts' bank accounts are sealed with the current key", "payouts", n)
	}
	return err
}
