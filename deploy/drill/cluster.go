package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
)

// cluster is the project of compose, run.
type cluster struct {
	engine
	root    string
	values  map[string]string // of .env
	project *types.Project
	began   map[string]bool
	admin   string // e-mail address of the newest admin
}

// leftOut are services that nothing depends on and that have no stand-in.
var leftOut = []string{"temporal-ui"}

// start makes networks and volumes and starts every service after those it depends on.
func (c *cluster) start(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(c.project.Networks)) {
		network := c.project.Networks[name]
		args := []string{"network", "create"}
		if network.Internal {
			args = append(args, "--internal")
		}
		six := network.EnableIPv6 != nil && *network.EnableIPv6
		if six {
			args = append(args, "--ipv6")
		}
		for _, pool := range network.Ipam.Config {
			if six || !strings.Contains(pool.Subnet, ":") {
				args = append(args, "--subnet", pool.Subnet)
			}
		}
		if _, err := c.podman(ctx, append(args, network.Name)...); err != nil {
			return err
		}
	}
	for _, volume := range c.project.Volumes {
		if _, err := c.podman(ctx, "volume", "create", volume.Name); err != nil {
			return err
		}
	}
	if err := c.seedCaddy(ctx); err != nil {
		return err
	}
	for _, name := range append([]string{"world"}, slices.Sorted(maps.Keys(c.project.Services))...) {
		if !slices.Contains(leftOut, name) {
			if err := c.up(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// seedCaddy puts the drill's authority where Caddy keeps its own.
func (c *cluster) seedCaddy(ctx context.Context) error {
	at, err := c.podman(ctx, "volume", "inspect", "--format", "{{.Mountpoint}}", c.project.Volumes["caddy"].Name)
	if err != nil {
		return err
	}
	return copyTo(ctx, filepath.Join(c.folder, "authority"), filepath.Join(at, "caddy", "pki", "authorities", "local"))
}

// up starts a service, and waits until it is what others wait for.
func (c *cluster) up(ctx context.Context, name string) error {
	if c.began[name] {
		return nil
	}
	c.began[name] = true
	service := c.project.Services[name]
	if err := checkService(service); err != nil {
		return err
	}
	for _, before := range slices.Sorted(maps.Keys(service.DependsOn)) {
		if err := c.up(ctx, before); err != nil {
			return err
		}
		if err := c.await(ctx, before, service.DependsOn[before].Condition); err != nil {
			return err
		}
	}
	for i := range replicas(service) {
		if err := c.create(ctx, service, i); err != nil {
			return err
		}
	}
	if service.HealthCheck != nil {
		return c.await(ctx, name, types.ServiceConditionHealthy)
	}
	return nil
}

func replicas(s types.ServiceConfig) int {
	if s.Deploy != nil && s.Deploy.Replicas != nil {
		return *s.Deploy.Replicas
	}
	return 1
}

// container is the name compose gives.
func (c *cluster) container(service string, i int) string {
	return c.project.Name + "-" + service + "-" + strconv.Itoa(i+1)
}

// address is where a container is in a network.
func (c *cluster) address(ctx context.Context, container, network string) (string, error) {
	return c.podman(ctx, "inspect", "--format", "{{(index .NetworkSettings.Networks \""+c.project.Networks[network].Name+"\").IPAddress}}", container)
}

func (c *cluster) create(ctx context.Context, service types.ServiceConfig, i int) error {
	fmt.Println("·", c.container(service.Name, i))
	_, err := c.podman(ctx, runOf(c.project, service, c.container(service.Name, i))...)
	return err
}

// await waits for a condition of depends_on, and shows the end of the log of what does not reach it.
func (c *cluster) await(ctx context.Context, name, condition string) error {
	for i := range replicas(c.project.Services[name]) {
		if err := c.awaitOne(ctx, c.container(name, i), condition); err != nil {
			log, _ := c.podman(ctx, "logs", "--tail", "20", c.container(name, i))
			return fmt.Errorf("%s: %w\n%s", c.container(name, i), err, log)
		}
	}
	return nil
}

func (c *cluster) awaitOne(ctx context.Context, container, condition string) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	for {
		switch condition {
		case types.ServiceConditionCompletedSuccessfully:
			state, err := c.podman(ctx, "inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", container)
			if err != nil || state == "exited 0" {
				return err
			}
		case types.ServiceConditionHealthy:
			if _, err := c.podman(ctx, "healthcheck", "run", container); err == nil {
				return nil
			}
		default:
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("is not %s in time", strings.TrimPrefix(condition, "service_"))
		case <-time.After(time.Second):
		}
	}
}
