package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A closed account opens nothing any more, here or at the identity provider. A sign-up with its address is a new
// account: what is kept of the old one belongs to no account that can sign in.
func TestClosedAccountIsGoneAndItsAddressBeginsAnew(t *testing.T) {
	t.Parallel()
	v, elsewhere := signedUp(t), newVisitor(t)
	elsewhere.signIn(v.mail, newPassword)
	var was struct{ ID string }
	v.get("/api/auth/user", &was)
	v.post("/api/support/tickets", map[string]string{"subject": "general", "message": "I was here"}, nil)
	v.post("/api/account/closure", nil, nil)
	_, err := database.Exec(t.Context(), "UPDATE account_closures SET wake_at = clock_now() - interval '1 minute' WHERE user_id = $1", was.ID)
	require.NoError(t, err)
	until(t, "the end of the account, here and at the identity provider", func() bool {
		var status string
		return database.QueryRow(t.Context(), "SELECT status FROM account_closures WHERE user_id = $1", was.ID).Scan(&status) == nil && status == "closed"
	})
	for _, old := range []*visitor{v, elsewhere} {
		require.Equal(t, http.StatusUnauthorized, old.call(http.MethodGet, "/api/auth/user", nil, nil))
		require.Contains(t, old.open(stack.SiteURL()+"/api/login").address.String(), stack.IdentityURL()+"/signin", "the identity provider does not know them any more")
	}
	refused := newVisitor(t)
	require.Equal(t, http.StatusUnauthorized, refused.submit(refused.open(stack.SiteURL()+"/api/login"), "/signin", map[string]string{"email": v.mail, "password": newPassword}).status)

	again := newVisitor(t)
	again.mail, again.used = v.mail, v.used
	again.signUp()
	var is struct{ ID string }
	again.get("/api/auth/user", &is)
	require.NotEqual(t, was.ID, is.ID)
	var tickets []struct{ ID string }
	again.get("/api/support/tickets", &tickets)
	require.Empty(t, tickets)
	var kept int
	require.NoError(t, database.QueryRow(t.Context(), "SELECT count(*) FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id WHERE t.user_id = $1 AND m.body <> ''", was.ID).Scan(&kept))
	require.Zero(t, kept, "what they wrote is erased")
}
