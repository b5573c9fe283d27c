package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
)

// restore loses the volume of Postgres after everything was archived, and runs the commands of docs/restore.md.
func (c *cluster) restore(ctx context.Context, _ map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, 8*time.Minute)
	defer cancel()
	ran := slices.Sorted(maps.Keys(c.began))
	product := slices.DeleteFunc(slices.Clone(ran), func(name string) bool {
		return name == "backup" || !strings.HasPrefix(c.project.Services[name].Image, "tradepost:")
	})
	if err := c.down(ctx, product...); err != nil {
		return err
	}
	if err := c.archived(ctx); err != nil {
		return err
	}
	commands, err := pageCommands(c.root, restorePage, "From the archive of `backup`")
	if err != nil {
		return err
	}
	for _, command := range commands {
		if err := c.follow(ctx, command, ran); err != nil {
			return err
		}
	}
	return nil
}

// down removes the containers of services.
func (c *cluster) down(ctx context.Context, names ...string) error {
	for _, name := range names {
		for i := range replicas(c.project.Services[name]) {
			if _, err := c.podman(ctx, "rm", "--force", "--time", "20", c.container(name, i)); err != nil {
				return err
			}
		}
		delete(c.began, name)
	}
	return nil
}

var lag = regexp.MustCompile(`(?m)^backup_lag_seconds (\S+)$`)

// archived waits until everything committed before now is in the archive.
func (c *cluster) archived(ctx context.Context) error {
	if err := c.await(ctx, "backup", types.ServiceConditionHealthy); err != nil {
		return err
	}
	at, err := c.address(ctx, c.container("backup", 0), "data")
	if err != nil {
		return err
	}
	for began := time.Now(); ; {
		if behind, err := behind(ctx, "http://"+at+":9090/metrics"); err == nil && behind < time.Since(began) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the archive does not catch up: %w", ctx.Err())
		case <-time.After(time.Second):
		}
	}
}

// behind is how long ago everything committed was in the archive.
func behind(ctx context.Context, url string) (time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	found := lag.FindSubmatch(text)
	if found == nil {
		return 0, errors.New("backup does not say how far behind it is")
	}
	seconds, err := strconv.ParseFloat(string(found[1]), 64)
	return time.Duration(seconds * float64(time.Second)), err
}

// fromArchive runs the service restore. The bucket here is a folder, whose files are their writer's alone.
func (c *cluster) fromArchive(ctx context.Context) error {
	if err := run(ctx, c.folder, nil, "chown", "-R", "999", filepath.Join(c.folder, "backups")); err != nil {
		return err
	}
	said, err := c.once(ctx, "restore", nil)
	fmt.Println(said)
	if err == nil && !strings.Contains(said, "Everything committed before ") {
		err = errors.New("restore does not say what is lost")
	}
	return errors.Join(err, run(ctx, c.folder, nil, "chown", "-R", "65532", filepath.Join(c.folder, "backups")))
}
