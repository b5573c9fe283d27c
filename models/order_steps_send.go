package models

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/money"
)

// The words withdrawals.status holds: requested until the custodian answered,
// then the custodian's states.
const (
	TransferRequested = "requested"
	TransferRefused   = "refused" // the custodian would not even take it
	TransferAwaiting  = "awaiting_approval"
	TransferSigned    = "signed"
	TransferBroadcast = "broadcast"
	TransferConfirmed = "confirmed"
	TransferRejected  = "rejected"
	TransferFailed    = "failed"
	TransferRemoved   = "removed"
	TransferReplaced  = "replaced"
	TransferDead      = "dead"    // two people say that it can never confirm
	TransferRevived   = "revived" // it was dead, and confirmed beside another effect: a loss
)

// withoutEffect are the statuses of a transfer that ended without effect.
var withoutEffect = []string{TransferRefused, TransferRejected, TransferFailed, TransferDead}

// dead reports whether the transfer is known to have ended without effect, so
// that a person may ask for another.
func (w *Withdrawal) dead() bool { return slices.Contains(withoutEffect, w.Status) }

// Caps are what custody lets out, in whole dollars of locked base price: for
// one transfer, and for all transfers of a day.
type Caps struct{ Order, Day int64 }

// TransferJob is a transfer to be sent, looked up or followed.
type TransferJob struct {
	Done       bool // nothing is left to do here
	SentBefore bool // look up before sending
	Withdrawal Withdrawal
	At         time.Time // before anything was asked of the custodian; of StartTransfer
}

// StartTransfer is custody's own look at an order before it sends: the captured
// or received money must be in the ledger, the address on no list, the amount
// within the caps. It commits that the transfer is about to be sent: the
// current one while its outcome is open, else the next.
func (db *DB) StartTransfer(ctx context.Context, orderID string, caps Caps) (TransferJob, error) {
	var job TransferJob
	err := db.ChangeOrder(ctx, orderID, func(c *OrderChange) (err error) {
		if c.Order.Status != StatusFilled {
			job.Done = true
			return nil
		}
		job, err = startTransfer(c, caps)
		job.At = c.Now
		return err
	})
	return job, err
}

// sender is what coin is sent for: an order, or the redemption of a voucher, each
// under the lock of its row.
type sender interface {
	lastTransfer() (*Withdrawal, error)
	nextTransfer(last *Withdrawal) (Withdrawal, error)
	// unsendable says why custody does not send; "" when it does.
	unsendable(caps Caps) (string, error)
	attend(reason string) error
}

// startTransfer gives the transfer whose outcome is open, to be looked up, or else
// commits the next one, where custody lets it out.
func startTransfer(s sender, caps Caps) (TransferJob, error) {
	last, err := s.lastTransfer()
	if err != nil {
		return TransferJob{}, err
	}
	if last != nil && !last.dead() {
		return TransferJob{SentBefore: true, Withdrawal: *last}, nil
	}
	reason, err := s.unsendable(caps)
	if err != nil {
		return TransferJob{}, err
	}
	if reason != "" {
		return TransferJob{Done: true}, s.attend(reason)
	}
	next, err := s.nextTransfer(last)
	if err != nil {
		return TransferJob{}, err
	}
	return TransferJob{SentBefore: next.SendStartedAt.Before(next.CreatedAt), Withdrawal: next}, nil
}

// lastTransfer is the newest of the order, or nil.
func (c *OrderChange) lastTransfer() (*Withdrawal, error) {
	return c.tx.lastTransfer(c.ctx, "order_id = ?", c.Order.ID)
}

// lastTransfer reads the newest transfer of an order or of a redemption, or nil; whose is the column.
func (db *DB) lastTransfer(ctx context.Context, whose, id string) (*Withdrawal, error) {
	var rows []Withdrawal
	if err := db.orm(ctx).Where(whose, id).Order("generation DESC").Limit(1).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read transfers: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// receivedOf4 is what the ledger holds of an order $4's customer for it.
const receivedOf4 = `(SELECT coalesce(sum(CASE WHEN from_account = '` + AccountPrepaid + `' THEN amount ELSE -amount END), 0) FROM postings WHERE order_id = $4 AND currency = 'USD'
	AND '` + AccountPrepaid + `' IN (from_account, to_account) AND event IN ('captured', 'receipt_confirmed', 'receipt_allocated', 'paid_from_balance', 'receipt_reversed'))`

// unsendable says why custody does not send; "" when it does.
func (c *OrderChange) unsendable(caps Caps) (string, error) {
	h, err := c.hindrances()
	switch {
	case err != nil:
		return "", err
	case h.received.Cmp(c.Order.Total) < 0 && !c.Order.Refunded.IsZero(): // some of it was of others
		return AttentionRefundedThere, nil
	case h.received.Cmp(c.Order.Total) < 0:
		return "", Conflict("not_paid", "The ledger shows no payment for this order")
	}
	if reason, err := c.haltedBy(h); reason != "" || err != nil {
		return reason, err
	}
	return c.unlet(caps)
}

// unlet says why custody does not let the order's coin out: its address is on a list, or
// the caps are reached; "" when it does.
func (c *OrderChange) unlet(caps Caps) (string, error) {
	if err := c.tx.lockCaps(c.ctx); err != nil {
		return "", err
	}
	o := c.Order
	var kind *string
	var at *time.Time
	var today money.Units
	err := c.tx.row(c.ctx, `SELECT l.kind, l.added_at, (`+letOutOn1+`)
		FROM (VALUES (true)) AS one LEFT JOIN LATERAL (`+listQuery("$2", "$3")+`) l ON true`, c.Now.UTC().Format(time.DateOnly), o.Network, addressKey(o.Network, o.DestAddress)).
		Scan(&kind, &at, &today)
	if err != nil {
		return "", fmt.Errorf("read what custody let out: %w", err)
	}
	if blocked, err := c.blocked(text(kind), since(at)); blocked || err != nil {
		return AttentionBlocked, err
	}
	return caps.reached(today, o.BasePrice), nil
}

// letOutOn1 is what custody has let out on day $1, summed up already and since.
const letOutOn1 = `SELECT coalesce(sum(amount), 0) FROM (SELECT amount FROM tallies WHERE list = 'let out' AND owner = '` + everybody + `' AND facet = $1
	UNION ALL SELECT amount FROM tally_changes WHERE list = 'let out' AND facet = $1) t`

// lockCaps lets one transaction at a time count what custody lets out.
func (db *DB) lockCaps(ctx context.Context) error {
	if err := db.lockKey(ctx, "custody caps"); err != nil {
		return fmt.Errorf("lock custody caps: %w", err)
	}
	return nil
}

// beyondCaps says that so many cents more are not let out now; "" when they are.
func (db *DB) beyondCaps(ctx context.Context, now time.Time, worth money.Units, caps Caps) (string, error) {
	if err := db.lockCaps(ctx); err != nil {
		return "", err
	}
	var today money.Units
	if err := db.row(ctx, letOutOn1, now.UTC().Format(time.DateOnly)).Scan(&today); err != nil {
		return "", fmt.Errorf("read what custody let out: %w", err)
	}
	return caps.reached(today, worth), nil
}

// reached says that so many cents more, beside what was let out today, are not let out;
// "" when they are.
func (c Caps) reached(today, worth money.Units) string {
	perOrder, perDay := money.FromInt(c.Order*100), money.FromInt(c.Day*100)
	if worth.Cmp(perOrder) > 0 || today.Add(worth).Cmp(perDay) > 0 {
		return AttentionCaps
	}
	return ""
}

// nextTransfer is the one after last.
func (c *OrderChange) nextTransfer(last *Withdrawal) (Withdrawal, error) {
	o := c.Order
	since := maybeSince(c.Now, o.CreatedAt, o.RestoredAt)
	return c.tx.nextTransfer(c.ctx, c.Now, last, Withdrawal{OrderID: &o.ID, SendStartedAt: &since, UserID: o.UserID, Asset: o.Asset, Network: o.Network, Address: o.DestAddress,
		Amount: o.Amount, SequenceID: "ord-" + o.ID})
}

// nextTransfer writes the transfer that is about to be sent. Its sequence id
// begins as what it is for says, and ends with its generation; row says since
// when it may have been sent.
func (db *DB) nextTransfer(ctx context.Context, now time.Time, last *Withdrawal, row Withdrawal) (Withdrawal, error) {
	row.Generation = 1
	if last != nil {
		row.Generation = last.Generation + 1
	}
	row.ID, row.Status, row.CreatedAt, row.UpdatedAt = NewID(), TransferRequested, now, now
	row.SequenceID = fmt.Sprintf("%s-send-%d", row.SequenceID, row.Generation)
	if err := db.laterORM(ctx, write{table: "withdrawals"}, func(orm *gorm.DB) *gorm.DB { return orm.Create(&row) }); err != nil {
		return Withdrawal{}, fmt.Errorf("store transfer: %w", err)
	}
	return row, nil
}

// MaySend reports whether a transfer whose first send left no trace may be sent
// again under its identity: not when the money has gone meanwhile, or somebody
// has paused it. The order waits then.
func (db *DB) MaySend(ctx context.Context, orderID string) (may bool, err error) {
	err = db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		reason, err := c.halted()
		if may = reason == "" && err == nil; may || err != nil {
			return err
		}
		return c.attend(reason)
	})
	return may, err
}

// CurrentTransfer reads the transfer that is under way, to follow it. There is
// none any more once the order is over: an attempt that died after it wrote the
// end leaves nothing to wait for.
func (db *DB) CurrentTransfer(ctx context.Context, orderID string) (TransferJob, error) {
	var rows []struct {
		Withdrawal `gorm:"embedded"`
		Over       bool
	}
	err := db.orm(ctx).Raw(`SELECT w.*, o.closed_at IS NOT NULL AS over FROM withdrawals w JOIN orders o ON o.id = w.order_id
		WHERE w.order_id = ? ORDER BY w.generation DESC LIMIT 1`, orderID).Scan(&rows).Error
	if err != nil {
		return TransferJob{}, fmt.Errorf("read transfer: %w", err)
	}
	if len(rows) == 0 || rows[0].Over || rows[0].dead() {
		return TransferJob{Done: true}, nil
	}
	return TransferJob{SentBefore: true, Withdrawal: rows[0].Withdrawal}, nil
}

// TransferRefused notes that the custodian definitely would not take the
// transfer: nothing was sent, so its sequence id is free to be given up.
func (db *DB) TransferRefused(ctx context.Context, orderID string, generation int) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		return c.tx.orm(ctx).Exec(`UPDATE withdrawals SET status = ?, updated_at = ? WHERE order_id = ? AND generation = ? AND status = ?`,
			TransferRefused, c.Now, orderID, generation, TransferRequested).Error
	})
}

// noOpenTransfer refuses while coin may have been sent, or may still be.
func (c *OrderChange) noOpenTransfer() error {
	last, err := c.lastTransfer()
	if err != nil {
		return err
	}
	if last != nil && !last.dead() {
		return Conflict("transfer_open", "A transfer for this order may still be sent. Retry first to check.")
	}
	return nil
}

// MarkSent books an order as sent by other means, on a person's evidence.
func (db *DB) MarkSent(ctx context.Context, orderID, decisionID string) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		decision, err := c.coinDecision(decisionID, DecisionMarkSent)
		if err != nil {
			return err
		}
		var evidence SentEvidence
		if err := json.Unmarshal(decision.Data, &evidence); err != nil || evidence.TxID == "" {
			return Conflict("evidence_missing", "Enter a transaction ID as evidence")
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
		return c.settle(decisionID, DecisionDone)
	})
}

// transferNamed is the transfer that evidence is about: the one that may still
// happen, which the evidence has to name by custody's id, so that its coin is booked
// once whatever becomes of it; nil where the last one is known to be dead.
func (c *OrderChange) transferNamed(e SentEvidence) (*Withdrawal, error) {
	last, err := c.lastTransfer()
	if err != nil {
		return nil, err
	}
	if last == nil || last.dead() {
		return c.deadNamed(e)
	}
	if e.TransferID == "" {
		return nil, Conflict("transfer_open", "A transfer for this order may still be sent. Retry to check. If custody shows that it was sent, enter custody's transfer ID too.")
	}
	var others bool
	err = c.tx.row(c.ctx, "SELECT EXISTS (SELECT FROM withdrawals WHERE transfer_id = $1 AND id <> $2)", e.TransferID, last.ID).Scan(&others)
	if err != nil {
		return nil, fmt.Errorf("look for custody's transfer: %w", err)
	}
	if others || last.TransferID != nil && *last.TransferID != e.TransferID {
		return nil, Conflict("transfer_other", "This custody transfer belongs to another order")
	}
	return last, nil
}

// deadNamed is the transfer that was declared dead and that evidence names: its coin
// left after all, and is booked as its own. It is nil where there is none.
func (c *OrderChange) deadNamed(e SentEvidence) (*Withdrawal, error) {
	var rows []Withdrawal
	err := c.tx.orm(c.ctx).Where("order_id = ? AND status = ? AND (txid = ? OR transfer_id = ?)", c.Order.ID, TransferDead, e.TxID, e.TransferID).Limit(1).Find(&rows).Error
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
// means.
func (c *OrderChange) sendAsMarked(w *Withdrawal, e SentEvidence) error {
	if w == nil {
		return c.send("marked", e.TxID, money.Units{}, "")
	}
	w.TxID, w.Status, w.UpdatedAt = &e.TxID, TransferConfirmed, c.Now
	if e.TransferID != "" {
		w.TransferID = &e.TransferID
	}
	if err := c.Save(w); err != nil {
		return err
	}
	c.Order.BitgoTransferID = w.TransferID
	return c.send(w.sending(), e.TxID, w.Fee, w.feeCurrency())
}
