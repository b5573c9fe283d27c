package rest

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// timeHeader tells a page the time that everything of ours lives by, which is
// the database's: a browser's clock may be wrong, and ours moved forward. What is
// counted from a moment we told has to be counted by the clock we told it by.
const timeHeader = "X-Server-Time"

// timeFormat is RFC 3339 to the millisecond.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

const (
	// clockLifetime is how long this machine's clock counts on from the database's.
	clockLifetime = time.Second
	// clockPatience is how long an answer waits to be told the time.
	clockPatience = 250 * time.Millisecond
)

// Clock is the database's time, asked once in clockLifetime however many
// requests there are.
type Clock struct {
	asking sync.Mutex // held by the request that asks

	mu       sync.Mutex
	at, read time.Time // the database's time, and this machine's then
	asked    time.Time
}

// Now is the database's time, or none while it has never told. Whoever finds the
// reading old asks again; the others count on from it.
func (c *Clock) Now(ctx context.Context, ask func(context.Context) (time.Time, error)) time.Time {
	at, fresh := c.told()
	if fresh || !c.asking.TryLock() {
		return at
	}
	defer c.asking.Unlock()
	ctx, cancel := context.WithTimeout(ctx, clockPatience)
	defer cancel()
	begun := time.Now()
	read, err := ask(ctx)
	c.mu.Lock()
	c.asked = time.Now() // a database that does not answer is not asked by every request
	if err == nil {
		c.at, c.read = read, begun.Add(time.Since(begun)/2)
	}
	c.mu.Unlock()
	at, _ = c.told()
	return at
}

func (c *Clock) told() (at time.Time, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		return time.Time{}, time.Since(c.asked) < clockLifetime
	}
	return c.at.Add(time.Since(c.read)), time.Since(c.asked) < clockLifetime
}

// Timed tells every answer of the API the time.
func (m *Middleware) Timed(c *gin.Context) {
	if strings.HasPrefix(c.FullPath(), "/api/") {
		if now := m.Clock.Now(c.Request.Context(), m.DB.Now); !now.IsZero() {
			c.Header(timeHeader, now.UTC().Format(timeFormat))
		}
	}
	c.Next()
}
