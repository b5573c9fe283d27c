package dbconn_test

import (
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tradepost/tradepost/internal/dbconn"
)

// What was sent to a machine that is gone fails after seconds; `make drill-hosts` shows it with one.
func TestSilenceOfAMachineIsLimited(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	config, err := pgxpool.ParseConfig("postgres://app@one,two/tradepost?target_session_attrs=read-write")
	require.NoError(t, err)
	dbconn.FailSoon(config)
	require.Positive(t, config.ConnConfig.ConnectTimeout)
	conn, err := config.ConnConfig.DialFunc(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		for option, want := range map[int]int{unix.TCP_USER_TIMEOUT: int(dbconn.Silence.Milliseconds()), unix.TCP_KEEPIDLE: int(dbconn.Silence.Seconds())} {
			have, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, option)
			require.NoError(t, err)
			require.Equal(t, want, have)
		}
	}))
}
