package reporting

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// AdminTransactionFilter is what narrows the list of everything.
type AdminTransactionFilter struct {
	Type     string          `query:"type" json:"type" enum:"all,order,gift_card,voucher,payout,refund" default:"all"`
	State    string          `query:"state" json:"state" enum:"all,pending,payment_processing,completed,failed,cancelled" default:"all"`
	Rail     string          `query:"rail" json:"rail" maxLength:"32" doc:"how an order was paid: a method's code"`
	Asset    rest.CoinFilter `query:"asset" json:"asset" default:"all"`
	From     string          `query:"from" json:"from" maxLength:"10" doc:"the first day (UTC), 2006-01-02"`
	To       string          `query:"to" json:"to" maxLength:"10" doc:"the last day (UTC), 2006-01-02"`
	Customer string          `query:"customer" json:"customer" maxLength:"36" doc:"a customer's id"`
	Query    string          `query:"q" json:"q" maxLength:"100" doc:"a reference or an id, whole"`
}

func (f *AdminTransactionFilter) model() (*reporting.TradeFilter, error) {
	out := &reporting.TradeFilter{Kind: rest.UnlessAll(f.Type), State: rest.UnlessAll(f.State), Rail: f.Rail, Asset: money.Currency(rest.UnlessAll(f.Asset)), UserID: f.Customer, Query: strings.TrimSpace(f.Query)}
	if f.Customer != "" && !store.IsID(f.Customer) {
		return nil, store.Invalid("customer", "bad_id", "Enter a customer's UUID")
	}
	var err error
	if out.From, err = rest.DayOf("from", f.From); err != nil {
		return nil, err
	}
	if out.To, err = rest.DayOf("to", f.To); err != nil {
		return nil, err
	}
	if out.From != nil && out.To != nil && out.To.Before(*out.From) {
		return nil, store.Invalid("to", "before_from", "Enter a last day after the first")
	}
	return out, nil
}

type listAdminTransactionsInput struct {
	rest.Paging
	AdminTransactionFilter
}

// ListAdminTransactions answers GET /api/admin/transactions.
func (h *Handlers) ListAdminTransactions(ctx context.Context, in *listAdminTransactionsInput) (*rest.Page[AdminTransaction], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	rows, next, err := reporting.Trades(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := reporting.CountTrades(ctx, h.DB, filter)
	if err != nil {
		return nil, err
	}
	return &rest.Page[AdminTransaction]{Link: rest.LinkTo(ctx, next, in.Limit), Total: counts.Matching, Body: rest.Mapped(rows, adminTransaction)}, nil
}

// GetAdminTransactionsSummary answers GET /api/admin/transactions/summary.
func (h *Handlers) GetAdminTransactionsSummary(ctx context.Context, in *AdminTransactionFilter) (*rest.Body[AdminTransactionsSummary], error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	counts, err := reporting.CountTrades(ctx, h.DB, filter)
	if err != nil {
		return nil, err
	}
	out := AdminTransactionsSummary{Total: counts.Total, Matching: counts.Matching, Exact: counts.Exact, Sums: []AdminTransactionSum{}, Rails: append([]string{}, counts.Rails...)}
	for _, kind := range reporting.TradeKinds {
		if sum, some := counts.ByKind[kind]; some && sum.N > 0 {
			out.Sums = append(out.Sums, AdminTransactionSum{Type: kind, Count: sum.N, Amount: money.USD.Format(sum.Amount)})
		}
	}
	return &rest.Body[AdminTransactionsSummary]{Body: out}, nil
}

func adminTransaction(t *reporting.Trade) AdminTransaction {
	line := AdminTransaction{ID: t.ID, Type: t.Kind, Reference: t.Reference, CustomerID: t.UserID, CustomerName: t.CustomerName(), CustomerEmail: t.CustomerEmail,
		State: t.State, Status: t.Status, Rail: rest.Optional(t.Rail), Label: rest.Optional(t.Label), Amount: money.USD.Format(t.Amount), OrderID: t.OrderID, CreatedAt: t.CreatedAt}
	if t.Asset != nil && t.Coins != nil {
		coins := t.Asset.Format(*t.Coins)
		line.Asset, line.Coins = (*string)(t.Asset), &coins
	}
	return line
}

// ExportAdminTransactions streams the whole filtered list. Customers are ids in
// it: a file is not erased with their account.
func (h *Handlers) ExportAdminTransactions(ctx context.Context, in *AdminTransactionFilter) (*huma.StreamResponse, error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	header := []string{"Type", "Reference", "ID", "Date", "Customer ID", "State", "Status", "Payment Method", "Crypto", "Amount", "USD Amount"}
	return h.Export(ctx, "transactions", in, header, func(ctx context.Context, write func(cells ...any) error) error {
		return reporting.EachTrade(ctx, h.DB, filter, func(row *reporting.Trade) error {
			t := adminTransaction(row)
			return write(t.Type, t.Reference, t.ID, t.CreatedAt, t.CustomerID, t.State, t.Status, t.Rail, t.Asset, t.Coins, t.Amount)
		})
	})
}
