package order

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// proposable are the decisions that need a second person above an amount.
var proposable = []string{DecisionRefund, DecisionMarkSent, DecisionConfirmReceipt}

// alwaysProposed are the decisions that need a second person whatever the amount.
var alwaysProposed = []string{DecisionAmendAddress, DecisionTransferDead}

// Proposal is a decision that waits for a second person. One is open per order.
type Proposal struct {
	ID          string `gorm:"primaryKey"`
	OrderID     string
	Kind        string
	Amount      money.Units // cents refunded or received, or that the coin was paid with
	Ends        bool        // the order is over by it
	OrderStatus OrderStatus
	Data        json.RawMessage `gorm:"type:jsonb"` // a RefundWish, SentEvidence, Receipt, AmendedAddress or DeathEvidence
	Reason      string
	ProposedBy  string
	CreatedAt   time.Time               `gorm:"default:clock_now()"`
	Status      casework.ProposalStatus `gorm:"default:open"`
	DecidedBy   *string
	DecidedAt   *time.Time
	Answer      string
	DecisionID  *string
}

// TableName implements GORM's Tabler.
func (Proposal) TableName() string { return "order_proposals" }

// KnownProposal is a proposal with the names of its proposer and decider.
type KnownProposal struct {
	Proposal `gorm:"embedded"`
	Proposer string
	Decider  string
}

// OrderProposals reads what was proposed about an order, oldest first.
func OrderProposals(ctx context.Context, db *store.DB, orderID string) ([]KnownProposal, error) {
	var rows []KnownProposal
	err := db.ORM(ctx).Table("order_proposals").Select("order_proposals.*, p.email AS proposer, coalesce(d.email, '') AS decider").
		Joins("JOIN users p ON p.id = order_proposals.proposed_by").Joins("LEFT JOIN users d ON d.id = order_proposals.decided_by").
		Where("order_proposals.order_id = ?", orderID).Order("order_proposals.created_at, order_proposals.id").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	return rows, nil
}

// NewProposal is an act of one person that needs a second one's approval. The caller has checked that the actor's
// role allows it.
type NewProposal struct {
	OrderID   string
	Kind      string
	Amount    *money.Units // of a refund; nil is all that is left
	To        string       // of a refund: card or balance; empty is the rail of the payment
	LessCoin  bool         // of a refund: offered together with less coin
	Data      any          // of a decision
	Reason    string
	ActorID   string
	ActorRole string
	RequestID string
}

// Propose records what a second person has to approve. It refuses what could not be done now.
func Propose(ctx context.Context, db *store.DB, in NewProposal) (*Proposal, error) {
	receipt, _ := in.Data.(Receipt)
	in.Reason = strings.TrimSpace(in.Reason)
	if in.Reason == "" && in.Kind != DecisionConfirmReceipt { // the bank line of a receipt is its reason
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	if in.Kind == DecisionConfirmReceipt {
		in.Amount = &receipt.Amount
	}
	var row *Proposal
	err := ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		s, err := c.atStake(in.Kind, in.Amount)
		if err = store.FirstError(err, c.unproposed(in.Kind)); err != nil {
			return err
		}
		if in.LessCoin && s.ends { // the rest was refunded since: it would be approved as the refund of all
			return restTooSmall()
		}
		if in.Kind == DecisionRefund {
			in.Data = RefundWish{Amount: &s.amount, To: in.To, LessCoin: in.LessCoin}
		}
		data, err := json.Marshal(in.Data)
		if err != nil {
			return fmt.Errorf("write proposal: %w", err)
		}
		row = &Proposal{ID: store.NewID(), OrderID: in.OrderID, Kind: in.Kind, Amount: s.amount, Ends: s.ends, OrderStatus: c.Order.Status, Data: data,
			Reason: in.Reason, ProposedBy: in.ActorID, CreatedAt: c.Now, Status: casework.ProposalOpen}
		if err := c.mayExecute(row, in.ActorID); err != nil {
			return err
		}
		return c.propose(row, in)
	})
	return row, err
}

func (c *OrderChange) propose(row *Proposal, in NewProposal) error {
	if err := c.Tx.ORM(c.Ctx).Create(row).Error; err != nil {
		return fmt.Errorf("store proposal: %w", err)
	}
	detail := map[string]any{"kind": row.Kind, "amount": money.USD.Format(row.Amount)}
	if err := c.Event(casework.Event{Kind: "proposed", Actor: casework.ByStaff, Internal: true, Dedupe: "proposal:" + row.ID, Data: detail}); err != nil {
		return err
	}
	own := dualcontrol.Attestation{By: in.ActorID, Amount: &row.Amount, Source: row.source(), Proposed: true}
	err := c.attest(row.Kind, own)
	if row.Kind == DecisionRefund {
		err = c.attestRefund(own, in.To, row.Ends)
	}
	if err != nil {
		return err
	}
	return audit.Audit(c.Ctx, c.Tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "order." + row.Kind + "_proposed", ObjectKind: "order", ObjectID: c.Order.ID,
		Before: map[string]any{"status": c.Order.Status}, After: map[string]any{"proposal": row.ID, "amount": money.USD.Format(row.Amount)}, Reason: row.Reason, RequestID: in.RequestID})
}

// stake is how much a decision refunds, and whether it ends the order.
type stake struct {
	amount money.Units
	ends   bool
}

// atStake is what a decision would refund now; no amount is all that is left.
func (c *OrderChange) atStake(kind string, amount *money.Units) (s stake, err error) {
	switch kind {
	case DecisionMarkSent:
		return stake{c.Order.Total, true}, nil
	case DecisionAmendAddress, DecisionTransferDead:
		return stake{amount: c.Order.Total}, nil
	case DecisionConfirmReceipt:
		return stake{amount: *amount}, nil
	}
	if c.Order.MoneyWaits() {
		s.ends = true
		s.amount, err = c.unallocated()
		return s, err
	}
	left, err := c.refundable()
	if err != nil {
		return s, err
	}
	s.amount = left
	if amount != nil {
		s.amount = *amount
	}
	s.ends = c.Order.Status != StatusSent && s.amount.Cmp(left) == 0
	return s, nil
}

// alone refuses what needs a second person: another address, a dead transfer, and crediting, refunding or marking as
// sent above the limit, summed over the customer's orders of a day. to is where a refund goes. No limit is none: the
// API always gives one.
func (c *OrderChange) alone(kind string, amount *money.Units, to string, l limits) error {
	switch {
	case slices.Contains(alwaysProposed, kind):
		return dualcontrol.ErrSecondPerson
	case !slices.Contains(proposable, kind):
		return nil
	}
	intake := dualcontrol.Intake{Kind: attested[kind], Actor: l.actor, Customer: c.Order.UserID, Limit: l.customer, StaffLimit: l.staff}
	if kind == DecisionConfirmReceipt {
		intake.Amount = *amount
		return dualcontrol.CheckIntake(c.Ctx, c.Tx, intake)
	}
	s, err := c.atStake(kind, amount)
	if err != nil || s.amount.IsZero() { // the end of an order whose money is all back
		return err
	}
	intake.Amount, intake.Except = s.amount, dualcontrol.OrderRef(c.Order.ID)
	if kind == DecisionMarkSent {
		return dualcontrol.CheckIntake(c.Ctx, c.Tx, intake)
	}
	if err := c.refundsAlone(s.amount, l.customer); err != nil || !c.refundsToBalance(to) {
		return err
	}
	return dualcontrol.CheckStaffLimit(c.Ctx, c.Tx, l.actor, s.amount, l.staff)
}

// limits are how much one person decides alone, in cents: for a customer and day, and over all customers in a day. Nil is
// no limit.
type limits struct {
	actor           string
	customer, staff *money.Units
}

func (in NewDecision) limits() limits {
	return limits{actor: in.ActorID, customer: in.Alone, staff: in.StaffAlone}
}

// refundsAlone returns dualcontrol.ErrSecondPerson if a refund exceeds the limit together with the order's earlier ones, and
// those of its customer's other orders in a day. It holds the customer's lock.
func (c *OrderChange) refundsAlone(amount money.Units, limit *money.Units) error {
	if limit == nil {
		return nil
	}
	if err := ledger.LockCustomer(c.Ctx, c.Tx, c.Order.UserID); err != nil {
		return err
	}
	before, err := GivenBack(c.Ctx, c.Tx, c.Order)
	if err == nil && before.Add(amount).Cmp(*limit) > 0 {
		err = dualcontrol.ErrSecondPerson
	}
	return err
}

// mayExecute refuses what the actor could not have done now.
func (c *OrderChange) mayExecute(p *Proposal, actorID string) error {
	if p.decides() {
		return c.MayDecide(p.decision(actorID))
	}
	_, err := c.mayGiveBack(p.refund(actorID))
	return err
}

// decides reports whether the order's workflow executes the approved proposal; else it is a refund beside it.
func (p *Proposal) decides() bool { return p.Ends || p.Kind != DecisionRefund }

// decision is what the proposal becomes, with its data as the kind has it: what is
// checked of a decision is checked of a proposed one.
func (p *Proposal) decision(actorID string) NewDecision {
	in := NewDecision{OrderID: p.OrderID, Kind: p.Kind, ActorID: actorID, Reason: p.Reason, Data: p.Data, proposal: p}
	switch p.Kind {
	case DecisionRefund:
		var wish RefundWish
		_ = json.Unmarshal(p.Data, &wish) // Propose wrote it
		in.Data = RefundWish{To: wish.To}
	case DecisionConfirmReceipt:
		in.Data = *p.Receipt()
	case DecisionAmendAddress:
		in.Data = p.amended()
	case DecisionTransferDead:
		in.Data = p.evidence()
	}
	return in
}

// Receipt is the money that the proposer reports as arrived; nil of another proposal.
func (p *Proposal) Receipt() *Receipt {
	var receipt Receipt
	if p.Kind != DecisionConfirmReceipt || json.Unmarshal(p.Data, &receipt) != nil {
		return nil
	}
	return &receipt
}

func (p *Proposal) amended() (to AmendedAddress) {
	if p.Kind == DecisionAmendAddress {
		_ = json.Unmarshal(p.Data, &to) // Propose wrote it
	}
	return to
}

// NewAddress is the proposed address of the coin; "" of another proposal.
func (p *Proposal) NewAddress() string { return p.amended().Address }

func (p *Proposal) refund(actorID string) NewRefund {
	var wish RefundWish
	_ = json.Unmarshal(p.Data, &wish) // Propose wrote it
	return NewRefund{OrderID: p.OrderID, Amount: &p.Amount, To: wish.To, LessCoin: wish.LessCoin, ActorID: actorID, Reason: p.Reason, proposal: p}
}

// audited adds to what the audit log says of a decision that another person had proposed it.
func (p *Proposal) audited(after map[string]any) map[string]any {
	if p != nil {
		after["proposal"], after["proposedBy"] = p.ID, p.ProposedBy
	}
	return after
}

// openProposal is the proposal that waits for a second person, or nil.
func (c *OrderChange) openProposal() (*KnownProposal, error) {
	rows, err := OrderProposals(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(rows, func(p KnownProposal) bool { return p.Status == casework.ProposalOpen }); i >= 0 {
		return &rows[i], nil
	}
	return nil, nil
}

// barredByProposal are the decisions of staff that wait until a proposal is
// decided: each would move the coin or the money that it is about.
var barredByProposal = []string{DecisionFulfill, DecisionRetry, DecisionRefund, ActionRefundPart, DecisionAmendAddress, DecisionMarkSent, DecisionTransferDead, DecisionConfirmReceipt, DecisionReject}

// ProposalBars removes what staff cannot decide while a proposal is open.
func ProposalBars(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return slices.Contains(barredByProposal, kind) })
}

// unproposed refuses what an open proposal bars.
func (c *OrderChange) unproposed(kind string) error {
	if !slices.Contains(barredByProposal, kind) {
		return nil
	}
	open, err := c.openProposal()
	if err != nil || open == nil {
		return err
	}
	return store.Conflict("proposal_open", fmt.Sprintf("%s proposed %s. Approve or reject it first.", open.Proposer, open.what()))
}

// unmarked refuses a customer's choice while it waits for a second person that their
// coin was sent by hand: it would be sent, or paid back, beside that.
func (c *OrderChange) unmarked() error {
	open, err := c.openProposal()
	if err == nil && open != nil && open.Kind == DecisionMarkSent {
		return store.Conflict("proposal_open", "We're checking whether your crypto was already sent. Choose again when we know.")
	}
	return err
}

// what describes the proposal in plain language.
func (p *Proposal) what() string {
	switch p.Kind {
	case DecisionMarkSent:
		return "to mark this order as sent"
	case DecisionConfirmReceipt:
		return "to confirm that $" + money.USD.Format(p.Amount) + " arrived"
	case DecisionAmendAddress:
		return "to send this order to another address"
	case DecisionTransferDead:
		return "to declare the transfer of this order dead"
	}
	if p.LessCoin() {
		return "to refund $" + money.USD.Format(p.Amount) + " with less crypto"
	}
	return "to refund $" + money.USD.Format(p.Amount)
}

// LessCoin reports whether the proposed refund is offered together with less coin.
func (p *Proposal) LessCoin() bool {
	var wish RefundWish
	return p.Kind == DecisionRefund && json.Unmarshal(p.Data, &wish) == nil && wish.LessCoin
}

// TxID is the evidence of a mark that the coin was sent; nil of a refund.
func (p *Proposal) TxID() *string {
	var evidence SentEvidence
	if p.Kind != DecisionMarkSent || json.Unmarshal(p.Data, &evidence) != nil {
		return nil
	}
	return &evidence.TxID
}
