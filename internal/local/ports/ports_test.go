package ports

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A port that is given can be listened on, is given once, and is none that an outgoing
// connection may use.
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

// A port that one process was given and does not listen on yet is given to no other,
// until that process ends.
func TestAPortOfAnotherProcessIsNotGiven(t *testing.T) {
	if os.Getenv("PORTS_TEST_HOLDER") != "" {
		next.Store(0)
		free, err := Free(1)
		require.NoError(t, err)
		fmt.Printf("port %d\n", free[0])
		_, _ = io.ReadAll(os.Stdin)
		return
	}
	holder := exec.Command(os.Args[0], "-test.run=^TestAPortOfAnotherProcessIsNotGiven$")
	holder.Env = append(os.Environ(), "PORTS_TEST_HOLDER=1")
	hold, err := holder.StdinPipe()
	require.NoError(t, err)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	var theirs int
	_, err = fmt.Fscanf(bufio.NewReader(out), "port %d\n", &theirs)
	require.NoError(t, err)
	require.False(t, Taken(theirs), "it does not listen")

	nextIs := int64(theirs - first - 1)
	next.Store(nextIs)
	mine, err := One()
	require.NoError(t, err)
	require.NotEqual(t, theirs, mine)

	require.NoError(t, hold.Close())
	_ = holder.Wait() // only its end counts
	next.Store(nextIs)
	mine, err = One()
	require.NoError(t, err)
	require.Equal(t, theirs, mine)
}
