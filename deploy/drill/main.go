// Command drill runs what docker-compose.yml describes in containers, without a Docker engine and without an image from
// elsewhere: podman and runc, the release's image, and third parties' images made of modules and packages. An order goes
// through it in a browser, a container is killed at its memory limit, and a release replaces the one before. With --mode
// staging it is a rehearsal.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/tradepost/tradepost/internal/local/build"
)

type options struct {
	Mode    string `help:"What .env and COMPOSE_FILE are of: production, or staging, a rehearsal." default:"production" enum:"production,staging"`
	Release string `help:"The OCI archive of a release; without one that of the commit is built." type:"existingfile"`
	Keep    bool   `help:"Keep everything running at the end, until Ctrl-C."`
}

const first, second = "v0.0.1-drill", "v0.0.2-drill"

func main() {
	var o options
	parsed := kong.Parse(&o, kong.Name("drill"), kong.Description("Run docker-compose.yml in containers, and drill them."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parsed.FatalIfErrorf(drill(ctx, o))
}

func drill(ctx context.Context, o options) (err error) {
	root, err := build.Root()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "drill-")
	if err != nil {
		return err
	}
	w := workshop{engine: engine{folder}, root: root, mode: o.Mode, bin: filepath.Join(root, ".data", "drill")}
	c, err := w.plan(ctx)
	if err == nil {
		err = w.conditions(ctx, c.project, o.Release)
	}
	if err == nil {
		err = install(ctx)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := w.prepareCluster(ctx, c, o.Release); err != nil {
		return err
	}
	err = c.start(ctx)
	if err == nil {
		fmt.Println("all containers are up")
		err = c.stories(ctx, o.Mode)
		if o.Mode == "staging" {
			err = errors.Join(err, c.doctor(ctx))
		}
	}
	if o.Keep {
		fmt.Println("kept until Ctrl-C:", err, folder)
		<-ctx.Done()
	}
	return err
}

// plan reads the project of compose; no container runs yet.
func (w workshop) plan(ctx context.Context) (*cluster, error) {
	values, err := w.values(ctx, first)
	if err != nil {
		return nil, err
	}
	project, err := read(ctx, w.root, values)
	if err != nil {
		return nil, err
	}
	return &cluster{engine: w.engine, project: project, root: w.root, values: values, began: map[string]bool{}}, nil
}

// prepareCluster makes the images and everything that .env names.
func (w workshop) prepareCluster(ctx context.Context, c *cluster, archive string) error {
	if err := errors.Join(os.Chmod(w.folder, 0o755), os.MkdirAll(w.bin, 0o755), w.prepare(), w.legal(), w.authority()); err != nil {
		return err
	}
	for _, bucket := range []string{"files", "backups"} {
		dir := filepath.Join(w.folder, bucket)
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chown(dir, 65532, 65532)); err != nil {
			return err
		}
	}
	names := map[string]string{}
	for name, service := range c.project.Services {
		names[name] = service.Image
	}
	names["restore"] = c.project.DisabledServices["restore"].Image
	if err := w.third(ctx, names); err != nil {
		return err
	}
	if err := w.product(ctx, first, archive); err != nil {
		return err
	}
	return w.again(ctx, first, second)
}
