package api

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	reportingapi "github.com/tradepost/tradepost/api/reporting"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// Staff see every alert, those who get one acknowledge it, and what is over stays listed.
func TestAlertsAreAcknowledgedAndKept(t *testing.T) {
	h := open(t)
	admin, support := h.customer("admin"), h.customer("support")
	h.exec(`UPDATE markets SET priced_at = clock_now() - interval '2 hours'`)
	require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, reporting.AlertLimits{Prices: time.Hour}, false))
	list := func(v *visitor, state string) (rows []reportingapi.StaffAlert) {
		t.Helper()
		v.get("/api/admin/alerts?state=" + state).is(http.StatusOK).read(&rows)
		return rows
	}
	h.customer().get("/api/admin/alerts").refused(http.StatusForbidden, "forbidden")
	found := list(admin, "open")
	require.NotEmpty(t, found)
	require.Equal(t, []string{"acknowledge"}, found[0].Actions)
	require.Empty(t, list(support, "open")[0].Actions)

	path := "/api/admin/alerts/" + found[0].ID + "/acknowledge"
	support.post(path, `{}`).refused(http.StatusForbidden, "not_yours")
	admin.post("/api/admin/alerts/"+store.NewID()+"/acknowledge", `{}`).is(http.StatusNotFound)
	for _, note := range []string{`{"note":"calling Kraken"}`, `{"note":"again"}`} {
		var one reportingapi.StaffAlert
		admin.post(path, note).is(http.StatusOK).read(&one)
		require.Equal(t, "acknowledged", one.State)
		require.Equal(t, "calling Kraken", *one.Note)
		require.NotEmpty(t, *one.AcknowledgedBy)
		require.Empty(t, one.Actions)
	}
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'alert.acknowledge'`))
	require.Len(t, list(support, "acknowledged"), 1)
	var p reportingapi.Platform
	admin.get("/api/admin/platform").is(http.StatusOK).read(&p)
	at := slices.IndexFunc(p.Alerts, func(a reportingapi.PlatformAlert) bool { return a.ID == found[0].ID })
	require.NotNil(t, p.Alerts[at].AcknowledgedAt, "what is acknowledged stays on the overview")

	h.exec(`UPDATE alerts SET closed_at = clock_now() WHERE id = $1`, found[0].ID)
	past := list(admin, "past")
	require.Len(t, past, 1)
	require.NotNil(t, past[0].ClosedAt)
	require.Equal(t, "past", past[0].State)
}
