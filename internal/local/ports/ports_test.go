package ports

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A port that is given can be listened on, is given once, and is none that a connection
// may take.
func TestFreePortsStayFree(t *testing.T) {
	free, err := Free(50)
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, port := range free {
		require.False(t, seen[port])
		seen[port] = true
		require.Less(t, port, 32768)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		require.NoError(t, err)
		require.True(t, Taken(port))
		require.NoError(t, l.Close())
	}
}
