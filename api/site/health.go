package site

import (
	"context"
	"net/http"
	"time"

	"github.com/tradepost/tradepost/api/rest"
)

// Health is how well we are.
type Health struct {
	Status   string `json:"status" enum:"ok,unavailable"`
	Database string `json:"database,omitempty" enum:"ok,unavailable"`
	Temporal string `json:"temporal,omitempty" enum:"ok,unavailable" doc:"informational: orders are accepted while it is away"`
}

type healthAnswer struct {
	Status int `statuses:"200,503"`
	Body   Health
}

// Health reports that the process is alive.
func (h *Handlers) Health(context.Context, *rest.Nothing) (*healthAnswer, error) {
	return &healthAnswer{Status: http.StatusOK, Body: Health{Status: "ok"}}, nil
}

// Readiness reports whether requests should be sent here. Its answer is up to telemetry.ReadinessAge old, because
// anybody may ask as often as they like.
func (h *Handlers) Readiness(ctx context.Context, _ *rest.Nothing) (*healthAnswer, error) {
	out := h.readiness.Of(ctx, h.checkReadiness)
	return &out, nil
}

// checkReadiness depends on Postgres alone: every other dependency can be down for a while.
func (h *Handlers) checkReadiness(ctx context.Context) healthAnswer {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out := healthAnswer{Status: http.StatusOK, Body: Health{Status: "ok", Database: "ok", Temporal: "ok"}}
	temporal := make(chan error, 1) // checked beside: one that hangs must not use up Postgres' time
	go func() { temporal <- h.Workflows.Healthy(ctx) }()
	database := h.DB.Ping(ctx)
	if err := <-temporal; err != nil {
		out.Body.Temporal = "unavailable"
	}
	if database != nil {
		out.Status = http.StatusServiceUnavailable
		out.Body.Status, out.Body.Database = "unavailable", "unavailable"
	}
	return out
}
