// Package dbconn has connections to Postgres fail soon when its machine is gone.
//
// A machine without power answers nothing: TCP repeats what was sent for a quarter of an hour before it gives up, and
// a pool keeps waiting on each of its connections meanwhile, although another machine serves already.
package dbconn

import (
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Silence is how long a machine may confirm nothing of what was sent to it before the connection has failed. A slow
// statement is no silence: the machine's kernel confirms it at once.
const Silence = 5 * time.Second

const (
	// connecting is how long one host may take to accept a connection, unless connect_timeout says otherwise.
	connecting = 3 * time.Second
	// checking is how long a connection that was idle may take to show that it is one.
	checking = 2 * time.Second
)

// FailSoon bounds how long connections of a pool wait for a machine that is gone.
func FailSoon(config *pgxpool.Config) {
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connecting
	}
	config.PingTimeout = checking
	dialer := &net.Dialer{
		Timeout:         config.ConnConfig.ConnectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: Silence, Interval: time.Second, Count: int(Silence / time.Second)},
		Control: func(network, _ string, raw syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			return limitSilence(raw)
		},
	}
	config.ConnConfig.DialFunc = dialer.DialContext
}
