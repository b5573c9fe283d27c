package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// release replaces the product's containers by those of the next version, one at a time: first the migrations, then each
// service, as docker compose up does with another TRADEPOST_VERSION.
func (c *cluster) release(ctx context.Context, _ map[string]string) error {
	values := maps.Clone(c.values)
	values["TRADEPOST_VERSION"] = second
	project, err := read(ctx, c.root, values)
	if err != nil {
		return err
	}
	c.project = project
	if err := c.replace(ctx, project.Services["migrate"], 0, types.ServiceConditionCompletedSuccessfully); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(project.Services)) {
		service := project.Services[name]
		if name == "migrate" || !strings.HasPrefix(service.Image, "tradepost:") {
			continue
		}
		for i := range replicas(service) {
			if err := c.replace(ctx, service, i, types.ServiceConditionHealthy); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace ends one container in the time that compose gives it and starts its successor.
func (c *cluster) replace(ctx context.Context, service types.ServiceConfig, i int, condition string) error {
	container := c.container(service.Name, i)
	if _, err := c.podman(ctx, "stop", container); err != nil {
		return err
	}
	code, err := c.podman(ctx, "inspect", "--format", "{{.State.ExitCode}}", container)
	if err != nil {
		return err
	}
	if code != "0" {
		return fmt.Errorf("%s ends with %s when it is stopped", container, code)
	}
	if _, err := c.podman(ctx, "rm", container); err != nil {
		return err
	}
	if err := c.create(ctx, service, i); err != nil {
		return err
	}
	return c.awaitOne(ctx, container, condition)
}
