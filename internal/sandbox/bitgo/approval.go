package bitgo

import (
	"errors"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// approval is a send that waits for another person's approval.
type approval struct {
	ID, Coin, Wallet string
	Transfer         string
	Creator          string
	State            string // pending, approved, rejected
	Created          time.Time
	Resolver         string
	Resolved         time.Time
}

// askApproval keeps the coin aside and answers 202 with the approval, both
// bare, as for a multisignature wallet, and under its name.
func (s *Simulator) askApproval(c *call, t *transfer, set settings) (int, any, error) {
	a := approval{ID: randomHex(16), Coin: t.Coin, Wallet: t.Wallet, Transfer: t.ID, Creator: c.user.ID, State: "pending", Created: c.now}
	t.Approval = a.ID
	t.become(statePendingApproval, c.now)
	if err := s.adjustParts(c.tx, t, func(f *funds, amount decimal.Decimal) { f.Held = f.Held.Add(amount) }); err != nil {
		return 0, nil, err
	}
	if err := t.save(c.tx); err != nil {
		return 0, nil, err
	}
	if err := c.tx.Put(bucketApproval, a.ID, a); err != nil {
		return 0, nil, err
	}
	if err := s.notifyApproval(c.tx, a, t, c.now); err != nil {
		return 0, nil, err
	}
	body := a.view(t)
	body["pendingApproval"] = a.view(t)
	body["status"] = statePendingApproval
	body["error"] = "triggered wallet policy: " + limitText(set, t.Coin)
	return http.StatusAccepted, body, nil
}

func limitText(set settings, coin string) string {
	if limit, limited := set.Limit[coin]; limited {
		return "transaction limit of " + limit.String()
	}
	return "all transactions"
}

// view is the approval as answers show it.
func (a approval) view(t *transfer) map[string]any {
	recipients := make([]map[string]string, 0, len(t.Recipients))
	for _, r := range t.Recipients {
		recipients = append(recipients, map[string]string{"address": r.Address, "amount": r.Amount.String()})
	}
	resolvers := []map[string]any{}
	if a.Resolver != "" {
		resolvers = append(resolvers, map[string]any{"user": a.Resolver, "date": a.Resolved.Format(time.RFC3339Nano), "resolutionType": a.State})
	}
	build := map[string]any{"recipients": recipients, "comment": t.Comment, "sequenceId": t.SequenceID}
	return map[string]any{
		"id": a.ID, "coin": a.Coin, "wallet": a.Wallet, "enterprise": newID("enterprise"), "creator": a.Creator,
		"createDate": a.Created.Format(time.RFC3339Nano), "state": a.State, "scope": "wallet", "approvalsRequired": 1,
		"resolvers": resolvers, "userIds": []string{a.Creator},
		"info": map[string]any{"type": "transactionRequest", "transactionRequest": map[string]any{
			"requestedAmount": t.amount().String(), "fee": t.Fee.String(), "sourceWallet": a.Wallet, "comment": t.Comment,
			"sequenceId": t.SequenceID, "recipients": recipients, "buildParams": build, "transferId": t.ID, "coinSpecific": map[string]any{},
		}},
	}
}

// resolve approves or rejects; who is the user, or the person at the control
// page.
func (s *Simulator) resolve(tx *sandbox.Tx, id, state, who string, now time.Time) (approval, *transfer, error) {
	var a approval
	found, err := tx.Get(bucketApproval, id, &a)
	if err != nil || !found {
		return a, nil, errors.Join(err, missing("pending approval"))
	}
	if a.State != "pending" {
		return a, nil, invalid("InvalidPendingApprovalState", "the pending approval is already "+a.State)
	}
	t, _, err := loadTransfer(tx, a.Transfer)
	if err != nil {
		return a, nil, err
	}
	a.State, a.Resolver, a.Resolved = state, who, now
	if err := tx.Put(bucketApproval, a.ID, a); err != nil {
		return a, nil, err
	}
	err = s.adjustParts(tx, t, func(f *funds, amount decimal.Decimal) { f.Held = f.Held.Sub(amount) })
	if err != nil {
		return a, nil, err
	}
	if err := s.notifyApproval(tx, a, t, now); err != nil {
		return a, nil, err
	}
	if state == "rejected" {
		return a, t, s.step(tx, t, stateRejected, now)
	}
	return a, t, s.sign(tx, t, now)
}

func (s *Simulator) putApproval(c *call) (int, any, error) {
	id, state := c.r.PathValue("id"), c.fields.text("state")
	if state != "approved" && state != "rejected" {
		return 0, nil, invalid("InvalidRequest", "state is approved or rejected")
	}
	var a approval
	if _, err := c.tx.Get(bucketApproval, id, &a); err != nil {
		return 0, nil, err
	}
	if a.Coin != c.coin.Ticker {
		return 0, nil, missing("pending approval")
	}
	if state == "approved" && a.Creator == c.user.ID {
		return 0, nil, errOwnApproval
	}
	a, t, err := s.resolve(c.tx, id, state, c.user.ID, c.now)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, a.view(t), nil
}

func (s *Simulator) getApproval(c *call) (int, any, error) {
	var a approval
	found, err := c.tx.Get(bucketApproval, c.r.PathValue("id"), &a)
	if err != nil {
		return 0, nil, err
	}
	if !found || a.Coin != c.coin.Ticker {
		return 0, nil, missing("pending approval")
	}
	t, _, err := loadTransfer(c.tx, a.Transfer)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, a.view(t), nil
}

// listApprovals lists the coin's approvals, of one wallet if walletId is given.
func (s *Simulator) listApprovals(c *call) (int, any, error) {
	walletID, state := c.r.FormValue("walletId"), c.r.FormValue("state")
	list := []map[string]any{}
	err := each(c.tx, bucketApproval, "", func(_ string, a approval) error {
		if a.Coin != c.coin.Ticker || (walletID != "" && walletID != a.Wallet) || (state != "" && state != a.State) {
			return nil
		}
		t, _, err := loadTransfer(c.tx, a.Transfer)
		if err == nil {
			list = append(list, a.view(t))
		}
		return err
	})
	return http.StatusOK, map[string]any{"pendingApprovals": list}, err
}
