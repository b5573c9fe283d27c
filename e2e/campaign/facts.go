package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tradepost/tradepost/models/money"
)

// Facts are what a campaign left behind: our rows, the simulators' own records,
// and what the people in it saw. Every check is a function of them alone, so
// that a doctored copy shows whether it finds what it is for.
type Facts struct {
	Orders      []OrderFact
	Payments    []PaymentFact
	Events      []EventFact
	Postings    []PostingFact
	Decisions   []DecisionFact
	Audit       []AuditFact
	Purchases   []PurchaseFact
	Withdrawals []WithdrawalFact
	Refunds     []RefundFact
	Receipts    []ReceiptFact
	Returns     []ReturnFact
	Stranded    []StrandedFact
	Surpluses   []SurplusFact
	CoinOffers  []CoinOfferFact
	Disputes    []DisputeFact
	Hooks       []HookFact
	Mails       []MailFact
	Redemptions []RedemptionFact
	CaseEvents  []CaseEventFact
	Acts        []ActFact
	Accounts    map[string]AccountFact
	Balances    map[string]money.Units // customers' cached balances, by account and currency

	// At the providers.
	Intents   []IntentFact
	Transfers []TransferFact
	Effects   []EffectFact
	Held      map[string]money.Units // by ledger account and currency
	Letters   []MailboxFact

	// Effects on which a provider's statement and the ledger do not agree, and
	// whether the two were compared after all was at rest.
	Apart    []ApartFact
	Compared bool

	// In Temporal: workflow ids that run, and those that ended badly.
	Running, Broken []string

	// Lost is what a backup did not have that was put back.
	Lost Lost
	// OwnAddresses are the addresses that float was moved to.
	OwnAddresses []string
	// Planned is how many orders were to be made and are not lost.
	Planned int
	// Stuck are orders that were seen waiting for an admin without a button to press.
	Stuck []StuckFact
	// Seen by people.
	Clicks   []Click
	Contests []Contest
	Forged   []string // ids of forged webhooks
}

// ApartFact is an effect on which statement and ledger do not agree.
type ApartFact struct {
	Holder, Key, Currency string
	Booked, Told          money.Units
	OrderID               *string
}

// StuckFact is an order that waits without a button for anyone who could decide it.
type StuckFact struct{ OrderID, Where string }

// OrderFact is an order's row.
type OrderFact struct {
	ID, Reference, UserID, Asset, Network, DestAddress, PaymentMethod, Status string
	Resolution, AttentionReason, Txid                                         *string
	Held, Restored                                                            bool
	Amount, BasePrice, Total, Refunded                                        money.Units
	PaidAt, SentAt, ConfirmedAt, ClosedAt, ChoiceDueAt                        *time.Time
}

// PaymentFact is a payment's row.
type PaymentFact struct {
	OrderID, AdminApprovalStatus string
	StripePaymentIntentID        *string
	CapturedAt                   *time.Time
}

// EventFact is a line of an order's timeline.
type EventFact struct {
	ID              int64
	OrderID         string
	At              time.Time
	Kind, Status    string
	Data            string
	Internal        bool
	Actor, TxidTold string
}

// PostingFact is a line of the ledger.
type PostingFact struct {
	ID                                           int64
	GroupKey, Event, FromAccount, ToAccount, Cur string
	Amount                                       money.Units
	OrderID                                      *string
}

// DecisionFact is a decision's row.
type DecisionFact struct {
	ID, OrderID, Kind, ActorID string
	SettledAt                  *time.Time
	Outcome                    *string
}

// AuditFact is a line of the audit log about an order.
type AuditFact struct{ ActorID, Action, ObjectID string }

// PurchaseFact is an order at the exchange.
type PurchaseFact struct {
	OrderID, RedemptionID    string // one of the two
	ClientID                 string
	Asked, Filled, Cost, Fee money.Units
	DoneAt                   *time.Time
}

// WithdrawalFact is a transfer's row.
type WithdrawalFact struct {
	OrderID, RedemptionID       string // one of the two
	SequenceID, Address, Status string
	TransferID, Txid            *string
	Generation                  int
	Amount, Fee                 money.Units
	FeeCurrency                 *string
}

// RedemptionFact is a voucher that pays out coin.
type RedemptionFact struct {
	ID, VoucherID, Status, Asset, Network, DestAddress string
	Txid                                               *string
	Amount                                             money.Units
	SentAt, ClosedAt                                   *time.Time
}

// ActFact is a decision about anything but an order, and its state.
type ActFact struct{ About, Kind, Status string }

// CaseEventFact is a line of the timeline of anything but an order.
type CaseEventFact struct{ Case, Kind string }

// RefundFact is a refund's row.
type RefundFact struct {
	OrderID, Destination, Status, Origin string
	ProviderID                           *string
	Amount                               money.Units
	DoneAt                               *time.Time
}

// ReceiptFact is money seen on the bank account.
type ReceiptFact struct {
	OrderID, BankReference string
	Amount                 money.Units
}

// ReturnFact is money that left an order again: reversed, or returned by a bank.
type ReturnFact struct {
	OrderID, BorneBy  string
	Amount, FromOrder money.Units
	Reinstated        bool
}

// StrandedFact is a credit that reached a closed account.
type StrandedFact struct {
	OrderID *string
	Amount  money.Units
	Paid    bool
}

// DisputeFact is a dispute's row.
type DisputeFact struct {
	OrderID, Status                     string
	Withdrawn, Reinstated, Settled, Fee money.Units
	ClosedAt                            *time.Time
}

// HookFact is a stored webhook.
type HookFact struct {
	Provider, EventID, Type string
	OrderID                 *string
	HandledAt               *time.Time
}

// MailFact is a mail's row.
type MailFact struct {
	ID, OrderID, Kind string
	Staff             bool
	Attempts          int
	SentAt, GivenUpAt *time.Time
}

// AccountFact is an account of the ledger.
type AccountFact struct {
	Code, Kind string
	Protected  bool
}

// IntentFact is a card payment as Stripe has it.
type IntentFact struct {
	ID, OrderID, Status, Charge                            string
	Received, Refunded, Withdrawn, Reinstated, DisputeFees int64
	Parts                                                  []string // ids of its refunds and disputes
}

// TransferFact is a transfer as BitGo has it. Coin that is paid back, or whose transaction was replaced, has no
// recipient any more.
type TransferFact struct {
	ID, SequenceID, TxID, State, Address string
	Account, Currency                    string // the account it leaves, by the ledger's name
	Value, Fee                           money.Units
	FeeCurrency                          string
	Final                                bool // removed permanently
}

func (t TransferFact) alive() bool {
	switch t.State {
	case "signed", "unconfirmed", "confirmed", "pendingApproval", "removed": // a re-org can restore it
		return true
	}
	return false
}

// EffectFact counts what a simulator did for a subject.
type EffectFact struct {
	Provider, Operation, Subject string
	Count                        int
}

// MailboxFact is a mail in the mailbox.
type MailboxFact struct {
	MessageID  string
	Subject    string
	Deliveries int
}

// question reads a table of ours into facts.
type question func(ctx context.Context, tx pgx.Tx) error

func read[T any](into *[]T, query string) question {
	return func(ctx context.Context, tx pgx.Tx) error {
		found, err := tx.Query(ctx, query)
		if err != nil {
			return err
		}
		*into, err = pgx.CollectRows(found, pgx.RowToStructByNameLax[T])
		return err
	}
}

// balanceRow is a customer's balance in one currency.
type balanceRow struct {
	Name   string
	Amount money.Units
}

// readRows reads our side, all of one moment.
func (t *cluster) readRows(ctx context.Context, f *Facts) error {
	tx, err := t.database.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // only read
	var accounts []AccountFact
	var balances []balanceRow
	for _, ask := range append(f.questions(),
		read(&accounts, `SELECT code, kind, protected FROM accounts`),
		read(&balances, `SELECT account || ' ' || currency AS name, amount FROM customer_balances`)) {
		if err := ask(ctx, tx); err != nil {
			return fmt.Errorf("read the rows: %w", err)
		}
	}
	f.Accounts, f.Balances = map[string]AccountFact{}, map[string]money.Units{}
	for _, a := range accounts {
		f.Accounts[a.Code] = a
	}
	for _, b := range balances {
		f.Balances[b.Name] = b.Amount
	}
	return nil
}

// questions are the queries of the tables that facts hold row by row.
func (f *Facts) questions() []question {
	return []question{
		read(&f.Apart, `SELECT holder, key, currency, booked, told, order_id::text FROM reconciled_effects WHERE booked <> told ORDER BY holder, key`),
		read(&f.Orders, `SELECT id::text, reference, user_id::text, asset, network, dest_address, payment_method, status, resolution,
				attention_reason, txid, held, restored_at IS NOT NULL AS restored, amount, base_price, total, refunded, paid_at, sent_at, confirmed_at, closed_at, choice_due_at FROM orders ORDER BY created_at`),
		read(&f.Payments, `SELECT order_id::text, admin_approval_status, stripe_payment_intent_id, captured_at FROM payments`),
		read(&f.Events, `SELECT id, order_id::text, at, kind, status, data::text, internal, actor, coalesce(data->>'txid', '') AS txid_told FROM order_events ORDER BY id`),
		read(&f.Postings, `SELECT id, group_key, event, from_account, to_account, currency AS cur, amount, order_id::text FROM postings ORDER BY id`),
		read(&f.Decisions, `SELECT id::text, order_id::text, kind, actor_id::text, settled_at, outcome FROM decisions`),
		read(&f.Audit, `SELECT coalesce(actor_id::text, '') AS actor_id, action, object_id FROM audit_log WHERE object_kind = 'order'`),
		read(&f.Purchases, `SELECT coalesce(order_id::text, '') AS order_id, coalesce(redemption_id::text, '') AS redemption_id, client_id::text, asked, filled, cost, fee, done_at FROM exchange_orders`),
		read(&f.Withdrawals, `SELECT coalesce(order_id::text, '') AS order_id, coalesce(redemption_id::text, '') AS redemption_id, sequence_id, address, status, transfer_id, txid, generation, amount, fee, fee_currency FROM withdrawals`),
		read(&f.Refunds, `SELECT order_id::text, destination, status, origin, provider_id, amount, done_at FROM refunds`),
		read(&f.Receipts, `SELECT order_id::text, bank_reference, amount FROM receipts`),
		read(&f.Returns, `SELECT order_id::text, borne_by, amount, from_order, reinstated_at IS NOT NULL AS reinstated FROM receipt_returns`),
		read(&f.Stranded, `SELECT order_id::text, amount - taken AS amount, paid_at IS NOT NULL AS paid FROM stranded_credits`),
		read(&f.Surpluses, `SELECT s.order_id::text, s.outcome, s.chosen, s.staff_only, s.amount,
				coalesce(u.status = 'sent_back', false) AS sent_back FROM surpluses s LEFT JOIN unplaced_money u ON u.id = s.unplaced_id`),
		read(&f.CoinOffers, `SELECT order_id::text, status FROM coin_offers`),
		read(&f.Disputes, `SELECT order_id::text, status, withdrawn, reinstated, settled, fee, closed_at FROM disputes`),
		read(&f.Hooks, `SELECT provider, event_id, type, order_id::text, handled_at FROM webhook_inbox`),
		read(&f.Mails, `SELECT id::text, coalesce(order_id::text, '') AS order_id, kind, staff OR kind = 'approvals_waiting' AS staff, attempts, sent_at, given_up_at FROM mails`),
		read(&f.Redemptions, `SELECT id::text, voucher_id::text, status, asset, network, dest_address, txid, amount, sent_at, closed_at FROM voucher_redemptions ORDER BY created_at`),
		read(&f.Acts, `SELECT matter AS about, kind, coalesce(outcome_code, 'done') AS status FROM matter_decisions
			UNION ALL SELECT 'gift_card', kind, coalesce(outcome_code, 'done') FROM gift_card_decisions
			UNION ALL SELECT 'order proposal', kind, status FROM order_proposals UNION ALL SELECT 'money proposal', kind, status FROM money_proposals
			UNION ALL SELECT 'treasury', 'move', status FROM treasury_moves`),
		read(&f.CaseEvents, `SELECT matter AS case, kind FROM matter_events UNION ALL SELECT 'gift_card', kind FROM gift_card_events
			UNION ALL SELECT 'gift_card', kind || ' by time' FROM gift_card_events WHERE kind = 'declined' AND actor = 'system'`),
	}
}
