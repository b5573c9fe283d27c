package order

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMaskedAddressKeepsItsFirstLetterAndDomain(t *testing.T) {
	for address, masked := range map[string]string{
		"casey@example.com": "c•••@example.com",
		"élodie@example.fr": "é•••@example.fr",
		"@example.com":      "•••@example.com",
	} {
		require.Equal(t, masked, MaskedEmail(address))
	}
}
