package process

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// In calls do in a network namespace of `ip netns`: a socket that it opens stays there.
func In(namespace string, do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return inNamespace(namespace, do)
}

// inNamespace calls start in a network namespace of `ip netns`; the caller's goroutine is locked to its thread.
func inNamespace(name string, start func() error) (err error) {
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer func() { _ = home.Close() }()
	there, err := os.Open(filepath.Join("/run/netns", name))
	if err != nil {
		return err
	}
	defer func() { _ = there.Close() }()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Setns(int(home.Fd()), unix.CLONE_NEWNET)) }()
	return start()
}
