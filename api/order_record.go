package api

import (
	"time"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// OrderRecord is what stands behind an order beside its story, for staff.
type OrderRecord struct {
	Decisions []TakenDecision `json:"decisions" doc:"what people decided about the order, and why"`
	Purchases []Purchase      `json:"purchases" doc:"what was bought for it on the exchange"`
	Postings  []LedgerPosting `json:"postings" doc:"how it was booked"`
	Refunds   []StaffRefund   `json:"refunds" doc:"money given back, by us or at the processor itself"`
	Disputes  []StaffDispute  `json:"disputes"`
}

// StaffRefund is money given back, as staff see it.
type StaffRefund struct {
	Sequence    int        `json:"sequence"`
	Amount      string     `json:"amount" doc:"US dollars"`
	Destination string     `json:"destination" enum:"card,balance"`
	Status      string     `json:"status" enum:"requested,pending,succeeded,failed"`
	Origin      string     `json:"origin" enum:"ours,provider" doc:"provider: made at the processor itself"`
	ProviderID  *string    `json:"providerId"`
	FailureCode *string    `json:"failureCode"`
	CreatedAt   time.Time  `json:"createdAt"`
	DoneAt      *time.Time `json:"doneAt"`
}

// StaffDispute is a dispute of the card payment, as staff see it.
type StaffDispute struct {
	Sequence   int        `json:"sequence"`
	ProviderID string     `json:"providerId"`
	Status     string     `json:"status" enum:"open,under_review,won,lost"`
	Reason     string     `json:"reason" doc:"the bank's word for why"`
	Amount     string     `json:"amount" doc:"US dollars"`
	Fee        string     `json:"fee" doc:"US dollars, the processor's"`
	DueBy      *time.Time `json:"dueBy" doc:"when the bank takes an answer no more"`
	Answer     *string    `json:"answer" doc:"contest or accept, once staff have answered"`
	AnsweredAt *time.Time `json:"answeredAt"`
	OpenedAt   time.Time  `json:"openedAt"`
	ClosedAt   *time.Time `json:"closedAt"`
}

func staffRefund(r *models.Refund) StaffRefund {
	return StaffRefund{Sequence: r.Sequence, Amount: money.USD.Format(r.Amount), Destination: r.Destination, Status: r.Status, Origin: r.Origin,
		ProviderID: r.ProviderID, FailureCode: r.FailureCode, CreatedAt: r.CreatedAt, DoneAt: r.DoneAt}
}

func staffDispute(d *models.Dispute) StaffDispute {
	return StaffDispute{Sequence: d.Sequence, ProviderID: d.ProviderID, Status: d.Status, Reason: d.Reason, Amount: money.USD.Format(d.Amount),
		Fee: money.USD.Format(d.Fee), DueBy: d.DueBy, Answer: d.Answer, AnsweredAt: d.AnsweredAt, OpenedAt: d.CreatedAt, ClosedAt: d.ClosedAt}
}

// TakenDecision is a decision somebody took about an order.
type TakenDecision struct {
	ID        string     `json:"id" format:"uuid"`
	Kind      string     `json:"kind"`
	Actor     string     `json:"actor" doc:"e-mail address of who decided"`
	Reason    string     `json:"reason"`
	CreatedAt time.Time  `json:"createdAt"`
	SettledAt *time.Time `json:"settledAt"`
	Outcome   *string    `json:"outcome" doc:"done, or a word for why it could not be done; null while it is being carried out"`
}

// Purchase is one order of ours at the exchange.
type Purchase struct {
	Generation int       `json:"generation"`
	ClientID   string    `json:"clientId" doc:"our identity of it at the exchange"`
	ExchangeID *string   `json:"exchangeId"`
	Asked      string    `json:"asked" doc:"coin"`
	LimitPrice string    `json:"limitPrice" doc:"US dollars for one coin"`
	Filled     string    `json:"filled" doc:"coin"`
	Cost       string    `json:"cost" doc:"US dollars, without the fee"`
	Fee        string    `json:"fee" doc:"US dollars"`
	Done       bool      `json:"done"`
	CreatedAt  time.Time `json:"createdAt"`
}

// LedgerPosting is an amount that moved from one account to another.
type LedgerPosting struct {
	ID       int64     `json:"id"`
	At       time.Time `json:"at"`
	Event    string    `json:"event"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Amount   string    `json:"amount"`
	Currency string    `json:"currency"`
}

func orderRecord(r models.OrderRecord) OrderRecord {
	return OrderRecord{Decisions: mapped(r.Decisions, takenDecision), Purchases: mapped(r.Purchases, purchase), Postings: mapped(r.Postings, ledgerPosting),
		Refunds: mapped(r.Refunds, staffRefund), Disputes: mapped(r.Disputes, staffDispute)}
}

func takenDecision(d *models.TakenDecision) TakenDecision {
	return TakenDecision{ID: d.ID, Kind: d.Kind, Actor: d.ActorEmail, Reason: d.Reason, CreatedAt: d.CreatedAt, SettledAt: d.SettledAt, Outcome: d.OutcomeCode}
}

func purchase(e *models.ExchangeOrder) Purchase {
	usd := money.USD.Format
	return Purchase{Generation: e.Generation, ClientID: e.ClientID, ExchangeID: e.ExchangeID, Asked: e.Asset.Format(e.Asked),
		LimitPrice: e.LimitPrice.String(), Filled: e.Asset.Format(e.Filled), Cost: usd(e.Cost), Fee: usd(e.Fee), Done: e.DoneAt != nil, CreatedAt: e.CreatedAt}
}

func ledgerPosting(p *models.StoredPosting) LedgerPosting {
	return LedgerPosting{ID: p.ID, At: p.At, Event: p.Event, From: p.FromAccount, To: p.ToAccount, Amount: p.Currency.Format(p.Amount), Currency: string(p.Currency)}
}
