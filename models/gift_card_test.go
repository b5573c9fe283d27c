package models_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

var cardWaits = giftcard.CardPatience{Review: 14 * 24 * time.Hour, Remind: 24 * time.Hour, Realise: 7 * 24 * time.Hour, Offer: giftcard.OfferTime}

const visaNumber = "4111111111111111"

// counter is a shop that buys gift cards, with a reviewer.
type counter struct {
	*shop
	keys  *secret.Keys
	staff string
	seen  map[string]string // last decision by card and kind
}

func openCounter(t *testing.T) *counter {
	c := &counter{shop: openShop(t), keys: cardKeys(t, 1), staff: store.NewID(), seen: map[string]string{}}
	c.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'staff', 's@example.com', true)`, c.staff)
	return c
}

func cardKeys(t require.TestingT, masters ...byte) *secret.Keys {
	var all [][]byte
	for _, m := range masters {
		all = append(all, bytes.Repeat([]byte{m, 7}, secret.KeySize/2))
	}
	keys, err := secret.NewKeys(all...)
	require.NoError(t, err)
	return keys
}

func regularForm(code, value string) giftcard.CardForm {
	return giftcard.CardForm{Brand: "amazon", Value: value, Type: giftcard.CardRegular, CardSecrets: giftcard.CardSecrets{Code: code, PIN: "4711"}}
}

func prepaidForm(code string) giftcard.CardForm {
	return giftcard.CardForm{Brand: "visa", Value: "100", Type: giftcard.CardPrepaid, CardSecrets: giftcard.CardSecrets{Code: code, Expiry: "09/40", SecurityCode: "123"}}
}

func (c *counter) submit(form giftcard.CardForm) *giftcard.GiftCard {
	c.Helper()
	offer, err := form.Check(time.Now())
	require.NoError(c, err)
	card, err := giftcard.SubmitGiftCard(c.Context(), c.db, c.keys, giftcard.NewGiftCard{UserID: c.user, Offer: offer})
	require.NoError(c, err)
	return card
}

// review is a card that waits for a person.
func (c *counter) review(form giftcard.CardForm) *giftcard.GiftCard {
	c.Helper()
	card := c.submit(form)
	require.NoError(c, failure(giftcard.BeginGiftCard(c.Context(), c.db, card.ID, cardWaits)))
	return c.card(card.ID)
}

func (c *counter) card(id string) *giftcard.GiftCard {
	c.Helper()
	card, err := giftcard.ReadGiftCard(c.Context(), c.db, id)
	require.NoError(c, err)
	return card
}

func (c *counter) decide(id, kind string, cents int64, reason string) (string, error) {
	in := giftcard.NewCardDecision{CardID: id, Kind: kind, ActorID: c.staff, ActorRole: "admin", Reason: reason}
	switch {
	case giftcard.OfCustomer(kind):
		in.ActorID, in.ActorRole = c.user, ""
	case kind != giftcard.CardReject:
		amount := money.FromInt(cents)
		in.Amount = &amount
	}
	if kind == giftcard.CardApprove {
		c.reveal(id, c.staff)
		in.Seen = versionOf(c.Context(), c.db, giftcard.KindApproval, id)
	}
	decision, err := giftcard.OpenCardDecision(c.Context(), c.db, in)
	if err != nil {
		return "", err
	}
	return decision.ID, nil
}

// reveal shows the card to a reviewer, unless it cannot be shown any more.
func (c *counter) reveal(id, who string) {
	_, _, _ = giftcard.RevealGiftCard(c.Context(), c.db, c.keys, id, store.Actor{ActorID: who, ActorRole: "admin"})
}

// decideAndExecute makes a decision and executes it.
func (c *counter) decideAndExecute(id, kind string, cents int64, reason string) error {
	decision, err := c.decide(id, kind, cents, reason)
	if err != nil {
		return err
	}
	switch kind {
	case giftcard.CardApprove:
		_, err = giftcard.ApproveGiftCard(c.Context(), c.db, id, decision, cardWaits)
	case giftcard.CardReject:
		_, err = giftcard.RejectGiftCard(c.Context(), c.db, id, decision)
	case giftcard.CardAccept:
		_, err = giftcard.AcceptGiftCard(c.Context(), c.db, id, decision, cardWaits)
	case giftcard.CardDecline:
		_, err = giftcard.DeclineGiftCard(c.Context(), c.db, id, decision)
	default:
		_, err = giftcard.RealiseGiftCard(c.Context(), c.db, id, decision)
	}
	if err != nil {
		require.NoError(c, failure(giftcard.RefuseCardDecision(c.Context(), c.db, id, decision, store.ReasonOf(err))))
	}
	return err
}

func (c *counter) owed() string {
	c.Helper()
	have, err := ledger.HoldingsOf(c.Context(), c.db, c.user)
	require.NoError(c, err)
	return money.USD.Format(have.Balance)
}

func (c *counter) balanced() {
	c.Helper()
	totals, err := ledger.TrialBalance(c.Context(), c.db)
	require.NoError(c, err)
	require.Empty(c, ledger.CheckTrialBalance(totals))
}

func (c *counter) advance(d time.Duration) {
	c.Helper()
	owner, err := store.Open(c.Context(), c.dbs.Owner, store.Options{MaxConns: 1, AllowOwner: true})
	require.NoError(c, err)
	defer owner.Close()
	_, err = owner.Pool().Exec(c.Context(), "UPDATE clock SET ahead = ahead + make_interval(secs => $1)", d.Seconds())
	require.NoError(c, err)
}

func TestCatalogueIsOfRealBrandsWithFivePrepaid(t *testing.T) {
	t.Parallel()
	seen, prepaid := map[string]bool{}, []string{}
	for _, b := range giftcard.Brands {
		require.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, b.Value)
		require.False(t, seen[b.Value] || seen[b.Label], b.Label)
		seen[b.Value], seen[b.Label] = true, true
		require.Contains(t, []string{giftcard.CardRegular, giftcard.CardPrepaid}, b.Type)
		if b.Type == giftcard.CardPrepaid {
			prepaid = append(prepaid, b.Label)
		}
	}
	require.InDelta(t, 150, len(giftcard.Brands), 10)
	require.Equal(t, []string{"Visa", "Mastercard", "American Express", "Vanilla Visa", "OneVanilla"}, prepaid)
}

func TestBar23CardFormsAreCheckedFieldByField(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	regular, prepaid := regularForm("ABCD-1234 EF", "100.00"), prepaidForm("4111 1111 1111 1111")
	change := func(f giftcard.CardForm, edit func(*giftcard.CardForm)) giftcard.CardForm { edit(&f); return f }
	for name, c := range map[string]struct {
		form          giftcard.CardForm
		field, reason string
	}{
		"regular":             {form: regular},
		"prepaid":             {form: prepaid},
		"amex":                {form: change(prepaidForm("378282246310005"), func(f *giftcard.CardForm) { f.Brand, f.SecurityCode = "american-express", "1234" })},
		"onevanilla as mc":    {form: change(prepaidForm("5555555555554444"), func(f *giftcard.CardForm) { f.Brand = "onevanilla" })},
		"last day of month":   {form: change(prepaid, func(f *giftcard.CardForm) { f.Expiry = "11/26" })},
		"no brand":            {change(regular, func(f *giftcard.CardForm) { f.Brand = " " }), "brand", "required"},
		"unknown brand":       {change(regular, func(f *giftcard.CardForm) { f.Brand = "acme" }), "brand", "unknown_brand"},
		"type of another":     {change(regular, func(f *giftcard.CardForm) { f.Brand = "visa"; f.Expiry, f.SecurityCode = "01/30", "123" }), "cardType", "wrong_type"},
		"value zero":          {change(regular, func(f *giftcard.CardForm) { f.Value = "0" }), "value", "invalid_amount"},
		"value negative":      {change(regular, func(f *giftcard.CardForm) { f.Value = "-100" }), "value", "invalid_amount"},
		"value exponent":      {change(regular, func(f *giftcard.CardForm) { f.Value = "1e3" }), "value", "invalid_amount"},
		"value too fine":      {change(regular, func(f *giftcard.CardForm) { f.Value = "100.001" }), "value", "invalid_amount"},
		"value huge":          {change(regular, func(f *giftcard.CardForm) { f.Value = "1" + strings.Repeat("0", 40) }), "value", "invalid_amount"},
		"value over the most": {change(regular, func(f *giftcard.CardForm) { f.Value = "2000.01" }), "value", "above_maximum"},
		"value pays nothing":  {change(regular, func(f *giftcard.CardForm) { f.Value = "5.88" }), "value", "below_minimum"},
		"no pin":              {change(regular, func(f *giftcard.CardForm) { f.PIN = "" }), "pin", "required"},
		"long pin":            {change(regular, func(f *giftcard.CardForm) { f.PIN = strings.Repeat("1", 17) }), "pin", "malformed"},
		"short code":          {change(regular, func(f *giftcard.CardForm) { f.Code = "1234" }), "cardCode", "malformed"},
		"code of signs":       {change(regular, func(f *giftcard.CardForm) { f.Code = "<script>1" }), "cardCode", "malformed"},
		"long code":           {change(regular, func(f *giftcard.CardForm) { f.Code = strings.Repeat("A", 33) }), "cardCode", "too_long"},
		"prepaid over-long":   {change(prepaid, func(f *giftcard.CardForm) { f.Code = strings.Repeat("4111-", 5) }), "cardCode", "too_long"},
		"Luhn":                {change(prepaid, func(f *giftcard.CardForm) { f.Code = "4111111111111112" }), "cardCode", "malformed"},
		"other scheme":        {change(prepaid, func(f *giftcard.CardForm) { f.Code = "5555555555554444" }), "cardCode", "wrong_brand"},
		"month 13":            {change(prepaid, func(f *giftcard.CardForm) { f.Expiry = "13/30" }), "expirationDate", "malformed"},
		"no slash":            {change(prepaid, func(f *giftcard.CardForm) { f.Expiry = "0930" }), "", ""},
		"separators":          {change(prepaid, func(f *giftcard.CardForm) { f.Code = " 4111-1111\u20111111-1111- " }), "", ""},
		"expired":             {change(prepaid, func(f *giftcard.CardForm) { f.Expiry = "10/26" }), "expirationDate", "card_expired"},
		"far ahead":           {change(prepaid, func(f *giftcard.CardForm) { f.Expiry = "12/68" }), "expirationDate", "malformed"},
		"code of four":        {change(prepaid, func(f *giftcard.CardForm) { f.SecurityCode = "1234" }), "securityCode", "malformed"},
		"no security code":    {change(prepaid, func(f *giftcard.CardForm) { f.SecurityCode = "" }), "securityCode", "required"},
	} {
		_, err := c.form.Check(now)
		var refused *store.Error
		if c.field == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, [2]string{c.field, c.reason}, [2]string{refused.Field, refused.Reason}, name)
	}
	_, err := giftcard.CardForm{Brand: "visa"}.Check(now)
	require.EqualError(t, err, "Please fill in all required fields: Value, Card Number, Expiration Date, Security Code")
	_, err = giftcard.CardForm{}.Check(now)
	require.EqualError(t, err, "Please fill in all required fields: Brand, Value, Card Number, PIN")
}

func TestBar22PayoutIsRoundedDownAndNeverMoreThanTheRule(t *testing.T) {
	t.Parallel()
	for value, pays := range map[int64]string{10000: "80.00", 589: "0.00", 5000: "37.50", 1001: "3.50", 200000: "1695.00"} {
		got, err := pricing.CardPayout(money.FromInt(value))
		if value == 589 {
			require.Error(t, err, "half a cent is nothing")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, pays, money.USD.Format(got))
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Int64Range(1, pricing.MaxCardValue).Draw(t, "value")
		pays, err := pricing.CardPayout(money.FromInt(value))
		if err != nil {
			return
		}
		cents, _ := pays.Int64()
		rule := 85*value - 50000 // hundredths of a cent
		require.LessOrEqual(t, 100*cents, rule)
		require.Greater(t, 100*cents+100, rule)
	})
}

func TestGiftCardIsApprovedAndRealised(t *testing.T) {
	c := openCounter(t)
	card := c.review(prepaidForm(visaNumber))
	require.Regexp(t, `^GC-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`, card.Reference)
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardApprove, 9000, ""))
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardAccept, 0, ""))
	card = c.card(card.ID)
	require.Equal(t, giftcard.CardApproved, card.Status)
	require.Equal(t, "71.50", c.owed(), "85 % of 90 less 5")
	require.Nil(t, card.SealedSecurityCode, "the security code goes at the decision")
	require.NotNil(t, card.SealedCode)
	rows, _, err := ledger.BalanceHistory(t.Context(), c.db, c.user, nil, 5)
	require.NoError(t, err)
	require.Equal(t, card.Reference, *rows[0].Reference)
	require.Equal(t, card.ID, *rows[0].GiftCardID)

	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardRealise, 8000, "sale 17"))
	card = c.card(card.ID)
	require.Equal(t, giftcard.CardRealised, card.Status)
	require.NotNil(t, card.SecretsDestroyedAt)
	require.NotNil(t, card.ClosedAt)
	inventory, err := ledger.AccountBalance(t.Context(), c.db, ledger.AccountGiftCards, money.USD)
	require.NoError(t, err)
	require.True(t, inventory.IsZero())
	gained, err := ledger.AccountBalance(t.Context(), c.db, ledger.AccountTrading, money.USD)
	require.NoError(t, err)
	require.Equal(t, "-850", gained.String(), "income is negative")
	c.balanced()
	require.Equal(t, 3, c.count(`SELECT count(*) FROM audit_log WHERE object_kind = 'gift_card'`), "revealed, approved and realised")
}

func (c *counter) count(sql string, args ...any) (n int) {
	c.Helper()
	require.NoError(c, c.db.Pool().QueryRow(c.Context(), sql, args...).Scan(&n))
	return n
}

func TestRejectionSaysWhyAndDestroysTheCard(t *testing.T) {
	c := openCounter(t)
	card := c.review(regularForm("ABCD1234", "50"))
	_, err := c.decide(card.ID, giftcard.CardReject, 0, "  ")
	require.Equal(t, store.CodeInvalid, store.CodeOf(err))
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardReject, 0, "The balance is zero"))
	card = c.card(card.ID)
	require.Equal(t, "The balance is zero", *card.RejectReason)
	require.Nil(t, card.SealedCode)
	require.Nil(t, card.SealedPIN)
	require.Equal(t, "0.00", c.owed())
	_, _, err = giftcard.RevealGiftCard(t.Context(), c.db, c.keys, card.ID, store.Actor{ActorID: c.staff, ActorRole: "admin"})
	require.Equal(t, "secrets_destroyed", store.ReasonOf(err))
	require.Equal(t, store.CodeConflict, store.CodeOf(c.decideAndExecute(card.ID, giftcard.CardApprove, 5000, "")))
}

func TestNoOneDecidesOnTheirOwnCardOrPaysMoreThanWasClaimed(t *testing.T) {
	c := openCounter(t)
	card := c.review(regularForm("ABCD1234", "50"))
	amount := money.FromInt(5000)
	_, err := giftcard.OpenCardDecision(t.Context(), c.db, giftcard.NewCardDecision{CardID: card.ID, Kind: giftcard.CardApprove, ActorID: c.user, Amount: &amount})
	require.Equal(t, "own_card", store.ReasonOf(err))
	_, _, err = giftcard.RevealGiftCard(t.Context(), c.db, c.keys, card.ID, store.Actor{ActorID: c.user})
	require.Equal(t, "own_card", store.ReasonOf(err))
	for cents, reason := range map[int64]string{5001: "above_claim", 0: "invalid_amount", -1: "invalid_amount", 500: "below_minimum"} {
		_, err := c.decide(card.ID, giftcard.CardApprove, cents, "")
		require.Equal(t, reason, store.ReasonOf(err))
	}
	_, err = c.decide(card.ID, giftcard.CardRealise, 5000, "too early")
	require.Equal(t, "card_state", store.ReasonOf(err))
	c.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, c.user)
	_, err = c.decide(card.ID, giftcard.CardApprove, 5000, "")
	require.Equal(t, "account_frozen", store.ReasonOf(err))
	offer, err := regularForm("OTHER12345", "50").Check(time.Now())
	require.NoError(t, err)
	_, err = giftcard.SubmitGiftCard(t.Context(), c.db, c.keys, giftcard.NewGiftCard{UserID: c.user, Offer: offer})
	require.Equal(t, "account_frozen", store.ReasonOf(err))
}

// Each reviewer approves a card they have revealed themselves.
func TestNoOneApprovesACardTheyHaveNotRevealed(t *testing.T) {
	c := openCounter(t)
	card := c.review(regularForm("ABCD1234", "50"))
	amount := money.FromInt(5000)
	approval := giftcard.NewCardDecision{CardID: card.ID, Kind: giftcard.CardApprove, ActorID: c.staff, ActorRole: "admin", Amount: &amount}
	c.reveal(card.ID, store.NewID())
	_, err := giftcard.OpenCardDecision(t.Context(), c.db, approval)
	require.Equal(t, "not_revealed", store.ReasonOf(err), "somebody else's look does not count")
	c.reveal(card.ID, c.staff)
	_, err = giftcard.OpenCardDecision(t.Context(), c.db, approval)
	require.NoError(t, err)
}

func TestTheSameCardIsRecognisedAndHeld(t *testing.T) {
	c := openCounter(t)
	first, second := c.review(regularForm("abcd-1234-99", "50")), c.review(regularForm("abcd123499", "60"))
	_, err := c.decide(second.ID, giftcard.CardApprove, 5000, "")
	require.Equal(t, "duplicate", store.ReasonOf(err), "the earlier one is decided first")
	require.NoError(t, c.decideAndExecute(first.ID, giftcard.CardApprove, 5000, ""))
	_, err = c.decide(second.ID, giftcard.CardApprove, 5000, "")
	require.Equal(t, "duplicate", store.ReasonOf(err))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM gift_card_events WHERE kind = 'duplicate' AND card_id = $1`, second.ID))
	_, err = c.db.Pool().Exec(t.Context(), `UPDATE gift_cards SET status = 'approved', paid = 1 WHERE id = $1`, second.ID)
	require.ErrorContains(t, err, "gift_cards_paid_once", "the database itself refuses to pay for a card twice")

	again := c.review(regularForm("ZZZZ1234", "50"))
	require.NoError(t, c.decideAndExecute(again.ID, giftcard.CardReject, 0, "Unreadable"))
	retry := c.review(regularForm("ZZZZ1234", "50"))
	require.NoError(t, c.decideAndExecute(retry.ID, giftcard.CardApprove, 5000, ""), "what was rejected may be sent again")

	c.keys = cardKeys(t, 2, 1) // a new key, beside the old one
	rotated := c.review(regularForm("ABCD123499", "50"))
	require.Equal(t, first.Fingerprint, rotated.Fingerprint)
}

func TestBar18OneDecisionOfManyCounts(t *testing.T) {
	c := openCounter(t)
	card := c.review(regularForm("ABCD1234", "100"))
	var taken, refused atomic.Int32
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			kind := giftcard.CardApprove
			if i%2 == 1 {
				kind = giftcard.CardReject
			}
			_, err := c.decide(card.ID, kind, 10000, "why")
			switch {
			case err == nil:
				taken.Add(1)
			case store.CodeOf(err) == store.CodeConflict:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, int32(1), taken.Load())
	require.Equal(t, int32(11), refused.Load())
	require.Equal(t, 1, c.count(`SELECT count(*) FROM audit_log WHERE action IN ('gift_card.approve', 'gift_card.reject')`))
}

func TestCardsExpireAndPeopleAreReminded(t *testing.T) {
	c := openCounter(t)
	c.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'compliance', 'test')`, c.staff)
	card := c.review(regularForm("ABCD1234", "100"))
	late := func() *giftcard.GiftCard {
		require.NoError(t, failure(giftcard.LateGiftCard(t.Context(), c.db, card.ID, cardWaits)))
		return c.card(card.ID)
	}
	require.Zero(t, late().Reminders, "nothing before its time")
	c.advance(25 * time.Hour)
	require.Equal(t, 1, late().Reminders)
	require.Equal(t, 1, late().Reminders, "once each time")
	require.Equal(t, 1, c.count(`SELECT count(*) FROM mails WHERE kind = 'gift_card_review_late' AND user_id = $1`, c.staff))
	due, err := giftcard.LateCards(t.Context(), c.db, time.Second, 10)
	require.NoError(t, err)
	require.Empty(t, due)
	c.advance(14 * 24 * time.Hour)
	due, err = giftcard.LateCards(t.Context(), c.db, time.Second, 10)
	require.NoError(t, err)
	require.Len(t, due, 1)

	decision, err := c.decide(card.ID, giftcard.CardApprove, 10000, "")
	require.NoError(t, err)
	require.Equal(t, giftcard.CardInReview, late().Status, "not while a decision is being carried out")
	require.NoError(t, failure(giftcard.RefuseCardDecision(t.Context(), c.db, card.ID, decision, "test")))
	card = late()
	require.Equal(t, giftcard.CardExpired, card.Status)
	require.NotNil(t, card.SecretsDestroyedAt)
	require.Equal(t, 1, c.count(`SELECT count(*) FROM mails WHERE kind = 'gift_card_expired' AND user_id = $1`, c.user))
}

func TestBar36CardsAreSealedForTheirPlaceAndRotated(t *testing.T) {
	c := openCounter(t)
	card, other := c.submit(prepaidForm(visaNumber)), c.submit(regularForm("ABCD1234", "50"))
	c.exec(`UPDATE gift_cards SET sealed_code = (SELECT sealed_code FROM gift_cards WHERE id = $1) WHERE id = $2`, card.ID, other.ID)
	reviewer := store.Actor{ActorID: c.staff, ActorRole: "compliance"}
	_, _, err := giftcard.RevealGiftCard(t.Context(), c.db, c.keys, other.ID, reviewer)
	require.ErrorIs(t, err, secret.ErrSealed, "moved to another row it does not open")
	c.exec(`UPDATE gift_cards SET sealed_code = NULL WHERE id = $1`, other.ID)

	both := cardKeys(t, 2, 1)
	changed, err := giftcard.ResealGiftCards(t.Context(), c.db, both)
	require.NoError(t, err)
	require.Equal(t, 2, changed)
	changed, err = giftcard.ResealGiftCards(t.Context(), c.db, both)
	require.NoError(t, err)
	require.Zero(t, changed)
	shown, _, err := giftcard.RevealGiftCard(t.Context(), c.db, cardKeys(t, 2), card.ID, reviewer)
	require.NoError(t, err, "without the old key")
	require.Equal(t, giftcard.CardSecrets{Code: visaNumber, Expiry: "09/40", SecurityCode: "123"}, shown)
	require.Equal(t, 1, c.count(`SELECT count(*) FROM audit_log WHERE action = 'gift_card.reveal' AND actor_id = $1`, c.staff))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM gift_card_events WHERE kind = 'revealed' AND internal`))
}

// Whatever is done in whatever order, states are legal, the books balance, and
// a customer is owed exactly what approved cards pay.
func TestBar22AnySequenceOfStepsKeepsTheBooks(t *testing.T) {
	c := openCounter(t)
	round := 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		var cards []string
		steps := rapid.IntRange(2, 8).Draw(r, "steps")
		for step := range steps {
			if len(cards) == 0 || rapid.IntRange(0, 4).Draw(r, "new") == 0 {
				code := fmt.Sprintf("CODE%06d%d", round, rapid.IntRange(0, 1).Draw(r, "same"))
				offer, err := regularForm(code, fmt.Sprint(rapid.IntRange(6, 2000).Draw(r, "value"))).Check(time.Now())
				require.NoError(r, err)
				card, err := giftcard.SubmitGiftCard(c.Context(), c.db, c.keys, giftcard.NewGiftCard{UserID: c.user, Offer: offer})
				if store.ReasonOf(err) == "too_many_cards" {
					continue
				}
				require.NoError(r, err)
				cards = append(cards, card.ID)
			}
			id := cards[rapid.IntRange(0, len(cards)-1).Draw(r, "card")]
			cents := rapid.Int64Range(0, 200_000).Draw(r, "cents")
			var err error
			switch rapid.IntRange(0, 6).Draw(r, fmt.Sprintf("step %d", step)) {
			case 0:
				_, err = giftcard.BeginGiftCard(c.Context(), c.db, id, cardWaits)
			case 1:
				err = c.decideAndExecute(id, giftcard.CardApprove, cents, "")
			case 2:
				err = c.decideAndExecute(id, giftcard.CardReject, 0, "no")
			case 3:
				err = c.decideAndExecute(id, giftcard.CardRealise, cents, "sale "+id)
			case 4:
				_, err = giftcard.LateGiftCard(c.Context(), c.db, id, giftcard.CardPatience{Review: time.Hour, Remind: time.Hour, Realise: time.Hour})
			case 5:
				err = c.decideAndExecute(id, giftcard.CardAccept, 0, "")
			case 6:
				err = c.decideAndExecute(id, giftcard.CardDecline, 0, "")
			}
			if err != nil {
				require.NotEmpty(r, store.ReasonOf(err), "only refusals of ours: %v", err)
			}
		}
		for _, id := range cards { // the next round begins with nothing open
			if c.card(id).Status == giftcard.CardReceived {
				require.NoError(r, failure(giftcard.BeginGiftCard(c.Context(), c.db, id, cardWaits)))
			}
			_ = c.decideAndExecute(id, giftcard.CardReject, 0, "end")
			_ = c.decideAndExecute(id, giftcard.CardDecline, 0, "")
		}
		c.balanced()
	})
	var paid money.Units
	require.NoError(t, c.db.Pool().QueryRow(t.Context(), `SELECT coalesce(sum(paid), 0)::text FROM gift_cards`).Scan(&paid))
	require.Equal(t, money.USD.Format(paid), c.owed())
	require.Zero(t, c.count(`SELECT count(*) FROM gift_cards WHERE (secrets_destroyed_at IS NULL) <> (closed_at IS NULL)`))
	counts, err := giftcard.CountGiftCards(t.Context(), c.db, c.user)
	require.NoError(t, err)
	require.Equal(t, c.count(`SELECT count(*) FROM gift_cards`), counts.Total)
	require.Equal(t, c.count(`SELECT count(*) FROM gift_cards WHERE status = 'approved'`), counts.ByStatus[giftcard.CardApproved])
}

func TestBar21GiftCardEventsAreOnlyAdded(t *testing.T) {
	c := openCounter(t)
	c.submit(regularForm("ABCD1234", "50"))
	for _, sql := range []string{`UPDATE gift_card_events SET kind = 'approved'`, `DELETE FROM gift_card_events`, `TRUNCATE gift_card_events`,
		`DELETE FROM gift_cards`, `UPDATE gift_card_decisions SET actor_id = actor_id`} {
		_, err := c.db.Pool().Exec(t.Context(), sql)
		require.Error(t, err, sql)
	}
}

// What a step leaves as it was is not written again: each write costs every index
// and trigger of the table.
func TestOnlyWhatChangedOfARowIsWritten(t *testing.T) {
	c := openCounter(t)
	card := c.submit(regularForm("TP1234567890", "40"))
	version := func() (version, updated string) {
		require.NoError(t, c.db.Pool().QueryRow(t.Context(), "SELECT xmin::text, updated_at::text FROM gift_cards WHERE id = $1", card.ID).Scan(&version, &updated))
		return version, updated
	}
	first, created := version()
	require.NoError(t, giftcard.ChangeGiftCard(t.Context(), c.db, card.ID, func(*giftcard.CardChange) error { return nil }))
	same, untouched := version()
	require.Equal(t, []string{first, created}, []string{same, untouched}, "nothing changed")

	require.NoError(t, giftcard.ChangeGiftCard(t.Context(), c.db, card.ID, func(change *giftcard.CardChange) error {
		change.Card.Reminders = 3
		return nil
	}))
	after, err := giftcard.ReadGiftCard(t.Context(), c.db, card.ID)
	require.NoError(t, err)
	require.Equal(t, 3, after.Reminders)
	_, now := version()
	require.NotEqual(t, created, now, "it says when it changed")
}
