package customer

import (
	"context"
	"strings"

	accountapi "github.com/tradepost/tradepost/api/account"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
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
	return customer.CustomerFilter{KYC: rest.UnlessAll(f.KYC), Tier: rest.UnlessAll(f.Tier), Query: f.Query}
}

type listCustomersInput struct {
	rest.Paging
	CustomerFilter
}

// ListCustomers answers GET /api/admin/customers.
func (h *Handlers) ListCustomers(ctx context.Context, in *listCustomersInput) (*rest.Page[AdminCustomer], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	rows, next, err := customer.Customers(ctx, h.DB, in.model(), wanted)
	if err != nil {
		return nil, err
	}
	counts, err := customer.CountCustomers(ctx, h.DB, in.model())
	if err != nil {
		return nil, err
	}
	return &rest.Page[AdminCustomer]{Link: rest.LinkTo(ctx, next, in.Limit), Total: counts.Total, Body: rest.Mapped(rows, adminCustomer)}, nil
}

// GetCustomersSummary counts all customers the search finds; the other filters
// narrow only matchingFilters, so that the counters stay put.
func (h *Handlers) GetCustomersSummary(ctx context.Context, in *CustomerFilter) (*rest.Body[CustomersSummary], error) {
	matching, err := customer.CountCustomers(ctx, h.DB, in.model())
	if err != nil {
		return nil, err
	}
	n, err := customer.CountCustomers(ctx, h.DB, customer.CustomerFilter{Query: in.Query})
	if err != nil {
		return nil, err
	}
	return &rest.Body[CustomersSummary]{Body: CustomersSummary{Total: n.Total, Verified: n.Verified, Premium: n.Premium, PendingKYC: n.Pending, MatchingFilters: matching.Total}}, nil
}

func adminCustomer(c *account.Customer) AdminCustomer {
	return AdminCustomer{ID: c.ID, Name: rest.Optional(strings.TrimSpace(c.FirstName + " " + c.LastName)), Email: c.Email, KYCStatus: c.KYCStatus, VolumeTier: c.VolumeTier,
		TierUntil: c.TierUntil, TotalVolume30: money.USD.Format(c.Volume), CountryCode: rest.Optional(c.Country), Frozen: c.FrozenAt != nil, Version: c.Version, CreatedAt: c.CreatedAt}
}

// GetCustomerStats answers GET /api/admin/customers/{id}/stats.
func (h *Handlers) GetCustomerStats(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminCustomerStats], error) {
	if _, err := customer.Customer(ctx, h.DB, in.ID); err != nil {
		return nil, err
	}
	stats, err := h.customerStats(ctx, in.ID)
	return &rest.Body[AdminCustomerStats]{Body: stats}, err
}

func (h *Handlers) customerStats(ctx context.Context, userID string) (AdminCustomerStats, error) {
	st, err := customer.ReadCustomerStats(ctx, h.DB, userID)
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

// shownOfCustomer is how many of each kind of a customer's objects their page shows.
const shownOfCustomer = 10

// GetAdminCustomer answers GET /api/admin/customers/{id}.
func (h *Handlers) GetAdminCustomer(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminCustomerDetail], error) {
	c, err := customer.Customer(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	out := AdminCustomerDetail{AdminCustomer: adminCustomer(c), FrozenAt: c.FrozenAt, FrozenReason: rest.Optional(c.FrozenReason), Actions: h.customerActions(ctx, c)}
	for _, add := range []func(context.Context, *account.Customer, *AdminCustomerDetail) error{h.addStanding, h.addMoney, h.addTrades, h.addTalk} {
		if err := add(ctx, c, &out); err != nil {
			return nil, err
		}
	}
	return &rest.Body[AdminCustomerDetail]{Body: out}, nil
}

// customerActions is what the caller can do about a customer; no member of staff can act on
// themselves.
func (h *Handlers) customerActions(ctx context.Context, c *account.Customer) []string {
	who, actions := rest.PrincipalOf(ctx), []string{}
	if who.UserID == c.ID || c.ClosedAt != nil {
		return actions
	}
	roles := rest.RolesOf(who)
	if h.Policy.Allows(roles, policy.Configure) {
		actions = append(actions, "tier")
	}
	if h.Policy.Allows(roles, policy.ReviewCustomers) {
		freeze := "freeze"
		if c.FrozenAt != nil {
			freeze = "unfreeze"
		}
		actions = append(actions, freeze, "sign_out")
	}
	return append(actions, "note")
}

func (h *Handlers) addStanding(ctx context.Context, c *account.Customer, out *AdminCustomerDetail) (err error) {
	if out.Flags, err = customer.RiskFlags(ctx, h.DB, c); err != nil {
		return err
	}
	if out.Stats, err = h.customerStats(ctx, c.ID); err != nil {
		return err
	}
	kyc, err := kyc.KYC(ctx, h.DB, c.ID)
	if err != nil {
		return err
	}
	if !kyc.CreatedAt.IsZero() {
		out.Identity = &CustomerIdentity{Level: kyc.LevelInForce(), Status: kyc.Status, ExpiresAt: kyc.ExpiresAt}
	}
	return nil
}

func (h *Handlers) addMoney(ctx context.Context, c *account.Customer, out *AdminCustomerDetail) error {
	have, err := ledger.HoldingsOf(ctx, h.DB, c.ID)
	if err != nil {
		return err
	}
	out.Balance, out.Reserved, out.Receivable = money.USD.Format(have.Balance), money.USD.Format(have.Reserved), money.USD.Format(have.Receivable)
	entries, _, err := ledger.BalanceHistory(ctx, h.DB, c.ID, nil, shownOfCustomer)
	out.Entries = rest.Mapped(entries, EntryToStaff)
	return err
}

// EntryTextsToStaff are the wordings for staff of those EntryTexts that address the
// customer.
var EntryTextsToStaff = map[string]string{ //nolint:gosec // "credited" is no credential
	"bonus_credited":        "Bonus of their volume tier",
	"paid_from_balance":     "Order paid from their balance",
	"balance_reserved":      "Reserved for an order until they confirm it",
	"payout_requested":      "Reserved for a payout to their bank",
	"payout_returned":       "Payout returned by their bank",
	"gift_card_claimed":     "Deducted: their gift card was found used",
	"debt_paid":             "Paid towards what they owed us",
	"referral_rewarded":     "A friend they referred completed their first order",
	"signup_bonus_credited": "Their sign-up bonus",
}

// EntryToStaff is an entry of a balance as staff see it.
func EntryToStaff(e *ledger.BalanceEntry) ledgerapi.BalanceEntry {
	entry := ledgerapi.ShownEntry(e)
	_, named := ledgerapi.EntryTexts[e.Event]
	switch {
	case !named && e.Amount.Sign() > 0:
		entry.Why = "Credited to their balance"
	case !named:
		entry.Why = "Deducted from their balance"
	case EntryTextsToStaff[e.Event] != "":
		entry.Why = EntryTextsToStaff[e.Event]
	}
	return entry
}

func (h *Handlers) addTrades(ctx context.Context, c *account.Customer, out *AdminCustomerDetail) error {
	rows, _, err := reporting.Transactions(ctx, h.DB, c.ID, reporting.TransactionFilter{}, store.Page{Limit: shownOfCustomer})
	out.Trades = rest.Mapped(rows, func(t *reporting.Transaction) CustomerTrade {
		trade := CustomerTrade{ID: t.ID, Kind: t.Kind, Reference: t.Reference, Status: t.Status,
			Resolution: rest.Optional(t.Resolution), Authorised: t.Authorised, CreatedAt: t.CreatedAt}
		if t.Fiat != nil {
			trade.Amount = money.USD.Format(*t.Fiat)
		}
		return trade
	})
	return err
}

func (h *Handlers) addTalk(ctx context.Context, c *account.Customer, out *AdminCustomerDetail) error {
	tickets, _, err := support.Tickets(ctx, h.DB, support.TicketFilter{UserID: c.ID}, store.Page{Limit: shownOfCustomer})
	if err != nil {
		return err
	}
	out.Tickets = rest.Mapped(tickets, func(t *support.ListedTicket) CustomerTicket {
		return CustomerTicket{ID: t.ID, Reference: t.Reference, Subject: t.Subject, Status: string(t.Status), CreatedAt: t.CreatedAt}
	})
	sessions, err := account.ActiveSessions(ctx, h.DB, &account.Principal{UserID: c.ID})
	if err != nil {
		return err
	}
	out.Sessions = rest.Mapped(sessions, accountapi.ShownSession)
	consents, err := account.ConsentsOf(ctx, h.DB, c.ID)
	if err != nil {
		return err
	}
	out.Consents = rest.Mapped(consents, func(c *account.Consent) accountapi.Consent { return accountapi.Consent(*c) })
	notes, err := customer.CustomerNotes(ctx, h.DB, c.ID, 100)
	out.Notes = rest.Mapped(notes, customerNote)
	return err
}

type setTierInput struct {
	rest.ObjectID
	Body TierChange
}

// SetCustomerTier answers PATCH /api/admin/customers/{id}/tier.
func (h *Handlers) SetCustomerTier(ctx context.Context, in *setTierInput) (*rest.Body[AdminCustomer], error) {
	c, err := customer.SetTier(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, in.Body.Reason), customer.TierChoice{Tier: in.Body.VolumeTier, Until: in.Body.Until, Version: in.Body.Version})
	if err != nil {
		return nil, err
	}
	return &rest.Body[AdminCustomer]{Body: adminCustomer(c)}, nil
}

// ReleaseCustomerTier answers POST /api/admin/customers/{id}/tier/release.
func (h *Handlers) ReleaseCustomerTier(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminCustomer], error) {
	c, err := customer.ReleaseTier(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, ""))
	if err != nil {
		return nil, err
	}
	return &rest.Body[AdminCustomer]{Body: adminCustomer(c)}, nil
}

type customerReasonInput struct {
	rest.ObjectID
	Body CustomerReason
}

// FreezeCustomer answers POST /api/admin/customers/{id}/freeze.
func (h *Handlers) FreezeCustomer(ctx context.Context, in *customerReasonInput) (*rest.Body[AdminCustomer], error) {
	if err := customer.FreezeCustomer(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, in.Body.Reason)); err != nil {
		return nil, err
	}
	return h.customerNow(ctx, in.ID)
}

func (h *Handlers) customerNow(ctx context.Context, id string) (*rest.Body[AdminCustomer], error) {
	c, err := customer.Customer(ctx, h.DB, id)
	if err != nil {
		return nil, err
	}
	return &rest.Body[AdminCustomer]{Body: adminCustomer(c)}, nil
}

// UnfreezeCustomer answers POST /api/admin/customers/{id}/unfreeze.
func (h *Handlers) UnfreezeCustomer(ctx context.Context, in *customerReasonInput) (*rest.Body[Unfrozen], error) {
	parked, err := customer.UnfreezeCustomer(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	for _, p := range parked {
		h.Background.Go(func() { h.TakeOn(context.WithoutCancel(ctx), p) })
	}
	return &rest.Body[Unfrozen]{Body: Unfrozen{TookOn: len(parked)}}, nil
}

// SignCustomerOut answers POST /api/admin/customers/{id}/sign-out.
func (h *Handlers) SignCustomerOut(ctx context.Context, in *rest.ObjectID) (*rest.Body[accountapi.EndedSessions], error) {
	ended, err := account.EndSessionsAsStaff(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, ""))
	if err != nil {
		return nil, err
	}
	return &rest.Body[accountapi.EndedSessions]{Body: accountapi.EndedSessions{Ended: ended}}, nil
}

type newNoteInput struct {
	rest.ObjectID
	Body NewCustomerNote
}

// NoteAboutCustomer answers POST /api/admin/customers/{id}/notes.
func (h *Handlers) NoteAboutCustomer(ctx context.Context, in *newNoteInput) (*rest.Body[[]CustomerNote], error) {
	if err := customer.AddCustomerNote(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, ""), in.Body.Body); err != nil {
		return nil, err
	}
	notes, err := customer.CustomerNotes(ctx, h.DB, in.ID, 100)
	if err != nil {
		return nil, err
	}
	return &rest.Body[[]CustomerNote]{Body: rest.Mapped(notes, customerNote)}, nil
}

func customerNote(n *casework.Note) CustomerNote {
	return CustomerNote{ID: n.ID, Author: n.Author, Body: n.Body, CreatedAt: n.CreatedAt}
}
