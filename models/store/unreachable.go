package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Unreachable reports whether a call failed because Postgres was not reachable, stopped during it, or had no
// connection free: the same call may succeed in a moment. The outcome of a commit whose answer was lost is unknown; a
// retry uses the same key.
func Unreachable(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return slices.Contains(passing, said.Code) || slices.Contains(passing, said.Code[:2])
	}
	var dialling *pgconn.ConnectError
	var wire net.Error
	return errors.As(err, &dialling) || errors.As(err, &wire) || pgconn.SafeToRetry(err) || slices.ContainsFunc(broken, func(b error) bool { return errors.Is(err, b) })
}

// passing are the transient SQLSTATEs and their classes: broken connections, exhausted resources, a server that
// stops, starts or is a standby at the moment, and locks held by others.
var passing = []string{"08", "53", "57P01", "57P02", "57P03", "25006", "40001", "40P01", "55P03"}

// broken are the libraries' errors for a lost connection.
var broken = []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE,
	driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, pgx.ErrTxClosed, pgx.ErrTxCommitRollback, pgconn.ErrConnClosed}
