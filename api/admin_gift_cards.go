package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// GiftCardFilter is what narrows the admin's gift cards.
type GiftCardFilter struct {
	Status string `query:"status" enum:"all,received,in_review,approved,realised,rejected,expired" default:"all"`
	Query  string `query:"q" maxLength:"100" doc:"a reference, an id or the beginning of one, or name or e-mail of whose it is"`
}

func (f GiftCardFilter) model() giftcard.CardFilter {
	return giftcard.CardFilter{Status: giftcard.CardStatus(unlessAll(f.Status)), Query: strings.TrimSpace(f.Query)}
}

type listAdminCardsInput struct {
	Paging
	GiftCardFilter
}

// listAdminGiftCards is newest first; what waits for staff is a queue, and its
// head has waited longest.
func (s *Server) listAdminGiftCards(ctx context.Context, in *listAdminCardsInput) (*page[AdminGiftCard], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	wanted.OldestFirst = filter.Status.Waits()
	return s.adminGiftCards(ctx, filter, wanted)
}

type pendingCardsInput struct {
	Cursor string `query:"cursor" maxLength:"200" doc:"from the Link header of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"5"`
}

// listPendingGiftCards are the newest cards that wait for a decision.
func (s *Server) listPendingGiftCards(ctx context.Context, in *pendingCardsInput) (*page[AdminGiftCard], error) {
	wanted, err := (Paging{Cursor: in.Cursor, Limit: in.Limit}).page()
	if err != nil {
		return nil, err
	}
	return s.adminGiftCards(ctx, giftcard.CardFilter{Status: giftcard.CardInReview}, wanted)
}

func (s *Server) adminGiftCards(ctx context.Context, filter giftcard.CardFilter, wanted store.Page) (*page[AdminGiftCard], error) {
	rows, next, err := giftcard.GiftCards(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := giftcard.CountGiftCardsFound(ctx, s.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(c *giftcard.StaffCard) AdminGiftCard { return s.adminGiftCard(c, who) }
	return &page[AdminGiftCard]{Link: linkTo(ctx, next, wanted.Limit), Total: counts.Matching(filter.Status), Body: mapped(rows, view)}, nil
}

func (s *Server) getGiftCardsSummary(ctx context.Context, in *GiftCardFilter) (*body[GiftCardsSummary], error) {
	filter := in.model()
	counts, err := giftcard.CountGiftCardsFound(ctx, s.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	all, err := giftcard.CountGiftCards(ctx, s.DB, "")
	if err != nil {
		return nil, err
	}
	out := GiftCardsSummary{Total: counts.Total, ByStatus: map[string]int{}, MatchingFilters: counts.Matching(filter.Status),
		WaitingValue: money.USD.Format(all.Sums[giftcard.CardInReview].Add(all.Sums[giftcard.CardReceived]))}
	for _, status := range giftcard.CardStatuses {
		out.ByStatus[string(status)] = counts.ByStatus[status]
	}
	return &body[GiftCardsSummary]{out}, nil
}

// adminGiftCard is a card as staff see it.
func (s *Server) adminGiftCard(c *giftcard.StaffCard, who *account.Principal) AdminGiftCard {
	view := AdminGiftCard{ID: c.ID, Reference: c.Reference, UserID: c.UserID, CustomerName: strings.TrimSpace(c.FirstName + " " + c.LastName), CustomerEmail: c.Email,
		Brand: c.BrandLabel, CardType: c.CardType, Value: money.USD.Format(c.Value), Payout: money.USD.Format(c.Payout), Status: string(c.Status),
		ConfirmedValue: dollars(c.ConfirmedValue), Paid: dollars(c.Paid), RejectReason: c.RejectReason, ReviewDueAt: c.ReviewDueAt, DecidedAt: c.DecidedAt,
		FirstApprovedBy: c.FirstEmail, FirstValue: dollars(c.FirstValue), TwoAbove: money.USD.Format(s.creditAlone()),
		Actions: s.cardActions(c, who), WorkflowURL: s.workflowURL(workflows.GiftCardID(c.ID)), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
	if c.DecisionID != nil && c.DecisionAt != nil {
		view.Decision = &Decision{ID: *c.DecisionID, Kind: *c.DecisionKind, CreatedAt: *c.DecisionAt}
	}
	return view
}

// cardPermissions are the rows of rules §7 for what staff do with a card.
var cardPermissions = map[string]permission{"reveal": reviewCustomers, giftcard.CardApprove: reviewCustomers, giftcard.CardReject: reviewCustomers,
	giftcard.CardRealise: decidePayments}

// cardActions are the buttons the signed-in person has on a card.
func (s *Server) cardActions(c *giftcard.StaffCard, who *account.Principal) []string {
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
	}
	if word(c.FirstApprovedBy) == who.UserID {
		wanted = slices.DeleteFunc(wanted, func(action string) bool { return action == giftcard.CardApprove })
	}
	for _, action := range wanted {
		if s.policy.allows(rolesOf(who), cardPermissions[action]) {
			actions = append(actions, action)
		}
	}
	return actions
}

func (s *Server) getAdminGiftCard(ctx context.Context, in *ObjectID) (*body[AdminGiftCardDetail], error) {
	record, err := giftcard.ReadCardRecord(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := giftcard.CardEvents(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	images, err := giftcard.CardImages(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	card := &record.Card
	alike := func(g *giftcard.AlikeCard) AlikeGiftCard {
		return AlikeGiftCard{ID: g.ID, Reference: g.Reference, Status: string(g.Status), SameCustomer: g.UserID == card.UserID, Holds: g.Holds(&card.GiftCard), CreatedAt: g.CreatedAt,
			CustomerID: g.UserID, CustomerName: g.Name(), Value: money.USD.Format(g.Value), Paid: dollars(g.Paid), Decider: g.DeciderEmail, DecidedAt: g.DecidedAt, RejectReason: g.RejectReason}
	}
	check := func(c *casework.Check) GiftCardCheck {
		return GiftCardCheck{Name: c.Name, Result: string(c.Result), Count: c.N}
	}
	return &body[AdminGiftCardDetail]{AdminGiftCardDetail{AdminGiftCard: s.adminGiftCard(card, principalOf(ctx)), Events: mapped(events, giftCardEvent),
		Decisions: mapped(record.Decisions, takenCardDecision), Postings: mapped(record.Postings, ledgerPosting), Alike: mapped(record.Alike, alike), Checks: mapped(record.Checks, check),
		Images: len(pictureURLs(images)), SecretsDestroyed: card.SecretsDestroyedAt, RealisedAmount: dollars(card.RealisedAmount),
		RealisedReference: card.RealisedReference, RealisedAt: card.RealisedAt}}, nil
}

func takenCardDecision(d *giftcard.TakenCardDecision) TakenDecision {
	return TakenDecision{ID: d.ID, Kind: d.Kind, Actor: d.ActorEmail, Reason: d.Reason, CreatedAt: d.CreatedAt, SettledAt: d.SettledAt, Outcome: d.OutcomeCode}
}

// revealGiftCard shows what is printed on a card to a reviewer, who gives a
// fresh code for it; that it did is in the audit log before it answers.
func (s *Server) revealGiftCard(ctx context.Context, in *ObjectID) (*body[GiftCardSecrets], error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	plain, images, err := giftcard.RevealGiftCard(ctx, s.DB, s.Vault, in.ID, store.Actor{ActorID: who.UserID, ActorRole: actorRole(who), RequestID: requestID(ctx)})
	if err != nil {
		return nil, err
	}
	return &body[GiftCardSecrets]{GiftCardSecrets{CardCode: plain.Code, PIN: plain.PIN, ExpirationDate: plain.Expiry, SecurityCode: plain.SecurityCode,
		Images: pictureURLs(images)}}, nil
}

type cardApprovalInput struct {
	ObjectID
	Body GiftCardApproval
}

func (s *Server) approveGiftCard(ctx context.Context, in *cardApprovalInput) (*decided, error) {
	value, err := money.USD.Parse(strings.TrimSpace(in.Body.Value))
	if err != nil {
		return nil, store.Invalid("value", "invalid_amount", "Enter the value you found on the card")
	}
	return s.decideCard(ctx, giftcard.NewCardDecision{CardID: in.ID, Kind: giftcard.CardApprove, Amount: &value}, "The gift card was approved. Its payout was credited.")
}

type cardRejectionInput struct {
	ObjectID
	Body GiftCardRejection
}

func (s *Server) rejectGiftCard(ctx context.Context, in *cardRejectionInput) (*decided, error) {
	return s.decideCard(ctx, giftcard.NewCardDecision{CardID: in.ID, Kind: giftcard.CardReject, Reason: in.Body.Reason}, "The gift card was rejected. Its details were deleted.")
}

type cardRealisationInput struct {
	ObjectID
	Body GiftCardRealisation
}

func (s *Server) realiseGiftCard(ctx context.Context, in *cardRealisationInput) (*decided, error) {
	amount, err := money.USD.Parse(strings.TrimSpace(in.Body.Amount))
	if err != nil {
		return nil, store.Invalid("amount", "invalid_amount", "Enter the amount received")
	}
	return s.decideCard(ctx, giftcard.NewCardDecision{CardID: in.ID, Kind: giftcard.CardRealise, Amount: &amount, Reason: in.Body.Reference},
		"The proceeds were recorded. The card details were deleted.")
}

// cardOutcomes say why a decision about a card could not be carried out.
var cardOutcomes = map[string]string{
	workflows.NotAwaited: "The gift card has changed. Refresh the page.",
	"decision_settled":   "This decision was already made.",
	"card_state":         "The gift card has changed. Refresh the page.",
	"duplicate":          "We already paid for this card.",
	"account_frozen":     "The customer's account is frozen.",
}

// approvedOnce is said when a card takes two people.
const approvedOnce = "This is above the daily limit for one person. Nothing was credited. A second person must approve the same value."

// decideCard writes a decision down, has the workflow carry it out, and waits
// for a while. The row is what counts: when Temporal cannot be reached, the
// sweeper delivers it later.
func (s *Server) decideCard(ctx context.Context, in giftcard.NewCardDecision, done string) (*decided, error) {
	who := principalOf(ctx)
	alone := s.creditAlone()
	in.ActorID, in.ActorRole, in.RequestID, in.Alone = who.UserID, actorRole(who), requestID(ctx), &alone
	decision, err := giftcard.OpenCardDecision(ctx, s.DB, in)
	if err != nil {
		return nil, err
	}
	if decision == nil {
		return &decided{Status: http.StatusAccepted, Body: Outcome{DecisionID: in.CardID, State: "proposed", Status: string(giftcard.CardInReview), Message: approvedOnce}}, nil
	}
	answer := Outcome{DecisionID: decision.ID, State: "working", Message: "This is taking longer than usual. The page will show when it is done."}
	outcome, settled, err := s.Workflows.DecideGiftCard(ctx, in.CardID, in.Kind, decision.ID, decisionWait)
	if err != nil {
		s.Log.WarnContext(ctx, "decision not delivered yet; the sweeper will", "decision", decision.ID, "error", err)
	}
	if err != nil || !settled {
		return &decided{Status: http.StatusAccepted, Body: answer}, nil
	}
	if !outcome.OK() {
		text, known := cardOutcomes[outcome.Code]
		if !known {
			text = outcomeText(outcome)
		}
		return nil, store.Conflict(outcome.Code, text)
	}
	answer.State, answer.Status, answer.Message = "done", outcome.Status, done
	return &decided{Status: http.StatusOK, Body: answer}, nil
}
