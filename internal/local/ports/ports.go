// Package ports finds ports for the parts of a local stack. They lie below the range
// from which systems take the ports of outgoing connections: one that was free a moment
// ago, or whose server is being started again, is not taken by a connection meanwhile.
package ports

import (
	"errors"
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

// First and last of the ports that are given. Linux takes those of connections from
// 32768 on, macOS and Windows from 49152 on.
const (
	first = 20000
	last  = 31999
)

// next counts what was given: each process begins in another hundred, and gives none
// twice before all were.
var next atomic.Int64

func init() { next.Store(int64(os.Getpid()) * 100) }

// Free are n different loopback ports that nothing listens on.
func Free(n int) ([]int, error) {
	var free []int
	for range last - first + 1 {
		if len(free) == n {
			return free, nil
		}
		if port := first + int(next.Add(1)%(last-first+1)); !Taken(port) {
			free = append(free, port)
		}
	}
	return nil, errors.New("no loopback ports are free")
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
