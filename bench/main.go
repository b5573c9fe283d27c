// Command bench measures Tradepost against the simplest program that could do the same work, side by side on this
// machine: `make bench`.
//
// It starts the whole product as `make run` does, in a folder of its own, every process a real one, and beside it the
// bare programs that it compares with (this binary again, in another role): a Temporal worker whose workflow does
// nothing, and a web server that sends the same SQL and nothing else.
//
// A machine is never idle. Both sides are therefore measured in short rounds that alternate, and the result is the
// median of the rounds' ratios: what slows one side down slows the other too.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// plan is what to measure, and for how long.
type plan struct {
	only    string
	rounds  int
	round   time.Duration // of load, each side
	clients int           // orders, or requests, at a time
	sizes   []int         // lists are this long
	orders  int           // executed one after another, to see whether their cost grows
	write   string
}

func main() {
	role := flag.String("role", "", "be one of the bare programs instead: workflow, activities, web")
	address := flag.String("address", "", "of Temporal, or to listen at, for a bare program")
	database := flag.String("database", "", "for the bare web server")
	var p plan
	long := flag.Bool("long", false, "longer rounds, and 10,000 orders one after another")
	flag.StringVar(&p.only, "only", "start,api,pipeline,matters,growth,lighthouse", "what to measure; cold, by itself, is a first start with empty caches, which downloads everything anew")
	flag.StringVar(&p.write, "write", "", "write the result into this page, between its markers")
	flag.IntVar(&p.rounds, "rounds", 3, "rounds of each side")
	flag.DurationVar(&p.round, "round", 6*time.Second, "length of a round")
	flag.IntVar(&p.clients, "clients", 16, "orders or requests at a time")
	flag.IntVar(&p.orders, "orders", 300, "orders for the growth of one order's cost")
	flag.Parse()
	p.sizes = []int{1_000, 100_000, 1_000_000}
	if *long {
		p.rounds, p.round, p.orders = 5, 20*time.Second, 10_000
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch *role {
	case "workflow":
		err = bareWorker(ctx, *address, bareQueue)
	case "activities":
		err = bareWorker(ctx, *address, apartQueue)
	case "web":
		err = bareWeb(ctx, *address, *database)
	default:
		err = measure(ctx, p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// wants reports whether a part is to be measured.
func (p plan) wants(part string) bool { return slices.Contains(strings.Split(p.only, ","), part) }

// measure starts everything, measures one part after another and prints the
// table.
func measure(ctx context.Context, p plan) error {
	if p.only == "cold" { // nothing of it needs a product that runs
		result := newReport()
		if err := measureCold(ctx, result); err != nil {
			return err
		}
		fmt.Println("\n" + result.table())
		return result.into(p.write, "cold")
	}
	h, err := openPlatform(ctx, nil)
	if err != nil {
		return err
	}
	defer h.close()
	result := newReport()
	for _, part := range []struct {
		name string
		work func(context.Context, plan, *report) error
	}{{"start", h.measureStart}, {"api", h.measureAPI}, {"pipeline", h.measurePipeline}, {"matters", h.measureCases}, {"growth", h.measureGrowth}, {"lighthouse", h.measureLighthouse}, {"order", h.measureOrder}, {"tracing", h.measureTracing}, {"trace", h.trace}} {
		if !p.wants(part.name) {
			continue
		}
		h.say("measuring: %s", part.name)
		if err := part.work(ctx, p, result); err != nil {
			return fmt.Errorf("%s: %w\n%s", part.name, err, h.lastWords())
		}
	}
	fmt.Println("\n" + result.table())
	return result.into(p.write, "result")
}

// together runs work n times at once until it is over or one fails.
func together(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	all, ctx := errgroup.WithContext(ctx)
	for i := range n {
		all.Go(func() error { return work(ctx, i) })
	}
	return all.Wait()
}
