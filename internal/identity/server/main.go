// Command server runs the embedded identity provider.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/envfile"
	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/mail"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/internal/version"
)

// stopWithin is how long a stop may last: open requests are answered first.
const stopWithin = 8 * time.Second

type commands struct {
	identity.Config
	Version    kong.VersionFlag `help:"Say which version this is, and end."`
	Serve      serve            `cmd:"" default:"1" help:"Migrate, then answer requests until stopped."`
	RotateKeys rotateKeys       `cmd:"" name:"rotate-keys" help:"Make a new signing key; it signs an hour from now."`
}

type (
	serve      struct{}
	rotateKeys struct{}
)

func main() {
	var cli commands
	parser := kong.Must(&cli, kong.Name("identity"), kong.Vars{"version": version.String()},
		kong.Description("The embedded OpenID Connect provider: sign-up, sign-in and passwords."))
	parser.FatalIfErrorf(envfile.Load())
	parsed, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	log := telemetry.NewLogger(os.Stderr, telemetry.LogOptions{Service: "identity", JSON: true, Secrets: cli.Secrets()})
	slog.SetDefault(log)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err := parsed.Run(cli.Config, log); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "identity: %v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // the deferred stop has just run
	}
}

// open checks the configuration, connects, migrates and prepares the provider.
func open(ctx context.Context, c identity.Config, log *slog.Logger) (*identity.Server, *pgxpool.Pool, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	sender, err := mail.New(c.SMTPURL, c.MailFrom)
	if err != nil {
		return nil, nil, err
	}
	if c.Mode == identity.ModeStaging {
		sender = sender.Marked(mail.RehearsalMark)
	}
	pool, err := identity.OpenPool(ctx, c.DatabaseURL)
	if err != nil {
		return nil, nil, err
	}
	if err := identity.Migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, nil, err
	}
	provider, err := identity.New(ctx, c, pool, sender, log)
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return provider, pool, nil
}

// Run answers requests until ctx ends, then stops within stopWithin.
func (serve) Run(ctx context.Context, c identity.Config, log *slog.Logger) error {
	provider, pool, err := open(ctx, c, log)
	if err != nil {
		return err
	}
	defer pool.Close()
	traced, err := telemetry.StartTraces(ctx, "identity", &c.Traces, log)
	if err != nil {
		return err
	}
	defer traced()
	provider.Metrics = telemetry.NewMetrics("identity")
	go serveHealth(ctx, c.Health, provider.Metrics, pool, log)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("IDENTITY_LISTEN: %w", err)
	}
	server := &http.Server{
		Handler: provider.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	var loops sync.WaitGroup
	loops.Go(func() { provider.Run(ctx) })
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	log.InfoContext(ctx, "listening", "address", listener.Addr().String(), "issuer", c.URL, "mode", c.Mode)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	return stopServer(server, &loops)
}

// serveHealth answers Prometheus; that it cannot listen ends no sign-in.
func serveHealth(ctx context.Context, address string, metrics *telemetry.Metrics, pool *pgxpool.Pool, log *slog.Logger) {
	nothingRecurs := func(context.Context) (map[string]float64, error) { return nil, nil }
	if err := telemetry.Serve(ctx, address, metrics, pool.Ping, nothingRecurs); err != nil {
		log.ErrorContext(ctx, "health is not served", "error", err)
	}
}

func stopServer(server *http.Server, loops *sync.WaitGroup) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	err := server.Shutdown(ctx)
	loops.Wait()
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("stopped with requests unanswered")
	}
	return err
}

// Run makes a new signing key.
func (rotateKeys) Run(ctx context.Context, c identity.Config, log *slog.Logger) error {
	provider, pool, err := open(ctx, c, log)
	if err != nil {
		return err
	}
	defer pool.Close()
	return provider.RotateKeys(ctx)
}
