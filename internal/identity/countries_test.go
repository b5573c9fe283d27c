package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
)

// The list is ISO 3166-1, judged by another table of it.
func TestCountriesAreISO(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range countries {
		region, err := language.ParseRegion(c.Code)
		require.NoError(t, err, c.Code)
		require.True(t, region.IsCountry(), c.Code)
		require.False(t, seen[c.Code], c.Code)
		require.NotEmpty(t, c.Name)
		seen[c.Code] = true
	}
	require.Len(t, seen, 249)
}
