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

// Unreachable reports whether a call failed because Postgres was not there, went
// in the middle of it, or had no room for it: the same call may well succeed in
// a moment. Whether a commit whose answer was lost took place, nobody knows; who
// asks again does so under the same key.
func Unreachable(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return slices.Contains(passing, said.Code) || slices.Contains(passing, said.Code[:2])
	}
	var dialling *pgconn.ConnectError
	var wire net.Error
	return errors.As(err, &dialling) || errors.As(err, &wire) || pgconn.SafeToRetry(err) || slices.ContainsFunc(broken, func(b error) bool { return errors.Is(err, b) })
}

// passing are the conditions, and classes of them, that pass by themselves:
// broken connections and too little of something, a server that goes down or
// comes up or is only a copy at the moment, and locks that others had.
var passing = []string{"08", "53", "57P01", "57P02", "57P03", "25006", "40001", "40P01", "55P03"}

// broken is how the libraries tell of a connection that is gone.
var broken = []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE,
	driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, pgx.ErrTxClosed, pgx.ErrTxCommitRollback}
