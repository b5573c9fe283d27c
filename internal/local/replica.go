package local

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/supervise"
)

// Replica is another process of a part, beside the one that the stack started.
type Replica struct {
	// Name of the process, for Kill, Down and the rest.
	Name string
	// Of is the part it is like: "api" or a worker.
	Of string
	// Variant is the build it runs.
	Variant Variant
	// Environ is added to its environment, and wins over what is there.
	Environ []string
	// Port it listens on; a free one when zero. A part that is down leaves its own to its
	// replacement.
	Port int
	// Idle means that it is a standby: the start does not wait for its readiness.
	Idle bool
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
	listen, ready, args := "HEALTH_LISTEN", "/healthz", []string(nil)
	if r.Of == "api" {
		listen, ready, args = "LISTEN", "/readyz", []string{"serve"}
	}
	url := "http://" + address(port)
	command := func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(s.options.bin(r.Variant), r.Of), args...)
		cmd.Env = overlay(append(s.environment(r.Of, r.Of), s.options.Environ...), append(r.Environ, listen+"="+address(port)))
		cmd.Dir = s.options.DataDir
		return cmd
	}
	works := answers(url + ready)
	if r.Idle {
		works = func(context.Context) error { return nil }
	}
	return url, s.add(ctx, supervise.Spec{Name: r.Name, Command: command, Ready: works})
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
