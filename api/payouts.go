package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

type newPayoutInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body NewPayout
}

// requestPayout reserves a part of the balance and starts the workflow that sees
// it to the bank account. What is said of the account is sealed before it is
// stored.
func (s *Server) requestPayout(ctx context.Context, in *newPayoutInput) (*body[Payout], error) {
	wanted, err := s.payoutWanted(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	intent, err := s.payoutIntent(in.Key, wanted)
	if err != nil {
		return nil, err
	}
	answer, found, err := s.DB.EarlierAnswer(ctx, intent)
	if err == nil && !found {
		answer, err = s.newPayout(ctx, intent, wanted)
	}
	if err != nil {
		return nil, err
	}
	var out Payout
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	return &body[Payout]{out}, nil
}

func (s *Server) payoutWanted(ctx context.Context, in NewPayout) (wanted payout.NewPayout, err error) {
	amount, err := money.USD.Parse(strings.TrimSpace(in.Amount))
	if err != nil || amount.Sign() <= 0 {
		return wanted, store.Invalid("amount", "invalid_amount", "Enter an amount in dollars")
	}
	account, err := payout.PayoutAccount{Kind: in.AccountKind, Holder: in.AccountHolder, IBAN: in.IBAN, Routing: in.RoutingNumber, Number: in.AccountNumber}.Check()
	if err != nil {
		return wanted, err
	}
	return payout.NewPayout{UserID: principalOf(ctx).UserID, Amount: amount, Account: account, TwoAbove: s.payoutAlone()}, nil
}

// payoutIntent is one request. Its hash is keyed: an account's number is not
// found again by trying all there are.
func (s *Server) payoutIntent(key string, wanted payout.NewPayout) (store.IdempotencyKey, error) {
	canonical, err := json.Marshal([]any{wanted.Amount.String(), wanted.Account})
	if err != nil {
		return store.IdempotencyKey{}, err
	}
	sum, err := s.Vault.Index("payout request", canonical)
	return store.IdempotencyKey{UserID: wanted.UserID, Key: key, Route: "requestPayout", BodyHash: sum}, err
}

func (s *Server) newPayout(ctx context.Context, intent store.IdempotencyKey, wanted payout.NewPayout) (store.Answer, error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return store.Answer{}, err
	}
	var p *payout.Payout
	answer, repeated, err := s.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		var err error
		if p, err = payout.RequestPayout(ctx, tx, s.Vault, wanted); err != nil {
			return store.Answer{}, err
		}
		text, err := json.Marshal(payoutView(p))
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err == nil && !repeated {
		s.startCase(ctx, payout.KindPayout, p.ID)
	}
	return answer, err
}

type listPayoutsInput struct {
	Paging
}

func (s *Server) listPayouts(ctx context.Context, in *listPayoutsInput) (*page[Payout], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	userID := principalOf(ctx).UserID
	rows, next, err := payout.Payouts(ctx, s.DB, payout.PayoutFilter{UserID: userID}, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := payout.CountPayouts(ctx, s.DB, userID)
	if err != nil {
		return nil, err
	}
	view := func(p *payout.StaffPayout) Payout { return payoutView(&p.Payout) }
	return &page[Payout]{Link: linkTo(ctx, next, in.Limit), Total: counts.Total, Body: mapped(rows, view)}, nil
}

func (s *Server) getPayout(ctx context.Context, in *ObjectID) (*body[PayoutDetail], error) {
	p, err := payout.PayoutOf(ctx, s.DB, principalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := casework.CaseEvents(ctx, s.DB, payout.KindPayout, p.ID)
	if err != nil {
		return nil, err
	}
	out := PayoutDetail{Payout: payoutView(p), Events: []PayoutEvent{}}
	for i := range events {
		if !events[i].Internal {
			out.Events = append(out.Events, payoutEvent(&events[i]))
		}
	}
	return &body[PayoutDetail]{out}, nil
}

func (s *Server) cancelPayout(ctx context.Context, in *ObjectID) (*decided, error) {
	if _, err := payout.PayoutOf(ctx, s.DB, principalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return s.decidePayout(ctx, in.ID, casework.NewCaseDecision{Kind: payout.PayoutCancel, Own: true}, "Payout cancelled. The amount is back in your balance.")
}

// payoutOutcomes say why a decision about a payout could not be carried out.
var payoutOutcomes = map[string]string{
	"not_awaited":         "The payout no longer needs this. Refresh the page.",
	"payout_state":        "The payout has changed. Refresh the page.",
	"account_frozen":      "The customer's account is frozen.",
	"kyc_required":        "The customer's identity isn't verified.",
	"owes_money":          "The customer owes us money. Reject the payout to deduct it.",
	"bank_reference_used": "This bank reference was already used for another payout.",
}

// decidePayout writes a decision down and has the workflow carry it out.
func (s *Server) decidePayout(ctx context.Context, id string, in casework.NewCaseDecision, done string) (*decided, error) {
	decision, err := payout.OpenPayoutDecision(ctx, s.DB, id, asked(ctx, in))
	if err != nil {
		return nil, err
	}
	return s.carryOut(ctx, decision, payoutOutcomes, done)
}

func payoutView(p *payout.Payout) Payout {
	return Payout{ID: p.ID, Reference: p.Reference, Amount: money.USD.Format(p.Amount), Status: string(p.Status), AccountKind: p.AccountKind,
		AccountCountry: p.AccountCountry, AccountLast4: p.AccountLast4, Reason: p.Reason, BankReference: p.BankReference,
		CanCancel: p.Status == payout.PayoutRequested, PaidAt: p.PaidAt, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt}
}

func payoutEvent(e *casework.CaseEvent) PayoutEvent {
	return PayoutEvent{ID: e.ID, At: e.At, Kind: PayoutEventKind(e.Kind), Actor: string(e.Actor), Internal: e.Internal}
}

// resealPayouts seals anew what an earlier key sealed.
func (s *Server) resealPayouts(ctx context.Context) error {
	n, err := payout.ResealPayouts(ctx, s.DB, s.Vault)
	if n > 0 {
		s.Log.InfoContext(ctx, "payouts' bank accounts are sealed with the current key", "payouts", n)
	}
	return err
}
