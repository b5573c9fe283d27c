package api

import (
	"context"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

// CustomerFilter is what narrows the list of customers.
type CustomerFilter struct {
	KYC   string `query:"kyc" enum:"all,not_started,pending,verified,enhanced,rejected" default:"all"`
	Tier  string `query:"tier" enum:"all,bronze,silver,gold,platinum" default:"all"`
	Query string `query:"q" maxLength:"100" doc:"name, e-mail or id"`
}

func (f CustomerFilter) model() customer.CustomerFilter {
	return customer.CustomerFilter{KYC: unlessAll(f.KYC), Tier: unlessAll(f.Tier), Query: f.Query}
}

type listCustomersInput struct {
	Paging
	CustomerFilter
}

func (s *Server) listCustomers(ctx context.Context, in *listCustomersInput) (*page[AdminCustomer], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	rows, next, err := customer.Customers(ctx, s.DB, in.model(), wanted)
	if err != nil {
		return nil, err
	}
	counts, err := customer.CountCustomers(ctx, s.DB, in.model())
	if err != nil {
		return nil, err
	}
	return &page[AdminCustomer]{Link: linkTo(ctx, next, in.Limit), Total: counts.Total, Body: mapped(rows, adminCustomer)}, nil
}

// getCustomersSummary counts all customers the search finds; the other filters
// narrow only matchingFilters, so that the counters stay put.
func (s *Server) getCustomersSummary(ctx context.Context, in *CustomerFilter) (*body[CustomersSummary], error) {
	matching, err := customer.CountCustomers(ctx, s.DB, in.model())
	if err != nil {
		return nil, err
	}
	n, err := customer.CountCustomers(ctx, s.DB, customer.CustomerFilter{Query: in.Query})
	if err != nil {
		return nil, err
	}
	return &body[CustomersSummary]{CustomersSummary{Total: n.Total, Verified: n.Verified, Premium: n.Premium, PendingKYC: n.Pending, MatchingFilters: matching.Total}}, nil
}

func adminCustomer(c *account.Customer) AdminCustomer {
	return AdminCustomer{ID: c.ID, Name: optional(strings.TrimSpace(c.FirstName + " " + c.LastName)), Email: c.Email, KYCStatus: c.KYCStatus, VolumeTier: c.VolumeTier,
		TierUntil: c.TierUntil, TotalVolume30: money.USD.Format(c.Volume), CountryCode: optional(c.Country), Frozen: c.FrozenAt != nil, Version: c.Version, CreatedAt: c.CreatedAt}
}

func (s *Server) getCustomerStats(ctx context.Context, in *ObjectID) (*body[AdminCustomerStats], error) {
	if _, err := customer.Customer(ctx, s.DB, in.ID); err != nil {
		return nil, err
	}
	stats, err := s.customerStats(ctx, in.ID)
	return &body[AdminCustomerStats]{stats}, err
}

func (s *Server) customerStats(ctx context.Context, userID string) (AdminCustomerStats, error) {
	st, err := customer.ReadCustomerStats(ctx, s.DB, userID)
	if err != nil {
		return AdminCustomerStats{}, err
	}
	out := AdminCustomerStats{TotalOrders: st.Orders, UnpaidOrders: st.Unpaid, TotalVolume: money.USD.Format(st.Volume), AvgOrderSize: "0.00", LastOrderDate: st.LastOrder}
	if st.Orders > 0 {
		out.AvgOrderSize = money.USD.Format(average(st.Volume, st.Orders))
	}
	return out, nil
}

// average is a part of a sum of cents, rounded to the cent.
func average(sum money.Units, n int) money.Units {
	return money.USD.FromDecimal(money.USD.Decimal(sum).Div(money.USD.Decimal(money.FromInt(int64(n)*100))), money.HalfUp)
}

// shownOfCustomer is how many of each of a customer's things their page shows.
const shownOfCustomer = 10

func (s *Server) getAdminCustomer(ctx context.Context, in *ObjectID) (*body[AdminCustomerDetail], error) {
	c, err := customer.Customer(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	out := AdminCustomerDetail{AdminCustomer: adminCustomer(c), FrozenAt: c.FrozenAt, FrozenReason: optional(c.FrozenReason), Actions: s.customerActions(ctx, c)}
	for _, add := range []func(context.Context, *account.Customer, *AdminCustomerDetail) error{s.addStanding, s.addMoney, s.addTrades, s.addTalk} {
		if err := add(ctx, c, &out); err != nil {
			return nil, err
		}
	}
	return &body[AdminCustomerDetail]{out}, nil
}

// customerActions is what the signed-in person can do about a customer; nobody
// can do anything about themselves.
func (s *Server) customerActions(ctx context.Context, c *account.Customer) []string {
	who, actions := principalOf(ctx), []string{}
	if who.UserID == c.ID || c.ClosedAt != nil {
		return actions
	}
	roles := rolesOf(who)
	if s.policy.allows(roles, configure) {
		actions = append(actions, "tier")
	}
	if s.policy.allows(roles, reviewCustomers) {
		freeze := "freeze"
		if c.FrozenAt != nil {
			freeze = "unfreeze"
		}
		actions = append(actions, freeze, "sign_out")
	}
	return append(actions, "note")
}

func (s *Server) addStanding(ctx context.Context, c *account.Customer, out *AdminCustomerDetail) (err error) {
	if out.Flags, err = customer.RiskFlags(ctx, s.DB, c); err != nil {
		return err
	}
	if out.Stats, err = s.customerStats(ctx, c.ID); err != nil {
		return err
	}
	kyc, err := kyc.KYC(ctx, s.DB, c.ID)
	if err != nil {
		return err
	}
	if !kyc.CreatedAt.IsZero() {
		out.Identity = &CustomerIdentity{Level: kyc.LevelInForce(), Status: kyc.Status, ExpiresAt: kyc.ExpiresAt}
	}
	return nil
}

func (s *Server) addMoney(ctx context.Context, c *account.Customer, out *AdminCustomerDetail) error {
	have, err := ledger.HoldingsOf(ctx, s.DB, c.ID)
	if err != nil {
		return err
	}
	out.Balance, out.Reserved, out.Receivable = money.USD.Format(have.Balance), money.USD.Format(have.Reserved), money.USD.Format(have.Receivable)
	entries, _, err := ledger.BalanceHistory(ctx, s.DB, c.ID, nil, shownOfCustomer)
	out.Entries = mapped(entries, balanceEntryToStaff)
	return err
}

// entryTextsToStaff say of a customer what entryTexts say to them, wherever those
// speak to them.
var entryTextsToStaff = map[string]string{ //nolint:gosec // "credited" is no credential
	"bonus_credited":        "Bonus of their volume tier",
	"paid_from_balance":     "Order paid from their balance",
	"payout_requested":      "Reserved for a payout to their bank",
	"payout_returned":       "Payout returned by their bank",
	"debt_paid":             "Paid towards what they owed us",
	"referral_rewarded":     "A friend they referred completed their first order",
	"signup_bonus_credited": "Their sign-up bonus",
}

func balanceEntryToStaff(e *ledger.BalanceEntry) BalanceEntry {
	entry := balanceEntry(e)
	_, named := entryTexts[e.Event]
	switch {
	case !named && e.Amount.Sign() > 0:
		entry.Why = "Credited to their balance"
	case !named:
		entry.Why = "Deducted from their balance"
	case entryTextsToStaff[e.Event] != "":
		entry.Why = entryTextsToStaff[e.Event]
	}
	return entry
}

func (s *Server) addTrades(ctx context.Context, c *account.Customer, out *AdminCustomerDetail) error {
	rows, _, err := reporting.Transactions(ctx, s.DB, c.ID, reporting.TransactionFilter{}, store.Page{Limit: shownOfCustomer})
	out.Trades = mapped(rows, func(t *reporting.Transaction) CustomerTrade {
		trade := CustomerTrade{ID: t.ID, Kind: t.Kind, Reference: t.Reference, Status: t.Status,
			Resolution: optional(t.Resolution), Authorised: t.Authorised, CreatedAt: t.CreatedAt}
		if t.Fiat != nil {
			trade.Amount = money.USD.Format(*t.Fiat)
		}
		return trade
	})
	return err
}

func (s *Server) addTalk(ctx context.Context, c *account.Customer, out *AdminCustomerDetail) error {
	tickets, _, err := support.Tickets(ctx, s.DB, support.TicketFilter{UserID: c.ID}, store.Page{Limit: shownOfCustomer})
	if err != nil {
		return err
	}
	out.Tickets = mapped(tickets, func(t *support.ListedTicket) CustomerTicket {
		return CustomerTicket{ID: t.ID, Reference: t.Reference, Subject: t.Subject, Status: string(t.Status), CreatedAt: t.CreatedAt}
	})
	sessions, err := account.ActiveSessions(ctx, s.DB, &account.Principal{UserID: c.ID})
	if err != nil {
		return err
	}
	out.Sessions = mapped(sessions, activeSession)
	notes, err := customer.CustomerNotes(ctx, s.DB, c.ID, 100)
	out.Notes = mapped(notes, customerNote)
	return err
}

// aboutCustomer is an action of the signed-in person about a customer.
func aboutCustomer(ctx context.Context, id, reason string) account.StaffAction {
	who := principalOf(ctx)
	return account.StaffAction{CustomerID: id, ActorID: who.UserID, ActorRole: actorRole(who), Reason: reason, RequestID: requestID(ctx)}
}

type setTierInput struct {
	ObjectID
	Body TierChange
}

func (s *Server) setCustomerTier(ctx context.Context, in *setTierInput) (*body[AdminCustomer], error) {
	c, err := customer.SetTier(ctx, s.DB, aboutCustomer(ctx, in.ID, in.Body.Reason), customer.TierChoice{Tier: in.Body.VolumeTier, Until: in.Body.Until, Version: in.Body.Version})
	if err != nil {
		return nil, err
	}
	return &body[AdminCustomer]{adminCustomer(c)}, nil
}

func (s *Server) releaseCustomerTier(ctx context.Context, in *ObjectID) (*body[AdminCustomer], error) {
	c, err := customer.ReleaseTier(ctx, s.DB, aboutCustomer(ctx, in.ID, ""))
	if err != nil {
		return nil, err
	}
	return &body[AdminCustomer]{adminCustomer(c)}, nil
}

type customerReasonInput struct {
	ObjectID
	Body CustomerReason
}

func (s *Server) freezeCustomer(ctx context.Context, in *customerReasonInput) (*body[AdminCustomer], error) {
	if err := customer.FreezeCustomer(ctx, s.DB, aboutCustomer(ctx, in.ID, in.Body.Reason)); err != nil {
		return nil, err
	}
	return s.customerNow(ctx, in.ID)
}

func (s *Server) customerNow(ctx context.Context, id string) (*body[AdminCustomer], error) {
	c, err := customer.Customer(ctx, s.DB, id)
	if err != nil {
		return nil, err
	}
	return &body[AdminCustomer]{adminCustomer(c)}, nil
}

// takeOnTime is how long the decisions that take blocked things on are delivered
// beside the answer; what is late the sweep delivers.
const takeOnTime = 10 * time.Second

func (s *Server) unfreezeCustomer(ctx context.Context, in *customerReasonInput) (*body[Unfrozen], error) {
	parked, err := customer.UnfreezeCustomer(ctx, s.DB, aboutCustomer(ctx, in.ID, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	for _, p := range parked {
		s.background.Go(func() { s.takeOn(context.WithoutCancel(ctx), p) })
	}
	return &body[Unfrozen]{Unfrozen{TookOn: len(parked)}}, nil
}

// takeOn hands the decision that takes a blocked thing on to its workflow.
func (s *Server) takeOn(ctx context.Context, p casework.Blocked) {
	var err error
	if p.Matter == "" {
		_, _, err = s.Workflows.Decide(ctx, p.ID, p.Kind, p.DecisionID, takeOnTime)
	} else {
		_, _, err = s.Workflows.DecideCase(ctx, p.Matter, p.ID, p.Kind, p.DecisionID, takeOnTime)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "decision not delivered yet; the sweeper will", "decision", p.DecisionID, "error", err)
	}
}

func (s *Server) signCustomerOut(ctx context.Context, in *ObjectID) (*body[EndedSessions], error) {
	ended, err := account.EndSessionsAsStaff(ctx, s.DB, aboutCustomer(ctx, in.ID, ""))
	if err != nil {
		return nil, err
	}
	return &body[EndedSessions]{EndedSessions{ended}}, nil
}

type newNoteInput struct {
	ObjectID
	Body NewCustomerNote
}

func (s *Server) noteAboutCustomer(ctx context.Context, in *newNoteInput) (*body[[]CustomerNote], error) {
	if err := customer.AddCustomerNote(ctx, s.DB, aboutCustomer(ctx, in.ID, ""), in.Body.Body); err != nil {
		return nil, err
	}
	notes, err := customer.CustomerNotes(ctx, s.DB, in.ID, 100)
	if err != nil {
		return nil, err
	}
	return &body[[]CustomerNote]{mapped(notes, customerNote)}, nil
}

func customerNote(n *casework.Note) CustomerNote {
	return CustomerNote{ID: n.ID, Author: n.Author, Body: n.Body, CreatedAt: n.CreatedAt}
}
