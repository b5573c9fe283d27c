package setup

import "golang.org/x/sys/unix"

const getTerminal, setTerminal = unix.TCGETS, unix.TCSETS
