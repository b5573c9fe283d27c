package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// receipt is money of an order on the bank account, as staff see it.
type receipt struct {
	ID, Amount, BankReference string
	Reversed                  bool
}

// moneyReturn is money that left an order again.
type moneyReturn struct{ ID, ReinstatedAt string }

// sendsEvidence uploads a picture of the transfer, as its page requests.
func (l *life) sendsEvidence(ctx context.Context) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("kind", "receipt") // a write to a buffer does not fail
	picture := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="receipt.png"`}, "Content-Type": {"image/png"}}
	if part, err := w.CreatePart(picture); err == nil {
		_ = png.Encode(part, cardPicture(generator(uint64(l.plan.N), 9)))
	}
	_ = w.Close()
	key := fmt.Sprintf("evidence-%d", l.plan.N)
	if got := l.customer.send(ctx, "/api/orders/"+l.id+"/evidence", key, w.FormDataContentType(), form.Bytes()); got.done() {
		l.cluster.count("receipts pictured")
	}
}

// proposeMoney has one of staff propose an act about money and another approve it,
// or reject it once where the plan has that.
func (l *life) proposeMoney(ctx context.Context, by *browser, path string, body map[string]any) answer {
	body["reason"] = "as the campaign has it"
	got := l.press(ctx, by, "/api/admin/money/"+path, body)
	var made struct{ ID string }
	if got.read(&made) != nil {
		return got
	}
	verdict := "approve"
	if l.plan.Second == "reject" && l.once("rejected money") {
		verdict = "reject"
	}
	l.cluster.count("money " + verdict)
	return l.press(ctx, l.other, "/api/admin/money/proposals/"+made.ID+"/"+verdict, map[string]string{"reason": "as the campaign has it"})
}

// places has the price arrive as money without an owner, which staff then assign to the order.
func (l *life) places(ctx context.Context, v *view) {
	day, err := l.cluster.today(ctx)
	if err != nil {
		return
	}
	var opened struct{ ID string }
	reference := fmt.Sprintf("U-%s-%d", v.Reference, l.did["opened"])
	got := l.press(ctx, l.cashier, "/api/admin/money/unplaced", map[string]string{"amount": v.QuoteFiat, "bankReference": reference, "receivedOn": day, "rail": l.plan.Method, "sender": "unreadable"})
	if got.read(&opened) != nil {
		return
	}
	l.did["opened"]++
	l.cluster.count("receipts unplaced")
	body := map[string]any{"order": v.Reference, "statement": notSent}
	l.proposeMoney(ctx, l.cashier, "unplaced/"+opened.ID+"/place", body)
}

// lastReceipt is the newest receipt that still counts.
func (v *view) lastReceipt() *receipt {
	for i := len(v.Receipts) - 1; i >= 0; i-- {
		if !v.Receipts[i].Reversed {
			return &v.Receipts[i]
		}
	}
	return nil
}

// bankReturns has the bank reverse the last receipt, whatever its rail.
func (l *life) bankReturns(ctx context.Context, v *view) {
	r := v.lastReceipt()
	day, err := l.cluster.today(ctx)
	if r == nil || err != nil {
		return
	}
	l.did["returns"]++
	l.cluster.count("receipts returned")
	l.proposeMoney(ctx, l.staff, "receipts/"+r.ID+"/return", map[string]any{"amount": r.Amount, "bankReference": fmt.Sprintf("R-%s-%d", v.Reference, l.did["returns"]), "returnedOn": day, "code": "R01"})
}

// bankReinstates has the bank return what it reversed.
func (l *life) bankReinstates(ctx context.Context, v *view) {
	day, err := l.cluster.today(ctx)
	if err != nil {
		return
	}
	for _, r := range v.Returns {
		if r.ReinstatedAt == "" {
			l.cluster.count("receipts reinstated")
			l.proposeMoney(ctx, l.staff, "returns/"+r.ID+"/reinstate", map[string]any{"bankReference": "I-" + r.ID, "reinstatedOn": day})
			return
		}
	}
}

// reverses takes the last receipt off the order: it was another one's.
func (l *life) reverses(ctx context.Context, v *view) {
	if r := v.lastReceipt(); r != nil {
		l.cluster.count("receipts reversed")
		l.proposeMoney(ctx, l.staff, "receipts/"+r.ID+"/reverse", map[string]any{"kept": true})
	}
}

// moneyCase is unplaced money, a proposal about money, or a credit of a closed account.
type moneyCase struct {
	ID, UserID, FromOrderID, Amount, BankReference string
	Actions                                        []string
}

// workMoney works the queues of money that takes two people: each case gets a way
// out, and each open proposal an answer.
func (c *campaign) workMoney(ctx context.Context) {
	day, err := c.today(ctx)
	if err != nil {
		return
	}
	for _, u := range c.cases(ctx, c.staff[0], "/api/admin/money/unplaced", "send_back") {
		if strings.HasPrefix(u.BankReference, ofScenario) {
			continue
		}
		path, body := "/send-back", map[string]string{"bankReference": "SB-" + u.ID, "sentOn": day, "reason": "its sender asks for it"}
		credits := slices.Contains(u.Actions, "credit") // not a surplus
		if customer := c.customerOf(u.FromOrderID); credits && customer != "" && u.ID[0]%2 == 0 {
			path = "/credit"
			body = map[string]string{"customer": customer, "reason": "it is theirs", "statement": notSent}
		}
		c.staff[0].post(ctx, "/api/admin/money/unplaced/"+u.ID+path, "", body)
	}
	for _, who := range c.staff[1:] {
		for _, p := range c.cases(ctx, who, "/api/admin/money/proposals", "approve") {
			who.post(ctx, "/api/admin/money/proposals/"+p.ID+"/approve", "", map[string]string{"reason": "as the campaign has it"})
		}
	}
	for _, who := range c.staff[:2] { // above a day's sum two have to
		for _, s := range c.cases(ctx, who, "/api/admin/closed-credits", "pay_back") {
			said := who.seen(ctx, s.ID, map[string]string{"reference": "CB-" + s.ID, "reason": "it is closed", "statement": notSent})
			if who.post(ctx, "/api/admin/closed-credits/"+s.ID+"/pay-back", "", said).done() {
				c.count("credits of closed accounts paid back")
			}
		}
	}
}

// customerOf is the customer of one of the campaign's orders.
func (c *campaign) customerOf(order string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lives {
		if l.id == order && order != "" {
			return l.customer.mail
		}
	}
	return ""
}

// cases lists those with an act for staff.
func (t *cluster) cases(ctx context.Context, who *browser, path, action string) []moneyCase {
	return slices.DeleteFunc(t.allCases(ctx, who, path, action), func(m moneyCase) bool { return t.keptFromQueues(m.UserID) })
}

// allCases are cases, with those that scenarios decide.
func (t *cluster) allCases(ctx context.Context, who *browser, path, action string) []moneyCase {
	var rows []moneyCase
	got := who.call(ctx, http.MethodGet, path, "", nil)
	if got.status == http.StatusUnauthorized {
		_ = who.signIn(ctx) // the next attempt is signed in
	}
	if !got.done() || got.read(&rows) != nil {
		return nil
	}
	return slices.DeleteFunc(rows, func(m moneyCase) bool { return !slices.Contains(m.Actions, action) })
}

// journal moves a dollar between accounts of our own: one proposes it with a
// document, another approves.
func (c *campaign) journal(ctx context.Context, seed uint64) bool {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	picture := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="letter.png"`}, "Content-Type": {"image/png"}}
	if part, err := w.CreatePart(picture); err == nil {
		_ = png.Encode(part, cardPicture(generator(seed, 8)))
	}
	_ = w.Close()
	var kept, made struct{ ID string }
	got := insist(ctx, func() answer {
		return c.staff[0].send(ctx, "/api/admin/money/documents", fmt.Sprintf("document-%d", seed), w.FormDataContentType(), form.Bytes())
	})
	if got.read(&kept) != nil {
		return false
	}
	lines := []map[string]string{{"from": "equity", "to": "bank_clearing", "currency": "USD", "amount": "1.00"}}
	body := map[string]any{"lines": lines, "documentId": kept.ID, "reason": "interest of the bank"}
	return c.staff[0].post(ctx, "/api/admin/money/journal", "", body).read(&made) == nil // a second admin finds it in the queue
}

// leavesWithMoney signs a customer up who orders by wire, cancels, and closes the account; the money comes when it is
// closed (lateMoney).
func (c *campaign) leavesWithMoney(ctx context.Context, seed uint64, n int) bool {
	ctx, stop := context.WithTimeout(ctx, guestTime)
	defer stop()
	leaver := newBrowser(c.cluster, fmt.Sprintf("leaver-%d@example.com", seed), newPassword)
	if leaver.signUp(ctx) != nil || leaver.passKYC(ctx) != nil {
		return false
	}
	c.joins(leaver)
	l := c.guestOrder(leaver, n, "domestic_wire")
	c.mu.Lock()
	c.leavers = append(c.leavers, l)
	c.mu.Unlock()
	if l.buy(ctx) != nil {
		return false
	}
	insist(ctx, func() answer { return leaver.post(ctx, "/api/orders/"+l.id+"/cancel", "", nil) })
	asked := persist(ctx, func(ctx context.Context) error { // until the order is over
		if got := leaver.post(ctx, "/api/account/closure", "", map[string]string{}); !got.done() {
			return fmt.Errorf("the account is not closed: %d %s", got.status, got.code)
		}
		return nil
	})
	return asked == nil
}

// guestOrder is an order without faults by an additional customer.
func (c *campaign) guestOrder(who *browser, n int, method string) *life {
	r := generator(c.plan.Seed, guestStream+n)
	p := OrderPlan{N: guestStream + n, Asset: "USDC", Network: "ethereum", Method: method, Clicks: "once", Decide: "process", Fulfil: "fulfill", Approve: "approved", Second: "approve"}
	p.Amount, p.Address, p.Amended = amount(r, p.Asset, n), newAddress(r, p.Network), newAddress(r, p.Network)
	if method == "card" {
		p.Cards = []string{"good"}
	}
	l := newLife(c.cluster, p)
	l.customer = who
	return l
}

// guestStream numbers orders of people who came besides.
const guestStream = 5_000_000

// choiceTime is longer than a customer has to say what becomes of late money, and with
// the days before it longer than a recovery waits for its approval.
const choiceTime = 9 * 24 * time.Hour

// lateMoney has the wires of those arrive whose accounts are closed by now, and lets the days pass in which their
// owners do not choose.
func (c *campaign) lateMoney(ctx context.Context) error {
	for _, l := range c.leavers {
		if l.id == "" || c.isLost(l.id) {
			continue
		}
		err := persist(ctx, func(ctx context.Context) error {
			var v view
			if err := l.staff.get(ctx, "/api/admin/orders/"+l.id, &v); err != nil {
				return err
			}
			if v.waitsFor() == "money_late" {
				return nil
			}
			got := l.receive(ctx, &v, "late", 100)
			return fmt.Errorf("a late wire is not booked yet: %d %s", got.status, got.code)
		})
		if err != nil {
			return err
		}
	}
	if err := c.forward(ctx, choiceTime); err != nil {
		return err
	}
	c.untilDue(ctx)
	const open = `SELECT (SELECT count(*) FROM orders o JOIN users u ON u.id = o.user_id WHERE u.closed_at IS NOT NULL AND o.closed_at IS NULL)
		+ (SELECT count(*) FROM stranded_credits WHERE paid_at IS NULL AND taken_at IS NULL)`
	return persist(ctx, func(ctx context.Context) error {
		var n int
		err := c.database.QueryRow(ctx, open).Scan(&n)
		if err == nil && n > 0 {
			err = fmt.Errorf("%d things of closed accounts are open", n)
		}
		return err
	})
}

// receiptsLeft is what is left at the bank of an order's receipts, without a surplus that returns to its sender.
func (x *index) receiptsLeft(order string) money.Units {
	left := x.receipts[order].Sub(x.leftAsSurplus(order))
	for _, r := range x.returns[order] {
		if !r.Reinstated {
			left = left.Sub(r.Amount)
		}
	}
	return left
}

// paidBack is what of an order was sent back to the customer of a closed account.
func (x *index) paidBack(order string) (sum money.Units) {
	for _, s := range x.Stranded {
		if deref(s.OrderID) == order && s.Paid {
			sum = sum.Add(s.Amount)
		}
	}
	return sum
}
