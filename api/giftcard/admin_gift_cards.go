package giftcard

import (
	"context"
	"net/http"
	"slices"
	"strings"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	payoutapi "github.com/tradepost/tradepost/api/payout"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// GiftCardFilter is what narrows the admin's gift cards.
type GiftCardFilter struct {
	Status string `query:"status" enum:"all,received,in_review,offered,approved,realised,rejected,declined,expired" default:"all"`
	Query  string `query:"q" maxLength:"100" doc:"a reference, an id or the beginning of one, or name or e-mail of whose it is"`
}

func (f GiftCardFilter) model() giftcard.CardFilter {
	return giftcard.CardFilter{Status: giftcard.CardStatus(rest.UnlessAll(f.Status)), Query: strings.TrimSpace(f.Query)}
}

type listAdminCardsInput struct {
	rest.Paging
	GiftCardFilter
}

// ListAdminGiftCards is newest first; what waits for staff is a queue, and its
// head has waited longest.
func (h *Handlers) ListAdminGiftCards(ctx context.Context, in *listAdminCardsInput) (*rest.Page[AdminGiftCard], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	wanted.OldestFirst = filter.Status.Waits()
	return h.adminGiftCards(ctx, filter, wanted)
}

type pendingCardsInput struct {
	Cursor string `query:"cursor" maxLength:"200" doc:"from the Link header of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"5"`
}

// ListPendingGiftCards are the newest cards that wait for a decision.
func (h *Handlers) ListPendingGiftCards(ctx context.Context, in *pendingCardsInput) (*rest.Page[AdminGiftCard], error) {
	wanted, err := (rest.Paging{Cursor: in.Cursor, Limit: in.Limit}).Page()
	if err != nil {
		return nil, err
	}
	return h.adminGiftCards(ctx, giftcard.CardFilter{Status: giftcard.CardInReview}, wanted)
}

func (h *Handlers) adminGiftCards(ctx context.Context, filter giftcard.CardFilter, wanted store.Page) (*rest.Page[AdminGiftCard], error) {
	rows, next, err := giftcard.GiftCards(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := giftcard.CountGiftCardsFound(ctx, h.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := func(c *giftcard.StaffCard) AdminGiftCard { return h.adminGiftCard(c, who) }
	return &rest.Page[AdminGiftCard]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: counts.Matching(filter.Status), Body: rest.Mapped(rows, view)}, nil
}

// GetGiftCardsSummary answers GET /api/admin/gift-cards/summary.
func (h *Handlers) GetGiftCardsSummary(ctx context.Context, in *GiftCardFilter) (*rest.Body[GiftCardsSummary], error) {
	filter := in.model()
	counts, err := giftcard.CountGiftCardsFound(ctx, h.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	all, err := giftcard.CountGiftCards(ctx, h.DB, "")
	if err != nil {
		return nil, err
	}
	out := GiftCardsSummary{Total: counts.Total, ByStatus: map[string]int{}, MatchingFilters: counts.Matching(filter.Status),
		WaitingValue: money.USD.Format(all.Sums[giftcard.CardInReview].Add(all.Sums[giftcard.CardReceived]))}
	for _, status := range giftcard.CardStatuses {
		out.ByStatus[string(status)] = counts.ByStatus[status]
	}
	return &rest.Body[GiftCardsSummary]{Body: out}, nil
}

// adminGiftCard is a card as staff see it.
func (h *Handlers) adminGiftCard(c *giftcard.StaffCard, who *account.Principal) AdminGiftCard {
	view := AdminGiftCard{ID: c.ID, Reference: c.Reference, UserID: c.UserID, CustomerName: strings.TrimSpace(c.FirstName + " " + c.LastName), CustomerEmail: c.Email,
		Brand: c.BrandLabel, CardType: c.CardType, Value: money.USD.Format(c.Value), Payout: money.USD.Format(c.Payout), Status: string(c.Status),
		ConfirmedValue: rest.Dollars(c.ConfirmedValue), Paid: rest.Dollars(c.Paid), RejectReason: c.RejectReason, ReviewDueAt: c.ReviewDueAt, OfferUntil: c.OfferUntil, DecidedAt: c.DecidedAt,
		FirstApprovedBy: c.FirstEmail, FirstValue: rest.Dollars(c.FirstValue), TwoAbove: money.USD.Format(h.CreditAlone()),
		Actions: h.cardActions(c, who), WorkflowURL: h.WorkflowURL(workflows.GiftCardID(c.ID)), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
	if c.DecisionID != nil && c.DecisionAt != nil {
		view.Decision = &caseworkapi.Decision{ID: *c.DecisionID, Kind: *c.DecisionKind, CreatedAt: *c.DecisionAt}
	}
	return view
}

// cardPermissions are the rows of rules §7 for what staff do with a card.
var cardPermissions = map[string]policy.Permission{"reveal": policy.ReviewCustomers, giftcard.CardApprove: policy.ReviewCustomers, giftcard.CardReject: policy.ReviewCustomers,
	giftcard.CardRealise: policy.DecidePayments}

// cardActions are the caller's actions on a card.
func (h *Handlers) cardActions(c *giftcard.StaffCard, who *account.Principal) []string {
	actions := []string{}
	if c.UserID == who.UserID {
		return actions
	}
	wanted := []string{}
	if c.SecretsDestroyedAt == nil {
		wanted = append(wanted, "reveal")
	}
	if c.DecisionID == nil {
		wanted = append(wanted, giftcard.CardDecisions(c.Status)...)
		wanted = slices.DeleteFunc(wanted, giftcard.OfCustomer)
	}
	if rest.Word(c.FirstApprovedBy) == who.UserID {
		wanted = slices.DeleteFunc(wanted, func(action string) bool { return action == giftcard.CardApprove })
	}
	for _, action := range wanted {
		if h.Policy.Allows(rest.RolesOf(who), cardPermissions[action]) {
			actions = append(actions, action)
		}
	}
	return actions
}

// GetAdminGiftCard answers GET /api/admin/gift-cards/{id}.
func (h *Handlers) GetAdminGiftCard(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminGiftCardDetail], error) {
	record, err := giftcard.ReadCardRecord(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := giftcard.Timeline.Events(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	images, err := giftcard.CardImages(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	card := &record.Card
	alike := func(g *giftcard.AlikeCard) AlikeGiftCard {
		return AlikeGiftCard{ID: g.ID, Reference: g.Reference, Status: string(g.Status), SameCustomer: g.UserID == card.UserID, Holds: g.Holds(&card.GiftCard), CreatedAt: g.CreatedAt,
			CustomerID: g.UserID, CustomerName: g.Name(), Value: money.USD.Format(g.Value), Paid: rest.Dollars(g.Paid), Decider: g.DeciderEmail, DecidedAt: g.DecidedAt, RejectReason: g.RejectReason}
	}
	check := func(c *casework.Check) GiftCardCheck {
		return GiftCardCheck{Name: c.Name, Result: string(c.Result), Count: c.N}
	}
	view := AdminGiftCardDetail{AdminGiftCard: h.adminGiftCard(card, rest.PrincipalOf(ctx)),
		Events: rest.Mapped(events, giftCardEvent), Decisions: rest.Mapped(record.Decisions, caseworkapi.ShownDecision),
		Postings: ledgerapi.ShownPostings(ctx, h.Policy, record.Postings),
		Alike:    rest.Mapped(record.Alike, alike), Checks: rest.Mapped(record.Checks, check),
		Images: len(pictureURLs(images)), SecretsDestroyed: card.SecretsDestroyedAt, RealisedAmount: rest.Dollars(card.RealisedAmount),
		RealisedReference: card.RealisedReference, RealisedAt: card.RealisedAt}
	if err := h.addClaim(ctx, &record, &view); err != nil {
		return nil, err
	}
	return &rest.Body[AdminGiftCardDetail]{Body: view}, nil
}

// addClaim adds the claim of a card, what can still be claimed, and the claim or reversal that waits for a second
// person.
func (h *Handlers) addClaim(ctx context.Context, record *giftcard.CardRecord, view *AdminGiftCardDetail) error {
	view.Claim = claimView(record.Claim)
	if record.Claim != nil {
		view.TakenBack = rest.Dollars(&record.Claim.TakenBack)
	}
	if lost := record.Card.Lost(money.Units{}); record.Claim == nil && lost != nil {
		view.Lost = rest.Dollars(lost)
	}
	proposal, err := correction.OpenMoneyProposal(ctx, h.DB, view.ID)
	if err != nil {
		return err
	}
	who := rest.PrincipalOf(ctx)
	switch {
	case proposal != nil:
		view.Proposal = &payoutapi.OpenMoneyProposal{ID: proposal.ID, Kind: proposal.Kind, Reason: proposal.Reason,
			By: proposal.Proposer}
	case view.UserID == who.UserID || view.Decision != nil:
	case !h.Policy.Allows(rest.RolesOf(who), policy.DecidePayments):
	case record.Claim == nil && record.Card.Paid != nil:
		view.Actions = append(view.Actions, "claim")
	case record.Claim != nil && record.Claim.ReversedAt == nil:
		view.Actions = append(view.Actions, "reverse_claim")
	}
	return nil
}

// RevealGiftCard shows what is printed on a card to a reviewer, who gives a
// fresh code for it; that it did is in the audit log before it answers.
func (h *Handlers) RevealGiftCard(ctx context.Context, in *rest.ObjectID) (*rest.Body[GiftCardSecrets], error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	plain, images, err := giftcard.RevealGiftCard(ctx, h.DB, h.Vault, in.ID, store.Actor{ActorID: who.UserID, ActorRole: rest.ActorRole(who), RequestID: rest.RequestID(ctx)})
	if err != nil {
		return nil, err
	}
	return &rest.Body[GiftCardSecrets]{Body: GiftCardSecrets{CardCode: plain.Code, PIN: plain.PIN, ExpirationDate: plain.Expiry, SecurityCode: plain.SecurityCode,
		Images: pictureURLs(images)}}, nil
}

type cardApprovalInput struct {
	rest.ObjectID
	Body GiftCardApproval
}

// ApproveGiftCard answers POST /api/admin/gift-cards/{id}/approve.
func (h *Handlers) ApproveGiftCard(ctx context.Context, in *cardApprovalInput) (*caseworkapi.Decided, error) {
	value, err := money.USD.Parse(strings.TrimSpace(in.Body.Value))
	if err != nil {
		return nil, store.Invalid("value", "invalid_amount", "Enter the value you found on the card")
	}
	card, err := giftcard.ReadGiftCard(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	done := "The gift card was approved. Its payout was credited."
	if value.Cmp(card.Value) < 0 {
		done = "The customer was offered less. They accept within 72 hours, or the offer is declined."
	}
	approval := giftcard.NewCardDecision{CardID: in.ID, Kind: giftcard.CardApprove, Amount: &value, Seen: in.Body.Version}
	return h.decideCard(ctx, approval, done)
}

type cardRejectionInput struct {
	rest.ObjectID
	Body GiftCardRejection
}

// RejectGiftCard answers POST /api/admin/gift-cards/{id}/reject.
func (h *Handlers) RejectGiftCard(ctx context.Context, in *cardRejectionInput) (*caseworkapi.Decided, error) {
	return h.decideCard(ctx, giftcard.NewCardDecision{CardID: in.ID, Kind: giftcard.CardReject, Reason: in.Body.Reason}, "The gift card was rejected. Its details were deleted.")
}

type cardRealisationInput struct {
	rest.ObjectID
	Body GiftCardRealisation
}

// RealiseGiftCard answers POST /api/admin/gift-cards/{id}/realise.
func (h *Handlers) RealiseGiftCard(ctx context.Context, in *cardRealisationInput) (*caseworkapi.Decided, error) {
	amount, err := money.USD.Parse(strings.TrimSpace(in.Body.Amount))
	if err != nil {
		return nil, store.Invalid("amount", "invalid_amount", "Enter the amount received")
	}
	return h.decideCard(ctx, giftcard.NewCardDecision{CardID: in.ID, Kind: giftcard.CardRealise, Amount: &amount,
		Reason: typed.Reference(in.Body.Reference)}, "The proceeds were recorded. The card details were deleted.")
}

// cardOutcomes are the messages for decisions about a card that could not be executed.
var cardOutcomes = map[string]string{
	workflows.NotAwaited:  "The gift card has changed. Refresh the page.",
	"decision_settled":    "This decision was already made.",
	"card_state":          "The gift card has changed. Refresh the page.",
	"duplicate":           "We already paid for this card.",
	"account_frozen":      "The customer's account is frozen.",
	"above_value":         "The proceeds are above the approved value of the card.",
	"bank_reference_used": "This bank reference was already used.",
}

// approvedOnce is the message when a card needs two approvals.
const approvedOnce = "This is above the daily limit for one person. Nothing was credited. A second person must approve the same value."

// decideCard writes a decision, has the workflow execute it, and waits for a while.
func (h *Handlers) decideCard(ctx context.Context, in giftcard.NewCardDecision, done string) (*caseworkapi.Decided, error) {
	who := rest.PrincipalOf(ctx)
	alone := h.CreditAlone()
	in.ActorID, in.ActorRole, in.RequestID, in.Alone, in.StaffAlone = who.UserID, rest.ActorRole(who), rest.RequestID(ctx), &alone, h.StaffAlone()
	decision, err := giftcard.OpenCardDecision(ctx, h.DB, in)
	if err != nil {
		return nil, err
	}
	if decision == nil {
		return &caseworkapi.Decided{Status: http.StatusAccepted, Body: caseworkapi.Outcome{DecisionID: in.CardID, State: "proposed", Status: string(giftcard.CardInReview), Message: approvedOnce}}, nil
	}
	outcome, resolved, err := h.Workflows.DecideGiftCard(ctx, in.CardID, in.Kind, decision.ID, caseworkapi.DecisionWait)
	return caseworkapi.Answer(ctx, h.Log, decision.ID, caseworkapi.Result{Outcome: outcome, Resolved: resolved, Err: err}, cardOutcomes, done)
}
