package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// LedgerMoment is the moment of a trial balance.
type LedgerMoment struct {
	At string `query:"at" json:"at" maxLength:"40" doc:"2006-01-02T15:04:05Z; now when left out. A day is its end (UTC)."`
}

// momentOf reads a moment, or a day; of a day the end is asked for by end.
func momentOf(field, text string, end bool) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil && at.Year() >= 2000 && at.Year() <= 2200 {
		at = at.UTC()
		return &at, nil
	}
	if len(text) > len(time.DateOnly) {
		return nil, store.Invalid(field, "bad_moment", "Enter a time such as 2026-01-31T12:00:00Z, or a day")
	}
	day, err := dayOf(field, text)
	if err == nil && end {
		*day = day.AddDate(0, 0, 1)
	}
	return day, err
}

// statement reads the trial balance of a moment: what was booked until then.
func (s *Server) statement(ctx context.Context, in *LedgerMoment) (*LedgerStatement, error) {
	now, err := s.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	at, err := momentOf("at", in.At, true)
	if err != nil {
		return nil, err
	}
	if at != nil && len(in.At) == len(time.DateOnly) {
		*at = at.Add(-time.Microsecond) // the day's last moment, not the next one's first
	}
	if at == nil || at.After(now) {
		at = &now
	}
	totals, err := ledger.Statement(ctx, s.DB, *at)
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

func (s *Server) getLedger(ctx context.Context, in *LedgerMoment) (*body[LedgerStatement], error) {
	out, err := s.statement(ctx, in)
	if err != nil {
		return nil, err
	}
	return &body[LedgerStatement]{*out}, nil
}

func (s *Server) exportLedger(ctx context.Context, in *LedgerMoment) (*huma.StreamResponse, error) {
	statement, err := s.statement(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.export(ctx, "trial-balance", in, []string{"At", "Account", "Kind", "Currency", "Balance"}, func(_ context.Context, write func(cells ...any) error) error {
		for _, b := range statement.Balances {
			if err := write(statement.At, b.Account, b.Kind, b.Currency, figure(b.Balance)); err != nil {
				return err
			}
		}
		return nil
	})
}

// PostingFilter is what narrows the ledger's postings.
type PostingFilter struct {
	Account  string `query:"account" json:"account" maxLength:"80"`
	Currency string `query:"currency" json:"currency" enum:"all,USD,BTC,ETH,USDT,USDC" default:"all"`
	Event    string `query:"event" json:"event" maxLength:"60"`
	Object   string `query:"object" json:"object" maxLength:"36" doc:"the id of an order, a gift card or a matter"`
	From     string `query:"from" json:"from" maxLength:"40" doc:"a time, or a day (UTC)"`
	To       string `query:"to" json:"to" maxLength:"40" doc:"a time, which is not in it any more, or a day, which is"`
}

func (f *PostingFilter) model() (*ledger.PostingFilter, error) {
	out := &ledger.PostingFilter{Account: f.Account, Currency: money.Currency(unlessAll(f.Currency)), Event: f.Event, Object: f.Object}
	var err error
	if out.From, out.To, err = period(f.From, f.To); err != nil {
		return nil, err
	}
	return out, out.Check()
}

// period reads the moments between which something was.
func period(from, to string) (begin, end *time.Time, err error) {
	if begin, err = momentOf("from", from, false); err != nil {
		return nil, nil, err
	}
	if end, err = momentOf("to", to, true); err != nil {
		return nil, nil, err
	}
	if begin != nil && end != nil && end.Before(*begin) {
		return nil, nil, store.Invalid("to", "before_from", "Enter an end after the start")
	}
	return begin, end, nil
}

type listPostingsInput struct {
	Paging
	PostingFilter
}

// uncounted is one page of a list that is not counted: it is walked.
type uncounted[T any] struct {
	Link string `header:"Link" doc:"the next page, rel=\"next\""`
	Body []T
}

// walked is one page of a list that is walked by number.
func walked[Row, View any](ctx context.Context, p Paging, read func(after *store.NumberCursor) ([]Row, *store.NumberCursor, error), view func(*Row) View) (*uncounted[View], error) {
	after, err := store.ParseNumberCursor(p.Cursor)
	if err != nil {
		return nil, err
	}
	rows, next, err := read(after)
	if err != nil {
		return nil, err
	}
	out := &uncounted[View]{Body: mapped(rows, view)}
	if next != nil {
		out.Link = linkToCursor(ctx, next.String(), p.Limit)
	}
	return out, nil
}

func (s *Server) listPostings(ctx context.Context, in *listPostingsInput) (*uncounted[BookedPosting], error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	read := func(after *store.NumberCursor) ([]ledger.StoredPosting, *store.NumberCursor, error) {
		return ledger.Postings(ctx, s.DB, filter, after, in.Limit)
	}
	return walked(ctx, in.Paging, read, bookedPosting)
}

func bookedPosting(p *ledger.StoredPosting) BookedPosting {
	out := BookedPosting{LedgerPosting: ledgerPosting(p), Group: p.GroupKey}
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

func (s *Server) exportPostings(ctx context.Context, in *PostingFilter) (*huma.StreamResponse, error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	header := []string{"ID", "At", "Event", "From", "To", "Currency", "Amount", "Object", "Object ID", "Group"}
	return s.export(ctx, "postings", in, header, func(ctx context.Context, write func(cells ...any) error) error {
		return ledger.EachPosting(ctx, s.DB, filter, func(row *ledger.StoredPosting) error {
			p := bookedPosting(row)
			return write(p.ID, p.At, p.Event, p.From, p.To, p.Currency, figure(p.Amount), p.ObjectKind, p.ObjectID, p.Group)
		})
	})
}

// AccountPeriod names an account, a currency and a period.
type AccountPeriod struct {
	Account  string `query:"account" required:"true" minLength:"1" maxLength:"80"`
	Currency string `query:"currency" enum:"USD,BTC,ETH,USDT,USDC" default:"USD"`
	From     string `query:"from" maxLength:"40" doc:"a time, or a day (UTC)"`
	To       string `query:"to" maxLength:"40" doc:"a time, which is not in it any more, or a day, which is"`
}

// getLedgerAccount says what an account held before a period and after it.
func (s *Server) getLedgerAccount(ctx context.Context, in *AccountPeriod) (*body[LedgerAccount], error) {
	from, to, err := period(in.From, in.To)
	if err != nil {
		return nil, err
	}
	now, err := s.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	account, err := ledger.LedgerAccount(ctx, s.DB, in.Account)
	if err != nil {
		return nil, err
	}
	currency := money.Currency(in.Currency)
	out := LedgerAccount{Account: account.Code, Kind: account.Kind, CustomerID: account.UserID, Currency: in.Currency, From: from, To: now.UTC(), Opening: currency.Format(money.Units{})}
	last := now
	if to != nil && to.Before(now) {
		out.To, last = *to, to.Add(-time.Microsecond)
	}
	closing, err := ledger.BalanceAt(ctx, s.DB, account.Code, currency, last)
	if err != nil {
		return nil, err
	}
	out.Closing = currency.Format(closing)
	if from != nil {
		opening, err := ledger.BalanceAt(ctx, s.DB, account.Code, currency, from.Add(-time.Microsecond))
		if err != nil {
			return nil, err
		}
		out.Opening = currency.Format(opening)
	}
	return &body[LedgerAccount]{out}, nil
}

func (s *Server) getLedgerWords(ctx context.Context, _ *nothing) (*body[LedgerWords], error) {
	events, err := ledger.PostingEvents(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	return &body[LedgerWords]{LedgerWords{Events: append([]string{}, events...)}}, nil
}
