package api

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

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

// getTreasury is what the providers say against the books, and how each wallet
// stands.
func (s *Server) getTreasury(ctx context.Context, _ *nothing) (*body[Treasury], error) {
	readings, err := treasury.TreasuryReadings(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	coverage, err := treasury.TreasuryCoverage(ctx, s.DB, s.Treasury.Limits)
	if err != nil {
		return nil, err
	}
	now, err := s.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	offer := s.Quoter.Offer()
	coverage = slices.DeleteFunc(coverage, func(c treasury.Coverage) bool { return !offer.Sends(c.Asset, c.Network) && c.Empty() })
	out := Treasury{Every: int(s.Treasury.Every.Seconds()), Wallets: mapped(coverage, treasuryWallet), Propose: s.policy.allows(rolesOf(principalOf(ctx)), decidePayments)}
	old := now.Add(-staleAfter * s.Treasury.Every)
	for _, account := range treasuryAccounts() {
		used := s.offersAccount(account)
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
	return &body[Treasury]{out}, nil
}

// treasuryAccounts are our accounts at the providers, in the order they are shown.
func treasuryAccounts() []TreasuryAccount {
	all := []TreasuryAccount{{Holder: "stripe", Account: ledger.AccountStripe, Currency: string(money.USD)}}
	for _, currency := range append([]money.Currency{money.USD}, money.Assets...) {
		all = append(all, TreasuryAccount{Holder: "kraken", Account: ledger.AccountExchange, Currency: string(currency)})
	}
	for _, w := range treasury.OurWallets() {
		all = append(all, TreasuryAccount{Holder: "bitgo", Account: ledger.WalletAccount(w.Network), Currency: string(w.Asset)})
	}
	for i := range all {
		all[i].State = "unread"
	}
	return all
}

// offersAccount reports whether an account at a provider is needed for what is
// offered. Others are shown while they hold something.
func (s *Server) offersAccount(a TreasuryAccount) bool {
	offer, asset := s.Quoter.Offer(), money.Currency(a.Currency)
	switch a.Account {
	case ledger.AccountStripe:
		return offer.Takes(pricing.MethodCard)
	case ledger.AccountExchange:
		return asset == money.USD || offer.Sells(asset)
	}
	return offer.Sends(asset, strings.TrimPrefix(a.Account, ledger.WalletAccount("")))
}

// read fills in what the last reading said; one from before old is stale.
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

// getTreasuryHistory is what the providers said against the books, as it went.
func (s *Server) getTreasuryHistory(ctx context.Context, in *treasuryHistoryInput) (*body[TreasuryHistory], error) {
	rows, err := treasury.TreasuryHistory(ctx, s.DB, treasury.TreasurySpans[in.Span])
	if err != nil {
		return nil, err
	}
	out := TreasuryHistory{Accounts: []TreasuryPast{}}
	for _, account := range treasuryAccounts() {
		past := TreasuryPast{Holder: account.Holder, Account: account.Account, Currency: account.Currency, Points: []TreasuryThen{}}
		for _, r := range rows {
			if r.Account == account.Account && string(r.Currency) == account.Currency && (s.offersAccount(account) || !r.Held.IsZero() || !r.Expected.IsZero()) {
				past.Points = append(past.Points, TreasuryThen{At: r.ReadAt, Held: r.Currency.Format(r.Held), Expected: r.Currency.Format(r.Expected),
					Difference: r.Currency.Format(r.Held.Sub(r.Expected))})
			}
		}
		if len(past.Points) > 0 || s.offersAccount(account) {
			out.Accounts = append(out.Accounts, past)
		}
	}
	return &body[TreasuryHistory]{out}, nil
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
	Status string `query:"status" enum:"all,proposed,approved,sending,unknown,sent,differs,arrived,rejected,withdrawn,failed" default:"all"`
	Asset  string `query:"asset" enum:"all,BTC,ETH,USDT,USDC" default:"all"`
}

type listTreasuryMovesInput struct {
	Paging
	TreasuryMoveFilter
}

func (s *Server) listTreasuryMoves(ctx context.Context, in *listTreasuryMovesInput) (*page[TreasuryMove], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter := treasury.MoveFilter{Status: treasury.MoveStatus(unlessAll(in.Status)), Asset: money.Currency(unlessAll(in.Asset))}
	rows, next, err := treasury.Moves(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := treasury.CountMoves(ctx, s.DB, filter)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(m *treasury.KnownMove) TreasuryMove { return s.treasuryMove(m, who) }
	return &page[TreasuryMove]{Link: linkTo(ctx, next, wanted.Limit), Total: total, Body: mapped(rows, view)}, nil
}

// treasuryMove is a move with the buttons that the signed-in person has on it.
func (s *Server) treasuryMove(m *treasury.KnownMove, who *account.Principal) TreasuryMove {
	out := TreasuryMove{ID: m.ID, Reference: m.Reference, Asset: string(m.Asset), Network: m.Network, Amount: m.Asset.Format(m.Amount), Status: string(m.Status), Reason: m.Reason,
		Answer: m.Answer, Problem: m.Problem, Withdrawal: m.ExchangeRef, TxID: m.TxID, Actions: []string{}, SentAt: m.FirstSentAt, ArrivedAt: m.ArrivedAt,
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, WorkflowURL: s.moveWorkflowURL(&m.Move)}
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
		if place := s.Places.Explorers[m.Network]; place != "" {
			link := place + url.PathEscape(*m.TxID)
			out.TxURL = &link
		}
	}
	if s.policy.allows(rolesOf(who), decidePayments) {
		out.Actions = treasury.MoveDecisions(&m.Move, who.UserID)
	}
	return out
}

func (s *Server) moveWorkflowURL(m *treasury.Move) *string {
	if m.WorkflowStartedAt == nil {
		return nil
	}
	return s.workflowURL(workflows.TreasuryMoveID(m.ID))
}

func (s *Server) getTreasuryMove(ctx context.Context, in *ObjectID) (*body[TreasuryMoveDetail], error) {
	move, err := treasury.ReadKnownMove(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := treasury.MoveTimeline(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	postings, err := treasury.MovePostings(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &body[TreasuryMoveDetail]{TreasuryMoveDetail{TreasuryMove: s.treasuryMove(move, principalOf(ctx)), Events: mapped(events, treasuryMoveEvent), Postings: mapped(postings, ledgerPosting)}}, nil
}

func treasuryMoveEvent(e *treasury.KnownMoveEvent) TreasuryMoveEvent {
	var data struct{ Code, Reason, Reference, Amount string }
	_ = json.Unmarshal(e.Data, &data) // we wrote it; what it lacks is not shown
	return TreasuryMoveEvent{ID: e.ID, At: e.At, Kind: MoveEventKind(e.Kind), Actor: e.Actor, Code: data.Code, Reason: data.Reason, Reference: data.Reference, Amount: data.Amount}
}
