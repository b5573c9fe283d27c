package reporting

import (
	"cmp"
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reporting"
)

// TransactionFilter is what narrows a customer's history.
type TransactionFilter struct {
	Type   string          `query:"type" enum:"all,crypto_swap,gift_card,voucher" default:"all"`
	Status string          `query:"status" enum:"all,completed,pending,payment_processing,failed,cancelled,refunded" default:"all" doc:"legacyStatus; refunded: orders of which money went back"`
	Crypto rest.CoinFilter `query:"crypto" default:"all"`
	Query  string          `query:"q" maxLength:"100" doc:"order id, wallet address or crypto; of a gift card its id, reference or brand"`
}

func (f TransactionFilter) model() reporting.TransactionFilter {
	return reporting.TransactionFilter{Kind: rest.UnlessAll(f.Type), Legacy: rest.UnlessAll(f.Status), Asset: money.Currency(rest.UnlessAll(f.Crypto)), Query: f.Query}
}

type listTransactionsInput struct {
	rest.Paging
	TransactionFilter
}

// ListTransactions answers GET /api/transactions.
func (h *Handlers) ListTransactions(ctx context.Context, in *listTransactionsInput) (*rest.Page[Transaction], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	rows, next, err := reporting.Transactions(ctx, h.DB, userID, in.model(), wanted)
	if err != nil {
		return nil, err
	}
	counts, err := reporting.CountTransactions(ctx, h.DB, userID, in.model())
	if err != nil {
		return nil, err
	}
	return &rest.Page[Transaction]{Link: rest.LinkTo(ctx, next, in.Limit), Total: counts.Matching, Body: rest.Mapped(rows, h.transaction)}, nil
}

// GetTransactionsSummary answers GET /api/transactions/summary.
func (h *Handlers) GetTransactionsSummary(ctx context.Context, in *TransactionFilter) (*rest.Body[TransactionsSummary], error) {
	n, err := reporting.CountTransactions(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.model())
	if err != nil {
		return nil, err
	}
	return &rest.Body[TransactionsSummary]{Body: TransactionsSummary{Total: n.Total, Matching: n.Matching, Active: n.Active, FiatSum: money.USD.Format(n.Value)}}, nil
}

// transaction is a line of history. What was never coin has no cryptocurrency.
func (h *Handlers) transaction(t *reporting.Transaction) Transaction {
	line := Transaction{ID: t.ID, Reference: t.Reference, Type: t.Kind, FromAsset: t.From, ToAsset: string(t.To), ToAmount: t.To.Format(t.Amount),
		Status: t.DashboardStatus(), LegacyStatus: t.Status, OrderStatus: rest.Optional(t.OrderStatus), Resolution: rest.Optional(t.Resolution), Authorised: t.Authorised, Amount: t.To.Format(t.Amount), PaymentMethod: t.Method, ExplorerURL: h.Places.Transaction(t.Network, &t.TxID), CreatedAt: t.CreatedAt}
	if t.Kind == reporting.TransactionOrder {
		line.OrderID = &t.ID
	}
	if t.Returned.Sign() > 0 {
		line.Returned = rest.Dollars(&t.Returned)
	}
	if t.To != money.USD {
		line.CryptoCurrency, line.WalletAddress = (*string)(&t.To), &t.Address
	}
	if t.Fiat != nil {
		fiat := money.USD.Format(*t.Fiat)
		line.FiatAmount = &fiat
	}
	return line
}

// ExportTransactions streams the whole filtered history as a CSV file, its columns named in
// the language of the requesting page. Orders and their outcomes have the names of the
// pages.
func (h *Handlers) ExportTransactions(ctx context.Context, in *TransactionFilter) (*huma.StreamResponse, error) {
	userID := rest.PrincipalOf(ctx).UserID
	header := rest.Columns(ctx, "Order ID", "Date", "Crypto", "Amount", "USD Amount", "Payment Method", "Status", "Wallet Address")
	return h.CSV(ctx, "transactions", header, func(ctx context.Context, write func(cells []string) error) error {
		return reporting.EachTransaction(ctx, h.DB, userID, in.model(), func(row *reporting.Transaction) error {
			t := h.transaction(row)
			amount := t.Amount
			if t.CryptoCurrency == nil {
				amount = "" // dollars, which have a column of their own
			}
			return write(rest.Inert(t.Reference, t.CreatedAt.UTC().Format(time.RFC3339), rest.OrEmpty(t.CryptoCurrency), amount, rest.OrEmpty(t.FiatAmount), t.PaymentMethod, statusWord(&t), rest.OrEmpty(t.WalletAddress)))
		})
	})
}

// statusWord is a transaction's status under the name that its page shows.
func statusWord(t *Transaction) string {
	if t.Authorised {
		return "authorised"
	}
	if rest.OrEmpty(t.OrderStatus) == string(order.StatusSent) && t.Resolution != nil {
		return "sent, " + *t.Resolution
	}
	return cmp.Or(rest.OrEmpty(t.Resolution), rest.OrEmpty(t.OrderStatus), t.LegacyStatus)
}

// ListWithdrawals answers GET /api/withdrawals.
func (h *Handlers) ListWithdrawals(ctx context.Context, in *rest.Paging) (*rest.Page[executionapi.Withdrawal], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	rows, next, err := execution.Withdrawals(ctx, h.DB, userID, wanted)
	if err != nil {
		return nil, err
	}
	total, err := execution.CountWithdrawals(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	return &rest.Page[executionapi.Withdrawal]{Link: rest.LinkTo(ctx, next, in.Limit), Total: total, Body: rest.Mapped(rows, h.withdrawal)}, nil
}

func (h *Handlers) withdrawal(w *execution.Withdrawal) executionapi.Withdrawal {
	return executionapi.Withdrawal{ID: w.ID, OrderID: w.OrderID, RedemptionID: w.RedemptionID, Reference: w.Reference, CryptoCurrency: string(w.Asset), Amount: w.Asset.Format(w.Amount), WalletAddress: w.Address,
		Network: w.Network, TxID: money.ShownTransaction(w.Network, w.TxID), ExplorerURL: h.Places.Transaction(w.Network, w.TxID), Status: withdrawalStatus(w), CreatedAt: w.CreatedAt}
}

// withdrawalStatus is a transfer's status of specification §4: completed once the network
// has it, failed where it never will.
func withdrawalStatus(w *execution.Withdrawal) string {
	switch w.Status {
	case execution.TransferBroadcast, execution.TransferConfirmed, execution.TransferRevived:
		return "completed"
	case execution.TransferRemoved, execution.TransferReplaced:
		return "failed"
	case execution.TransferRequested:
		return "pending"
	}
	if w.Dead() {
		return "failed"
	}
	return "payment_processing"
}
