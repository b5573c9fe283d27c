package dbconn

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

func limitSilence(raw syscall.RawConn) error {
	var refused error
	err := raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(Silence.Milliseconds()))
	})
	return errors.Join(err, refused)
}
