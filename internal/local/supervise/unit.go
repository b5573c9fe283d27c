package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/tradepost/tradepost/internal/local/process"
)

// Pauses between restarts, and how long a process must run for its next end to
// count as its first.
const (
	firstPause = 200 * time.Millisecond
	longPause  = 10 * time.Second
	settled    = 30 * time.Second
)

// Spec describes a unit.
type Spec struct {
	// Name in logs and errors.
	Name string
	// Command makes a fresh command for each start.
	Command func() *exec.Cmd
	// Ready returns nil when the process is ready; it is called repeatedly until then.
	Ready func(context.Context) error
	// StopSignal is the signal that ends the process; SIGTERM when zero.
	StopSignal syscall.Signal
	// DeathSignal is sent when the supervisor dies; SIGKILL when zero.
	DeathSignal syscall.Signal
	// Namespace is the network namespace it runs in; the supervisor's own when empty.
	Namespace string
	// Patience is how long Up waits for Ready, and Down for the end before it
	// kills; 60 s and 15 s when zero.
	Patience, Grace time.Duration
}

// Unit is one supervised process.
type Unit struct {
	spec Spec
	out  io.WriteCloser
	logs *Logs

	mu      sync.Mutex
	wanted  bool
	cmd     *exec.Cmd
	ended   chan struct{} // closed when cmd has ended
	restart chan struct{} // closed to cut a pause short
	pause   time.Duration
}

// NewUnit prepares a unit; Up starts it.
func NewUnit(spec Spec, logs *Logs) (*Unit, error) {
	out, err := logs.Writer(spec.Name)
	if err != nil {
		return nil, err
	}
	if spec.StopSignal == 0 {
		spec.StopSignal = syscall.SIGTERM
	}
	if spec.DeathSignal == 0 {
		spec.DeathSignal = syscall.SIGKILL
	}
	if spec.Patience == 0 {
		spec.Patience = 60 * time.Second
	}
	if spec.Grace == 0 {
		spec.Grace = 15 * time.Second
	}
	return &Unit{spec: spec, out: out, logs: logs}, nil
}

// Name of the unit.
func (u *Unit) Name() string { return u.spec.Name }

// Up starts the process and returns when it is ready. From then on it is kept
// running until Down.
func (u *Unit) Up(ctx context.Context) error {
	u.mu.Lock()
	if u.wanted {
		u.mu.Unlock()
		return u.WaitReady(ctx)
	}
	u.pause = 0
	u.restart = make(chan struct{})
	if err := u.spawn(); err != nil {
		u.mu.Unlock()
		return fmt.Errorf("%s: %w", u.spec.Name, err)
	}
	ended := u.ended
	u.mu.Unlock()

	err := u.await(ctx, ended)
	if err == nil {
		u.mu.Lock()
		u.wanted = true
		alive := !closed(ended)
		u.mu.Unlock()
		go u.keep(ended)
		if alive {
			return nil
		}
		return u.WaitReady(ctx)
	}
	u.end()
	return fmt.Errorf("%s: %w; its last words:\n%s", u.spec.Name, err, u.logs.Tail(u.spec.Name, 15))
}

// WaitReady returns when the process answers, also after restarts.
func (u *Unit) WaitReady(ctx context.Context) error {
	if err := u.await(ctx, nil); err != nil {
		return fmt.Errorf("%s: %w", u.spec.Name, err)
	}
	return nil
}

var errEnded = errors.New("ended before it was ready")

func (u *Unit) await(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, u.spec.Patience)
	defer cancel()
	for {
		err := u.spec.Ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("not ready after %s: %w", u.spec.Patience, err)
		case <-time.After(25 * time.Millisecond):
		}
	}
}

// spawn starts one process. The caller holds the lock.
func (u *Unit) spawn() error {
	cmd := u.spec.Command()
	cmd.Stdout, cmd.Stderr = u.out, u.out
	cmd.WaitDelay = 2 * time.Second // a grandchild may hold the pipe open
	if err := process.StartIn(u.spec.Namespace, cmd, u.spec.DeathSignal); err != nil {
		return err
	}
	ended := make(chan struct{})
	u.cmd, u.ended = cmd, ended
	go func() {
		_ = cmd.Wait() // keep reports how it ended, from ProcessState
		close(ended)
	}()
	return nil
}

// keep starts the process again whenever it ends, until it is stopped.
func (u *Unit) keep(ended <-chan struct{}) {
	for {
		started := time.Now()
		<-ended
		u.mu.Lock()
		if !u.wanted {
			u.mu.Unlock()
			return
		}
		pause := u.nextPause(time.Since(started))
		u.say("ended unasked (%s); starting it again in %s", u.cmd.ProcessState, pause)
		next := u.restart
		u.mu.Unlock()

		select {
		case <-time.After(pause):
		case <-next:
		}
		u.mu.Lock()
		if !u.wanted {
			u.mu.Unlock()
			return
		}
		if err := u.spawn(); err != nil {
			u.say("does not start: %v", err)
			gone := make(chan struct{})
			close(gone)
			u.ended = gone
		}
		ended = u.ended
		u.mu.Unlock()
	}
}

func (u *Unit) nextPause(ran time.Duration) time.Duration {
	if ran > settled || u.pause == 0 {
		u.pause = firstPause
	} else {
		u.pause = min(2*u.pause, longPause)
	}
	return u.pause
}

func (u *Unit) say(format string, args ...any) {
	_, _ = fmt.Fprintf(u.out, "[launcher] "+u.spec.Name+" "+format+"\n", args...) // a log line that cannot be written has nowhere to be reported
}

// Kill sends SIGKILL to the process, as a crash would end it. It is then
// started again like after any crash.
func (u *Unit) Kill() error { return u.Signal(syscall.SIGKILL) }

// Signal sends a signal to the process and those it started.
func (u *Unit) Signal(sig syscall.Signal) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.cmd == nil || closed(u.ended) {
		return fmt.Errorf("%s is not running", u.spec.Name)
	}
	return process.Signal(u.cmd, sig)
}

// Pid is the process's id, 0 when it is not running.
func (u *Unit) Pid() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.cmd == nil || closed(u.ended) {
		return 0
	}
	return u.cmd.Process.Pid
}

// Down stops the process and keeps it stopped until Up.
func (u *Unit) Down() {
	u.mu.Lock()
	if !u.wanted {
		u.mu.Unlock()
		return
	}
	u.wanted = false
	close(u.restart)
	u.mu.Unlock()
	u.end()
}

// end sends the process its stop signal, and kills it when it does not end.
func (u *Unit) end() {
	u.mu.Lock()
	cmd, ended := u.cmd, u.ended
	u.mu.Unlock()
	if closed(ended) {
		return
	}
	_ = process.Signal(cmd, u.spec.StopSignal) // it may have ended in between
	select {
	case <-ended:
	case <-time.After(u.spec.Grace):
		u.say("does not stop within %s; killing it", u.spec.Grace)
		_ = process.Signal(cmd, syscall.SIGKILL)
		<-ended
	}
}

// Close closes the log file of a unit that is down.
func (u *Unit) Close() error { return u.out.Close() }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
