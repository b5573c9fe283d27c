// Command server runs the provider simulators, their control page and the
// mailbox on loopback. In staging it is the exchange alone; it refuses to start in
// production mode.
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
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/tradepost/tradepost/internal/envfile"
	"github.com/tradepost/tradepost/internal/gctune"
	"github.com/tradepost/tradepost/internal/sandbox"
	"github.com/tradepost/tradepost/internal/sandbox/bitgo"
	"github.com/tradepost/tradepost/internal/sandbox/kraken"
	"github.com/tradepost/tradepost/internal/sandbox/mailbox"
	"github.com/tradepost/tradepost/internal/sandbox/stripe"
	"github.com/tradepost/tradepost/internal/sandbox/sumsub"
)

// withdrawalKey begins the names of the exchange's withdrawal keys; the wallet's
// ticker ends them.
const withdrawalKey = "tradepost-"

// drain is how long requests and deliveries under way may last at shutdown.
const drain = 5 * time.Second

func main() {
	var config sandbox.Config
	parser := kong.Must(&config, kong.Name("sandbox"), kong.Description("Simulators of Stripe, Kraken, BitGo and Sumsub, and a mailbox."))
	parser.FatalIfErrorf(envfile.Load())
	_, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, config, log); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
}

// simulators is every provider the sandbox plays.
func simulators(world *sandbox.World, mail *mailbox.Mailbox) ([]sandbox.Simulator, error) {
	exchange, err := kraken.New(world)
	if err != nil {
		return nil, err
	}
	if world.Config.Mode == "staging" {
		return []sandbox.Simulator{exchange}, nil // the others have test environments
	}
	custody, err := bitgo.New(world)
	if err != nil {
		return nil, err
	}
	// The exchange has the wallets it may withdraw to, as an account does whose owner has
	// registered them there.
	for ticker, asset := range map[string]string{"btc": "BTC", "eth": "ETH", "usdt": "USDT", "usdc": "USDC"} {
		if address := custody.OwnAddress(ticker); address != "" {
			if err := exchange.Register(asset, withdrawalKey+ticker, address); err != nil {
				return nil, err
			}
		}
	}
	return []sandbox.Simulator{stripe.New(), exchange, custody, sumsub.New(), mail}, nil
}

func run(ctx context.Context, config sandbox.Config, log *slog.Logger) error {
	world, err := sandbox.Open(config, log)
	if err != nil {
		return err
	}
	mail := mailbox.New()
	providers, err := simulators(world, mail)
	if err != nil {
		return errors.Join(err, world.Close())
	}
	post, err := mailbox.Listen(ctx, config.SMTPListen)
	if err != nil {
		return errors.Join(err, world.Close())
	}
	site, err := new(net.ListenConfig).Listen(ctx, "tcp", config.Listen)
	if err != nil {
		return errors.Join(err, post.Close(), world.Close())
	}
	server := &http.Server{Handler: world.Handler(providers...), ReadHeaderTimeout: 10 * time.Second}
	// Requests end first, then what they may still need.
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ended := make(chan error, 2)
	go func() { ended <- server.Serve(site) }()
	go func() { ended <- mail.Serve(serving, post) }()
	ran := make(chan struct{})
	go func() { world.Run(serving, providers...); close(ran) }()
	gctune.OneProcessor()
	go gctune.Heap(serving)
	log.Info("sandbox ready", "url", config.URL, "smtp", config.SMTPListen)
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = shutdown(server, world)
	}
	cancel()
	<-ran
	return errors.Join(err, world.Close())
}

// shutdown releases held requests, waits a while for those under way and cuts
// off the rest.
func shutdown(server *http.Server, world *sandbox.World) error {
	world.Faults.Release()
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}
