package ledger

import (
	"context"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// LedgerMoment is the moment of a trial balance.
type LedgerMoment struct {
	At string `query:"at" json:"at" maxLength:"40" doc:"2006-01-02T15:04:05Z; now when left out. A day is its end (UTC)."`
}

// statement reads the trial balance of a moment: what was booked until then.
func (h *Handlers) statement(ctx context.Context, in *LedgerMoment) (*LedgerStatement, error) {
	now, err := h.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	at, err := rest.MomentOf("at", in.At, true)
	if err != nil {
		return nil, err
	}
	if at != nil && len(in.At) == len(time.DateOnly) {
		*at = at.Add(-time.Microsecond) // the day's last moment, not the next one's first
	}
	if at == nil || at.After(now) {
		at = &now
	}
	totals, err := ledger.Statement(ctx, h.DB, *at)
	if err != nil {
		return nil, err
	}
	out := &LedgerStatement{At: at.UTC(), Balanced: true, Sums: []LedgerSum{}, Balances: []LedgerBalance{}}
	for _, currency := range append([]money.Currency{money.USD}, money.Assets...) {
		out.add(currency, totals)
	}
	return out, nil
}

// add adds the balances of a currency, and what they sum to.
func (l *LedgerStatement) add(currency money.Currency, totals []ledger.AccountTotal) {
	var debit, credit money.Units
	before := len(l.Balances)
	for i := range totals {
		t := &totals[i]
		if t.Currency != currency {
			continue
		}
		wrong := t.OnWrongSide()
		l.Balanced = l.Balanced && !wrong
		l.Balances = append(l.Balances, LedgerBalance{Account: t.Account, Kind: t.Kind, Currency: string(currency), Balance: currency.Format(t.Balance), Wrong: wrong})
		if t.Balance.Sign() > 0 {
			debit = debit.Add(t.Balance)
		} else {
			credit = credit.Add(t.Balance.Neg())
		}
	}
	if len(l.Balances) == before {
		return
	}
	l.Balanced = l.Balanced && debit.Sub(credit).IsZero()
	l.Sums = append(l.Sums, LedgerSum{Currency: string(currency), Debit: currency.Format(debit), Credit: currency.Format(credit), Sum: currency.Format(debit.Sub(credit))})
}

// GetLedger answers GET /api/admin/ledger.
func (h *Handlers) GetLedger(ctx context.Context, in *LedgerMoment) (*rest.Body[LedgerStatement], error) {
	out, err := h.statement(ctx, in)
	if err != nil {
		return nil, err
	}
	return &rest.Body[LedgerStatement]{Body: *out}, nil
}

// ExportLedger answers GET /api/admin/ledger/export.
func (h *Handlers) ExportLedger(ctx context.Context, in *LedgerMoment) (*huma.StreamResponse, error) {
	statement, err := h.statement(ctx, in)
	if err != nil {
		return nil, err
	}
	return h.Export(ctx, "trial-balance", in, []string{"At", "Account", "Kind", "Currency", "Debit less credit", "Debit", "Credit"}, func(_ context.Context, write func(cells ...any) error) error {
		for _, b := range statement.Balances {
			debit, credit := rest.Figure(b.Balance), rest.Figure("")
			if amount, negative := strings.CutPrefix(b.Balance, "-"); negative {
				debit, credit = rest.Figure(""), rest.Figure(amount)
			}
			if err := write(statement.At, b.Account, b.Kind, b.Currency, rest.Figure(b.Balance), debit, credit); err != nil {
				return err
			}
		}
		return nil
	})
}

// PostingFilter is what narrows the ledger's postings.
type PostingFilter struct {
	Account  string              `query:"account" json:"account" maxLength:"80"`
	Currency rest.CurrencyFilter `query:"currency" json:"currency" default:"all"`
	Event    string              `query:"event" json:"event" maxLength:"60"`
	Object   string              `query:"object" json:"object" maxLength:"36" doc:"the id of an order, a gift card or a matter"`
	From     string              `query:"from" json:"from" maxLength:"40" doc:"a time, or a day (UTC)"`
	To       string              `query:"to" json:"to" maxLength:"40" doc:"a time, which is not in it any more, or a day, which is"`
}

func (f *PostingFilter) model() (*ledger.PostingFilter, error) {
	out := &ledger.PostingFilter{Account: f.Account, Currency: money.Currency(rest.UnlessAll(f.Currency)), Event: f.Event, Object: f.Object}
	var err error
	if out.From, out.To, err = rest.Period(f.From, f.To); err != nil {
		return nil, err
	}
	return out, out.Check()
}

type listPostingsInput struct {
	rest.Paging
	PostingFilter
}

// ListPostings answers GET /api/admin/ledger/postings.
func (h *Handlers) ListPostings(ctx context.Context, in *listPostingsInput) (*rest.Uncounted[BookedPosting], error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	read := func(after *store.NumberCursor) ([]ledger.StoredPosting, *store.NumberCursor, error) {
		return ledger.Postings(ctx, h.DB, filter, after, in.Limit)
	}
	return rest.Walked(ctx, in.Paging, read, ShownBooked)
}

// ShownBooked is a posting with the names of its objects.
func ShownBooked(p *ledger.StoredPosting) BookedPosting {
	out := BookedPosting{LedgerPosting: shownPosting(p), Group: p.GroupKey}
	if p.Bank != nil {
		out.BankReference, out.ValueDate = &p.Bank.Reference, p.Bank.Day
	}
	order, card := "order", "gift_card"
	switch {
	case p.OrderID != nil:
		out.ObjectKind, out.ObjectID = &order, p.OrderID
	case p.GiftCardID != nil:
		out.ObjectKind, out.ObjectID = &card, p.GiftCardID
	default:
		out.ObjectKind, out.ObjectID = p.Matter, p.MatterID
	}
	return out
}

// ExportPostings answers GET /api/admin/ledger/postings/export.
func (h *Handlers) ExportPostings(ctx context.Context, in *PostingFilter) (*huma.StreamResponse, error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	header := []string{"ID", "At", "Event", "Debit", "Credit", "Currency", "Amount", "Object", "Object ID", "Group", "Bank reference", "Value date"}
	return h.Export(ctx, "postings", in, header, func(ctx context.Context, write func(cells ...any) error) error {
		return ledger.EachPosting(ctx, h.DB, filter, func(row *ledger.StoredPosting) error {
			p := ShownBooked(row)
			return write(p.ID, p.At, p.Event, p.To, p.From, p.Currency, rest.Figure(p.Amount), p.ObjectKind, p.ObjectID, p.Group, p.BankReference, p.ValueDate)
		})
	})
}

// AccountPeriod names an account, a currency and a period.
type AccountPeriod struct {
	Account  string        `query:"account" required:"true" minLength:"1" maxLength:"80"`
	Currency rest.Currency `query:"currency" default:"USD"`
	From     string        `query:"from" maxLength:"40" doc:"a time, or a day (UTC)"`
	To       string        `query:"to" maxLength:"40" doc:"a time, which is not in it any more, or a day, which is"`
}

// GetLedgerAccount returns what an account held before a period and after it.
func (h *Handlers) GetLedgerAccount(ctx context.Context, in *AccountPeriod) (*rest.Body[LedgerAccount], error) {
	from, to, err := rest.Period(in.From, in.To)
	if err != nil {
		return nil, err
	}
	now, err := h.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	account, err := ledger.LedgerAccount(ctx, h.DB, in.Account)
	if err != nil {
		return nil, err
	}
	currency := money.Currency(in.Currency)
	out := LedgerAccount{Account: account.Code, Kind: account.Kind, CustomerID: account.UserID, Currency: string(in.Currency), From: from, To: now.UTC(), Opening: currency.Format(money.Units{})}
	last := now
	if to != nil && to.Before(now) {
		out.To, last = *to, to.Add(-time.Microsecond)
	}
	closing, err := ledger.BalanceAt(ctx, h.DB, account.Code, currency, last)
	if err != nil {
		return nil, err
	}
	out.Closing = currency.Format(closing)
	if from != nil {
		opening, err := ledger.BalanceAt(ctx, h.DB, account.Code, currency, from.Add(-time.Microsecond))
		if err != nil {
			return nil, err
		}
		out.Opening = currency.Format(opening)
	}
	return &rest.Body[LedgerAccount]{Body: out}, nil
}

// GetLedgerWords answers GET /api/admin/ledger/words.
func (h *Handlers) GetLedgerWords(ctx context.Context, _ *rest.Nothing) (*rest.Body[LedgerWords], error) {
	events, err := ledger.PostingEvents(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	return &rest.Body[LedgerWords]{Body: LedgerWords{Events: append([]string{}, events...)}}, nil
}
