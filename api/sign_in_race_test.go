package api

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/mailqueue"
	"github.com/tradepost/tradepost/models/referral"
)

// Bar 7: a sign-in that was let in a moment before the person's sessions were ended
// opens none after it.
func TestBar07ASignInThatWasOvertakenOpensNoSession(t *testing.T) {
	h := open(t)
	now := time.Now()
	claims := account.Claims{Issuer: "https://issuer.example", Subject: "s1", Email: "ada@example.com", EmailVerified: true, AuthenticatedAt: &now, IssuedAt: now}
	user, err := account.SignIn(t.Context(), h.db, claims, referral.Arrival{})
	require.NoError(t, err)
	session := func(token string) account.NewSession {
		return account.NewSession{TokenHash: rest.HashToken(token), UserID: user.ID, UserAgent: "x" + strings.Repeat("é", 300), Entering: user}
	}
	require.NoError(t, account.CreateSession(t.Context(), h.db, session("first")), "half a character of what the browser says of itself is left out")
	_, err = account.EndOtherSessions(t.Context(), h.db, &account.Principal{UserID: user.ID, TokenHash: rest.HashToken("none")})
	require.NoError(t, err)
	require.ErrorIs(t, account.CreateSession(t.Context(), h.db, session("second")), account.ErrSignedOut)
	require.Zero(t, one[int](h, `SELECT count(*) FROM sessions WHERE user_id = $1 AND revoked_at IS NULL`, user.ID))
	user, err = account.SignIn(t.Context(), h.db, claims, referral.Arrival{})
	require.NoError(t, err)
	require.NoError(t, account.CreateSession(t.Context(), h.db, session("third")))
}

// Bar 7: when an attacker takes an account over at the identity provider, and gives it
// another address, the owner is notified too.
func TestBar07AChangedAddressIsReportedToTheOldOne(t *testing.T) {
	h := open(t)
	v := h.visitor()
	v.signIn(person("s1", "ada@example.com", true))
	v.signIn(person("s1", "Ada@example.com", true))
	v.signIn(person("s1", "", false))
	require.Equal(t, "Ada@example.com true", one[string](h, `SELECT email || ' ' || email_verified FROM users`), "what an issuer does not say stays as it is known")
	require.Zero(t, one[int](h, `SELECT count(*) FROM mails`))
	v.signIn(person("s1", "thief@example.com", false))
	mail, err := mailqueue.ClaimMail(t.Context(), h.db, time.Minute, "")
	require.NoError(t, err)
	require.Equal(t, "email_changed Ada@example.com", mail.Kind+" "+mail.To)
	v.signIn(person("s1", "another@example.com", true))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM mails WHERE kind = 'email_changed'`), "nobody had proven the address between")
}
