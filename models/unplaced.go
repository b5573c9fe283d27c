package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// UnplacedStatus is where unplaced money stands.
type UnplacedStatus string

// The statuses of unplaced money.
const (
	UnplacedOpen     UnplacedStatus = "open"
	UnplacedPlaced   UnplacedStatus = "placed"    // a receipt of an order
	UnplacedCredited UnplacedStatus = "credited"  // on a customer's balance
	UnplacedSentBack UnplacedStatus = "sent_back" // to whom it came from
)

// UnplacedStatuses lists them all.
var UnplacedStatuses = []UnplacedStatus{UnplacedOpen, UnplacedPlaced, UnplacedCredited, UnplacedSentBack}

// UnplacedMoney is money on our bank account that belongs to no order yet. Amount
// is cents.
type UnplacedMoney struct {
	ID            string `gorm:"primaryKey"`
	Amount        money.Units
	BankReference string
	ReceivedOn    time.Time
	Rail          string
	Sender        string // what the bank says of who sent it
	Note          string
	OpenedBy      string
	FromOrderID   *string // where it had been confirmed before
	Status        UnplacedStatus
	OrderID       *string
	DecisionID    *string // confirms it on that order
	UserID        *string
	SentReference *string
	SentOn        *time.Time
	CreatedAt     time.Time
	ClosedAt      *time.Time
}

// TableName implements GORM's Tabler.
func (UnplacedMoney) TableName() string { return "unplaced_money" }

// NewUnplaced is unplaced money as somebody saw it at the bank.
type NewUnplaced struct {
	Amount                                        money.Units
	BankReference, ReceivedOn, Rail, Sender, Note string
}

// OpenUnplaced books money that nobody can place, once a bank reference. It may
// leave by two people only, so one may write it down.
func (db *DB) OpenUnplaced(ctx context.Context, in NewUnplaced, by By) (*UnplacedMoney, error) {
	var row *UnplacedMoney
	err := db.Tx(ctx, func(tx *DB) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		reference, err := bankReferenceOf("bankReference", in.BankReference)
		if err != nil {
			return err
		}
		day, err := bankDay("receivedOn", in.ReceivedOn, now)
		if err = firstError(err, atLeastACent("amount", in.Amount), tx.takesTransfers(ctx, in.Rail)); err != nil {
			return err
		}
		row = &UnplacedMoney{ID: NewID(), Amount: in.Amount, BankReference: reference, ReceivedOn: day, Rail: in.Rail, Sender: strings.TrimSpace(in.Sender),
			Note: strings.TrimSpace(in.Note), OpenedBy: by.ActorID, Status: UnplacedOpen, CreatedAt: now}
		if err := tx.freeReference(ctx, reference, ""); err != nil {
			return err
		}
		if err := tx.storeUnplaced(ctx, row); err != nil {
			return err
		}
		if err := tx.post(ctx, "unplaced_received", "unplaced:"+row.ID, nil, UnplacedPostings(row.Amount)); err != nil {
			return err
		}
		return tx.Audit(ctx, AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: "money.unplaced_opened", ObjectKind: "unplaced_money", ObjectID: row.ID,
			After: map[string]any{"amount": money.USD.Format(row.Amount), "rail": row.Rail}, Reason: by.Reason, RequestID: by.RequestID})
	})
	return row, err
}

// takesTransfers refuses what is no rail on which money arrives by itself.
func (db *DB) takesTransfers(ctx context.Context, rail string) error {
	var known bool
	err := db.row(ctx, "SELECT EXISTS (SELECT FROM payment_methods WHERE payment_method = $1 AND payment_method NOT IN ($2, $3))", rail, MethodCard, MethodBalance).Scan(&known)
	if err == nil && !known {
		return Invalid("rail", "unknown_rail", "Choose how the money arrived")
	}
	return err
}

// freeReference refuses a bank reference under which money was booked before: on an
// order, or as unplaced money other than the one it is taken from.
func (db *DB) freeReference(ctx context.Context, reference, from string) error {
	if err := db.lockKey(ctx, "bank reference:"+strings.ToLower(reference)); err != nil {
		return fmt.Errorf("lock bank reference: %w", err)
	}
	var used bool
	err := db.row(ctx, `SELECT EXISTS (SELECT FROM receipts WHERE lower(bank_reference) = lower($1) AND reversed_at IS NULL)
		OR EXISTS (SELECT FROM unplaced_money WHERE lower(bank_reference) = lower($1) AND status <> 'placed' AND id::text <> $2)`, reference, from).Scan(&used)
	if err != nil {
		return fmt.Errorf("look for bank reference: %w", err)
	}
	if used {
		return errReferenceUsed
	}
	return nil
}

func (db *DB) storeUnplaced(ctx context.Context, row *UnplacedMoney) error {
	err := db.orm(ctx).Create(row).Error
	if violates(err, "unplaced_bank_reference") {
		return errReferenceUsed
	}
	if err != nil {
		return fmt.Errorf("store unplaced money: %w", err)
	}
	return nil
}

// unplaced locks unplaced money that is still open, and that no order is about to
// take.
func (db *DB) unplaced(ctx context.Context, id, decisionID string) (*UnplacedMoney, error) {
	row, _, err := lockedRow[UnplacedMoney](ctx, db, "unplaced_money", id, "Money")
	if err != nil {
		return nil, err
	}
	if row.Status != UnplacedOpen {
		return nil, Conflict("unplaced_closed", "This money was already used: "+strings.ReplaceAll(string(row.Status), "_", " "))
	}
	if row.DecisionID == nil || *row.DecisionID == decisionID {
		return row, nil
	}
	var open bool
	if err := db.row(ctx, "SELECT settled_at IS NULL FROM decisions WHERE id = $1", *row.DecisionID).Scan(&open); err != nil {
		return nil, fmt.Errorf("read decision: %w", err)
	}
	if open {
		return nil, Conflict("being_placed", "This money is being confirmed on an order. Refresh the page.")
	}
	return row, nil
}

// saveUnplaced stores what became of unplaced money.
func (db *DB) saveUnplaced(ctx context.Context, row *UnplacedMoney) error {
	err := db.orm(ctx).Select("status", "order_id", "decision_id", "user_id", "sent_reference", "sent_on", "closed_at").Updates(row).Error
	if violates(err, "unplaced_sent_reference") {
		return errReferenceUsed
	}
	if err != nil {
		return fmt.Errorf("store unplaced money: %w", err)
	}
	return nil
}

// PlaceMoney confirms unplaced money on an order, as any receipt is.
type PlaceMoney struct {
	MoneyID string `json:"moneyId"`
	OrderID string `json:"orderId"`
}

func (*PlaceMoney) kind() string                               { return "place_money" }
func (a *PlaceMoney) subject() string                          { return a.MoneyID }
func (*PlaceMoney) stops(context.Context, *DB) (string, error) { return "", nil }
func (a *PlaceMoney) carry(c *moneyChange) error {
	if err := c.lockOrders(a.OrderID); err != nil {
		return err
	}
	row, err := c.tx.unplaced(c.ctx, a.MoneyID, "")
	if err != nil {
		return err
	}
	return c.place(row, a.OrderID)
}

// place takes the decision that confirms unplaced money on an order: carried out at
// once where the order is over, by its workflow otherwise. The money stays
// unplaced until it is.
func (c *moneyChange) place(row *UnplacedMoney, orderID string) error {
	return c.tx.ChangeOrder(c.ctx, orderID, func(o *OrderChange) (err error) {
		if o.Order.ByCard() || o.Order.PaymentMethod == MethodBalance {
			return Invalid("orderId", "other_rail", "This order isn't paid by transfer")
		}
		c.done.Decision, err = o.takeDecision(NewDecision{OrderID: orderID, Kind: DecisionConfirmReceipt, ActorID: c.by.ActorID, ActorRole: c.by.ActorRole, Reason: c.by.Reason,
			RequestID: c.by.RequestID, Data: Receipt{Amount: row.Amount, ReceivedOn: row.ReceivedOn.Format(time.DateOnly), BankReference: row.BankReference, UnplacedID: row.ID}})
		if err != nil || c.done.Decision.SettledAt != nil {
			return err
		}
		row.OrderID, row.DecisionID = &orderID, &c.done.Decision.ID
		return c.tx.saveUnplaced(c.ctx, row)
	})
}

// fromUnplaced takes a receipt's money out of unplaced money, in the transaction
// that makes the receipt.
func (c *OrderChange) fromUnplaced(receipt Receipt, decisionID string) error {
	if receipt.UnplacedID == "" {
		return nil
	}
	row, err := c.tx.unplaced(c.ctx, receipt.UnplacedID, decisionID)
	if err != nil {
		return err
	}
	row.Status, row.OrderID, row.DecisionID, row.UserID, row.ClosedAt = UnplacedPlaced, &c.Order.ID, &decisionID, &c.Order.UserID, &c.Now
	if err := c.tx.saveUnplaced(c.ctx, row); err != nil {
		return err
	}
	return c.Post("unplaced_placed", "unplaced:"+row.ID+":placed", Posting{From: AccountBank, To: AccountUnplaced, Currency: money.USD, Amount: row.Amount})
}

// CreditMoney credits unplaced money to a customer's balance.
type CreditMoney struct {
	MoneyID string `json:"moneyId"`
	UserID  string `json:"userId"`
}

func (*CreditMoney) kind() string                               { return "credit_money" }
func (a *CreditMoney) subject() string                          { return a.MoneyID }
func (*CreditMoney) stops(context.Context, *DB) (string, error) { return "", nil }
func (a *CreditMoney) carry(c *moneyChange) error {
	if err := c.tx.mayBeCredited(c.ctx, a.UserID, c.by.ActorID, "userId"); err != nil {
		return err
	}
	row, err := c.tx.unplaced(c.ctx, a.MoneyID, "")
	if err != nil {
		return err
	}
	row.Status, row.UserID, row.ClosedAt, row.OrderID, row.DecisionID = UnplacedCredited, &a.UserID, &c.now, nil, nil
	if err := c.tx.saveUnplaced(c.ctx, row); err != nil {
		return err
	}
	about := StoredPosting{Event: "unplaced_credited", GroupKey: "unplaced:" + row.ID + ":credited"}
	_, err = c.tx.creditBalance(c.ctx, about, a.UserID, Posting{From: CustomerBalance(a.UserID), To: AccountUnplaced, Currency: money.USD, Amount: row.Amount})
	return err
}

// mayBeCredited refuses a customer who is none, is closed, or is the one who
// decides.
func (db *DB) mayBeCredited(ctx context.Context, userID, actorID, field string) error {
	user, err := rowByID[User](ctx, db, userID, "Customer")
	switch {
	case CodeOf(err) == CodeNotFound:
		return Invalid(field, "unknown_customer", "Customer not found")
	case err != nil:
		return err
	case user.ClosedAt != nil:
		return Conflict("account_closed", "This account is closed. Choose another customer.")
	}
	return db.anotherPerson(ctx, actorID, Forbidden("own_account", "You can't decide on your own account"), userID)
}

// SendBackMoney notes that unplaced money went back to its sender.
type SendBackMoney struct {
	MoneyID       string `json:"moneyId"`
	BankReference string `json:"bankReference"` // of the outgoing payment
	SentOn        string `json:"sentOn"`
}

func (*SendBackMoney) kind() string                               { return "send_back_money" }
func (a *SendBackMoney) subject() string                          { return a.MoneyID }
func (*SendBackMoney) stops(context.Context, *DB) (string, error) { return "", nil }
func (a *SendBackMoney) carry(c *moneyChange) error {
	reference, err := bankReferenceOf("bankReference", a.BankReference)
	if err != nil {
		return err
	}
	day, err := bankDay("sentOn", a.SentOn, c.now)
	if err != nil {
		return err
	}
	row, err := c.tx.unplaced(c.ctx, a.MoneyID, "")
	if err != nil {
		return err
	}
	if day.Before(row.ReceivedOn) {
		return Invalid("sentOn", "before_receipt", "Enter a day after the money arrived")
	}
	row.Status, row.SentReference, row.SentOn, row.ClosedAt, row.OrderID, row.DecisionID = UnplacedSentBack, &reference, &day, &c.now, nil, nil
	if err := c.tx.saveUnplaced(c.ctx, row); err != nil {
		return err
	}
	return c.tx.post(c.ctx, "unplaced_sent_back", "unplaced:"+row.ID+":sent_back", nil, []Posting{{From: AccountBank, To: AccountUnplaced, Currency: money.USD, Amount: row.Amount}})
}
