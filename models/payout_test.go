package models_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

const goodIBAN = "DE89 3704 0044 0532 0130 00"

var payoutWaits = payout.PayoutPatience{Remind: 24 * time.Hour, Returnable: 30 * 24 * time.Hour}

// till is a shop whose customer withdraws their balance, with two of staff.
type till struct {
	*shop
	keys  *secret.Keys
	staff [2]string
}

func openTill(t *testing.T) *till {
	p := &till{shop: openShop(t), keys: cardKeys(t, 1)}
	p.exec(`UPDATE users SET first_name = 'Ada', last_name = 'Lovelace' WHERE id = $1`, p.user)
	for i := range p.staff {
		p.staff[i] = store.NewID()
		p.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2, true)`, p.staff[i], p.staff[i]+"@example.com")
	}
	return p
}

func (p *till) earn(cents int64) {
	p.Helper()
	_, err := Credit(p.Context(), p.db, p.user, store.NewID(), money.FromInt(cents))
	require.NoError(p, err)
}

func (p *till) ask(cents int64) (*payout.Payout, error) {
	account, err := payout.PayoutAccount{Kind: payout.AccountIBAN, Holder: "Ada  Lovelace", IBAN: goodIBAN}.Check()
	require.NoError(p, err)
	return payout.RequestPayout(p.Context(), p.db, p.keys, payout.NewPayout{UserID: p.user, Amount: money.FromInt(cents), Account: account, TwoAbove: money.FromInt(100_000)})
}

// decide decides, as a member of staff or as the customer, and executes the decision.
func (p *till) decide(id, kind string, who int) error {
	in := casework.NewCaseDecision{Kind: kind, ActorID: p.user, Own: true}
	if who >= 0 {
		in = casework.NewCaseDecision{Kind: kind, ActorID: p.staff[who], ActorRole: "finance", Reason: "why not"}
	}
	if kind == payout.PayoutConfirm {
		in.Data = payout.PayoutReference{Reference: "bank " + id}
	}
	ctx := p.Context()
	if kind == payout.PayoutApprove {
		in.Seen = versionOf(ctx, p.db, payout.KindApproval, id)
	}
	decision, err := payout.OpenPayoutDecision(ctx, p.db, id, in)
	if err != nil {
		return err
	}
	err = map[string]func() error{
		payout.PayoutApprove: func() error { return payout.ApprovePayout(ctx, p.db, id, decision.ID, payoutWaits) },
		payout.PayoutReject:  func() error { return payout.RejectPayout(ctx, p.db, id, decision.ID) },
		payout.PayoutCancel:  func() error { return payout.CancelPayout(ctx, p.db, id, decision.ID) },
		payout.PayoutConfirm: func() error { return payout.ConfirmPayout(ctx, p.db, id, decision.ID, payoutWaits) },
		payout.PayoutReturn:  func() error { return payout.ReturnPayout(ctx, p.db, id, decision.ID) },
	}[kind]()
	if err != nil && !store.Unreachable(err) {
		if left := casework.CaseDecisions.Resolve(ctx, p.db, decision.ID, store.ReasonOf(err)); left != nil && !store.Unreachable(left) {
			p.Error(left)
		}
	}
	return err
}

func (p *till) reserved() (cents int64) {
	p.Helper()
	err := p.db.Pool().QueryRow(p.Context(), `SELECT coalesce(sum(amount), 0)::bigint FROM customer_balances WHERE account = $1`, ledger.CustomerReserved(p.user)).Scan(&cents)
	require.NoError(p, err)
	return cents
}

func (p *till) payout(id string) *payout.Payout {
	p.Helper()
	payout, err := payout.ReadPayout(p.Context(), p.db, id)
	require.NoError(p, err)
	return payout
}

func (p *till) timeline(id string) (kinds []string) {
	p.Helper()
	events, err := casework.CaseEvents(p.Context(), p.db, payout.KindPayout, id)
	require.NoError(p, err)
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func TestPayoutIsReservedApprovedPaidAndForgotten(t *testing.T) {
	p := openTill(t)
	p.earn(50_000)
	row, err := p.ask(20_000)
	require.NoError(t, err)
	balance, _ := p.holds()
	require.EqualValues(t, []int64{30_000, 20_000}, []int64{balance, p.reserved()})
	require.Equal(t, "3000", row.AccountLast4)
	require.NotContains(t, string(p.payout(row.ID).SealedAccount), "Lovelace")
	require.Equal(t, "payout_state", store.ReasonOf(p.decide(row.ID, payout.PayoutConfirm, -1)))
	require.Equal(t, "payout_state", store.ReasonOf(p.decide(row.ID, payout.PayoutConfirm, 0)), "nothing is paid that nobody approved")
	require.NoError(t, p.decide(row.ID, payout.PayoutApprove, 0))
	require.Equal(t, "payout_state", store.ReasonOf(p.decide(row.ID, payout.PayoutCancel, -1)), "somebody may be making the transfer")
	account, err := payout.RevealPayout(t.Context(), p.db, p.keys, row.ID, "", store.Actor{ActorID: p.staff[1], ActorRole: "finance"})
	require.NoError(t, err)
	require.Equal(t, payout.PayoutAccount{Kind: "iban", Holder: "Ada Lovelace", IBAN: strings.ReplaceAll(goodIBAN, " ", "")}, account)
	_, err = payout.RevealPayout(t.Context(), p.db, p.keys, row.ID, "", store.Actor{ActorID: p.user, ActorRole: "finance"})
	require.Equal(t, "own_payout", store.ReasonOf(err))
	require.NoError(t, p.decide(row.ID, payout.PayoutConfirm, 1))
	require.Equal(t, int64(0), p.reserved())
	require.NoError(t, payout.LatePayout(t.Context(), p.db, row.ID, payoutWaits))
	require.Nil(t, p.payout(row.ID).ClosedAt, "the bank may still send it back")
	p.ahead("31 days")
	require.NoError(t, payout.LatePayout(t.Context(), p.db, row.ID, payoutWaits))
	done := p.payout(row.ID)
	require.NotNil(t, done.ClosedAt)
	require.Nil(t, done.SealedAccount)
	require.Equal(t, []string{"requested", "approved", "revealed", "paid", "account_destroyed"}, p.timeline(row.ID))
	rows, _, err := ledger.BalanceHistory(t.Context(), p.db, p.user, nil, 1)
	require.NoError(t, err)
	require.Equal(t, row.Reference, *rows[0].Reference)
	require.Equal(t, "payout_requested", rows[0].Event)
}

// ahead moves the database's clock.
func (s *shop) ahead(by string) {
	s.Helper()
	owner, err := store.Open(s.Context(), s.dbs.Owner, store.Options{MaxConns: 1, AllowOwner: true})
	require.NoError(s, err)
	defer owner.Close()
	_, err = owner.Pool().Exec(s.Context(), `UPDATE clock SET ahead = ahead + CAST($1 AS interval)`, by)
	require.NoError(s, err)
}

// Above the limit one person is not enough, however often they say so.
func TestBar05BigPayoutNeedsTwoPeople(t *testing.T) {
	p := openTill(t)
	p.earn(300_000)
	big, err := p.ask(100_001)
	require.NoError(t, err)
	require.NoError(t, p.decide(big.ID, payout.PayoutApprove, 0))
	require.Equal(t, payout.PayoutRequested, p.payout(big.ID).Status)
	err = p.decide(big.ID, payout.PayoutApprove, 0)
	require.Equal(t, "second_person", store.ReasonOf(err))
	require.Equal(t, store.CodeForbidden, store.CodeOf(err))
	require.NoError(t, p.decide(big.ID, payout.PayoutApprove, 1))
	require.Equal(t, payout.PayoutApproved, p.payout(big.ID).Status)
	require.NoError(t, p.decide(big.ID, payout.PayoutConfirm, 1))
	p.ahead("25 hours") // requests of one day count together
	small, err := p.ask(100_000)
	require.NoError(t, err)
	require.NoError(t, p.decide(small.ID, payout.PayoutApprove, 0))
	require.Equal(t, payout.PayoutApproved, p.payout(small.ID).Status)
	own := casework.NewCaseDecision{Kind: payout.PayoutApprove, ActorID: p.user, ActorRole: "admin"}
	third, err := p.ask(1_000)
	require.NoError(t, err)
	_, err = payout.OpenPayoutDecision(t.Context(), p.db, third.ID, own)
	require.Equal(t, store.CodeForbidden, store.CodeOf(err))
}

func TestPayoutIsRefusedToWhoMustNotBePaid(t *testing.T) {
	p := openTill(t)
	p.earn(5_000)
	for _, c := range []struct {
		cents  int64
		reason string
	}{{5_001, "insufficient_balance"}, {999, "below_minimum"}, {-5_000, "below_minimum"}, {0, "below_minimum"}} {
		_, err := p.ask(c.cents)
		require.Equal(t, c.reason, store.ReasonOf(err), c.cents)
	}
	waiting, err := p.ask(1_000)
	require.NoError(t, err)
	p.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, p.user)
	_, err = p.ask(1_000)
	require.Equal(t, "account_frozen", store.ReasonOf(err))
	require.Equal(t, "account_frozen", store.ReasonOf(p.decide(waiting.ID, payout.PayoutApprove, 0)))
	p.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, p.user)
	p.exec(`UPDATE kyc_records SET revoked_at = clock_now() WHERE user_id = $1`, p.user)
	_, err = p.ask(1_000)
	require.Equal(t, "kyc_required", store.ReasonOf(err))
	p.exec(`UPDATE kyc_records SET revoked_at = NULL WHERE user_id = $1`, p.user)

	// A customer in debt is not paid; what was set aside pays the debt first.
	_, err = ClawBack(t.Context(), p.db, p.user, "claim", money.FromInt(4_600))
	require.NoError(t, err)
	_, err = p.ask(1_000)
	require.Equal(t, "owes_money", store.ReasonOf(err))
	require.Equal(t, "owes_money", store.ReasonOf(p.decide(waiting.ID, payout.PayoutApprove, 0)))
	require.NoError(t, p.decide(waiting.ID, payout.PayoutReject, 0))
	balance, owed := p.holds()
	require.EqualValues(t, []int64{400, 0}, []int64{balance, owed})
	require.Nil(t, p.payout(waiting.ID).SealedAccount)
}

func TestBar23BankAccountsAreChecked(t *testing.T) {
	for _, c := range []struct {
		account       payout.PayoutAccount
		field, reason string
	}{
		{payout.PayoutAccount{Kind: "iban", Holder: "", IBAN: goodIBAN}, "accountHolder", "required"},
		{payout.PayoutAccount{Kind: "iban", Holder: "123", IBAN: goodIBAN}, "accountHolder", "invalid_name"},
		{payout.PayoutAccount{Kind: "iban", Holder: "Ada\x00", IBAN: goodIBAN}, "accountHolder", "invalid_name"},
		{payout.PayoutAccount{Kind: "paypal", Holder: "Ada"}, "accountKind", "unknown_kind"},
		{payout.PayoutAccount{Kind: "iban", Holder: "Ada"}, "iban", "required"},
		{payout.PayoutAccount{Kind: "iban", Holder: "Ada", IBAN: "DE88370400440532013000"}, "iban", "bad_checksum"},
		{payout.PayoutAccount{Kind: "iban", Holder: "Ada", IBAN: "DE8937040044053201300"}, "iban", "invalid_iban"},
		{payout.PayoutAccount{Kind: "iban", Holder: "Ada", IBAN: "US89370400440532013000"}, "iban", "invalid_iban"},
		{payout.PayoutAccount{Kind: "iban", Holder: "Ada", IBAN: "DE8937040044053201300é"}, "iban", "invalid_iban"},
		{payout.PayoutAccount{Kind: "us", Holder: "Ada", Routing: "021000022", Number: "12345"}, "routingNumber", "bad_checksum"},
		{payout.PayoutAccount{Kind: "us", Holder: "Ada", Routing: "000000000", Number: "12345"}, "routingNumber", "bad_checksum"},
		{payout.PayoutAccount{Kind: "us", Holder: "Ada", Routing: "02100002", Number: "12345"}, "routingNumber", "invalid_routing"},
		{payout.PayoutAccount{Kind: "us", Holder: "Ada", Routing: "021000021", Number: "123"}, "accountNumber", "invalid_account"},
	} {
		_, err := c.account.Check()
		require.Equal(t, c.reason, store.ReasonOf(err), "%+v", c.account)
		var refused *store.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, c.field, refused.Field, "%+v", c.account)
		require.NotContains(t, err.Error(), "37040044", "nothing of the account is in an error")
	}
	for _, iban := range []string{goodIBAN, "GB29 NWBK 6016 1331 9268 19", "fr14 2004 1010 0505 0001 3m02 606", "MT84MALT011000012345MTLCAST001S"} {
		_, err := payout.PayoutAccount{Kind: "iban", Holder: "Ada", IBAN: iban}.Check()
		require.NoError(t, err, iban)
	}
	account, err := payout.PayoutAccount{Kind: "us", Holder: "Ada", Routing: "021000021", Number: "00-1234-5678"}.Check()
	require.NoError(t, err)
	require.Equal(t, "US 5678", account.Country()+" "+account.Last4())
}

// reveals has a member of staff reveal the account of a payout, and returns why that is refused.
func (p *till) reveals(id, statement string) error {
	p.Helper()
	who := store.Actor{ActorID: p.staff[1], ActorRole: "finance"}
	account, err := payout.RevealPayout(p.Context(), p.as("api"), p.keys, id, statement, who)
	if err != nil {
		require.Empty(p, account)
		return err
	}
	require.Equal(p, "Ada Lovelace", account.Holder)
	return nil
}

// The reveal is the last step before staff make the transfer: it repeats the checks of the approval. A transfer that
// was made is confirmed whatever is known of its customer.
func TestRevealRepeatsThePayoutChecks(t *testing.T) {
	p := openTill(t)
	stops := map[string]func(){
		"owes_money": func() {
			_, err := ClawBack(t.Context(), p.db, p.user, store.NewID(), money.FromInt(20_000))
			require.NoError(t, err)
		},
		"account_frozen": func() { p.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, p.user) },
		"kyc_required":   func() { p.exec(`UPDATE kyc_records SET revoked_at = clock_now() WHERE user_id = $1`, p.user) },
	}
	ends := map[string]func(){
		"owes_money":     func() { p.earn(20_000) },
		"account_frozen": func() { p.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, p.user) },
		"kyc_required":   func() { p.exec(`UPDATE kyc_records SET revoked_at = NULL WHERE user_id = $1`, p.user) },
	}
	for reason, stop := range stops {
		p.earn(20_000)
		row, err := p.ask(20_000)
		require.NoError(t, err)
		require.NoError(t, p.decide(row.ID, payout.PayoutApprove, 0))
		stop()
		err = p.reveals(row.ID, "")
		require.Equal(t, store.CodeConflict, store.CodeOf(err))
		require.Equal(t, reason, store.ReasonOf(err))
		require.NotContains(t, p.timeline(row.ID), "revealed")
		ends[reason]()
		require.NoError(t, p.reveals(row.ID, ""))
		stop()
		require.NoError(t, p.decide(row.ID, payout.PayoutConfirm, 1), "the money has left")
		require.NoError(t, p.reveals(row.ID, ""), "to look into a transfer that was made")
		ends[reason]()
	}
}

// A payout that no bank can return any more is not offered to be returned. It stays open while a return that was
// proposed in time waits for a second person.
func TestClosedPayoutIsNotReturned(t *testing.T) {
	p := openTill(t)
	p.earn(50_000)
	closed, proposed := p.transferred(10_000), p.transferred(20_000)
	act := func(id string) correction.MoneyAct {
		return &correction.ReturnPayout{PayoutID: id, Said: "account closed"}
	}
	require.Equal(t, []string{payout.PayoutReturn}, p.payout(closed).Decisions())
	waiting, err := correction.ProposeMoney(t.Context(), p.db, act(proposed), "", as(p.staff[0]))
	require.NoError(t, err)
	p.ahead("31 days")
	for _, id := range []string{closed, proposed} {
		require.NoError(t, payout.LatePayout(t.Context(), p.as("core"), id, payoutWaits))
	}
	require.NotNil(t, p.payout(closed).ClosedAt)
	require.Empty(t, p.payout(closed).Decisions())
	_, err = correction.ProposeMoney(t.Context(), p.db, act(closed), "", as(p.staff[0]))
	require.Equal(t, "payout_closed", store.ReasonOf(err))
	require.Equal(t, "payout_closed", store.ReasonOf(p.returns(closed, 0, 1_000_000)))

	require.Nil(t, p.payout(proposed).ClosedAt)
	require.NotNil(t, p.payout(proposed).WakeAt)
	done, err := correction.ApproveMoney(t.Context(), p.db, waiting.ID, as(p.staff[1]))
	require.NoError(t, err)
	require.NoError(t, payout.ReturnPayout(t.Context(), p.db, proposed, done.Matter.ID))
	require.Equal(t, payout.PayoutReturned, p.payout(proposed).Status)

	rejected := p.transferred(20_000)
	waiting, err = correction.ProposeMoney(t.Context(), p.db, act(rejected), "", as(p.staff[0]))
	require.NoError(t, err)
	p.ahead("31 days")
	require.NoError(t, payout.LatePayout(t.Context(), p.as("core"), rejected, payoutWaits))
	require.Nil(t, p.payout(rejected).ClosedAt)
	_, err = correction.RejectMoney(t.Context(), p.db, waiting.ID, as(p.staff[1]))
	require.NoError(t, err)
	p.passes(payoutWaits.Remind + time.Second)
	require.NoError(t, payout.LatePayout(t.Context(), p.as("core"), rejected, payoutWaits))
	require.NotNil(t, p.payout(rejected).ClosedAt)
}

// Tabs and people at once: never more is set aside than there is, and a payout
// ends once.
func TestBar18PayoutsAtOnceNeverPayTwice(t *testing.T) {
	p := openTill(t)
	p.earn(5_000)
	var all sync.WaitGroup
	var made atomic.Int64
	var one atomic.Pointer[payout.Payout]
	for range 6 {
		all.Go(func() {
			payout, err := p.ask(2_000)
			switch {
			case err == nil:
				made.Add(1)
				one.Store(payout)
			case store.ReasonOf(err) != "insufficient_balance":
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 2, made.Load())
	id := one.Load().ID
	var ended atomic.Int64
	for i := range 8 {
		all.Go(func() {
			err := p.decide(id, []string{payout.PayoutReject, payout.PayoutCancel}[i%2], []int{0, -1}[i%2])
			if err == nil {
				ended.Add(1)
			} else if store.CodeOf(err) != store.CodeConflict {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, ended.Load())
	balance, _ := p.holds()
	require.EqualValues(t, []int64{3_000, 2_000}, []int64{balance, p.reserved()})
}

// One transfer at the bank is one payout's.
func TestPayoutBankReferenceIsUsedOnce(t *testing.T) {
	p := openTill(t)
	p.earn(5_000)
	var ids []string
	for range 2 {
		row, err := p.ask(1_000)
		require.NoError(t, err)
		require.NoError(t, p.decide(row.ID, payout.PayoutApprove, 0))
		ids = append(ids, row.ID)
	}
	require.NoError(t, p.decide(ids[0], payout.PayoutConfirm, 0))
	_, err := payout.OpenPayoutDecision(t.Context(), p.db, ids[1], casework.NewCaseDecision{Kind: payout.PayoutConfirm, ActorID: p.staff[0], ActorRole: "finance",
		Data: payout.PayoutReference{Reference: "BANK " + strings.ToUpper(ids[0])}})
	require.Equal(t, "bank_reference_used", store.ReasonOf(err))
}

// Whatever is done to payouts, in whatever order: refused or booked, what is set
// aside is the sum of what waits, and no cent is lost.
func TestBar22AnySequenceOfPayoutStepsKeepsTheBooks(t *testing.T) {
	p := openTill(t)
	rapid.Check(t, func(r *rapid.T) {
		p.user = store.NewID()
		p.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, 'x@example.com', true)`, p.user, "owner "+p.user)
		p.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, p.user)
		var ids []string
		var earned, clawed int64
		var frozen bool
		for range rapid.IntRange(2, 14).Draw(r, "steps") {
			cents := rapid.Int64Range(900, 150_000).Draw(r, "cents")
			var err error
			switch what := rapid.IntRange(0, 11).Draw(r, "what"); {
			case what < 2:
				p.earn(cents)
				earned += cents
			case what == 2:
				_, err = ClawBack(t.Context(), p.db, p.user, store.NewID(), money.FromInt(cents))
				clawed += cents
			case what == 10:
				frozen = !frozen
				p.exec(`UPDATE users SET frozen_at = CASE WHEN $2 THEN clock_now() END WHERE id = $1`, p.user, frozen)
			case what == 11 && len(ids) > 0:
				id := rapid.SampledFrom(ids).Draw(r, "revealed")
				who := store.Actor{ActorID: p.staff[0], ActorRole: "finance"}
				_, err = payout.RevealPayout(t.Context(), p.db, p.keys, id, "", who)
				_, owed := p.holds()
				if p.payout(id).Status.Waits() {
					require.Equal(r, frozen || owed > 0, err != nil, "revealed to whom it may be paid, and to no one else")
				}
			case what < 5 || len(ids) == 0:
				var payout *payout.Payout
				if payout, err = p.ask(cents); err == nil {
					ids = append(ids, payout.ID)
				}
			default:
				id := rapid.SampledFrom(ids).Draw(r, "payout")
				kind := rapid.SampledFrom([]string{payout.PayoutApprove, payout.PayoutApprove, payout.PayoutReject, payout.PayoutConfirm, payout.PayoutReturn, payout.PayoutCancel}).Draw(r, "kind")
				who := rapid.IntRange(0, 1).Draw(r, "who")
				if kind == payout.PayoutCancel {
					who = -1
				}
				err = p.decide(id, kind, who)
			}
			if err != nil {
				require.NotEmpty(r, store.ReasonOf(err), "only refusals of ours: %v", err)
			}
		}
		var waits, paid int64
		require.NoError(r, p.db.Pool().QueryRow(t.Context(), `SELECT coalesce(sum(amount) FILTER (WHERE status IN ('requested', 'approved')), 0)::bigint,
			coalesce(sum(amount) FILTER (WHERE status = 'paid'), 0)::bigint FROM payouts WHERE user_id = $1`, p.user).Scan(&waits, &paid))
		balance, owed := p.holds()
		require.Equal(r, waits, p.reserved())
		require.Equal(r, earned-clawed, balance-owed+waits+paid)
	})
	totals, err := ledger.TrialBalance(t.Context(), p.db)
	require.NoError(t, err)
	require.Empty(t, ledger.CheckTrialBalance(totals))
	counts, err := payout.CountPayouts(t.Context(), p.db, "")
	require.NoError(t, err)
	var n int
	require.NoError(t, p.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM payouts`).Scan(&n))
	require.Equal(t, n, counts.Total)
}

// A new key seals the stored details again; moved to another row they do not open.
func TestBar36BankAccountsAreSealedForTheirRowAndRotate(t *testing.T) {
	p := openTill(t)
	p.earn(5_000)
	a, err := p.ask(1_000)
	require.NoError(t, err)
	b, err := p.ask(1_000)
	require.NoError(t, err)
	rotated := cardKeys(t, 2, 1)
	n, err := payout.ResealPayouts(t.Context(), p.db, rotated)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	_, err = payout.RevealPayout(t.Context(), p.db, cardKeys(t, 2), a.ID, "", store.Actor{ActorID: p.staff[0], ActorRole: "finance"})
	require.NoError(t, err)
	p.exec(`UPDATE payouts SET sealed_account = (SELECT sealed_account FROM payouts WHERE id = $1) WHERE id = $2`, a.ID, b.ID)
	_, err = payout.RevealPayout(t.Context(), p.db, rotated, b.ID, "", store.Actor{ActorID: p.staff[0], ActorRole: "finance"})
	require.ErrorIs(t, err, secret.ErrSealed)
}

// payOut has one of the bank's customers request a payout.
func (b *bank) payOut(ctx context.Context, user string, draw func(n int) int) error {
	customer := *b.shop
	customer.user = user
	p := &till{shop: &customer, keys: b.keys, staff: [2]string{b.staff, b.second}}
	switch draw(4) {
	case 0:
		_, err := Credit(ctx, b.db, user, store.NewID(), money.FromInt(int64(1+draw(30_000))))
		return err
	case 1:
		_, err := ClawBack(ctx, b.db, user, store.NewID(), money.FromInt(int64(1+draw(5_000))))
		return err
	case 2:
		_, err := p.ask(int64(1_000 + draw(120_000)))
		return err
	}
	rows, _, err := payout.Payouts(ctx, b.db, payout.PayoutFilter{UserID: user}, store.Page{Limit: 5})
	if err != nil || len(rows) == 0 {
		return err
	}
	kinds := append(payout.PayoutDecisions(rows[draw(len(rows))].Status), payout.PayoutCancel)
	kind, who := kinds[draw(len(kinds))], draw(2)
	if kind == payout.PayoutCancel {
		who = -1
	}
	return p.decide(rows[draw(len(rows))].ID, kind, who)
}
