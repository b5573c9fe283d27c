package ledger

import (
	"context"
	"strconv"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

// Balance is a customer's balance, and its entries.
type Balance struct {
	Balance    string         `json:"balance" doc:"US dollars the customer may spend"`
	Receivable string         `json:"receivable" doc:"US dollars the customer owes; later credits pay it first"`
	Reserved   string         `json:"reserved" doc:"US dollars set aside for payouts that are under way"`
	MinPayout  string         `json:"minPayout" doc:"US dollars; the smallest payout"`
	Entries    []BalanceEntry `json:"entries" doc:"newest first"`
}

// BalanceEntry is one change of a balance.
type BalanceEntry struct {
	ID           string    `json:"id"`
	At           time.Time `json:"at"`
	Amount       string    `json:"amount" doc:"signed US dollars"`
	BalanceAfter string    `json:"balanceAfter"`
	Kind         string    `json:"kind" enum:"bonus,refund,surplus,gift_card,purchase,payout,debt,credit,debit"`
	Why          string    `json:"why" prose:"yes" doc:"what it was for, in plain words"`
	OrderID      *string   `json:"orderId" format:"uuid"`
	PayoutID     *string   `json:"payoutId" format:"uuid"`
	GiftCardID   *string   `json:"giftCardId" format:"uuid"`
	Reference    *string   `json:"reference" doc:"of the order, the gift card or the payout"`
}

type balanceInput struct{ rest.Paging }

type balancePage struct {
	Link string `header:"Link" doc:"the next page of entries, rel=\"next\""`
	Body Balance
}

// GetBalance answers GET /api/balance with the caller's own balance.
func (h *Handlers) GetBalance(ctx context.Context, in *balanceInput) (*balancePage, error) {
	after, err := store.ParseNumberCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	have, err := ledger.HoldingsOf(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	rows, next, err := ledger.BalanceHistory(ctx, h.DB, userID, after, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &balancePage{Body: Balance{Balance: money.USD.Format(have.Balance), Receivable: money.USD.Format(have.Receivable), Reserved: money.USD.Format(have.Reserved),
		MinPayout: money.USD.Format(money.FromInt(payout.MinPayout)), Entries: rest.Mapped(rows, ShownEntry)}}
	if next != nil {
		out.Link = rest.LinkToCursor(ctx, next.String(), in.Limit)
	}
	return out, nil
}

// EntryTexts are the descriptions of changes of a balance, by the posting's event.
var EntryTexts = map[string]struct{ Kind, Why string }{
	"bonus_credited":           {"bonus", "Your volume tier's bonus"},
	"bonus_taken_back":         {"bonus", "Bonus of a refunded order"},
	"refunded":                 {"refund", "Refund of an order"},
	"refunded_in_part":         {"refund", "Partial refund of an order"},
	"gift_card_paid":           {"gift_card", "Gift card sold"},
	"money_left_over":          {"surplus", "Overpayment of an order"},
	"paid_from_balance":        {"purchase", "Order paid from your balance"},
	"balance_reserved":         {"purchase", "Reserved for an order until you confirm it"},
	"balance_released":         {"purchase", "Reserved amount of an order returned"},
	"payout_requested":         {"payout", "Reserved for a payout to your bank"},
	"payout_released":          {"payout", "Payout not made"},
	"payout_returned":          {"payout", "Payout returned by your bank"},
	"debt_paid":                {"debt", "Paid towards what you owed us"},
	"referral_rewarded":        {"bonus", "A friend you referred completed their first order"},
	"signup_bonus_credited":    {"bonus", "Your sign-up bonus"},
	"credit_recalled":          {"debit", "A payment that its bank took back"},
	"recall_reinstated":        {"credit", "A payment that its bank returned to us"},
	"reward_taken_back":        {"bonus", "Deducted: the order that earned it was refunded"},
	"dispute_claimed":          {"debit", "Deducted: the bank reversed the payment of a delivered order"},
	"claim_returned":           {"credit", "Deduction for a reversed payment returned"},
	"gift_card_claimed":        {"gift_card", "Deducted: your gift card was found used"},
	"gift_card_claim_reversed": {"gift_card", "Claim of a gift card credited again"},
}

// ShownEntry is an entry of a balance as its owner sees it.
func ShownEntry(e *ledger.BalanceEntry) BalanceEntry {
	text, known := EntryTexts[e.Event]
	switch {
	case !known && e.Amount.Sign() > 0:
		text.Kind, text.Why = "credit", "Credited to your balance"
	case !known:
		text.Kind, text.Why = "debit", "Deducted from your balance"
	}
	return BalanceEntry{ID: strconv.FormatInt(e.ID, 10), At: e.At, Amount: money.USD.Format(e.Amount), BalanceAfter: money.USD.Format(e.BalanceAfter),
		Kind: text.Kind, Why: text.Why, OrderID: e.OrderID, GiftCardID: e.GiftCardID, PayoutID: e.PayoutID, Reference: e.Reference}
}
