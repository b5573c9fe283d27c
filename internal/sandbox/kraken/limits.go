package kraken

import (
	"sync"
	"time"
)

const unlimitedAccount = "unlimited"

// limits of an account tier, in thousandths: the REST counter's ceiling and its
// decay a second, and the same for the engine counter of each pair.
type limits struct {
	rest, restDecay, engine, engineDecay int64
	openOrders                           int
}

var tiers = map[string]limits{
	"starter":      {15_000, 330, 60_000, 1_000, 60},
	"intermediate": {20_000, 500, 125_000, 2_340, 80},
	"pro":          {20_000, 1_000, 180_000, 3_750, 225},
	"unlimited":    {openOrders: 1 << 30},
}

// counters are the leaking buckets of all keys and pairs. They are in memory: a restart
// clears them.
type counters struct {
	mu     sync.Mutex
	levels map[string]level
}

type level struct {
	value int64 // thousandths
	at    time.Time
}

func newCounters() *counters { return &counters{levels: map[string]level{}} }

// add raises the counter by points unless that would pass the ceiling; a
// ceiling of 0 is none. It reports whether the call may go on.
func (c *counters) add(name string, points, ceiling, decay int64, now time.Time) bool {
	if ceiling == 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.levels[name]
	l.value = max(0, l.value-decay*now.Sub(l.at).Milliseconds()/1000)
	l.at = now
	ok := l.value+points*1000 <= ceiling
	if ok {
		l.value += points * 1000
	}
	c.levels[name] = l
	return ok
}

// cancelPoints is what a cancellation adds to the engine counter: the younger
// the order, the dearer.
func cancelPoints(age time.Duration) int64 {
	switch {
	case age < 5*time.Second:
		return 8
	case age < 10*time.Second:
		return 6
	case age < 15*time.Second:
		return 5
	case age < 45*time.Second:
		return 4
	case age < 90*time.Second:
		return 2
	case age < 300*time.Second:
		return 1
	}
	return 0
}

// restPoints is what a private call adds to the REST counter of its key.
func restPoints(method string) int64 {
	switch method {
	case "AddOrder", "AddOrderBatch", "CancelOrder", "CancelAll", "CancelOrderBatch":
		return 0
	case "TradesHistory", "Ledgers", "QueryLedgers", "ClosedOrders":
		return 2
	}
	return 1
}

// limitsOf are the limits of the account under the settings.
func (now settings) limitsOf(who account) limits {
	if who.Name == unlimitedAccount {
		return tiers["unlimited"]
	}
	return tiers[now.Tier]
}
