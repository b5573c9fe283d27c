package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/temporalx"
)

// deployed is what every command about the workers' versions needs.
type deployed struct {
	config.Common     `embed:""`
	config.Temporal   `embed:""`
	config.Deployment `embed:""`
}

// do runs a step with a connection to Temporal.
func (d *deployed) do(all any, step func(c *temporalx.Client) error) error {
	if err := config.CheckAll(all); err != nil {
		return err
	}
	if d.Name == "" {
		return errors.New("WORKER_DEPLOYMENT must name the worker deployment: without it the workers have no versions")
	}
	c, err := temporalx.Lazy(&d.Temporal, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	defer c.Close()
	return step(c)
}

// change makes a change, then prints the versions.
func (d *deployed) change(ctx context.Context, all any, step func(c *temporalx.Client) error) error {
	return d.do(all, func(c *temporalx.Client) error {
		if err := step(c); err != nil {
			return err
		}
		versions, err := c.Versions(ctx, d.Name)
		if err != nil {
			return err
		}
		return printVersions(os.Stdout, versions)
	})
}

type showWorkers struct {
	deployed `embed:""`

	JSON bool `name:"json" help:"Write JSON."`
}

// Run prints the versions of the workers.
func (s *showWorkers) Run(ctx context.Context) error {
	return s.do(s, func(c *temporalx.Client) error {
		versions, err := c.Versions(ctx, s.Name)
		if err != nil {
			return err
		}
		if !s.JSON {
			return printVersions(os.Stdout, versions)
		}
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(versions)
	})
}

// printVersions writes a table: each version, its status, and the task queues it does not poll.
func printVersions(to io.Writer, versions []temporalx.Version) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "VERSION\tSTATUS\tWORKERS")
	for _, v := range versions {
		status, workers := v.Status, "on every task queue"
		if v.Status == temporalx.VersionRamping {
			status = fmt.Sprintf("%s, %g%%", status, v.Percent)
		}
		switch missing := v.Missing(); {
		case len(v.Polls) == 0:
			workers = "none"
		case len(missing) > 0:
			workers = "none on " + strings.Join(missing, ", ")
		}
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\n", v.BuildID, status, workers)
	}
	return out.Flush()
}

type setCurrent struct {
	deployed `embed:""`

	To string `arg:"" name:"version" help:"A version, or unversioned: the workers without one."`
}

// Run makes a version the current one.
func (s *setCurrent) Run(ctx context.Context) error {
	return s.change(ctx, s, func(c *temporalx.Client) error { return c.SetCurrent(ctx, s.Name, s.To) })
}

type rampVersion struct {
	deployed `embed:""`

	To      string  `arg:"" name:"version" help:"A version with a worker on every task queue."`
	Percent float32 `arg:"" help:"Percent of the workflows that it receives, from 0 to 100; 0 ends the ramp."`
}

// Run gives a version a part of the workflows.
func (r *rampVersion) Run(ctx context.Context) error {
	return r.change(ctx, r, func(c *temporalx.Client) error { return c.Ramp(ctx, r.Name, r.To, r.Percent) })
}

type rollBack struct {
	deployed `embed:""`
}

// Run makes the version current that was so before.
func (r *rollBack) Run(ctx context.Context) error {
	return r.change(ctx, r, func(c *temporalx.Client) error {
		versions, err := c.Versions(ctx, r.Name)
		if err != nil {
			return err
		}
		before, ok := temporalx.Previous(versions)
		if !ok {
			return errors.New("no other version was current before; name one: api workers current VERSION")
		}
		return c.SetCurrent(ctx, r.Name, before)
	})
}

type retireVersion struct {
	deployed `embed:""`

	Old string `arg:"" name:"version" help:"A drained version whose workers are stopped."`
}

// Run removes a version.
func (r *retireVersion) Run(ctx context.Context) error {
	return r.change(ctx, r, func(c *temporalx.Client) error { return c.Retire(ctx, r.Name, r.Old) })
}
