package models_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// list puts addresses on a list, as an import does.
func (s *shop) list(source string, keys ...string) *risk.ListVersion {
	s.Helper()
	version, err := risk.ImportAddresses(s.Context(), s.db, listOf(source, keys...), risk.ListImport{})
	require.NoError(s, err)
	return version
}

func listOf(source string, keys ...string) risk.AddressList {
	list := risk.AddressList{Source: source, Kind: risk.AddressBlocked, Format: "text", Digest: "x"}
	for _, key := range keys {
		list.Addresses = append(list.Addresses, risk.BlockedAddress{Network: money.Bitcoin, Key: key})
	}
	return list
}

// plenty is more than anything here: what one person may do alone.
var plenty = money.FromInt(1_000_000_00)

func count(s *shop, query string, args ...any) (n int) {
	s.Helper()
	require.NoError(s, s.db.Pool().QueryRow(s.Context(), query, args...).Scan(&n))
	return n
}

// openReview is the id of the one review that is open.
func (s *shop) openReview() (id string) {
	s.Helper()
	require.NoError(s, s.db.Pool().QueryRow(s.Context(), `SELECT id FROM risk_reviews WHERE closed_at IS NULL`).Scan(&id))
	return id
}

func TestAListIsReplacedWholeAndTheSameOneOnce(t *testing.T) {
	s := openShop(t)
	preview, err := risk.ImportAddresses(t.Context(), s.db, listOf("a", "one", "two", "two"), risk.ListImport{Preview: true})
	require.NoError(t, err)
	require.Equal(t, []int{0, 2, 2, 0, 0}, []int{preview.Version, preview.Held, preview.Added, preview.Removed, preview.Unchanged})
	require.Zero(t, count(s, `SELECT count(*) FROM blocked_addresses`), "a preview changes nothing")
	require.Equal(t, 1, s.list("a", "one", "two").Version)
	require.Equal(t, 1, s.list("b", "two").Version, "an address can be on two lists")
	same := s.list("a", "two", "one")
	require.Equal(t, []int{1, 0, 0, 2}, []int{same.Version, same.Added, same.Removed, same.Unchanged}, "the same list is no new version")
	next := s.list("a", "three")
	require.Equal(t, []int{2, 1, 2, 0}, []int{next.Version, next.Added, next.Removed, next.Unchanged})
	require.Equal(t, 1, count(s, `SELECT count(*) FROM blocked_addresses WHERE address_key = 'two'`), "the other list still has it")
	require.Equal(t, 3, count(s, `SELECT count(*) FROM audit_log WHERE action = 'addresses.import'`))
	seen := 1
	_, err = risk.ImportAddresses(t.Context(), s.db, listOf("a", "four"), risk.ListImport{Seen: &seen})
	require.Equal(t, "list_changed", store.ReasonOf(err))
	_, err = risk.ImportAddresses(t.Context(), s.db, listOf("a"), risk.ListImport{})
	require.Equal(t, "no_addresses", store.ReasonOf(err), "an empty file empties no list")
	own := listOf("a", "x")
	own.Kind = risk.AddressOwn
	_, err = risk.ImportAddresses(t.Context(), s.db, own, risk.ListImport{})
	require.Equal(t, "list_kind", store.ReasonOf(err))
	_, err = s.db.Pool().Exec(t.Context(), `UPDATE address_lists SET added = 0`)
	require.Error(t, err, "what was imported is never changed")
}

// An order to a listed address is accepted like any other, cannot be captured, and waits for compliance; a release
// stands until the address is listed again.
func TestAListedAddressWaitsForCompliance(t *testing.T) {
	d := openOrderFixture(t)
	officer := store.Actor{ActorID: d.staff, ActorRole: "compliance", Reason: "a namesake"}
	d.list("sdn", address)
	d.take("card")
	require.True(t, d.now().UnderReview)
	require.Nil(t, d.now().AttentionReason, "its customer can pay")
	d.do("authorise")
	require.Equal(t, casework.AttentionRisk, *d.now().AttentionReason)
	_, err := d.decide(order.DecisionProcess, nil)
	require.Equal(t, "order_state", store.ReasonOf(err), "nobody captures it")
	review := d.openReview()
	_, err = customer.ReleaseReview(t.Context(), d.db, review, store.Actor{ActorID: d.user, Reason: "mine"}, plenty)
	require.Equal(t, store.CodeForbidden, store.CodeOf(err), "never on one's own")
	_, err = customer.ReleaseReview(t.Context(), d.db, review, store.Actor{ActorID: d.staff, Reason: " "}, plenty)
	require.Equal(t, "required", store.ReasonOf(err))
	done, err := customer.ReleaseReview(t.Context(), d.db, review, officer, plenty)
	require.NoError(t, err)
	require.Nil(t, done.Parked, "somebody has yet to press Process")
	require.Nil(t, d.now().AttentionReason)
	_, err = customer.ReleaseReview(t.Context(), d.db, review, officer, plenty)
	require.Equal(t, "review_decided", store.ReasonOf(err))
	d.do("process", "fulfill", "buy")
	require.Equal(t, order.StatusFilled, d.now().Status, "the release stands")

	d.list("another", address)
	d.do("start transfer")
	require.Equal(t, casework.AttentionBlocked, *d.now().AttentionReason, "listed again since: looked at just before sending")
	_, err = d.decide(order.DecisionMarkSent, nil)
	require.Equal(t, "order_state", store.ReasonOf(err))
	done, err = customer.ReleaseReview(t.Context(), d.db, d.openReview(), officer, plenty)
	require.NoError(t, err)
	require.NoError(t, order.RetryStep(t.Context(), d.db, d.order.ID, done.Parked.DecisionID))
	d.do("start transfer", "broadcast", "confirm")
	require.Equal(t, order.StatusSent, d.now().Status)
	require.Equal(t, 2, count(d.shop, `SELECT count(*) FROM audit_log WHERE action = 'risk.released' AND object_id = $1 AND reason = 'a namesake'`, d.order.ID))
	d.balanced()
}

// Before each step that would begin something at a provider, an order under
// review parks.
func TestNothingBeginsForAnOrderUnderReview(t *testing.T) {
	d := openOrderFixture(t)
	review := func(on bool) {
		d.exec(`UPDATE orders SET under_review = $2 WHERE id = $1`, d.order.ID, on)
		if !on {
			d.exec(`UPDATE orders SET attention_reason = NULL, attention_since = NULL WHERE id = $1`, d.order.ID)
		}
	}
	waits := func(step string) {
		t.Helper()
		require.Equal(t, casework.AttentionRisk, *d.now().AttentionReason, step)
		review(false)
	}
	d.pay()
	decision, err := d.decide(order.DecisionFulfill, nil)
	require.NoError(t, err)
	review(true)
	require.NoError(t, order.Reserve(t.Context(), d.db, d.order.ID, decision, 100))
	waits("reserve")
	d.do("fulfill")
	review(true)
	job, err := order.StartBuy(t.Context(), d.db, d.order.ID, 100, time.Minute)
	require.NoError(t, err)
	require.True(t, job.Done)
	waits("buy")
	job, err = order.StartBuy(t.Context(), d.db, d.order.ID, 100, time.Minute)
	require.NoError(t, err)
	review(true)
	_, err = order.ResendBuy(t.Context(), d.db, d.order.ID, job.Order.Generation, time.Minute)
	require.NoError(t, err)
	waits("buy again")
	d.do("buy")
	review(true)
	send, err := order.StartTransfer(t.Context(), d.db, d.order.ID, execution.Caps{Order: 100_000, Day: 100_000})
	require.NoError(t, err)
	require.True(t, send.Done)
	waits("send")
	d.do("start transfer")
	review(true)
	may, err := order.MaySend(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.False(t, may)
	waits("send again")
}

// A person refuses: what was not captured is declined, what was paid refunded,
// and the review closes with that.
func TestARefusedReviewEndsItsOrder(t *testing.T) {
	d := openOrderFixture(t)
	officer := store.Actor{ActorID: d.staff, ActorRole: "compliance", Reason: "it is them"}
	d.list("sdn", address)
	d.take("card")
	_, _, err := customer.RefuseReview(t.Context(), d.db, d.openReview(), officer, plenty, nil)
	require.Equal(t, "not_paid_yet", store.ReasonOf(err))
	d.do("authorise")
	decision, _, err := customer.RefuseReview(t.Context(), d.db, d.openReview(), officer, plenty, nil)
	require.NoError(t, err)
	require.Equal(t, order.DecisionDecline, decision.Kind)
	_, _, err = customer.RefuseReview(t.Context(), d.db, d.openReview(), officer, plenty, nil)
	require.Equal(t, "decision_open", store.ReasonOf(err))
	require.NoError(t, order.EndUnpaid(t.Context(), d.db, d.order.ID, order.Unpaid{How: order.ResolutionDeclined, DecisionID: decision.ID}))
	require.Equal(t, 1, count(d.shop, `SELECT count(*) FROM risk_reviews WHERE outcome = 'refused' AND decided_by = $1`, d.staff))

	d.take("zelle")
	receipt, err := d.decide(order.DecisionConfirmReceipt, order.Receipt{Amount: d.order.Total, ReceivedOn: "2026-11-20", BankReference: "R1"})
	require.NoError(t, err)
	require.NoError(t, order.ConfirmReceipt(t.Context(), d.db, d.order.ID, receipt, surplusTerms), "money that came is booked, whatever speaks against its order")
	require.Equal(t, casework.AttentionRisk, *d.now().AttentionReason)
	_, _, err = customer.RefuseReview(t.Context(), d.db, d.openReview(), officer, money.FromInt(1), nil)
	require.ErrorIs(t, err, dualcontrol.ErrSecondPerson)
	decision, _, err = customer.RefuseReview(t.Context(), d.db, d.openReview(), officer, plenty, nil)
	require.NoError(t, err)
	require.Equal(t, order.DecisionRefund, decision.Kind)
	_, err = order.StartRefund(t.Context(), d.db, d.order.ID, decision.ID)
	require.NoError(t, err)
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	require.Zero(t, count(d.shop, `SELECT count(*) FROM risk_reviews WHERE closed_at IS NULL`))
	d.balanced()
}

func TestBar18TwoOfficersDecideOnce(t *testing.T) {
	d := openOrderFixture(t)
	d.list("sdn", address)
	d.take("card")
	d.do("authorise")
	review := d.openReview()
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for n := range 8 {
		all.Go(func() {
			by := store.Actor{ActorID: d.staff, ActorRole: "compliance", Reason: "looked at"}
			var err error
			if n%2 == 0 {
				_, err = customer.ReleaseReview(t.Context(), d.db, review, by, plenty)
			} else {
				_, _, err = customer.RefuseReview(t.Context(), d.db, review, by, plenty, nil)
			}
			if err != nil {
				failed <- err
			}
		})
	}
	all.Wait()
	close(failed)
	require.Len(t, failed, 7)
	for err := range failed {
		require.Equal(t, store.CodeConflict, store.CodeOf(err), err)
	}
	require.Equal(t, 1, count(d.shop, `SELECT count(*) FROM audit_log WHERE action IN ('risk.released', 'risk.refused')`))
}

// Each rule alone is noted; together they reach the threshold, and compliance reviews the order.
func TestRulesAddUpToAReview(t *testing.T) {
	s := openShop(t)
	s.exec(`UPDATE kyc_pricing SET max_single_transaction = NULL, max_daily_volume = NULL, max_monthly_volume = NULL`)
	buy := func(amount string) *order.Order {
		quote, err := s.quoter.Quote(t.Context(), s.input(amount))
		require.NoError(t, err)
		order, err := s.order(t.Context(), quote)
		require.NoError(t, err)
		return order
	}
	require.Empty(t, buy("0.01").RiskReasons)
	require.Equal(t, []string{risk.RiskNewLarge}, []string(buy("0.1").RiskReasons))
	others := func(n int) {
		for range n {
			id := store.NewID()
			s.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1::uuid, 'test', $2, $2, true)`, id, "other "+id)
			s.exec(`INSERT INTO orders (id, reference, user_id, asset, network, amount, dest_address, payment_method, status, unit_price, base_price, payment_fee, volume_discount, total, payment_due_at)
				VALUES ($1::uuid, $3, $1::uuid, 'BTC', 'bitcoin', 1, $2, 'card', 'pending', 1, 1, 0, 0, 1, now())`, id, address, "TP-"+id)
			s.exec(`INSERT INTO payments (id, order_id, user_id, payment_method, amount, due_at, card_fingerprint) VALUES ($1::uuid, $1::uuid, $1::uuid, 'card', 1, now(), 'same')`, id)
		}
	}
	others(2)
	require.Empty(t, buy("0.01").RiskReasons, "two others pay there")
	others(1)
	o := buy("0.01")
	require.Equal(t, []string{risk.RiskSharedAddress}, []string(o.RiskReasons))
	require.False(t, o.UnderReview, "one of them alone is no reason to stop")

	reading := order.PaymentReading{PaymentID: "pi_x", Authorised: true, Capturable: o.Total, Fingerprint: "same"}
	require.NoError(t, order.ApplyReading(t.Context(), s.db, o.ID, reading, time.Now()))
	seen, err := order.ReadOrder(t.Context(), s.db, o.ID)
	require.NoError(t, err)
	require.Equal(t, []string{risk.RiskSharedAddress, risk.RiskSharedCard}, []string(seen.RiskReasons))
	require.Equal(t, 90, seen.RiskScore)
	require.False(t, seen.UnderReview)

	s.exec(`UPDATE payments SET declines = 5 WHERE order_id = $1`, o.ID)
	o = buy("0.01")
	require.Equal(t, []string{risk.RiskFailedPayments, risk.RiskSharedAddress}, []string(o.RiskReasons))
	require.True(t, o.UnderReview)
	s.exec(`UPDATE risk_rules SET most = 2 WHERE code LIKE 'orders_per_%'`)
	s.exec(`UPDATE risk_rules SET most = 1000000 WHERE code LIKE 'volume_per_%'`)
	require.Subset(t, buy("0.1").RiskReasons, []string{risk.RiskOrdersHour, risk.RiskOrdersDay, risk.RiskVolumeHour, risk.RiskVolumeDay})
	s.exec(`UPDATE risk_rules SET enabled = false WHERE code = 'threshold'`)
	require.False(t, buy("0.01").UnderReview, "nothing but the lists stops an order then")
}

// A rule counts attempts, not codes: trying one stolen card after the other gives the same refusal each time. A
// reading that shows a decline again counts nothing.
func TestEveryDeclinedAttemptIsCounted(t *testing.T) {
	d := openOrderFixture(t)
	d.take("card")
	for i, charge := range []string{"ch_1", "ch_1", "ch_2", "ch_3", "ch_3"} {
		reading := order.PaymentReading{PaymentID: "pi_x", DeclineCode: "insufficient_funds", DeclineCharge: charge}
		require.NoError(t, order.ApplyReading(t.Context(), d.db, d.order.ID, reading, time.Now()))
		p, err := order.PaymentOf(t.Context(), d.db, d.order.ID)
		require.NoError(t, err)
		require.Equal(t, []int{1, 1, 2, 3, 3}[i], p.Declines, charge)
	}
}

func TestRulesAreChangedByAPersonWithAReason(t *testing.T) {
	d := openOrderFixture(t)
	by := store.Actor{ActorID: d.staff, ActorRole: "compliance", Reason: "too many"}
	change := risk.RiskRuleChange{Code: risk.RiskOrdersHour, Enabled: true, Most: 3, Hours: 1, Score: 50, Version: 1}
	require.NoError(t, risk.ChangeRiskRule(t.Context(), d.db, change, by))
	err := risk.ChangeRiskRule(t.Context(), d.db, change, by)
	require.Equal(t, "changed_meanwhile", store.ReasonOf(err))
	change.Version = 2
	for reason, wrong := range map[string]func(c *risk.RiskRuleChange, b *store.Actor){
		"required":  func(_ *risk.RiskRuleChange, b *store.Actor) { b.Reason = "" },
		"not_found": func(c *risk.RiskRuleChange, _ *store.Actor) { c.Code = "none" },
	} {
		c, b := change, by
		wrong(&c, &b)
		require.Error(t, risk.ChangeRiskRule(t.Context(), d.db, c, b), reason)
	}
	for _, c := range []risk.RiskRuleChange{{Score: 101, Most: 1, Hours: 1}, {Score: 1, Most: 0, Hours: 1}, {Score: 1, Most: 1, Hours: 9000}, {Score: 0, Most: 1, Hours: 1}} {
		c.Code, c.Version = risk.RiskOrdersHour, 2
		require.Equal(t, "out_of_range", store.ReasonOf(risk.ChangeRiskRule(t.Context(), d.db, c, by)))
	}
	require.Equal(t, 1, count(d.shop, `SELECT count(*) FROM audit_log WHERE action = 'risk_rule.change' AND before->>'score' = '30' AND after->>'score' = '50' AND reason = 'too many'`))
}

// Bar 5: loosening a rule needs two people, and tightening it one.
func TestBar05RiskRulesAreLoosenedByTwo(t *testing.T) {
	d := openOffice(t)
	one, other := store.Actor{ActorID: d.cashier, ActorRole: "compliance", Reason: "too many"}, store.Actor{ActorID: d.second, ActorRole: "admin", Reason: "so it is"}
	again := store.Actor{ActorID: d.alias("T+again@Example.com"), ActorRole: "compliance", Reason: "me too"}
	rule := func(code string) (r risk.RiskRuleChange) {
		rules, err := risk.RiskRules(t.Context(), d.db)
		require.NoError(t, err)
		for _, known := range rules {
			if known.Code == code {
				r = risk.RiskRuleChange{Code: code, Enabled: known.Enabled, Most: known.Most, Hours: known.Hours, Score: known.Score, Version: known.Version}
			}
		}
		return r
	}
	d.exec(`UPDATE risk_rules SET enabled = true`)
	for name, loosen := range map[string]func(r *risk.RiskRuleChange){
		"orders_per_hour off":      func(r *risk.RiskRuleChange) { r.Enabled = false },
		"orders_per_day more":      func(r *risk.RiskRuleChange) { r.Most++ },
		"volume_per_day shorter":   func(r *risk.RiskRuleChange) { r.Hours-- },
		"shared_address lighter":   func(r *risk.RiskRuleChange) { r.Score-- },
		"threshold off":            func(r *risk.RiskRuleChange) { r.Enabled = false },
		"failed_payments and more": func(r *risk.RiskRuleChange) { r.Most, r.Score = 1, 1 },
	} {
		code, _, _ := strings.Cut(name, " ")
		want := rule(code)
		loosen(&want)
		for _, by := range []store.Actor{one, one, again} {
			require.Equal(t, "second_person", store.ReasonOf(risk.ChangeRiskRule(t.Context(), d.db, want, by)), name)
		}
		less := want
		less.Score = 2
		if code != "threshold" && want.Score > 2 {
			require.Equal(t, "second_person", store.ReasonOf(risk.ChangeRiskRule(t.Context(), d.db, less, other)), "another wish is a first one again")
			require.Equal(t, "second_person", store.ReasonOf(risk.ChangeRiskRule(t.Context(), d.db, want, one)))
		}
		require.Equal(t, want.Version, rule(code).Version, name)
		require.NoError(t, risk.ChangeRiskRule(t.Context(), d.db, want, other), name)
		want.Version++
		require.Equal(t, want, rule(code), name)
	}
	strict := rule("shared_card")
	strict.Most, strict.Score, strict.Hours = 1, 100, 8000
	require.NoError(t, risk.ChangeRiskRule(t.Context(), d.db, strict, one), "what lets less through takes one")
	d.exec(`UPDATE risk_rules SET enabled = true, score = 90 WHERE code = 'threshold'`)
	higher := rule("threshold")
	higher.Score = 100
	require.Equal(t, "second_person", store.ReasonOf(risk.ChangeRiskRule(t.Context(), d.db, higher, one)))
	lower := rule("threshold")
	lower.Score = 50
	require.NoError(t, risk.ChangeRiskRule(t.Context(), d.db, lower, one))
	higher.Version++
	require.Equal(t, "second_person", store.ReasonOf(risk.ChangeRiskRule(t.Context(), d.db, higher, other)), "it was asked of another threshold")
	require.Equal(t, 6, count(d.shop, `SELECT count(*) FROM audit_log WHERE action = 'risk_rule.change' AND reason = 'so it is'`))
}

// Bar 5: addresses are added to a list by one person, and leave it by two.
func TestBar05AddressesLeaveAListByTwo(t *testing.T) {
	d := openOffice(t)
	one, other := store.Actor{ActorID: d.cashier, ActorRole: "compliance", Reason: "the week's"}, store.Actor{ActorID: d.second, ActorRole: "compliance", Reason: "the week's"}
	brings := func(by store.Actor, digest string, keys ...string) error {
		list := listOf("a", keys...)
		list.Digest = digest
		_, err := risk.ImportAddresses(t.Context(), d.db, list, risk.ListImport{By: by})
		return err
	}
	require.NoError(t, brings(one, "1", "one", "two"))
	require.NoError(t, brings(one, "2", "one", "two", "three"))
	require.Equal(t, "second_person", store.ReasonOf(brings(one, "3", "one", "four")))
	require.Equal(t, "second_person", store.ReasonOf(brings(one, "3", "one", "four")))
	require.Equal(t, "second_person", store.ReasonOf(brings(store.Actor{ActorID: d.alias("T+again@Example.com"), ActorRole: "compliance", Reason: "x"}, "3", "one", "four")))
	require.Equal(t, "second_person", store.ReasonOf(brings(other, "4", "one")), "another file is another wish")
	require.Equal(t, 3, count(d.shop, `SELECT count(*) FROM blocked_addresses`))
	require.NoError(t, brings(one, "4", "one"))
	require.Equal(t, 1, count(d.shop, `SELECT count(*) FROM blocked_addresses`))
}

// A voucher to a listed address is redeemed, waits, and continues or is restored by a decision.
func TestAVoucherToAListedAddressWaits(t *testing.T) {
	p := openPress(t)
	p.list("sdn", address)
	by := store.Actor{ActorID: p.other, ActorRole: "compliance", Reason: "looked at"}
	_, code, err := p.make("20", money.USD)
	require.NoError(t, err)
	r, err := p.redeem(code)
	require.NoError(t, err, "who redeems is not told")
	require.True(t, p.redemption(r.ID).UnderReview)
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
	require.Equal(t, casework.AttentionRisk, *p.redemption(r.ID).AttentionReason)
	require.Error(t, p.decide(r.ID, voucher.VoucherResume), "an admin does not overrule compliance")
	done, err := customer.ReleaseReview(t.Context(), p.db, p.openReview(), by, plenty)
	require.NoError(t, err)
	require.NoError(t, voucher.ResumeVoucher(t.Context(), p.db, r.ID, done.Parked.DecisionID))
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
	require.Equal(t, voucher.RedemptionFulfilling, p.redemption(r.ID).Status)
	p.buy(r.ID)
	p.list("another", address)
	send, err := voucher.StartVoucherTransfer(t.Context(), p.db, r.ID, execution.Caps{Order: 100_000, Day: 500_000})
	require.NoError(t, err)
	require.True(t, send.Done)
	_, restore, err := customer.RefuseReview(t.Context(), p.db, p.openReview(), by, plenty, nil)
	require.NoError(t, err)
	require.NoError(t, voucher.RestoreVoucher(t.Context(), p.db, r.ID, restore.ID))
	require.Equal(t, 1, count(p.shop, `SELECT count(*) FROM risk_reviews WHERE outcome = 'refused'`))
	p.inOrder()
}
