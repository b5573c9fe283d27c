package giftcard

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// CardChange is one transaction on one gift card. Nothing it does is visible
// until all of it is.
type CardChange struct {
	Card *GiftCard
	Now  time.Time

	ctx context.Context
	tx  *store.DB
	was GiftCard // as it was read
}

// Timeline holds the events of gift cards.
var Timeline = &casework.Timeline{Table: "gift_card_events", Subject: "card_id", Columns: "card_id, at", Mail: "gift_card_event_id"}

// ChangeGiftCard locks a card and runs fn on it; what fn did commits together
// with the card's row. It is the only way a card changes.
func ChangeGiftCard(ctx context.Context, db *store.DB, id string, fn func(c *CardChange) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		card, now, err := store.LockedRow[GiftCard](ctx, tx, "gift_cards", id, "Gift card")
		if err != nil {
			return err
		}
		c := &CardChange{Card: card, Now: now, ctx: ctx, tx: tx, was: *card}
		return tx.Together(ctx, func() error {
			if err := fn(c); err != nil {
				return err
			}
			return c.store()
		})
	})
}

// store writes what changed of the card's row, guarded by the status it was read
// with.
func (c *CardChange) store() error {
	return store.StoreChanged(c.ctx, c.tx, &c.was, c.Card, c.Now, store.Conflict("card_moved", "The gift card has changed. Refresh the page."),
		store.Means("gift_cards_paid_once", store.Conflict("duplicate", "We already paid for this card")))
}

// move changes the card's status; a move the table does not list is refused.
func (c *CardChange) move(to CardStatus) error {
	if !canCardMove(c.Card.Status, to) {
		return store.Conflict("card_state", fmt.Sprintf("A gift card that is %s can't become %s", c.Card.Status, to))
	}
	c.Card.Status = to
	return nil
}

// event adds to the card's timeline, with the status it has now. Data holds codes and figures, never card details.
func (c *CardChange) event(e casework.Event) error {
	g := c.Card
	return Timeline.Add(c.ctx, c.tx, CardEventKinds, casework.Addition{Event: e, Subject: []any{g.ID, c.Now}, Status: string(g.Status), UserID: g.UserID,
		CardID: &g.ID, Mailings: CardMailings})
}

// destroySecrets wipes all that was printed on the card, pictures included.
func (c *CardChange) destroySecrets() error {
	g := c.Card
	g.SealedCode, g.SealedPIN, g.SealedExpiry, g.SealedSecurityCode = nil, nil, nil, nil
	g.SecretsDestroyedAt = &c.Now
	err := c.tx.ORM(c.ctx).Exec("UPDATE gift_card_images SET purged_at = ? WHERE card_id = ? AND purged_at IS NULL", c.Now, g.ID).Error
	if err != nil {
		return fmt.Errorf("purge pictures: %w", err)
	}
	return c.event(casework.Event{Kind: "secrets_destroyed", Dedupe: "secrets"})
}

// close ends the card, and deletes what was printed on it.
func (c *CardChange) close() error {
	c.Card.ClosedAt, c.Card.RemindAt = &c.Now, nil
	return c.destroySecrets()
}

// CardPaidPostings are for a card that was approved: its customer is owed what
// it pays, and we hold the card at that cost.
func CardPaidPostings(userID string, paid money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.CustomerBalance(userID), To: ledger.AccountGiftCards, Currency: money.USD, Amount: paid}}
}

// CardRealisedPostings are for a card whose value was realised: its cost leaves the inventory, and the difference to
// its proceeds is the trading difference.
func CardRealisedPostings(paid, realised money.Units) []ledger.Posting {
	lines := []ledger.Posting{{From: ledger.AccountGiftCards, To: ledger.AccountBank, Currency: money.USD, Amount: paid.Min(realised)}}
	switch difference := realised.Sub(paid); difference.Sign() {
	case 1:
		lines = append(lines, ledger.Posting{From: ledger.AccountTrading, To: ledger.AccountBank, Currency: money.USD, Amount: difference})
	case -1:
		lines = append(lines, ledger.Posting{From: ledger.AccountGiftCards, To: ledger.AccountTrading, Currency: money.USD, Amount: difference.Neg()})
	}
	return lines
}
