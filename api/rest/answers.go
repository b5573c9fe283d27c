package rest

import (
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/tradepost/tradepost/models/pricing"
)

// answers caches the answers of public calls, as bytes, for as long as their prices may be
// used anyway. Every caller gets the same, in their language.
type answers struct {
	mu   sync.RWMutex
	kept map[string]keptAnswer
}

type keptAnswer struct {
	contentType string
	body        []byte
	until       time.Time
}

// give answers a call from what is kept, and reports whether it could.
func (a *answers) give(c *gin.Context, call string) bool {
	a.mu.RLock()
	answer, known := a.kept[call]
	a.mu.RUnlock()
	if !known || time.Now().After(answer.until) {
		return false
	}
	c.Data(http.StatusOK, answer.contentType, answer.body)
	return true
}

// keep runs next and keeps what it answers, when that is no refusal.
func (a *answers) keep(c *gin.Context, call string, next func()) {
	recorder := &recorded{ResponseWriter: c.Writer}
	c.Writer = recorder
	begun := time.Now()
	next()
	c.Writer = recorder.ResponseWriter
	if recorder.Status() != http.StatusOK {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept == nil {
		a.kept = map[string]keptAnswer{}
	}
	a.kept[call] = keptAnswer{recorder.Header().Get("Content-Type"), recorder.body, begun.Add(pricing.MarketLifetime)}
}

// recorded is a writer that remembers what was written.
type recorded struct {
	gin.ResponseWriter
	body []byte
}

// Write implements io.Writer.
func (r *recorded) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return r.ResponseWriter.Write(p)
}
