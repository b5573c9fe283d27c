package correction

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// NewUnplaced is unplaced money as staff read it at the bank.
type NewUnplaced struct {
	Amount                                        money.Units
	BankReference, ReceivedOn, Rail, Sender, Note string
}

// OpenUnplaced books money that matches no order, once a bank reference. One person may record it, since only two
// people can release it.
func OpenUnplaced(ctx context.Context, db *store.DB, in NewUnplaced, by store.Actor) (*order.UnplacedMoney, error) {
	var row *order.UnplacedMoney
	err := db.Tx(ctx, func(tx *store.DB) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		reference, err := bankReferenceOf("bankReference", in.BankReference)
		if err != nil {
			return err
		}
		day, err := bankDay("receivedOn", in.ReceivedOn, now)
		if err = store.FirstError(err, atLeastACent("amount", in.Amount), acceptsTransfers(ctx, tx, in.Rail)); err != nil {
			return err
		}
		row = &order.UnplacedMoney{ID: store.NewID(), Amount: in.Amount, BankReference: reference, ReceivedOn: day, Rail: in.Rail, Sender: strings.TrimSpace(in.Sender),
			Note: strings.TrimSpace(in.Note), OpenedBy: by.ActorID, Status: order.UnplacedOpen, CreatedAt: now}
		if err := ledger.FreeReference(ctx, tx, ledger.MoneyIn, reference); err != nil {
			return err
		}
		if err := order.KeepUnplaced(ctx, tx, row); err != nil {
			return err
		}
		if err := attestUnplaced(ctx, tx, row, by.ActorID); err != nil {
			return err
		}
		if err := ledger.Post(ctx, tx, "unplaced_received", "unplaced:"+row.ID, nil, order.UnplacedPostings(row.Amount)); err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: "money.unplaced_opened", ObjectKind: "unplaced_money", ObjectID: row.ID,
			After: map[string]any{"amount": money.USD.Format(row.Amount), "rail": row.Rail}, Reason: by.Reason, RequestID: by.RequestID})
	})
	return row, err
}

// attestUnplaced notes who stated that money without an owner arrived. Only two other decisions release it.
func attestUnplaced(ctx context.Context, tx *store.DB, row *order.UnplacedMoney, by string) error {
	return dualcontrol.Attest(ctx, tx, dualcontrol.Attestation{Kind: dualcontrol.Receipt, By: by, Subject: unplacedRef(row.ID), Amount: &row.Amount,
		Source: unplacedRef(row.ID), Proposed: true})
}

func unplacedRef(id string) dualcontrol.Ref {
	return dualcontrol.Ref{Kind: order.UnplacedMoney{}.TableName(), ID: id}
}

// acceptsTransfers refuses a rail on which money cannot arrive unprompted.
func acceptsTransfers(ctx context.Context, db *store.DB, rail string) error {
	var known bool
	err := db.Row(ctx, "SELECT EXISTS (SELECT FROM payment_methods WHERE payment_method = $1 AND payment_method NOT IN ($2, $3))", rail, pricing.MethodCard, pricing.MethodBalance).Scan(&known)
	if err == nil && !known {
		return store.Invalid("rail", "unknown_rail", "Choose how the money arrived")
	}
	return err
}

// PlaceMoney confirms unplaced money on an order, as any receipt is.
type PlaceMoney struct {
	MoneyID   string `json:"moneyId"`
	OrderID   string `json:"orderId"`
	Statement string `json:"statement,omitempty"` // what the bank's statement since a restored backup shows
}

func (*PlaceMoney) kind() string { return "place_money" }

func (a *PlaceMoney) subject() string { return a.MoneyID }

func (*PlaceMoney) stops(context.Context, *store.DB) (string, error) { return "", nil }

func (a *PlaceMoney) execute(c *moneyChange) error {
	if err := c.lockOrders(a.OrderID); err != nil {
		return err
	}
	row, err := order.UnplacedToUse(c.ctx, c.tx, a.MoneyID, "", a.Statement)
	if err != nil {
		return err
	}
	return c.place(row, a.OrderID)
}

// place makes the decision that confirms unplaced money on an order. The money stays unplaced until it is executed.
func (c *moneyChange) place(row *order.UnplacedMoney, orderID string) error {
	people, err := dualcontrol.Attestors(c.ctx, c.tx, dualcontrol.Receipt, time.Time{}, unplacedRef(row.ID))
	if err != nil {
		return err
	}
	people = append(people, row.OpenedBy, c.first)
	slices.Sort(people)
	people = slices.Compact(people)
	return order.ChangeOrder(c.ctx, c.tx, orderID, func(o *order.OrderChange) (err error) {
		if o.Order.ByCard() || o.Order.PaymentMethod == pricing.MethodBalance {
			return store.Invalid("orderId", "other_rail", "This order isn't paid by transfer")
		}
		c.done.Decision, err = o.TakeDecision(order.NewDecision{OrderID: orderID, Kind: order.DecisionConfirmReceipt, ActorID: c.by.ActorID, ActorRole: c.by.ActorRole, Reason: c.by.Reason,
			RequestID: c.by.RequestID, Attestors: people, Data: order.Receipt{Amount: row.Amount, ReceivedOn: row.ReceivedOn.Format(time.DateOnly), BankReference: row.BankReference, UnplacedID: row.ID}})
		if err != nil {
			return err
		}
		row.OrderID, row.DecisionID = &orderID, &c.done.Decision.ID
		return order.SaveUnplaced(c.ctx, c.tx, row)
	})
}

// CreditMoney credits unplaced money to a customer's balance.
type CreditMoney struct {
	MoneyID   string `json:"moneyId"`
	UserID    string `json:"userId"`
	Statement string `json:"statement,omitempty"` // what the bank's statement since a restored backup shows
}

func (*CreditMoney) kind() string { return "credit_money" }

func (a *CreditMoney) subject() string { return a.MoneyID }

func (*CreditMoney) stops(context.Context, *store.DB) (string, error) { return "", nil }

func (a *CreditMoney) execute(c *moneyChange) error {
	if err := mayBeCredited(c.ctx, c.tx, a.UserID, c.by.ActorID, "userId"); err != nil {
		return err
	}
	row, err := order.UnplacedToUse(c.ctx, c.tx, a.MoneyID, "", a.Statement)
	if err != nil {
		return err
	}
	row.Status, row.UserID, row.ClosedAt, row.OrderID, row.DecisionID = order.UnplacedCredited, &a.UserID, &c.now, nil, nil
	if err := order.SaveUnplaced(c.ctx, c.tx, row); err != nil {
		return err
	}
	if err := c.attest(dualcontrol.Credit, a.UserID, unplacedRef(row.ID), row.Amount); err != nil {
		return err
	}
	about := ledger.StoredPosting{Event: "unplaced_credited", GroupKey: "unplaced:" + row.ID + ":credited"}
	_, err = ledger.CreditBalance(c.ctx, c.tx, about, a.UserID, ledger.Posting{From: ledger.CustomerBalance(a.UserID), To: ledger.AccountUnplaced, Currency: money.USD, Amount: row.Amount})
	return err
}

// mayBeCredited refuses an unknown customer, a closed account, and the decider's own.
func mayBeCredited(ctx context.Context, db *store.DB, userID, actorID, field string) error {
	user, err := store.RowByID[people.User](ctx, db, userID, "Customer")
	switch {
	case store.CodeOf(err) == store.CodeNotFound:
		return store.Invalid(field, "unknown_customer", "Customer not found")
	case err != nil:
		return err
	case user.ClosedAt != nil:
		return store.Conflict("account_closed", "This account is closed. Choose another customer.")
	}
	return people.Another(ctx, db, actorID, errOwnAccount, userID)
}

// SendBackMoney records that unplaced money was returned to its sender.
type SendBackMoney struct {
	MoneyID       string `json:"moneyId"`
	BankReference string `json:"bankReference"` // of the outgoing payment
	SentOn        string `json:"sentOn"`
}

func (*SendBackMoney) kind() string { return "send_back_money" }

func (a *SendBackMoney) subject() string { return a.MoneyID }

func (*SendBackMoney) stops(context.Context, *store.DB) (string, error) { return "", nil }

func (a *SendBackMoney) execute(c *moneyChange) error {
	reference, err := bankReferenceOf("bankReference", a.BankReference)
	if err != nil {
		return err
	}
	day, err := bankDay("sentOn", a.SentOn, c.now)
	if err != nil {
		return err
	}
	surplusOf, err := order.SurplusOf(c.ctx, c.tx, a.MoneyID)
	if err != nil {
		return err
	}
	if err := c.lockOrders(surplusOf); err != nil { // before the money, as where receipts leave it
		return err
	}
	row, err := order.Unplaced(c.ctx, c.tx, a.MoneyID, "")
	if err != nil {
		return err
	}
	if day.Before(row.ReceivedOn) {
		return store.Invalid("sentOn", "before_receipt", "Enter a day after the money arrived")
	}
	if err := ledger.FreeReference(c.ctx, c.tx, ledger.MoneyOut, reference); err != nil {
		return err
	}
	row.Status, row.SentReference, row.SentOn, row.ClosedAt, row.OrderID, row.DecisionID = order.UnplacedSentBack, &reference, &day, &c.now, nil, nil
	row.RestoredAt = nil // the reference is on the bank's statement
	if err := order.SaveUnplaced(c.ctx, c.tx, row); err != nil {
		return err
	}
	err = ledger.Post(c.ctx, c.tx, "unplaced_sent_back", "unplaced:"+row.ID+":sent_back", nil, []ledger.Posting{{From: ledger.AccountBank, To: ledger.AccountUnplaced, Currency: money.USD, Amount: row.Amount}})
	if err != nil || surplusOf == "" {
		return err
	}
	return order.ChangeOrder(c.ctx, c.tx, surplusOf, func(o *order.OrderChange) error {
		if err := people.Another(o.Ctx, o.Tx, c.by.ActorID, order.ErrOwnOrder, o.Order.UserID); err != nil {
			return err
		}
		return o.SurplusSentBack(row.ID)
	})
}
