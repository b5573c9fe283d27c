package api

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

const anotherBTC = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

// An order says what its customer has to do, and until when; those alone are a list
// of their own, counted whole.
func TestAnOrderSaysWhatItsCustomerHasToDo(t *testing.T) {
	h := open(t)
	v, stranger := h.customer(), h.customer()
	stranger.order("zelle")
	acts := func() map[string]string {
		var rows []orderapi.Order
		a := v.get("/api/orders?action=true").is(http.StatusOK)
		a.read(&rows)
		found := map[string]string{}
		for _, o := range rows {
			found[o.ID] = o.Action.Kind
		}
		var n orderapi.OrdersSummary
		v.get("/api/orders/summary?action=true").is(http.StatusOK).read(&n)
		require.Equal(t, len(rows), n.Total)
		return found
	}
	card, wire, short, refused, verify := v.order("card"), v.order("domestic_wire"), v.order("zelle"), v.order("chime"), v.order("revolut")
	require.Len(t, acts(), 5, "none is paid")
	var order orderapi.OrderDetail
	v.get("/api/orders/" + wire).is(http.StatusOK).read(&order)
	require.Equal(t, "pay", order.Action.Kind)
	require.Equal(t, order.PaymentDueAt, *order.Action.Deadline)

	h.authorise(card)
	h.exec(`UPDATE payments SET submitted_at = clock_now() WHERE order_id = $1`, wire)
	h.exec(`UPDATE orders SET attention_reason = 'money_short', attention_since = clock_now(), choice_reason = 'money_short', choice_due_at = clock_now() + interval '3 days' WHERE id = $1`, short)
	h.exec(`UPDATE orders SET status = 'filled', paid_at = clock_now(), attention_reason = 'address_refused', attention_since = clock_now() WHERE id = $1`, refused)
	h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now(), attention_reason = 'kyc_revoked', attention_since = clock_now() WHERE id = $1`, verify)
	require.Equal(t, map[string]string{short: "choose", refused: "address", verify: "identity"}, acts())

	var rows []orderapi.Order
	v.get("/api/orders").is(http.StatusOK).read(&rows)
	held := map[string]bool{}
	for _, o := range rows {
		held[o.ID] = o.Authorised
		if o.ID == short {
			require.WithinDuration(t, time.Now().Add(72*time.Hour), *o.Action.Deadline, time.Minute)
		}
	}
	require.Equal(t, map[string]bool{card: true, wire: false, short: false, refused: false, verify: false}, held)
	h.exec(`UPDATE orders SET status = 'failed', resolution = 'refunded', closed_at = clock_now(), choice_due_at = NULL, attention_reason = NULL, attention_since = NULL WHERE id = ANY($1)`, []string{short, refused, verify})
	require.Empty(t, acts())
}

// A customer names another address for coin that custody could not send, and nothing else:
// with the checks of a new order, a fresh code, and while they are not on hold.
func TestACustomerNamesAnotherAddress(t *testing.T) {
	h := open(t)
	v, stranger := h.customer(), h.customer()
	id := v.order("domestic_wire")
	path, another := "/api/orders/"+id+"/address", `{"destAddress":"`+anotherBTC+`"}`
	v.post(path, another).refused(http.StatusConflict, "order_state")
	h.exec(`UPDATE orders SET status = 'filled', paid_at = clock_now(), attention_reason = 'address_refused', attention_since = clock_now() WHERE id = $1`, id)
	h.flows.outcome = func(orderID, kind, decision string) (workflows.Outcome, bool, error) {
		require.Equal(t, workflows.AmendAddress, kind)
		return workflows.Outcome{Code: workflows.Done}, true, order.AmendAddress(t.Context(), h.db, orderID, decision)
	}
	stranger.post(path, another).is(http.StatusNotFound)
	h.customer("finance").post("/api/admin/orders/"+id+"/amend-address", `{"destAddress":"`+anotherBTC+`","reason":"x"}`).is(http.StatusAccepted)
	v.post(path, another).refused(http.StatusConflict, "decision_open")
	h.exec(`UPDATE order_proposals SET status = 'withdrawn', decided_at = clock_now() WHERE order_id = $1`, id)

	p := v.enrol()
	for address, code := range map[string]string{"": "required", btcAddress: "same_address", "0x52908400098527886E0F7030069857D2E4169EE7": "wrong_network", anotherBTC[:30]: "bad_checksum"} {
		v.post(path, `{"destAddress":"`+address+`"}`).refused(http.StatusUnprocessableEntity, code)
	}
	v.post(path, another).refused(http.StatusForbidden, "fresh_code_required")
	h.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, v.userID)
	v.post(path, another, rest.FreshCodeHeader, p.codes[0]).refused(http.StatusForbidden, "account_frozen")
	h.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, v.userID)
	v.post(path, another, rest.FreshCodeHeader, p.codes[1]).is(http.StatusOK)

	var o orderapi.OrderDetail
	v.get("/api/orders/" + id).is(http.StatusOK).read(&o)
	require.Equal(t, anotherBTC, o.DestAddress)
	require.Nil(t, o.Attention)
	require.NotContains(t, o.Choices, order.DecisionAmendAddress)
	lines := o.Events[len(o.Events)-2:]
	require.Contains(t, []orderapi.EventKind{lines[0].Kind, lines[1].Kind}, orderapi.EventKind("address_amended"))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM mails WHERE order_id = $1 AND kind = 'address_amended'`, id))
	v.post(path, another).refused(http.StatusConflict, "order_state")
}

// linked is a customer without a second factor whose order waits for another address.
type linked struct {
	*testServer
	v        *visitor
	id, path string
}

func openLinked(t *testing.T) *linked {
	t.Helper()
	h := open(t)
	l := &linked{testServer: h, v: h.customer()}
	l.id = l.v.order("domestic_wire")
	l.path = "/api/orders/" + l.id + "/address"
	h.exec(`UPDATE orders SET status = 'filled', paid_at = clock_now(), attention_reason = 'address_refused', attention_since = clock_now() WHERE id = $1`, l.id)
	h.flows.outcome = func(orderID, _, decision string) (workflows.Outcome, bool, error) {
		return workflows.Outcome{Code: workflows.Done}, true, order.AmendAddress(t.Context(), h.db, orderID, decision)
	}
	return l
}

func (l *linked) read() (order orderapi.OrderDetail) {
	l.Helper()
	l.v.get("/api/orders/" + l.id).is(http.StatusOK).read(&order)
	return order
}

// mailed names another address, and gives the token that leaves in the mail.
func (l *linked) mailed() string {
	l.Helper()
	require.Equal(l, "mailed", l.v.post(l.path, `{"destAddress":"`+anotherBTC+`"}`).is(http.StatusAccepted).text("state"))
	token, err := order.AddressToken(l.Context(), l.db, l.id)
	require.NoError(l, err)
	require.GreaterOrEqual(l, len(token), 26, "130 bits, five to a letter")
	return token
}

func (l *linked) confirm(v *visitor, token string) *answer {
	l.Helper()
	return v.post(l.path+"/confirm", `{"token":"`+token+`"}`)
}

func (l *linked) gone(token string) {
	l.Helper()
	l.confirm(l.v, token).refused(http.StatusConflict, "address_link_gone")
	require.NotEqual(l, anotherBTC, l.read().DestAddress)
}

// Who has no second factor confirms another address by a mailed link: its owner alone,
// once, from any of their sessions.
func TestAMailedLinkConfirmsAnotherAddress(t *testing.T) {
	l := openLinked(t)
	first := l.mailed()
	held := l.read()
	require.Equal(t, anotherBTC, held.HeldAddress.Address)
	require.Equal(t, &orderapi.OrderAction{Kind: order.ActionConfirm, Deadline: &held.HeldAddress.ExpiresAt}, held.Action)
	var waiting []orderapi.Order
	l.v.get("/api/orders?action=true").is(http.StatusOK).read(&waiting)
	require.Equal(t, held.Action, waiting[0].Action, "and the list says the same")
	require.NotEqual(t, anotherBTC, held.DestAddress)
	l.confirm(l.customer(), first).is(http.StatusNotFound)
	l.confirm(l.customer("admin"), first).is(http.StatusNotFound)
	l.gone("guessed")
	last := l.mailed()
	l.gone(first)
	again, err := order.AddressToken(t.Context(), l.db, l.id) // the same mail, sent once more
	require.NoError(t, err)
	require.Equal(t, 2, one[int](l.testServer, `SELECT count(*) FROM mails WHERE order_id = $1 AND kind = 'address_held'`, l.id))
	require.Equal(t, 1, one[int](l.testServer, `SELECT count(*) FROM mails WHERE order_id = $1 AND kind = 'address_held' AND given_up_at IS NULL`, l.id), "the first one is taken back")
	l.inNoTable(last, again)
	l.confirm(l.v.again(), last).is(http.StatusOK)
	order := l.read()
	require.Equal(t, anotherBTC, order.DestAddress)
	require.Nil(t, order.HeldAddress)
	for _, token := range []string{last, again} {
		l.confirm(l.v, token).refused(http.StatusConflict, "address_link_gone")
		require.NotContains(t, l.log.String(), token)
	}
	l.inNoTable(last, again)
	require.Zero(t, one[int](l.testServer, `SELECT count(*) FROM held_addresses`))
	require.Equal(t, 1, one[int](l.testServer, `SELECT count(*) FROM decisions WHERE order_id = $1 AND kind = 'amend_address'`, l.id))
}

// A link is over with its hour, with the refusal that it answers, with a freeze and with
// a second factor, whatever comes after.
func TestALinkOfAnAddressIsOver(t *testing.T) {
	for name, end := range map[string]func(l *linked){
		"its hour": func(l *linked) { l.exec(`UPDATE held_addresses SET expires_at = clock_now()`) },
		"another refusal": func(l *linked) {
			l.exec(`UPDATE orders SET attention_since = clock_now() WHERE id = $1`, l.id)
		},
		"another reason": func(l *linked) {
			l.exec(`UPDATE orders SET attention_reason = 'transfer_refused' WHERE id = $1`, l.id)
		},
		"a freeze": func(l *linked) {
			officer, path := l.customer("compliance"), "/api/admin/customers/"+l.v.userID
			officer.post(path+"/freeze", `{"reason":"police request"}`).is(http.StatusOK)
			l.confirm(l.v, "any").is(http.StatusConflict)
			officer.post(path+"/unfreeze", `{"reason":"cleared"}`).is(http.StatusOK)
		},
		"a second factor": func(l *linked) { l.v.enrol() },
	} {
		t.Run(name, func(t *testing.T) {
			l := openLinked(t)
			token := l.mailed()
			end(l)
			l.gone(token)
			require.Nil(t, l.read().HeldAddress)
			none, err := order.AddressToken(t.Context(), l.db, l.id)
			require.NoError(t, err)
			require.Empty(t, none, "a mail that leaves now has no link")
		})
	}
}

// An unconfirmed address expires once, and the order asks again while it waits.
func TestAnUnconfirmedAddressExpires(t *testing.T) {
	l := openLinked(t)
	sweep := func(left, reported int) {
		t.Helper()
		require.NoError(t, order.ExpireHeldAddresses(t.Context(), l.db, 10))
		require.Equal(t, left, one[int](l.testServer, `SELECT count(*) FROM held_addresses`))
		require.Equal(t, reported, one[int](l.testServer, `SELECT count(*) FROM order_events WHERE order_id = $1 AND kind = 'address_unconfirmed'`, l.id))
		require.Equal(t, reported, one[int](l.testServer, `SELECT count(*) FROM mails WHERE order_id = $1 AND kind = 'address_unconfirmed'`, l.id))
	}
	token := l.mailed()
	sweep(1, 0)
	l.exec(`UPDATE held_addresses SET expires_at = clock_now()`)
	sweep(0, 1)
	sweep(0, 1)
	l.gone(token)
	require.Contains(t, l.read().Choices, order.DecisionAmendAddress)
	require.Zero(t, one[int](l.testServer, `SELECT count(*) FROM mails WHERE order_id = $1 AND kind = 'address_held' AND given_up_at IS NULL`, l.id))

	l.mailed()
	l.exec(`UPDATE held_addresses SET expires_at = clock_now()`)
	l.exec(`UPDATE orders SET attention_since = clock_now() WHERE id = $1`, l.id)
	sweep(0, 1)
	l.confirm(l.v, l.mailed()).is(http.StatusOK)
	sweep(0, 1)
}

// An order is delayed from an attempt that failed until anything else happens to it.
func TestAnOrderIsRetryingUntilItGoesOn(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("card")
	retrying := func() bool {
		var order orderapi.OrderDetail
		v.get("/api/orders/" + id).is(http.StatusOK).read(&order)
		return order.Retrying
	}
	require.False(t, retrying())
	require.NoError(t, order.RecordAttempt(t.Context(), h.db, id, execution.Attempt{Run: "r", Activity: "5", Step: "Make the payment page", Number: 1, Code: "timeout"}))
	require.True(t, retrying())
	require.NoError(t, order.ChangeOrder(t.Context(), h.db, id, func(c *order.OrderChange) error { return c.Event(casework.Event{Kind: "checkout_ready"}) }))
	require.False(t, retrying())
}

// How to pay is mailed when an order stayed unpaid for a while, and not once it is
// paid, or needs no payment.
func TestHowToPayIsMailedLater(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.RemindAfter = 10 * time.Minute })
	v := h.customer()
	waits := func(id string) bool {
		return one[bool](h, `SELECT count(*) = 1 FROM mails WHERE order_id = $1 AND kind = 'order_created' AND given_up_at IS NULL AND next_try_at > clock_now() + interval '9 minutes'`, id)
	}
	card, wire := v.order("card"), v.order("domestic_wire")
	require.True(t, waits(card) && waits(wire))
	require.NoError(t, order.ChangeOrder(t.Context(), h.db, card, func(c *order.OrderChange) error { return c.Event(casework.Event{Kind: "authorised"}) }))
	require.False(t, waits(card))
	require.True(t, waits(wire))
}

// A frozen account can do nothing: nothing is said to wait for it, nothing is counted,
// and no choice is offered, until the hold ends.
func TestAFrozenAccountIsAskedForNothing(t *testing.T) {
	h := open(t)
	v := h.customer()
	unpaid, short, refused := v.order("card"), v.order("zelle"), v.order("chime")
	h.exec(`UPDATE payments SET checkout_url = 'https://checkout.example/x' WHERE order_id = $1`, unpaid)
	h.exec(`UPDATE orders SET attention_reason = 'money_short', attention_since = clock_now(), choice_reason = 'money_short', choice_due_at = clock_now() + interval '3 days' WHERE id = $1`, short)
	h.exec(`UPDATE orders SET status = 'filled', paid_at = clock_now(), attention_reason = 'address_refused', attention_since = clock_now() WHERE id = $1`, refused)
	acting := func() (n int) {
		var rows []orderapi.Order
		v.get("/api/orders").is(http.StatusOK).read(&rows)
		for _, o := range rows {
			if o.Action != nil {
				n++
			}
		}
		var waiting []orderapi.Order
		v.get("/api/orders?action=true").is(http.StatusOK).read(&waiting)
		var counts orderapi.OrdersSummary
		v.get("/api/orders/summary?action=true").is(http.StatusOK).read(&counts)
		require.Equal(t, []int{n, n}, []int{len(waiting), counts.Total})
		return n
	}
	page := func(id string) (order orderapi.OrderDetail) {
		v.get("/api/orders/" + id).is(http.StatusOK).read(&order)
		return order
	}
	require.Equal(t, 3, acting())
	require.Contains(t, page(unpaid).Choices, "pay")
	require.Contains(t, page(short).Choices, order.DecisionRefundNow)
	require.Contains(t, page(refused).Choices, order.DecisionAmendAddress)

	h.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, v.userID)
	require.Zero(t, acting())
	for _, id := range []string{unpaid, short, refused} {
		placed := page(id)
		require.Nil(t, placed.Action)
		require.Nil(t, placed.Choice)
		require.Subset(t, []string{"upload_receipt", "upload_card_photo", order.DecisionCancel, "receipt"}, placed.Choices)
		if placed.Attention != nil {
			require.Equal(t, orderapi.WaitingReason("account_frozen"), placed.Attention.Reason, "nothing to answer")
		}
	}
	h.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, v.userID)
	require.Equal(t, 3, acting())
	require.NotNil(t, page(short).Choice)
}

// What a frozen customer's page does not offer, the server refuses to any caller: every
// kind of decision that is a customer's own, save calling off what is not paid. Nothing is
// written, and the deadline still refunds the money.
func TestAFrozenCustomerDecidesNothingAboutMoney(t *testing.T) {
	h := open(t)
	v := h.customer()
	unpaid, over, failed, refused := v.order("card"), v.order("zelle"), v.order("card"), v.order("chime")
	h.exec(`UPDATE orders SET attention_reason = 'money_over', attention_since = clock_now(), choice_reason = 'money_over', choice_due_at = clock_now() + interval '3 days' WHERE id = $1`, over)
	h.exec(`UPDATE orders SET status = 'failed', paid_at = clock_now(), failed_step = 'buy', fulfillment_code = 'order_rejected', choice_reason = 'failed', choice_due_at = clock_now() + interval '3 days' WHERE id = $1`, failed)
	h.exec(`UPDATE orders SET status = 'filled', paid_at = clock_now(), attention_reason = 'address_refused', attention_since = clock_now() WHERE id = $1`, refused)
	tried := map[string]bool{}
	for _, act := range []struct {
		kind, order string
		in          order.NewDecision
	}{
		{kind: order.DecisionKeepOrder, order: over}, {kind: order.DecisionRefundNow, order: over}, {kind: order.DecisionRequote, order: over},
		{kind: order.DecisionKeepTrying, order: failed}, {kind: order.DecisionRefundNow, order: failed},
		{kind: order.DecisionAmendAddress, order: refused, in: order.NewDecision{Own: true, Data: order.AmendedAddress{Address: anotherBTC, AddressKey: anotherBTC}}},
		{kind: order.DecisionCancel, order: unpaid},
	} {
		tried[act.kind] = true
		act.in.OrderID, act.in.Kind, act.in.ActorID = act.order, act.kind, v.userID
		take := func() error {
			return h.db.Tx(t.Context(), func(tx *store.DB) error {
				if _, err := order.OpenDecision(t.Context(), tx, act.in); err != nil {
					return err
				}
				return errUndone
			})
		}
		require.ErrorIs(t, take(), errUndone, "%s is theirs while nothing is frozen", act.kind)
		h.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, v.userID)
		if act.kind == order.DecisionCancel {
			require.ErrorIs(t, take(), errUndone)
		} else {
			err := take()
			require.Equal(t, store.CodeForbidden, store.CodeOf(err), "%s: %v", act.kind, err)
			require.Equal(t, "account_frozen", store.ReasonOf(err), act.kind)
		}
		h.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, v.userID)
	}
	for _, kind := range order.DecisionKinds {
		require.Equal(t, order.MadeByCustomer(kind) || kind == order.DecisionAmendAddress, tried[kind], "%s is not tried, or not a customer's", kind)
	}

	h.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, v.userID)
	v.post("/api/orders/"+over+"/keep", `{}`).refused(http.StatusForbidden, "account_frozen")
	v.post("/api/orders/"+over+"/refund", `{}`).refused(http.StatusForbidden, "account_frozen")
	v.post("/api/orders/"+failed+"/keep-trying", `{}`).refused(http.StatusForbidden, "account_frozen")
	require.Zero(t, one[int](h, `SELECT count(*) FROM decisions`))
	h.exec(`UPDATE orders SET choice_due_at = clock_now() WHERE id = $1`, failed)
	require.NoError(t, order.Expire(t.Context(), h.db, failed, 100, order.Patience{TryEvery: time.Minute}))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM decisions WHERE order_id = $1 AND kind = 'refund_now'`, failed))
}

var errUndone = errors.New("taken back")
