package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// mostForTraces is how much more an order or a call may cost with traces on.
const mostForTraces = 1.10

// measureTracing compares the platform with another one that sends all its spans to this process, which discards them.
func (h *platform) measureTracing(ctx context.Context, p plan, r *report) error {
	address, received, stop, err := discardSpans(ctx)
	if err != nil {
		return err
	}
	defer stop()
	on, err := openPlatform(ctx, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": address})
	if err != nil {
		return err
	}
	defer on.close()
	sides := []*platform{on, h}
	names := []string{"processor time of an order", "a call (auth/user), one at a time: p50"}
	cost, ratios := [2][2][]float64{}, [2][]float64{}
	for round := range p.rounds + 1 {
		for i := range sides { // whichever was first is second in the next round
			side := (i + round) % 2
			order, call, err := sides[side].costs(ctx, p.round)
			if err != nil {
				return err
			}
			cost[0][side], cost[1][side] = append(cost[0][side], order.Seconds()), append(cost[1][side], call.Seconds())
		}
		if round == 0 {
			cost = [2][2][]float64{} // both are warm now
			continue
		}
		for i := range ratios {
			ratios[i] = append(ratios[i], cost[i][0][round-1]/cost[i][1][round-1])
		}
		fmt.Printf("  round: with traces over without: an order %.2f, a call %.2f\n", ratios[0][round-1], ratios[1][round-1])
	}
	if received.Load() == 0 {
		return errors.New("no spans arrived")
	}
	for i, what := range names {
		text := func(side int) string { return ms(time.Duration(median(cost[i][side]) * float64(time.Second))) }
		r.atMost("tracing", fmt.Sprintf("%s, traces on and off (%.2f to %.2f in %d rounds)", what, slices.Min(ratios[i]), slices.Max(ratios[i]), p.rounds),
			text(0), text(1), median(ratios[i]), mostForTraces, "×")
	}
	return nil
}

// costs is the processor time that the platform needs for an order, without this process, and the time that a call takes.
func (h *platform) costs(ctx context.Context, round time.Duration) (order, call time.Duration, err error) {
	before := h.cpuTimes()
	_, orders, err := rate(ctx, 4, round, func(ctx context.Context, i int) error { return h.runOrder(ctx, h.customers[i]) })
	if err != nil {
		return 0, 0, err
	}
	after := h.cpuTimes()
	after["bench"] = before["bench"]
	_, order = perOne(before, after, len(orders))
	_, took, err := h.load(ctx, side{host: strings.TrimPrefix(h.stack.SiteURL(), "http://"), path: ourPath}, calls[1], 1, round/2, 0)
	return order, percentile(took, 50), err
}

// discardSpans is a receiver of OTLP over HTTP that counts bytes and keeps none.
func discardSpans(ctx context.Context) (address string, received *atomic.Int64, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, nil, err
	}
	received = &atomic.Int64{}
	server := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		received.Add(n)
		w.Header().Set("Content-Type", "application/x-protobuf")
	})}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), received, func() { _ = server.Close() }, nil
}
