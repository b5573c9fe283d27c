package order

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// A surplus is what arrived for an order beyond its price. The order is paid at once, and continues. The surplus stays in
// the order's unallocated receipts: its customer has it credited or returned, and at the end of the time it is credited.
// One that is only for staff is never credited: it becomes unplaced money at once, which two people send back to its sender.
// A surplus depends on nothing that becomes of its order.

// What can become of a surplus, and what its customer can choose.
const (
	SurplusCredited = "credited" // to the customer's balance
	SurplusReturned = "returned" // it is unplaced money, to be sent back to its sender
	SurplusReversed = "reversed" // its money left the order again

	SurplusCredit = "credit"
	SurplusReturn = "return"
)

// Why a surplus is never credited.
const (
	SurplusTwoAbove = "two_above" // above CREDIT_TWO_ABOVE
	SurplusLarge    = "large"     // above the larger of leastLarge and a fifth of the order's total
	SurplusRestored = "restored"  // it was held when a backup was restored: it may have been sent back since
)

// leastLarge is the amount in cents up to which no surplus is large.
const leastLarge = 50_00

// largeShare is the part of an order's total above which a surplus is large.
var largeShare = decimal.New(20, -2)

// SurplusTerms are how a surplus is treated.
type SurplusTerms struct {
	HeldFor  time.Duration // how long its customer can choose
	TwoAbove money.Units   // in cents; a larger surplus is never credited
}

// Surplus is what arrived for an order beyond its price. Amount is cents that are left of it.
type Surplus struct {
	ID         string `gorm:"primaryKey"`
	OrderID    string
	ReceiptID  string
	Amount     money.Units
	HeldUntil  time.Time
	StaffOnly  *string
	Chosen     *string
	ChosenAt   *time.Time
	Outcome    *string
	UnplacedID *string
	CreatedAt  time.Time
	SettledAt  *time.Time
}

// TableName implements GORM's Tabler.
func (Surplus) TableName() string { return "surpluses" }

// staffOnly returns why a surplus of an order with that total is never credited; "" if it is credited. Nothing stores the
// payer of a receipt yet: a surplus from another payer will be a third condition here.
func (t SurplusTerms) staffOnly(surplus, total money.Units) string {
	switch {
	case surplus.Cmp(t.TwoAbove) > 0:
		return SurplusTwoAbove
	case surplus.Cmp(money.FromInt(leastLarge)) > 0 &&
		money.USD.Decimal(surplus).GreaterThan(money.USD.Decimal(total).Mul(largeShare)):
		return SurplusLarge
	}
	return ""
}

// KnownSurplus is a surplus with what became of the money that returns it.
type KnownSurplus struct {
	Surplus       `gorm:"embedded"`
	SentReference *string
	SentOn        *time.Time
}

// Choosable reports whether its customer can choose what becomes of a surplus now.
func (s *Surplus) Choosable(now time.Time) bool {
	return s.Outcome == nil && s.StaffOnly == nil && s.Chosen == nil && s.HeldUntil.After(now)
}

// OrderSurpluses reads the surpluses of an order, oldest first.
func OrderSurpluses(ctx context.Context, db *store.DB, orderID string) ([]KnownSurplus, error) {
	var rows []KnownSurplus
	err := db.ORM(ctx).Table("surpluses s").Select("s.*, u.sent_reference, u.sent_on").
		Joins("LEFT JOIN unplaced_money u ON u.id = s.unplaced_id").
		Where("s.order_id = ?", orderID).Order("s.created_at, s.id").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read surpluses: %w", err)
	}
	return rows, nil
}

// heldSurplus reads the surplus of the order that is held; nil if there is none.
func (c *OrderChange) heldSurplus() (*Surplus, error) { return c.surplusWhere("outcome IS NULL") }

// surplusWhere reads the order's last surplus that meets a condition; nil if there is none.
func (c *OrderChange) surplusWhere(condition string, args ...any) (*Surplus, error) {
	var rows []Surplus
	err := c.Tx.ORM(c.Ctx).Where("order_id = ? AND "+condition, append([]any{c.Order.ID}, args...)...).
		Order("created_at DESC, id DESC").Limit(1).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read surplus: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// holdSurplus has what is left of an order's receipts, once it is paid, wait for its customer's choice, or for staff.
func (c *OrderChange) holdSurplus(amount money.Units, terms SurplusTerms) error {
	if amount.IsZero() {
		return nil
	}
	var receipt string
	err := c.Tx.Row(c.Ctx, `SELECT id::text FROM receipts WHERE order_id = $1 AND reversed_at IS NULL
		ORDER BY created_at DESC, id DESC LIMIT 1`, c.Order.ID).Scan(&receipt)
	if err != nil {
		return fmt.Errorf("read the last receipt: %w", err)
	}
	row := &Surplus{ID: store.NewID(), OrderID: c.Order.ID, ReceiptID: receipt, Amount: amount,
		HeldUntil: c.Now.Add(terms.HeldFor), CreatedAt: c.Now}
	if reason := terms.staffOnly(amount, c.Order.Total); reason != "" {
		row.StaffOnly = &reason
	}
	return c.openSurplus(row)
}

// openSurplus stores a new surplus.
func (c *OrderChange) openSurplus(row *Surplus) error {
	if err := c.Tx.ORM(c.Ctx).Create(row).Error; err != nil {
		return fmt.Errorf("store surplus: %w", err)
	}
	if row.StaffOnly != nil {
		return c.returnSurplus(row, casework.BySystem)
	}
	return c.surplusEvent("surplus_held", row, casework.BySystem,
		map[string]any{"dueAt": row.HeldUntil.UTC().Format(time.RFC3339)})
}

// surplusEvent adds an event of a surplus, once for each kind.
func (c *OrderChange) surplusEvent(kind string, row *Surplus, actor casework.Actor, detail map[string]any) error {
	detail["amount"] = money.USD.Format(row.Amount)
	return c.Event(casework.Event{Kind: kind, Actor: actor, Data: detail, Dedupe: "surplus:" + row.ID + ":" + kind})
}

func (c *OrderChange) saveSurplus(row *Surplus) error {
	err := c.Tx.ORM(c.Ctx).Select("amount", "chosen", "chosen_at", "outcome", "unplaced_id", "settled_at").
		Updates(row).Error
	if err != nil {
		return fmt.Errorf("store surplus: %w", err)
	}
	return nil
}

// settle notes what became of a surplus.
func (s *Surplus) settle(outcome string, now time.Time) { s.Outcome, s.SettledAt = &outcome, &now }

// ChooseSurplus stores what the customer wants to become of their order's surplus. Core credits it: the API books no money
// of receipts. The same choice again changes nothing. It returns Conflict once another choice was made, the surplus is
// settled, or its time is over.
func ChooseSurplus(ctx context.Context, db *store.DB, orderID, customer, choice string) error {
	if choice != SurplusCredit && choice != SurplusReturn {
		return store.Invalid("choice", "unknown_choice", "Choose your balance or a return to the sender")
	}
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if c.Order.UserID != customer {
			return ErrOwnOrder
		}
		frozen, err := kyc.Frozen(c.Ctx, c.Tx, customer)
		if err != nil {
			return err
		}
		if frozen {
			return store.Forbidden("account_frozen", "Your account is on hold. Contact support.")
		}
		row, err := c.surplusWhere("true")
		if err != nil {
			return err
		}
		switch {
		case row == nil:
			return store.Conflict("no_surplus", "This order has no money left over. Refresh the page.")
		case row.StaffOnly != nil:
			return store.Conflict("surplus_returns", "This money can only go back to its sender")
		case row.Chosen != nil && *row.Chosen == choice:
			return nil
		case row.Chosen != nil:
			return store.Conflict("surplus_chosen", "You have already chosen. Refresh the page.")
		case !row.Choosable(c.Now):
			return store.Conflict("surplus_settled", "The time to choose is over. Refresh the page.")
		}
		row.Chosen, row.ChosenAt = &choice, &c.Now
		if choice == SurplusReturn {
			return c.returnSurplus(row, casework.ByCustomer)
		}
		return c.saveSurplus(row)
	})
}

// returnSurplus makes a surplus unplaced money, which can only be sent back to its sender.
func (c *OrderChange) returnSurplus(row *Surplus, actor casework.Actor) error {
	var receipt StoredReceipt
	if err := c.Tx.ORM(c.Ctx).Where("id = ?", row.ReceiptID).Take(&receipt).Error; err != nil {
		return fmt.Errorf("read receipt: %w", err)
	}
	var confirmedBy string
	var used int
	err := c.Tx.Row(c.Ctx, `SELECT coalesce(d.actor_id, p.decided_by, p.user_id)::text,
		  (SELECT count(*) FROM unplaced_money WHERE from_order_id = $1 AND status <> 'placed'
		     AND left(lower(bank_reference), length($3)) = lower($3))
		FROM payments p LEFT JOIN decisions d ON d.id = $2 WHERE p.order_id = $1`,
		c.Order.ID, receipt.DecisionID, receipt.BankReference).Scan(&confirmedBy, &used)
	if err != nil {
		return fmt.Errorf("read who confirmed a receipt: %w", err)
	}
	reference := receipt.BankReference
	if used > 0 { // it has returned another part of that payment
		reference = fmt.Sprintf("%s (%d)", reference, used+1)
	}
	money := &UnplacedMoney{ID: store.NewID(), Amount: row.Amount, BankReference: reference, ReceivedOn: receipt.ReceivedOn,
		Rail: c.Order.PaymentMethod, Note: "Surplus of " + c.Order.Reference, OpenedBy: confirmedBy,
		FromOrderID: &c.Order.ID, Status: UnplacedOpen, CreatedAt: c.Now}
	if store.Text(row.StaffOnly) == SurplusRestored {
		money.RestoredAt = &c.Now
	}
	if err := KeepUnplaced(c.Ctx, c.Tx, money); err != nil {
		return err
	}
	err = c.Post("surplus_returning", "surplus:"+money.ID+":returning", surplusReturnedPostings(row.Amount)...)
	if err != nil {
		return err
	}
	row.UnplacedID = &money.ID
	row.settle(SurplusReturned, c.Now)
	if err := c.saveSurplus(row); err != nil {
		return err
	}
	detail := map[string]any{}
	if row.StaffOnly != nil {
		detail["reason"] = *row.StaffOnly
	}
	return c.surplusEvent("surplus_returning", row, actor, detail)
}

// SettleSurpluses credits the surpluses whose time is over, or whose customer chose so, and returns those that became for
// staff only.
func SettleSurpluses(ctx context.Context, db *store.DB, limit int) error {
	const due = `SELECT order_id FROM surpluses WHERE outcome IS NULL AND order_id <> ALL(@done)
		AND (held_until <= clock_now() OR chosen IS NOT NULL OR staff_only IS NOT NULL) ORDER BY held_until LIMIT @limit`
	return chore.Each(ctx, db, "surpluses", due, limit, func(id string) error {
		return ChangeOrder(ctx, db, id, (*OrderChange).settleSurplus)
	})
}

func (c *OrderChange) settleSurplus() error {
	row, err := c.heldSurplus()
	switch {
	case err != nil || row == nil: // settled meanwhile
		return err
	case row.StaffOnly != nil:
		return c.returnSurplus(row, casework.BySystem)
	case row.Chosen == nil && row.HeldUntil.After(c.Now):
		return nil
	}
	return c.creditSurplus(row)
}

// creditSurplus credits a surplus to its customer's balance, on the statement of whoever confirmed its receipt.
func (c *OrderChange) creditSurplus(row *Surplus) error {
	lines := ReceiptBackPostings(c.Order, row.Amount)
	if err := c.credit("money_left_over", "surplus:"+row.ID, lines...); err != nil {
		return err
	}
	var sources []string
	err := c.Tx.ORM(c.Ctx).Raw(`SELECT d.id FROM receipts r JOIN decisions d ON d.id = r.decision_id WHERE r.id = @receipt
		UNION SELECT p.id FROM receipts r JOIN order_proposals p ON p.decision_id = r.decision_id WHERE r.id = @receipt`,
		map[string]any{"receipt": row.ReceiptID}).Scan(&sources).Error
	if err != nil {
		return fmt.Errorf("read who confirmed a receipt: %w", err)
	}
	credited := dualcontrol.Ref{Kind: row.TableName(), ID: row.ID}
	if err := dualcontrol.AttestCredited(c.Ctx, c.Tx, c.Order.ID, row.Amount, credited, sources...); err != nil {
		return err
	}
	row.settle(SurplusCredited, c.Now)
	if err := c.saveSurplus(row); err != nil {
		return err
	}
	actor, detail := casework.BySystem, map[string]any{}
	if row.Chosen != nil {
		actor = casework.ByCustomer
	}
	return c.surplusEvent("surplus_credited", row, actor, detail)
}

// takeSurplusBack has the order hold its surplus again while none of it was sent back, before receipts leave the order or
// come back; nil if it has none. The caller ends with leaveSurplus.
func (c *OrderChange) takeSurplusBack() (*Surplus, error) {
	row, err := c.surplusWhere(`(outcome IS NULL OR outcome = 'returned'
		AND EXISTS (SELECT FROM unplaced_money u WHERE u.id = unplaced_id AND u.status = 'open'))`)
	if err != nil || row == nil || row.Outcome == nil {
		return row, err
	}
	back, _, err := store.LockedRow[UnplacedMoney](c.Ctx, c.Tx, "unplaced_money", *row.UnplacedID, "Money")
	if err != nil {
		return nil, err
	}
	if back.Status != UnplacedOpen { // sent back meanwhile
		return nil, nil
	}
	back.Status, back.OrderID, back.UserID, back.ClosedAt = UnplacedPlaced, &c.Order.ID, &c.Order.UserID, &c.Now
	if err := SaveUnplaced(c.Ctx, c.Tx, back); err != nil {
		return nil, err
	}
	err = c.Post("surplus_taken_back", "surplus:"+back.ID+":taken_back",
		ledger.Posting{From: ledger.AccountUnallocated, To: ledger.AccountUnplaced, Currency: money.USD, Amount: row.Amount})
	if err != nil {
		return nil, err
	}
	row.Outcome, row.SettledAt, row.UnplacedID = nil, nil, nil
	return row, c.saveSurplus(row)
}

// leaveSurplus stores how much of a surplus that was held, or taken back, is left: it is held on, or returned as before.
func (c *OrderChange) leaveSurplus(row *Surplus, left money.Units) error {
	if row == nil {
		return nil
	}
	row.Amount = left
	switch {
	case left.IsZero():
		row.settle(SurplusReversed, c.Now)
	case row.StaffOnly != nil || store.Text(row.Chosen) == SurplusReturn:
		return c.returnSurplus(row, casework.BySystem)
	}
	return c.saveSurplus(row)
}

// surplusRegains is how much of a return that a bank reinstates was taken of the order's surplus, in cents, and of which.
func (c *OrderChange) surplusRegains(r *ReceiptReturn) (before *Surplus, amount money.Units, err error) {
	if !c.Order.Paid() || r.FromWaiting.IsZero() {
		return nil, amount, nil
	}
	before, err = c.surplusWhere("created_at <= ? AND (settled_at IS NULL OR settled_at >= ?)", r.CreatedAt, r.CreatedAt)
	if err != nil || before == nil {
		return nil, amount, err
	}
	return before, r.FromWaiting, nil
}

// regainSurplus holds what a bank reinstated of a surplus, with what is held already, on the terms that it had.
func (c *OrderChange) regainSurplus(before *Surplus, amount money.Units) error {
	if before == nil {
		return nil
	}
	row, err := c.takeSurplusBack()
	if err != nil {
		return err
	}
	if row != nil {
		return c.leaveSurplus(row, row.Amount.Add(amount))
	}
	return c.openSurplus(&Surplus{ID: store.NewID(), OrderID: c.Order.ID, ReceiptID: before.ReceiptID, Amount: amount,
		HeldUntil: c.Now.Add(before.HeldUntil.Sub(before.CreatedAt)), StaffOnly: before.StaffOnly, CreatedAt: c.Now})
}

// sentBackOf is how many cents of the order's receipts, or of one of them, were sent back to their sender as a surplus.
func (c *OrderChange) sentBackOf(receiptID string) (sum money.Units, err error) {
	err = c.Tx.Row(c.Ctx, `SELECT coalesce(sum(s.amount), 0) FROM surpluses s JOIN unplaced_money u ON u.id = s.unplaced_id
		WHERE s.order_id = $1 AND u.status = 'sent_back' AND ($2 = '' OR s.receipt_id::text = $2)`,
		c.Order.ID, receiptID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum what was sent back: %w", err)
	}
	return sum, nil
}

// SurplusOf returns the order whose surplus unplaced money is; "" if it is none.
func SurplusOf(ctx context.Context, db *store.DB, unplacedID string) (orderID string, err error) {
	err = db.Row(ctx, "SELECT coalesce((SELECT order_id::text FROM surpluses WHERE unplaced_id::text = $1), '')",
		unplacedID).Scan(&orderID)
	if err != nil {
		return "", fmt.Errorf("read surplus: %w", err)
	}
	return orderID, nil
}

// SurplusSentBack notes on the order's timeline that its surplus was sent back to its sender.
func (c *OrderChange) SurplusSentBack(unplacedID string) error {
	var row Surplus
	if err := c.Tx.ORM(c.Ctx).Where("unplaced_id = ?", unplacedID).Take(&row).Error; err != nil {
		return fmt.Errorf("read surplus: %w", err)
	}
	return c.surplusEvent("surplus_returned", &row, casework.ByStaff, map[string]any{})
}

// MarkSurplusesRestored has every surplus that was held when a backup was restored return to its sender: it may have been
// sent back since, and what staff enter of the bank's statement says so. It counts them.
func MarkSurplusesRestored(ctx context.Context, tx *store.DB) (int64, error) {
	result := tx.ORM(ctx).Exec("UPDATE surpluses SET staff_only = ? WHERE outcome IS NULL AND staff_only IS NULL", SurplusRestored)
	return result.RowsAffected, result.Error
}
