package payout

import (
	"context"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// MailConfirmPayout is the mail with the link that confirms a payout.
const MailConfirmPayout = "payout_confirm"

// confirmationRequested is the event that mails the link. Each one is a mail of its own.
func (p *Payout) confirmationRequested() casework.Event {
	return casework.Event{Kind: "confirmation_requested", Actor: casework.ByCustomer, Data: p.reported()}
}

// askToConfirm opens the mailed link of a payout that was just stored.
func askToConfirm(ctx context.Context, tx *store.DB, p *Payout) error {
	link := casework.MailedLink{Subject: p.ID, Kind: KindPayout, UserID: p.UserID, ExpiresAt: *p.ConfirmBy}
	return store.FirstError(casework.OpenLink(ctx, tx, link), casework.Append(ctx, tx, p.about(), p.confirmationRequested()))
}

// MailPayoutLinkAgain has the link of a payout mailed again.
func MailPayoutLinkAgain(ctx context.Context, db *store.DB, userID, id string) error {
	return ChangePayout(ctx, db, id, func(c *PayoutChange) error {
		if c.Payout.Status != PayoutUnconfirmed {
			return casework.ErrLinkGone
		}
		return store.FirstError(casework.CheckLink(ctx, c.tx, userID, id), c.event(c.Payout.confirmationRequested()))
	})
}

// ConfirmPayoutRequest has staff review a payout whose customer followed the mailed link. It returns casework.ErrLinkGone for
// any other token, and refuses customers who must not be paid now.
func ConfirmPayoutRequest(ctx context.Context, db *store.DB, userID, id, token string) error {
	return ChangePayout(ctx, db, id, func(c *PayoutChange) error {
		p := c.Payout
		if p.Status != PayoutUnconfirmed || !c.Now.Before(*p.ConfirmBy) {
			return casework.ErrLinkGone
		}
		if err := casework.UseLink(ctx, c.tx, userID, id, token); err != nil {
			return err
		}
		have, err := ledger.HoldUnderLock(ctx, c.tx, p.UserID)
		if err != nil {
			return err
		}
		if err := payable(ctx, c.tx, p.UserID, have); err != nil {
			return err
		}
		if err := c.move(PayoutRequested); err != nil {
			return err
		}
		p.ConfirmBy = nil
		return c.event(p.requested())
	})
}
