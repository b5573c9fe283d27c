package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/team"
)

// One address is one person for staff, too: promised roles, candidates, customers by name and searches find it however
// its domain is spelled.
func TestAnAddressIsFoundInEverySpelling(t *testing.T) {
	db := openShop(t).db
	const ascii, letters = "ana@xn--bcher-kva.example", "Ana@bücher.example"
	_, err := account.GrantRole(t.Context(), db, "https://id.example", ascii, "support", "the operator")
	require.NoError(t, err)
	user, err := account.SignIn(t.Context(), db, account.Claims{Issuer: "https://id.example", Subject: "ana", Email: letters, EmailVerified: true,
		FirstName: "می\u200cخواهم", LastName: "a\u202eb"}, referral.Arrival{})
	require.NoError(t, err)
	require.Equal(t, "می\u200cخواهم", user.FirstName)
	require.Empty(t, user.LastName, "a name that changes the text around it is not taken from an issuer")
	for _, spelled := range []string{ascii, letters, "ana@bu\u0308cher.example"} {
		found, err := team.Candidate(t.Context(), db, spelled)
		require.NoError(t, err, spelled)
		require.Equal(t, user.ID, found.ID)
		require.Equal(t, []string{"support"}, []string(found.Roles), "the promised role")
		id, err := correction.CustomerNamed(t.Context(), db, "customer", spelled)
		require.NoError(t, err, spelled)
		require.Equal(t, user.ID, id)
		rows, _, err := customer.Customers(t.Context(), db, customer.CustomerFilter{Query: spelled}, store.Page{Limit: 5})
		require.NoError(t, err)
		require.Len(t, rows, 1, spelled)
	}
	for name, fault := range map[string]string{"Col·lell": "", "\u201cJack\u201d": "", "a\u2066b": "invalid_name", "\u200b": "invalid_name"} {
		err := account.CorrectName(t.Context(), db, user.ID, name, "Lin")
		require.Equal(t, fault, store.ReasonOf(err), "%+q", name)
	}
}
