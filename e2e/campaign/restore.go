package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// A backup that is put back while orders move: the database forgets what was done
// since, and the providers do not. What has no row any more is lost: the campaign
// notes it when nothing writes any more, and holds what became of its money and its
// coin against it in the end (checkLost).

// LostOrder is an order that was made after the backup.
type LostOrder struct{ ID, Method string }

// LostRedemption is a voucher's redemption that was made after the backup.
type LostRedemption struct{ ID, VoucherID string }

// LostSend is where coin of something lost may have gone.
type LostSend struct{ Owner, Address, ApprovalID string }

// Lost is what the database has forgotten.
type Lost struct {
	Orders      []LostOrder
	Redemptions []LostRedemption
	Sends       []LostSend
	Purchases   []PurchaseOwner
}

// PurchaseOwner is an order at the exchange, and the record that requested it.
type PurchaseOwner struct{ ClientID, Owner string }

// readLasting reads what a restore may lose.
func (t *cluster) readLasting(ctx context.Context) (all Lost, err error) {
	err = persist(ctx, func(ctx context.Context) error {
		all = Lost{}
		return pgx.BeginFunc(ctx, t.database, func(tx pgx.Tx) error {
			for _, ask := range []question{
				read(&all.Orders, `SELECT id::text, payment_method AS method FROM orders`),
				read(&all.Redemptions, `SELECT id::text, voucher_id::text FROM voucher_redemptions`),
				read(&all.Sends, `SELECT id::text AS owner, dest_address AS address, '' AS approval_id FROM orders
					UNION ALL SELECT id::text, dest_address, '' FROM voucher_redemptions
					UNION ALL SELECT coalesce(order_id, redemption_id)::text, address, coalesce(approval_id, '') FROM withdrawals`),
				read(&all.Purchases, `SELECT client_id::text, coalesce(order_id, redemption_id)::text AS owner FROM exchange_orders`),
			} {
				if err := ask(ctx, tx); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return all, err
}

// without is what is not there any more.
func (l Lost) without(after Lost) (lost Lost) {
	lost.Orders = missing(l.Orders, after.Orders, func(o LostOrder) string { return o.ID })
	lost.Redemptions = missing(l.Redemptions, after.Redemptions, func(r LostRedemption) string { return r.ID })
	lost.Purchases = missing(l.Purchases, after.Purchases, func(p PurchaseOwner) string { return p.ClientID })
	for _, s := range l.Sends {
		if lost.owns(s.Owner) {
			lost.Sends = append(lost.Sends, s)
		}
	}
	return lost
}

func missing[T any](before, after []T, name func(T) string) (gone []T) {
	there := map[string]bool{}
	for _, one := range after {
		there[name(one)] = true
	}
	for _, one := range before {
		if !there[name(one)] {
			gone = append(gone, one)
		}
	}
	return gone
}

// owns says that an order or a redemption is lost.
func (l Lost) owns(id string) bool {
	return l.order(id) || slices.ContainsFunc(l.Redemptions, func(r LostRedemption) bool { return r.ID == id })
}

func (l Lost) order(id string) bool {
	return slices.ContainsFunc(l.Orders, func(o LostOrder) bool { return o.ID == id })
}

// sentTo returns whose coin is sent to an address.
func (l Lost) sentTo(address string) (owner string, ours bool) {
	i := slices.IndexFunc(l.Sends, func(s LostSend) bool { return s.Address == address })
	if i < 0 {
		return "", false
	}
	return l.Sends[i].Owner, true
}

func (l *Lost) add(other Lost) {
	l.Orders, l.Redemptions = append(l.Orders, other.Orders...), append(l.Redemptions, other.Redemptions...)
	l.Sends, l.Purchases = append(l.Sends, other.Sends...), append(l.Purchases, other.Purchases...)
}

// isLost says that an order's row is gone with what a backup did not have.
func (t *cluster) isLost(order string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost.order(order)
}

func (t *cluster) whatIsLost() Lost {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// forgotten is a span of time whose records the database may have lost.
type forgotten struct{ from, to time.Time }

// forgets says that what was answered at a moment may be gone since.
func (t *cluster) forgets(at time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.gaps, func(g forgotten) bool {
		return at.After(g.from.Add(-callTime)) && at.Before(g.to)
	})
}

// callTime is the timeout of an answer.
const callTime = 30 * time.Second

// calm waits while staff resolve what a restore has left: they do nothing else meanwhile.
func (t *cluster) calm(ctx context.Context) {
	t.mu.Lock()
	busy := t.settling
	t.mu.Unlock()
	if busy == nil {
		return
	}
	select {
	case <-busy:
	case <-ctx.Done():
	}
}

// settles has staff do nothing else until it is cancelled.
func (t *cluster) settles() (over func()) {
	busy := make(chan struct{})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settling = busy
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.settling = nil
		close(busy)
	}
}

// restoreTime is the timeout of a restore. It is not cut off when the time for orders is over: half a database is
// useless.
const restoreTime = 10 * time.Minute

// putBack takes a backup while orders move, and puts it back after some seconds, as
// docs/operations.md has it.
func (c *campaign) putBack(ctx context.Context, what string, n int) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), restoreTime)
	defer stop()
	saved := filepath.Join(c.stack.DataDir(), fmt.Sprintf("backup-%d", n))
	approved := c.approvedBefore(ctx, n)
	gap := forgotten{from: time.Now()}
	if err := c.stack.BackUp(ctx, saved); err != nil {
		return err
	}
	c.paidSince(ctx, approved)
	if err := pause(ctx, time.Duration(6+n%3*4)*time.Second); err != nil {
		return err
	}
	defer c.settles()()
	if err := c.goBack(ctx, saved, strings.Contains(what, "Temporal")); err != nil {
		return err
	}
	gap.to = time.Now()
	c.cluster.mu.Lock()
	c.gaps = append(c.gaps, gap)
	c.cluster.mu.Unlock()
	if err := c.startAgain(ctx); err != nil {
		return err
	}
	c.undoAgain(gap.from)
	c.leaveAgain(ctx)
	return nil
}

// approvedBefore has a new customer's payout approved before a backup; nil if that failed.
func (c *campaign) approvedBefore(ctx context.Context, n int) *scenarioRun {
	before := scenario{kind: "restore", verified: true, actions: append(soldCard("restored"), approvedPayout()...)}
	v, done := c.play(ctx, before, c.plan.Seed<<8+uint64(n))
	if !done {
		c.note("restore", "no payout was approved before the backup")
		return nil
	}
	c.note("restore", "the approved payout %s was not found as restored", v.known["payout"])
	return v
}

// paidSince has the bank make the transfer after the backup: the database forgets that it was confirmed.
func (c *campaign) paidSince(ctx context.Context, v *scenarioRun) {
	if v == nil {
		return
	}
	c.cluster.mu.Lock()
	c.paidPayouts = append(c.paidPayouts, v.known["payout"])
	c.cluster.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, callTime)
	defer stop()
	if v.retry(ctx, secondAdmin(atPayout+"reveal", "")) == nil {
		v.retry(ctx, paidPayout) // made at the bank, whether or not it is recorded
	}
}

// wasPaid reports whether the bank made a payout's transfer after a backup.
func (t *cluster) wasPaid(payout string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.paidPayouts, payout)
}

// restoreStrike puts a backup back, and says when that missed.
func (c *campaign) restoreStrike(ctx context.Context, s Strike, n int) {
	if err := c.putBack(ctx, s.What, n); err != nil {
		c.say("strike %s %s: %v", s.Kind, s.What, err)
		c.count("strikes that missed")
		c.note(s.Kind, "%v", err)
		return
	}
	c.count("strikes restore " + s.What)
}

// outer are the parts that use the database.
var outer = []string{"api", "core", "payments", "exchange", "custody", "identity", "temporal"}

// goBack ends everything that writes, notes what there is, puts the backup in its
// place and notes what is lost.
func (c *campaign) goBack(ctx context.Context, saved string, emptied bool) error {
	if err := eachPart(outer, c.stack.Down); err != nil {
		return err
	}
	before, err := c.readLasting(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(c.stack.Down("postgres"), c.stack.PutBack(saved), c.stack.Up(ctx, "postgres"), c.stack.NoteRestored(ctx)); err != nil {
		return err
	}
	after, err := c.readLasting(ctx)
	if err != nil {
		return err
	}
	lost := before.without(after)
	c.cluster.mu.Lock()
	c.cluster.lost.add(lost)
	c.cluster.mu.Unlock()
	c.say("a backup is back: %d orders, %d redemptions and %d purchases are lost", len(lost.Orders), len(lost.Redemptions), len(lost.Purchases))
	for range lost.Orders {
		c.count("orders lost with a backup")
	}
	if emptied {
		folder := filepath.Join(c.stack.DataDir(), "temporal")
		err = errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700))
	}
	return errors.Join(err, os.RemoveAll(saved))
}

func eachPart(names []string, do func(string) error) error {
	var all sync.WaitGroup
	failed := make([]error, len(names))
	for i, name := range names {
		all.Go(func() { failed[i] = do(name) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// startAgain starts the site with deliveries off, and the rest; waits for one reconciliation, resolves what is lost,
// and turns deliveries on.
func (c *campaign) startAgain(ctx context.Context) error {
	for _, part := range []string{"temporal", "identity", "api"} {
		if err := c.stack.Up(ctx, part); err != nil {
			return err
		}
	}
	c.deliveries(ctx, false)
	defer c.deliveries(ctx, true)
	if err := eachPart(outer[1:5], func(name string) error { return c.stack.Up(ctx, name) }); err != nil {
		return err
	}
	began, err := c.clock(ctx)
	if err == nil {
		err = persist(ctx, func(ctx context.Context) error { return c.readAnew(ctx, began) })
	}
	return errors.Join(err, c.settleLost(ctx), c.readBank(ctx))
}

// readBank has staff state what the bank's statement since the backup shows of each payout in progress.
func (t *cluster) readBank(ctx context.Context) error {
	return persist(ctx, func(ctx context.Context) error {
		got := t.staff[0].call(ctx, http.MethodGet, "/api/admin/payouts?limit=100", "", nil)
		if got.status == http.StatusUnauthorized {
			return errors.Join(t.staff[0].signIn(ctx), errors.New("signed out"))
		}
		var rows []struct {
			ID       string
			Restored bool
		}
		if err := got.read(&rows); err != nil {
			return fmt.Errorf("read the payouts: %w", err)
		}
		for _, p := range rows {
			path, body := "/api/admin/payouts/"+p.ID+"/reveal", map[string]string{"statement": notSent}
			if p.Restored && t.wasPaid(p.ID) {
				if !t.orders(ctx, "/api/admin/payouts/"+p.ID+"/confirm", map[string]string{"reference": "bank " + p.ID}).done() {
					return fmt.Errorf("the paid payout %s is not booked", p.ID)
				}
				t.count("payouts of a backup booked as paid")
				continue
			}
			if p.Restored && t.orders(ctx, path, body).done() {
				t.count("payouts of a backup checked")
			}
		}
		return nil
	})
}

// notSent is what the bank's statement shows after a restore: the campaign's bank sends nothing on its own.
const notSent = "the statement since the backup shows no transfer"

// deliveries turns all deliveries on or off, as an operator does around a restore.
func (c *campaign) deliveries(ctx context.Context, on bool) {
	_ = persist(ctx, func(ctx context.Context) error {
		got := c.orders(ctx, "/api/admin/switches", map[string]any{"kind": "fulfilment", "name": "", "paused": !on, "reason": "a backup was put back"})
		if !got.asBefore() && got.code != "paused_already" {
			return fmt.Errorf("deliveries are not turned: %d %s", got.status, got.code)
		}
		return nil
	})
}

// orders has staff do something while they do nothing else.
func (t *cluster) orders(ctx context.Context, path string, body any) (got answer) {
	_ = persist(ctx, func(ctx context.Context) error {
		got = t.staff[0].call(ctx, http.MethodPost, path, "", body)
		if got.status == http.StatusUnauthorized || strings.Contains(got.code, "csrf") {
			return errors.Join(t.staff[0].signIn(ctx), errors.New("signed out"))
		}
		if got.unknown() {
			return fmt.Errorf("no answer of %s", path)
		}
		return nil
	})
	return got
}

// settleLost refunds at Stripe the money of lost orders without coin, and has vouchers voided whose coin has left
// already. Their bookings follow (resolveBreaks).
func (t *cluster) settleLost(ctx context.Context) error {
	lost := t.whatIsLost()
	if len(lost.Orders)+len(lost.Redemptions) == 0 {
		return nil
	}
	return persist(ctx, func(ctx context.Context) error {
		for _, s := range lost.Sends {
			if s.ApprovalID != "" { // refused, where it was not approved before
				_ = t.control(ctx, http.MethodPost, "/control/bitgo/approvals/"+s.ApprovalID, map[string]string{"state": "rejected"}, nil)
			}
		}
		f := &Facts{}
		if err := errors.Join(t.readCustody(ctx, f), t.readStripe(ctx, f)); err != nil {
			return err
		}
		got := map[string]bool{}
		for _, transfer := range f.Transfers {
			if owner, ours := lost.sentTo(transfer.Address); ours && transfer.alive() {
				got[owner] = true
			}
		}
		for _, r := range lost.Redemptions {
			if got[r.ID] {
				t.orders(ctx, "/api/admin/vouchers/"+r.VoucherID+"/void", map[string]string{"reason": "its coin left before the backup was put back"})
			}
		}
		for _, i := range f.Intents {
			if !lost.order(i.OrderID) {
				continue
			}
			if err := t.giveBackLost(ctx, i, got[i.OrderID]); err != nil {
				return err
			}
		}
		return nil
	})
}

// giveBackLost releases a lost order's hold, and refunds its money unless it got its coin.
func (t *cluster) giveBackLost(ctx context.Context, i IntentFact, sent bool) error {
	left := i.Received - i.Refunded - i.Withdrawn + i.Reinstated
	switch {
	case i.Status == "requires_capture":
		t.count("holds of lost orders released")
		return t.stripe(ctx, http.MethodPost, "/v1/payment_intents/"+i.ID+"/cancel", &stripeIntent{})
	case i.Status != "succeeded" || sent || left <= 0 || i.Withdrawn > i.Reinstated:
		return nil
	}
	t.count("payments of lost orders given back")
	return t.control(ctx, http.MethodPost, "/control/stripe/refund", map[string]string{"charge": i.Charge, "amount": fmt.Sprint(left)}, nil)
}

// undoAgain marks again what was undone since a time: the database may have lost it.
func (t *cluster) undoAgain(since time.Time) {
	t.mu.Lock()
	again := slices.DeleteFunc(slices.Clone(t.undos), func(u undone) bool { return u.at.Before(since.Add(-callTime)) })
	t.mu.Unlock()
	for _, u := range again {
		n := t.owe(u.undo)
		t.asides.Go(func() {
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			t.takeBackSoon(ctx, n)
		})
	}
}

// takeBackSoon tries to take something back until it is, or the time is over.
func (t *cluster) takeBackSoon(ctx context.Context, n int) {
	for !t.takeBack(ctx, n) && pause(ctx, 2*time.Second) == nil {
	}
}

// leaveAgain has those customers cancel and close their account again whose money comes when it is closed: the site may
// have lost the closure.
func (c *campaign) leaveAgain(ctx context.Context) {
	c.mu.Lock()
	leavers := slices.Clone(c.leavers)
	c.mu.Unlock()
	for _, l := range leavers {
		if l.id == "" || c.isLost(l.id) {
			continue
		}
		leave := func(ctx context.Context) error {
			l.customer.post(ctx, "/api/orders/"+l.id+"/cancel", "", nil)
			if got := l.customer.post(ctx, "/api/account/closure", "", map[string]string{}); !got.done() && got.code != "already_closing" {
				return fmt.Errorf("the account is not closed: %d %s", got.status, got.code)
			}
			return nil
		}
		c.asides.Go(func() {
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			defer stop()
			_ = persist(ctx, leave) // who had closed it before the backup is refused
		})
	}
}
