package api

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
)

// Bar 7: a sign-in that was let in a moment before the person's sessions were ended
// opens none after it.
func TestBar07ASignInThatWasOvertakenOpensNoSession(t *testing.T) {
	h := open(t)
	now := time.Now()
	claims := models.Claims{Issuer: "https://issuer.example", Subject: "s1", Email: "ada@example.com", EmailVerified: true, AuthenticatedAt: &now, IssuedAt: now}
	user, err := h.db.SignIn(t.Context(), claims, models.Arrival{})
	require.NoError(t, err)
	session := func(token string) models.NewSession {
		return models.NewSession{TokenHash: hashToken(token), UserID: user.ID, UserAgent: "x" + strings.Repeat("é", 300), Entering: user}
	}
	require.NoError(t, h.db.CreateSession(t.Context(), session("first")), "half a character of what the browser says of itself is left out")
	_, err = h.db.EndOtherSessions(t.Context(), &models.Principal{UserID: user.ID, TokenHash: hashToken("none")})
	require.NoError(t, err)
	require.ErrorIs(t, h.db.CreateSession(t.Context(), session("second")), models.ErrSignedOut)
	require.Zero(t, one[int](h, `SELECT count(*) FROM sessions WHERE user_id = $1 AND revoked_at IS NULL`, user.ID))
	user, err = h.db.SignIn(t.Context(), claims, models.Arrival{})
	require.NoError(t, err)
	require.NoError(t, h.db.CreateSession(t.Context(), session("third")))
}

// Bar 7: whoever takes an account over at the identity provider, and gives it another
// address, is not the only one who hears of it.
func TestBar07AnotherAddressIsToldToTheOneBefore(t *testing.T) {
	h := open(t)
	v := h.visitor()
	v.signIn(person("s1", "ada@example.com", true))
	v.signIn(person("s1", "Ada@example.com", true))
	v.signIn(person("s1", "", false))
	require.Equal(t, "Ada@example.com true", one[string](h, `SELECT email || ' ' || email_verified FROM users`), "what an issuer does not say stays as it is known")
	require.Zero(t, one[int](h, `SELECT count(*) FROM mails`))
	v.signIn(person("s1", "thief@example.com", false))
	mail, err := h.db.ClaimMail(t.Context(), time.Minute, "")
	require.NoError(t, err)
	require.Equal(t, "email_changed Ada@example.com", mail.Kind+" "+mail.To)
	v.signIn(person("s1", "another@example.com", true))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM mails WHERE kind = 'email_changed'`), "nobody had proven the address between")
}
