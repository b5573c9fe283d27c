package models

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"time"
)

// HeldAddressLife is how long the link works by which a customer confirms another
// address.
const HeldAddressLife = time.Hour

// MailAddressHeld is the mail that carries the link.
const MailAddressHeld = "address_held"

// HeldAddress is another address for an order, named by a customer without a second
// factor. It is bound to the refusal that it answers, and becomes their decision once
// they follow the mailed link: a session alone does not say where crypto goes.
type HeldAddress struct {
	OrderID    string `gorm:"primaryKey"`
	UserID     string
	Address    string
	AddressKey string
	RefusedAt  time.Time
	ExpiresAt  time.Time
}

// HoldAddress keeps an address in place of any before, and has its link mailed. It
// refuses what the decision would be refused for now.
func (db *DB) HoldAddress(ctx context.Context, in NewDecision) error {
	amended, ok := in.Data.(AmendedAddress)
	if !ok {
		return fmt.Errorf("%q names no address", in.Kind)
	}
	return db.ChangeOrder(ctx, in.OrderID, func(c *OrderChange) error {
		if err := c.mayDecide(in); err != nil {
			return err
		}
		held := HeldAddress{OrderID: c.Order.ID, UserID: c.Order.UserID, Address: amended.Address, AddressKey: amended.AddressKey,
			RefusedAt: *c.Order.AttentionSince, ExpiresAt: c.Now.Add(HeldAddressLife)}
		if err := c.dropHeldAddress(); err != nil {
			return err
		}
		if err := c.tx.orm(ctx).Create(&held).Error; err != nil {
			return fmt.Errorf("hold address: %w", err)
		}
		return c.Event(Event{Kind: "address_held", Actor: ByCustomer})
	})
}

func (c *OrderChange) dropHeldAddress() error {
	if err := c.tx.orm(c.ctx).Exec("DELETE FROM held_addresses WHERE order_id = ?", c.Order.ID).Error; err != nil {
		return fmt.Errorf("drop held address: %w", err)
	}
	return nil
}

// HeldAddressOf is the address that waits for its link, or nil.
func (db *DB) HeldAddressOf(ctx context.Context, o *Order) (*HeldAddress, error) {
	if !NamesAddress(o) {
		return nil, nil
	}
	var rows []HeldAddress
	err := db.orm(ctx).Where("order_id = ? AND refused_at = ? AND expires_at > clock_now()", o.ID, *o.AttentionSince).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read held address: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// AddressToken makes the token of a mail that is about to go out; empty when no address
// waits for it any more. Only its hash is kept, so a mail that is sent again carries
// another, and both work.
func (db *DB) AddressToken(ctx context.Context, orderID string) (string, error) {
	token := rand.Text() + rand.Text()
	done := db.orm(ctx).Exec("UPDATE held_addresses SET token_hashes = array_append(token_hashes, CAST(? AS bytea)) WHERE order_id = ? AND expires_at > clock_now()", hashOfLink(token), orderID)
	if done.Error != nil {
		return "", fmt.Errorf("keep the link of an address: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return "", nil
	}
	return token, nil
}

func hashOfLink(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// ConfirmAddress opens the decision that an address was held for, once, for the owner
// who has the mailed token.
func (db *DB) ConfirmAddress(ctx context.Context, token string, in NewDecision) (*Decision, error) {
	var decision *Decision
	err := db.ChangeOrder(ctx, in.OrderID, func(c *OrderChange) error {
		held, err := c.tx.HeldAddressOf(ctx, c.Order)
		if err != nil {
			return err
		}
		var right bool
		err = c.tx.row(ctx, "SELECT EXISTS (SELECT FROM held_addresses WHERE order_id = $1 AND user_id = $2 AND $3 = ANY (token_hashes))", c.Order.ID, in.ActorID, hashOfLink(token)).Scan(&right)
		if err != nil {
			return fmt.Errorf("read the link of an address: %w", err)
		}
		if held == nil || !right {
			return Conflict("address_link_gone", "This link no longer works. Enter the address again to get a new one.")
		}
		in.Data = AmendedAddress{Address: held.Address, AddressKey: held.AddressKey}
		if decision, err = c.takeDecision(in); err != nil {
			return err
		}
		return c.dropHeldAddress()
	})
	return decision, err
}
