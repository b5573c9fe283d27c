package rest

import (
	"sync"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// rateLimiter limits the callers of this process. It is for requests that cost less than a
// row that counts them: reads of public prices, webhooks. A limit that guards a secret, or
// an account, is the database's and holds for all replicas together (store.Allow).
type rateLimiter struct {
	mu   sync.Mutex
	next map[string]time.Time // theoretical arrival time, as in models/store/ratelimit.go
}

// limiterKept bounds the callers that are remembered; beyond it those that may call
// again anyway are forgotten.
const limiterKept = 20_000

// allow answers zero when the request may pass, else how long to wait.
func (p *rateLimiter) allow(key string, limit store.RateLimit, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.next) >= limiterKept {
		for k, at := range p.next {
			if at.Before(now) {
				delete(p.next, k)
			}
		}
	}
	if p.next == nil || len(p.next) >= 2*limiterKept {
		p.next = map[string]time.Time{}
	}
	at := p.next[key]
	if at.Before(now) {
		at = now
	}
	at = at.Add(limit.Every)
	if wait := at.Sub(now) - time.Duration(limit.Burst)*limit.Every; wait > 0 {
		return wait
	}
	p.next[key] = at
	return 0
}
