package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/source"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// A round of load against a server without work: the figures are counted and compared, and the table is written into a
// page.
func TestARoundIsMeasuredAndWritten(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	h, s := &platform{}, side{listener.Addr().String(), func(c call) string { return c.path }}
	perSecond, took, err := h.load(t.Context(), s, call{path: "/"}, 2, 50*time.Millisecond, 0)
	require.NoError(t, err)
	require.Positive(t, perSecond)
	require.NotEmpty(t, took)
	_, paced, err := h.load(t.Context(), s, call{path: "/"}, 2, 100*time.Millisecond, 100)
	require.NoError(t, err)
	require.NotEmpty(t, paced)
	require.LessOrEqual(t, len(paced), 11, "a paced round asks no more than its rate; a busy machine answers less")

	r := newReport()
	r.ratio("api", "nothing", perSecond, perSecond, 1, 0.5, "/s")
	r.atMost("api", "late", "1 ms", "1 ms", 4, 3, "×")
	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("before\n<!-- result -->\nold\n<!-- end of result -->\nafter\n<!-- cold -->\nkept\n<!-- end of cold -->\n"), 0o600))
	require.NoError(t, r.into(page, "result"))
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(written), "| 1.00 | ≥ 0.5 | met |")
	require.Contains(t, string(written), "missed")
	require.NotContains(t, string(written), "\nold\n")
	require.Contains(t, string(written), "<!-- end of result -->\nafter\n<!-- cold -->\nkept\n")
}

func TestRatesCountWhatWasCompleted(t *testing.T) {
	perSecond, took, err := rate(t.Context(), 3, 50*time.Millisecond, func(context.Context, int) error { time.Sleep(time.Millisecond); return nil })
	require.NoError(t, err)
	require.NotEmpty(t, took)
	require.Positive(t, perSecond)
	require.LessOrEqual(t, perSecond, float64(len(took))/0.05, "a busy machine makes a round longer, never shorter")
	require.Equal(t, 3*time.Second, percentile([]time.Duration{time.Second, 3 * time.Second, 2 * time.Second}, 99))
	require.InDelta(t, 2, median([]float64{3, 1, 2}), 0)
}

// The bare web server sends exactly the statements of the domains.
func TestTheBareServerSendsOurStatements(t *testing.T) {
	files, err := source.Files("../models")
	require.NoError(t, err)
	var ours strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		ours.Write(text)
	}
	sent := ours.String()
	for put, said := range map[string]string{
		"`+RevokedIdentity+`":       "k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= clock_now(), false)",
		"`+people.EffectiveRoles+`": people.EffectiveRoles,
		"`+agreedTo+`":              "SELECT coalesce(array_agg(document || ' ' || version), '{}') FROM consents WHERE user_id = $1",
		"`+countCall+`":             counting(t, ours.String(), "SELECT $4 || id::text, clock_now() + make_interval(secs => $5) FROM who", "$5", "$6"),
		"countRequest, key":         counting(t, ours.String(), "VALUES ($1, clock_now() + make_interval(secs => $2))", "$2", "$3"),
	} {
		require.Contains(t, sent, put)
		sent = strings.ReplaceAll(sent, put, said)
	}
	sent = oneLine(sent)
	for _, statement := range []string{sessionSQL, limiterSQL, accountSQL, termsSQL} {
		require.True(t, strings.Contains(sent, oneLine(statement)), statement)
	}
	require.True(t, strings.Contains(strings.ReplaceAll(ours.String(), "`+changes+`", "list = $1 AND owner = $2"), tallySQL), tallySQL)
}

// counting is the statement that counts a request, as the source sends it.
func counting(t *testing.T, source, rows, every, burst string) string {
	t.Helper()
	require.Contains(t, source, fmt.Sprintf("CountRequest(%q, %q, %q)", rows, every, burst))
	return store.CountRequest(rows, every, burst)
}

// oneLine is a statement without what its lines and indents add.
func oneLine(statement string) string {
	return strings.NewReplacer("( ", "(", " )", ")").Replace(strings.Join(strings.Fields(statement), " "))
}
