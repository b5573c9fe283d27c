package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// group is where the kernel keeps a container's memory limit, in either of its two forms.
type group struct{ dir, limit, used, events string }

func groupOf(path string) group {
	if dir := "/sys/fs/cgroup/memory"; exists(dir) {
		return group{filepath.Join(dir, path), "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control"}
	}
	return group{filepath.Join("/sys/fs/cgroup", path), "memory.max", "memory.current", "memory.events"}
}

func (g group) number(file string) (int, error) {
	raw, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(raw)))
}

// killed is how many processes of the group the kernel has ended at the limit.
func (g group) killed() (int, error) {
	raw, err := os.ReadFile(filepath.Join(g.dir, g.events))
	if err != nil {
		return 0, err
	}
	found := regexp.MustCompile(`(?m)^oom_kill (\d+)$`).FindSubmatch(raw)
	if found == nil {
		return 0, errors.New("the kernel does not count whom it ends")
	}
	return strconv.Atoi(string(found[1]))
}

// slack is what a container may still use when its limit is lowered.
const slack = 256 << 10

// crowd has a hundred clients ask for a worker's metrics until ctx ends: that takes memory.
func (c *cluster) crowd(ctx context.Context, container string) error {
	at, err := c.address(ctx, container, "data")
	if err != nil {
		return err
	}
	for range 100 {
		go func() {
			for ctx.Err() == nil {
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+":9090/metrics", nil)
				if err != nil {
					return
				}
				if answer, err := http.DefaultClient.Do(request); err == nil {
					_ = answer.Body.Close()
				}
			}
		}()
	}
	return nil
}

// starve lowers a container's limit to what it uses, so that its work and a crowd get it past that, and returns when the kernel has ended
// its process and the container is back with the limit that compose gives it.
func (c *cluster) starve(ctx context.Context, in map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	container := c.container(in["part"], 0)
	path, err := c.podman(ctx, "inspect", "--format", "{{.State.CgroupPath}}", container)
	if err != nil {
		return err
	}
	own := groupOf(path)
	given, err := own.number(own.limit)
	if err != nil {
		return err
	}
	if most := int(c.project.Services[in["part"]].Deploy.Resources.Limits.MemoryBytes); given != most {
		return fmt.Errorf("%s may use %d bytes, and compose says %d", container, given, most)
	}
	crowd, end := context.WithCancel(ctx)
	defer end()
	if err := c.crowd(crowd, container); err != nil {
		return err
	}
	least := given
	for {
		if killed, err := own.killed(); err == nil && killed > 0 { // the group is there until podman has seen the end
			break
		}
		if used, err := own.number(own.used); err == nil && used+slack < least {
			if os.WriteFile(filepath.Join(own.dir, own.limit), []byte(strconv.Itoa(used+slack)), 0o600) == nil { // refused when it has grown since
				least = used + slack
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s was not ended at its limit: %w", container, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
	end()
	return c.restored(ctx, in["part"], given)
}

// restored waits for a container that was ended to run again under its limit.
func (c *cluster) restored(ctx context.Context, part string, given int) error {
	container := c.container(part, 0)
	if err := c.await(ctx, part, "service_healthy"); err != nil {
		return err
	}
	state, err := c.podman(ctx, "inspect", "--format", "{{.RestartCount}} {{.State.CgroupPath}}", container)
	if err != nil {
		return err
	}
	count, path, _ := strings.Cut(state, " ")
	own := groupOf(path)
	limit, err := own.number(own.limit)
	if err != nil {
		return err
	}
	if count == "0" || limit != given {
		return fmt.Errorf("%s: %s restarts, a limit of %d bytes, and not %d", container, count, limit, given)
	}
	fmt.Printf("· %s was ended at its memory limit and is back\n", container)
	return nil
}
