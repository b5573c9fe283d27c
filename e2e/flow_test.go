//go:build kill

package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// flow is what goes on during a drill: orders that wait at a step each, others one after the other, and a reader.
type flow struct {
	t       *testing.T
	counted tally // the reader's calls
	waiting []*buyer
	running sync.WaitGroup
	enough  context.CancelFunc

	mu    sync.Mutex
	done  []*buyer
	wrong []error
}

// progress are the steps of wholeWay that each waiting order has behind it.
var progress = []int{4, 0, 1, 2}

// wait makes orders of which one has ended, and three wait: for a card, a capture, a fulfilment.
func (f *flow) wait(ctx context.Context, list []*buyer) {
	f.t.Helper()
	f.waiting = list[:len(progress)]
	together(f.t, len(progress), func(i int) {
		b := f.waiting[i]
		b.what = some(f.t, "BTC", "0.001")
		require.NoError(f.t, steps(ctx, append([]func(context.Context) error{b.ask, b.order}, wholeWay(b)[:progress[i]]...)...))
	})
}

// begin has the last buyer read and each other one order, and waits for the first orders to end.
func (f *flow) begin(ctx context.Context, list []*buyer) {
	f.t.Helper()
	loading, enough := context.WithCancel(ctx)
	f.enough = enough
	f.t.Cleanup(enough)
	last := len(list) - 1
	for _, b := range list[:last] {
		f.running.Go(func() { f.order(ctx, loading, b) })
	}
	f.running.Go(func() { load(loading, list[last].customer, some(f.t, "BTC", "0.001"), &f.counted) })
	f.more(2)
}

// order makes one order after the other until it is enough; the last one is finished.
func (f *flow) order(ctx, loading context.Context, like *buyer) {
	for loading.Err() == nil {
		b := &buyer{customer: like.customer, staff: like.staff, second: like.second, third: like.third, what: some(f.t, "BTC", "0.001")}
		err := steps(ctx, append([]func(context.Context) error{b.ask, b.order}, wholeWay(b)...)...)
		f.mu.Lock()
		f.done = append(f.done, b)
		if err != nil {
			f.wrong = append(f.wrong, err)
		}
		f.mu.Unlock()
	}
}

func (f *flow) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.done)
}

// more waits until n more orders have ended.
func (f *flow) more(n int) {
	f.t.Helper()
	n += f.count()
	until(f.t, "more orders to end", func() bool { return f.count() >= n })
}

// end leads all orders to their end, and checks that each was sent once and no call failed.
func (f *flow) end(ctx context.Context) (all []*buyer) {
	f.t.Helper()
	f.enough()
	f.running.Wait()
	together(f.t, len(f.waiting), func(i int) {
		require.NoError(f.t, steps(ctx, wholeWay(f.waiting[i])[progress[i]:]...))
	})
	require.Empty(f.t, f.wrong)
	require.Empty(f.t, f.counted.problem)
	all = append(f.done, f.waiting...)
	sentOnce(f.t, all)
	return all
}

// sayer says how far a drill is, and how long it takes.
func sayer() func(format string, args ...any) {
	began := time.Now()
	return func(format string, args ...any) {
		fmt.Printf("%6s  %s\n", time.Since(began).Round(time.Second), fmt.Sprintf(format, args...))
	}
}
