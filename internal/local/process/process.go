// Package process starts child processes that cannot outlive the program that
// started them.
//
// Every child leads a process group of its own, so that it can be stopped
// together with whatever it started, and a Ctrl-C in the terminal reaches the
// launcher alone, which then stops its parts in order. On Linux the kernel
// also signals the child when its parent dies, however it dies. That signal is
// tied to the operating-system thread that forked, so all children are forked
// by one goroutine that never leaves its thread.
package process

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

type request struct {
	cmd       *exec.Cmd
	namespace string
	done      chan error
}

var spawner = sync.OnceValue(func() chan<- request {
	requests := make(chan request)
	go func() {
		runtime.LockOSThread()
		for r := range requests {
			if r.namespace == "" {
				r.done <- r.cmd.Start()
			} else {
				r.done <- inNamespace(r.namespace, r.cmd.Start)
			}
		}
	}()
	return requests
})

// Start starts cmd in its own process group. When the calling program dies,
// the child receives onParentDeath (Linux only; elsewhere it is ignored). The
// context of exec.CommandContext ends the whole group.
func Start(cmd *exec.Cmd, onParentDeath syscall.Signal) error {
	return StartIn("", cmd, onParentDeath)
}

// StartIn is Start in a network namespace made by `ip netns`, which takes root on Linux; the caller's own when it is
// empty.
func StartIn(namespace string, cmd *exec.Cmd, onParentDeath syscall.Signal) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	setParentDeathSignal(cmd.SysProcAttr, onParentDeath)
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return Signal(cmd, syscall.SIGKILL) }
	}
	r := request{cmd, namespace, make(chan error, 1)}
	spawner() <- r
	return <-r.done
}

// Run starts cmd as Start does, with SIGKILL as its parent-death signal, and
// waits for it.
func Run(cmd *exec.Cmd) error {
	if err := Start(cmd, syscall.SIGKILL); err != nil {
		return err
	}
	return cmd.Wait()
}

// RunBehind is Run at the lowest priority: it gets the processors that no other process
// uses.
func RunBehind(cmd *exec.Cmd) error {
	if err := Start(cmd, syscall.SIGKILL); err != nil {
		return err
	}
	_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, 19) // at worst it is like any other
	return cmd.Wait()
}

// Signal sends sig to the whole process group of a child started by Start. A
// group that no longer exists is not an error.
func Signal(cmd *exec.Cmd, sig syscall.Signal) error {
	if cmd.Process == nil {
		return nil
	}
	err := syscall.Kill(-cmd.Process.Pid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
