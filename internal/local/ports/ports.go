// Package ports finds ports for the parts of a local stack. They lie below the range
// from which systems give outgoing connections theirs: one whose server is being started
// again is not used by a connection meanwhile.
package ports

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
)

// First and last of the ports that are given. Linux gives connections those from
// 32768 on, macOS and Windows those from 49152 on.
const (
	first = 20000
	last  = 31999
)

// next counts what was given: each process begins in another hundred, and gives none
// twice before all were.
var next atomic.Int64

func init() { next.Store(int64(os.Getpid()) * 100) }

// reserved are the locks of this process's ports: another process that searches for a port
// before a part has started leaves the part's port free.
var reserved struct {
	sync.Mutex
	locks []*os.File
}

// Free are n different loopback ports that nothing listens on. No other process is
// given them while this one lives.
func Free(n int) ([]int, error) {
	dir := fmt.Sprintf("/tmp/tradepost-ports-%d", os.Getuid()) // the same for processes whose TMPDIR differs
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var free []int
	for range last - first + 1 {
		if len(free) == n {
			return free, nil
		}
		port := first + int(next.Add(1)%(last-first+1))
		if Taken(port) {
			continue
		}
		ours, err := reserve(filepath.Join(dir, strconv.Itoa(port)))
		if err != nil {
			return nil, err
		}
		if ours {
			free = append(free, port)
		}
	}
	return nil, errors.New("no loopback ports are free")
}

// reserve locks a file for as long as this process lives, unless another has it.
func reserve(name string) (bool, error) {
	lock, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return false, err
	}
	reserved.Lock()
	defer reserved.Unlock()
	reserved.locks = append(reserved.locks, lock)
	return true, nil
}

// One is a loopback port that nothing listens on.
func One() (int, error) {
	free, err := Free(1)
	if err != nil {
		return 0, err
	}
	return free[0], nil
}

// Taken reports whether something listens on a loopback port.
func Taken(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return true
	}
	_ = l.Close()
	return false
}
