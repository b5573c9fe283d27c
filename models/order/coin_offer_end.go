package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// KeepAllCoin records that the customer declines an offer: the order continues as it is.
func KeepAllCoin(ctx context.Context, db *store.DB, in CoinAnswer) error {
	return ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		offer, again, err := c.offerFor(in, CoinOfferDeclined)
		if err != nil || again {
			return err
		}
		return c.endCoinOffer(offer, CoinOfferDeclined, casework.ByCustomer)
	})
}

// WithdrawCoinOffer ends an offer that its customer has not answered. The caller has checked the actor's role.
func WithdrawCoinOffer(ctx context.Context, db *store.DB, in CoinAnswer) error {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	return ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		if err := people.Another(c.Ctx, c.Tx, in.ActorID, ErrOwnOrder, c.Order.UserID); err != nil {
			return err
		}
		offer, err := c.coinOffer(CoinOfferOpen)
		if err != nil {
			return err
		}
		if offer == nil || offer.ID != in.OfferID {
			return store.Conflict("offer_ended", "This offer has ended. Refresh the page.")
		}
		if err := c.endCoinOffer(offer, CoinOfferWithdrawn, casework.ByStaff); err != nil {
			return err
		}
		return audit.Audit(c.Ctx, c.Tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole,
			Action: "order.coin_offer_withdrawn", ObjectKind: "order", ObjectID: c.Order.ID,
			Before: map[string]any{"offer": offer.ID}, After: map[string]any{"status": CoinOfferWithdrawn},
			Reason: in.Reason, RequestID: in.RequestID})
	})
}

// ofFrozen is the SQL condition that a frozen member of staff made the offer and nobody else approved it.
const ofFrozen = `EXISTS (SELECT FROM decisions d JOIN users u ON u.id = d.actor_id
		  WHERE d.id = coin_offers.decision_id AND u.frozen_at IS NOT NULL)
		AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = coin_offers.decision_id)`

// ExpireCoinOffers ends the offers that were not answered in time, and the offers of frozen staff that nobody else
// approved. The orders continue unchanged.
func ExpireCoinOffers(ctx context.Context, db *store.DB, limit int) error {
	const due = `SELECT order_id FROM coin_offers WHERE status = 'open' AND order_id <> ALL(@done)
		AND (due_at <= clock_now() OR ` + ofFrozen + `) ORDER BY due_at LIMIT @limit`
	return chore.Each(ctx, db, "unanswered coin offers", due, limit, func(id string) error {
		return ChangeOrder(ctx, db, id, func(c *OrderChange) error {
			offer, err := c.coinOffer(CoinOfferOpen)
			if err != nil || offer == nil {
				return err
			}
			if !c.Now.Before(offer.DueAt) {
				return c.endCoinOffer(offer, CoinOfferExpired, casework.BySystem)
			}
			frozen, err := c.offeredByFrozen(offer)
			if err != nil || !frozen {
				return err
			}
			return c.endCoinOffer(offer, CoinOfferWithdrawn, casework.BySystem)
		})
	})
}

func (c *OrderChange) offeredByFrozen(offer *CoinOffer) (frozen bool, err error) {
	const read = "SELECT " + ofFrozen + " FROM coin_offers WHERE id = ?"
	if err := c.Tx.ORM(c.Ctx).Raw(read, offer.ID).Row().Scan(&frozen); err != nil {
		return false, fmt.Errorf("read who made an offer: %w", err)
	}
	return frozen, nil
}

// tidyCoinOffer ends an open offer once the order has changed so that it no longer fits. Every change of an order passes
// here.
func (c *OrderChange) tidyCoinOffer() error {
	if c.Order.OfferUntil == nil || sellsLess(c.Order) {
		return nil
	}
	offer, err := c.coinOffer(CoinOfferOpen)
	if err != nil || offer == nil {
		return err
	}
	return c.endCoinOffer(offer, CoinOfferEnded, casework.BySystem)
}

// endCoinOffer ends an offer without effect: what staff stated for it is withdrawn.
func (c *OrderChange) endCoinOffer(offer *CoinOffer, how string, by casework.Actor) error {
	if err := c.closeCoinOffer(offer, how); err != nil {
		return err
	}
	if err := c.withdrawStatements(offer); err != nil {
		return err
	}
	return c.Event(casework.Event{Kind: "coin_offer_ended", Actor: by, Dedupe: "coin_offer:" + offer.ID + ":ended",
		Data: map[string]any{"outcome": how, "amount": money.USD.Format(offer.Refund)}})
}

// withdrawStatements withdraws what staff stated for an offer without effect; its decision counts toward no limit.
func (c *OrderChange) withdrawStatements(offer *CoinOffer) error {
	err := c.Tx.Exec(c.Ctx, "UPDATE decisions SET outcome = 'refused', outcome_code = 'not_agreed' WHERE id = $1", offer.DecisionID)
	if err != nil {
		return fmt.Errorf("store outcome of an offer: %w", err)
	}
	return c.eachSource(offer, dualcontrol.Withdraw)
}

func (c *OrderChange) closeCoinOffer(offer *CoinOffer, how string) error {
	offer.Status, offer.EndedAt, c.Order.OfferUntil = how, &c.Now, nil
	err := c.Tx.Exec(c.Ctx, "UPDATE coin_offers SET status = $2, ended_at = $3, refund_sequence = $4 WHERE id = $1",
		offer.ID, how, c.Now, offer.RefundSequence)
	if err != nil {
		return fmt.Errorf("store end of a coin offer: %w", err)
	}
	return nil
}

// undoReduction gives the order its coin back, because the refund that reduced it was not made. Nothing can have been
// bought: no decision leads to coin while a refund is in progress.
func (c *OrderChange) undoReduction(row *Refund) error {
	if !row.Reduces {
		return nil
	}
	row.Reduces = false
	if err := c.Save(row); err != nil {
		return err
	}
	offers, err := CoinOffers(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(offers, func(f CoinOffer) bool {
		return f.Status == CoinOfferAgreed && f.RefundSequence != nil && *f.RefundSequence == row.Sequence
	})
	if i < 0 || c.Order.Status == StatusSent || c.Order.ClosedAt != nil || !c.Order.Terms().Equal(offers[i].After()) {
		return nil
	}
	offer := &offers[i]
	c.setTerms(offer.Before())
	if err := c.closeCoinOffer(offer, CoinOfferUndone); err != nil {
		return err
	}
	if err := c.withdrawStatements(offer); err != nil {
		return err
	}
	return c.Event(casework.Event{Kind: "coin_restored", Dedupe: "coin_offer:" + offer.ID + ":undone", Data: c.coinOfferData(offer)})
}
