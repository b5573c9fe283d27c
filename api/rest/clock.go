package rest

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// timeHeader sends a page the database's time, which the platform uses: a browser's clock
// may be wrong, and the platform's may have been moved forward. A page measures from a time
// sent by the server with the server's clock.
const timeHeader = "X-Server-Time"

// timeFormat is RFC 3339 to the millisecond.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

const (
	// clockLifetime is how long this machine's clock counts on from the database's.
	clockLifetime = time.Second
	// clockPatience is how long an answer waits for the database's time.
	clockPatience = 250 * time.Millisecond
)

// Clock is the database's time, read once per clockLifetime however many requests there
// are.
type Clock struct {
	asking sync.Mutex // held by the request that reads the time

	mu       sync.Mutex
	at, read time.Time // the database's time, and this machine's then
	asked    time.Time
}

// Now is the database's time, or zero before the first reading. The caller that finds the
// reading stale reads again; the others extrapolate from it.
func (c *Clock) Now(ctx context.Context, ask func(context.Context) (time.Time, error)) time.Time {
	at, fresh := c.reading()
	if fresh || !c.asking.TryLock() {
		return at
	}
	defer c.asking.Unlock()
	ctx, cancel := context.WithTimeout(ctx, clockPatience)
	defer cancel()
	begun := time.Now()
	read, err := ask(ctx)
	c.mu.Lock()
	c.asked = time.Now() // a database that does not answer is not read by every request
	if err == nil {
		c.at, c.read = read, begun.Add(time.Since(begun)/2)
	}
	c.mu.Unlock()
	at, _ = c.reading()
	return at
}

func (c *Clock) reading() (at time.Time, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		return time.Time{}, time.Since(c.asked) < clockLifetime
	}
	return c.at.Add(time.Since(c.read)), time.Since(c.asked) < clockLifetime
}

// Timed adds the time header to every answer of the API.
func (m *Middleware) Timed(c *gin.Context) {
	if strings.HasPrefix(c.FullPath(), "/api/") {
		if now := m.Clock.Now(c.Request.Context(), m.DB.Now); !now.IsZero() {
			c.Header(timeHeader, now.UTC().Format(timeFormat))
		}
	}
	c.Next()
}
