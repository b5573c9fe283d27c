package api

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/site"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/telemetry"
)

// Every call refuses a parameter of the address that is given more than once, whether it knows the parameter or not,
// and names it: 400, and nothing is done. A list in one value is no repetition.
func TestRepeatedParametersAreRefused(t *testing.T) {
	h := open(t, unscaled)
	c, claim := h.callers(), asvs.Claim(t, "15.3.7")
	before := counted(h)
	for _, op := range parameters(t) {
		names := []string{"unknown"}
		for _, p := range op.parameters {
			if p.In == "query" {
				names = append(names, p.Name)
			}
		}
		for _, name := range names {
			path := strings.NewReplacer("{id}", c.id, "{key}", "none", "{document}", "terms").Replace(op.path)
			a := c.staff.send(op.method, path+"?"+name+"=1&other=x&"+name+"=2", "", "Origin", h.web.URL, "Sec-Fetch-Site", "same-origin")
			a.refused(http.StatusBadRequest, "repeated_parameter", claim)
			require.Equal(t, name, a.text("field"), op.id)
		}
	}
	require.Equal(t, before, counted(h), "nothing was done")

	v := h.customer()
	for _, doubled := range []string{"/api/login?returnTo=/dashboard&returnTo=//evil.example", "/api/login?returnTo=/a&return%54o=/a", "/api/orders?limit=1&limit=1", "/api/orders?legacyStatus=pending&legacyStatus=failed"} {
		v.get(doubled).refused(http.StatusBadRequest, "repeated_parameter")
	}
	v.get("/api/orders?legacyStatus=pending,failed&limit=1").is(http.StatusOK)
	v.get("/api/login?returnTo=/dashboard&screen=signup").is(http.StatusSeeOther)
}

// A page does not choose between two values of a parameter that the server reads: it shows what it is without one.
func TestPagesIgnoreRepeatedParameters(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/", Access: "public"})
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	code := h.customer().get("/api/referrals/my-code").is(http.StatusOK).text("referralCode")
	require.Contains(t, h.visitor().get("/?ref="+code).is(http.StatusOK).header.Get("Set-Cookie"), code)
	require.NotContains(t, h.visitor().get("/?ref="+code+"&ref="+code).is(http.StatusOK).header.Get("Set-Cookie"), code)
}

// counting is a Temporal that counts how often it is asked whether it is well.
type counting struct {
	*flows
	asked *atomic.Int32
}

func (c counting) Healthy(ctx context.Context) error {
	c.asked.Add(1)
	return c.flows.Healthy(ctx)
}

// Anybody may ask whether a replica is ready, as often as they like: it is checked once a second. A database that fails is
// seen as soon.
func TestReadinessIsCheckedOnceASecond(t *testing.T) {
	var asked atomic.Int32
	h := open(t, func(d *Dependencies) { d.Workflows = counting{d.Workflows.(*flows), &asked} })
	v, began := h.visitor(), time.Now()
	for range 6 {
		got := atOnce(100, func(int) *answer { return v.get("/readyz") })
		require.Equal(t, 100, got[http.StatusOK])
	}
	require.LessOrEqual(t, time.Duration(asked.Load()-1)*telemetry.ReadinessAge, time.Since(began), "600 requests cost %d checks", asked.Load())
	h.server.DB.Close()
	failed := time.Now()
	require.Eventually(t, func() bool { return v.get("/readyz").status == http.StatusServiceUnavailable }, settledWait, settledPoll)
	require.Less(t, time.Since(failed), 20*telemetry.ReadinessAge, "on a machine that does much else")
}
