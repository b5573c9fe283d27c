package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// MailConfirmOrder is the mail with the link that confirms an order.
const MailConfirmOrder = "order_confirm"

// ConfirmWindow is how long an order from the balance waits for its mailed link: its price is locked, and its total
// reserved.
const ConfirmWindow = 30 * time.Minute

// AwaitsLink reports whether the order waits for its customer to follow the mailed link: one from the balance is paid as
// it is made otherwise. Its total is reserved then.
func (o *Order) AwaitsLink() bool {
	return o.Status == StatusPending && o.PaymentMethod == pricing.MethodBalance
}

// asksByMail reports whether an order is to be confirmed by a mailed link: its customer has no second factor, and spends
// the balance to an address that no coin of theirs was sent to, and that they never confirmed.
func asksByMail(ctx context.Context, db *store.DB, in NewOrder) (bool, error) {
	if !in.ByMail || in.Quote.Method != pricing.MethodBalance {
		return false, nil
	}
	var known bool
	err := db.Row(ctx, `SELECT EXISTS (SELECT FROM confirmed_addresses WHERE user_id = $1 AND network = $2 AND address = $3)
		OR EXISTS (SELECT FROM orders WHERE user_id = $1 AND network = $2 AND dest_address = $3 AND sent_at IS NOT NULL)`, in.Quote.UserID, in.Network, in.Address).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look for the address: %w", err)
	}
	return !known, nil
}

// RememberAddress records that a customer confirmed an address by a mailed link: it is not new any more.
func RememberAddress(ctx context.Context, db *store.DB, userID, network, address string) error {
	err := db.ORM(ctx).Exec("INSERT INTO confirmed_addresses (user_id, network, address) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", userID, network, address).Error
	if err != nil {
		return fmt.Errorf("remember a confirmed address: %w", err)
	}
	return nil
}

// BalanceReservedPostings promise a part of the balance to an order.
func BalanceReservedPostings(o *Order) []ledger.Posting {
	return []ledger.Posting{{From: ledger.CustomerReserved(o.UserID), To: ledger.CustomerBalance(o.UserID), Currency: money.USD, Amount: o.Total}}
}

// BalanceReleasedPostings reverse the promise.
func BalanceReleasedPostings(o *Order) []ledger.Posting {
	return []ledger.Posting{{From: ledger.CustomerBalance(o.UserID), To: ledger.CustomerReserved(o.UserID), Currency: money.USD, Amount: o.Total}}
}

// askToConfirm reserves the total of an order that has just been made, and has its link mailed. The caller holds the
// customer's lock.
func (c *OrderChange) askToConfirm() error {
	o := c.Order
	if err := c.checkBalance(); err != nil {
		return err
	}
	if err := ledger.TakeFromBalance(c.Ctx, c.Tx, c.booking("balance_reserved", "balance_reserved"), o.UserID, BalanceReservedPostings(o)...); err != nil {
		return err
	}
	link := casework.MailedLink{Subject: o.ID, Kind: casework.KindOrder, UserID: o.UserID, ExpiresAt: o.PaymentDueAt}
	return store.FirstError(casework.OpenLink(c.Ctx, c.Tx, link), c.Event(confirmationRequested))
}

// confirmationRequested is the event that mails the link. Each one is a mail of its own.
var confirmationRequested = casework.Event{Kind: "confirmation_requested", Actor: casework.ByCustomer}

// releaseBalance returns the reserved total of an order that waits for its link to the balance, and ends the link.
func (c *OrderChange) releaseBalance() error {
	if err := casework.DropLink(c.Ctx, c.Tx, c.Order.ID); err != nil {
		return err
	}
	return c.credit("balance_released", "balance_released", BalanceReleasedPostings(c.Order)...)
}

// MailOrderLinkAgain has the link of an order mailed again.
func MailOrderLinkAgain(ctx context.Context, db *store.DB, userID, orderID string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if !c.Order.AwaitsLink() {
			return casework.ErrLinkGone
		}
		return store.FirstError(casework.CheckLink(ctx, c.Tx, userID, orderID),
			casework.TakeMailBack(ctx, c.Tx, orderID, MailConfirmOrder), c.Event(confirmationRequested))
	})
}

// ConfirmOrder pays an order whose customer followed the mailed link: what was reserved returns to the balance, which
// pays as it does for an order to a known address. It returns casework.ErrLinkGone for any other token, and refuses
// customers who may not buy now.
func ConfirmOrder(ctx context.Context, db *store.DB, userID, orderID, token string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		o := c.Order
		if !o.AwaitsLink() || !c.Now.Before(o.PaymentDueAt) {
			return casework.ErrLinkGone
		}
		if err := casework.UseLink(ctx, c.Tx, userID, orderID, token); err != nil {
			return err
		}
		if err := ledger.LockCustomer(ctx, c.Tx, userID); err != nil {
			return err
		}
		terms, _, err := kyc.ReadTerms(ctx, c.Tx, userID)
		if err != nil {
			return err
		}
		if err := store.FirstError(terms.MayBegin(), terms.MayBuy()); err != nil {
			return err
		}
		if err := store.FirstError(c.releaseBalance(), RememberAddress(ctx, c.Tx, userID, o.Network, o.DestAddress)); err != nil {
			return err
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		if err := c.payFromBalance(p); store.ReasonOf(err) != "insufficient_balance" {
			return err
		}
		return store.Conflict("insufficient_balance", "Your balance no longer covers this order, because we deducted what you owed us. Cancel it.")
	})
}

// PaidByLink finds orders that were paid as their link was followed, some time ago: the signal may have been lost.
func PaidByLink(ctx context.Context, db *store.DB, grace time.Duration, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find orders confirmed by mail", `
		SELECT id AS subject, 'confirmed' AS reason FROM orders
		 WHERE closed_at IS NULL AND status = 'payment_approved' AND payment_method = 'balance' AND paid_at > created_at
		   AND paid_at BETWEEN clock_now() - 10 * CAST(? AS interval) AND clock_now() - CAST(? AS interval) LIMIT ?`, store.Seconds(grace), store.Seconds(grace), limit)
}
