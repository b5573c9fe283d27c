package e2e

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// scenario is one path of an order, from its price to its end. The kill matrix reads its steps from a clean run of
// each; a new path for orders is added here, and the process is killed in each of its steps.
type scenario struct {
	name    string
	asset   string
	amount  string
	method  string
	problem []fault // armed for this order only; %order, %address, %amount are its own
	drive   func(b *buyer) []func(context.Context) error
	effects map[string]int
	// orElse is the scenario as which an order may end as well, when the kill replaced the fault: a refusal whose
	// answer was lost with its reader is not recorded, and the repeated call then succeeds.
	orElse string
	fee    bool // the order leaves a fee at the card processor
}

// otherwise names the scenario that is as good an end.
func (s scenario) otherwise(name string) scenario {
	s.orElse = name
	return s
}

func cardScenario(name string, effects map[string]int, problem []fault, drive func(b *buyer) []func(context.Context) error) scenario {
	return scenario{name: name, asset: "BTC", amount: "0.001", method: "card", problem: problem, drive: drive, effects: effects}
}

func wireScenario(name string, effects map[string]int, drive func(b *buyer) []func(context.Context) error) scenario {
	return scenario{name: name, asset: "USDC", amount: "60.", method: "domestic_wire", drive: drive, effects: effects}
}

// What the providers count for an order that ended in these ways.
var (
	cardSent     = map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1}
	wireSent     = map[string]int{"kraken/fill": 1, "bitgo/send": 1}
	cardRefunded = map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}
	cardReleased = map[string]int{"stripe/authorise": 1, "stripe/cancel": 1}
)

// scenarios are all the ways.
var scenarios = slices.Concat(orderScenarios, moneyScenarios)

var orderScenarios = []scenario{
	cardScenario("card", cardSent, nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.fulfil, b.arrives}
	}),
	wireScenario("wire", wireSent, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.sendReceipt, b.confirm, b.fulfil, b.arrives}
	}),
	wireScenario("receipt by two", wireSent, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.proposesReceipt, b.receiptAgreed, b.fulfil, b.arrives}
	}),
	cardScenario("refund", cardRefunded, nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.presses("refund", reason("changed mind"), resolved("refunded"))}
	}),
	{name: "refund by two", asset: "USDC", amount: "2000.", method: "card", effects: cardRefunded, drive: func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.proposesAndWithdraws, b.proposesAgain, b.agrees}
	}},
	wireScenario("refund to the balance", map[string]int{}, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.confirm, b.presses("refund", reason("changed mind"), resolved("refunded"))}
	}),
	cardScenario("cancel", map[string]int{}, nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.hasPage, b.cancel}
	}),
	cardScenario("decline", cardReleased, nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.presses("payment reject", reason("name differs"), resolved("declined"))}
	}),
	wireScenario("reject", map[string]int{}, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.presses("payment reject", reason("never came"), resolved("declined"))}
	}),
	cardScenario("expired card", map[string]int{}, nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.hasPage, b.late, b.waitsFor("the end", resolved("expired"))}
	}),
	wireScenario("expired wire", map[string]int{}, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.late, b.waitsFor("the end", resolved("expired"))}
	}),
	cardScenario("another card", cardSent, nil, func(b *buyer) []func(context.Context) error {
		declined := func(ctx context.Context) error { return b.pay(ctx, declinedCard, hasEvent("card_declined")) }
		return []func(context.Context) error{declined, b.authorise, b.process, b.fulfil, b.arrives}
	}),
	cardScenario("capture refused", cardSent, []fault{{Provider: "stripe", Operation: "capture", Match: "%order", Code: "decline:card_declined"}},
		func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.refusedCapture, b.process, b.fulfil, b.arrives}
		}),
	cardScenario("approval", cardSent, []fault{{Provider: "bitgo", Operation: "sendcoins", Match: "%address", Code: "approval"}},
		func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.process, b.fulfil, b.approves, b.arrives}
		}),
	cardScenario("purchase retried", cardSent, []fault{{Provider: "kraken", Operation: "AddOrder", Match: "%client", Code: "decline:EOrder:Insufficient funds"}},
		func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.process, b.fulfilOrFail, b.retriesIfFailed, b.arrives}
		}).otherwise("card"),
	cardScenario("on hold", cardSent, nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.presses("hold", reason("look again"), hasEvent("held")),
			b.presses("resume", reason(""), hasEvent("resumed")), b.fulfil, b.arrives}
	}),
	cardScenario("another address", cardSent, []fault{{Provider: "bitgo", Operation: "sendcoins", Match: "%address", Code: "insufficient"}},
		func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.process, b.fulfilOrFail, b.amendsIfFailed, b.arrives}
		}).otherwise("card"),
	cardScenario("address by its customer", cardSent, []fault{{Provider: "bitgo", Operation: "sendcoins", Match: "%address", Code: "decline:400:InvalidAddress"}},
		func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.process, b.fulfilOrRefused, b.renamesIfRefused, b.arrives}
		}).otherwise("card"),
	// Not in bitcoin: what it leaves in the stock would be bought for no voucher after it.
	{name: "dead transfer", asset: "ETH", amount: "0.03", method: "card", effects: and(cardRefunded, "kraken/fill", "bitgo/send"),
		problem: []fault{{Provider: "bitgo", Operation: "sendcoins", Match: "%address", Code: "removed:final"}},
		drive: func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.process, b.presses("fulfill", reason(""), attention("transfer_failed")), b.proposesDead, b.deadAgreed,
				b.presses("refund", reason("changed mind"), resolved("refunded"))}
		}},
	cardScenario("marked as sent", map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1},
		[]fault{{Provider: "bitgo", Operation: "sendcoins", Match: "%address", Code: "insufficient"}},
		func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.process, b.fulfilOrFail, b.marksIfFailed}
		}).otherwise("card"),
	// An effect at a provider whose answer was lost is looked up; a request that never reached it is sent again.
	cardScenario("answers lost", cardSent, lost("drop_after"), wholeWay),
	cardScenario("requests lost", cardSent, lost("drop_before"), wholeWay),
	cardScenario("page stored as failed", cardSent, []fault{{Provider: "stripe", Operation: "create_checkout", Match: "%order", Code: "500_stored"}}, wholeWay),
	cardScenario("capture stored as failed", cardSent, []fault{{Provider: "stripe", Operation: "capture", Match: "%order", Code: "500_stored"}}, wholeWay),
	cardScenario("release stored as failed", cardReleased, []fault{{Provider: "stripe", Operation: "cancel", Match: "%order", Code: "500_stored"}},
		func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.presses("payment reject", reason("name differs"), resolved("declined"))}
		}),
	cardScenario("refund stored as failed", cardRefunded, []fault{{Provider: "stripe", Operation: "refund", Match: "%order", Code: "500_stored"}},
		func(b *buyer) []func(context.Context) error {
			return []func(context.Context) error{b.authorise, b.process, b.presses("refund", reason("changed mind"), resolved("refunded"))}
		}),
	cardScenario("notice lost", cardSent, []fault{{Provider: "stripe", Operation: "charge.succeeded", Match: "%order", Code: "lost_hook"}}, wholeWay),
	cardScenario("hold that ends soon", cardSent, nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.endsSoon, b.process, b.fulfil, b.arrives}
	}),
}

// lost is the same loss at each call that moves money or makes a page for it.
func lost(code string) []fault {
	return []fault{
		{Provider: "stripe", Operation: "create_checkout", Match: "%order", Code: code},
		{Provider: "stripe", Operation: "capture", Match: "%order", Code: code},
		{Provider: "kraken", Operation: "AddOrder", Match: "%client", Code: code},
		{Provider: "bitgo", Operation: "sendcoins", Match: "%address", Code: code},
	}
}

// wholeWay is the way of a good card order.
func wholeWay(b *buyer) []func(context.Context) error {
	return []func(context.Context) error{b.authorise, b.process, b.fulfil, b.arrives}
}

// endsSoon moves the end of the card's hold near, until staff are notified.
func (b *buyer) endsSoon(ctx context.Context) error {
	return insist(ctx, "staff to be told that the hold ends", func() bool { return hasEvent("authorisation_expiring")(b.now(ctx)) }, func() {
		_, _ = database.Exec(ctx, "UPDATE payments SET capture_before = clock_now() + interval '2 hours' WHERE order_id = $1", b.id)
	})
}

// unkilled are exported methods of models that open a transaction on an order
// and are reached by no clean run, each with the reason.
var unkilled = map[string]string{
	"CaptureUnknown":     "a capture budget without an answer: minutes, even scaled; workflows/order_test.go",
	"RefundStuck":        "a refund's budget without an answer, likewise",
	"MaySend":            "the last look before a transfer is sent once more: it writes when the order is stopped meanwhile, and nothing otherwise; models/risk_test.go",
	"LearnRefund":        "changes something when a refund bounces or outlasted its order's workflow, which only the card's bank brings about, and writes nothing otherwise; models/refund_test.go, worker/refund_test.go",
	"RefundRefused":      "a refund that is definitely refused; worker/refund_test.go, and the fault table",
	"HoldExpired":        "a hold that ends while the capture is under way: only the bank's clock brings it about; worker/expiry_test.go",
	"GoOn":               "begins when a kill switch is turned back, which orders that are killed side by side would share; worker/switch_test.go",
	"ReleaseReview":      "one transaction of a person's, after which the order goes on as after any decision; models/risk_test.go",
	"KeepOrder":          "a choice about money that comes back to an order that waits, which continues by itself: worker/receipt_test.go; models/receipt_test.go",
	"WithdrawCoinOffer":  "one transaction of a person's after which nothing is due; models/coin_offer_test.go",
	"ExpireCoinOffers":   "72 hours, even scaled: a chore that finds its offers again; models/coin_offer_test.go",
	"AddOrderNote":       "a note beside the order and its audit line, in one transaction that changes nothing of the order; api/proposals_test.go",
	"TransferInDoubt":    "reads which transfer two people call dead, before custody is asked, and writes nothing; worker/transfer_test.go",
	"BookRevived":        "what a dead transfer that confirmed is booked as, in one transaction that its row's status names: a run that died before it finds it again; worker/transfer_test.go",
	"ConfirmOrder":       "one transaction of the customer's, whose signal the sweep repeats, and whose deadline leads on otherwise; models/confirm_test.go",
	"NotMade":            "a refund that outlasted its order and that the processor never knew, in one transaction; models/refund_test.go",
	"MailOrderLinkAgain": "a mail at its customer's request, which changes nothing of the order; models/confirm_test.go",
	"RecordAttempt":      "follows an attempt that failed or died: every cell with a worker as its victim passes it",
}

// hasPage waits for the payment page.
func (b *buyer) hasPage(ctx context.Context) error {
	return await(ctx, "the payment page", func() bool {
		page := b.seen(ctx).Payment.Checkout
		return page != nil && page.State == "ready"
	})
}

func (b *buyer) cancel(ctx context.Context) error {
	return insist(ctx, "the order to be cancelled", func() bool { return resolved("cancelled")(b.now(ctx)) }, func() {
		b.customer.try(ctx, http.MethodPost, "/api/orders/"+b.id+"/cancel", "", nil, nil)
	})
}

// late moves the order's deadline into the past: the only step without an actor.
func (b *buyer) late(ctx context.Context) error {
	return insist(ctx, "the deadline to pass", func() bool {
		var over bool
		return database.QueryRow(ctx, "SELECT payment_due_at < clock_now() FROM orders WHERE id = $1", b.id).Scan(&over) == nil && over
	}, func() {
		_, _ = database.Exec(ctx, `WITH o AS (UPDATE orders SET payment_due_at = clock_now() - interval '1 minute' WHERE id = $1 RETURNING id)
			UPDATE payments SET due_at = clock_now() - interval '1 minute' FROM o WHERE order_id = o.id`, b.id)
	})
}

// sendReceipt sends evidence of a wire.
func (b *buyer) sendReceipt(ctx context.Context) error {
	kept := func() bool {
		var n int
		return database.QueryRow(ctx, "SELECT count(*) FROM evidence WHERE order_id = $1", b.id).Scan(&n) == nil && n > 0
	}
	return insist(ctx, "the receipt to be kept", kept, func() { b.customer.tryUpload(ctx, b.id) })
}

// refusedCapture presses Process once; the bank refuses.
func (b *buyer) refusedCapture(ctx context.Context) error {
	return b.press(ctx, "payment process", nil, func(order) bool {
		var refused bool
		err := database.QueryRow(ctx, "SELECT EXISTS (SELECT FROM decisions WHERE order_id = $1 AND kind = 'process' AND outcome = 'refused')", b.id).Scan(&refused)
		return err == nil && refused
	})
}

// approves has custody's own approver approve the transfer.
func (b *buyer) approves(ctx context.Context) error {
	if err := b.waitsFor("custody to ask for an approval", hasEvent("transfer_awaiting_approval"))(ctx); err != nil {
		return err
	}
	return insist(ctx, "the approval", func() bool { return past("sent")(b.now(ctx)) }, func() {
		var id string
		if database.QueryRow(ctx, "SELECT approval_id FROM withdrawals WHERE order_id = $1", b.id).Scan(&id) == nil {
			_ = ask(ctx, http.MethodPost, "/control/bitgo/approvals/"+id, map[string]string{"state": "approved"}, nil) // once is enough
		}
	})
}

// fulfilOrFail presses Fulfill and waits until the order has stopped at its fault and the customer was asked, or has
// passed it.
func (b *buyer) fulfilOrFail(ctx context.Context) error {
	return b.press(ctx, "fulfill", reason(""), func(o order) bool { return b.failed(o) || past("sent")(o) })
}

func (b *buyer) failed(o order) bool { return status("failed")(o) && hasEvent("choice_offered")(o) }

// troubled reports whether the order has met its scenario's fault.
func (b *buyer) troubled(ctx context.Context) bool {
	o := b.now(ctx)
	return o.countEvents("failed") > 0 || o.countEvents("address_held") > 0
}

func (b *buyer) ifFailed(ctx context.Context, do func(context.Context) error) error {
	o := b.now(ctx)
	for o.Status == "" {
		if err := ctx.Err(); err != nil {
			return err
		}
		o = b.now(ctx)
	}
	if !b.failed(o) {
		return nil
	}
	return do(ctx)
}

func (b *buyer) retriesIfFailed(ctx context.Context) error {
	return b.ifFailed(ctx, b.presses("retry", reason(""), past("filled")))
}

func (b *buyer) amendsIfFailed(ctx context.Context) error { return b.ifFailed(ctx, b.amends) }

// fulfilOrRefused presses Fulfill and waits until custody has refused the address, or
// the order has got past it.
func (b *buyer) fulfilOrRefused(ctx context.Context) error {
	return b.press(ctx, "fulfill", reason(""), func(o order) bool { return attention("address_refused")(o) || past("sent")(o) })
}

// renamesIfRefused has the customer, who has no second factor, name another address, let
// its link expire, name it again and follow the link.
func (b *buyer) renamesIfRefused(ctx context.Context) error {
	o := b.now(ctx)
	for o.Status == "" {
		if err := ctx.Err(); err != nil {
			return err
		}
		o = b.now(ctx)
	}
	if !attention("address_refused")(o) {
		return nil
	}
	return steps(ctx, b.renames, b.linkExpires, b.renames, b.followsLink)
}

// renames names another address until it waits for its link.
func (b *buyer) renames(ctx context.Context) error {
	another := map[string]string{"destAddress": bitcoinAddress(b.customer.t)}
	waits := func() bool {
		var held bool
		return database.QueryRow(ctx, "SELECT EXISTS (SELECT FROM held_addresses WHERE order_id = $1)", b.id).Scan(&held) == nil && held
	}
	return insist(ctx, "an address that waits for its link", waits, func() {
		b.customer.try(ctx, http.MethodPost, "/api/orders/"+b.id+"/address", "", another, nil)
	})
}

// linkExpires moves the link's expiry into the past, until its event is there.
func (b *buyer) linkExpires(ctx context.Context) error {
	return insist(ctx, "the link to expire", func() bool { return hasEvent("address_unconfirmed")(b.now(ctx)) }, func() {
		_, _ = database.Exec(ctx, "UPDATE held_addresses SET expires_at = clock_now() - interval '1 minute' WHERE order_id = $1", b.id)
	})
}

// followsLink confirms the address by each link that was mailed, until one has.
func (b *buyer) followsLink(ctx context.Context) error {
	return insist(ctx, "the confirmed address", func() bool { return past("sent")(b.now(ctx)) }, func() {
		var mails []struct{ Links []string }
		if ask(ctx, http.MethodGet, "/mailbox/api/messages?to="+url.QueryEscape(b.customer.mail), nil, &mails) != nil {
			return
		}
		for _, mail := range mails {
			for _, link := range mail.Links {
				if at, token, found := strings.Cut(link, "#address="); found && strings.HasSuffix(at, b.id) {
					b.customer.try(ctx, http.MethodPost, "/api/orders/"+b.id+"/address/confirm", "", map[string]string{"token": token}, nil)
				}
			}
		}
	})
}

func (b *buyer) marksIfFailed(ctx context.Context) error {
	marked := map[string]string{"reason": "by hand", "txid": byHand + b.what.address}
	if err := b.ifFailed(ctx, b.presses("mark-sent", marked, status("sent"))); err != nil {
		return err
	}
	return b.waitsFor("the end", status("sent"))(ctx)
}

// amends gives the order another address, and resumes it: one admin proposes it, another approves.
func (b *buyer) amends(ctx context.Context) error {
	to := map[string]string{"destAddress": bitcoinAddress(b.customer.t), "reason": "the customer wrote again"}
	if err := b.press(ctx, "amend-address", to, proposed); err != nil {
		return err
	}
	return b.approvedBy(ctx, b.second, "another address", past("sent"))
}

// clientID is the identity of an order's first exchange order, made as the
// product makes it.
func clientID(orderID string) string {
	return uuid.NewSHA1(uuid.MustParse("0f6a3f6e-6b0b-4c87-9a35-5d4b5d1f2f10"), []byte(orderID+"/1")).String()
}

// begin creates the order and arms its fault. It returns the names under which providers have the order.
func (s scenario) begin(t *testing.T, b *buyer) {
	t.Helper()
	b.what = some(t, s.asset, s.amount).by(s.method)
	b.quote, b.id, b.total = "", "", ""
}

// arm arms the scenario's fault for an order that has just been created.
func (s scenario) arm(ctx context.Context, b *buyer) error {
	for _, f := range s.problem {
		f.Match = map[string]string{"%order": b.id, "%address": b.what.address, "%client": clientID(b.id)}[f.Match]
		f.Count = 1
		if err := ask(ctx, http.MethodPost, "/control/faults", f, nil); err != nil {
			return err
		}
	}
	return nil
}

// timeline is what a finished order's timeline reports. Failed attempts are left out, and that an admin had to review it:
// a kill may cause both.
func timeline(o order) []string {
	var kinds []string
	for _, event := range o.Events {
		// An admin who presses while the workflow is still being started is answered that it waits for nothing yet, and
		// presses again: that is two requests and one decision. An address that is named again is the one that waits.
		again := (strings.HasSuffix(event.Kind, "_requested") || event.Kind == "address_held") && len(kinds) > 0 && kinds[len(kinds)-1] == event.Kind
		// What a new price leaves over is a cent or nothing, as the price falls.
		rest := event.Kind == "surplus_held" && slices.Contains(kinds, "requoted")
		if !again && !rest && !slices.Contains([]string{"attempt_failed", "attention", "attention_cleared"}, event.Kind) {
			kinds = append(kinds, event.Kind)
		}
	}
	return kinds
}

// quietly waits until an order or a case is idle: what is counted of it has not changed for so long.
func quietly(ctx context.Context, long time.Duration, count func() int) {
	for last, since := -1, time.Now(); time.Since(since) < long; {
		if now := count(); now != last {
			last, since = now, time.Now()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// TestScenarioNamesAreTheirOwn: cells are named after them.
func TestScenarioNamesAreTheirOwn(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range scenarios {
		require.False(t, slices.Contains(names, s.name), s.name)
		names = append(names, s.name)
	}
}
