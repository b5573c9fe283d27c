package setup

import "golang.org/x/sys/unix"

const getTerminal, setTerminal = unix.TIOCGETA, unix.TIOCSETA
