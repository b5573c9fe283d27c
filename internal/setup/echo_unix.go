//go:build linux || darwin

package setup

import (
	"os"

	"golang.org/x/sys/unix"
)

// quiet keeps a terminal from showing what is typed, until restore is called.
func quiet(terminal *os.File) (restore func(), err error) {
	fd := int(terminal.Fd())
	before, err := unix.IoctlGetTermios(fd, getTerminal)
	if err != nil {
		return nil, err
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setTerminal, &hidden); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTerminal, before) }, nil
}
