package people_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/people"
)

// Two accounts of one person are one, however the domain of their address is spelled.
func TestAMailboxIsTheSameInEverySpelling(t *testing.T) {
	for _, other := range []string{"ana@xn--bcher-kva.example", "Ana+two@BÜCHER.example", "ana@bu\u0308cher.example"} {
		require.True(t, people.SameMailbox("ana@bücher.example", other), other)
	}
	require.False(t, people.SameMailbox("ana@bücher.example", "ana@bucher.example"))
	require.True(t, people.SameMailbox("a.n.a@gmail.com", "ana@googlemail.com"))
	require.False(t, people.SameMailbox("", ""))
}

// A search finds an address by either spelling of its domain.
func TestAnAddressIsSearchedInBothSpellings(t *testing.T) {
	condition, patterns := people.AddressLike("text", " Bücher ")
	require.Equal(t, "text LIKE ? OR text LIKE ?", condition)
	require.Equal(t, []any{"%bücher%", "%xn--bcher-kva%"}, patterns)
	condition, patterns = people.AddressLike("text", "Ana Li")
	require.Equal(t, "text LIKE ?", condition)
	require.Equal(t, []any{"%ana li%"}, patterns)
	_, patterns = people.AddressLike("text", "100%_")
	require.Equal(t, []any{`%100\%\_%`}, patterns)
}
