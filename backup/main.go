// Command backup archives Postgres while it runs, and puts it back. It holds the key of the archive and a role that may
// replicate, and no other secret of the product.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"
	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob"
	"golang.org/x/sync/errgroup"

	"github.com/tradepost/tradepost/internal/archive"
	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/store"
)

type commands struct {
	Version kong.VersionFlag `help:"Say which version this is, and end."`
	Serve   serve            `cmd:"" default:"withargs" help:"Archive Postgres until stopped."`
	Restore restore          `cmd:"" help:"Make a data folder of the archive, on which Postgres then starts."`
}

func main() {
	config.Command("backup", "Backups of Postgres.", &commands{})
}

type serve struct {
	config.Common    `embed:""`
	config.Health    `embed:""`
	config.Backups   `embed:""`
	config.Archiving `embed:""`
}

// Run archives until ctx ends.
func (s *serve) Run(ctx context.Context) error {
	if err := config.CheckAll(s); err != nil {
		return err
	}
	kept, err := open(ctx, &s.Backups)
	if err != nil {
		return err
	}
	log := telemetry.NewLogger(os.Stderr, telemetry.LogOptions{Service: "backup", Level: s.LogLevel, JSON: s.Mode.Strict(),
		Secrets: []string{s.DatabaseURL, s.Key, s.Secret}})
	keeper := archive.NewKeeper(kept, archive.Options{DSN: s.DatabaseURL, Every: s.Every, BaseEvery: s.BaseEvery, Keep: s.Keep, Log: log})
	metrics := telemetry.NewMetrics("backup")
	metrics.Registry().MustRegister(keeper)
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error { return keeper.Run(ctx) })
	both.Go(func() error { return telemetry.Serve(ctx, s.Listen, metrics, keeper.Healthy, keeper.Ages) })
	return both.Wait()
}

// open opens the bucket of backups.
func open(ctx context.Context, b *config.Backups) (archive.Archive, error) {
	keys, err := b.Keys()
	if err != nil {
		return archive.Archive{}, err
	}
	kept, err := bucket.Open(ctx, b.URL, bucket.Access{ID: b.AccessKey, Secret: b.Secret})
	if err != nil {
		return archive.Archive{}, fmt.Errorf("BACKUP_URL: %w", err)
	}
	return archive.Archive{Bucket: kept, Keys: keys}, nil
}

type restore struct {
	config.Backups `embed:""`

	Dir      string    `name:"dir" env:"PGDATA" required:"" help:"Data folder to make; it must be empty, or not there."`
	Until    time.Time `help:"Moment to go back to, such as 2026-11-27T12:03:41Z; the latest otherwise."`
	Postgres string    `name:"postgres-bin" env:"POSTGRES_BIN" default:"/usr/lib/postgresql/18/bin" help:"Folder of Postgres' programs, of the version that was archived."`
}

// Run makes the folder, has Postgres recover on it, and marks what is open as restored.
func (r *restore) Run(ctx context.Context) error {
	if err := config.CheckAll(r); err != nil {
		return err
	}
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		return err
	}
	kept, err := open(ctx, &r.Backups)
	if err != nil {
		return err
	}
	plan, err := kept.Plan(ctx, r.Until)
	if err != nil {
		return err
	}
	fmt.Println(plan.Source())
	if err := kept.Fill(ctx, plan, dir); err != nil {
		return err
	}
	var marked correction.Restored
	err = archive.Recover(ctx, plan, r.Postgres, dir, func(ctx context.Context, dsn func(role, database string) string) error {
		db, err := store.Open(ctx, dsn(string(store.Operator), "tradepost"), store.Options{MaxConns: 1})
		if err != nil {
			return err
		}
		defer db.Close()
		marked, err = correction.NoteRestored(ctx, db, "command:backup restore")
		return err
	})
	if err != nil {
		return fmt.Errorf("%w: do not use %s, remove it", err, dir)
	}
	fmt.Println(plan.Loss())
	fmt.Println(marked)
	fmt.Println("Next: start Postgres alone, turn deliveries off, start the rest, and settle what /admin/reconciliation names (docs/operations.md, \"Backups\").")
	return nil
}
