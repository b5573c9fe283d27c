package models_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// offerLess offers the customer a refund of some cents together with less coin.
func (d *orderFixture) offerLess(cents int64) (*order.CoinOffer, error) {
	amount := money.FromInt(cents)
	return order.OfferLessCoin(d.Context(), d.db, order.NewRefund{OrderID: d.order.ID, Amount: &amount, ActorID: d.staff, ActorRole: "admin", Reason: "too much"})
}

// offered is an offer that the customer can answer.
func (d *orderFixture) offered(cents int64) *order.CoinOffer {
	d.Helper()
	offer, err := d.offerLess(cents)
	require.NoError(d, err)
	return offer
}

func (d *orderFixture) answer(offer *order.CoinOffer) order.CoinAnswer {
	return order.CoinAnswer{OrderID: d.order.ID, OfferID: offer.ID, ActorID: d.user}
}

func (d *orderFixture) agree(offer *order.CoinOffer) (*order.Refund, error) {
	return order.AgreeToLessCoin(d.Context(), d.db, d.answer(offer))
}

func (d *orderFixture) offerStatus(offer *order.CoinOffer) string {
	d.Helper()
	rows, err := order.CoinOffers(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	for i := range rows {
		if rows[i].ID == offer.ID {
			return rows[i].Status
		}
	}
	return ""
}

// refundArrives executes a refund to a card.
func (d *orderFixture) refundArrives(row *order.Refund, status string) {
	d.Helper()
	_, err := order.StartGiveBack(d.Context(), d.db, d.order.ID, row.Sequence)
	require.NoError(d, err)
	require.NoError(d, order.RecordRefund(d.Context(), d.db, d.order.ID, row.Sequence, "re_"+d.order.ID, status, ""))
}

// An offer of less coin books nothing and bars what moves the coin or the money. On agreement the order delivers what the
// rest buys at its own price, the refund is borne by our debt, and nothing is goodwill.
func TestLessCoinNeedsAgreement(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	before := d.now()
	offer := d.offered(10_000)
	require.Equal(t, before.Amount, d.now().Amount, "an offer changes nothing")
	require.Equal(t, "0.00", money.USD.Format(d.now().Refunded))
	require.NotNil(t, d.now().OfferUntil)
	for _, kind := range []string{order.DecisionFulfill, order.DecisionRefund} {
		_, err := d.decide(kind, nil)
		require.Equal(t, "coin_offer_open", store.ReasonOf(err), kind)
	}
	_, err := d.part(100)
	require.Equal(t, "coin_offer_open", store.ReasonOf(err))
	_, err = d.offerLess(100)
	require.Equal(t, "coin_offer_open", store.ReasonOf(err))
	require.NoError(t, d.actions(func(n int) int { return n - 1 })["hold"]())
	require.NoError(t, d.actions(func(n int) int { return n - 1 })["resume"]())

	row, err := d.agree(offer)
	require.NoError(t, err)
	again, err := d.agree(offer)
	require.NoError(t, err, "agreed twice is agreed once")
	require.Equal(t, row.Sequence, again.Sequence)
	require.Equal(t, 1, d.count(`SELECT count(*) FROM refunds WHERE order_id = $1`, d.order.ID))
	_, err = d.decide(order.DecisionFulfill, nil)
	require.Equal(t, "refund_pending", store.ReasonOf(err), "no coin leaves beside the refund")
	d.refundArrives(row, order.RefundSucceeded)

	o := d.now()
	require.Negative(t, o.Amount.Cmp(before.Amount))
	require.Equal(t, before.Total, o.Total, "what was paid stays")
	require.Equal(t, money.FromInt(10_000), o.Reduced)
	require.Equal(t, o.Total.Sub(o.Reduced), o.BasePrice.Add(o.PaymentFee).Sub(o.VolumeDiscount))
	d.do("fulfill", "buy", "start transfer", "broadcast", "confirm")
	require.Equal(t, order.StatusSent, d.now().Status)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountGoodwill))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.balanced()
}

// A refund of a part without the choice sends all the coin, as before.
func TestSendAllLeavesTheCoin(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	before := d.now()
	row, err := d.part(10_000)
	require.NoError(t, err)
	d.refundArrives(row, order.RefundSucceeded)
	require.Equal(t, before.Amount, d.now().Amount)
	require.True(t, d.now().Reduced.IsZero())
	d.do("fulfill", "buy", "start transfer", "broadcast", "confirm")
	require.Equal(t, "100.00", d.balanceOf(ledger.AccountGoodwill))
	d.balanced()
}

// An offer ends without effect: declined, withdrawn, not answered in time, or because the order no longer fits it. What
// staff stated for it is withdrawn, and the order waits for staff as before.
func TestLessCoinNotAgreedChangesNothing(t *testing.T) {
	ways := map[string]func(d *orderFixture, offer *order.CoinOffer){
		order.CoinOfferDeclined: func(d *orderFixture, offer *order.CoinOffer) {
			require.NoError(d, order.KeepAllCoin(d.Context(), d.db, d.answer(offer)))
			require.NoError(d, order.KeepAllCoin(d.Context(), d.db, d.answer(offer)), "declined twice is declined once")
		},
		order.CoinOfferWithdrawn: func(d *orderFixture, offer *order.CoinOffer) {
			in := order.CoinAnswer{OrderID: d.order.ID, OfferID: offer.ID, ActorID: d.staff, ActorRole: "admin"}
			require.Equal(d, "required", store.ReasonOf(order.WithdrawCoinOffer(d.Context(), d.db, in)))
			in.Reason = "a mistake"
			require.NoError(d, order.WithdrawCoinOffer(d.Context(), d.db, in))
		},
		order.CoinOfferExpired: func(d *orderFixture, offer *order.CoinOffer) {
			require.NoError(d, order.ExpireCoinOffers(d.Context(), d.db, 10))
			require.Equal(d, order.CoinOfferOpen, d.offerStatus(offer), "not before its time")
			d.owner(`UPDATE clock SET ahead = ahead + interval '73 hours'`)
			_, err := d.agree(offer)
			require.Equal(d, "offer_ended", store.ReasonOf(err), "late")
			require.NoError(d, order.ExpireCoinOffers(d.Context(), d.db, 10))
		},
		order.CoinOfferEnded: func(d *orderFixture, _ *order.CoinOffer) { require.NoError(d, d.dispute(order.DisputeOpen)) },
	}
	for how, end := range ways {
		t.Run(how, func(t *testing.T) {
			d := openOrderFixture(t)
			d.pay()
			before := d.now()
			offer := d.offered(10_000)
			end(d, offer)
			require.Equal(t, how, d.offerStatus(offer))
			_, err := d.agree(offer)
			require.Equal(t, "offer_ended", store.ReasonOf(err))
			require.Equal(t, before.Terms(), d.now().Terms())
			require.Nil(t, d.now().OfferUntil)
			require.Zero(t, d.count(`SELECT count(*) FROM refunds WHERE order_id = $1`, d.order.ID))
			require.Zero(t, d.count(`SELECT count(*) FROM attestations WHERE withdrawn_at IS NULL AND kind = 'refund'`))
			if how != order.CoinOfferEnded {
				_, err = d.decide(order.DecisionFulfill, nil)
				require.NoError(t, err)
			}
			d.balanced()
		})
	}
}

// An offer of one person who was frozen since ends; one that another person approved stays.
func TestLessCoinOfAFrozenPersonEnds(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	offer := d.offered(10_000)
	d.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, d.staff)
	_, err := d.agree(offer)
	require.Equal(t, "offer_ended", store.ReasonOf(err))
	require.Equal(t, order.CoinOfferOpen, d.offerStatus(offer))
	require.NoError(t, order.ExpireCoinOffers(t.Context(), d.db, 10))
	require.Equal(t, order.CoinOfferWithdrawn, d.offerStatus(offer))
	require.Nil(t, d.now().OfferUntil)
	d.balanced()
}

// Nobody answers for the customer, a frozen customer answers nothing, and a customer does not withdraw their own offer.
func TestLessCoinIsAnsweredByItsCustomer(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	offer := d.offered(10_000)
	foreign := d.answer(offer)
	foreign.ActorID = d.staff
	_, err := order.AgreeToLessCoin(t.Context(), d.db, foreign)
	require.Equal(t, store.CodeNotFound, store.CodeOf(err))
	own := d.answer(offer)
	own.Reason = "mine"
	require.Equal(t, "own_order", store.ReasonOf(order.WithdrawCoinOffer(t.Context(), d.db, own)))
	d.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, d.user)
	_, err = d.agree(offer)
	require.Equal(t, "account_frozen", store.ReasonOf(err))
	require.Equal(t, "account_frozen", store.ReasonOf(order.KeepAllCoin(t.Context(), d.db, d.answer(offer))))
	require.Equal(t, order.CoinOfferOpen, d.offerStatus(offer))
	d.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, d.user)
	_, err = d.agree(offer)
	require.NoError(t, err)
}

// The coin is what the rest buys at the order's own price, rounded down: the price of a coin never falls.
func TestLessCoinKeepsThePrice(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	o := d.now()
	total, _ := o.Total.Int64()
	for refund := int64(1); refund < total; refund += 997 {
		rest := money.FromInt(total - refund)
		terms := o.TermsFor(rest, 8)
		require.Equal(t, rest, terms.Price())
		require.GreaterOrEqual(t, terms.PaymentFee.Sign(), 0)
		sold := o.Asset.Decimal(terms.Amount).Mul(money.USD.Decimal(o.Total))
		bought := o.Asset.Decimal(o.Amount).Mul(money.USD.Decimal(rest))
		require.True(t, sold.LessThanOrEqual(bought), "%s for %s", terms.Amount, rest)
	}
	_, err := d.offerLess(total)
	require.Equal(t, "rest_too_small", store.ReasonOf(err))
	_, err = d.offerLess(total - 100)
	require.Equal(t, "rest_too_small", store.ReasonOf(err))
	require.Equal(t, store.CodeInvalid, store.CodeOf(err))
}

// A card's bank that refuses the refund gives the order its coin back; one that returns it later has the customer credited,
// because the order sends less coin.
func TestLessCoinWhoseRefundFails(t *testing.T) {
	t.Run("before delivery", func(t *testing.T) {
		d := openOrderFixture(t)
		d.pay()
		before := d.now()
		offer := d.offered(10_000)
		row, err := d.agree(offer)
		require.NoError(t, err)
		d.refundArrives(row, order.RefundFailed)
		require.Equal(t, before.Terms(), d.now().Terms())
		require.True(t, d.now().Reduced.IsZero())
		require.Equal(t, order.CoinOfferUndone, d.offerStatus(offer))
		d.balanced()
	})
	t.Run("after delivery", func(t *testing.T) {
		d := openOrderFixture(t)
		d.pay()
		row, err := d.agree(d.offered(10_000))
		require.NoError(t, err)
		d.refundArrives(row, order.RefundSucceeded)
		d.do("fulfill", "buy", "start transfer", "broadcast")
		bonus := d.balanceOf(ledger.AccountPromotions)
		require.NoError(t, d.bounce())
		require.Equal(t, "100.00", money.USD.Format(d.now().Refunded))
		require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
		require.Equal(t, "0.00", d.balanceOf(ledger.AccountGoodwill))
		require.Equal(t, bonus, d.balanceOf(ledger.AccountPromotions))
		d.balanced()
	})
}

// Coin that is reserved for an order that failed before anything was bought is reduced with it; bought coin is not.
func TestLessCoinAfterAFailedPurchase(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill", "fail buy")
	row, err := d.agree(d.offered(10_000))
	require.NoError(t, err)
	d.refundArrives(row, order.RefundSucceeded)
	d.do("retry", "buy")
	_, err = d.offerLess(1_000)
	require.Equal(t, "coin_began", store.ReasonOf(err))
	d.do("start transfer", "broadcast", "confirm")
	require.Equal(t, order.StatusSent, d.now().Status)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.balanced()
	reserved, err := ledger.AccountBalance(t.Context(), d.db, ledger.ReservedAccount("bitcoin"), money.BTC)
	require.NoError(t, err)
	require.True(t, reserved.IsZero())
}

// Coin that an order does not need any more is released once the refund is made. Until then it is the order's, also if
// other orders have reserved the rest of the wallet: the refund may fail.
func TestLessCoinIsReleasedOnceItsRefundIsMade(t *testing.T) {
	for _, status := range []string{order.RefundSucceeded, order.RefundFailed} {
		t.Run(status, func(t *testing.T) {
			d := openOrderFixture(t)
			d.pay()
			d.do("fulfill", "fail buy")
			row, err := d.agree(d.offered(10_000))
			require.NoError(t, err)
			before := d.coin(ledger.ReservedAccount("bitcoin"))
			require.Equal(t, 1, before.Cmp(d.now().Amount))
			require.NoError(t, ledger.SeedFloat(t.Context(), d.db, "others", []ledger.Posting{{Currency: money.BTC,
				From: ledger.WalletAccount("bitcoin"), To: ledger.AccountEquity, Amount: d.coin(ledger.WalletAccount("bitcoin"))}}))
			d.refundArrives(row, status)
			d.balanced()
			o := d.now()
			require.Equal(t, o.Amount, d.coin(ledger.ReservedAccount("bitcoin")))
			if status == order.RefundFailed {
				require.Equal(t, before, o.Amount)
				return
			}
			require.Equal(t, before.Sub(o.Amount), d.coin(ledger.WalletAccount("bitcoin")))
			d.do("retry", "buy", "start transfer", "broadcast", "confirm")
			require.True(t, d.coin(ledger.ReservedAccount("bitcoin")).IsZero())
		})
	}
}

// A dispute takes all of the money while a refund with less coin is in progress: the order ends, and nothing of it stays
// reserved.
func TestLessCoinWhoseOrderEndsBeforeItsRefund(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill", "fail buy")
	row, err := d.agree(d.offered(10_000))
	require.NoError(t, err)
	d.disputeIs(order.DisputeLost, money.Units{})
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	require.True(t, d.coin(ledger.ReservedAccount("bitcoin")).IsZero())
	require.NoError(t, order.NotMade(t.Context(), d.db, d.order.ID, row.Sequence))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.balanced()
}

// coin is what an account holds of bitcoin.
func (d *orderFixture) coin(account string) money.Units {
	d.Helper()
	held, err := ledger.AccountBalance(d.Context(), d.db, account, money.BTC)
	require.NoError(d, err)
	return held
}

// Above one person's limit less coin is proposed, and offered once a second person approves.
func TestLessCoinAboveTheLimitIsProposed(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	amount, limit := money.FromInt(10_000), money.FromInt(5_000)
	_, err := order.OfferLessCoin(t.Context(), d.db, order.NewRefund{OrderID: d.order.ID, Amount: &amount, ActorID: d.staff, ActorRole: "admin", Reason: "much", Alone: &limit})
	require.True(t, errors.Is(err, dualcontrol.ErrSecondPerson))
	p, err := order.Propose(t.Context(), d.db, order.NewProposal{OrderID: d.order.ID, Kind: order.DecisionRefund, Amount: &amount, LessCoin: true, Reason: "much",
		ActorID: d.staff, ActorRole: "admin"})
	require.NoError(t, err)
	require.Nil(t, d.now().OfferUntil, "nothing is offered before it is approved")
	made, err := order.ApproveProposal(t.Context(), d.db, order.ProposalAnswer{OrderID: d.order.ID, ID: p.ID, Kinds: []string{order.DecisionRefund},
		ActorID: d.cashier, ActorRole: "admin", Seen: versionOf(t.Context(), d.db, order.KindProposal, p.ID)})
	require.NoError(t, err)
	require.NotNil(t, made.Offer)
	_, err = d.agree(made.Offer)
	require.NoError(t, err)
	require.Equal(t, money.FromInt(10_000), d.now().Reduced)
}

// Less coin is never proposed for all the money that is left, which would be approved as the refund of the whole order.
func TestLessCoinIsNotProposedForAllTheMoney(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	row, err := d.part(10_000)
	require.NoError(t, err)
	d.refundArrives(row, order.RefundSucceeded)
	left, err := order.Refundable(t.Context(), d.db, d.now())
	require.NoError(t, err)
	_, err = order.Propose(t.Context(), d.db, order.NewProposal{OrderID: d.order.ID, Kind: order.DecisionRefund,
		Amount: &left, LessCoin: true, Reason: "much", ActorID: d.staff, ActorRole: "admin"})
	require.Equal(t, "rest_too_small", store.ReasonOf(err))
	require.Zero(t, d.count(`SELECT count(*) FROM order_proposals WHERE order_id = $1`, d.order.ID))
}

// The rest of an order that the balance paid is no less than a new order of the balance: the network fee is in its
// minimum.
func TestLessCoinOfTheBalanceCoversTheNetworkFee(t *testing.T) {
	d := openOrderFixture(t)
	d.credit(cents(200_000))
	d.take(pricing.MethodBalance)
	total, _ := d.order.Total.Int64()
	rest := func(cents int64) error {
		_, err := order.LessCoin(t.Context(), d.db, d.now(), money.FromInt(total-cents))
		return err
	}
	require.NoError(t, rest(700), "$7.00")
	d.exec(`INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, provider, address, amount,
		sequence_id, status, fee) VALUES ($1, $2, $3, 1, 'BTC', 'bitcoin', 'bitgo', $4, 100, 'it died', 'failed', 12000)`,
		store.NewID(), d.order.ID, d.user, address)
	require.Equal(t, "rest_too_small", store.ReasonOf(rest(700)), "$2.50 and $6.00")
	require.NoError(t, rest(900))
}

// A card's bank sends the refund of less coin back while a lost dispute of the whole price has settled what we owed. The
// coin that is sent all the same costs less than what is claimed for it: its customer has the refund on their balance,
// once, whatever the bank does with the disputed money before or after.
func TestLessCoinWhoseRefundBouncesAfterALostDispute(t *testing.T) {
	none := money.Units{}
	ways := map[string]func(d *orderFixture){
		"claimed":                            func(d *orderFixture) { d.do("broadcast", "confirm") },
		"not claimed after the coin is lost": func(d *orderFixture) { d.do("broadcast", "die") },
		"reinstated before the coin is sent": func(d *orderFixture) {
			d.disputeIs(order.DisputeLost, d.order.Total)
			d.do("broadcast", "confirm")
		},
		"reinstated after the coin is sent": func(d *orderFixture) {
			d.do("broadcast", "confirm")
			d.disputeIs(order.DisputeLost, d.order.Total)
		},
		"reinstated by parts": func(d *orderFixture) {
			d.do("broadcast", "confirm")
			d.disputeIs(order.DisputeLost, money.FromInt(4_000))
			d.disputeIs(order.DisputeLost, money.FromInt(30_000))
		},
		"reinstated after the coin is lost": func(d *orderFixture) {
			d.do("broadcast")
			d.disputeIs(order.DisputeLost, money.FromInt(4_000))
			d.do("die")
			d.disputeIs(order.DisputeLost, d.order.Total)
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			d := openOrderFixture(t)
			d.pay()
			row, err := d.agree(d.offered(10_000))
			require.NoError(t, err)
			d.refundArrives(row, order.RefundSucceeded)
			d.do("fulfill", "buy", "start transfer")
			d.disputeIs(order.DisputeLost, none)
			require.NoError(t, d.bounce())
			require.Equal(t, d.order.Total, d.now().Refunded, "the bank has all of it")
			way(d)

			for _, account := range []string{ledger.AccountPrepaid, ledger.AccountChargebacks, ledger.AccountGoodwill} {
				require.Equal(t, "0.00", d.balanceOf(account), account)
			}
			disputes, err := order.Disputes(t.Context(), d.db, d.order.ID)
			require.NoError(t, err)
			o := d.now()
			price := o.Price() // of the coin that they have
			require.Equal(t, strings.Contains(name, "coin is lost"), o.Status != order.StatusSent)
			if o.Status != order.StatusSent {
				require.Equal(t, order.ResolutionRefunded, *o.Resolution)
				price = none
			}
			paid := o.Total.Sub(disputes[0].Withdrawn.Sub(disputes[0].Reinstated))
			require.Equal(t, money.USD.Format(paid.Sub(price)), d.customerHas())
			d.balanced()
		})
	}
}

// A card's bank sends the refund of less coin back while it has the whole price by a dispute that is open. Nothing is
// credited before it decides, unless the coin is on its way: what it keeps settles what we owe, or is claimed for sent
// coin.
func TestLessCoinWhoseRefundBouncesBesideADispute(t *testing.T) {
	none := money.Units{}
	ways := map[string]func(d *orderFixture){
		"lost": func(d *orderFixture) { d.disputeIs(order.DisputeLost, none) },
		"won": func(d *orderFixture) {
			d.disputeIs(order.DisputeWon, d.order.Total)
			d.do("fulfill", "buy", "start transfer", "broadcast", "confirm")
		},
		"sent and lost": func(d *orderFixture) {
			d.do("broadcast", "confirm")
			d.disputeIs(order.DisputeLost, none)
		},
		"sent and won": func(d *orderFixture) {
			d.do("broadcast", "confirm")
			d.disputeIs(order.DisputeWon, d.order.Total)
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			d := openOrderFixture(t)
			d.pay()
			row, err := d.agree(d.offered(10_000))
			require.NoError(t, err)
			d.refundArrives(row, order.RefundSucceeded)
			sent := strings.HasPrefix(name, "sent")
			if sent {
				d.do("fulfill", "buy", "start transfer")
			}
			d.disputeIs(order.DisputeOpen, none)
			require.NoError(t, d.bounce())
			require.Equal(t, map[bool]string{true: "100.00", false: "0.00"}[sent], d.customerHas())
			way(d)

			for _, account := range []string{ledger.AccountPrepaid, ledger.AccountChargebacks, ledger.AccountGoodwill} {
				require.Equal(t, "0.00", d.balanceOf(account), account)
			}
			disputes, err := order.Disputes(t.Context(), d.db, d.order.ID)
			require.NoError(t, err)
			o, price := d.now(), none
			if name != "lost" {
				require.Equal(t, order.StatusSent, o.Status)
				price = o.Price()
			}
			paid := o.Total.Sub(disputes[0].Withdrawn.Sub(disputes[0].Reinstated))
			require.Equal(t, money.USD.Format(paid.Sub(price)), d.customerHas())
			d.balanced()
		})
	}
}

// customerHas is what the order left on its customer's balance, less what they owe, without the tier's bonus.
func (d *orderFixture) customerHas() string {
	d.Helper()
	var sum money.Units
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), `SELECT coalesce(sum(CASE WHEN from_account LIKE 'customer:%' THEN amount ELSE 0 END)
		- sum(CASE WHEN to_account LIKE 'customer:%' THEN amount ELSE 0 END), 0) FROM postings
		WHERE order_id = $1 AND event NOT IN ('bonus_credited', 'bonus_taken_back')`, d.order.ID).Scan(&sum))
	return money.USD.Format(sum)
}
