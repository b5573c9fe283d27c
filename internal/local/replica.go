package local

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/supervise"
)

// Replica is another process of a part, beside the one that the stack started.
type Replica struct {
	// Name of the process, for Kill, Down and the rest.
	Name string
	// Of is the part it is like: "api", "identity" or a worker.
	Of string
	// Variant is the build it runs.
	Variant Variant
	// Environ is added to its environment, and wins over what is there.
	Environ []string
	// Port it listens on; a free one when zero. A part that is down leaves its own to its
	// replacement.
	Port int
	// Host it runs on; the stack's own when nil.
	Host *Host
	// Idle means that it is a standby: the start does not wait for its readiness.
	Idle bool
}

// Host is another machine, as a network namespace: what runs there ends as by a pulled plug, by SIGKILL.
type Host struct {
	// Namespace of `ip netns`, and its Address.
	Namespace, Address string
}

// AddReplica builds a replica, starts it and, when it is ready, returns the
// address it listens on: an API's own, of a worker the one of its health check.
func (s *Stack) AddReplica(ctx context.Context, r Replica) (string, error) {
	if err := s.options.Build(ctx, r.Variant); err != nil {
		return "", err
	}
	port := r.Port
	if port == 0 {
		var err error
		if port, err = ports.One(); err != nil {
			return "", err
		}
	}
	spec := supervise.Spec{Name: r.Name}
	place := net.JoinHostPort(s.options.Address, strconv.Itoa(port))
	environ := r.Environ
	if r.Host != nil {
		place = net.JoinHostPort(r.Host.Address, strconv.Itoa(port))
		spec.Namespace, spec.StopSignal = r.Host.Namespace, syscall.SIGKILL
		environ = append([]string{"HEALTH_LISTEN="}, environ...)
	}
	listen, ready, args := "HEALTH_LISTEN", "/healthz", []string(nil)
	switch r.Of {
	case "api":
		listen, ready, args = "LISTEN", "/readyz", []string{"serve"}
	case "identity":
		listen, ready = "IDENTITY_LISTEN", "/readyz"
	}
	url := "http://" + place
	spec.Command = func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(s.options.bin(r.Variant), r.Of), args...)
		cmd.Env = overlay(append(s.environment(r.Of, r.Of), s.options.Environ...), append(environ, listen+"="+place))
		cmd.Dir = s.options.DataDir
		return cmd
	}
	spec.Ready = answers(url + ready)
	if r.Idle {
		spec.Ready = func(context.Context) error { return nil }
	}
	return url, s.add(ctx, spec)
}

// overlay is an environment in which later values win.
func overlay(below, above []string) []string {
	values := map[string]string{}
	for _, pair := range append(slices.Clone(below), above...) {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		env = append(env, fmt.Sprintf("%s=%s", name, values[name]))
	}
	return env
}

// Migrate runs a build's migrations, as a deployment does before its replicas
// start.
func (s *Stack) Migrate(ctx context.Context) error { return s.once(ctx, "migrate", "migrate") }
