package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/tradepost/tradepost/internal/telemetry"
)

// A 500 leaves one structured line with what the runbook of ServerErrors looks for.
func TestFailedRequestLeavesOneLine(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(telemetry.NewLogger(&out, telemetry.LogOptions{Service: "api", JSON: true}))
	t.Cleanup(func() { slog.SetDefault(before) })
	m := &Middleware{Log: slog.New(slog.DiscardHandler), Languages: Languages{English}}
	router := gin.New()
	router.Use(m.Observed)
	router.POST("/api/orders/:id/x", func(c *gin.Context) {
		of := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{7}, SpanID: trace.SpanID{7}, TraceFlags: trace.FlagsSampled})
		require.Equal(t, http.StatusInternalServerError, AsProblem(trace.ContextWithSpanContext(c.Request.Context(), of), errors.New("store webhook")).Status)
	})
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/api/orders/4711/x", nil))

	require.Equal(t, 1, strings.Count(out.String(), "\n"), out.String())
	var line map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	for name, want := range map[string]any{"level": "ERROR", "service": "api", "msg": "request failed", "method": "POST", "route": "/api/orders/:id/x",
		"error": "store webhook", "request_id": answer.Header().Get("X-Request-Id"), "trace_id": trace.TraceID{7}.String()} {
		require.Equal(t, want, line[name], name)
	}
}
