package order

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/store"
)

// HeldAddressLife is how long the link works by which a customer confirms another
// address.
const HeldAddressLife = casework.LinkTTL

// MailAddressHeld is the mail with the link.
const MailAddressHeld = "address_held"

// HeldAddress is another address for an order, named by a customer without a second
// factor. It becomes their decision once they follow the mailed link.
type HeldAddress struct {
	OrderID    string `gorm:"primaryKey"`
	UserID     string
	Address    string
	AddressKey string
	RefusedAt  time.Time
	ExpiresAt  time.Time
}

// inForce is the condition under which a held address can be confirmed: in time, while the order is at the refusal
// that it answers, and no second factor was enabled since.
const inForce = `expires_at > clock_now()
	AND EXISTS (SELECT FROM orders o WHERE o.id = order_id AND o.status = 'filled' AND o.attention_reason = 'address_refused' AND o.attention_since = refused_at)
	AND NOT EXISTS (SELECT FROM second_factors f WHERE f.user_id = held_addresses.user_id AND f.enabled_at IS NOT NULL)`

// HoldAddress keeps an address in place of any before, and has its link mailed. It
// refuses what the decision would be refused for now.
func HoldAddress(ctx context.Context, db *store.DB, in NewDecision) error {
	amended, ok := in.Data.(AmendedAddress)
	if !ok {
		return fmt.Errorf("%q names no address", in.Kind)
	}
	return ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		if err := c.MayDecide(in); err != nil {
			return err
		}
		held := HeldAddress{OrderID: c.Order.ID, UserID: c.Order.UserID, Address: amended.Address, AddressKey: amended.AddressKey,
			RefusedAt: *c.Order.AttentionSince, ExpiresAt: c.Now.Add(HeldAddressLife)}
		if err := c.dropHeldAddress(); err != nil {
			return err
		}
		if err := c.Tx.ORM(ctx).Create(&held).Error; err != nil {
			return fmt.Errorf("hold address: %w", err)
		}
		return c.Event(casework.Event{Kind: "address_held", Actor: casework.ByCustomer})
	})
}

// dropHeldAddress ends the address that is held for the order, and withdraws the mail of its link if that was not
// tried yet.
func (c *OrderChange) dropHeldAddress() error {
	if err := c.Tx.ORM(c.Ctx).Exec("DELETE FROM held_addresses WHERE order_id = ?", c.Order.ID).Error; err != nil {
		return fmt.Errorf("drop held address: %w", err)
	}
	return casework.TakeMailBack(c.Ctx, c.Tx, c.Order.ID, MailAddressHeld)
}

// DropHeldAddresses ends all that are held for a customer's orders.
func DropHeldAddresses(ctx context.Context, db *store.DB, userID string) error {
	if err := db.ORM(ctx).Exec("DELETE FROM held_addresses WHERE user_id = ?", userID).Error; err != nil {
		return fmt.Errorf("drop held addresses: %w", err)
	}
	return nil
}

// HeldAddressOf is the address that waits for its link, or nil.
func HeldAddressOf(ctx context.Context, db *store.DB, o *Order) (*HeldAddress, error) {
	held, err := HeldAddressesOf(ctx, db, []Order{*o})
	return held[o.ID], err
}

// HeldAddressesOf are the addresses that wait for their link, of those of some orders
// that can have one, in one query.
func HeldAddressesOf(ctx context.Context, db *store.DB, orders []Order) (map[string]*HeldAddress, error) {
	var ids pq.StringArray
	for i := range orders {
		if NamesAddress(&orders[i]) {
			ids = append(ids, orders[i].ID)
		}
	}
	held := map[string]*HeldAddress{}
	if len(ids) == 0 {
		return held, nil
	}
	var rows []HeldAddress
	if err := db.ORM(ctx).Where("order_id = ANY(?) AND "+inForce, ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read held addresses: %w", err)
	}
	for i := range rows {
		held[rows[i].OrderID] = &rows[i]
	}
	return held, nil
}

// AddressToken makes the token of a mail that is about to leave; empty when no address waits for it any more. Only
// its hash is kept, so a mail that is sent again contains another, and both work.
func AddressToken(ctx context.Context, db *store.DB, orderID string) (string, error) {
	token, hash := casework.NewLinkToken()
	done := db.ORM(ctx).Exec("UPDATE held_addresses SET token_hashes = array_append(token_hashes, ?::bytea) WHERE order_id = ? AND "+inForce, hash, orderID)
	if done.Error != nil {
		return "", fmt.Errorf("keep the link of an address: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return "", nil
	}
	return token, nil
}

// ConfirmAddress opens the decision that an address was held for, once, for the owner
// who has the mailed token.
func ConfirmAddress(ctx context.Context, db *store.DB, token string, in NewDecision) (*Decision, error) {
	var decision *Decision
	err := ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		if in.ActorID != c.Order.UserID {
			return ErrOwnOrder
		}
		if !NamesAddress(c.Order) {
			return store.Conflict("address_link_gone", "This link no longer works. Your order doesn't need another address.")
		}
		held, err := HeldAddressOf(ctx, c.Tx, c.Order)
		if err != nil {
			return err
		}
		var right bool
		err = c.Tx.Row(ctx, "SELECT EXISTS (SELECT FROM held_addresses WHERE order_id = $1 AND $2 = ANY (token_hashes))", c.Order.ID, casework.HashLink(token)).Scan(&right)
		if err != nil {
			return fmt.Errorf("read the link of an address: %w", err)
		}
		if held == nil || !right {
			return store.Conflict("address_link_gone", "This link no longer works. Enter the address again to get a new one.")
		}
		in.Data = AmendedAddress{Address: held.Address, AddressKey: held.AddressKey}
		if decision, err = c.TakeDecision(in); err != nil {
			return err
		}
		return c.dropHeldAddress()
	})
	return decision, err
}

// ExpireHeldAddresses drops addresses that were not confirmed in time. Where the order still waits for one, its
// customer is notified again.
func ExpireHeldAddresses(ctx context.Context, db *store.DB, limit int) error {
	const expired = `SELECT order_id FROM held_addresses WHERE expires_at <= clock_now() AND order_id <> ALL(@done) ORDER BY expires_at LIMIT @limit`
	return chore.Each(ctx, db, "unconfirmed addresses", expired, limit, func(id string) error {
		return ChangeOrder(ctx, db, id, (*OrderChange).expireHeldAddress)
	})
}

func (c *OrderChange) expireHeldAddress() error {
	var rows []HeldAddress
	if err := c.Tx.ORM(c.Ctx).Where("order_id = ? AND expires_at <= ?", c.Order.ID, c.Now).Find(&rows).Error; err != nil {
		return fmt.Errorf("read held address: %w", err)
	}
	if len(rows) == 0 { // confirmed, or another one named, in the meantime
		return nil
	}
	if err := c.dropHeldAddress(); err != nil {
		return err
	}
	if !NamesAddress(c.Order) || !c.Order.AttentionSince.Equal(rows[0].RefusedAt) {
		return nil
	}
	return c.Event(casework.Event{Kind: "address_unconfirmed"})
}
