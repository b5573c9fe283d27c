package payout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// KindPayout is a payout: dollars of a customer's balance sent to their bank account.
const KindPayout casework.Kind = "payout"

// PayoutStatus is the state of a payout.
type PayoutStatus string

// The statuses, in the order a good payout passes them.
const (
	// PayoutUnconfirmed is reserved, and waits for its customer to follow the mailed link.
	PayoutUnconfirmed PayoutStatus = "unconfirmed"

	PayoutRequested PayoutStatus = "requested" // reserved; waits for approval
	PayoutApproved  PayoutStatus = "approved"  // waits for staff to make the transfer
	PayoutPaid      PayoutStatus = "paid"      // transferred; the bank may still send it back
	PayoutRejected  PayoutStatus = "rejected"
	PayoutCancelled PayoutStatus = "cancelled" // by its customer
	PayoutReturned  PayoutStatus = "returned"  // by the bank
)

// PayoutStatuses lists them all, for filters and generated tests.
var PayoutStatuses = []PayoutStatus{PayoutUnconfirmed, PayoutRequested, PayoutApproved, PayoutPaid, PayoutRejected, PayoutCancelled, PayoutReturned}

// payoutTransitions is the one table of what a payout's status may become.
var payoutTransitions = map[PayoutStatus][]PayoutStatus{
	PayoutUnconfirmed: {PayoutRequested, PayoutCancelled},

	PayoutRequested: {PayoutApproved, PayoutRejected, PayoutCancelled},
	PayoutApproved:  {PayoutPaid, PayoutRejected},
	PayoutPaid:      {PayoutReturned},
}

// Decisions that staff make about a payout.
const (
	PayoutApprove = "approve" // it may be paid
	PayoutReject  = "reject"  // it may not; back to the balance
	PayoutConfirm = "confirm" // the transfer was made
	PayoutReturn  = "return"  // the bank sent it back
	PayoutCancel  = "cancel"  // its customer withdraws it
)

// Waits reports whether a payout of a status waits for staff.
func (s PayoutStatus) Waits() bool { return s == PayoutRequested || s == PayoutApproved }

// PayoutDecisions is what staff can decide about a payout of a status: nothing before its customer has confirmed it.
func PayoutDecisions(status PayoutStatus) []string {
	switch status {
	case PayoutRequested:
		return []string{PayoutApprove, PayoutReject}
	case PayoutApproved:
		return []string{PayoutConfirm, PayoutReject}
	case PayoutPaid:
		return []string{PayoutReturn}
	case PayoutUnconfirmed, PayoutRejected, PayoutCancelled, PayoutReturned:
	}
	return []string{}
}

// CanCancel reports whether its customer can cancel a payout of a status.
func (s PayoutStatus) CanCancel() bool { return s == PayoutUnconfirmed || s == PayoutRequested }

// Decisions is what staff can decide about the payout: a closed one is no longer decided.
func (p *Payout) Decisions() []string {
	if p.ClosedAt != nil {
		return []string{}
	}
	if p.Status == PayoutUnconfirmed && p.RestoredAt != nil { // it may have been confirmed and paid since the backup
		return []string{PayoutApprove}
	}
	return PayoutDecisions(p.Status)
}

// CanCancel reports whether its customer can cancel the payout: not while it may have been paid after a backup.
func (p *Payout) CanCancel() bool { return p.Status.CanCancel() && p.RestoredAt == nil }

// PayoutRules say what a payout's timeline can hold and which mails it causes.
var PayoutRules = casework.ListCases(&casework.CaseRules{
	Matter: KindPayout, Label: "payout", Page: "/payouts/{id}", StaffPage: "/admin/payouts/{id}", Table: "payouts",
	Events: []string{"confirmation_requested", "unconfirmed", "requested", "approved_once", "approved", "rejected", "cancelled", "paid", "returned", "approval_late", "payment_late",
		"revealed", "statement_read", "account_destroyed"},
	Mailings: []casework.Mailing{
		{Event: "confirmation_requested", Kind: MailConfirmPayout},
		{Event: "unconfirmed", Kind: "payout_unconfirmed"},
		{Event: "requested", Kind: "payout_requested"},
		{Event: "approved", Kind: "payout_approved"},
		{Event: "rejected", Kind: "payout_rejected"},
		{Event: "paid", Kind: "payout_paid"},
		{Event: "returned", Kind: "payout_returned"},
		{Event: "approval_late", Kind: "payout_approval_late", Roles: store.Cashiers},
		{Event: "payment_late", Kind: "payout_payment_late", Roles: store.Cashiers},
	},
})

// Payout is a payout of US cents. The account's holder and number are sealed, and deleted at the end.
type Payout struct {
	ID        string `gorm:"primaryKey"`
	Reference string
	UserID    string
	Amount    money.Units
	Status    PayoutStatus

	AccountKind        string
	AccountCountry     string
	AccountLast4       string `gorm:"column:account_last4"`
	SealedAccount      []byte
	AccountDestroyedAt *time.Time

	ConfirmBy       *time.Time // until when its mailed link works; nil once it is confirmed
	HolderDiffers   bool       // the account's holder does not have the verified name
	ApprovalsNeeded int
	FirstApprovedBy *string
	FirstApprovedAt *time.Time
	ApprovedBy      *string
	ApprovedAt      *time.Time

	BankReference *string
	PaidBy        *string
	PaidAt        *time.Time

	Reason  *string
	EndedBy *string
	EndedAt *time.Time

	RemindAt        *time.Time
	Reminders       int
	ReturnableUntil *time.Time
	WakeAt          *time.Time

	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	RestoredAt        *time.Time // open when a backup was restored; nil once the statement was read (restore.go)
	CreatedAt         time.Time  `gorm:"default:clock_now()"`
	UpdatedAt         time.Time  `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt          *time.Time
}

// Sentence is the payout in one line, for workflow summaries: nothing personal.
func (p *Payout) Sentence() string {
	return fmt.Sprintf("%s · $%s", p.Reference, money.USD.Format(p.Amount))
}

func (p *Payout) about() casework.About {
	return casework.About{Matter: KindPayout, ID: p.ID, UserID: p.UserID, Reference: p.Reference, Status: string(p.Status)}
}

// ReadPayout reads one payout; NotFound when there is none.
func ReadPayout(ctx context.Context, db *store.DB, id string) (*Payout, error) {
	return store.RowByID[Payout](ctx, db, id, "Payout")
}

// PayoutOf reads a customer's own payout; NotFound when it is not theirs.
func PayoutOf(ctx context.Context, db *store.DB, userID, id string) (*Payout, error) {
	payout, err := ReadPayout(ctx, db, id)
	if err == nil && payout.UserID != userID {
		return nil, store.NotFound("Payout")
	}
	return payout, err
}

// PayoutChange is one transaction on one payout. Nothing it does is visible
// until all of it is.
type PayoutChange struct {
	Payout *Payout
	Now    time.Time

	ctx context.Context
	tx  *store.DB
	was Payout // as it was read
}

// ChangePayout locks a payout and runs fn on it; what fn did commits together
// with the payout's row. It is the only way a payout changes.
func ChangePayout(ctx context.Context, db *store.DB, id string, fn func(c *PayoutChange) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		payout, now, err := store.LockedRow[Payout](ctx, tx, "payouts", id, "Payout")
		if err != nil {
			return err
		}
		c := &PayoutChange{Payout: payout, Now: now, ctx: ctx, tx: tx, was: *payout}
		return tx.Together(ctx, func() error {
			if err := fn(c); err != nil {
				return err
			}
			return c.store()
		})
	})
}

// store writes the payout's row, guarded by the status it was read with.
func (c *PayoutChange) store() error {
	p := c.Payout
	switch {
	case p.Status == PayoutUnconfirmed && p.RestoredAt != nil: // it ends once the bank's statement was read
		p.WakeAt = nil
	case p.Status == PayoutUnconfirmed:
		p.WakeAt = p.ConfirmBy
	case p.Status == PayoutPaid && p.ClosedAt == nil:
		p.WakeAt = p.ReturnableUntil
	case p.Status == PayoutRequested && p.RemindAt == nil: // confirmed: its workflow plans the reminders now
		p.WakeAt = &c.Now
	default:
		p.WakeAt = p.RemindAt
	}
	return store.StoreChanged(c.ctx, c.tx, &c.was, p, c.Now, store.Conflict("payout_moved", "The payout has changed. Refresh the page."),
		store.Means("payouts_bank_reference", ledger.ErrReferenceUsed))
}

// move changes the payout's status; a move the table does not list is refused.
func (c *PayoutChange) move(to PayoutStatus) error {
	if !slices.Contains(payoutTransitions[c.Payout.Status], to) {
		return store.Conflict("payout_state", fmt.Sprintf("A payout that is %s can't become %s", c.Payout.Status, to))
	}
	c.Payout.Status = to
	return nil
}

func (c *PayoutChange) event(e casework.Event) error {
	return casework.Append(c.ctx, c.tx, c.Payout.about(), e)
}

// giveBack credits the payout's amount to the balance again, out of an account.
func (c *PayoutChange) giveBack(event, group string, lines []ledger.Posting) error {
	_, err := ledger.CreditBalance(c.ctx, c.tx, ledger.About(string(KindPayout), c.Payout.ID, event, group), c.Payout.UserID, lines...)
	return err
}

// close ends the payout, and deletes its account details.
func (c *PayoutChange) close() error {
	p := c.Payout
	p.ClosedAt, p.RemindAt, p.ReturnableUntil = &c.Now, nil, nil
	p.SealedAccount, p.AccountDestroyedAt = nil, &c.Now
	return c.event(casework.Event{Kind: "account_destroyed", Internal: true, Dedupe: "account"})
}

// PayoutReservedPostings promise a part of the balance to a payout.
func PayoutReservedPostings(userID string, amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.CustomerReserved(userID), To: ledger.CustomerBalance(userID), Currency: money.USD, Amount: amount}}
}

// PayoutReleasedPostings reverse the promise.
func PayoutReleasedPostings(userID string, amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.CustomerBalance(userID), To: ledger.CustomerReserved(userID), Currency: money.USD, Amount: amount}}
}

// PayoutPaidPostings are for money that left our bank for the customer's.
func PayoutPaidPostings(userID string, amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountBank, To: ledger.CustomerReserved(userID), Currency: money.USD, Amount: amount}}
}

// PayoutReturnedPostings are for money that the customer's bank sent back, and the fee that a bank kept of it. We
// bear the fee: the payout was promised without one, and its customer cannot verify it.
func PayoutReturnedPostings(userID string, amount, fee money.Units) []ledger.Posting {
	return []ledger.Posting{
		{From: ledger.CustomerBalance(userID), To: ledger.AccountBank, Currency: money.USD, Amount: amount.Sub(fee)},
		{From: ledger.CustomerBalance(userID), To: ledger.AccountProviderFee, Currency: money.USD, Amount: fee},
	}
}
