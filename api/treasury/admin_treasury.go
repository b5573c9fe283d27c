package treasury

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/workflows"
)

// TreasurySettings are when a wallet is low, how often providers are read, and how
// long the readings are kept.
type TreasurySettings struct {
	Limits      treasury.Thresholds
	Every, Kept time.Duration
}

// staleAfter is how many readings may fail to come before the last one is called
// old.
const staleAfter = 3

// GetTreasury compares the providers' balances with the books, and returns each wallet's
// state.
func (h *Handlers) GetTreasury(ctx context.Context, _ *rest.Nothing) (*rest.Body[Treasury], error) {
	readings, err := treasury.TreasuryReadings(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	coverage, err := treasury.TreasuryCoverage(ctx, h.DB, h.Treasury.Limits)
	if err != nil {
		return nil, err
	}
	now, err := h.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	coverage = slices.DeleteFunc(coverage, func(c treasury.Coverage) bool { return !h.Offer.Sends(c.Asset, c.Network) && c.Empty() })
	out := Treasury{Every: int(h.Treasury.Every.Seconds()), Wallets: rest.Mapped(coverage, treasuryWallet), Propose: h.Policy.Allows(rest.RolesOf(rest.PrincipalOf(ctx)), policy.DecidePayments)}
	old := now.Add(-staleAfter * h.Treasury.Every)
	for _, account := range h.accounts() {
		used := h.offersAccount(account)
		for i := range readings {
			if readings[i].Account == account.Account && string(readings[i].Currency) == account.Currency {
				used = used || !readings[i].Held.IsZero() || !readings[i].Expected.IsZero()
				account.read(&readings[i], old)
			}
		}
		if !used {
			continue
		}
		out.Accounts = append(out.Accounts, account)
	}
	return &rest.Body[Treasury]{Body: out}, nil
}

// accounts are our accounts at the providers, in the order they are shown.
func (h *Handlers) accounts() []TreasuryAccount {
	all := []TreasuryAccount{{Holder: "stripe", Account: ledger.AccountClearing, Currency: string(money.USD)}}
	for _, currency := range append([]money.Currency{money.USD}, money.Assets...) {
		all = append(all, TreasuryAccount{Holder: "kraken", Account: ledger.AccountExchange, Currency: string(currency)})
	}
	for _, w := range treasury.OurWallets() {
		all = append(all, TreasuryAccount{Holder: string(h.Custodian), Account: ledger.WalletAccount(w.Network), Currency: string(w.Asset)})
	}
	for i := range all {
		all[i].State = "unread"
	}
	return all
}

// offersAccount reports whether an account at a provider is needed for what is
// offered. Others are shown while they hold something.
func (h *Handlers) offersAccount(a TreasuryAccount) bool {
	offer, asset := h.Offer, money.Currency(a.Currency)
	switch a.Account {
	case ledger.AccountClearing:
		return offer.Takes(pricing.MethodCard)
	case ledger.AccountExchange:
		return asset == money.USD || offer.Sells(asset)
	}
	return offer.Sends(asset, strings.TrimPrefix(a.Account, ledger.WalletAccount("")))
}

// read adds the last reading; one from before old is stale.
func (a *TreasuryAccount) read(r *treasury.TreasuryReading, old time.Time) {
	say := func(u money.Units) *string { text := r.Currency.Format(u); return &text }
	a.Held, a.Free, a.Expected, a.Difference = say(r.Held), say(r.Free), say(r.Expected), say(r.Difference())
	a.Less, a.More, a.ReadAt, a.Stale = say(r.Less), say(r.More), &r.ReadAt, r.ReadAt.Before(old)
	switch {
	case r.Difference().IsZero():
		a.State = "agrees"
	case r.Explained():
		a.State = "under_way"
	default:
		a.State = "differs"
	}
}

type treasuryHistoryInput struct {
	Span string `query:"span" enum:"day,week,month,quarter" default:"week" doc:"how far back"`
}

// GetTreasuryHistory is the history of the providers' balances against the books.
func (h *Handlers) GetTreasuryHistory(ctx context.Context, in *treasuryHistoryInput) (*rest.Body[TreasuryHistory], error) {
	rows, err := treasury.TreasuryHistory(ctx, h.DB, treasury.TreasurySpans[in.Span])
	if err != nil {
		return nil, err
	}
	out := TreasuryHistory{Accounts: []TreasuryPast{}}
	for _, account := range h.accounts() {
		past := TreasuryPast{Holder: account.Holder, Account: account.Account, Currency: account.Currency, Points: []TreasuryThen{}}
		for _, r := range rows {
			if r.Account == account.Account && string(r.Currency) == account.Currency && (h.offersAccount(account) || !r.Held.IsZero() || !r.Expected.IsZero()) {
				past.Points = append(past.Points, TreasuryThen{At: r.ReadAt, Held: r.Currency.Format(r.Held), Expected: r.Currency.Format(r.Expected),
					Difference: r.Currency.Format(r.Held.Sub(r.Expected))})
			}
		}
		if len(past.Points) > 0 || h.offersAccount(account) {
			out.Accounts = append(out.Accounts, past)
		}
	}
	return &rest.Body[TreasuryHistory]{Body: out}, nil
}

func treasuryWallet(c *treasury.Coverage) TreasuryWallet {
	say := func(u money.Units) string { return c.Asset.Format(u) }
	out := TreasuryWallet{Asset: string(c.Asset), Network: c.Network, Needed: say(c.Needed), Waiting: c.Waiting, Reserved: say(c.Reserved), Free: say(c.Free),
		InTransit: say(c.InTransit), Exchange: say(c.Exchange), Short: say(c.Short()), IsLow: c.Low()}
	if c.Threshold != nil {
		low, target := say(c.Threshold.Low), say(c.Threshold.Target)
		out.Low, out.Target = &low, &target
	}
	if c.Open != nil {
		out.OpenMove = &c.Open.ID
	} else if c.Suggested.Sign() > 0 {
		suggested := say(c.Suggested)
		out.Suggested = &suggested
	}
	return out
}

// TreasuryMoveFilter is what narrows the list of moves.
type TreasuryMoveFilter struct {
	Status string          `query:"status" enum:"all,proposed,approved,sending,unknown,sent,differs,arrived,rejected,withdrawn,failed" default:"all"`
	Asset  rest.CoinFilter `query:"asset" default:"all"`
}

type listTreasuryMovesInput struct {
	rest.Paging
	TreasuryMoveFilter
}

// ListTreasuryMoves answers GET /api/admin/treasury/moves.
func (h *Handlers) ListTreasuryMoves(ctx context.Context, in *listTreasuryMovesInput) (*rest.Page[TreasuryMove], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter := treasury.MoveFilter{Status: treasury.MoveStatus(rest.UnlessAll(in.Status)), Asset: money.Currency(rest.UnlessAll(in.Asset))}
	rows, next, err := treasury.Moves(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := treasury.CountMoves(ctx, h.DB, filter)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := func(m *treasury.KnownMove) TreasuryMove { return h.treasuryMove(m, who) }
	return &rest.Page[TreasuryMove]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: total, Body: rest.Mapped(rows, view)}, nil
}

// treasuryMove is a move with the caller's actions on it.
func (h *Handlers) treasuryMove(m *treasury.KnownMove, who *account.Principal) TreasuryMove {
	out := TreasuryMove{ID: m.ID, Reference: m.Reference, Asset: string(m.Asset), Network: m.Network, Amount: m.Asset.Format(m.Amount), Status: string(m.Status), Reason: m.Reason,
		Answer: m.Answer, Problem: m.Problem, Withdrawal: m.ExchangeRef, TxID: money.ShownTransaction(m.Network, m.TxID), Actions: []string{}, SentAt: m.FirstSentAt, ArrivedAt: m.ArrivedAt,
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, WorkflowURL: h.moveWorkflowURL(&m.Move)}
	for _, side := range []struct {
		from string
		into **string
	}{{m.Proposer, &out.Proposer}, {m.Decider, &out.Decider}} {
		if side.from != "" {
			*side.into = &side.from
		}
	}
	for _, side := range []struct {
		from *money.Units
		into **string
	}{{m.Fee, &out.Fee}, {m.Arrived, &out.Arrived}, {m.Differing, &out.Differing}} {
		if side.from != nil {
			text := m.Asset.Format(*side.from)
			*side.into = &text
		}
	}
	if m.TxID != nil {
		if place := h.Places.Explorers[m.Network]; place != "" {
			link := place + url.PathEscape(*out.TxID)
			out.TxURL = &link
		}
	}
	if h.Policy.Allows(rest.RolesOf(who), policy.DecidePayments) {
		out.Actions = treasury.MoveDecisions(&m.Move, who.UserID)
	}
	return out
}

func (h *Handlers) moveWorkflowURL(m *treasury.Move) *string {
	if m.WorkflowStartedAt == nil {
		return nil
	}
	return h.WorkflowURL(workflows.TreasuryMoveID(m.ID))
}

// GetTreasuryMove answers GET /api/admin/treasury/moves/{id}.
func (h *Handlers) GetTreasuryMove(ctx context.Context, in *rest.ObjectID) (*rest.Body[TreasuryMoveDetail], error) {
	move, err := treasury.ReadKnownMove(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := treasury.MoveTimeline(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	postings, err := ledger.PostingsOf(ctx, h.DB, treasury.KindMove, in.ID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[TreasuryMoveDetail]{Body: TreasuryMoveDetail{TreasuryMove: h.treasuryMove(move, rest.PrincipalOf(ctx)), Events: rest.Mapped(events, treasuryMoveEvent), Postings: ledgerapi.ShownPostings(ctx, h.Policy, postings)}}, nil
}

func treasuryMoveEvent(e *treasury.KnownMoveEvent) TreasuryMoveEvent {
	var data struct{ Code, Reason, Reference, Amount string }
	_ = json.Unmarshal(e.Data, &data) // we wrote it; what it lacks is not shown
	return TreasuryMoveEvent{ID: e.ID, At: e.At, Kind: MoveEventKind(e.Kind), Actor: e.Actor, Code: data.Code, Reason: data.Reason, Reference: data.Reference, Amount: data.Amount}
}
