//go:build !linux

package postgres

import (
	"errors"
	"os"
	"syscall"
)

type account struct {
	attr     syscall.SysProcAttr
	uid, gid int
}

// chooseAccount refuses root: dropping to another account is only done on
// Linux, where continuous integration runs as root.
func chooseAccount(...string) (account, error) {
	if os.Geteuid() == 0 {
		return account{}, errors.New("refusing to run Postgres as root on this system: run as an ordinary user")
	}
	return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
}
