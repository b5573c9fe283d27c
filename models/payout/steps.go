package payout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Bounds of a payout, and of how many of one customer may be in progress.
const (
	MinPayout      = 1_000 // cents
	maxOpenPayouts = 5
)

// NewPayout is a payout about to be requested: its account has been checked.
type NewPayout struct {
	UserID  string
	Amount  money.Units
	Account PayoutAccount
	// ByMail has the customer, who has no second factor, confirm the payout by a mailed link.
	ByMail bool
	// TwoAbove is the amount of a customer's payouts of one day above which two
	// people have to approve.
	TwoAbove money.Units
}

// RequestPayout writes a payout and reserves its amount: from now on the
// customer cannot spend it otherwise.
func RequestPayout(ctx context.Context, db *store.DB, keys *secret.Keys, in NewPayout) (*Payout, error) {
	p := &Payout{ID: store.NewID(), UserID: in.UserID, Amount: in.Amount, Status: PayoutRequested, ApprovalsNeeded: 1,
		AccountKind: in.Account.Kind, AccountCountry: in.Account.Country(), AccountLast4: in.Account.Last4()}
	if err := p.seal(keys, in.Account); err != nil {
		return nil, err
	}
	err := db.Tx(ctx, func(tx *store.DB) error {
		if err := mayPayOut(ctx, tx, p); err != nil {
			return err
		}
		if err := p.compareHolder(ctx, tx, in.Account.Holder); err != nil {
			return err
		}
		beside, err := payoutsBeside(ctx, tx, p.UserID)
		if err != nil {
			return err
		}
		if beside.Add(p.Amount).Cmp(in.TwoAbove) > 0 {
			p.ApprovalsNeeded = 2
		}
		if err := insertPayout(ctx, tx, p, in.ByMail); err != nil {
			return err
		}
		if err := ledger.TakeFromBalance(ctx, tx, ledger.About(string(KindPayout), p.ID, "payout_requested", "reserved"), p.UserID, PayoutReservedPostings(p.UserID, p.Amount)...); err != nil {
			return err
		}
		if in.ByMail {
			return askToConfirm(ctx, tx, p)
		}
		return casework.Append(ctx, tx, p.about(), p.requested())
	})
	return p, err
}

// requested is the event of a payout that staff review from now on.
func (p *Payout) requested() casework.Event {
	return casework.Event{Kind: "requested", Actor: casework.ByCustomer, Dedupe: "requested", Data: p.reported()}
}

// reported is what every mail and page may state of a payout.
func (p *Payout) reported() map[string]any {
	return map[string]any{"amount": money.USD.Format(p.Amount), "account": "••••" + p.AccountLast4}
}

// inProgress are the statuses in which a payout's amount is reserved.
var inProgress = []PayoutStatus{PayoutUnconfirmed, PayoutRequested, PayoutApproved}

// mayPayOut refuses more than the balance holds, and customers who must not be paid now.
func mayPayOut(ctx context.Context, db *store.DB, p *Payout) error {
	have, err := ledger.HoldUnderLock(ctx, db, p.UserID)
	if err != nil {
		return err
	}
	if err := payable(ctx, db, p.UserID, have); err != nil {
		return err
	}
	switch {
	case p.Amount.Cmp(money.FromInt(MinPayout)) < 0:
		return store.Invalid("amount", "below_minimum", "The minimum payout is "+money.Dollars(money.FromInt(MinPayout)))
	case p.Amount.Cmp(have.Balance) > 0:
		return store.Invalid("amount", "insufficient_balance", "Your balance is "+money.Dollars(have.Balance))
	}
	var open int64
	err = db.ORM(ctx).Model(&Payout{}).Where("user_id = ? AND status IN ?", p.UserID, inProgress).Count(&open).Error
	if err != nil {
		return fmt.Errorf("count payouts: %w", err)
	}
	if open >= maxOpenPayouts {
		return store.Conflict("too_many_payouts", fmt.Sprintf("You have %d payouts in progress. Wait until one is completed.", open))
	}
	return nil
}

// payoutsBeside is the sum of a customer's other payouts that are in progress, or were requested within a day and
// paid, so that many small ones do not bypass the limit of one approver.
func payoutsBeside(ctx context.Context, db *store.DB, userID string) (sum money.Units, err error) {
	err = db.ORM(ctx).Raw(`SELECT coalesce(sum(amount), 0) FROM payouts WHERE user_id = ? AND (status IN ?
		OR status = ? AND created_at > clock_now() - interval '1 day')`, userID, inProgress, PayoutPaid).Row().Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum payouts: %w", err)
	}
	return sum, nil
}

// payable refuses customers who are frozen, not verified, or owe us money.
func payable(ctx context.Context, db *store.DB, userID string, have ledger.Holdings) error {
	terms, _, err := kyc.ReadTerms(ctx, db, userID)
	switch {
	case err != nil:
		return err
	case terms.Disabled || terms.Frozen:
		return store.Forbidden("account_frozen", "You can't request payouts right now. Contact support.")
	case !terms.Verified():
		return store.Forbidden("kyc_required", "Please complete identity verification before requesting a payout")
	case have.Receivable.Sign() > 0:
		return store.Conflict("owes_money", "You can't request a payout while you owe us "+money.Dollars(have.Receivable)+". We deduct this from your next credits.")
	}
	return nil
}

func insertPayout(ctx context.Context, db *store.DB, p *Payout, byMail bool) error {
	now, err := db.Now(ctx)
	if err != nil {
		return err
	}
	p.CreatedAt, p.UpdatedAt = now, now
	if byMail {
		until := now.Add(casework.LinkTTL)
		p.Status, p.ConfirmBy, p.WakeAt = PayoutUnconfirmed, &until, &until
	}
	for {
		p.Reference = store.Reference("PO-")
		result := db.ORM(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "reference"}}, DoNothing: true}).Create(p)
		if result.Error != nil {
			return fmt.Errorf("store payout: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return nil
		}
	}
}

// PayoutReference is the data of a confirmation: under which reference the bank
// made the transfer.
type PayoutReference struct {
	Reference string `json:"reference"`
}

// OpenPayoutDecision writes a decision and its audit entry. It refuses with Conflict when the payout does not wait
// for it, and with Forbidden when the actor must not make it.
func OpenPayoutDecision(ctx context.Context, db *store.DB, id string, in casework.NewCaseDecision) (decision *casework.CaseDecision, err error) {
	in.Reason = strings.TrimSpace(in.Reason)
	err = ChangePayout(ctx, db, id, func(c *PayoutChange) error {
		if err := c.mayDecide(in); err != nil {
			return err
		}
		if in.Kind == PayoutApprove {
			if err := casework.CheckApproval(ctx, c.tx, KindApproval, id, in.Seen); err != nil {
				return err
			}
		}
		decision, err = casework.StoreCaseDecision(ctx, c.tx, c.Payout.about(), in)
		if err != nil || in.Kind != PayoutReturn {
			return err
		}
		return c.attestReturn(decision, in.First)
	})
	return decision, err
}

func (c *PayoutChange) mayDecide(in casework.NewCaseDecision) error {
	p := c.Payout
	waits := p.Decisions()
	if in.Own && p.Status.CanCancel() {
		waits = []string{PayoutCancel}
	}
	if in.Kind == PayoutReturn && p.Status == PayoutPaid && p.ClosedAt != nil {
		return store.Conflict("payout_closed", "The time in which a bank returns this payout has passed. "+
			"Record the money under Money in, and credit it to the customer.")
	}
	if (in.ActorID == p.UserID) == in.Own && !slices.Contains(waits, in.Kind) {
		return store.Conflict("payout_state", "The payout doesn't allow this: it is "+string(p.Status))
	}
	switch in.Kind {
	case PayoutApprove:
		if in.ActorID != p.UserID {
			return c.readApproval(in)
		}
	case PayoutReject, PayoutReturn:
		if in.Reason == "" {
			return store.Invalid("reason", "required", "Enter a reason. The customer sees it.")
		}
		if in.Kind == PayoutReturn {
			return c.mayReturn(in)
		}
		stated, _ := in.Data.(BankStatement)
		who := store.Actor{ActorID: in.ActorID, ActorRole: in.ActorRole, RequestID: in.RequestID}
		return c.readStatement(who, stated.Statement)
	case PayoutCancel:
		return c.checkOwnStatement()
	case PayoutConfirm:
		reported, _ := in.Data.(PayoutReference)
		return c.freeReference(reported.Reference)
	}
	return nil
}

// readApproval checks an approval, and records who stated that the bank's statement shows a restored payout.
func (c *PayoutChange) readApproval(in casework.NewCaseDecision) error {
	stated, _ := in.Data.(BankStatement)
	if err := c.mayApprove(in.ActorID, stated, false); err != nil || !c.wasPaid(stated) {
		return err
	}
	who := store.Actor{ActorID: in.ActorID, ActorRole: in.ActorRole, RequestID: in.RequestID}
	return c.auditStatement(who, strings.TrimSpace(stated.Statement))
}

// mayApprove checks again the customer to be paid and the approver: no single person approves above the limit. A
// transfer that the bank's statement shows is booked whatever is known of its customer now; another one is not made,
// because a reveal checks the customer again.
func (c *PayoutChange) mayApprove(actorID string, stated BankStatement, executes bool) error {
	p := c.Payout
	err := dualcontrol.CheckRelease(c.ctx, c.tx, dualcontrol.Release{Action: dualcontrol.ApprovePayout, Actors: []string{actorID}, First: store.Text(p.FirstApprovedBy),
		Customer: p.UserID, Subject: c.ref(), Balance: true, Spent: p.CreatedAt, Executes: executes})
	if err != nil {
		return err
	}
	switch {
	case c.wasPaid(stated):
		return nil
	case p.Status == PayoutUnconfirmed: // only its customer or the bank's statement confirms it
		return c.checkStatement()
	}
	return c.checkPayable()
}

// checkPayable returns an error while the payout's customer must not be paid.
func (c *PayoutChange) checkPayable() error {
	have, err := ledger.HoldUnderLock(c.ctx, c.tx, c.Payout.UserID)
	if err != nil {
		return err
	}
	err = payable(c.ctx, c.tx, c.Payout.UserID, have)
	if reason := store.ReasonOf(err); reason != "" {
		return store.Conflict(reason, map[string]string{
			"account_frozen": "The customer's account is frozen.",
			"kyc_required":   "The customer's identity isn't verified.",
			"owes_money":     "The customer owes us " + money.Dollars(have.Receivable) + ". Reject the payout to deduct it.",
		}[reason])
	}
	return err
}

// freeReference returns an error if the bank's reference of the transfer is missing, or was used before.
func (c *PayoutChange) freeReference(reference string) error {
	if reference == "" {
		return store.Invalid("reference", "required", "Enter the bank's reference of the transfer")
	}
	return ledger.FreeReference(c.ctx, c.tx, ledger.MoneyOut, reference)
}

// PayoutPatience is how long payouts wait for people.
type PayoutPatience struct {
	Remind     time.Duration // between two reminders of one that waits for staff
	Returnable time.Duration // how long a bank may send a transfer back
}

// OpenPayout begins the reminders of a payout that was just requested.
func OpenPayout(ctx context.Context, db *store.DB, id string, p PayoutPatience) error {
	return ChangePayout(ctx, db, id, func(c *PayoutChange) error {
		if c.Payout.ClosedAt == nil && c.Payout.Status == PayoutRequested && c.Payout.RemindAt == nil {
			c.remindIn(p)
		}
		if c.Payout.WorkflowStartedAt == nil {
			c.Payout.WorkflowStartedAt = &c.Now
		}
		return nil
	})
}

func (c *PayoutChange) remindIn(p PayoutPatience) {
	next := c.Now.Add(p.Remind)
	c.Payout.RemindAt = &next
}

// executePayout runs a step that executes a decision, and resolves it.
func executePayout(ctx context.Context, db *store.DB, id, decisionID, kind string, fn func(c *PayoutChange, d *casework.CaseDecision) error) error {
	return ChangePayout(ctx, db, id, func(c *PayoutChange) error {
		decision, err := casework.CaseDecisions.Of(KindPayout).Current(ctx, c.tx, id, decisionID, kind)
		if err != nil {
			return err
		}
		if err := fn(c, decision); err != nil {
			return err
		}
		return casework.CaseDecisions.Resolve(ctx, c.tx, decision.ID, casework.DecisionDone)
	})
}

// ApprovePayout executes an approval: the last one needed lets the transfer be made.
func ApprovePayout(ctx context.Context, db *store.DB, id, decisionID string, patience PayoutPatience) error {
	return executePayout(ctx, db, id, decisionID, PayoutApprove, func(c *PayoutChange, d *casework.CaseDecision) error {
		p := c.Payout
		last := p.ApprovalsNeeded < 2 || p.FirstApprovedBy != nil
		var stated BankStatement
		if len(d.Data) > 0 {
			if err := json.Unmarshal(d.Data, &stated); err != nil {
				return store.Conflict("statement_unreadable", "We can't read what the bank's statement shows")
			}
		}
		if err := c.mayApprove(d.ActorID, stated, last); err != nil {
			return err
		}
		if p.Status == PayoutUnconfirmed { // the bank made its transfer, so its customer had confirmed it
			if err := c.move(PayoutRequested); err != nil {
				return err
			}
			p.ConfirmBy = nil
			if err := casework.DropLink(ctx, c.tx, p.ID); err != nil {
				return err
			}
		}
		approved := dualcontrol.Attestation{Kind: dualcontrol.PayoutApproved, By: d.ActorID, Customer: p.UserID, Subject: c.ref(), Amount: &p.Amount,
			Source: dualcontrol.Ref{Kind: casework.CaseDecisions.Table, ID: d.ID}}
		if err := dualcontrol.Attest(ctx, c.tx, approved); err != nil {
			return err
		}
		c.remindIn(patience)
		if !last {
			p.FirstApprovedBy, p.FirstApprovedAt = &d.ActorID, &c.Now
			return c.event(casework.Event{Kind: "approved_once", Actor: casework.ByStaff, Internal: true, Dedupe: "approved_once"})
		}
		if err := c.move(PayoutApproved); err != nil {
			return err
		}
		p.ApprovedBy, p.ApprovedAt = &d.ActorID, &c.Now
		return c.event(casework.Event{Kind: "approved", Actor: casework.ByStaff, Dedupe: "approved", Data: p.reported()})
	})
}

// RejectPayout gives a payout's amount back to the balance, with a reason that
// the customer reads.
func RejectPayout(ctx context.Context, db *store.DB, id, decisionID string) error {
	return executePayout(ctx, db, id, decisionID, PayoutReject, func(c *PayoutChange, d *casework.CaseDecision) error {
		c.Payout.Reason = &d.Reason
		return c.release(PayoutRejected, &d.ActorID, casework.Event{Kind: "rejected", Actor: casework.ByStaff})
	})
}

// CancelPayout returns a payout's amount to the balance, at its customer's request.
func CancelPayout(ctx context.Context, db *store.DB, id, decisionID string) error {
	return executePayout(ctx, db, id, decisionID, PayoutCancel, func(c *PayoutChange, d *casework.CaseDecision) error {
		return c.release(PayoutCancelled, &d.ActorID, casework.Event{Kind: "cancelled", Actor: casework.ByCustomer})
	})
}

// release ends a payout that was not made; by is nil when its time to be confirmed has passed.
func (c *PayoutChange) release(to PayoutStatus, by *string, e casework.Event) error {
	if err := store.FirstError(c.checkStatement(), c.move(to)); err != nil {
		return err
	}
	p := c.Payout
	p.EndedBy, p.EndedAt, p.ConfirmBy = by, &c.Now, nil
	if err := casework.DropLink(c.ctx, c.tx, p.ID); err != nil {
		return err
	}
	if err := c.giveBack("payout_released", "released", PayoutReleasedPostings(p.UserID, p.Amount)); err != nil {
		return err
	}
	e.Dedupe, e.Data = "ended", p.reported()
	if err := c.event(e); err != nil {
		return err
	}
	return c.close()
}

// ConfirmPayout books a transfer that staff made.
func ConfirmPayout(ctx context.Context, db *store.DB, id, decisionID string, patience PayoutPatience) error {
	return executePayout(ctx, db, id, decisionID, PayoutConfirm, func(c *PayoutChange, d *casework.CaseDecision) error {
		var reported PayoutReference
		if err := json.Unmarshal(d.Data, &reported); err != nil {
			return store.Conflict("reference_unreadable", "We can't read the bank reference")
		}
		if err := c.freeReference(reported.Reference); err != nil {
			return err
		}
		if err := c.move(PayoutPaid); err != nil {
			return err
		}
		p, until := c.Payout, c.Now.Add(patience.Returnable)
		p.BankReference, p.PaidBy, p.PaidAt, p.RemindAt, p.ReturnableUntil = &reported.Reference, &d.ActorID, &c.Now, nil, &until
		p.RestoredAt = nil // the reference is on the bank's statement
		if err := ledger.PostAbout(ctx, c.tx, ledger.About(string(KindPayout), p.ID, "payout_paid", "paid"), PayoutPaidPostings(p.UserID, p.Amount)); err != nil {
			return err
		}
		data := p.reported()
		data["reference"] = reported.Reference
		return c.event(casework.Event{Kind: "paid", Actor: casework.ByStaff, Dedupe: "paid", Data: data})
	})
}

// LatePayout does what is due: staff are reminded, and a payout that no bank can send back any more is over. Nothing
// happens before its time, or while a decision is being executed.
func LatePayout(ctx context.Context, db *store.DB, id string, patience PayoutPatience) error {
	return ChangePayout(ctx, db, id, func(c *PayoutChange) error {
		open, err := casework.CaseDecisions.Of(KindPayout).Open(ctx, c.tx, id)
		if err != nil || open != nil {
			return err
		}
		p := c.Payout
		switch {
		case p.ClosedAt != nil:
			return nil
		case p.Status == PayoutPaid:
			return c.endReturnable(patience)
		case p.Status == PayoutUnconfirmed:
			if c.Now.Before(*p.ConfirmBy) || p.RestoredAt != nil {
				return nil
			}
			return c.release(PayoutCancelled, nil, casework.Event{Kind: "unconfirmed"})
		case p.Status == PayoutRequested && p.RemindAt == nil: // confirmed since
			c.remindIn(patience)
			return nil
		case p.RemindAt == nil || c.Now.Before(*p.RemindAt):
			return nil
		}
		kind := "approval_late"
		if p.Status == PayoutApproved {
			kind = "payment_late"
		}
		c.remindIn(patience)
		p.Reminders++
		return c.event(casework.Event{Kind: kind, Internal: true, Dedupe: fmt.Sprintf("reminder:%d", p.Reminders), Data: p.reported()})
	})
}

// endReturnable closes a paid payout that no bank can return any more. It stays open while a return waits for a second
// person, who could not approve it otherwise.
func (c *PayoutChange) endReturnable(patience PayoutPatience) error {
	p := c.Payout
	if c.Now.Before(*p.ReturnableUntil) {
		return nil
	}
	err := ledger.UnproposedMoney(c.ctx, c.tx, p.ID)
	if errors.Is(err, ledger.ErrMoneyProposed) {
		until := c.Now.Add(patience.Remind)
		p.ReturnableUntil = &until
		return nil
	}
	if err != nil {
		return err
	}
	return c.close()
}

// PayoutState is where a payout stands, as its workflow may know it.
type PayoutState struct {
	Status  PayoutStatus  `json:"status"`
	Summary string        `json:"summary"`
	Closed  bool          `json:"closed,omitempty"`
	Wake    time.Duration `json:"wake,omitempty"` // until something is due; zero: nothing will be
}

// ReadPayoutState reads where a payout stands.
func ReadPayoutState(ctx context.Context, db *store.DB, id string) (PayoutState, error) {
	p, err := ReadPayout(ctx, db, id)
	if err != nil {
		return PayoutState{}, err
	}
	now, err := db.Now(ctx)
	if err != nil {
		return PayoutState{}, err
	}
	state := PayoutState{Status: p.Status, Summary: p.Sentence(), Closed: p.ClosedAt != nil}
	if p.WakeAt != nil {
		state.Wake = max(p.WakeAt.Sub(now), time.Second)
	}
	return state, nil
}

// WithdrawFirstApprovals withdraws a person's first approvals of payouts, and gives the payouts.
func WithdrawFirstApprovals(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE payouts SET first_approved_by = NULL, first_approved_at = NULL, updated_at = clock_now() WHERE first_approved_by = ? AND status = 'requested' RETURNING id`, by)
}
