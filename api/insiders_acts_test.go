package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"

	voucherapi "github.com/tradepost/tradepost/api/voucher"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// These are about money outside of an order: each is proposed by one person and
// approved by another, whatever its amount.
func init() {
	receipt := func(c *cast, large bool) string {
		return one[string](c.testServer, `SELECT id::text FROM receipts WHERE order_id = $1`, c.wired(large))
	}
	unplaced := func(c *cast, large bool) string {
		amount := map[bool]string{false: "500.00", true: "1000.00"}[large]
		return c.other.post("/api/admin/money/unplaced", `{"amount":"`+amount+`","bankReference":"U-`+store.NewID()+`","receivedOn":"2026-11-20","rail":"zelle","sender":"A. N. OTHER"}`).is(http.StatusCreated).text("id")
	}
	approve := func(_ *cast, who *visitor, _ string, asked *answer) *answer {
		return who.post("/api/admin/money/proposals/"+asked.text("id")+"/approve", `{}`)
	}
	acts["returnPayout"] = act{done: `SELECT count(*) FROM payouts WHERE id = $1 AND status = 'returned'`, make: (*cast).transferred,
		press: on("/api/admin/payouts/{id}/return", `{"reason":"account closed"}`),
		agree: func(_ *cast, who *visitor, _ string, asked *answer) *answer {
			return who.post("/api/admin/money/proposals/"+asked.text("decisionId")+"/approve", `{}`)
		}}
	acts["reverseReceipt"] = act{done: `SELECT count(*) FROM receipts WHERE id = $1 AND reversed_at IS NOT NULL`, make: receipt, agree: approve,
		press: on("/api/admin/money/receipts/{id}/reverse", `{"reason":"another customer's"}`)}
	acts["returnReceipt"] = act{done: `SELECT count(*) FROM receipt_returns WHERE receipt_id = $1`, make: receipt, agree: approve,
		press: func(c *cast, who *visitor, id string) *answer {
			day := one[string](c.testServer, `SELECT received_on::text FROM receipts WHERE id = $1`, id)
			return who.post("/api/admin/money/receipts/"+id+"/return", `{"amount":"400.00","bankReference":"R-`+store.NewID()+`","returnedOn":"`+day+`","code":"R10","reason":"the bank says so"}`)
		}}
	acts["creditMoney"] = act{done: `SELECT count(*) FROM unplaced_money WHERE id = $1 AND status = 'credited'`, make: unplaced, agree: approve,
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/money/unplaced/"+id+"/credit", `{"customer":"`+c.v.userID+`","reason":"theirs"}`)
		}}
	acts["recallMoney"] = act{done: `SELECT count(*) FROM recalls WHERE money_id = $1`, agree: approve,
		make: func(c *cast, large bool) string {
			id := unplaced(c, large)
			approve(c, c.boss, id, acts["creditMoney"].press(c, c.other, id)).is(http.StatusOK)
			return id
		},
		press: func(_ *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/money/unplaced/"+id+"/return", `{"amount":"400.00","bankReference":"R-`+store.NewID()+
				`","returnedOn":"2026-11-21","code":"R10","reason":"the bank says so"}`)
		}}
	acts["sendBackMoney"] = act{done: `SELECT count(*) FROM unplaced_money WHERE id = $1 AND status = 'sent_back'`, make: unplaced, agree: approve,
		press: func(_ *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/money/unplaced/"+id+"/send-back", `{"bankReference":"B-`+store.NewID()+`","sentOn":"2026-11-21","reason":"to its sender"}`)
		}}
	acts["claimGiftCard"] = act{done: `SELECT count(*) FROM gift_card_claims WHERE card_id = $1`,
		make: (*cast).paidCard, agree: approve, press: claims}
	acts["reverseGiftCardClaim"] = act{agree: approve,
		done:  `SELECT count(*) FROM gift_card_claims WHERE card_id = $1 AND reversed_at IS NOT NULL`,
		press: on("/api/admin/money/gift-cards/{id}/reverse-claim", `{"reason":"the buyer paid"}`),
		make: func(c *cast, large bool) string {
			id := c.paidCard(large)
			approve(c, c.boss, id, claims(c, c.other, id)).is(http.StatusOK)
			return id
		}}
	acts["payBackClosedCredit"] = act{done: `SELECT count(*) FROM stranded_credits WHERE id = $1 AND paid_at IS NOT NULL`, press: payBack, agree: again(payBack), make: (*cast).stranded}
	acts["openUnplaced"] = act{done: `SELECT count(*) FROM unplaced_money WHERE bank_reference = 'U-' || $1`, make: newName,
		press: func(_ *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/money/unplaced", `{"amount":"500.00","bankReference":"U-`+id+`","receivedOn":"2026-11-20","rail":"zelle","sender":"A. N. OTHER"}`)
		}, agree: noSecond}
	acts["placeMoney"] = act{done: `SELECT count(*) FROM unplaced_money WHERE id = $1 AND status = 'placed'`, agree: approve,
		make: func(c *cast, large bool) string {
			amount, day := c.total(c.buys("domestic_wire", large)), one[string](c.testServer, `SELECT to_char(clock_now(), 'YYYY-MM-DD')`)
			return c.other.post("/api/admin/money/unplaced", `{"amount":"`+amount+`","bankReference":"U-`+store.NewID()+`","receivedOn":"`+day+`","rail":"domestic_wire","sender":"A. N. OTHER"}`).is(http.StatusCreated).text("id")
		},
		press: func(c *cast, who *visitor, id string) *answer {
			order := one[string](c.testServer, `SELECT id::text FROM orders WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`, c.v.userID)
			return who.post("/api/admin/money/unplaced/"+id+"/place", `{"order":"`+order+`","reason":"theirs"}`)
		}}
	acts["reinstateReturn"] = act{done: `SELECT count(*) FROM receipt_returns WHERE id = $1 AND reinstated_at IS NOT NULL`, agree: approve,
		make: func(c *cast, large bool) string {
			id := receipt(c, large)
			returned := acts["returnReceipt"]
			approve(c, c.boss, id, returned.press(c, c.other, id)).is(http.StatusOK)
			return one[string](c.testServer, `SELECT id::text FROM receipt_returns WHERE receipt_id = $1`, id)
		},
		press: func(c *cast, who *visitor, id string) *answer {
			day := one[string](c.testServer, `SELECT returned_on::text FROM receipt_returns WHERE id = $1`, id)
			return who.post("/api/admin/money/returns/"+id+"/reinstate", `{"bankReference":"I-`+id+`","reinstatedOn":"`+day+`","reason":"the bank took it back"}`)
		}}
	acts["proposeJournal"] = act{done: `SELECT count(*) FROM money_proposals WHERE reason = $1 AND status = 'approved'`, make: newName, agree: approve,
		press: func(c *cast, who *visitor, id string) *answer {
			document := who.document(picture(c.T, 8)).is(http.StatusCreated).text("id")
			return who.post("/api/admin/money/journal", `{"lines":[{"from":"bank_clearing","to":"provider_fees","currency":"USD","amount":"1000.00"}],"documentId":"`+document+`","reason":"`+id+`"}`)
		}}
}

// stranded is money of an account that is closed: of one account, however much of it
// there is.
func (c *cast) stranded(large bool) string {
	if c.gone == nil {
		c.gone = c.rich(1_000_000)
	}
	c.exec(`UPDATE users SET closed_at = NULL WHERE id = $1`, c.gone.userID)
	payout := c.gone.paysOut(payoutOf(map[bool]string{false: "500", true: "1000"}[large]))
	c.exec(`UPDATE users SET closed_at = clock_now() WHERE id = $1`, c.gone.userID)
	c.other.post("/api/admin/payouts/"+payout+"/reject", `{"reason":"gone"}`).is(http.StatusOK)
	return one[string](c.testServer, `SELECT id::text FROM stranded_credits WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`, c.gone.userID)
}

func payBack(c *cast, who *visitor, id string) *answer {
	said := `{"reference":"C-` + id + `","reason":"to where it came from"}`
	return who.post("/api/admin/closed-credits/"+id+"/pay-back", c.naming(correction.KindClosedCredit, id, said))
}

// newName names what the act itself makes.
func newName(*cast, bool) string { return store.NewID() }

// noSecond is where one person was enough.
func noSecond(_ *cast, _ *visitor, _ string, asked *answer) *answer { return asked }

// These are executed by one person, whatever they are about.
func init() {
	single := func(id, path, body, done string, make func(c *cast, large bool) string) {
		acts[id] = act{done: done, make: make, press: on(path, body), agree: noSecond}
	}
	acts["processPayment"] = act{done: decisionsOf("process"), agree: noSecond,
		make: func(c *cast, large bool) string {
			id := c.buys("card", large)
			c.authorise(id)
			return id
		},
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/payments/"+one[string](c.testServer, `SELECT id::text FROM payments WHERE order_id = $1`, id)+"/process", "")
		}}
	single("acceptDispute", "/api/admin/orders/{id}/dispute/accept", `{"reason":"a forged card"}`, `SELECT count(*) FROM disputes WHERE order_id = $1 AND answer = 'accept'`,
		func(c *cast, large bool) string {
			id := c.buys("card", large)
			c.authorise(id)
			c.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, id)
			amount := money.FromInt(one[int64](c.testServer, `SELECT total::bigint FROM orders WHERE id = $1`, id))
			_, err := order.RecordDispute(c.Context(), c.db, id, order.DisputeReading{ID: "dp_" + id, Status: order.DisputeOpen, Reason: "fraudulent", Amount: amount, Withdrawn: amount})
			require.NoError(c, err)
			return id
		})
	single("resumeOrder", "/api/admin/orders/{id}/resume", "{}", decisionsOf("resume"), func(c *cast, large bool) string {
		id := c.buys("balance", large)
		c.exec(`UPDATE orders SET held = true WHERE id = $1`, id)
		return id
	})
	acts["realiseGiftCard"] = act{done: `SELECT count(*) FROM gift_cards WHERE id = $1 AND realised_at IS NOT NULL`,
		make: (*cast).paidCard, agree: noSecond,
		press: func(_ *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/gift-cards/"+id+"/realise", `{"amount":"500","reference":"sold `+id+`"}`)
		}}
	acts["confirmPayout"] = act{done: `SELECT count(*) FROM payouts WHERE id = $1 AND status = 'paid'`, make: (*cast).approvedPayout, press: transfer, agree: noSecond}
	single("unfreezeCustomer", "/api/admin/customers/{id}/unfreeze", `{"reason":"settled"}`, `SELECT count(*) FROM users WHERE id = $1 AND frozen_at IS NULL`,
		func(c *cast, _ bool) string {
			c.exec(`UPDATE users SET frozen_at = clock_now(), frozen_reason = 'looks like theft' WHERE id = $1`, c.v.userID)
			return c.v.userID
		})
	single("releaseKyc", "/api/admin/kyc/{id}/release", `{"reason":"looked"}`, `SELECT count(*) FROM kyc_records WHERE user_id = $1 AND held_at IS NULL`,
		func(c *cast, _ bool) string {
			c.exec(`UPDATE kyc_records SET level = 'none', status = 'pending', applicant_id = user_id::text, held_at = clock_now() WHERE user_id = $1`, c.v.userID)
			return c.v.userID
		})
	acts["turnSwitch"] = act{done: `SELECT count(*) FROM switches WHERE name = $1 AND NOT paused`, agree: noSecond,
		press: func(_ *cast, who *visitor, id string) *answer { return who.turn("asset", id, false) },
		make: func(c *cast, _ bool) string {
			c.boss.turn("asset", "ETH", true).is(http.StatusOK)
			return "ETH"
		}}
	single("approveReward", "/api/admin/referrals/{id}/approve", `{"reason":"they are two people"}`, `SELECT count(*) FROM rewards WHERE id = $1 AND status = 'rewarded'`,
		func(c *cast, _ bool) string {
			friend := c.customer()
			friend.order("card")
			return c.heldReward(c.v.userID, friend.userID)
		})
}

// paidCard is a gift card that others approved, whatever it takes.
func (c *cast) paidCard(large bool) string {
	id := acts["approveGiftCard"].make(c, large)
	if valued(c, c.other, id); one[int](c.testServer, acts["approveGiftCard"].done, id) == 0 {
		valued(c, c.boss, id).is(http.StatusOK)
	}
	return id
}

// claims proposes to claim all that was paid for a card from its customer.
func claims(c *cast, who *visitor, id string) *answer {
	paid := one[string](c.testServer, `SELECT to_char(paid / 100, 'FM9990.00') FROM gift_cards WHERE id = $1`, id)
	return who.post("/api/admin/money/gift-cards/"+id+"/claim", `{"amount":"`+paid+`","reason":"the card was used"}`)
}

// These are about identities: each act has a customer of its own.
func init() {
	approve := on("/api/admin/kyc/{id}/approve", `{"level":"standard","reason":"seen in person"}`)
	after := func(says kyc.KYCReview) func(c *cast, _ bool) string {
		return func(c *cast, _ bool) string {
			v := c.newcomer()
			v.says(says)
			return v.userID
		}
	}
	verified := `SELECT count(*) FROM kyc_records WHERE user_id = $1 AND level <> 'none' AND revoked_at IS NULL`
	acts["approveKyc"] = act{done: verified, make: after(inReview), press: approve, agree: noSecond}
	acts["approveKyc, rejected finally"] = act{done: verified, make: after(forged), press: approve,
		agree: func(c *cast, who *visitor, id string, asked *answer) *answer {
			version := one[int](c.testServer, `SELECT version FROM kyc_proposals WHERE id = $1`, asked.text("decisionId"))
			return who.post("/api/admin/kyc/"+id+"/proposal/approve", fmt.Sprintf(`{"proposalId":%q,"version":%d}`, asked.text("decisionId"), version))
		}}
}

// approvedPayout is one that two others approved.
func (c *cast) approvedPayout(large bool) string {
	id := c.v.paysOut(payoutOf(map[bool]string{false: "500", true: "1000"}[large]))
	for _, who := range []*visitor{c.other, c.boss} {
		payOut(c, who, id)
	}
	return id
}

func transfer(_ *cast, who *visitor, id string) *answer {
	return who.post("/api/admin/payouts/"+id+"/confirm", `{"reference":"P-`+id+`"}`)
}

// These are about vouchers and our own wallets.
func init() {
	voidIt, voidAll := on("/api/admin/vouchers/{id}/void", `{"reason":"lost"}`), on("/api/admin/voucher-batches/{id}/void", `{"reason":"leaked"}`)
	sentence := func(path string) func(*cast, *visitor, string, *answer) *answer {
		return func(_ *cast, who *visitor, id string, _ *answer) *answer {
			return who.post(strings.Replace(path, "{id}", id, 1), "")
		}
	}
	voided := `SELECT count(*) FROM vouchers WHERE $1 IN (id::text, batch_id::text) AND status = 'voided'`
	acts["generateVoucher"] = act{done: `SELECT count(*) FROM vouchers WHERE batch_id = $1 AND status = 'active'`, agree: sentence("/api/admin/voucher-batches/{id}/approve"),
		make: func(c *cast, large bool) string {
			c.large = large
			return store.NewID()
		},
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/vouchers", `{"amount":"`+c.dollars(c.large)+`","currency":"USD","batchId":"`+id+`"}`)
		}}
	acts["generateVoucherBatch"] = act{done: madeFor, make: acts["generateVoucher"].make,
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/voucher-batches", batchOf(c.dollars(c.large), 1, id))
		},
		agree: func(_ *cast, who *visitor, _ string, asked *answer) *answer {
			return who.post("/api/admin/voucher-batches/"+asked.text("id")+"/approve", "")
		}}
	acts["voidVoucher"] = act{done: voided, press: voidIt, agree: again(voidIt), make: func(c *cast, large bool) string { return c.voucher(large).ID }}
	acts["voidVoucherBatch"] = act{done: voided, press: voidAll, agree: sentence("/api/admin/voucher-batches/{id}/void/agree"),
		make: func(c *cast, large bool) string { return c.voucher(large).BatchID }}
	redeemed := func(c *cast, large bool) string {
		v := c.voucher(large)
		r := c.v.post("/api/vouchers/redeem", redemptionOf(v.Code)).is(http.StatusCreated).text("id")
		require.NoError(c, voucher.VoucherNeedsPerson(c.Context(), c.db, r, casework.AttentionInternal, ""))
		return v.ID
	}
	acts["declareVoucherTransferDead"] = act{done: `SELECT count(*) FROM matter_decisions d JOIN voucher_redemptions r ON r.id = d.matter_id WHERE r.voucher_id = $1 AND d.kind = 'transfer_dead' AND d.outcome_code = 'done'`,
		press: on("/api/admin/vouchers/{id}/transfer-dead", dead),
		agree: func(_ *cast, who *visitor, _ string, asked *answer) *answer {
			return who.post("/api/admin/money/proposals/"+asked.text("decisionId")+"/approve", `{}`)
		},
		make: func(c *cast, large bool) string {
			id := redeemed(c, large)
			c.exec(`INSERT INTO withdrawals (id, redemption_id, user_id, generation, asset, network, address, amount, sequence_id, status)
				SELECT gen_random_uuid(), id, user_id, 1, asset, network, dest_address, amount, 'vou-' || id || '-send-1', 'removed' FROM voucher_redemptions WHERE voucher_id = $1`, id)
			return id
		}}
	of := `SELECT count(*) FROM matter_decisions d JOIN voucher_redemptions r ON r.id = d.matter_id WHERE r.voucher_id = $1 AND d.outcome_code = 'done' AND d.kind = `
	for kind, id := range map[string]string{"restore": "restoreVoucher", "resume": "resumeVoucher"} {
		acts[id] = act{done: of + "'" + kind + "'", make: redeemed, press: on("/api/admin/vouchers/{id}/"+kind, `{"reason":"no float"}`), agree: noSecond}
	}
	acts["proposeTreasuryMove"] = act{done: `SELECT count(*) FROM treasury_moves WHERE reason = $1 AND status = 'approved'`,
		make: func(c *cast, _ bool) string {
			c.exec(`UPDATE treasury_moves SET status = 'withdrawn', decided_by = proposed_by, closed_at = clock_now() WHERE closed_at IS NULL`)
			return store.NewID()
		},
		press: func(_ *cast, who *visitor, id string) *answer {
			return who.post(movesPath, `{"asset":"BTC","network":"bitcoin","amount":"0.02","reason":"`+id+`"}`)
		},
		agree: func(_ *cast, who *visitor, _ string, asked *answer) *answer {
			return who.post(movesPath+"/"+asked.text("id")+"/approve", "")
		}}
}

// madeFor counts the active vouchers of batches with a purpose.
const madeFor = `SELECT count(*) FROM vouchers v JOIN voucher_batches b ON b.id = v.batch_id WHERE b.purpose = $1 AND v.status = 'active'`

// batchOf is the body that requests a batch of dollar vouchers.
func batchOf(dollars string, quantity int, purpose string) string {
	return fmt.Sprintf(`{"amount":%q,"currency":"USD","quantity":%d,"purpose":%q}`, dollars, quantity, purpose)
}

func (c *cast) dollars(large bool) string { return map[bool]string{false: "500", true: "1000"}[large] }

// voucher is one that can be redeemed, made by one admin and approved by another
// where that is needed.
func (c *cast) voucher(large bool) voucherapi.MadeVoucher {
	made := c.other.generate(c.dollars(large), "USD")
	if made.Status != string(voucher.VoucherActive) {
		c.boss.post("/api/admin/voucher-batches/"+made.BatchID+"/approve", "").is(http.StatusOK)
	}
	return made
}
