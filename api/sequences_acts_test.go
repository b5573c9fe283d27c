package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// place is where the value of a statement is afterward, and what an exit takes it from.
type place string

const (
	onOrder    place = "an order"    // paid by the receipt
	onBalance  place = "the balance" // of the customer
	byIdentity place = "an identity" // a permission to be sent any value
	onVoucher  place = "a voucher"
	onBatch    place = "vouchers that wait for a second admin"
)

// The amounts of the sequences, in coin and in dollars. One person may credit, refund and approve sequenceAlone
// dollars to a customer in a day.
const (
	smallCoin, largeCoin       = "0.01", "0.08" // about $516 and $4,130
	smallDollars, largeDollars = "500", "4000"
	sequenceAlone              = 3000
	voucherAlone               = 1500 // of vouchers that one admin makes
)

// source is an action in which the statement of one person makes value. Its agree is nil if the statement is what
// another person approves in an exit.
type source struct {
	act
	into place
	role string
	// bars is the code that rejects an exit by who made the statement. It is empty if the statement bars nobody, because
	// of why.
	bars, why  string
	two, large bool                                    // one person alone proposes it; its amount is above what one person may
	paid       func(c *cast, id string) (order string) // the order that it pays, if that is not id
}

// exit is an action in which value leaves, with the places it takes it from.
type exit struct {
	act
	of    []place
	role  string
	order func(c *cast, order string) (id string) // the object of an order; nil where make makes it
	large bool
	short bool // also played by demoted, frozen and seconded staff, and a month later
}

// buysCoin places an order of the customer.
func (c *cast) buysCoin(method, coin string) string {
	c.Helper()
	order := strings.NewReplacer(`"card"`, `"`+method+`"`, `"0.01"`, `"`+coin+`"`).Replace(newOrder)
	return c.v.post("/api/orders", order).is(http.StatusCreated).text("id")
}

// receives confirms money for an order under a new bank reference.
func (c *cast) receives(who *visitor, order, amount string) *answer {
	return who.confirm(order, amount, "S-"+store.NewID())
}

// paidByOther is an order by wire, paid by a receipt that someone else confirmed.
func (c *cast) paidByOther(coin string) string {
	c.Helper()
	id := c.buysCoin("domestic_wire", coin)
	c.receives(c.other, id, c.total(id)).is(http.StatusOK)
	return id
}

// recorded is money on the bank account that belongs to no order.
func (c *cast) recorded(who *visitor, rail, amount string) (id string) {
	c.Helper()
	day := one[string](c.testServer, `SELECT to_char(clock_now(), 'YYYY-MM-DD')`)
	return who.post("/api/admin/money/unplaced", fmt.Sprintf(`{"amount":%q,"bankReference":"U-%s","receivedOn":%q,"rail":%q,"sender":"A. N. OTHER"}`,
		amount, store.NewID(), day, rail)).is(http.StatusCreated).text("id")
}

// lastOrder is the customer's latest order.
func lastOrder(c *cast, _ string) string {
	return one[string](c.testServer, `SELECT id::text FROM orders WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`, c.v.userID)
}

func byMoneyProposal(field string) func(*cast, *visitor, string, *answer) *answer {
	return func(_ *cast, who *visitor, _ string, asked *answer) *answer {
		return who.post("/api/admin/money/proposals/"+asked.text(field)+"/approve", `{}`)
	}
}

// receipts is how many receipts an order has.
const receipts = `SELECT count(*) FROM receipts WHERE order_id = $1`

// sources are the statements of one person that make value, by the insiders' act they are, and what it is about.
var sources = map[string]source{
	"confirmPayment": {into: onOrder, role: "finance", bars: "own_receipt", act: act{done: receipts, agree: agreed,
		make:  func(c *cast, _ bool) string { return c.buysCoin("domestic_wire", smallCoin) },
		press: func(c *cast, who *visitor, id string) *answer { return c.receives(who, id, c.total(id)) }}},
	"confirmPayment, above what one person may": {two: true, large: true, into: onOrder, role: "finance", bars: "own_receipt", act: act{done: receipts, agree: agreed,
		make:  func(c *cast, _ bool) string { return c.buysCoin("domestic_wire", largeCoin) },
		press: func(c *cast, who *visitor, id string) *answer { return c.receives(who, id, c.total(id)) }}},
	"placeMoney": {two: true, into: onOrder, role: "finance", bars: "own_receipt", paid: lastOrder,
		act: act{done: `SELECT count(*) FROM unplaced_money WHERE id = $1 AND status = 'placed'`, agree: byMoneyProposal("id"),
			make: func(c *cast, _ bool) string {
				return c.recorded(c.boss, "domestic_wire", c.total(c.buysCoin("domestic_wire", smallCoin)))
			}, press: places}},
	"openUnplaced, placed by two others": {into: onOrder, role: "finance", bars: "own_receipt",
		act: act{done: receipts,
			make: func(c *cast, _ bool) string { return c.buysCoin("domestic_wire", smallCoin) },
			press: func(c *cast, who *visitor, id string) *answer {
				money := c.recorded(who, "domestic_wire", c.total(id))
				asked := places(c, c.other, money).is(http.StatusCreated)
				return byMoneyProposal("id")(c, c.boss, money, asked).is(http.StatusOK)
			}}},
	"confirmPayment, a surplus": {into: onBalance, role: "finance", bars: "own_credit", act: act{agree: agreed,
		done:  `SELECT count(*) - 1 FROM receipts WHERE order_id = $1`,
		make:  func(c *cast, _ bool) string { return c.paidByOther(smallCoin) },
		press: func(c *cast, who *visitor, id string) *answer { return c.receives(who, id, smallDollars+".00") }}},
	"confirmPayment, a surplus above what one person may": {two: true, large: true, into: onBalance, role: "finance", why: "seconded", act: act{agree: agreed,
		done:  `SELECT count(*) - 1 FROM receipts WHERE order_id = $1`,
		make:  func(c *cast, _ bool) string { return c.paidByOther(smallCoin) },
		press: func(c *cast, who *visitor, id string) *answer { return c.receives(who, id, largeDollars+".00") }}},
	"confirmPayment, more than the price, kept by the customer": {into: onBalance, role: "finance", bars: "own_credit", act: act{done: receipts, agree: agreed,
		make: func(c *cast, _ bool) string { return c.buysCoin("domestic_wire", smallCoin) },
		press: func(c *cast, who *visitor, id string) *answer {
			said := c.receives(who, id, "600.00")
			c.v.post("/api/orders/"+id+"/surplus", `{"choice":"credit"}`)
			require.NoError(c, order.SettleSurpluses(c.Context(), c.db, 10))
			return said
		}}},
	"confirmPayment, less than the price, refunded to the customer": {into: onBalance, role: "finance", bars: "own_credit", act: act{done: receipts, agree: agreed,
		make: func(c *cast, _ bool) string { return c.buysCoin("domestic_wire", smallCoin) },
		press: func(c *cast, who *visitor, id string) *answer {
			said := c.receives(who, id, "510.00")
			c.v.post("/api/orders/"+id+"/refund", "")
			return said
		}}},
	"refundOrder, of one's own receipt": {into: onBalance, role: "finance", bars: "own_credit", act: act{done: decisionsOf("refund"), agree: agreed,
		make: func(c *cast, _ bool) string {
			id := c.buysCoin("domestic_wire", smallCoin)
			c.receives(c.first, id, c.total(id)).is(http.StatusOK)
			return id
		}, press: on("/api/admin/orders/{id}/refund", `{"reason":"a gesture"}`)}},
	"refundOrder, of another's receipt": {into: onBalance, role: "finance", why: "another person confirmed the money",
		act: act{done: decisionsOf("refund"), agree: agreed, make: func(c *cast, _ bool) string { return c.paidByOther(smallCoin) },
			press: on("/api/admin/orders/{id}/refund", `{"reason":"a gesture"}`)}},
	"refundOrder, a part before its coin is sent": {into: onBalance, role: "finance", bars: "own_credit", act: act{done: `SELECT count(*) FROM refunds WHERE order_id = $1`, agree: agreed,
		make:  func(c *cast, _ bool) string { return c.paidByOther(smallCoin) },
		press: on("/api/admin/orders/{id}/refund", `{"amount":"510.00","reason":"a gesture"}`)}},
	"refundOrder, with less coin": {into: onBalance, role: "finance", bars: "own_credit", act: act{agree: agreed,
		done: `SELECT count(*) FROM refunds WHERE order_id = $1 AND reduces`,
		make: func(c *cast, _ bool) string { return c.paidByOther(smallCoin) },
		press: func(c *cast, who *visitor, id string) *answer {
			said := lessCoin(c, who, id)
			const open = `SELECT coalesce((SELECT id::text FROM coin_offers WHERE order_id::text = $1 AND status = 'open'), $1)`
			offer := one[string](c.testServer, open, id)
			c.v.post("/api/orders/"+id+"/less-coin/agree", `{"offerId":"`+offer+`"}`)
			return said
		}}},
	"refundOrder, after its coin was sent": {into: onBalance, role: "finance", bars: "own_credit", act: act{done: `SELECT count(*) FROM refunds WHERE order_id = $1`, agree: agreed,
		make: func(c *cast, _ bool) string {
			id := c.paidByOther(smallCoin)
			c.exec(`UPDATE orders SET status = 'sent', txid = 'abc', sent_at = clock_now() WHERE id = $1`, id)
			return id
		}, press: on("/api/admin/orders/{id}/refund", `{"amount":"510.00","reason":"a gesture"}`)}},
	"approveGiftCard": {into: onBalance, role: "compliance", bars: "own_credit", act: act{done: `SELECT count(*) FROM gift_cards WHERE id = $1 AND paid IS NOT NULL`, press: valued, agree: again(valued),
		make: func(c *cast, _ bool) string {
			id := c.v.sell(but(regularCard, "value", "700", "cardCode", "CANARY-"+store.NewID()[24:]), nil).is(http.StatusCreated).text("id")
			c.review(id)
			return id
		}}},
	"returnPayout": {into: onBalance, role: "finance", bars: "own_credit", act: act{done: `SELECT count(*) FROM payouts WHERE id = $1 AND status = 'returned'`,
		make: func(c *cast, _ bool) string { return c.transferred(false) }, agree: byMoneyProposal("decisionId"),
		press: on("/api/admin/payouts/{id}/return", `{"reason":"account closed"}`)}},
	"creditMoney": {two: true, into: onBalance, role: "finance", why: "seconded", act: act{done: `SELECT count(*) FROM unplaced_money WHERE id = $1 AND status = 'credited'`,
		make: func(c *cast, _ bool) string { return c.recorded(c.boss, "zelle", smallDollars+".00") }, press: credits, agree: byMoneyProposal("id")}},
	"openUnplaced, credited by two others": {into: onBalance, role: "finance", why: "seconded", act: act{done: `SELECT count(*) FROM unplaced_money WHERE user_id = $1 AND status = 'credited'`,
		make: func(c *cast, _ bool) string { return c.v.userID },
		press: func(c *cast, who *visitor, _ string) *answer {
			money := c.recorded(who, "zelle", smallDollars+".00")
			return byMoneyProposal("id")(c, c.boss, money, credits(c, c.other, money).is(http.StatusCreated)).is(http.StatusOK)
		}}},
	"proposeJournal": {two: true, into: onBalance, role: "finance", why: "seconded", act: act{done: `SELECT count(*) FROM money_proposals WHERE reason = $1 AND status = 'approved'`, agree: byMoneyProposal("id"), make: newName,
		press: func(c *cast, who *visitor, id string) *answer {
			document := who.document(picture(c.T, 8)).is(http.StatusCreated).text("id")
			return who.post("/api/admin/money/journal", `{"lines":[{"from":"customer:`+c.v.userID+`:balance","to":"goodwill","currency":"USD","amount":"500.00"}],"documentId":"`+document+`","reason":"`+id+`"}`)
		}}},
	"approveReward": {into: onBalance, role: "compliance", why: "a reward is a fixed, small sum", act: act{done: `SELECT count(*) FROM rewards WHERE id = $1 AND status = 'rewarded'`,
		press: on("/api/admin/referrals/{id}/approve", `{"reason":"they are two people"}`),
		make: func(c *cast, _ bool) string {
			friend := c.customer()
			friend.order("card")
			return c.heldReward(c.v.userID, friend.userID)
		}}},
	"approveKyc": {into: byIdentity, role: "compliance", bars: "own_identity", act: act{done: `SELECT count(*) FROM kyc_records WHERE user_id = $1 AND status = 'approved'`,
		press: on("/api/admin/kyc/{id}/approve", `{"level":"standard","reason":"seen in person"}`), agree: again(on("/api/admin/kyc/{id}/approve", `{"level":"standard","reason":"seen in person"}`)),
		make: func(c *cast, _ bool) string {
			c.exec(`UPDATE kyc_records SET level = 'none', status = 'pending', applicant_id = user_id::text WHERE user_id = $1`, c.v.userID)
			return c.v.userID
		}}},
	"generateVoucher": {into: onVoucher, role: "admin", bars: "voucher_not_found", act: made(smallDollars)},
	"generateVoucher, above what one person may": {two: true, large: true, into: onBatch, role: "admin", bars: "own_voucher", act: made("2000")},
}

// made is the making of a voucher; the id of the act is its batch's.
func made(dollars string) act {
	return act{done: `SELECT count(*) FROM vouchers WHERE batch_id = $1 AND status = 'active'`, make: newName,
		press: func(_ *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/vouchers", `{"amount":"`+dollars+`","currency":"USD","batchId":"`+id+`"}`)
		}}
}

func places(c *cast, who *visitor, id string) *answer {
	return who.post("/api/admin/money/unplaced/"+id+"/place", `{"order":"`+lastOrder(c, "")+`","reason":"theirs"}`)
}

func credits(c *cast, who *visitor, id string) *answer {
	return who.post("/api/admin/money/unplaced/"+id+"/credit", `{"customer":"`+c.v.userID+`","reason":"theirs"}`)
}

// anyOrder are the places that an order's value can come from.
var anyOrder = []place{onOrder, onBalance, byIdentity}

// ownMoney are the places that value leaves from without an order.
var ownMoney = []place{onBalance, byIdentity}

// same is an order that is its own object.
func same(_ *cast, order string) string { return order }

const released = `SELECT count(*) FROM risk_reviews WHERE id = $1 AND outcome = 'released'`

// exits are the actions in which value leaves, by the insiders' act they are, and what it is about.
var exits = map[string]exit{
	"fulfillOrder":      {of: anyOrder, role: "finance", short: true, order: same, act: act{done: decisionsOf("fulfill"), press: fulfil}},
	"retryOrder":        {of: anyOrder, role: "finance", order: (*cast).failed, act: act{done: decisionsOf("retry"), press: retry}},
	"amendOrderAddress": {of: anyOrder, role: "finance", short: true, order: (*cast).failed, act: act{done: decisionsOf("amend_address"), press: amend, agree: agreed}},
	"markOrderSent":     {of: anyOrder, role: "finance", order: (*cast).failed, act: act{done: decisionsOf("mark_sent"), press: markSent, agree: agreed}},
	"markOrderSent, above what one person may": {of: ownMoney, role: "finance", large: true, order: (*cast).failed,
		act: act{done: decisionsOf("mark_sent"), press: markSent, agree: agreed}},
	"releaseRisk": {of: anyOrder, role: "compliance", short: true, order: (*cast).underReview, act: act{done: released, press: release, agree: again(release)}},
	"releaseRisk, above what one person may": {of: ownMoney, role: "compliance", large: true, order: (*cast).underReview,
		act: act{done: released, press: release, agree: again(release)}},
	"approvePayout": {of: ownMoney, role: "finance", short: true, act: payoutAct},
	"approvePayout, above what one person may": {of: ownMoney, role: "finance", large: true, act: payoutAct},
	"payBackClosedCredit": {of: ownMoney, role: "finance", act: act{done: `SELECT count(*) FROM stranded_credits WHERE id = $1 AND paid_at IS NOT NULL`, press: payBack, agree: again(payBack),
		make: func(c *cast, large bool) string {
			c.gone = c.v
			return c.stranded(large)
		}}},
	"unfreezeCustomer": {of: anyOrder, role: "compliance", act: act{done: decisionsOf("retry"),
		press: func(c *cast, who *visitor, _ string) *answer {
			c.exec(`UPDATE users SET frozen_at = clock_now(), frozen_reason = 'looks like theft' WHERE id = $1`, c.v.userID)
			return who.post("/api/admin/customers/"+c.v.userID+"/unfreeze", `{"reason":"settled"}`)
		}}, order: func(c *cast, order string) string {
		c.needs(order, casework.AttentionCustomer)
		return order
	}},
	"fulfillOrder, of a captured card": {of: []place{byIdentity}, role: "finance", act: act{done: decisionsOf("fulfill"), press: fulfil,
		make: func(c *cast, _ bool) string {
			id := c.buysCoin("card", smallCoin)
			c.authorise(id)
			c.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, id)
			return id
		}}},
	"fulfillOrder, of another's receipt": {of: []place{byIdentity}, role: "finance", act: act{done: decisionsOf("fulfill"), press: fulfil,
		make: func(c *cast, _ bool) string { return c.paidByOther(smallCoin) }}},
	"releaseRisk, of a voucher": {of: []place{byIdentity}, role: "compliance", act: act{done: released, press: release,
		make: func(c *cast, _ bool) string {
			redemption, review := c.redemption(), store.NewID()
			c.exec(`UPDATE voucher_redemptions SET under_review = true WHERE id = $1`, redemption)
			c.exec(`INSERT INTO risk_reviews (id, redemption_id, user_id, address_key, score, reasons) VALUES ($1, $2, $3, 'x', 100, '{shared_address}')`, review, redemption, c.v.userID)
			return review
		}}},
	"resumeVoucher": {of: []place{byIdentity}, role: "admin", act: act{press: on("/api/admin/vouchers/{id}/resume", `{"reason":"no float"}`), done: `SELECT count(*) FROM matter_decisions d JOIN voucher_redemptions r ON r.id = d.matter_id
			WHERE r.voucher_id = $1 AND d.outcome_code = 'done' AND d.kind = 'resume'`,
		make: func(c *cast, _ bool) string {
			redemption := c.redemption()
			require.NoError(c, voucher.VoucherNeedsPerson(c.Context(), c.db, redemption, casework.AttentionInternal, ""))
			return one[string](c.testServer, `SELECT voucher_id::text FROM voucher_redemptions WHERE id = $1`, redemption)
		}}},
	"redeemVoucher": {of: []place{onVoucher}, role: "admin", act: act{done: `SELECT count(*) FROM voucher_redemptions r JOIN vouchers v ON v.id = r.voucher_id WHERE v.batch_id = $1`,
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/vouchers/redeem", redemptionOf(c.codeOf(id)))
		}}},
	"approveVouchers": {of: []place{onBatch}, role: "admin", act: act{done: sources["generateVoucher"].done, press: on("/api/admin/voucher-batches/{id}/approve", "")}},
}

var payoutAct = act{done: `SELECT count(*) FROM payouts WHERE id = $1 AND status = 'approved'`, press: payOut, agree: again(payOut),
	make: func(c *cast, large bool) string {
		return c.v.paysOut(payoutOf(map[bool]string{false: smallDollars, true: largeDollars}[large]))
	}}

// redemption is the use of a voucher that somebody else made.
func (c *cast) redemption() (id string) {
	c.Helper()
	return c.v.post("/api/vouchers/redeem", redemptionOf(c.boss.generate(smallDollars, "USD").Code)).is(http.StatusCreated).text("id")
}

// needs has an order wait for staff.
func (c *cast) needs(id, reason string) {
	c.Helper()
	require.NoError(c, order.NeedPerson(c.Context(), c.db, id, reason, "", ""))
}

// codeOf is the code of the voucher of a batch.
func (c *cast) codeOf(batch string) string {
	c.Helper()
	var row voucher.Voucher
	require.NoError(c, c.db.ORM(c.Context()).Where("batch_id = ?", batch).Take(&row).Error)
	code, err := voucher.VoucherCode(c.server.Vault, &row)
	require.NoError(c, err)
	return code
}

// takesFrom reports whether an exit takes value from a place.
func (x exit) takesFrom(p place) bool { return slices.Contains(x.of, p) }
