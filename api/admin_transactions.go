package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// AdminTransactionFilter is what narrows the list of everything.
type AdminTransactionFilter struct {
	Type     string `query:"type" json:"type" enum:"all,order,gift_card,voucher,payout,refund" default:"all"`
	State    string `query:"state" json:"state" enum:"all,pending,payment_processing,completed,failed,cancelled" default:"all"`
	Rail     string `query:"rail" json:"rail" maxLength:"32" doc:"how an order was paid: a method's code"`
	Asset    string `query:"asset" json:"asset" enum:"all,BTC,ETH,USDT,USDC" default:"all"`
	From     string `query:"from" json:"from" maxLength:"10" doc:"the first day (UTC), 2006-01-02"`
	To       string `query:"to" json:"to" maxLength:"10" doc:"the last day (UTC), 2006-01-02"`
	Customer string `query:"customer" json:"customer" maxLength:"36" doc:"a customer's id"`
	Query    string `query:"q" json:"q" maxLength:"100" doc:"a reference or an id, whole"`
}

func (f *AdminTransactionFilter) model() (*reporting.TradeFilter, error) {
	out := &reporting.TradeFilter{Kind: unlessAll(f.Type), State: unlessAll(f.State), Rail: f.Rail, Asset: money.Currency(unlessAll(f.Asset)), UserID: f.Customer, Query: strings.TrimSpace(f.Query)}
	if f.Customer != "" && !store.IsID(f.Customer) {
		return nil, store.Invalid("customer", "bad_id", "Enter a customer's UUID")
	}
	var err error
	if out.From, err = dayOf("from", f.From); err != nil {
		return nil, err
	}
	if out.To, err = dayOf("to", f.To); err != nil {
		return nil, err
	}
	if out.From != nil && out.To != nil && out.To.Before(*out.From) {
		return nil, store.Invalid("to", "before_from", "Enter a last day after the first")
	}
	return out, nil
}

// dayOf reads a day; nil when there is none.
func dayOf(field, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 2000 || day.Year() > 2200 {
		return nil, store.Invalid(field, "bad_day", "Enter a day such as 2026-01-31")
	}
	return &day, nil
}

type listAdminTransactionsInput struct {
	Paging
	AdminTransactionFilter
}

func (s *Server) listAdminTransactions(ctx context.Context, in *listAdminTransactionsInput) (*page[AdminTransaction], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	rows, next, err := reporting.Trades(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := reporting.CountTrades(ctx, s.DB, filter)
	if err != nil {
		return nil, err
	}
	return &page[AdminTransaction]{Link: linkTo(ctx, next, in.Limit), Total: counts.Matching, Body: mapped(rows, adminTransaction)}, nil
}

func (s *Server) getAdminTransactionsSummary(ctx context.Context, in *AdminTransactionFilter) (*body[AdminTransactionsSummary], error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	counts, err := reporting.CountTrades(ctx, s.DB, filter)
	if err != nil {
		return nil, err
	}
	out := AdminTransactionsSummary{Total: counts.Total, Matching: counts.Matching, Exact: counts.Exact, Sums: []AdminTransactionSum{}, Rails: append([]string{}, counts.Rails...)}
	for _, kind := range reporting.TradeKinds {
		if sum, some := counts.ByKind[kind]; some && sum.N > 0 {
			out.Sums = append(out.Sums, AdminTransactionSum{Type: kind, Count: sum.N, Amount: money.USD.Format(sum.Amount)})
		}
	}
	return &body[AdminTransactionsSummary]{out}, nil
}

func adminTransaction(t *reporting.Trade) AdminTransaction {
	line := AdminTransaction{ID: t.ID, Type: t.Kind, Reference: t.Reference, CustomerID: t.UserID, CustomerName: t.CustomerName(), CustomerEmail: t.CustomerEmail,
		State: t.State, Status: t.Status, Rail: optional(t.Rail), Label: optional(t.Label), Amount: money.USD.Format(t.Amount), OrderID: t.OrderID, CreatedAt: t.CreatedAt}
	if t.Asset != nil && t.Coins != nil {
		coins := t.Asset.Format(*t.Coins)
		line.Asset, line.Coins = (*string)(t.Asset), &coins
	}
	return line
}

// exportAdminTransactions streams the whole filtered list. Customers are ids in
// it: a file is not erased with their account.
func (s *Server) exportAdminTransactions(ctx context.Context, in *AdminTransactionFilter) (*huma.StreamResponse, error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	header := []string{"Type", "Reference", "ID", "Date", "Customer ID", "State", "Status", "Payment Method", "Crypto", "Amount", "USD Amount"}
	return s.export(ctx, "transactions", in, header, func(ctx context.Context, write func(cells ...any) error) error {
		return reporting.EachTrade(ctx, s.DB, filter, func(row *reporting.Trade) error {
			t := adminTransaction(row)
			return write(t.Type, t.Reference, t.ID, t.CreatedAt, t.CustomerID, t.State, t.Status, t.Rail, t.Asset, t.Coins, t.Amount)
		})
	})
}

// export streams a CSV file of the books to somebody of the staff, having noted
// that it was taken, and by which filters. Its cells run nothing.
func (s *Server) export(ctx context.Context, name string, filter any, header []string, each func(ctx context.Context, write func(cells ...any) error) error) (*huma.StreamResponse, error) {
	who := viewer(ctx)
	filters, err := set(filter)
	if err != nil {
		return nil, err
	}
	err = audit.Audit(ctx, s.DB, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: name + ".exported", ObjectKind: "export", ObjectID: name, After: filters, RequestID: who.RequestID})
	if err != nil {
		return nil, err
	}
	return s.csvOf(ctx, name, header, func(ctx context.Context, write func(cells []string) error) error {
		return each(ctx, func(cells ...any) error { return write(written(cells)) })
	})
}

// set are the filters that narrow, by their names.
func set(filter any) (map[string]any, error) {
	text, err := json.Marshal(filter)
	if err != nil {
		return nil, fmt.Errorf("note filters: %w", err)
	}
	all := map[string]any{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("note filters: %w", err)
	}
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == "" || value == "all" })
	return all, nil
}
