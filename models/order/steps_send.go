package order

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// StartTransfer is custody's own check of an order before it sends: the captured or received money must be in the
// ledger, the address on no list, the amount within the caps. It commits that the transfer is about to be sent: the
// current one while its outcome is open, else the next.
func StartTransfer(ctx context.Context, db *store.DB, orderID string, caps execution.Caps) (execution.TransferJob, error) {
	var job execution.TransferJob
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) (err error) {
		if c.Order.Status != StatusFilled {
			job.Done = true
			return nil
		}
		job, err = execution.StartTransfer(c, caps)
		return err
	})
	return job, err
}

// payingEvents are the postings that pay for an order. A worker books them, or Postgres (pay_from_balance): one that the
// API wrote counts for nothing, here as in PaidByTheAPI.
const payingEvents = `'captured', 'receipt_confirmed', 'receipt_allocated', 'paid_from_balance'`

// receivedOf4 is what the ledger holds of an order $4's customer for it.
const receivedOf4 = `(SELECT coalesce(sum(CASE WHEN from_account = '` + ledger.AccountPrepaid + `' THEN amount ELSE -amount END), 0) FROM postings WHERE order_id = $4 AND currency = 'USD'
	AND '` + ledger.AccountPrepaid + `' IN (from_account, to_account) AND event IN (` + payingEvents + `, 'receipt_reversed')
	AND (to_account = '` + ledger.AccountPrepaid + `' OR written_by <> '` + string(store.API) + `'))`

// PaidByTheAPI counts the open orders with a payment that the API's role booked, and since when there is one.
const PaidByTheAPI = `SELECT count(DISTINCT o.id), coalesce(min(p.at), clock_now()) FROM postings p JOIN orders o ON o.id = p.order_id AND o.closed_at IS NULL
	WHERE p.event IN (` + payingEvents + `) AND p.written_by = '` + string(store.API) + `'`

// Unsendable says why custody does not send; "" when it does.
func (c *OrderChange) Unsendable(caps execution.Caps) (string, error) {
	if reason, err := c.Halted(); reason != "" || err != nil {
		return reason, err
	}
	return c.unlet(caps)
}

// unpaid says why the order's payment is not, or no longer, in the ledger; "" when it is.
func (c *OrderChange) unpaid(h hindrances) (string, error) {
	switch {
	case h.received.Cmp(c.Order.Total) >= 0:
		return "", nil
	case !c.Order.Refunded.IsZero(): // some of it was of others
		return AttentionRefundedThere, nil
	}
	return "", store.Conflict("not_paid", "The ledger shows no payment for this order")
}

// unlet says why custody does not let the order's coin out: its address is on a list, or
// the caps are reached; "" when it does.
func (c *OrderChange) unlet(caps execution.Caps) (string, error) {
	if err := execution.LockCaps(c.Ctx, c.Tx); err != nil {
		return "", err
	}
	o := c.Order
	var kind *string
	var at *time.Time
	var today money.Units
	err := c.Tx.Row(c.Ctx, `SELECT l.kind, l.added_at, (`+execution.LetOutOn1+`)
		FROM (VALUES (true)) AS one LEFT JOIN LATERAL (`+risk.ListQuery("$2", "$3")+`) l ON true`, c.Now.UTC().Format(time.DateOnly), o.Network, execution.AddressKey(o.Network, o.DestAddress)).
		Scan(&kind, &at, &today)
	if err != nil {
		return "", fmt.Errorf("read what custody let out: %w", err)
	}
	if blocked, err := c.blocked(store.Text(kind), since(at)); blocked || err != nil {
		return casework.AttentionBlocked, err
	}
	return caps.Reached(today, o.BasePrice), nil
}

// MaySend reports whether a transfer whose first send left no trace may be sent again under its identity: not when
// the money was returned meanwhile, or it was paused. The order waits then.
func MaySend(ctx context.Context, db *store.DB, orderID string) (may bool, err error) {
	err = ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		may, err = execution.MaySend(c)
		return err
	})
	return may, err
}

// CurrentTransfer reads the transfer in progress, to follow it. A closed order has none: an attempt that died after
// it wrote the end leaves nothing to wait for.
func CurrentTransfer(ctx context.Context, db *store.DB, orderID string) (execution.TransferJob, error) {
	var rows []struct {
		execution.Withdrawal `gorm:"embedded"`
		Over                 bool
	}
	err := db.ORM(ctx).Raw(`SELECT w.*, o.closed_at IS NOT NULL AS over FROM withdrawals w JOIN orders o ON o.id = w.order_id
		WHERE w.order_id = ? ORDER BY w.generation DESC LIMIT 1`, orderID).Scan(&rows).Error
	if err != nil {
		return execution.TransferJob{}, fmt.Errorf("read transfer: %w", err)
	}
	if len(rows) == 0 || rows[0].Over || rows[0].Dead() {
		return execution.TransferJob{Done: true}, nil
	}
	return execution.TransferJob{SentBefore: true, Withdrawal: rows[0].Withdrawal}, nil
}

// TransferRefused records that the custodian definitely refused the transfer: nothing was sent, so its sequence id is
// free to be given up.
func TransferRefused(ctx context.Context, db *store.DB, orderID string, generation int) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		return c.Subject().RefuseTransfer(generation)
	})
}

// noOpenTransfer refuses while coin may have been sent, or may still be.
func (c *OrderChange) noOpenTransfer() error {
	last, err := c.Subject().LastTransfer()
	if err != nil {
		return err
	}
	if last != nil && !last.Dead() {
		return store.Conflict("transfer_open", "A transfer for this order may still be sent. Retry first to check.")
	}
	return nil
}

// MarkSent books an order as sent by other means, on a person's evidence.
func MarkSent(ctx context.Context, db *store.DB, orderID, decisionID string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		decision, release, err := c.openCoinRelease(decisionID, DecisionMarkSent)
		if err == nil {
			err = c.checkExecution(release)
		}
		if err != nil {
			return err
		}
		var evidence SentEvidence
		if err := json.Unmarshal(decision.Data, &evidence); err != nil || evidence.TxID == "" {
			return store.Conflict("evidence_missing", "Enter a transaction ID as evidence")
		}
		if err := c.mayLeadToCoin(DecisionMarkSent); err != nil {
			return err
		}
		w, err := c.transferNamed(evidence)
		if err != nil {
			return err
		}
		if err := c.sendAsMarked(w, evidence); err != nil {
			return err
		}
		c.Order.ConfirmedAt, c.Order.ClosedAt = &c.Now, &c.Now
		return c.resolveDecision(decisionID, casework.DecisionDone)
	})
}

// transferNamed returns the transfer that evidence is about: the one that may still
// happen, which the evidence has to name by custody's id, so that its coin is booked
// once whatever becomes of it; nil if the last one is known to be dead. It rejects
// evidence that is recorded for anything else.
func (c *OrderChange) transferNamed(e SentEvidence) (*execution.Withdrawal, error) {
	if err := c.Subject().CheckEvidence(e.TxID, e.TransferID); err != nil {
		return nil, err
	}
	w, err := c.Subject().LastTransfer()
	if err != nil {
		return nil, err
	}
	if w == nil || w.Dead() {
		w, err = c.deadNamed(e)
	} else if e.TransferID == "" {
		return nil, store.Conflict("transfer_open", "A transfer for this order may still be sent. Retry to check. If custody shows that it was sent, enter custody's transfer ID too.")
	} else if w.TransferID != nil && !strings.EqualFold(*w.TransferID, e.TransferID) {
		return nil, store.Conflict("transfer_other", "Custody has another ID for the transfer of this order")
	}
	if err != nil || w == nil {
		return nil, err
	}
	var earlier bool
	err = c.Tx.Row(c.Ctx, "SELECT EXISTS (SELECT FROM withdrawals WHERE lower(transfer_id) = lower($1) AND id <> $2)",
		e.TransferID, w.ID).Scan(&earlier)
	if err != nil {
		return nil, fmt.Errorf("look for custody's transfer: %w", err)
	}
	if earlier {
		return nil, store.Conflict("transfer_other", "This custody transfer is another one of this order")
	}
	return w, nil
}

// deadNamed is the transfer that was declared dead and that evidence names: its coin
// left after all, and is booked as its own. It is nil where there is none.
func (c *OrderChange) deadNamed(e SentEvidence) (*execution.Withdrawal, error) {
	var rows []execution.Withdrawal
	err := c.Tx.ORM(c.Ctx).Where("order_id = ? AND status = ? AND (lower(txid) IN ? OR lower(transfer_id) = lower(?))",
		c.Order.ID, execution.TransferDead, execution.TransactionForms(e.TxID), e.TransferID).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// mayBeMarked refuses evidence beside a transfer that it does not name, as it is
// given or was proposed.
func (c *OrderChange) mayBeMarked(data any) error {
	var evidence SentEvidence
	raw, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(raw, &evidence)
	}
	if err != nil {
		return fmt.Errorf("read evidence: %w", err)
	}
	_, err = c.transferNamed(evidence)
	return err
}

// sendAsMarked books an order as sent on evidence, by a transfer of ours or by other
// means. The order keeps both ids of the evidence, so that no other order is sent by it.
func (c *OrderChange) sendAsMarked(w *execution.Withdrawal, e SentEvidence) error {
	if w == nil {
		if e.TransferID != "" {
			c.Order.BitgoTransferID = &e.TransferID
		}
		return c.send("marked", e.TxID, money.Units{}, "")
	}
	w.TxID, w.Status, w.UpdatedAt = &e.TxID, execution.TransferConfirmed, c.Now
	if e.TransferID != "" && !strings.EqualFold(store.Text(w.TransferID), e.TransferID) {
		w.TransferID = &e.TransferID
	}
	if err := execution.SaveTransfer(c.Ctx, c.Tx, w); err != nil {
		return err
	}
	c.Order.BitgoTransferID = w.TransferID
	return c.send(w.Sending(), e.TxID, w.Fee, w.PaidIn())
}
