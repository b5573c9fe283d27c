package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A code is understood however it was pasted.
func TestDigits(t *testing.T) {
	for _, pasted := range []string{"123456", " 123 456\n", "123-456", "123\u2011456", "\u200b123\u00ad456\ufeff", "123\u00a0456", "１２３４５６"} {
		require.Equal(t, "123456", digits(pasted), "%q", pasted)
	}
	require.Equal(t, "12345x", digits("12345x"))
}
