package giftcard_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/store"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func prepaid(code, expiry, security string) giftcard.CardForm {
	return giftcard.CardForm{Brand: "visa", Value: "100", Type: giftcard.CardPrepaid,
		CardSecrets: giftcard.CardSecrets{Code: code, Expiry: expiry, SecurityCode: security}}
}

// What a card says is read however it was pasted, and kept in one form.
func TestACardIsReadAsItIsPasted(t *testing.T) {
	want := giftcard.CardSecrets{Code: "4242424242424242", Expiry: "09/30", SecurityCode: "123"}
	for _, form := range []giftcard.CardForm{
		prepaid("4242424242424242", "09/30", "123"),
		prepaid("  4242 4242  4242 4242 ", " 9/30", " 123"),
		prepaid("4242\u20114242\u20114242\u20114242", "09/2030", "１２３"),
		prepaid("4242\u00a04242\u00a04242\u00a04242", "2030-09", "1\u200b23"),
		prepaid("\ufeff４２４２４２４２４２４２４２４２", "0930", "123\n"),
	} {
		offer, err := form.Check(now)
		require.NoError(t, err, "%+q", form.CardSecrets)
		require.Equal(t, want, offer.Secrets, "%+q", form.CardSecrets)
	}
	regular := giftcard.CardForm{Brand: "amazon", Value: " 100\u00a0", Type: giftcard.CardRegular,
		CardSecrets: giftcard.CardSecrets{Code: "AQ\u2011" + strings.Repeat("1 ", 30), PIN: "47 11"}}
	offer, err := regular.Check(now)
	require.NoError(t, err, "limits apply to what is left")
	require.Equal(t, giftcard.CardSecrets{Code: "AQ" + strings.Repeat("1", 30), PIN: "4711"}, offer.Secrets)
}

// What is wrong is named by its field and reason, and nothing is cut to fit.
func TestACardThatCannotBeReadIsRefusedByField(t *testing.T) {
	for _, c := range []struct {
		form          giftcard.CardForm
		field, reason string
	}{
		{prepaid("42424242424242424242", "09/30", "123"), "cardCode", "too_long"},
		{prepaid("4242424242424241", "09/30", "123"), "cardCode", "malformed"},
		{prepaid("4242424242424242", "09//3", "123"), "expirationDate", "malformed"},
		{prepaid("4242424242424242", "20/30", "123"), "expirationDate", "malformed"},
		{prepaid("4242424242424242", "09/20", "123"), "expirationDate", "card_expired"},
		{prepaid("4242424242424242", "09/30", "12345"), "securityCode", "malformed"},
		{prepaid("\u200b", "09/30", "123"), "cardCode", ""},
	} {
		_, err := c.form.Check(now)
		var refused *store.Error
		require.ErrorAs(t, err, &refused, "%+q", c.form.CardSecrets)
		if c.reason != "" {
			require.Equal(t, c.reason, refused.Reason, "%+q", c.form.CardSecrets)
			require.Equal(t, c.field, refused.Field, "%+q", c.form.CardSecrets)
		}
	}
}
